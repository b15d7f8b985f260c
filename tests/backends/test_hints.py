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
