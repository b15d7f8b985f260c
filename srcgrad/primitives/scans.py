"""Primitives along one axis: running sums and products, softmax, sorts, searches."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.operation import Stated
from srcgrad.primitives import numpy_fast_paths
from srcgrad.primitives.elementwise import absorb, exp
from srcgrad.primitives.reductions import keep, reduced, sum
from srcgrad.primitives.registry import custom, linear, nondiff
from srcgrad.primitives.rules import product as times

# g * p, where p is infinite or NaN for infinite data: a zero `g` stays zero
_times = functools.partial(times, singular=True)


def _same(b: Any, x: Any, *rest: Any, **params: Any) -> Stated:
    return x.type.dtype, x.type.dims


def _places(b: Any, x: Any, **params: Any) -> Stated:
    return "i64", x.type.dims


def _cumsum(x: Any, axis: int, reverse: bool) -> Any:
    if reverse:
        return np.flip(np.cumsum(np.flip(x, axis), axis, x.dtype), axis).copy()
    return np.cumsum(x, axis, x.dtype)


cumsum = linear(
    "cumsum",
    _cumsum,
    lambda g, y, x, axis, reverse: cumsum(g, axis=axis, reverse=not reverse),
    typing=_same,
    along=True,
)


# ---- products: a factor's partial is the product of those before and after it, zeros or not ----
def _lines(x: Any, axis: int, reverse: bool) -> Any:
    """A view with the axis first, in the order of the scan."""
    x = np.moveaxis(x, axis, 0)
    return x[::-1] if reverse else x


def _running_product(x: Any, axis: int, reverse: bool) -> Any:
    y = np.ones_like(x)
    np.cumprod(_lines(x, axis, reverse)[:-1], axis=0, out=_lines(y, axis, reverse)[1:])
    return y


def _recurrence(a: Any, u: Any, axis: int, reverse: bool) -> Any:
    y = np.zeros_like(a)
    a, u, to = (_lines(x, axis, reverse) for x in (a, u, y))
    for k in range(1, len(a)):
        to[k] = a[k - 1] * to[k - 1] + u[k - 1]
    return y


# the product of all elements before each one
running_product = custom(
    "running_product",
    _running_product,
    lambda ts, y, x, axis, reverse: recurrence(x, ts[0] * y, axis=axis, reverse=reverse),
    lambda g, y, x, axis, reverse: recurrence(x, g, axis=axis, reverse=not reverse) * y,
    typing=_same,
    along=True,
    analytic=True,
)
# y[k + 1] = a[k] * y[k] + u[k], from 0
recurrence = custom(
    "recurrence",
    _recurrence,
    lambda ts, y, a, u, axis, reverse: recurrence(
        a, _total((lambda t: t * y, ts[0]), (lambda t: t, ts[1])), axis=axis, reverse=reverse
    ),
    lambda g, y, a, u, axis, reverse: recurrence(a, g, axis=axis, reverse=not reverse) * y,
    lambda g, y, a, u, axis, reverse: recurrence(a, g, axis=axis, reverse=not reverse),
    typing=_same,
    analytic=True,
)


def _others(x: Any, axes: tuple[int, ...]) -> Any:  # along one axis
    before, after = (running_product(x, axis=axes[0], reverse=r) for r in (False, True))
    return before * after


product = custom(
    "product",
    lambda x, axes: np.multiply.reduce(x, axis=axes, dtype=x.dtype),
    lambda ts, y, x, axes: sum(_times(ts[0], _others(x, axes)), axes=axes),
    lambda g, y, x, axes: _times(keep(g, x, axes), _others(x, axes)),
    typing=reduced,
    analytic=True,
)


# ---- exponentials in proportion to their sum ----
def _total_along(x: Any, axes: tuple[int, ...]) -> Any:
    """The sum along axes, with these as axes of length 1."""
    return sum.impl(x, axes)[tuple(None if k in axes else slice(None) for k in range(x.ndim))]


def _weights(x: Any, axes: tuple[int, ...], finite: bool) -> tuple[Any, ...]:
    """exp(x - top) in an array of its own, its sum along the axes, and top; None for 0 everywhere.

    The maximum along the axes is needed as top only where the sum without it is not moderate:
    finding and subtracting it takes as long as the exponentials. Each sum decides separately.
    `finite`: an infinite maximum is not subtracted.
    """
    e = np.exp(x)
    s = _total_along(e, axes)
    far = ~((s >= 2.0**-12) & (s <= 2.0**16))
    if x.size and not far.any():
        return e, s, None
    top = np.maximum.reduce(x, axis=axes, keepdims=True)
    far &= np.isfinite(top) | (not finite)
    top = np.where(far, top, 0.0).astype(x.dtype)
    np.subtract(x, top, out=e)
    np.exp(e, out=e)
    return e, _total_along(e, axes), top


def _softmax(x: Any, axes: tuple[int, ...]) -> Any:
    with np.errstate(over="ignore"):
        e, s, _ = _weights(x, axes, finite=False)
    return np.divide(e, s, out=e)


def _log_softmax(x: Any, axes: tuple[int, ...]) -> Any:
    """For infinite numbers as in SciPy: only their own elements become NaN."""
    with np.errstate(over="ignore", divide="ignore"):
        _, s, top = _weights(x, axes, finite=True)
        return x - np.log(s) if top is None else x - top - np.log(s)


def _along(x: Any, like: Any, axes: tuple[int, ...]) -> Any:
    """The sum along axes, with these as axes of length 1."""
    return keep(sum(x, axes=axes), like, axes)


def _softmax_bar(g: Any, y: Any, axes: tuple[int, ...]) -> Any:
    out = np.multiply(y, g)
    np.subtract(g, _total_along(out, axes), out=out)
    out *= y
    if numpy_fast_paths.all_finite(out):
        return out
    return absorb.impl(g - _total_along(absorb.impl(g, y), axes), y)


def _log_softmax_bar(g: Any, y: Any, axes: tuple[int, ...]) -> Any:
    total = _total_along(g, axes)
    out = np.exp(y) * total
    if not numpy_fast_paths.all_finite(out):
        out = absorb.impl(total, np.exp(y))
    return np.subtract(g, out, out=out)


def _total(*terms: tuple[Callable[[Any], Any], Any]) -> Any:
    """The sum of the terms that have a tangent."""
    first, *others = [f(t) for f, t in terms if t is not None]
    for t in others:
        first = first + t
    return first


# `passes.lower` always subtracts the maximum; an empty axis raises, as it has none
softmax = custom(
    "softmax",
    _softmax,
    lambda ts, y, x, axes: softmax_bar(ts[0], y, axes=axes),
    lambda g, y, x, axes: softmax_bar(g, y, axes=axes),
    typing=_same,
    along=True,
    raises=True,
    ordered=True,
)
# y * (g - sum(y * g)): both directions of softmax, for its matrix is symmetric
softmax_bar = custom(
    "softmax_bar",
    _softmax_bar,
    lambda ts, r, g, y, axes: _total(
        (lambda t: softmax_bar(t, y, axes=axes), ts[0]),
        (
            lambda t: (
                _times(t, g - _along(_times(g, y), y, axes)) - _times(_along(t * g, y, axes), y)
            ),
            ts[1],
        ),
    ),
    lambda h, r, g, y, axes: softmax_bar(h, y, axes=axes),
    lambda h, r, g, y, axes: (
        _times(h, g - _along(_times(g, y), y, axes)) - _times(g, _along(_times(h, y), y, axes))
    ),
    typing=_same,
)
log_softmax = custom(
    "log_softmax",
    _log_softmax,
    lambda ts, y, x, axes: ts[0] - _along(_times(ts[0], exp(y)), y, axes),
    lambda g, y, x, axes: log_softmax_bar(g, y, axes=axes),
    typing=_same,
    along=True,
    raises=True,
    ordered=True,
)
# g - exp(y) * sum(g)
log_softmax_bar = custom(
    "log_softmax_bar",
    _log_softmax_bar,
    lambda ts, r, g, y, axes: _total(
        (lambda t: log_softmax_bar(t, y, axes=axes), ts[0]),
        (lambda t: -_times(t * _along(g, y, axes), exp(y)), ts[1]),
    ),
    lambda h, r, g, y, axes: h - _along(_times(h, exp(y)), y, axes),
    lambda h, r, g, y, axes: -_times(h * _along(g, y, axes), exp(y)),
    typing=_same,
)

# stable, so that equal values have the same order wherever they are computed
argsort = nondiff(
    "argsort",
    lambda x, axis: np.argsort(x, axis=axis, kind="stable"),
    typing=_places,
    along=True,
    decides=True,
    ordered=True,
)
searchsorted = nondiff(
    "searchsorted",
    np.searchsorted,
    typing=lambda b, a, v, side: ("i64", v.type.dims if hasattr(v.type, "dims") else ()),
    decides=True,
    ordered=True,
)
