"""Descriptive statistics of scipy.stats as NumPy programs: moments, measures of spread, entropy.

SciPy takes each sample along an axis, several axes or altogether; one with a NaN has NaN.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special, stats

from srcgrad.frontend.formulas.registry import floating, known, stands_for, unsupported
from srcgrad.frontend.formulas.statistics import kept, lanes_of

POLICIES = ("propagate", "omit", "raise")
NORMAL_IQR = 1.3489795003921634  # of the standard normal distribution
NORMAL_MAD = 0.6744897501960817


def samples_of(a: Any, axis: Any, nan_policy: Any) -> tuple[Any, Any]:
    """The array, with one axis at least, and its samples along the last axis.

    >>> samples_of(np.zeros((2, 3)), 0, "propagate")[1].shape
    (3, 2)
    """
    if nan_policy not in POLICIES:
        return unsupported(f"nan_policy is one of {', '.join(POLICIES)}", like=ValueError)
    if nan_policy == "omit":
        return unsupported(
            "nan_policy='omit' is not supported", "leave NaNs out before: x = x[~np.isnan(x)]"
        )
    x = np.atleast_1d(a)
    lanes, k = lanes_of(x, known(axis))
    lanes = np.moveaxis(lanes, k, -1)
    if nan_policy == "raise" and x.dtype.kind in "fc" and np.any(np.isnan(lanes)):
        raise ValueError("The input contains nan values")
    return x, lanes


def propagated(lanes: Any, value: Any) -> Any:
    """NaN for a sample with one, `value` for the others."""
    return np.where(np.any(np.isnan(lanes), axis=-1), np.nan, value)


# ---- moments ----
def central(lanes: Any, order: int) -> Any:
    """The moment about the mean.

    >>> float(central(np.array([1.0, 3.0]), 2))
    1.0
    """
    beside = lanes - np.mean(lanes, axis=-1, keepdims=True)
    return np.mean(beside**order, axis=-1)


@stands_for(stats.moment)
def moment(
    a: Any, order: Any = 1, axis: Any = 0, nan_policy: Any = "propagate", *, center: Any = None,
    keepdims: Any = False,
) -> Any:  # fmt: skip
    """A moment of a known order, about the mean or another center.

    >>> float(moment([1, 3], 2))
    1.0
    """
    order = known(order)
    if not isinstance(order, int | float):
        return unsupported("moments of several orders are not supported", "call it for each")
    if order != int(order):
        raise ValueError("All elements of `order` must be integral.")
    x, lanes = samples_of(a, axis, nan_policy)
    lanes = floating(lanes)
    beside = lanes - (np.mean(lanes, axis=-1, keepdims=True) if center is None else center)
    if order == 1 and center is None:
        beside = beside * 0.0
    value = np.mean(beside ** int(order), axis=-1)
    return kept(x, propagated(lanes, value), axis, keepdims)


def of_constant(lanes: Any, variance: Any) -> Any:
    """Whether the values of a sample are all one, up to rounding."""
    eps = float(np.finfo(variance.dtype).eps)
    return variance <= (eps * np.mean(lanes, axis=-1)) ** 2


@stands_for(stats.skew)
def skew(
    a: Any, axis: Any = 0, bias: Any = True, nan_policy: Any = "propagate", *,
    keepdims: Any = False,
) -> Any:  # fmt: skip
    """The skewness.

    >>> round(float(skew([0.0, 0.0, 3.0])), 6)
    0.707107
    """
    x, lanes = samples_of(a, axis, nan_policy)
    lanes = floating(lanes)
    n, m2 = lanes.shape[-1], central(lanes, 2)
    value = np.where(of_constant(lanes, m2), np.nan, central(lanes, 3) / m2**1.5)
    if not bias:
        value = value * np.where(n > 2, ((n - 1.0) * n) ** 0.5 / np.maximum(n - 2.0, 1.0), 1.0)
    return kept(x, value.astype(lanes.dtype), axis, keepdims)


@stands_for(stats.kurtosis)
def kurtosis(
    a: Any, axis: Any = 0, fisher: Any = True, bias: Any = True, nan_policy: Any = "propagate", *,
    keepdims: Any = False,
) -> Any:  # fmt: skip
    """The kurtosis, 0 of a normal distribution, or 3 if not `fisher`.

    >>> round(float(kurtosis([0.0, 0.0, 3.0])), 6)
    -1.5
    """
    x, lanes = samples_of(a, axis, nan_policy)
    lanes = floating(lanes)
    n, m2 = lanes.shape[-1], central(lanes, 2)
    value = np.where(of_constant(lanes, m2), np.nan, central(lanes, 4) / m2**2)
    if not bias and n > 3:
        value = ((n * n - 1.0) * value - 3.0 * (n - 1.0) ** 2) / ((n - 2.0) * (n - 3.0)) + 3.0
    return kept(x, value - 3.0 if fisher else value, axis, keepdims)


# ---- measures of spread ----
@stands_for(stats.sem)
def sem(
    a: Any, axis: Any = 0, ddof: Any = 1, nan_policy: Any = "propagate", *, keepdims: Any = False
) -> Any:
    """The standard error of the mean; NaN of a single vector with less than two values.

    >>> float(sem([1.0, 3.0]))
    1.0
    """
    x, lanes = samples_of(a, axis, nan_policy)
    lanes = floating(lanes)
    n = lanes.shape[-1]
    value = np.std(lanes, axis=-1, ddof=ddof) / np.sqrt(n * 1.0)
    if lanes.ndim == 1:
        value = np.where(n > 1, value, np.nan)
    return kept(x, value.astype(lanes.dtype), axis, keepdims)


@stands_for(stats.variation)
def variation(
    a: Any, axis: Any = 0, nan_policy: Any = "propagate", ddof: Any = 0, *, keepdims: Any = False
) -> Any:
    """The standard deviation over the mean.

    >>> float(variation([1.0, 3.0]))
    0.5
    """
    x, lanes = samples_of(a, axis, nan_policy)
    lanes = floating(lanes)
    n, mean = lanes.shape[-1], np.mean(lanes, axis=-1)
    spread = np.std(lanes, axis=-1)
    value = spread * np.sqrt(n / np.where(n == ddof, 1.0, n * 1.0 - ddof)) / mean
    alone = np.where(spread > 0.0, np.copysign(np.inf, mean), np.nan)
    return kept(x, np.where(n == ddof, alone, value).astype(lanes.dtype), axis, keepdims)


@stands_for(stats.iqr)
def iqr(
    x: Any, axis: Any = None, rng: Any = (25, 75), scale: Any = 1.0, nan_policy: Any = "propagate",
    interpolation: Any = "linear", keepdims: Any = False,
) -> Any:  # fmt: skip
    """The distance of two quantiles, those of a quarter and three quarters.

    >>> float(iqr([0.0, 1.0, 2.0, 3.0, 4.0]))
    2.0
    """
    if isinstance(scale, str):
        if scale.lower() != "normal":
            return unsupported(f"{scale} not a valid scale for `iqr`", like=ValueError)
        scale = NORMAL_IQR
    if len(rng) != 2:
        return unsupported("`rng` must be a two element sequence.", like=TypeError)
    low, high = min(rng[0], rng[1]) / 100.0, max(rng[0], rng[1]) / 100.0
    a, lanes = samples_of(x, axis, nan_policy)
    lanes = floating(lanes)
    if lanes.shape[-1] == 0:
        return kept(a, np.mean(lanes, axis=-1), axis, keepdims)
    ends = [np.quantile(lanes, q, axis=-1, method=interpolation) for q in (low, high)]
    return kept(a, (ends[1] - ends[0]) / scale, axis, keepdims)


@stands_for(stats.median_abs_deviation)
def median_abs_deviation(
    x: Any, axis: Any = 0, center: Any = None, scale: Any = 1.0, nan_policy: Any = "propagate", *,
    keepdims: Any = False,
) -> Any:  # fmt: skip
    """The median distance from the median, or from another center.

    >>> float(median_abs_deviation([0.0, 1.0, 5.0]))
    1.0
    """
    if isinstance(scale, str):
        if scale.lower() != "normal":
            return unsupported(f"{scale} is not a valid scale value.", like=ValueError)
        scale = NORMAL_MAD
    a, lanes = samples_of(x, axis, nan_policy)
    lanes = floating(lanes)
    middle = np.median(lanes, axis=-1) if center is None else center(lanes, axis=-1)
    beside = np.abs(lanes - np.expand_dims(middle, -1))
    return kept(a, np.median(beside, axis=-1) / scale, axis, keepdims)


# ---- within limits ----
def within(a: Any, limits: Any, inclusive: Any, axis: Any, nan_policy: Any) -> tuple:
    """The array, its samples as floats, and which of their values lie between the limits."""
    x, lanes = samples_of(a, axis, nan_policy)
    lanes = floating(lanes)
    low, high = (None, None) if limits is None else limits
    inside = lanes == lanes  # a NaN is outside
    if low is not None:
        inside = inside & (lanes >= low if inclusive[0] else lanes > low)
    if high is not None:
        inside = inside & (lanes <= high if inclusive[1] else lanes < high)
    if limits is not None and lanes.size > 0 and not np.any(inside | np.isnan(lanes)):
        raise ValueError("No array values within given limits")
    return x, lanes, inside


@stands_for(stats.tmean)
def tmean(
    a: Any, limits: Any = None, inclusive: Any = (True, True), axis: Any = None, *,
    nan_policy: Any = "propagate", keepdims: Any = False,
) -> Any:  # fmt: skip
    """The mean of the values between limits.

    >>> float(tmean([1.0, 3.0, 9.0], (0, 5)))
    2.0
    """
    x, lanes, inside = within(a, limits, inclusive, axis, nan_policy)
    mean = np.sum(np.where(inside, lanes, 0.0), axis=-1) / np.sum(inside, axis=-1)
    return kept(x, propagated(lanes, mean).astype(lanes.dtype), axis, keepdims)


@stands_for(stats.tvar)
def tvar(
    a: Any, limits: Any = None, inclusive: Any = (True, True), axis: Any = 0, ddof: Any = 1, *,
    nan_policy: Any = "propagate", keepdims: Any = False,
) -> Any:  # fmt: skip
    """The variance of the values between limits.

    >>> float(tvar([1.0, 3.0, 9.0], (0, 5)))
    2.0
    """
    x, lanes, inside = within(a, limits, inclusive, axis, nan_policy)
    n = np.sum(inside, axis=-1)
    mean = np.sum(np.where(inside, lanes, 0.0), axis=-1) / n
    beside = np.where(inside, lanes - np.expand_dims(mean, -1), 0.0)
    free = np.where(n > ddof, n - ddof, np.nan)
    value = propagated(lanes, np.sum(beside * beside, axis=-1) / free)
    return kept(x, value.astype(lanes.dtype), axis, keepdims)


@stands_for(stats.tstd)
def tstd(
    a: Any, limits: Any = None, inclusive: Any = (True, True), axis: Any = 0, ddof: Any = 1, *,
    nan_policy: Any = "propagate", keepdims: Any = False,
) -> Any:  # fmt: skip
    """The standard deviation of the values between limits.

    >>> float(tstd([1.0, 5.0, 9.0], None))
    4.0
    """
    given = {"nan_policy": nan_policy, "keepdims": keepdims}
    return np.sqrt(tvar(a, limits, inclusive, axis, ddof, **given))


@stands_for(stats.describe)
def describe(
    a: Any, axis: Any = 0, ddof: Any = 1, bias: Any = True, nan_policy: Any = "propagate"
) -> Any:
    """The number of values, their bounds, mean, variance, skewness and kurtosis.

    >>> [float(v) for v in describe([0.0, 2.0])[2:4]]
    [1.0, 2.0]
    """
    _, lanes = samples_of(a, axis, nan_policy)
    n = lanes.shape[-1]
    if lanes.size == 0:
        raise ValueError("The input must not be empty.")
    bounds = np.min(lanes, axis=-1), np.max(lanes, axis=-1)
    values = floating(lanes)
    mean, variance = np.mean(values, axis=-1), np.var(values, axis=-1, ddof=ddof)
    return stats._stats_py.DescribeResult(
        np.int64(n), bounds, mean, variance, skew(values, -1, bias), kurtosis(values, -1, bias=bias)
    )


@stands_for(stats.zmap)
def zmap(
    scores: Any, compare: Any, axis: Any = 0, ddof: Any = 0, nan_policy: Any = "propagate"
) -> Any:
    """The number of standard deviations from the mean of others.

    >>> zmap(np.array([5.0]), np.array([1.0, 3.0])).tolist()
    [3.0]
    """
    if nan_policy != "propagate":
        return unsupported("zmap with a nan_policy is not supported", "leave it out")
    scores, compare = floating(scores), floating(compare)
    mean = np.mean(compare, axis=axis, keepdims=True)
    return (scores - mean) / np.std(compare, axis=axis, ddof=ddof, keepdims=True)


# ---- the most frequent value ----
@stands_for(stats.mode)
def mode(a: Any, axis: Any = 0, nan_policy: Any = "propagate", keepdims: Any = False) -> Any:
    """The most frequent value, the smallest of several, and how often it is there.

    >>> [int(v) for v in mode([3, 1, 3, 2])]
    [3, 2]
    """
    x, lanes = samples_of(a, axis, nan_policy)
    n = lanes.shape[-1]
    if lanes.size == 0:
        # SciPy gives NaN, counted 0 times
        raise NotImplementedError("the mode of an empty sample")
    y = np.sort(lanes, axis=-1)
    places = np.broadcast_to(np.arange(n), y.shape)
    before = np.take_along_axis(y, np.maximum(places - 1, 0), axis=-1)
    differs = y != before
    if y.dtype.kind == "f":
        differs = differs & ~np.isnan(before)
    starts = np.maximum.accumulate(np.where(differs, places, 0), axis=-1)
    run = places - starts + 1
    k = np.argmax(run, axis=-1)[..., None]
    found = np.take_along_axis(y, k, axis=-1)[..., 0][()]
    count = np.take_along_axis(run, k, axis=-1)[..., 0][()]
    return stats._stats_py.ModeResult(
        kept(x, found, axis, keepdims), kept(x, count, axis, keepdims)
    )


# ---- entropy ----
@stands_for(stats.entropy)
def entropy(
    pk: Any, qk: Any = None, base: Any = None, axis: Any = 0, *, nan_policy: Any = "propagate",
    keepdims: Any = False,
) -> Any:  # fmt: skip
    """Shannon's entropy of a distribution, or the relative one of two.

    >>> round(float(entropy([1, 1], base=2)), 12)
    1.0
    """
    if base is not None and base <= 0:
        raise ValueError("`base` must be a positive number or `None`.")
    if qk is not None:
        pk, qk = np.atleast_1d(pk), np.atleast_1d(qk)
        if axis is None:
            pk, qk = np.ravel(pk), np.ravel(qk)
        pk, qk = np.broadcast_arrays(pk, qk)
    x, lanes = samples_of(pk, axis, nan_policy)
    p = lanes / np.sum(lanes, axis=-1, keepdims=True)
    if qk is None:
        value = np.sum(special.entr(p), axis=-1)
    else:
        _, others = samples_of(qk, axis, nan_policy)
        q = others / np.sum(others, axis=-1, keepdims=True)
        value = np.sum(special.rel_entr(p, q), axis=-1)
    return kept(x, value if base is None else value / math.log(base), axis, keepdims)
