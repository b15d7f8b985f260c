"""Statistics as NumPy programs: weighted means, order statistics, counts.

Counts and places (of digitize) have no derivative; weights have one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import (
    floating,
    inexact,
    is_static,
    known,
    part,
    place,
    stands_for,
    stored,
    unsupported,
)


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


@stands_for(np.ptp)
def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    """The largest element less the smallest.

    >>> float(ptp(np.array([1.0, 4.0, 2.0])))
    3.0
    """
    top = np.max(a, axis=axis, keepdims=keepdims)
    return stored(top - np.min(a, axis=axis, keepdims=keepdims), out)


COUNT_IS_PYTHONS = type(np.count_nonzero(np.ones(1))) is int  # until NumPy 2.3


@stands_for(np.count_nonzero)
def count_nonzero(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The number of elements that are not 0.

    >>> int(count_nonzero(np.array([1.0, 0.0, 2.0])))
    2
    """
    count = np.sum(np.not_equal(a, 0), axis=axis, keepdims=keepdims)
    return int(count) if COUNT_IS_PYTHONS and axis is None and not keepdims else count


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


# ---- order statistics ----
# alpha and beta of Hyndman and Fan (1996): the place of a quantile between the sorted values
BETWEEN = {
    "linear": (1.0, 1.0), "weibull": (0.0, 0.0), "hazen": (0.5, 0.5),
    "interpolated_inverted_cdf": (0.0, 1.0), "median_unbiased": (1.0 / 3.0, 1.0 / 3.0),
    "normal_unbiased": (3.0 / 8.0, 3.0 / 8.0),
}  # fmt: skip
# the functions that round the place of a quantile to one of the sorted values
ROUNDED = {"lower": np.floor, "higher": np.ceil, "nearest": np.rint}
# inverses of the empirical distribution: how far its steps lie before the places
STEPS = {"inverted_cdf": 1.0, "averaged_inverted_cdf": 1.0, "closest_observation": 1.5}
METHODS = (*BETWEEN, *ROUNDED, *STEPS, "midpoint")
# since NumPy 2.4 NumPy's doubles are no numbers of Python's here
PLACES_TAKE_DTYPE = np.lib.NumpyVersion(np.__version__) < "2.4.0"


def lanes_of(a: Any, axis: Any) -> tuple[Any, int]:
    """The array with the reduced axes as one, and that axis.

    >>> [lanes_of(np.zeros((2, 3, 4)), k)[0].shape for k in (None, 1, (0, 1))]
    [(24,), (2, 3, 4), (4, 6)]
    """
    if axis is None:
        return np.ravel(a), 0
    axes = sorted([place(k, a.ndim) for k in (axis if isinstance(axis, tuple | list) else (axis,))])
    if len(axes) == 1:
        return a, axes[0]
    rest = [k for k in range(a.ndim) if k not in axes]
    many = math.prod([a.shape[k] for k in axes])
    moved = np.transpose(a, (*rest, *axes))
    return np.reshape(moved, (*(a.shape[k] for k in rest), many)), len(rest)


def kept(a: Any, value: Any, axis: Any, keepdims: Any) -> Any:
    """A reduced array, with the reduced axes put back if requested.

    >>> kept(np.zeros((2, 3)), np.zeros(2), 1, True).shape
    (2, 1)
    """
    if not keepdims:
        return value
    if axis is None:
        return np.reshape(value, (1,) * a.ndim)
    axes = axis if isinstance(axis, tuple | list) else (axis,)
    return np.expand_dims(value, tuple(k % a.ndim for k in axes))


def _ordered(a: Any, axis: Any, what: str) -> tuple[Any, int]:
    """The elements sorted along the reduced axes as one, and that axis."""
    if a.ndim == 0:
        return unsupported(f"the {what} of a number is not supported")
    if a.dtype == np.bool_:
        return unsupported(
            f"the {what} of booleans is not supported", "use .astype(float)", TypeError
        )
    lanes, k = lanes_of(a, axis)
    return np.sort(lanes, axis=k), k


def _without_order(ordered: Any, axis: int, value: Any) -> Any:
    """NaNs are sorted to the end; with one there is no order."""
    if ordered.dtype.kind not in "fc":
        return value
    last = np.sum(part(ordered, axis, slice(-1, None)), axis=axis)
    return np.where(np.isnan(last), last, value)


