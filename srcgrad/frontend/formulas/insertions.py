"""Elements deleted from arrays, inserted, and changed in turn, as NumPy programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import unsupported
from srcgrad.frontend.versions import raised

# in np.insert: they were integers until NumPy 2.2
MASKS_SAY_WHERE = raised(np.insert, np.ones(3), np.array([True, False, True]), [5, 6]) is None


def without(x: Any, places: Any, axis: int) -> Any:
    """An array without the places of one axis that an index, a slice or a mask names.

    >>> without(np.array([1.0, 2.0, 3.0]), slice(None, None, 2), 0)
    array([2.])
    """
    kept = np.ones(x.shape[axis], bool)
    if np.ndim(places) > 0 and np.asarray(places).dtype == bool and kept.shape != np.shape(places):
        raise ValueError("boolean array argument obj to delete must match the axis length")
    kept[places] = False
    return x[(slice(None),) * axis + (kept,)]


def with_inserted(x: Any, places: Any, values: Any, axis: int) -> Any:
    """An array with values put in front of several places of one axis.

    >>> with_inserted(np.array([1.0, 2.0]), [0, 2], [5.0, 6.0], 0)
    array([5., 1., 2., 6.])
    """
    n, at = x.shape[axis], np.asarray(places)
    if at.ndim != 1 or at.dtype.kind not in "iub":
        return unsupported("insert takes an index, a slice or a vector", like=ValueError)
    if at.dtype.kind == "b":
        at = np.nonzero(at)[0] if MASKS_SAY_WHERE else np.asarray(at, np.int64)
    at = np.where(at < 0, at + n, at)
    if np.any((at < 0) | (at > n)):
        raise IndexError("an index of insert is out of bounds")
    # earlier insertions move later places
    at[np.argsort(at, stable=True)] += np.arange(at.shape[0])
    old = np.ones(n + at.shape[0], bool)
    old[at] = False
    whole = (slice(None),) * axis
    made = np.zeros((*x.shape[:axis], n + at.shape[0], *x.shape[axis + 1 :]), x.dtype)
    made[(*whole, at)] = values
    made[(*whole, np.nonzero(old)[0])] = x
    return made


def changed_in_turn(f: Any, x: Any, places: Any, *values: Any) -> None:
    """Elements replaced in turn by a function of them: those named twice, twice.

    >>> x = np.ones(2)
    >>> changed_in_turn(np.multiply, x, [0, 0], 3.0)
    >>> x
    array([9., 1.])
    """
    places = places if isinstance(places, tuple) else (places,)
    if any(np.ndim(p) == 0 or np.asarray(p).dtype.kind not in "iu" for p in places):
        return unsupported("ufunc.at takes arrays of indices")
    places = np.broadcast_arrays(*places)
    rest = x.shape[len(places) :]
    lines = [np.reshape(np.broadcast_to(v, (*places[0].shape, *rest)), (-1, *rest)) for v in values]
    places = [np.ravel(p) for p in places]
    for k in range(places[0].shape[0]):
        at = tuple(p[k] for p in places)
        x[at] = f(x[at], *(line[k] for line in lines))
    return None
