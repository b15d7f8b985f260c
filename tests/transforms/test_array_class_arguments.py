"""Instances of classes of arrays as arguments and captured: memory, attributes, derivatives."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from tests.frontend.test_array_classes import Named, Plain, same

X = np.array([1.0, 2.0, 3.0])
A = np.array([[1.0, 2.0], [3.0, 5.0]])


class Signal(np.ndarray):
    def __new__(cls, x, rate):
        made = np.asarray(x).view(cls)
        made.rate = rate
        return made

    def __array_finalize__(self, obj):
        self.rate = getattr(obj, "rate", 1.0)

    def power(self):
        return np.sum(self**2) / self.rate


def named():
    return Named(X.copy(), "ab")


def results(v):
    return v * 2.0, v.name, len(v.name), isinstance(v, Named), v


def products(m):
    return m * m, m.I, m[0], m, m.T * [[1.0], [2.0]]


def stores(v):
    v[0] = 7.0
    v += 1.0
    return v


def attributes(v):
    v.name, v.extra = "new", v[0]
    return v * 1.0


def in_containers(d):
    return [v * 2.0 for v in d["vs"]], d["m"] * d["m"]


ARGUMENTS = {
    results: named, products: lambda: np.matrix(A), stores: named, attributes: named,
    in_containers: lambda: {"vs": [named(), X[::-1].view(Plain)], "m": np.matrix(A)},
}  # fmt: skip


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("program", ARGUMENTS, ids=lambda f: f.__name__)
def test_arguments_are_as_in_plain_python(program, target):
    compiled = flow.compile(program, target=target)
    for _ in range(3):  # the second call and those after it run what is known
        mine, theirs = ARGUMENTS[program](), ARGUMENTS[program]()
        same(compiled(mine), program(theirs))
        if not isinstance(mine, dict):
            same(mine, theirs)
    v = named()
    assert flow.compile(lambda u: u, target=target)(v) is v


def test_a_gradient_is_an_instance_like_its_argument():
    s = Signal(X, 2.0)
    g = flow.grad(lambda s: float(s.power()), target="python")(s)
    assert type(g) is Signal
    np.testing.assert_allclose(np.asarray(g), X)
    np.testing.assert_allclose(g.rate, -np.sum(X**2) / 4.0)
    g = flow.grad(lambda m: (m * m)[0, 0], target="python")(np.matrix(A))
    same(g * 1.0, np.matrix([[2.0, 3.0], [2.0, 0.0]]))
    with pytest.raises(ArgumentTypeError, match="only floats have gradients"):
        flow.grad(lambda v: np.sum(v) * 1.0, target="python")(np.arange(3).view(Plain))


def test_derivatives_of_other_ranks_are_arrays():
    double = flow.compile(lambda v: v * 2.0, target="python")
    assert type(flow.jacobian(double)(X.view(Plain))) is np.ndarray
    cube = flow.compile(lambda m: (m * m * m)[0, 0], target="python")
    hessian = flow.hessian(cube)(np.matrix(A))
    assert type(hessian) is np.ndarray
    assert hessian.shape == (2, 2, 2, 2)
    for tangent in (X, X.view(Plain)):
        _, t = flow.jvp(double, (X.view(Plain),), (tangent,))
        np.testing.assert_allclose(t, 2.0 * X)
    with pytest.raises(ArgumentValueError, match="tangent"):
        flow.jvp(double, (X.view(Plain),), (A,))


def test_derivatives_agree_with_differences():
    def f(s, m):
        t = np.sin(s) * s.rate
        return float(t.power()) + (m.I * m.T)[0, 1] * t[0]

    flow.testing.gradcheck(f, (Signal(X, 2.0), np.matrix(A)), target="python", order=2)


CAPTURED = Named(X.copy(), "abc")
MATRIX = np.matrix(A)


def reading(x):
    return np.sum(CAPTURED * x) * len(CAPTURED.name) + (MATRIX * MATRIX)[0, 1] * x[0]


def default(x, m=MATRIX):
    return (m * x[:2].reshape(2, 1))[0, 0]


def storing(x):
    CAPTURED[0] = x[1]
    CAPTURED.seen = x[2]
    return CAPTURED


def test_captured_instances_are_read_at_each_call(monkeypatch):
    held = Named(X.copy(), "abc")
    monkeypatch.setitem(globals(), "CAPTURED", held)
    compiled = flow.compile(reading, target="python")
    same(compiled(X), reading(X))
    held[0] = 9.0
    same(compiled(X), reading(X))
    held.name = "longer"
    same(compiled(X), reading(X))
    monkeypatch.setitem(globals(), "CAPTURED", np.float32([1, 2, 3]).view(Named))
    globals()["CAPTURED"].name = ""
    same(compiled(X), reading(X))
    np.testing.assert_allclose(flow.grad(default, target="python")(X), [1.0, 2.0, 0.0])


def test_captured_instances_are_stored_to(monkeypatch):
    held = Named(X.copy(), "abc")
    monkeypatch.setitem(globals(), "CAPTURED", held)
    made = flow.compile(storing, target="python")(X)
    assert np.shares_memory(made, held)
    same(held[:1], Named([2.0], "abc"))
    assert held.seen == 3.0


def test_a_class_that_gets_a_protocol_is_refused():
    class Changing(np.ndarray):
        pass

    compiled = flow.compile(lambda v: v + 1.0, target="python")
    same(compiled(X.view(Changing)), X.view(Changing) + 1.0)
    Changing.__array__ = lambda self, dtype=None, copy=None: np.ones(3)
    with pytest.raises(flow.UnsupportedError, match="defines __array__"):
        compiled(X.view(Changing))
