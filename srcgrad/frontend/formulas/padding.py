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
