"""Distributions of scipy.stats by their formulae, each for the standard form: location 0, scale 1.

Continuous ones: the logarithm of the density, the distribution function F, log F, 1 - F,
log(1 - F), the inverse of F. Discrete ones: the logarithm of the probability of k, F and 1 - F.
Formulae: Johnson, Kotz, Balakrishnan, "Continuous univariate distributions"; Johnson, Kemp, Kotz,
"Univariate discrete distributions". Others are refused by name.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special, stats

from srcgrad.records import record

LOG_ROOT_TWO_PI = 0.5 * math.log(2.0 * math.pi)


@record(frozen=True)
class Distribution:
    """The functions of a distribution; they take z and the shapes. None: not here."""

    of: Any  # SciPy's object
    shapes: tuple[str, ...]
    log: Callable  # the logarithm of density or probability, where z is in the support
    cdf: Callable | None = None
    sf: Callable | None = None  # 1 - F; by default computed as that
    logcdf: Callable | None = None
    logsf: Callable | None = None
    ppf: Callable | None = None
    isf: Callable | None = None  # the inverse of 1 - F; by default ppf(1 - q)
    support: Callable = lambda z, *shapes: z == z
    valid: Callable = lambda *shapes: True
    low: float = -math.inf  # the ends of the support, for F
    high: float = math.inf


def positive(*shapes: Any) -> Any:
    """Whether all shapes are positive.

    >>> bool(positive(1.0, -1.0))
    False
    """
    good: Any = True
    for s in shapes:
        good = good & (s > 0.0)
    return good


def _normal(z: Any) -> Any:
    return -0.5 * z * z - LOG_ROOT_TWO_PI


def _t(z: Any, df: Any) -> Any:
    normal = df == np.inf
    df = np.where(normal, 1.0, df)
    norm = special.betaln(0.5 * df, 0.5) + 0.5 * np.log(df)
    return np.where(normal, _normal(z), -0.5 * (df + 1.0) * np.log1p(z * z / df) - norm)


def _t_quantile(q: Any, df: Any) -> Any:
    return np.where(q == 0.0, -np.inf, special.stdtrit(df, q))  # SciPy's is inf there


def _cauchy_quantile(q: Any) -> Any:
    middle = np.tan(math.pi * (q - 0.5))
    low, high = -1.0 / np.tan(math.pi * q), 1.0 / np.tan(math.pi * (1.0 - q))
    return np.where(q < 0.25, low, np.where(q > 0.75, high, middle))


def _quarter(p: Any, q: Any) -> Any:
    """The tangent of pi p / 2, where p + q = 1."""
    return np.where(p < q, np.tan(0.5 * math.pi * p), 1.0 / np.tan(0.5 * math.pi * q))


def _f(z: Any, n: Any, d: Any) -> Any:
    top = 0.5 * n * np.log(n / d) + special.xlogy(0.5 * n - 1.0, z)
    return top - 0.5 * (n + d) * np.log1p(n * z / d) - special.betaln(0.5 * n, 0.5 * d)


def _beta_quantile(q: Any, rest: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """The inverse of F at `q`, and 1 - that, by the smaller of q and `rest`, which is 1 - q."""
    low, below = q < 0.5, np.minimum(q, rest)
    found = special.betaincinv(np.where(low, a, b), np.where(low, b, a), below)
    return np.where(low, found, 1.0 - found), np.where(low, 1.0 - found, found)


def _f_quantile(q: Any, rest: Any, n: Any, d: Any) -> Any:
    p, other = _beta_quantile(q, rest, 0.5 * n, 0.5 * d)
    return d / n * (p / other)


def _lognormal(z: Any, s: Any) -> Any:
    return _normal(np.log(z) / s) - np.log(s) - np.log(z)


def _binomial(k: Any, n: Any, p: Any) -> Any:
    choices = special.gammaln(n + 1.0) - special.gammaln(k + 1.0) - special.gammaln(n - k + 1.0)
    return choices + special.xlogy(k, p) + special.xlog1py(n - k, -p)


def _negative_binomial(k: Any, n: Any, p: Any) -> Any:
    choices = special.gammaln(n + k) - special.gammaln(k + 1.0) - special.gammaln(n)
    return choices + n * np.log(p) + special.xlog1py(k, -p)


def _probability(*shapes: Any) -> Any:
    p = shapes[-1]
    return (p >= 0.0) & (p <= 1.0) & (shapes[0] >= 0.0)


CONTINUOUS = (
    Distribution(
        stats.norm, (), _normal, special.ndtr, lambda z: special.ndtr(-z),
        special.log_ndtr, lambda z: special.log_ndtr(-z), special.ndtri,
        lambda q: -special.ndtri(q),
    ),
    Distribution(
        stats.expon, (), lambda z: -z, lambda z: -np.expm1(-z), lambda z: np.exp(-z),
        logsf=lambda z: -z, ppf=lambda q: -np.log1p(-q), isf=lambda q: -np.log(q),
        support=lambda z: z >= 0.0, low=0.0,
    ),
    Distribution(
        stats.gamma, ("a",), lambda z, a: special.xlogy(a - 1.0, z) - z - special.gammaln(a),
        lambda z, a: special.gammainc(a, z), lambda z, a: special.gammaincc(a, z),
        ppf=lambda q, a: special.gammaincinv(a, q),
        isf=lambda q, a: special.gammainccinv(a, q), support=lambda z, a: z >= 0.0,
        valid=positive, low=0.0,
    ),
    Distribution(
        stats.chi2, ("df",),
        lambda z, n: (
            special.xlogy(0.5 * n - 1.0, z) - 0.5 * z - special.gammaln(0.5 * n)
            - 0.5 * n * math.log(2.0)
        ),
        lambda z, n: special.gammainc(0.5 * n, 0.5 * z),
        lambda z, n: special.gammaincc(0.5 * n, 0.5 * z),
        ppf=lambda q, n: 2.0 * special.gammaincinv(0.5 * n, q),
        isf=lambda q, n: 2.0 * special.gammainccinv(0.5 * n, q), support=lambda z, n: z >= 0.0,
        valid=positive, low=0.0,
    ),
    Distribution(
        stats.beta, ("a", "b"),
        lambda z, a, b: (
            special.xlogy(a - 1.0, z) + special.xlog1py(b - 1.0, -z) - special.betaln(a, b)
        ),
        lambda z, a, b: special.betainc(a, b, z), lambda z, a, b: special.betainc(b, a, 1.0 - z),
        ppf=lambda q, a, b: _beta_quantile(q, 1.0 - q, a, b)[0],
        isf=lambda q, a, b: _beta_quantile(1.0 - q, q, a, b)[0],
        support=lambda z, a, b: (z >= 0.0) & (z <= 1.0), valid=positive, low=0.0, high=1.0,
    ),
    Distribution(
        stats.t, ("df",), _t, lambda z, df: special.stdtr(df, z),
        lambda z, df: special.stdtr(df, -z), ppf=_t_quantile,
        isf=lambda q, df: -_t_quantile(q, df),
        valid=positive,
    ),
    Distribution(
        stats.f, ("dfn", "dfd"), _f,
        lambda z, n, d: special.betainc(0.5 * n, 0.5 * d, n * z / (d + n * z)),
        lambda z, n, d: special.betainc(0.5 * d, 0.5 * n, d / (d + n * z)),
        ppf=lambda q, n, d: _f_quantile(q, 1.0 - q, n, d),
        isf=lambda q, n, d: _f_quantile(1.0 - q, q, n, d),
        support=lambda z, n, d: z >= 0.0, valid=positive, low=0.0,
    ),
    Distribution(
        stats.cauchy, (), lambda z: -2.0 * np.log(np.hypot(1.0, z)) - math.log(math.pi),
        lambda z: np.arctan2(1.0, -z) / math.pi, lambda z: np.arctan2(1.0, z) / math.pi,
        ppf=_cauchy_quantile, isf=lambda q: -_cauchy_quantile(q),
    ),
    Distribution(
        stats.laplace, (), lambda z: -np.abs(z) - math.log(2.0),
        lambda z: np.where(z > 0.0, 1.0 - 0.5 * np.exp(-z), 0.5 * np.exp(z)),
        lambda z: np.where(z > 0.0, 0.5 * np.exp(-z), 1.0 - 0.5 * np.exp(z)),
        ppf=lambda q: np.where(q < 0.5, np.log(2.0 * q), -np.log(2.0 - 2.0 * q)),
        isf=lambda q: np.where(q > 0.5, np.log(2.0 - 2.0 * q), -np.log(2.0 * q)),
    ),
    Distribution(
        stats.logistic, (), lambda z: -np.logaddexp(0.0, z) - np.logaddexp(0.0, -z),
        special.expit, lambda z: special.expit(-z), lambda z: -np.logaddexp(0.0, -z),
        lambda z: -np.logaddexp(0.0, z), lambda q: np.log(q) - np.log1p(-q),
        lambda q: np.log1p(-q) - np.log(q),
    ),
    Distribution(
        stats.lognorm, ("s",), _lognormal, lambda z, s: special.ndtr(np.log(z) / s),
        lambda z, s: special.ndtr(-np.log(z) / s), lambda z, s: special.log_ndtr(np.log(z) / s),
        lambda z, s: special.log_ndtr(-np.log(z) / s),
        lambda q, s: np.exp(s * special.ndtri(q)), lambda q, s: np.exp(-s * special.ndtri(q)),
        lambda z, s: z > 0.0, positive, 0.0,
    ),
    Distribution(
        stats.uniform, (), lambda z: 0.0 * z, lambda z: z, lambda z: 1.0 - z, ppf=lambda q: q,
        support=lambda z: (z >= 0.0) & (z <= 1.0), low=0.0, high=1.0,
    ),
    Distribution(
        stats.weibull_min, ("c",),
        lambda z, c: np.log(c) + special.xlogy(c - 1.0, z) - np.power(z, c),
        lambda z, c: -np.expm1(-np.power(z, c)), lambda z, c: np.exp(-np.power(z, c)),
        logsf=lambda z, c: -np.power(z, c), ppf=lambda q, c: np.power(-np.log1p(-q), 1.0 / c),
        isf=lambda q, c: np.power(-np.log(q), 1.0 / c),
        support=lambda z, c: z >= 0.0, valid=positive, low=0.0,
    ),
    Distribution(
        stats.pareto, ("b",), lambda z, b: np.log(b) - (b + 1.0) * np.log(z),
        lambda z, b: -np.expm1(-b * np.log(z)), lambda z, b: np.power(z, -b),
        logsf=lambda z, b: -b * np.log(z), ppf=lambda q, b: np.power(1.0 - q, -1.0 / b),
        isf=lambda q, b: np.power(q, -1.0 / b),
        support=lambda z, b: z >= 1.0, valid=positive, low=1.0,
    ),
    Distribution(
        stats.gumbel_r, (), lambda z: -z - np.exp(-z), lambda z: np.exp(-np.exp(-z)),
        lambda z: -np.expm1(-np.exp(-z)), lambda z: -np.exp(-z), None,
        lambda q: -np.log(-np.log(q)), lambda q: -np.log(-np.log1p(-q)),
    ),
    Distribution(
        stats.gumbel_l, (), lambda z: z - np.exp(z), lambda z: -np.expm1(-np.exp(z)),
        lambda z: np.exp(-np.exp(z)), None, lambda z: -np.exp(z),
        lambda q: np.log(-np.log1p(-q)), lambda q: np.log(-np.log(q)),
    ),
    Distribution(
        stats.halfnorm, (), lambda z: _normal(z) + math.log(2.0),
        lambda z: special.erf(z / math.sqrt(2.0)), lambda z: 2.0 * special.ndtr(-z),
        ppf=lambda q: math.sqrt(2.0) * special.erfinv(q), isf=lambda q: -special.ndtri(0.5 * q),
        support=lambda z: z >= 0.0, low=0.0,
    ),
    Distribution(
        stats.halfcauchy, (), lambda z: math.log(2.0 / math.pi) - np.log1p(z * z),
        lambda z: 2.0 / math.pi * np.arctan(z), lambda z: 2.0 / math.pi * np.arctan2(1.0, z),
        ppf=lambda q: _quarter(q, 1.0 - q),
        isf=lambda q: _quarter(1.0 - q, q), support=lambda z: z >= 0.0, low=0.0,
    ),
    Distribution(
        stats.rayleigh, (), lambda z: np.log(z) - 0.5 * z * z, lambda z: -np.expm1(-0.5 * z * z),
        lambda z: np.exp(-0.5 * z * z), logsf=lambda z: -0.5 * z * z,
        ppf=lambda q: np.sqrt(-2.0 * np.log1p(-q)),
        isf=lambda q: np.sqrt(-2.0 * np.log(q)), support=lambda z: (z >= 0.0) & (z < np.inf),
        low=0.0,
    ),
    Distribution(
        stats.invgamma, ("a",), lambda z, a: -(a + 1.0) * np.log(z) - special.gammaln(a) - 1.0 / z,
        lambda z, a: special.gammaincc(a, 1.0 / np.abs(z)),  # -0.0 is an end as well
        lambda z, a: special.gammainc(a, 1.0 / np.abs(z)),
        ppf=lambda q, a: 1.0 / special.gammainccinv(a, q),
        isf=lambda q, a: 1.0 / special.gammaincinv(a, q),
        support=lambda z, a: z > 0.0, valid=positive, low=0.0,
    ),
    Distribution(
        stats.skewnorm, ("a",), lambda z, a: _normal(z) + math.log(2.0) + special.log_ndtr(a * z),
        lambda z, a: special.ndtr(z) - 2.0 * special.owens_t(z, a),
        lambda z, a: special.ndtr(-z) + 2.0 * special.owens_t(z, a),
        support=lambda z, a: np.abs(z) < np.inf, valid=lambda a: np.abs(a) < np.inf,
    ),
    Distribution(
        stats.loguniform, ("a", "b"), lambda z, a, b: -np.log(z) - np.log(np.log(b) - np.log(a)),
        ppf=lambda q, a, b: np.power(a, 1.0 - q) * np.power(b, q),
        support=lambda z, a, b: (z >= a) & (z <= b), valid=lambda a, b: (a > 0.0) & (b > a),
    ),
)  # fmt: skip
DISCRETE = (
    Distribution(
        stats.poisson, ("mu",), lambda k, mu: special.xlogy(k, mu) - special.gammaln(k + 1.0) - mu,
        lambda k, mu: special.gammaincc(k + 1.0, mu), lambda k, mu: special.gammainc(k + 1.0, mu),
        support=lambda k, mu: k >= 0.0, valid=lambda mu: mu >= 0.0, low=0.0,
    ),
    Distribution(
        stats.binom, ("n", "p"), _binomial, support=lambda k, n, p: (k >= 0.0) & (k <= n),
        valid=_probability, low=0.0,
    ),
    Distribution(
        stats.bernoulli, ("p",), lambda k, p: _binomial(k, 1.0, p),
        support=lambda k, p: (k >= 0.0) & (k <= 1.0), valid=_probability, low=0.0,
    ),
    Distribution(
        stats.geom, ("p",), lambda k, p: special.xlog1py(k - 1.0, -p) + np.log(p),
        lambda k, p: -np.expm1(k * np.log1p(-p)), lambda k, p: np.exp(k * np.log1p(-p)),
        support=lambda k, p: k >= 1.0, valid=lambda p: (p > 0.0) & (p <= 1.0), low=1.0,
    ),
    Distribution(
        stats.nbinom, ("n", "p"), _negative_binomial,
        lambda k, n, p: special.betainc(n, k + 1.0, p),
        lambda k, n, p: special.betainc(k + 1.0, n, 1.0 - p), support=lambda k, n, p: k >= 0.0,
        valid=lambda n, p: (n > 0.0) & (p > 0.0) & (p <= 1.0), low=0.0,
    ),
)  # fmt: skip
