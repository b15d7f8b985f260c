"""Special methods that are called by their names, and passed as functions."""

import numpy as np
import pytest

import srcgrad as flow

X = np.array([1.5, 2.0, 3.0])


def set_beside(x):
    d = {"a": x[1], "b": x[0] * 2.0}
    return d.__getitem__("a") * d.__len__() + (x[0] if d.__contains__("b") else x[2])


PROGRAMS = {
    "len": lambda x: x.__len__() * x[0] * [x, x].__len__() * "abc".__len__(),
    "getitem": lambda x: (
        x.__getitem__(1) * (x, x[0]).__getitem__(1) + x.__getitem__(slice(1, 3))[1]
    ),
    "getitem of a matrix": lambda x: np.outer(x, x).__getitem__((0, 2)),
    "map": lambda x: sum(map(x.__getitem__, [0, 2, -1])),
    "key": lambda x: (
        x[max(range(3), key=x.__getitem__)] * x[sorted(range(3), key=x.__getitem__)[0]]
    ),
    "dict": set_beside,
    "contains": lambda x: x[0] * (3.0 if x.__contains__(2.0) else 1.0),
    "iter": lambda x: sum(v * v for v in x.__iter__()),
    "unary": lambda x: np.sum((-x).__abs__()) + np.sum(x.__neg__() * x),
    "arithmetic": lambda x: np.sum(x.__add__(2.0) * x.__sub__(x[0]).__mul__(x)),
    "reflected": lambda x: np.sum(x.__rsub__(2.0) * x.__rtruediv__(1.0) + x.__rpow__(2.0)),
    "product": lambda x: x.__matmul__(x) + np.outer(x, x).__matmul__(x)[0],
    "comparison": lambda x: np.sum(x[x.__gt__(1.7)] ** 2) + np.sum(x * x.__eq__(2.0)),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("mode", ["compiled", "tape"])
def test_what_the_operator_gives(name, mode):
    f = PROGRAMS[name]
    options = {"mode": "tape"} if mode == "tape" else {"target": "python"}
    value, g = flow.value_and_grad(f, **options)(X)
    h = 1e-6
    want = [(f(X + h * e) - f(X - h * e)) / (2 * h) for e in np.eye(3)]
    if name in ("contains", "comparison"):
        want[1] = {"contains": 0.0, "comparison": 5.0}[name]  # equal at this point only
    np.testing.assert_allclose(value, f(X), 1e-13)
    np.testing.assert_allclose(g, want, 1e-6, 1e-7)


def test_a_number_of_pythons_is_refused():
    """Its methods answer NotImplemented to an array, where the operator asks that."""
    with pytest.raises(flow.UnsupportedError, match="the method '__mul__' of a number"):
        flow.grad(lambda v: np.sum(v.__mul__(X)), target="python")(1.5)


def test_arguments_that_the_method_does_not_take():
    with pytest.raises(flow.UnsupportedError, match="missing 1 required positional argument"):
        flow.grad(lambda x: x.__getitem__() * x[0], target="python")(X)
    with pytest.raises(flow.UnsupportedError, match="no attribute '__rlt__'"):
        flow.grad(lambda x: np.sum(x.__rlt__(2.0) * x), target="python")(X)
