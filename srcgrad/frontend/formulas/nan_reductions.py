"""Reductions that ignore NaN, and replacements of NaN."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import (
    floating,
    is_array,
    known,
    stand_for,
    stands_for,
    stored,
    unsupported,
)
from srcgrad.frontend.formulas.statistics import (
    at_places,
    in_its_dtype,
    kept,
    kind_of_quantile,
    lanes_of,
    places_of_quantile,
)

LARGEST = {np.dtype(t).itemsize: float(np.finfo(t).max) for t in ("f2", "f4", "f8")}


def _numbers(a: Any, name: str, keepdims: Any = True) -> Any:
    """An array; a number is one of length 1 where its axis does not stay."""
    a = np.asarray(a)
    if is_array(a):
        return a
    if keepdims:
        return unsupported(f"{name} of a number is not supported")
    return np.reshape(a, (1,))


def _filled(a: Any, instead: Any) -> Any:
    """`a` with a number in place of each NaN."""
    return np.where(np.isnan(a), instead, a) if a.dtype.kind in "fc" else a


def _count(a: Any, axis: Any, keepdims: Any) -> Any:
    """The number of numbers along the axes, as a float of the dtype of `a`."""
    ones = np.logical_not(np.isnan(a)).astype(a.dtype)
    return np.sum(ones, axis=axis, keepdims=keepdims)


# ---- sums and products ----
stand_for({
    np.nansum: lambda a, *args, **kwargs: np.sum(
        _filled(_numbers(a, "nansum"), 0.0), *args, **kwargs),
    np.nanprod: lambda a, *args, **kwargs: np.prod(
        _filled(_numbers(a, "nanprod"), 1.0), *args, **kwargs),
    np.nancumsum: lambda a, *args, **kwargs: np.cumsum(
        _filled(_numbers(a, "nancumsum"), 0.0), *args, **kwargs),
    np.nancumprod: lambda a, *args, **kwargs: np.cumprod(
        _filled(_numbers(a, "nancumprod"), 1.0), *args, **kwargs),
})  # fmt: skip


@stands_for(np.nanmean)
def nanmean(a: Any, axis: Any = None, *, out: Any = None, keepdims: Any = False) -> Any:
    """The mean of the elements that are not NaN.

    >>> float(nanmean(np.array([1.0, np.nan, 2.0])))
    1.5
    """
    a = _numbers(a, "nanmean", keepdims)
    if a.dtype.kind not in "fc":
        return np.mean(a, axis=axis, out=out, keepdims=keepdims)
    total = np.sum(_filled(a, 0.0), axis=axis, keepdims=keepdims)
    return stored(total / _count(a, axis, keepdims), out)


@stands_for(np.nanvar)
def nanvar(
    a: Any, axis: Any = None, *, out: Any = None, ddof: Any = 0, keepdims: Any = False
) -> Any:
    """The variance of the elements that are not NaN; NaN where too few are left.

    >>> float(nanvar(np.array([1.0, np.nan, 3.0])))
    1.0
    """
    a = _numbers(a, "nanvar", keepdims)
    if a.dtype.kind not in "fc":
        return np.var(a, axis=axis, out=out, ddof=ddof, keepdims=keepdims)
    gap = np.where(np.isnan(a), 0.0, a - nanmean(a, axis, keepdims=True))
    degrees = _count(a, axis, keepdims) - ddof
    degrees = np.where(degrees > 0.0, degrees, np.nan)
    return stored(np.sum(gap * gap, axis=axis, keepdims=keepdims) / degrees, out)


@stands_for(np.nanstd)
def nanstd(
    a: Any, axis: Any = None, *, out: Any = None, ddof: Any = 0, keepdims: Any = False
) -> Any:
    """The root of nanvar; its derivative is defined as 0 where that is 0.

    >>> float(nanstd(np.array([1.0, np.nan, 3.0])))
    1.0
    """
    variance = nanvar(a, axis, ddof=ddof, keepdims=keepdims)
    zero = variance == 0.0
    return stored(np.where(zero, 0.0, np.sqrt(np.where(zero, 1.0, variance))), out)


# ---- extrema ----
stand_for({
    np.nanmax: lambda a, axis=None, *, out=None, keepdims=False: stored(_extremum(
        np.max, _numbers(a, "nanmax", keepdims), -np.inf, axis, keepdims), out),
    np.nanmin: lambda a, axis=None, *, out=None, keepdims=False: stored(_extremum(
        np.min, _numbers(a, "nanmin", keepdims), np.inf, axis, keepdims), out),
    np.nanargmax: lambda a, axis=None, *, out=None, keepdims=False: np.argmax(
        _filled(_searched(floating(a), axis), -np.inf), axis=axis, out=out, keepdims=keepdims),
    np.nanargmin: lambda a, axis=None, *, out=None, keepdims=False: np.argmin(
        _filled(_searched(floating(a), axis), np.inf), axis=axis, out=out, keepdims=keepdims),
})  # fmt: skip


def _extremum(f: Any, a: Any, neutral: Any, axis: Any, keepdims: Any) -> Any:
    """NaN where there are only NaNs."""
    if a.dtype.kind not in "fc":
        return f(a, axis=axis, keepdims=keepdims)
    best = f(_filled(a, neutral), axis=axis, keepdims=keepdims)
    return np.where(_count(a, axis, keepdims) == 0.0, np.nan, best)


def _searched(a: Any, axis: Any) -> Any:
    if np.any(np.all(np.isnan(a), axis=axis)):
        raise ValueError("All-NaN slice encountered")
    return a


# ---- order statistics ----
stand_for({
    np.nanmedian: lambda a, axis=None, *, out=None, keepdims=False: nanquantile(
        a, 0.5, axis, out=out, keepdims=keepdims),
    np.nanpercentile: lambda a, q, axis=None, *, out=None, method="linear", keepdims=False: stored(
        _nanquantiles(np.nanpercentile, a, q, np.divide(q, 100), axis, method, keepdims), out),
})  # fmt: skip


@stands_for(np.nanquantile)
def nanquantile(
    a: Any, q: Any, axis: Any = None, *, out: Any = None, method: Any = "linear",
    keepdims: Any = False,
):  # fmt: skip
    """The quantile of the elements that are not NaN; NaN where there are none.

    >>> float(nanquantile(np.array([1.0, np.nan, 2.0]), 0.5))
    1.5
    """
    return stored(_nanquantiles(np.nanquantile, a, q, q, axis, method, keepdims), out)


def _nanquantiles(f: Any, a: Any, given: Any, q: Any, axis: Any, method: str, keepdims: Any) -> Any:
    a, axis = np.asarray(a), known(axis)
    kind = kind_of_quantile(f, a, np.asarray(given) if np.ndim(given) else given, method)
    wide = a.astype(kind) if kind.kind == "f" else floating(a)

    def at(v: Any) -> Any:
        return _at_nanquantile(wide, v, axis, method, keepdims)

    return at_places(at, in_its_dtype(q, a)).astype(kind)


def _at_nanquantile(a: Any, q: Any, axis: Any, method: str, keepdims: Any) -> Any:
    if not (q >= 0.0 and q <= 1.0):
        raise ValueError("Quantiles must be in the range [0, 1]")
    lanes, k = lanes_of(a, axis)
    lanes = np.moveaxis(lanes, k, -1)
    # pad with a NaN, which is not counted, so that empty lanes have an element to read
    none = np.full((*lanes.shape[:-1], 1), np.nan, lanes.dtype)
    ordered = np.sort(np.concatenate([lanes, none], axis=-1), axis=-1)
    count = np.sum(np.logical_not(np.isnan(ordered)), axis=-1, keepdims=True)
    low, high, weight = places_of_quantile(count, q, method)
    value = np.take_along_axis(ordered, low.astype(np.int64), axis=-1)
    if weight is not None:
        above = np.take_along_axis(ordered, high.astype(np.int64), axis=-1)
        value = value + (above - value) * weight.astype(a.dtype)
    found = kept(a, value[..., 0], axis, keepdims)
    return found if found.ndim else found[()]


@stands_for(np.nan_to_num)
def nan_to_num(
    x: Any, copy: Any = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    """Replaces NaN and infinities by numbers, infinities by the largest ones by default.

    >>> nan_to_num(np.array([np.nan, np.inf]), posinf=9.0)
    array([0., 9.])
    """
    if not copy:
        return _replaced_in_place(x, nan, posinf, neginf)
    x = np.asarray(x)
    if x.dtype.kind == "c":  # each part by itself
        imag = nan_to_num(x.imag, copy, nan, posinf, neginf)
        return nan_to_num(x.real, copy, nan, posinf, neginf) + imag * 1j
    if x.dtype.kind not in "fc":
        return np.positive(x)
    big = LARGEST[x.dtype.itemsize]
    y = np.where(np.isnan(x), nan, x)
    y = np.where(x == np.inf, big if posinf is None else posinf, y)
    return np.where(x == -np.inf, -big if neginf is None else neginf, y)


def _replaced_in_place(x: Any, nan: Any, posinf: Any, neginf: Any) -> Any:
    """Stores what `nan_to_num` gives to the array itself, which is returned."""
    if isinstance(x, list | tuple):
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    if not is_array(x):
        return unsupported("nan_to_num of a number with copy=False", "leave it out")
    if x.dtype.kind in "fc":  # other numbers are finite
        x[...] = nan_to_num(x, True, nan, posinf, neginf)
    return x
