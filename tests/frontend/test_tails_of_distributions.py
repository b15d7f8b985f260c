"""Distributions of scipy.stats far from their middle: digits of small probabilities, infinity."""

import math

import numpy as np
import pytest
from scipy import special, stats

import srcgrad as flow

TINY = np.array([1e-20, 1e-12, 1e-9, 0.3])
FAR = np.array([0.5, 40.0, 1e6, 1e10])
NEAR = np.array([1.0, 1.0 + 1e-14, 1.0 + 1e-9, 3.0])
# calls of x and q, with what they are in closed form
CALLS = {
    "beta": (lambda q: stats.beta.isf(q, 1.0, 4.5), TINY, lambda q: 1.0 - q ** (1 / 4.5)),
    "beta, turned": (lambda q: stats.beta.ppf(1.0 - q, 4.5, 1.0), TINY,
                     lambda q: np.exp(np.log1p(-q) / 4.5)),
    "beta, below": (lambda q: stats.beta.ppf(q, 2.5, 1.0), TINY, lambda q: q**0.4),
    "f": (lambda q: stats.f.isf(q, 2.0, 3.0), TINY, lambda q: 1.5 * np.expm1(-np.log(q) / 1.5)),
    "f, near 1": (lambda q: stats.f.ppf(1.0 - q, 2.0, 3.0), TINY[2:],
                  lambda q: 1.5 * np.expm1(-np.log(1.0 - (1.0 - q)) / 1.5)),
    "f, below": (lambda q: stats.f.ppf(q, 2.0, 3.0), TINY,
                 lambda q: 1.5 * np.expm1(-np.log1p(-q) / 1.5)),
    "f, near 0": (lambda q: stats.f.isf(1.0 - q, 2.0, 3.0), TINY[2:],
                  lambda q: 1.5 * np.expm1(-np.log1p(-(1.0 - (1.0 - q))) / 1.5)),
    "cauchy": (lambda x: stats.cauchy.cdf(-x), FAR, lambda x: np.arctan(1.0 / x) / math.pi),
    "cauchy, above": (lambda x: stats.cauchy.sf(x), FAR, lambda x: np.arctan(1.0 / x) / math.pi),
    "halfcauchy": (lambda x: stats.halfcauchy.sf(x), FAR,
                   lambda x: 2.0 * np.arctan(1.0 / x) / math.pi),
    "pareto": (lambda x: stats.pareto.cdf(x, 2.5), NEAR, lambda x: -np.expm1(-2.5 * np.log(x))),
    "skewnorm": (lambda x: stats.skewnorm.sf(x, 8.0), np.array([6.0, 9.0, 20.0]),
                 lambda x: 2.0 * special.ndtr(-x)),
    "nbinom": (lambda k: stats.nbinom.sf(k, 1.0, 0.4), np.array([3.0, 60.0, 200.0]),
               lambda k: 0.6 ** (k + 1.0)),
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("target", ["python", "cpu"])
def test_small_probabilities_have_all_digits(call, target):
    f, x, exact = call
    np.testing.assert_allclose(flow.compile(f, target=target)(x), exact(x), rtol=1e-9)


@pytest.mark.parametrize("name", [n for n in CALLS if n != "nbinom"])
def test_their_derivatives_too(name):
    f, x, exact = CALLS[name]
    x = x[1:] if name == "pareto" else x
    got = flow.elementwise_grad(flow.compile(f, target="python"))(x)
    want = flow.elementwise_grad(flow.compile(exact, target="python"))(x)
    np.testing.assert_allclose(got, want, rtol=1e-7)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_at_infinity_and_at_both_zeros(target):
    ends = np.array([-np.inf, -0.0, 0.0, np.inf])

    def below(x, a, b):
        return stats.f.cdf(x, a, b), stats.invgamma.cdf(x, a), stats.gamma.cdf(x, a)

    def above(x, a, b):
        return stats.f.sf(x, a, b), stats.invgamma.sf(x, a), stats.gamma.sf(x, a)

    for f in (below, above):
        for got, want in zip(
            flow.compile(f, target=target)(ends, 0.5, 1.5), f(ends, 0.5, 1.5), strict=True
        ):
            np.testing.assert_array_equal(got, want)
    gradients = flow.grad(
        flow.compile(lambda x, a, b: sum(map(np.sum, below(x, a, b))), target=target), (1,)
    )(ends, 2.5, 1.5)
    np.testing.assert_array_equal(gradients, 0.0)


def test_moments_have_double_precision():
    def f(m, s):
        return stats.norm.mean(m, s), stats.norm.var(m, s), stats.gamma.std(s, scale=s)

    given = np.float32(1.5), np.float32(0.5)
    for got, want in zip(flow.compile(f, target="python")(*given), f(*given), strict=True):
        assert got.dtype == want.dtype == np.float64
        np.testing.assert_allclose(got, want)


ENDS = np.array([-np.inf, -1e200, -1.5, -0.0, 0.0, 0.4, 2.0, 1e200, np.inf])
AT_ENDS = {
    "rayleigh": lambda x: (stats.rayleigh.pdf(x), stats.rayleigh.logpdf(x)),
    "skewnorm": lambda x: (stats.skewnorm.pdf(x, 0.0), stats.skewnorm.logpdf(x, 2.5)),
    "t of infinite degree": lambda x: (stats.t.pdf(x, np.inf), stats.t.logpdf(x, np.inf)),
    "t, of its degree": lambda x: (stats.t.pdf(0.5, np.abs(x) + 0.5),),
    "cauchy": lambda x: (stats.cauchy.pdf(x), stats.cauchy.logpdf(x), stats.cauchy.ppf(x)),
    "inverses": lambda x: (stats.cauchy.isf(x), stats.pareto.isf(x, 1.0), stats.halfcauchy.isf(x)),
}  # fmt: skip


@pytest.mark.parametrize("f", AT_ENDS.values(), ids=AT_ENDS)
@pytest.mark.parametrize("target", ["python", "cpu"])
def test_densities_and_inverses_at_the_ends(f, target):
    for got, want in zip(flow.compile(f, target=target)(ENDS), f(ENDS), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_densities_have_derivatives_at_infinity(target):
    def loss(x, a, loc, scale):
        return np.sum(
            stats.rayleigh.pdf(x, loc, scale) + stats.skewnorm.pdf(x, a, loc, scale)
            + stats.cauchy.pdf(x, loc, scale) + stats.t.pdf(x, a, loc, scale)
        )  # fmt: skip

    gradients = flow.grad(flow.compile(loss, target=target), (0, 1, 2, 3))(
        np.array([-np.inf, np.inf]), 2.5, 0.5, 2.0
    )
    for g in gradients:
        np.testing.assert_array_equal(g, 0.0)


def test_a_skew_that_is_not_finite_gives_nan():
    def f(x, a):
        return stats.skewnorm.pdf(x, a), stats.skewnorm.cdf(x, a), stats.skewnorm.logsf(x, a)

    compiled = flow.compile(f, target="python")
    for a in (np.inf, -np.inf, np.nan):
        assert all(np.isnan(v).all() for v in (*compiled(ENDS, a), *f(ENDS, a)))
