"""Primitives along one axis: running sums, orderings, searches."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.primitives.registry import linear, nondiff


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
# stable, so that the places of equal values are the same wherever they are computed
argsort = nondiff(
    "argsort", lambda x, axis: np.argsort(x, axis=axis, kind="stable"), typing=_places
)
searchsorted = nondiff(
    "searchsorted",
    lambda a, v, side: np.searchsorted(a, v, side=side),
    typing=lambda b, a, v, side: ("i64", v.type.dims if hasattr(v.type, "dims") else ()),
)
