"""`mode="tape"` on arrays: what would lose a gradient is refused, and the ways out work."""

import math
import statistics

import numpy as np
import pytest
import scipy.linalg
import scipy.special

import srcgrad as flow

X = np.array([0.7, 1.3, 0.4, 2.1])
PLAIN = np.zeros(4)


def plain_store(x):
    PLAIN[0] = x[0]
    return np.sum(PLAIN)


def plain_store_of_a_row(x):
    PLAIN[:] = x * 2.0
    return np.sum(PLAIN)


def plain_in_place(x):
    a = PLAIN
    a += x
    return np.sum(a)


def plain_out(x):
    a = PLAIN
    np.add(a, x, out=a)
    return np.sum(a)


def plain_copyto(x):
    a = PLAIN
    np.copyto(a, x)
    return np.sum(a)


def plain_replaced(x):
    a = PLAIN
    np.nan_to_num(a, copy=False, nan=x[0])
    return np.sum(a)


def caught(x):
    try:
        return float(x[0])
    except TypeError:
        return x[0] * 0.0


COUNT = 0


def counted(x):
    global COUNT
    COUNT += 1
    out = np.zeros(4)  # a function that binds global names keeps its globals
    out[0] = x[0]
    return np.sum(out)


class Unmoved:
    """Methods of a class that is not made in the function keep their globals."""

    @staticmethod
    def sine(v):
        return math.sin(v)

    @staticmethod
    def array(v):
        return np.array(v)


def through_ctypes(x):
    return x[0] * x.ctypes.data


LOSING = [
    plain_store, plain_store_of_a_row, plain_in_place, plain_out, plain_copyto, plain_replaced,
    caught, through_ctypes, lambda x: float(x[0]) * x[1], lambda x: Unmoved.sine(x[0]),
    lambda x: Unmoved.array([x[0], x[1]]).sum(), counted,
    lambda x: np.float64(x[0]), lambda x: complex(x[0]).real,
    lambda x: np.fromiter((v for v in x), float).sum(), lambda x: np.sum(x.view(np.int64)) * x[0],
    lambda x: scipy.special.mathieu_a(1, x[0]), lambda x: np.histogramdd(x).sum(),
    lambda x: np.vectorize(lambda v: v * 2.0)(x).sum(),
    lambda x: np.random.default_rng(0).normal(x[0]), lambda x: x[0] * round(float(x[1])),
    lambda x: (x[0] + 1j).real, lambda x: statistics.mean(x), lambda x: x[0].hex(),
    lambda x: np.add.reduce(x, out=PLAIN[:1].reshape(())), lambda x: bytes(x),
    lambda x: np.interp(0.5, [0.0, 1.0], [x[0], x[1]]) + np.array(x, dtype=object).sum(),
]  # fmt: skip


@pytest.mark.parametrize("f", LOSING, ids=range(len(LOSING)))
def test_what_would_lose_a_gradient_is_refused(f):
    with pytest.raises((flow.UnsupportedError, TypeError)) as caught:
        flow.grad(f, mode="tape")(X)
    error = caught.value
    if isinstance(error, flow.UnsupportedError):
        assert error.location.file == __file__


def filled(x):
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[i] ** 2
    return out


def of_complex_numbers(x):
    return np.abs(np.exp(1j * x) + x[0])


sine, solve = (
    flow.compile(math.sin, target="python"),
    flow.compile(scipy.linalg.solve, target="python"),
)
stored = flow.compile(filled, target="python")
modulus = flow.compile(of_complex_numbers, target="python")
WAYS_OUT = [
    lambda x: sine(x[0]) * x[1], lambda x: solve(np.outer(x, x) + np.eye(4), x).sum(),
    lambda x: stored(x)[1:].sum() * x[0], lambda x: modulus(x).sum(),
    lambda x: np.sin(x[0]), lambda x: np.stack([x[0], x[1]]).sum(), lambda x: x[0].item() * 2.0,
    lambda x: np.array([x[0], x[1]], like=x).sum(), lambda x: np.asarray(x, like=x).sum(),
    lambda x: sum(v * v for v in x.tolist()), lambda x: int(x[3]) * x[0] + math.floor(x[1]) * x[2],
    lambda x: x[np.argsort(x)[1]] * (1.0 if x[0] > 0.5 else 2.0) + x[int(x[1])],
    lambda x: x[0] * len(f"{x[0]:.3f}"), lambda x: np.ascontiguousarray(x[::2], like=x).sum(),
]  # fmt: skip


@pytest.mark.parametrize("f", WAYS_OUT, ids=range(len(WAYS_OUT)))
def test_the_ways_out(f):
    g = flow.grad(f, mode="tape")(X)
    h = 1e-6
    plain = [(f(X + h * e) - f(X - h * e)) / (2 * h) for e in np.eye(4)]
    np.testing.assert_allclose(g, plain, 1e-6, 1e-7)


def test_what_is_stopped_is_converted():
    def f(x):
        known = flow.stop_gradient(x)
        known[0] = 3.0
        return (
            float(flow.stop_gradient(x[0])) * x[1]
            + np.asarray(known).sum() * x[0]
            + known[0] * x[2]
        )

    want = [3.0 + X[1:].sum(), X[0], 3.0, 0.0]
    np.testing.assert_allclose(flow.grad(f, mode="tape")(X), want)


def test_a_step_has_no_gradient_and_warns_of_nothing():
    assert flow.grad(lambda x: x * 0.0 + round(x), mode="tape")(1.3) == 0.0


def test_the_same_memory_passed_twice_may_not_be_stored_to():
    def f(x, y):
        x[0] = y[1] * 2.0
        return np.sum(x * y)

    with pytest.raises(flow.UnsupportedError, match="share memory"):
        flow.grad(f, (0, 1), mode="tape")(X, X)
    flow.grad(lambda x, y: np.sum(x * y), (0, 1), mode="tape")(X, X)
    x, y = flow.grad(f, (0, 1), mode="tape")(X, X.copy())
    np.testing.assert_allclose(x[0], 0.0)
    np.testing.assert_allclose(y[0], 2.0 * X[1])
