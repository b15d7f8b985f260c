"""The adjoint of a value with which an inner loop only begins is that loop's."""

import numpy as np
import pytest

import srcgrad as flow


def nested(x):
    total = 0.0
    for q in range(x.shape[0]):
        s = x[q, 0, 0]
        for k in range(x.shape[1]):
            for j in range(x.shape[2]):
                s += x[q, k, j] * x[q, k, j]
        total += np.sin(s)
    return total


def read_as_well(x):
    """The value with which a loop begins is read in it, after it, and passed on by it."""
    s, r = x[0], x[1]
    for _ in range(3):
        a = s * r
        b = a
        for _ in range(2):
            s, b = b * a, a
        r = r + s * a + b
    return r


def test_no_zero_is_added():
    g = flow.grad(flow.compile(nested, target="loops"))
    g(np.ones((2, 3, 4)))
    assert "0.0 + " not in g.source("numba")


@pytest.mark.parametrize("f", [nested, read_as_well])
def test_gradient(f):
    x = np.random.default_rng(0).standard_normal((2, 3, 2)) if f is nested else np.array([0.4, 0.7])
    g = flow.grad(flow.compile(f, target="python"))(x)
    step = 1e-6
    for at in np.ndindex(x.shape):
        e = np.zeros(x.shape)
        e[at] = step
        assert g[at] == pytest.approx((f(x + e) - f(x - e)) / (2 * step), abs=1e-8)
