"""Loops of known trips that LLVM leaves to its vectoriser, and those that it may unroll."""

import numpy as np
import pytest

import srcgrad as flow


def rows(x):
    s = 0.0
    for i in range(len(x)):
        for j in range(8):
            s += x[i, j] * x[i, j]
    return s


def short(x):
    s = 0.0
    for i in range(len(x)):
        for j in range(7):
            s += x[i, j] * x[i, j]
    return s


def recurrence(x):
    s = 0.0
    for i in range(len(x)):
        for j in range(8):
            s = np.sin(s) + x[i, j]
    return s


def hints(f, dtype="f8"):
    g = flow.compile(f)
    x = np.linspace(0.0, 1.0, 48).astype(dtype).reshape(3, 16)
    np.testing.assert_allclose(g(x), f(x), rtol=1e-5)
    return g.source("llvm").count("!llvm.loop")


@pytest.mark.parametrize(
    ("f", "dtype", "found"),
    [(rows, "f8", 1), (rows, "f4", 0), (short, "f8", 0), (recurrence, "f8", 0)],
)
def test_a_loop_that_fills_a_vector_is_not_unrolled(f, dtype, found):
    assert hints(f, dtype) == found


def turned(x, y):
    out = np.empty((22, 2))
    a = np.empty(22)
    a[0] = x
    for i in range(1, 22):
        a[i] = a[i - 1] + x
    out[:, 0] = a[::-1]
    out[:, 1] = a
    for i in range(1, 22):
        out[i, 0] = out[i - 1, 0] * out[i, 1] + y
    return np.sum(out * out)


def test_a_loop_of_few_trips_that_goes_backwards_has_a_width():
    g = flow.compile(turned)
    np.testing.assert_allclose(g(0.1, 0.2), turned(0.1, 0.2), rtol=1e-12)
    assert "!llvm.loop !3" in g.source("llvm")
    _, slope = flow.jvp(turned, (0.1, 0.2), (1.0, -0.5))
    (first, second) = flow.grad(turned, grad_position=(0, 1))(0.1, 0.2)
    np.testing.assert_allclose(slope, first - 0.5 * second, rtol=1e-12)
