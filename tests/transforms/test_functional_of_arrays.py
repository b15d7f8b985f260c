"""autograd.functional by the transforms: of arrays, of compiled functions, with vectorize=True."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import srcgrad as flow
from srcgrad.autograd import functional as F

x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
ONES = np.ones(2)


def listed(made):
    return tuple(map(listed, made)) if isinstance(made, tuple) else np.asarray(made).tolist()


def python(f):
    return flow.compile(f, target="python")


square, cubes = python(lambda x: x**2), python(lambda x: (x**3).sum())
products = python(lambda x, y: (x * x * y).sum())
CALLS = [
    (lambda k: F.jacobian(square, k(x)), [[2, 0], [0, 4]]),
    (lambda k: F.jacobian(cubes, (k(x),)), ([3, 12],)),
    (
        lambda k: F.jacobian(python(lambda x, y: (x * y, x.sum())), (k(x), k(y))),
        (([[3, 0], [0, 4]], [[1, 0], [0, 2]]), ([1, 1], [0, 0])),
    ),
    (lambda k: F.jacobian(square, k(x), strategy="forward-mode"), [[2, 0], [0, 4]]),
    (lambda k: F.hessian(cubes, k(x)), [[6, 0], [0, 12]]),
    (
        lambda k: F.hessian(products, (k(x), k(y))),
        (([[6, 0], [0, 8]], [[2, 0], [0, 4]]), ([[2, 0], [0, 4]], [[0, 0], [0, 0]])),
    ),
    (lambda k: F.vjp(square, k(x), k(ONES)), ([1, 4], [2, 4])),
    (lambda k: F.vjp(cubes, (k(x),)), (9, ([3, 12],))),
    (lambda k: F.jvp(square, k(x), k(ONES)), ([1, 4], [2, 4])),
    (lambda k: F.jvp(products, (k(x), k(y)), (k(ONES), k(ONES))), (19, 27)),
    (lambda k: F.vhp(cubes, k(x), k(ONES)), (9, [6, 12])),
    (
        lambda k: F.hvp(products, (k(x), k(y)), (k(ONES), k(ONES))),
        (19, ([8, 12], [2, 4])),
    ),
]


@pytest.mark.parametrize(("call", "want"), CALLS)
def test_values(call, want):
    assert listed(call(np.array)) == want
    made = call(flow.tensor)
    assert listed(flow.tree.map(lambda t: t.numpy(), made)) == want


def test_of_numbers():
    assert F.jvp(square, 3.0) == (9.0, 6.0)
    assert F.jacobian(square, 3.0) == 6.0


@pytest.mark.parametrize("name", ["jacobian", "hessian"])
def test_vectorize_compiles(name, builds):
    def f(x):
        return (x**3).sum()

    transform = getattr(F, name)
    want = transform(f, flow.tensor(x))
    assert not builds
    got = transform(f, flow.tensor(x), vectorize=True)
    assert builds and not got.requires_grad
    assert_allclose(got.numpy(), want.numpy())


@pytest.mark.parametrize("name", ["jacobian", "vjp", "jvp", "hessian", "hvp", "vhp"])
def test_results_are_part_of_a_graph_when_asked(name):
    second = name in ("hessian", "hvp", "vhp")
    f = python(lambda x: (x**4).sum()) if second else python(lambda x: x**4)
    w = flow.tensor(x, requires_grad=True)
    v = () if name in ("jacobian", "hessian") else (flow.tensor(ONES),)

    def of(create_graph):
        made = getattr(F, name)(f, w, *v, create_graph=create_graph)
        return made[1] if isinstance(made, tuple) else made

    assert not of(False).requires_grad
    of(True).sum().backward()
    assert_allclose(w.grad.numpy(), 24 * x if second else 12 * x**2)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: F.hessian(square, x), RuntimeError, "should contain a single element"),
        (lambda: F.hvp(python(lambda x: (x, x)), x, x), RuntimeError, "return a single Tensor"),
        (lambda: F.vjp(square, x), RuntimeError, "v can only be None if the user-provided"),
        (lambda: F.jvp(square, x), RuntimeError, "v can only be None if the input"),
        (lambda: F.vjp(square, x, np.ones(3)), ValueError, "shape"),
        (lambda: F.hvp(cubes, x, np.ones(3)), ValueError, r"\(3,\), x has \(2,\)"),
        (lambda: F.jacobian(square, x, strategy="no"), ValueError, "Expected strategy"),
        (lambda: F.jacobian(square, x, strict=True), TypeError, "must be either a Tensor"),
        (lambda: F.jacobian(square, (x, "a")), TypeError, "must be either a Tensor"),
    ],
)
def test_refusals(call, error, text):
    with pytest.raises(error, match=text):
        call()
