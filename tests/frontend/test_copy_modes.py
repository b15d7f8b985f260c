"""`copy=` of NumPy's functions that make arrays: a truth value, None, or one of NumPy's enum."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import srcgrad as flow

X = np.array([0.3, 0.4, 0.5, 0.6])
MODE = np._CopyMode
MODES = [True, False, None, MODE.ALWAYS, MODE.NEVER, MODE.IF_NEEDED]
CALLS = {
    "array": lambda x, c: np.array(x, copy=c),
    "array of a list": lambda x, c: np.array([x[0], x[1]], copy=c),
    "array of a known list": lambda x, c: x[:2] * np.array([2.0, 3.0], copy=c),
    "array of another dtype": lambda x, c: np.array(x, dtype=np.complex128, copy=c).real,
    "asarray": lambda x, c: np.asarray(x, copy=c),
    "asarray of a tuple": lambda x, c: np.asarray((x[0], 2.0), copy=c),
    "asarray of another dtype": lambda x, c: np.asarray(x, dtype=np.complex128, copy=c).real,
    "astype": lambda x, c: x.astype(np.float64, copy=c),
    "reshape": lambda x, c: np.reshape(x, (2, 2), copy=c),
    "method reshape": lambda x, c: x.reshape(2, 2, copy=c),
}


@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("name", CALLS)
def test_modes(name, mode):
    def f(x):
        return np.sum(CALLS[name](x, mode) ** 2)

    compiled = flow.value_and_grad(flow.compile(f, target="python"))
    try:
        wanted = f(X)
    except ValueError as e:
        with pytest.raises(ValueError, match=str(e).partition(".")[0]):
            compiled(X)
        return
    value, gradient = compiled(X)
    assert_allclose(value, wanted, rtol=1e-15)
    steps = 1e-6 * np.eye(4)
    assert_allclose(gradient, [(f(X + s) - f(X - s)) / 2e-6 for s in steps], rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_copy_shares_no_memory(mode):
    def f(x):
        z = x * 2.0
        y = np.array(z, copy=mode)
        y[0] = 5.0
        return np.sum(z**2) + y[1]

    for target in ("python", "cpu"):
        value, gradient = flow.value_and_grad(flow.compile(f, target=target))(X)
        assert_allclose(value, f(X), rtol=1e-15)
        first = 8.0 * X[0] if mode in (True, MODE.ALWAYS) else 0.0
        assert_allclose(gradient, [first, 8.0 * X[1] + 2.0, 8.0 * X[2], 8.0 * X[3]])


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("dtype", [None, float])
def test_arrays_that_are_copied_into_another_order(dtype, target):
    """A store to one leaves the array alone that it is made of."""

    def f(x):
        rows = np.array(x.T, dtype, copy=None, order="C")
        columns = np.array(x, dtype, copy=None, order="F")
        rows[0] = 2.0
        columns[0] = 3.0
        return np.sum(rows * x.T) + np.sum(columns * columns * x)

    x = np.arange(12.0).reshape(3, 4)
    c = flow.compile(f, target=target)
    assert c(x.copy()) == f(x.copy())
    steps = 1e-3 * np.eye(12).reshape(12, 3, 4)
    differences = [(f(x + s) - f(x - s)) / 2e-3 for s in steps]
    assert_allclose(flow.grad(c)(x).ravel(), differences, rtol=1e-3, atol=1e-3)


def test_array_that_is_in_the_order_already_is_itself():
    def f(x):
        y = np.array(x, copy=None, order="C")
        y[0] = 2.0
        return np.sum(y * x)

    x = np.arange(12.0).reshape(3, 4)
    assert flow.compile(f, target="python")(x.copy()) == f(x.copy())
