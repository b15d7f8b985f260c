"""`approx_fprime`: SciPy's quotients, and their derivatives."""

import numpy as np
import pytest
from scipy import optimize

import srcgrad as flow

X = np.array([0.7, -1.3, 2e9])


def cubes(x, k):
    return np.sum(k * x**3)


def several(x, k):
    return np.stack((x[0] * x[1] * k, np.sin(x[1]), x[0] ** 2, x[2]))


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", [cubes, several, lambda x, k: x[:1] * x[1] * k])
@pytest.mark.parametrize("step", [(), (1e-6,), (np.array([1e-6, -1e-6, 1e-9]),)])
def test_quotients_are_those_of_scipy(f, step, target):
    step = step or (1.4901161193847656e-08,)
    g = lambda x: optimize.approx_fprime(x, f, *step, 2.0)
    want = g(X)
    found = flow.compile(g, target=target)(X)
    assert found.shape == want.shape
    np.testing.assert_allclose(found, want, rtol=1e-12, atol=1e-7)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_derivatives(target):
    x, w = np.array([0.7, -1.3]), np.array([1.0, 2.0])
    g = lambda x, k: np.sum(w * optimize.approx_fprime(x, cubes, 1e-5, k))
    by_x, by_k = flow.grad(g, (0, 1), target=target)(x, 2.0)
    np.testing.assert_allclose(by_x, 12.0 * w * x, rtol=1e-4)
    np.testing.assert_allclose(by_k, np.sum(3.0 * w * x**2), rtol=1e-4)
    forward = flow.jvp(g, (x, 2.0), (w, None))[1]
    np.testing.assert_allclose(forward, np.sum(by_x * w), rtol=1e-9)


def test_a_number_and_single_precision():
    for x in (0.5, np.array([0.5, 1.0], np.float32), [1, 2]):
        g = lambda x: optimize.approx_fprime(x, lambda v: np.sum(np.sin(v)))
        want, found = g(x), flow.compile(g)(x)
        assert (found.dtype, found.shape) == (want.dtype, want.shape)
        np.testing.assert_allclose(found, want, rtol=1e-7)


def test_refused():
    with pytest.raises(NotImplementedError, match="approx_fprime of complex numbers"):
        flow.compile(lambda x: optimize.approx_fprime(x * 1j, lambda v: np.sum(abs(v))))(X)
    with pytest.raises(ValueError, match="at most 1 dimension"):
        flow.compile(lambda x: optimize.approx_fprime(np.outer(x, x), np.sum))(X)
    with pytest.raises(RuntimeError, match="more than 1 dimension"):
        flow.compile(lambda x: optimize.approx_fprime(x, lambda v: np.outer(v, v)))(X)
