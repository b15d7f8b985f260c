"""Derivatives by the shapes of incomplete gamma and beta functions, against mpmath."""

import math

import mpmath as mp
import numpy as np
import pytest
from scipy import special, stats

import srcgrad as flow
from srcgrad.backends.cpu import kernels
from srcgrad.primitives.shape_integrals import beta_by_shape, gamma_by_shape, student_by_freedom

GAMMA_SHAPES = (1e-8, 1e-3, 0.3, 1.0, 2.5, 15.9, 16.1, 120.0, 3000.0)
BETA_SHAPES = (1e-6, 0.02, 0.5, 1.0, 7.3, 300.0)
TARGETS = pytest.mark.parametrize("target", ["python", "cpu"])


def places(a):
    """Arguments in both tails, about the mean and where formulas change."""
    beside = (a * (1.0 + k / math.sqrt(a)) for k in (-3.0, -0.4, 0.0, 0.1, 2.0, 6.0))
    return {x for x in (1e-200, 1e-9, 0.4, 0.999, 1.0, a + 0.99, a + 1.01, 40.0, *beside) if x > 0}


def differences(f, a):
    """The first two derivatives, in 90 digits."""
    with mp.workdps(90):
        a = mp.mpf(a)
        h = a * mp.mpf(10) ** -25
        low, here, high = f(a - h), f(a), f(a + h)
        return (high - low) / (2 * h), (high - 2 * here + low) / (h * h)


def lower_gamma(a, x):
    if x < a + 50:
        return mp.gammainc(a, 0, x, regularized=True)
    return -mp.gammainc(a, x, mp.inf, regularized=True)


def lower_beta(a, b, x, left):
    if left:
        return mp.betainc(a, b, 0, x, regularized=True)
    return -mp.betainc(b, a, 0, 1 - x, regularized=True)


@pytest.mark.parametrize("a", GAMMA_SHAPES)
def test_gamma_against_mpmath(a):
    for x in places(a):
        first, second = differences(lambda a, x=x: lower_gamma(a, mp.mpf(x)), a)
        for function in (gamma_by_shape, kernels.gamma_by_shape):
            close(function(a, x, False), first, 0.0)
            close(function(a, x, True), second, 1e-13 * abs(first) / min(a, a**0.5))


@pytest.mark.parametrize("at", BETA_SHAPES)
@pytest.mark.parametrize("b", BETA_SHAPES)
def test_beta_against_mpmath(at, b):
    for x in (1e-200, 1e-9, 0.01, 0.4, at / (at + b), 0.97, 1.0 - 2.0**-40):
        y = 1.0 - x
        if 0.0 < y < 1.0:
            want, _ = differences(lambda a, x=x: lower_beta(a, b, mp.mpf(x), x < at / (at + b)), at)
            close(beta_by_shape(at, b, x, y), want, 0.0)
            close(kernels.beta_by_shape(at, b, x, y), want, 0.0)


@pytest.mark.parametrize("freedom", [1e-3, 0.7, 1.0, 4.0, 33.3, 1e4])
def test_student_against_mpmath(freedom):
    for t in (-1e3, -2.5, -1e-3, 0.4, 1.0, 7.0, 1e6):

        def lower(a, t=t):
            tail = mp.betainc(a / 2, mp.mpf(1) / 2, 0, a / (a + mp.mpf(t) ** 2), regularized=True)
            return tail / 2 if t < 0 else -tail / 2

        want, _ = differences(lower, freedom)
        for function in (student_by_freedom, kernels.student_by_freedom):
            close(function(freedom, t), want, 1e-14 * abs(want) * max(1.0, freedom))


def close(got, want, around):
    """Relative to mpmath's value, or to the size of the terms whose sum crosses 0."""
    if abs(want) > 1e-290:
        assert abs(got - want) <= 2e-11 * abs(want) + around, (got, want)


@pytest.mark.parametrize("a", [1e5, 1e8, 1e11])
def test_large_shapes(a):
    """The density there is normal to 1 / sqrt(a): mpmath's quadrature has it."""
    root, mean = mp.sqrt(a), mp.digamma(a)
    for k in (-5.0, -0.3, 0.1, 3.0):
        x = a + k * math.sqrt(a)
        side = -1 if k < 0 else 1
        ends = [x + side * j * root for j in (0, 1, 2, 4, 8, 12)]
        with mp.workdps(40):

            def part(t):
                weight = mp.exp((a - 1) * mp.log(t) - t - mp.loggamma(a))
                return weight * (mp.log(t) - mean)

            want = -mp.quad(part, ends)
        assert abs(gamma_by_shape(a, x, False) - want) <= 1e-10 * abs(want)


