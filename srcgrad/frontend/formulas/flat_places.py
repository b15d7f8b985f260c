"""Places of elements in the flat array and along each axis, and beside those of a slice."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import stands_for, unsupported


@stands_for(np.unravel_index)
def unravel_index(indices: Any, shape: Any, order: Any = "C") -> Any:
    """The place in each axis of places in the flat array.

    >>> [int(k) for k in unravel_index(5, (2, 3))]
    [1, 2]
    """
    places, left = [], _integers(indices)
    size, fastest_first = math.prod(shape), _fastest_first(order)
    if np.any((left < 0) | (left >= size)):
        raise ValueError("index is out of bounds for array")
    for n in fastest_first(tuple(shape)):
        places.append(left % n)
        left = left // n
    return tuple(fastest_first(places))


def _integers(indices: Any) -> Any:
    """Indices as NumPy takes them: 64 bits, since narrower ones may not hold a place."""
    indices = np.asarray(indices)
    if indices.dtype.kind not in "iu":
        return unsupported("only int indices permitted", like=TypeError)
    return indices.astype(np.int64)


def _fastest_first(order: Any) -> Any:
    """The function that puts axes into the order in which their indices vary, the fastest first."""
    if order not in ("C", "F"):
        return unsupported("the order of an index is 'C' or 'F'", like=ValueError)
    return (lambda axes: axes[::-1]) if order == "C" else (lambda axes: axes)


@stands_for(np.ravel_multi_index)
def ravel_multi_index(multi_index: Any, dims: Any, mode: Any = "raise", order: Any = "C") -> Any:
    """The place in the flat array of a place in each axis.

    >>> int(ravel_multi_index((1, 2), (2, 3)))
    5
    """
    places, shape = tuple(multi_index), tuple(dims)
    modes = tuple(mode) if isinstance(mode, tuple | list) else (mode,) * len(shape)
    flat, size, fastest_first = 0, 1, _fastest_first(order)
    for k, n, at in fastest_first(tuple(zip(places, shape, modes, strict=True))):
        flat = flat + size * _within(_integers(k), n, at)
        size = size * n
    return flat


def _within(k: Any, n: Any, mode: Any) -> Any:
    """Indices within the bounds of an axis: others are clipped, wrapped around or raise."""
    if mode in ("wrap", 1):  # the number of NumPy's C interface
        return k % n
    if mode in ("clip", 0):
        return np.clip(k, 0, n - 1)
    if mode not in ("raise", 2, None):
        raise ValueError("the mode of an index is 'clip', 'raise' or 'wrap'")
    if np.any((k < 0) | (k >= n)):
        raise ValueError("invalid entry in coordinates array")
    return k


def places_left(n: Any, start: Any, step: Any, taken: Any) -> Any:
    """The places among `n` items that are left beside those `taken` by a slice.

    >>> places_left(7, 5, -2, 3).tolist()
    [0, 2, 4, 6]
    """
    down = step < 0
    first, stride = np.where(down, start + (taken - 1) * step, start), abs(step)
    k = np.arange(n - taken)
    passed = np.minimum((k - first) // np.maximum(stride - 1, 1) + 1, taken)
    return k + np.where(k < first, 0, np.where(stride > 1, passed, taken))
