"""Densities and distribution functions from the standard form to any location and scale.

`d` is a row of `distributions`. Outside the support a density is 0; for parameters that have no
meaning, and at NaN, all results are NaN, as in SciPy. Samples at the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.distributions import CONTINUOUS, DISCRETE
from srcgrad.frontend.formulas.registry import unsupported

# where all formulae are finite: computed there instead of outside a support, so that no derivative
# of any order meets a NaN
INSIDE = 0.5
NORMAL, EXPONENTIAL, POISSON = CONTINUOUS[0], CONTINUOUS[1], DISCRETE[0]


# ---- from the standard form to any location and scale ----
def _standard(x: Any, loc: Any, scale: Any) -> Any:
    return (np.asarray(x, dtype=np.float64) - loc) / scale


def log_density(d: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
    """log f, -inf outside the support, NaN for parameters that have no meaning.

    >>> round(float(log_density(NORMAL, 0.0, (), 0.0, 1.0)), 6)
    -0.918939
    """
    z = _standard(x, loc, scale)
    inside = d.support(z, *shapes)
    safe = np.where(inside, z, INSIDE)
    value = np.where(inside, d.log(safe, *shapes) - np.log(scale), -np.inf)
    return np.where(np.asarray((scale > 0.0) & d.valid(*shapes)) & (z == z), value, np.nan)


def log_probability(d: Any, k: Any, shapes: Any, loc: Any) -> Any:
    """log P(k), -inf where k does not occur.

    >>> float(log_probability(POISSON, 0, (2.0,), 0))
    -2.0
    """
    z = np.asarray(k, dtype=np.float64) - loc
    inside = d.support(z, *shapes) & (z == np.floor(z))
    value = np.where(inside, d.log(np.where(inside, z, INSIDE), *shapes), -np.inf)
    return np.where(np.asarray(d.valid(*shapes)) & (z == z), value, np.nan)


def distribution(d: Any, f: Any, z: Any, shapes: Any, good: Any, below: Any, above: Any) -> Any:
    """A distribution function by its values in the support, below it and above it.

    >>> float(distribution(EXPONENTIAL, EXPONENTIAL.cdf, -1.0, (), True, 0.0, 1.0))
    0.0
    """
    under, over = (z < d.low) | (z == -np.inf), (z > d.high) | (z == np.inf)
    safe = np.where(under | over, INSIDE, z)
    value = np.where(under, below, np.where(over, above, f(safe, *shapes)))
    return np.where(np.asarray(good & d.valid(*shapes)) & (z == z), value, np.nan)


def cdf(d: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
    """F.

    >>> float(cdf(NORMAL, 0.0, (), 0.0, 1.0))
    0.5
    """
    return distribution(d, d.cdf, _standard(x, loc, scale), shapes, scale > 0.0, 0.0, 1.0)


def sf(d: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
    """1 - F.

    >>> float(sf(NORMAL, 0.0, (), 0.0, 1.0))
    0.5
    """
    if d.sf is None:
        return 1.0 - cdf(d, x, shapes, loc, scale)
    return distribution(d, d.sf, _standard(x, loc, scale), shapes, scale > 0.0, 1.0, 0.0)


def logcdf(d: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
    """log F.

    >>> round(float(logcdf(NORMAL, 0.0, (), 0.0, 1.0)), 6)
    -0.693147
    """
    if d.logcdf is None:
        return np.log(cdf(d, x, shapes, loc, scale))
    z = _standard(x, loc, scale)
    return distribution(d, d.logcdf, z, shapes, scale > 0.0, -np.inf, 0.0)


def logsf(d: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
    """log(1 - F).

    >>> float(logsf(EXPONENTIAL, 2.0, (), 0.0, 1.0))
    -2.0
    """
    if d.logsf is None:
        return np.log(sf(d, x, shapes, loc, scale))
    z = _standard(x, loc, scale)
    return distribution(d, d.logsf, z, shapes, scale > 0.0, 0.0, -np.inf)


def pdf(d: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
    """f.

    >>> float(pdf(EXPONENTIAL, 0.0, (), 0.0, 2.0))
    0.5
    """
    return np.exp(log_density(d, x, shapes, loc, scale))


def ppf(d: Any, q: Any, shapes: Any, loc: Any, scale: Any) -> Any:
    """The inverse of F.

    >>> float(ppf(NORMAL, 0.5, (), 1.0, 2.0))
    1.0
    """
    q = np.asarray(q, dtype=np.float64) + 0.0  # no -0.0, of which an inverse is negative
    good = np.asarray((scale > 0.0) & d.valid(*shapes)) & (q >= 0.0) & (q <= 1.0)
    return np.where(good, loc + scale * d.ppf(q, *shapes), np.nan)


def isf(d: Any, q: Any, shapes: Any, loc: Any, scale: Any) -> Any:
    """The inverse of 1 - F.

    >>> round(float(isf(NORMAL, 0.975, (), 0.0, 1.0)), 6)
    -1.959964
    """
    if d.isf is None:
        return ppf(d, 1.0 - np.asarray(q, dtype=np.float64), shapes, loc, scale)
    q = np.asarray(q, dtype=np.float64) + 0.0
    good = np.asarray((scale > 0.0) & d.valid(*shapes)) & (q >= 0.0) & (q <= 1.0)
    return np.where(good, loc + scale * d.isf(q, *shapes), np.nan)


def pmf(d: Any, k: Any, shapes: Any, loc: Any) -> Any:
    """P(k).

    >>> float(pmf(POISSON, 0, (0.0,), 0))
    1.0
    """
    return np.exp(log_probability(d, k, shapes, loc))


def discrete_cdf(d: Any, k: Any, shapes: Any, loc: Any) -> Any:
    """F, which is constant between integers.

    >>> float(discrete_cdf(POISSON, 0.5, (0.0,), 0))
    1.0
    """
    z = np.floor(np.asarray(k, dtype=np.float64) - loc)
    return distribution(d, d.cdf, z, shapes, True, 0.0, 1.0)


def discrete_sf(d: Any, k: Any, shapes: Any, loc: Any) -> Any:
    """1 - F, which is constant between integers.

    >>> float(discrete_sf(POISSON, 0.5, (0.0,), 0))
    0.0
    """
    if d.sf is None:
        return 1.0 - discrete_cdf(d, k, shapes, loc)
    z = np.floor(np.asarray(k, dtype=np.float64) - loc)
    return distribution(d, d.sf, z, shapes, True, 1.0, 0.0)


# ---- samples ----
def zscore(a: Any, axis: Any = 0, ddof: Any = 0, nan_policy: Any = "propagate") -> Any:
    """The number of standard deviations from the mean.

    >>> zscore(np.array([1.0, 3.0]))
    array([-1.,  1.])
    """
    if nan_policy != "propagate":
        return unsupported("zscore with a nan_policy is not supported")
    a = np.asarray(a)
    mean = np.mean(a, axis=axis, keepdims=True)
    return (a - mean) / np.std(a, axis=axis, ddof=ddof, keepdims=True)
