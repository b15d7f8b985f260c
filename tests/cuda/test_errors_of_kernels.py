"""Errors on the simulated device: the class, text and line that they have on the cpu."""

import numpy as np
import pytest
import scipy.linalg
import scipy.special

import srcgrad as flow
from srcgrad.errors import BoundsError, RaisedError
from tests.cuda.checks import at


def gathered(x, places):
    y = x[places]
    return np.sum(y * y)


def raising(x):
    for i in flow.prange(len(x)):
        if x[i] < 0.0:
            raise ValueError(f"negative: {x[i]} at {i}")
    return np.sum(np.sqrt(x))


@pytest.mark.parametrize(
    ("fn", "args", "kind", "line"),
    [
        (gathered, (np.ones(3), np.array([0, 5, 1])), BoundsError, "x[places]"),
        (gathered, (np.ones(0), np.array([0])), BoundsError, "x[places]"),
        (raising, (np.array([1.0, 2.0, -3.5]),), RaisedError, "raise"),
    ],
)
def test_a_check_that_fails_in_a_kernel(fn, args, kind, line):
    errors = []
    for target in ("cuda", "cpu"):
        with pytest.raises(Exception) as found:
            flow.grad(fn, target=target)(*args)
        errors.append(found.value)
    mine, reference = errors
    assert type(mine) is type(reference) and str(mine) == str(reference)
    assert mine.location.line == at(fn, line)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8])
def test_integers_divided_by_zero_are_numpys(dtype):
    x, y = np.arange(4).astype(dtype), np.array([1, 0, 2, 0], dtype)

    def quotients(x, y):
        return x // y, x % y, *np.divmod(x, y), x // 0

    with np.errstate(all="ignore"):
        want = quotients(x, y)
    for got, expected in zip(flow.compile(quotients, target="cuda")(x, y), want, strict=True):
        assert got.dtype == expected.dtype and got.tolist() == expected.tolist()


def test_a_python_number_divided_by_zero_is_an_error():
    def f(x, k):
        y = np.zeros(len(x))
        for i in flow.prange(len(x)):
            y[i] = x[i] + i // k
        return y

    with pytest.raises(ZeroDivisionError) as found:
        flow.compile(f, target="cuda")(np.ones(3), 0)
    assert found.value.location.line == at(f, "i // k")


def test_a_store_to_a_read_only_argument():
    def f(x, y):
        y *= 2.0
        x[1:] = y[1:]

    x, y = np.zeros(3), np.ones(3)
    x.flags.writeable = False
    errors = []
    for target in ("cuda", "cpu"):
        with pytest.raises(ValueError, match="read-only") as found:
            flow.compile(f, target=target)(x, y)
        errors.append((str(found.value), found.value.location.line))
        assert not x.any() and y.tolist() == [1, 1, 1]
    assert errors[0] == errors[1] and errors[0][1] == at(f, "x[1:]")


def test_nothing_runs_after_a_failure():
    """The index that failed is not used, nor is what the kernel would have made."""

    def f(x, places, y):
        z = x[places]
        y[...] = 1.0
        return z

    y = np.zeros(3)
    with pytest.raises(IndexError):
        flow.compile(f, target="cuda")(np.ones(3), np.array([0, 9, 1]), y)
    assert not y.any()


@pytest.mark.parametrize(
    ("f", "a"),
    [
        (np.linalg.solve, np.zeros((2, 2))),
        (np.linalg.cholesky, -np.eye(2)),
        (np.argmax, np.zeros(0)),
        (scipy.linalg.solve_triangular, np.diag([1.0, 0.0])),
    ],
)
def test_errors_of_the_library_are_those_of_the_cpu(f, a):
    def of_two(a):
        return f(a, a[0])

    fn = of_two if "solve" in f.__name__ else lambda a: f(a)
    errors = []
    for target in ("cuda", "cpu"):
        with pytest.raises(Exception) as found:
            flow.compile(fn, target=target)(a)
        errors.append((type(found.value), str(found.value)))
    assert errors[0] == errors[1]
