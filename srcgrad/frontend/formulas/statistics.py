"""Statistics as NumPy programs: weighted means, order statistics that pass over NaN, counts.

What counts or places (a histogram's counts, digitize) has no derivative; weights have one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import floating, known, place, stands_for, unsupported


@stands_for(np.average)
def average(
    a: Any, axis: Any = None, weights: Any = None, returned: Any = False, *, keepdims: Any = False
) -> Any:
    """The mean, weighted by numbers of the same shape or by a vector along an axis.

    >>> float(average(np.array([1.0, 3.0]), weights=np.array([3.0, 1.0])))
    1.5
    """
    if weights is None:
        mean = np.mean(a, axis=axis, keepdims=keepdims)
        if np.size(mean) == 0:
            raise ZeroDivisionError("division by zero")
        return (mean, np.zeros_like(mean) + np.size(a) / np.size(mean)) if returned else mean
    a, w = np.asarray(a), np.asarray(weights)
    w = _along(w, a, known(axis))
    if a.dtype.kind in "iub" and w.dtype.kind in "iub":
        a = a.astype(np.float64)
    product = a * w
    total = np.sum(w, axis=axis, dtype=product.dtype, keepdims=keepdims)
    if np.any(total == 0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    mean = np.sum(product, axis=axis, keepdims=keepdims) / total
    return (mean, np.zeros_like(mean) + total) if returned else mean


def _along(w: Any, a: Any, axis: Any) -> Any:
    """Weights of the same shape as `a`, or of its axes that are averaged over."""
    if a.ndim == 0 or w.ndim == 0:
        return unsupported("a weighted average of a number is not supported", like=TypeError)
    if w.ndim == a.ndim:
        if w.shape != a.shape and axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        belonging = tuple(range(a.ndim))
    elif axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    else:
        given = axis if isinstance(axis, tuple) else (axis,)
        belonging = tuple(place(k, a.ndim) for k in given)
        if w.ndim != len(belonging) or list(belonging) != sorted(belonging):
            return unsupported(
                "these weights do not belong to the axes that are averaged over", like=ValueError
            )
    if w.shape != tuple(a.shape[k] for k in belonging):
        raise ValueError(
            "Shape of weights must be consistent with shape of a along specified axis."
        )
    return np.expand_dims(w, tuple(k for k in range(a.ndim) if k not in belonging))


def weighted_cov(x: Any, frequencies: Any, weights: Any, given: bool, ddof: Any) -> Any:
    """The covariance of rows whose observations count more than once, or with weights.

    >>> weighted_cov(np.array([[0.0, 1.0]]), np.array([1, 1]), 1.0, False, 0)
    array(0.25)
    """
    w = np.asarray(frequencies * np.asarray(weights), dtype=np.float64)
    total = np.sum(w)
    if total == 0.0 and x.shape[0] > 0:
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    mean = np.sum(x * w, axis=1, keepdims=True) / total
    if ddof == 0:
        free = total
    elif not given:
        free = total - ddof
    else:
        free = total - ddof * np.sum(w * weights) / total
    gap = x - mean
    return np.squeeze((gap * w) @ gap.T / np.maximum(free, 0.0))


# ---- order statistics of what is not NaN ----
def _lanes(a: Any, axis: Any) -> Any:
    """The reduced axes as the last one."""
    if axis is None:
        return np.ravel(a)
    axes = tuple(place(k, a.ndim) for k in (axis if isinstance(axis, tuple) else (axis,)))
    rest = tuple(k for k in range(a.ndim) if k not in axes)
    moved, many = np.transpose(a, rest + axes), 1
    for k in axes:
        many = many * a.shape[k]
    return np.reshape(moved, (*(a.shape[k] for k in rest), many))


def _kept(a: Any, value: Any, axis: Any, keepdims: Any) -> Any:
    """A reduced array with the reduced axes put back, if so wished."""
    if not keepdims:
        return value
    if axis is None:
        return np.reshape(value, (1,) * a.ndim)
    axes = axis if isinstance(axis, tuple) else (axis,)
    return np.expand_dims(value, tuple(k % a.ndim for k in axes))


@stands_for(np.nanquantile)
def nanquantile(a: Any, q: Any, axis: Any = None, *, method: Any = "linear", keepdims: Any = False):
    """The quantile of what is not NaN, NaN where there is nothing.

    >>> float(nanquantile(np.array([1.0, np.nan, 2.0]), 0.5))
    1.5
    """
    if method != "linear":
        return unsupported(f"the method {method!r} of nanquantile is not supported", "use 'linear'")
    if np.ndim(q) != 0:
        return unsupported("nanquantile of several quantiles is not supported", "ask for each")
    if q < 0.0 or q > 1.0:
        raise ValueError("Quantiles must be in the range [0, 1]")
    a, axis = floating(a), known(axis)
    lanes = _lanes(a, axis)
    # pad with a NaN, which is not counted, so that empty lanes have an element to read
    none = np.full((*lanes.shape[:-1], 1), np.nan, lanes.dtype)
    ordered = np.sort(np.concatenate([lanes, none], axis=-1), axis=-1)
    count = np.sum(np.logical_not(np.isnan(ordered)), axis=-1, keepdims=True)
    at = np.maximum(count - 1, 0) * q
    low = np.floor(at)
    below = np.take_along_axis(ordered, low.astype(np.int64), axis=-1)
    above = np.take_along_axis(ordered, np.ceil(at).astype(np.int64), axis=-1)
    value = below + (above - below) * (at - low).astype(a.dtype)
    return _kept(a, value[..., 0], axis, keepdims)


@stands_for(np.nanpercentile)
def nanpercentile(
    a: Any, q: Any, axis: Any = None, *, method: Any = "linear", keepdims: Any = False
):
    """nanquantile in percent.

    >>> float(nanpercentile(np.array([1.0, np.nan, 2.0]), 50.0))
    1.5
    """
    return nanquantile(a, q / 100.0, axis, method=method, keepdims=keepdims)


@stands_for(np.nanmedian)
def nanmedian(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The median of what is not NaN, NaN where there is nothing.

    >>> float(nanmedian(np.array([1.0, np.nan, 2.0])))
    1.5
    """
    return nanquantile(a, 0.5, axis, keepdims=keepdims)


