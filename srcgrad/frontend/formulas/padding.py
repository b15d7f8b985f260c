"""The margins of np.pad: positions in the array, and ramps."""

from __future__ import annotations

from typing import Any

import numpy as np


def wrapped(first: Any, count: Any, n: Any) -> Any:
    """Places from `first` on, of an axis that repeats after n.

    >>> wrapped(-2, 2, 5)
    array([3, 4])
    """
    return (first + np.arange(count)) % n


def mirrored(first: Any, count: Any, n: Any) -> Any:
    """Places on an axis that turns after its ends, which come twice.

    >>> mirrored(-2, 2, 5)
    array([1, 0])
    """
    places = (first + np.arange(count)) % (2 * n)
    return np.where(places >= n, 2 * n - 1 - places, places)


def reflected(first: Any, count: Any, n: Any) -> Any:
    """Places on an axis that turns at its ends.

    >>> reflected(-2, 2, 5)
    array([2, 1])
    """
    period = np.maximum(2 * (n - 1), 1)
    places = (first + np.arange(count)) % period
    return np.where(places >= n, period - places, places)


def oddly(x: Any, first: Any, count: Any, axis: int, edges: bool) -> Any:
    """Elements from `first` on, of an axis that goes on as its own point reflections at the ends.

    With `edges` about the elements at the ends, which come twice.

    >>> oddly(np.array([1.0, 2.0, 4.0]), 3, 3, 0, False)
    array([6., 7., 8.])
    """
    n = x.shape[axis]
    period = 2 * n if edges else np.maximum(2 * (n - 1), 1)
    places = first + np.arange(count)
    turns, rest = places // period, places % period
    back = rest >= n
    mirror = 2 * n - 1 - rest if edges else period - rest
    y = np.take(x, np.where(back, mirror, rest), axis=axis)
    head, last = (np.take(x, np.full(1, k), axis=axis) for k in (0, n - 1))
    along = (1,) * axis + (-1,) + (1,) * (x.ndim - 1 - axis)
    y = np.where(np.reshape(back, along), 2 * last - y, y)
    turns = np.reshape(turns, along)
    return np.where(turns == 0, y, y + turns.astype(x.dtype) * (2 * (last - head)))


def ramp(edge: Any, end: Any, count: Any, axis: int, before: bool) -> Any:
    """A ramp from a number at the far end to the edge, which is not repeated.

    >>> ramp(np.array([4.0]), 0.0, 2, 0, True)
    array([0., 2.])
    """
    n = edge.ndim
    steps = np.arange(count) / count
    fractions = np.reshape(steps, (1,) * axis + (-1,) + (1,) * (n - 1 - axis)).astype(edge.dtype)
    rising = end + (edge - end) * fractions
    return rising if before else np.flip(rising, axis)