@TARGETS
def test_edges(target):
    f = flow.grad(flow.compile(lambda a, x: special.gammainc(a, x), target=target))
    for a, x in ((0.5, 0.0), (2.0, 0.0), (3.0, math.inf)):
        assert f(a, x) == 0.0
    for a, x in ((-1.0, 1.0), (1.0, -1.0), (math.nan, 1.0), (1.0, math.nan), (0.0, 0.0)):
        assert math.isnan(f(a, x))
    np.testing.assert_allclose(f(0.0, 0.7), -special.exp1(0.7), rtol=1e-13)
    g = flow.grad(flow.compile(lambda a, b, x: special.betainc(a, b, x), target=target), (0, 1))
    assert g(2.0, 3.0, 0.0) == g(2.0, 3.0, 1.0) == (0.0, 0.0)
    for at in ((-1.0, 1.0, 0.5), (1.0, 1.0, math.nan)):
        assert np.isnan(g(*at)).all()
    # where a shape is at the end of its domain the value is one number for each of the other
    assert str(g(1.0, 0.0, 0.5)) == "(0.0, nan)" and g(math.inf, 1.0, 0.5) == (0.0, 0.0)
    t = flow.grad(flow.compile(lambda a, t: special.stdtr(a, t), target=target))
    assert t(2.0, 0.0) == t(2.0, math.inf) == t(2.0, -math.inf) == t(0.5, -1e200) == 0.0
    assert math.isnan(t(-1.0, 0.3)) and math.isnan(t(2.0, math.nan))
    q = flow.grad(flow.compile(lambda a, p: special.stdtrit(a, p), target=target))
    assert q(2.0, 0.5) == q(2.0, 1.0) == 0.0
    h = flow.grad(flow.compile(lambda a, p: special.gammaincinv(a, p), target=target))
    assert h(2.0, 0.0) == h(0.5, 0.0) == 0.0
    np.testing.assert_allclose(h(1e-3, 0.01), 0.0, atol=1e-300)  # the quantile underflows


# distribution functions, with the position of the shape that they are differentiated by
BY_SHAPE = {
    "gamma.cdf": (stats.gamma.cdf, (1.3, 2.2), 1), "gamma.sf": (stats.gamma.sf, (1.3, 2.2), 1),
    "gamma.ppf": (stats.gamma.ppf, (0.3, 2.2), 1), "gamma.isf": (stats.gamma.isf, (0.3, 2.2), 1),
    "chi2.cdf": (stats.chi2.cdf, (1.3, 2.2), 1), "chi2.ppf": (stats.chi2.ppf, (0.3, 2.2), 1),
    "chi2.logsf": (stats.chi2.logsf, (1.3, 2.2), 1), "chi2.isf": (stats.chi2.isf, (0.3, 2.2), 1),
    "t.cdf": (stats.t.cdf, (1.3, 2.2), 1), "t.sf": (stats.t.sf, (-1.3, 2.2), 1),
    "t.ppf": (stats.t.ppf, (0.3, 2.2), 1), "t.isf": (stats.t.isf, (0.3, 2.2), 1),
    "invgamma.cdf": (stats.invgamma.cdf, (1.3, 2.2), 1),
    "beta.cdf": (stats.beta.cdf, (0.3, 2.2, 0.7), 1),
    "beta.sf": (stats.beta.sf, (0.3, 2.2, 0.7), 2),
    "beta.ppf": (stats.beta.ppf, (0.3, 2.2, 0.7), 2), "f.cdf": (stats.f.cdf, (1.3, 2.2, 3.7), 1),
    "f.ppf": (stats.f.ppf, (0.3, 2.2, 3.7), 1), "f.isf": (stats.f.isf, (0.3, 2.2, 3.7), 2),
    "invgamma.ppf": (stats.invgamma.ppf, (0.3, 2.2), 1),
    "invgamma.isf": (stats.invgamma.isf, (0.3, 2.2), 1),
    "f.sf": (stats.f.sf, (1.3, 2.2, 3.7), 2), "nbinom.cdf": (stats.nbinom.cdf, (3, 2.2, 0.4), 1),
    "chdtr": (special.chdtr, (2.2, 1.3), 0), "chdtrc": (special.chdtrc, (2.2, 1.3), 0),
}  # fmt: skip


@TARGETS
@pytest.mark.parametrize("name", BY_SHAPE)
def test_distributions_by_their_shapes(name, target):
    f, at, k = BY_SHAPE[name]
    h = 1e-3

    def moved(steps):
        return float(f(*at[:k], at[k] + steps * h, *at[k + 1 :]))

    want = (8 * (moved(1) - moved(-1)) - moved(2) + moved(-2)) / (12 * h)
    got = flow.grad(lambda *args: f(*args), k, target=target)(*at)
    np.testing.assert_allclose(got, want, rtol=1e-8)