@stands_for(np.nanargmax)
def nanargmax(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The place of the largest that is not NaN.

    >>> int(nanargmax(np.array([1.0, np.nan, 2.0])))
    2
    """
    a, axis = floating(a), known(axis)
    if np.any(np.all(np.isnan(a), axis=axis)):
        raise ValueError("All-NaN slice encountered")
    return np.argmax(np.where(np.isnan(a), -np.inf, a), axis=axis, keepdims=keepdims)


@stands_for(np.nanargmin)
def nanargmin(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The place of the smallest that is not NaN.

    >>> int(nanargmin(np.array([1.0, np.nan, 2.0])))
    0
    """
    a, axis = floating(a), known(axis)
    if np.any(np.all(np.isnan(a), axis=axis)):
        raise ValueError("All-NaN slice encountered")
    return np.argmin(np.where(np.isnan(a), np.inf, a), axis=axis, keepdims=keepdims)


# ---- counts ----
@stands_for(np.bincount)
def bincount(x: Any, weights: Any = None, minlength: Any = 0) -> Any:
    """How often each integer occurs, or the sum of its weights.

    >>> bincount(np.array([0, 2, 2]))
    array([1, 0, 2])
    """
    x = np.asarray(x)
    if x.ndim != 1 or x.dtype.kind not in "iu":
        return unsupported("bincount takes a vector of integers")
    longest = np.max(x, initial=-1) + 1
    if np.min(x, initial=0) < 0:
        raise ValueError("'list' argument must have no negative elements")
    if weights is None:
        counts = np.zeros(np.maximum(longest, minlength), np.int64)
        np.add.at(counts, x, 1)
        return counts
    w = np.asarray(weights, dtype=np.float64)
    if w.shape != x.shape:
        raise ValueError("The weights and list don't have the same length.")
    sums = np.zeros(np.maximum(longest, minlength))
    np.add.at(sums, x, w)
    return sums


@stands_for(np.digitize)
def digitize(x: Any, bins: Any, right: Any = False) -> Any:
    """The bin that each number falls in, edges rising or falling.

    >>> digitize(np.array([0.5, 2.0]), np.array([0.0, 1.0]))
    array([1, 2])
    """
    x, bins = floating(x), floating(bins)
    if bins.ndim != 1:
        return unsupported("the bins of digitize are a vector")
    steps = bins[1:] - bins[:-1]
    n = bins.shape[0]
    if np.all(steps >= 0.0):
        return np.searchsorted(bins, x, side="left" if right else "right")
    if not np.all(steps <= 0.0):
        raise ValueError("bins must be monotonically increasing or decreasing")
    return n - np.searchsorted(bins[::-1], x, side="right" if right else "left")


@stands_for(np.histogram)
def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    """Counts, or sums of weights, between edges that are given or evenly spaced.

    >>> histogram(np.array([0.0, 1.0, 2.0]), bins=2)[0]
    array([1, 2])
    """
    if isinstance(bins, str):
        return unsupported("histogram with bins by name is not supported", "state their number")
    a = np.ravel(floating(a))
    if np.ndim(bins) == 0:
        low, high = _bounds_of(a) if range is None else (range[0], range[1])
        if not (np.isfinite(low) & np.isfinite(high)):
            raise ValueError("the range of a histogram must be finite")
        same = low == high
        low, high = np.where(same, low - 0.5, low), np.where(same, high + 0.5, high)
        edges = np.linspace(low, high, bins + 1)
    else:
        edges = floating(bins)
    n = edges.shape[0] - 1
    if n < 0:
        raise NotImplementedError("a histogram without edges")
    place = np.searchsorted(edges, a, side="right") - 1
    place = np.where(a == edges[n], n - 1, place)  # the last bin is closed
    inside = (a >= edges[0]) & (a <= edges[n])
    place = np.where(inside, place, n)
    if weights is None:
        found = np.zeros(n + 1, np.int64)
        np.add.at(found, place, 1)
    else:
        w = np.ravel(np.asarray(weights))
        found = np.zeros(n + 1, w.dtype)
        np.add.at(found, place, w)
    counts = found[:n].copy()
    if not density:
        return counts, edges
    return counts / (edges[1:] - edges[:-1]) / np.sum(counts), edges


def _bounds_of(a: Any) -> tuple:
    """The minimum and maximum; 0 and 1 for an empty array."""
    if a.size == 0:
        return np.zeros_like(a).sum(), np.zeros_like(a).sum() + 1.0
    return np.min(a), np.max(a)


# ---- membership ----
@stands_for(np.isin)
def isin(
    element: Any, test_elements: Any, assume_unique: Any = False, invert: Any = False, *,
    kind: Any = None,
) -> Any:  # fmt: skip
    """Whether each element is among others.

    >>> isin(np.array([1, 2, 3]), [1, 3])
    array([ True, False,  True])
    """
    element, others = np.asarray(element), np.ravel(np.asarray(test_elements))
    found = np.any(np.expand_dims(element, -1) == others, axis=-1)
    return np.logical_not(found) if invert else found
