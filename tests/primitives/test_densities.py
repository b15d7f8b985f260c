"""Derivatives of the incomplete gamma and beta functions, at the ends and against mpmath."""

import mpmath as mp
import numpy as np
import pytest
from scipy import special

import srcgrad as flow

# density of the gamma distribution at 0: x**(a - 1) exp(-x) / gamma(a), and its two derivatives
GAMMA = {1.0: (1.0, -1.0, 1.0), 2.0: (0.0, 1.0, -2.0), 3.0: (0.0, 0.0, 1.0), 4.0: (0.0, 0.0, 0.0)}
# of the beta distribution at 0: x**(a - 1) (1 - x)**(b - 1) / B(a, b)
BETA = {
    (1.0, 2.0): (2.0, -2.0, 0.0), (2.0, 2.0): (0.0, 6.0, -12.0), (2.0, 3.0): (0.0, 12.0, -48.0),
    (3.0, 2.0): (0.0, 0.0, 24.0),
}  # fmt: skip
PLACES = [1e-300, 1e-12, 2.0**-10, 0.01, 0.3, 0.5, 0.9, 1 - 2.0**-10, 1 - 1e-9]
SHAPES = [(0.5, 0.5), (2.0, 3.0), (30.0, 700.0), (500.0, 500.0), (1e4, 3.0), (1e-3, 2.0)]


def derivatives(f, x):
    made, found = flow.compile(f, target="python"), []
    for _ in range(3):
        made = flow.grad(made)
        found.append(made(x))
    return found


@pytest.mark.parametrize("a", GAMMA)
def test_gamma_at_zero(a):
    np.testing.assert_allclose(derivatives(lambda x: special.gammainc(a, x), 0.0), GAMMA[a])
    upper = derivatives(lambda x: special.gammaincc(a, x), 0.0)
    np.testing.assert_allclose(upper, -np.array(GAMMA[a]))


@pytest.mark.parametrize(("a", "b"), BETA)
def test_beta_at_both_ends(a, b):
    want = np.array(BETA[a, b])
    at_zero = derivatives(lambda x: special.betainc(a, b, x), 0.0)
    np.testing.assert_allclose(at_zero, want, rtol=1e-13)
    mirrored = derivatives(lambda x: special.betainc(b, a, x), 1.0)
    np.testing.assert_allclose(mirrored, want * (1, -1, 1), rtol=1e-13, atol=1e-13)


def close(got, want):
    """Relative to mpmath's value, where a double holds that."""
    tiny, huge = np.finfo(float).tiny, np.finfo(float).max
    if tiny < abs(want) < huge:
        assert abs(got - want) <= 2e-11 * abs(want)


@pytest.mark.parametrize("x", PLACES)
@pytest.mark.parametrize(("a", "b"), SHAPES)
def test_beta_inside(a, b, x):
    first, second, third = derivatives(lambda x: special.betainc(a, b, x), x)
    x, s, t = mp.mpf(x), mp.mpf(a) - 1, mp.mpf(b) - 1
    want = x**s * (1 - x) ** t / mp.beta(a, b)
    slope = s / x - t / (1 - x)  # of its logarithm
    close(first, want)
    close(second, want * slope)
    bend = s * (s - 1) / x**2 - 2 * s * t / (x * (1 - x)) + t * (t - 1) / (1 - x) ** 2
    close(third, want * bend)


@pytest.mark.parametrize("x", [1e-300, 1e-12, 0.5, 1.0, 2.0, 100.0, 499.0, 600.0])
@pytest.mark.parametrize("a", [1e-3, 0.5, 2.0, 30.0, 500.0, 1e4])
def test_gamma_inside(a, x):
    first, second, third = derivatives(lambda x: special.gammainc(a, x), x)
    x, s = mp.mpf(x), mp.mpf(a) - 1
    want = x**s * mp.exp(-x) / mp.gamma(a)
    slope = s / x - 1  # of its logarithm
    close(first, want)
    close(second, want * slope)
    close(third, want * (s * (s - 1) / x**2 - 2 * s / x + 1))
