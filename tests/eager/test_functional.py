"""autograd.functional: values, nesting of results, and what is refused, as PyTorch has it."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.autograd import functional as F

x, y = flow.tensor([1.0, 2.0]), flow.tensor([3.0, 4.0])
ONES = flow.ones(2)


def listed(made):
    return tuple(map(listed, made)) if isinstance(made, tuple) else made.tolist()


@pytest.mark.parametrize(
    ("made", "want"),
    [
        (lambda: F.jacobian(lambda x: x**2, x), [[2, 0], [0, 4]]),
        (lambda: F.jacobian(lambda x: x.sum(), (x,)), ([1, 1],)),
        (
            lambda: F.jacobian(lambda x, y: (x * y, x.sum()), (x, y)),
            (([[3, 0], [0, 4]], [[1, 0], [0, 2]]), ([1, 1], [0, 0])),
        ),
        (lambda: F.jacobian(lambda x: flow.ones(2), x), [[0, 0], [0, 0]]),
        (lambda: F.jacobian(lambda x: x[:0], x), []),
        (lambda: F.hessian(lambda x: (x**3).sum(), x), [[6, 0], [0, 12]]),
        (
            lambda: F.hessian(lambda x, y: (x * x * y).sum(), (x, y)),
            (([[6, 0], [0, 8]], [[2, 0], [0, 4]]), ([[2, 0], [0, 4]], [[0, 0], [0, 0]])),
        ),
        (lambda: F.hessian(lambda x: x.sum(), x), [[0, 0], [0, 0]]),
        (lambda: F.vjp(lambda x: x**2, x, ONES), ([1, 4], [2, 4])),
        (lambda: F.vjp(lambda x: (x**2).sum(), x), (5, [2, 4])),
        (lambda: F.vjp(lambda x: (x**2, x), x, (ONES, ONES)), (([1, 4], [1, 2]), [3, 5])),
        (lambda: F.jvp(lambda x: x**2, x, ONES), ([1, 4], [2, 4])),
        (lambda: F.jvp(lambda x: x**2, flow.tensor(3.0)), (9, 6)),
        (
            lambda: F.jvp(lambda x, y: (x * y, y), (x, y), (ONES, ONES)),
            (([3, 8], [3, 4]), ([4, 6], [1, 1])),
        ),
        (lambda: F.vhp(lambda x: (x**3).sum(), x, ONES), (9, [6, 12])),
        (lambda: F.hvp(lambda x: (x**3).sum(), x, ONES), (9, [6, 12])),
        (
            lambda: F.hvp(lambda x, y: (x**2 * y).sum(), (x, y), (ONES, ONES)),
            (19, ([8, 12], [2, 4])),
        ),
    ],
)
def test_values(made, want):
    assert listed(made()) == want


@pytest.mark.parametrize("name", ["jacobian", "hessian", "vjp", "jvp", "vhp", "hvp"])
def test_results_are_part_of_a_graph_when_asked(name):
    w = flow.tensor([1.0, 2.0], requires_grad=True)
    f = (lambda x: x**4) if name in ("jacobian", "vjp", "jvp") else (lambda x: (x**4).sum())
    v = () if name in ("jacobian", "hessian") else (ONES,)

    def of(create_graph):
        made = getattr(F, name)(f, w, *v, create_graph=create_graph)
        return made[1] if isinstance(made, tuple) else made

    assert not of(False).requires_grad
    of(True).sum().backward()
    second = name not in ("jacobian", "vjp", "jvp")
    want = 24 * np.array([1.0, 2.0]) if second else 12 * np.array([1.0, 4.0])
    np.testing.assert_allclose(w.grad.numpy(), want)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: F.jacobian(lambda x: 3, x), TypeError, "has type <class 'int'>"),
        (lambda: F.jacobian(lambda x, y: x, (x, 3)), TypeError, "the value at index 1 has type"),
        (lambda: F.jacobian(lambda x, y: x, (x, y), strict=True), RuntimeError, "of input 1"),
        (
            lambda: F.jacobian(lambda x: ONES, x, strict=True),
            RuntimeError,
            "does not require gradients",
        ),
        (lambda: F.jacobian(lambda x: x, x, strategy="no"), ValueError, "Expected strategy"),
        (lambda: F.hessian(lambda x: x**3, x), RuntimeError, "should contain a single element"),
        (lambda: F.hessian(lambda x: (x, x), x), RuntimeError, "should return a single Tensor"),
        (lambda: F.hessian(lambda x: x.sum(), x, strict=True), RuntimeError, "twice differentia"),
        (lambda: F.vjp(lambda x: x**2, x), RuntimeError, "v can only be None if the user-prov"),
        (lambda: F.vjp(lambda x: x, x, flow.ones(3)), RuntimeError, "v has invalid size: should"),
        (lambda: F.vjp(lambda x: (x, x), x, (ONES,)), RuntimeError, "should be 2 but got 1"),
        (lambda: F.jvp(lambda x: x, x), RuntimeError, "v can only be None if the input"),
        (lambda: F.hvp(lambda x: x.sum(), x, ONES, strict=True), RuntimeError, "twice differ"),
    ],
)
def test_refusals(call, error, text):
    with pytest.raises(error, match=text):
        call()
