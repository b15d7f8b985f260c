"""Methods of binary ufuncs as loops along one axis: reduce, accumulate, reduceat."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import known, place, unsupported


def folded(f: Any, x: Any, axis: Any, keepdims: Any = False) -> Any:
    """Reduces all elements along an axis to one.

    >>> float(folded(np.hypot, np.array([2.0, 3.0, 6.0]), 0))
    7.0
    """
    if isinstance(axis, tuple) or axis is None:
        return unsupported("this reduction over several axes is not supported")
    axis = place(axis, np.ndim(x))
    total = np.take(scanned(f, x, axis), -1, axis=axis)
    return np.expand_dims(total, axis) if keepdims else total


def scanned(f: Any, x: Any, axis: Any) -> Any:
    """Accumulates along an axis: `f` of the result before and each element.

    >>> scanned(np.maximum, np.array([2.0, 1.0, 3.0]), 0)
    array([2., 2., 3.])
    """
    x = np.asarray(x)
    axis = place(axis, x.ndim)
    made = np.moveaxis(x, axis, 0).copy()
    for k in range(1, made.shape[0]):
        made[k] = f(made[k - 1], made[k])
    return np.moveaxis(made, 0, axis)


def reduced_at(reduce: Any, x: Any, places: Any, axis: Any) -> Any:
    """Reductions of the parts that end at the next place, or at the end of the axis.

    A part whose next place does not follow its own is one element.

    >>> reduced_at(np.add.reduce, np.arange(4.0), [0, 2, 1], 0)
    array([1., 2., 6.])
    """
    x, places = np.moveaxis(np.asarray(x), known(axis), 0), np.asarray(places)
    n, m = places.shape[0], x.shape[0]
    if np.any((places < 0) | (places >= m)):
        raise IndexError("an index of reduceat is out of bounds")
    made = np.zeros((n, *x.shape[1:]), np.asarray(reduce(x[:1], axis=0)).dtype)
    for k in range(n):
        stop = np.maximum(places[k + 1], places[k] + 1) if k + 1 < n else m
        made[k] = reduce(x[places[k] : stop], axis=0)
    return np.moveaxis(made, 0, axis)
