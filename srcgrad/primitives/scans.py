"""Primitives along one axis: running sums, softmax, orderings, searches."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.primitives.elementwise import exp
from srcgrad.primitives.reductions import keep, sum
from srcgrad.primitives.registry import custom, linear, nondiff


def _same(b: Any, x: Any, *rest: Any, **params: Any) -> tuple:
    return x.type.dtype, x.type.dims


def _places(b: Any, x: Any, **params: Any) -> tuple:
    return "i64", x.type.dims


def _cumsum(x: Any, axis: int, reverse: bool) -> Any:
    if reverse:
        return np.flip(np.cumsum(np.flip(x, axis), axis), axis).copy()
    return np.cumsum(x, axis)


cumsum = linear(
    "cumsum",
    _cumsum,
    lambda g, y, x, axis, reverse: cumsum(g, axis=axis, reverse=not reverse),
    typing=_same,
)


# ---- exponentials in proportion to their sum ----
def _total_along(x: Any, axis: int) -> Any:
    """The sum along an axis, which stays as one of length 1."""
    return sum.impl(x, (axis,))[(slice(None),) * axis + (None,)]


def _weights(x: Any, axis: int) -> tuple:
    """exp(x - top) in an array of its own, its sum along the axis, and top; None for 0 everywhere.

    The maximum along the axis is needed as top only where the sum without it is not moderate:
    finding and subtracting it takes as long as the exponentials. Each sum decides for itself.
    """
    e = np.exp(x)
    s = _total_along(e, axis)
    far = ~((s >= 2.0**-12) & (s <= 2.0**16))
    if not far.any():
        return e, s, None
    top = np.where(far, np.maximum.reduce(x, axis=axis, keepdims=True), 0.0).astype(x.dtype)
    np.subtract(x, top, out=e)
    np.exp(e, out=e)
    return e, _total_along(e, axis), top


def _softmax(x: Any, axis: int) -> Any:
    with np.errstate(over="ignore"):
        e, s, _ = _weights(x, axis)
    e /= s
    return e


def _log_softmax(x: Any, axis: int) -> Any:
    with np.errstate(over="ignore"):
        _, s, top = _weights(x, axis)
    y = np.subtract(x, np.log(s) if top is None else top)
    if top is not None:
        y -= np.log(s)
    return y


def _along(x: Any, like: Any, axis: int) -> Any:
    """The sum along an axis, which stays as one of length 1."""
    return keep(sum(x, axes=(axis,)), like, (axis,))


def _softmax_bar(g: Any, y: Any, axis: int) -> Any:
    out = np.multiply(y, g)
    np.subtract(g, _total_along(out, axis), out=out)
    out *= y
    return out


def _log_softmax_bar(g: Any, y: Any, axis: int) -> Any:
    out = np.exp(y)
    out *= _total_along(g, axis)
    return np.subtract(g, out, out=out)


def _total(*terms: Any) -> Any:
    """The sum of the terms whose tangent is there."""
    first, *others = [f(t) for f, t in terms if t is not None]
    for t in others:
        first = first + t
    return first


softmax = custom(
    "softmax",
    _softmax,
    lambda ts, y, x, axis: softmax_bar(ts[0], y, axis=axis),
    lambda g, y, x, axis: softmax_bar(g, y, axis=axis),
    typing=_same,
    raises=True,
)
# y * (g - sum(y * g)): both directions of softmax, for its matrix is symmetric
softmax_bar = custom(
    "softmax_bar",
    _softmax_bar,
    lambda ts, r, g, y, axis: _total(
        (lambda t: softmax_bar(t, y, axis=axis), ts[0]),
        (lambda t: t * (g - _along(y * g, y, axis)) - y * _along(t * g, y, axis), ts[1]),
    ),
    lambda h, r, g, y, axis: softmax_bar(h, y, axis=axis),
    lambda h, r, g, y, axis: h * (g - _along(y * g, y, axis)) - g * _along(h * y, y, axis),
    typing=_same,
)
log_softmax = custom(
    "log_softmax",
    _log_softmax,
    lambda ts, y, x, axis: ts[0] - _along(exp(y) * ts[0], y, axis),
    lambda g, y, x, axis: log_softmax_bar(g, y, axis=axis),
    typing=_same,
    raises=True,
)
# g - exp(y) * sum(g)
log_softmax_bar = custom(
    "log_softmax_bar",
    _log_softmax_bar,
    lambda ts, r, g, y, axis: _total(
        (lambda t: log_softmax_bar(t, y, axis=axis), ts[0]),
        (lambda t: -(exp(y) * t * _along(g, y, axis)), ts[1]),
    ),
    lambda h, r, g, y, axis: h - _along(exp(y) * h, y, axis),
    lambda h, r, g, y, axis: -(exp(y) * h * _along(g, y, axis)),
    typing=_same,
)

# stable, so that the places of equal values are the same wherever they are computed
argsort = nondiff(
    "argsort",
    lambda x, axis: np.argsort(x, axis=axis, kind="stable"),
    typing=_places,
    decides=True,
    ordered=True,
)
searchsorted = nondiff(
    "searchsorted",
    lambda a, v, side: np.searchsorted(a, v, side=side),
    typing=lambda b, a, v, side: ("i64", v.type.dims if hasattr(v.type, "dims") else ()),
    decides=True,
    ordered=True,
)