@stands_for(np.median)
def median(
    a: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False, keepdims: Any = False
) -> Any:
    """The middle value, or the mean of the two middle ones.

    >>> float(median(np.array([1.0, 4.0, 2.0])))
    2.0
    """
    a = np.asarray(a)
    ordered, k = _ordered(inexact(a), axis, "median")
    n = ordered.shape[k]
    middle = part(ordered, k, slice(np.maximum((n - 1) // 2, 0), n // 2 + 1))
    value = _without_order(ordered, k, np.mean(middle, axis=k))
    return stored(kept(a, value, axis, keepdims), out)


@stands_for(np.quantile)
def quantile(
    a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False,
    method: Any = "linear", keepdims: Any = False,
) -> Any:  # fmt: skip
    """The value at a fraction of the way along the sorted ones, or the values at several.

    >>> quantile(np.array([1.0, 4.0, 2.0]), [0.25, 0.5])
    array([1.5, 2. ])
    """
    return stored(quantiles(np.quantile, a, q, q, axis, method, keepdims), out)


def quantiles(f: Any, a: Any, given: Any, q: Any, axis: Any, method: str, keepdims: Any) -> Any:
    """The values at the fractions `q`, in the dtype of NumPy's `f` with what it was given."""
    a = np.asarray(a)
    kind = kind_of_quantile(f, a, np.asarray(given) if np.ndim(given) else given, method)
    ordered, k = _ordered(a.astype(kind) if kind.kind == "f" else a, axis, "quantile")

    def at(v: Any) -> Any:
        return kept(a, _at_quantile(ordered, k, v, method), axis, keepdims)

    return at_places(at, in_its_dtype(q, a)).astype(kind)


def at_places(at: Any, q: Any) -> Any:
    """A function of one place at each of some, which may have any number of axes.

    >>> at_places(np.sqrt, [[4.0, 9.0]]).tolist()
    [[2.0, 3.0]]
    """
    if np.ndim(q) == 0:
        return at(q)
    places = tuple(q)
    if len(places) == 0:
        return unsupported("quantiles at no places are not supported")
    return np.stack([np.asarray(at_places(at, v)) for v in places])


def kind_of_quantile(f: Any, a: Any, q: Any, method: str) -> Any:
    """The dtype of NumPy's result, which depends on the method and the classes of the places.

    >>> kind_of_quantile(np.quantile, np.zeros(2, np.float32), 0.5, "linear")
    dtype('float32')
    """
    return np.asarray(f(a, q, method=method)).dtype


def _at_quantile(ordered: Any, axis: int, q: Any, method: str) -> Any:
    """The value at the fraction `q` of the way along a sorted axis."""
    if is_static(q) and not 0 <= q <= 1:
        return unsupported("Quantiles must be in the range [0, 1]", like=ValueError)
    if not (q >= 0.0 and q <= 1.0):
        raise ValueError("Quantiles must be in the range [0, 1]")
    low, high, weight = places_of_quantile(ordered.shape[axis], q, method)
    below = part(ordered, axis, np.int64(low))
    if weight is None:
        return _without_order(ordered, axis, below)
    above = part(ordered, axis, np.int64(high))
    weight = np.asarray(weight, ordered.dtype)
    return _without_order(ordered, axis, below + (above - below) * weight)


def in_its_dtype(q: Any, a: Any) -> Any:
    """A fraction in the dtype of an array, as NumPy before 2.4 takes a number of Python's.

    >>> in_its_dtype(np.float32(0.5), np.zeros(2, np.float32)).dtype
    dtype('float32')
    """
    taken = PLACES_TAKE_DTYPE and isinstance(q, int | float) and a.dtype.kind == "f"
    return np.asarray(q, a.dtype) if taken else q


def places_of_quantile(n: Any, q: Any, method: str) -> tuple[Any, Any, Any]:
    """Two places among n sorted values and the weight of the second; None: the first alone.

    Methods 1 to 9 of Hyndman and Fan (1996), and those of NumPy that round a place.

    >>> [float(v) for v in places_of_quantile(5, 0.3, "hazen")]
    [1.0, 2.0, 0.0]
    """
    top = np.maximum(n - 1, 0) * 1.0
    if method in ROUNDED:
        place = ROUNDED[method](q * top)
        return place, place, None
    if method in STEPS:
        at = n * q - STEPS[method]
        low = np.floor(at)
        exact = at == low
        if method != "averaged_inverted_cdf":
            stays = exact & (low % 2 == 1) if method == "closest_observation" else exact
            place = np.clip(np.where(stays, low, low + 1.0), 0.0, top)
            return place, place, None
        weight = np.where(exact, 0.5, 1.0)
    elif method in BETWEEN and method != "linear":
        alpha, beta = BETWEEN[method]
        at = np.clip(n * q + (alpha - 1.0 + q * (1.0 - alpha - beta)), 0.0, top)
        low = np.floor(at)
        weight = at - low
    else:
        at = q * top
        low = np.floor(at)
        weight = np.where(at == low, 0.0, 0.5) if method == "midpoint" else at - low
    return np.clip(low, 0.0, top), np.clip(low + 1.0, 0.0, top), weight


@stands_for(np.percentile)
def percentile(
    a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False,
    method: Any = "linear", keepdims: Any = False,
) -> Any:  # fmt: skip
    """quantile in percent.

    >>> float(percentile(np.array([1.0, 4.0, 2.0]), 50.0))
    2.0
    """
    return stored(quantiles(np.percentile, a, q, np.divide(q, 100), axis, method, keepdims), out)


# ---- counts ----
@stands_for(np.bincount)
def bincount(x: Any, weights: Any = None, minlength: Any = 0) -> Any:
    """The number of times each integer occurs, or the sum of its weights.

    >>> bincount(np.array([0, 2, 2]))
    array([1, 0, 2])
    """
    x = np.asarray(x)
    if x.ndim != 1 or x.dtype.kind not in "iu":
        return unsupported("bincount takes a vector of integers")
    x = x.astype(np.int64)
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
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
    side = "left" if right else "right"
    if np.all(steps >= 0.0):
        return np.searchsorted(bins, x, side=side)
    if not np.all(steps <= 0.0):
        raise ValueError("bins must be monotonically increasing or decreasing")
    return n - np.searchsorted(bins[::-1], x, side=side)
