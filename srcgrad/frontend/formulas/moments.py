"""Means, variances and medians of scipy.stats' distributions, of any location and scale.

The moments of the standard forms are those of Johnson, Kotz, Balakrishnan, "Continuous univariate
distributions", and Johnson, Kemp, Kotz, "Univariate discrete distributions". Where one does not
exist the result is SciPy's, inf or NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special, stats

from srcgrad.frontend.formulas.densities import ppf
from srcgrad.frontend.formulas.distributions import CONTINUOUS

NORMAL = CONTINUOUS[0]


def _above(limit: float, shape: Any, value: Callable, instead: Any = np.inf) -> Any:
    """A moment that exists for shapes above a limit; no formula meets another shape."""
    exists = shape > limit
    return np.where(exists, value(np.where(exists, shape, limit + 1.0)), instead)


def _variance_of_t(df: Any) -> Any:
    rare = np.where(df > 1.0, np.inf, np.nan)
    return _above(2.0, df, lambda n: n / (n - 2.0), rare)


def _variance_of_f(n: Any, d: Any) -> Any:
    def value(d: Any) -> Any:
        return 2.0 * d * d * (n + d - 2.0) / (n * (d - 2.0) ** 2 * (d - 4.0))

    return _above(4.0, d, value)


def _variance_of_weibull(c: Any) -> Any:
    return special.gamma(1.0 + 2.0 / c) - special.gamma(1.0 + 1.0 / c) ** 2


def _variance_of_beta(a: Any, b: Any) -> Any:
    return a * b / ((a + b) ** 2 * (a + b + 1.0))


def _lean(a: Any) -> Any:
    return a / np.sqrt(1.0 + a * a)


# the mean and the variance of a standard form, by its shapes
MOMENTS: dict[Any, tuple[Callable, Callable]] = {
    stats.norm: (lambda: 0.0, lambda: 1.0),
    stats.expon: (lambda: 1.0, lambda: 1.0),
    stats.gamma: (lambda a: a, lambda a: a),
    stats.chi2: (lambda df: df, lambda df: 2.0 * df),
    stats.beta: (lambda a, b: a / (a + b), _variance_of_beta),
    stats.t: (lambda df: _above(1.0, df, lambda n: 0.0 * n), _variance_of_t),
    stats.f: (lambda n, d: _above(2.0, d, lambda d: d / (d - 2.0)), _variance_of_f),
    stats.laplace: (lambda: 0.0, lambda: 2.0),
    stats.logistic: (lambda: 0.0, lambda: math.pi**2 / 3.0),
    stats.lognorm: (
        lambda s: np.exp(0.5 * s * s), lambda s: np.expm1(s * s) * np.exp(s * s),
    ),
    stats.uniform: (lambda: 0.5, lambda: 1.0 / 12.0),
    stats.weibull_min: (lambda c: special.gamma(1.0 + 1.0 / c), _variance_of_weibull),
    stats.pareto: (
        lambda b: _above(1.0, b, lambda b: b / (b - 1.0)),
        lambda b: _above(2.0, b, lambda b: b / ((b - 1.0) ** 2 * (b - 2.0))),
    ),
    stats.gumbel_r: (lambda: np.euler_gamma, lambda: math.pi**2 / 6.0),
    stats.gumbel_l: (lambda: -np.euler_gamma, lambda: math.pi**2 / 6.0),
    stats.halfnorm: (lambda: math.sqrt(2.0 / math.pi), lambda: 1.0 - 2.0 / math.pi),
    stats.rayleigh: (lambda: math.sqrt(0.5 * math.pi), lambda: 2.0 - 0.5 * math.pi),
    stats.invgamma: (
        lambda a: _above(1.0, a, lambda a: 1.0 / (a - 1.0)),
        lambda a: _above(2.0, a, lambda a: 1.0 / ((a - 1.0) ** 2 * (a - 2.0))),
    ),
    stats.skewnorm: (
        lambda a: math.sqrt(2.0 / math.pi) * _lean(a),
        lambda a: 1.0 - 2.0 / math.pi * _lean(a) ** 2,
    ),
    stats.poisson: (lambda mu: mu, lambda mu: mu),
    stats.binom: (lambda n, p: n * p, lambda n, p: n * p * (1.0 - p)),
    stats.bernoulli: (lambda p: p, lambda p: p * (1.0 - p)),
    stats.geom: (lambda p: 1.0 / p, lambda p: (1.0 - p) / (p * p)),
    stats.nbinom: (lambda n, p: n * (1.0 - p) / p, lambda n, p: n * (1.0 - p) / (p * p)),
}  # fmt: skip


def mean(d: Any, shapes: Any, loc: Any, scale: Any = 1.0) -> Any:
    """The mean.

    >>> float(mean(NORMAL, (), 1.0, 2.0))
    1.0
    """
    loc, scale = np.asarray(loc, dtype=np.float64), np.asarray(scale, dtype=np.float64)
    good = np.asarray((scale > 0.0) & d.valid(*shapes))
    return np.where(good, loc + scale * MOMENTS[d.of][0](*shapes), np.nan)


def var(d: Any, shapes: Any, loc: Any, scale: Any = 1.0) -> Any:
    """The variance.

    >>> float(var(NORMAL, (), 1.0, 2.0))
    4.0
    """
    loc, scale = np.asarray(loc, dtype=np.float64), np.asarray(scale, dtype=np.float64)
    good = np.asarray((scale > 0.0) & d.valid(*shapes))
    return np.where(good, 0.0 * loc + scale * scale * MOMENTS[d.of][1](*shapes), np.nan)


def std(d: Any, shapes: Any, loc: Any, scale: Any = 1.0) -> Any:
    """The standard deviation.

    >>> float(std(NORMAL, (), 1.0, 2.0))
    2.0
    """
    return np.sqrt(var(d, shapes, loc, scale))


def median(d: Any, shapes: Any, loc: Any, scale: Any) -> Any:
    """The median.

    >>> float(median(NORMAL, (), 1.0, 2.0))
    1.0
    """
    return ppf(d, 0.5, shapes, loc, scale)
