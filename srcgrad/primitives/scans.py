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
def _shifted(x: Any, axis: int) -> Any:
    """x less its maximum along the axis, in an array of its own."""
    return np.subtract(x, np.maximum.reduce(x, axis=axis, keepdims=True))


def _softmax(x: Any, axis: int) -> Any:
    e = _shifted(x, axis)
    np.exp(e, out=e)
    e /= np.add.reduce(e, axis=axis, keepdims=True)
    return e


def _log_softmax(x: Any, axis: int) -> Any:
    y = _shifted(x, axis)
    y -= np.log(np.add.reduce(np.exp(y), axis=axis, keepdims=True))
    return y


def _along(x: Any, like: Any, axis: int) -> Any:
    """The sum along an axis, which stays as one of length 1."""
    return keep(sum(x, axes=(axis,)), like, (axis,))


def _softmax_bar(g: Any, y: Any, axis: int) -> Any:
    if axis == y.ndim - 1:
        s = np.vecdot(y, g)[..., None]
    else:
        s = np.add.reduce(y * g, axis=axis, keepdims=True)
    out = np.subtract(g, s)
    out *= y
    return out


def _log_softmax_bar(g: Any, y: Any, axis: int) -> Any:
    out = np.exp(y)
    out *= np.add.reduce(g, axis=axis, keepdims=True)
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
    "argsort", lambda x, axis: np.argsort(x, axis=axis, kind="stable"), typing=_places
)
searchsorted = nondiff(
    "searchsorted",
    lambda a, v, side: np.searchsorted(a, v, side=side),
    typing=lambda b, a, v, side: ("i64", v.type.dims if hasattr(v.type, "dims") else ()),
)
