"""Arrays as sets of their elements: unique, isin, setdiff1d."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import is_array, known, place, stands_for, unsupported

# NumPy 2.0 gives the places of an inverse along an axis as many axes as the array has
FLAT_INVERSE = np.unique(np.zeros((1, 1)), return_inverse=True, axis=0)[1].ndim == 1


def _parts(a: Any) -> Any:
    """The parts of an array along its first axis, as rows."""
    return np.reshape(a, (a.shape[0], math.prod(a.shape[1:])))


def _order(rows: Any) -> Any:
    """The places of the rows in lexical order; rows without elements are equal."""
    return np.lexsort(rows.T[::-1]) if rows.shape[1] else np.arange(rows.shape[0])


@stands_for(np.unique)
def unique(
    ar: Any, return_index: Any = False, return_inverse: Any = False, return_counts: Any = False,
    axis: Any = None, *, equal_nan: Any = True, sorted: Any = True,
) -> Any:  # fmt: skip
    """The sorted values without repetition; the first of equal ones has the derivative.

    Along an axis its parts are compared, element by element in their order.

    >>> unique(np.array([2.0, 1.0, 2.0]))
    array([1., 2.])
    """
    ar = np.asarray(ar)
    if axis is None or ar.ndim == 1:
        values, shape, axis = np.ravel(ar), np.shape(ar), place(axis or 0, 1)
        order = np.argsort(values)
    else:
        axis = place(known(axis), ar.ndim)
        values = np.moveaxis(ar, axis, 0)
        n = values.shape[0]
        shape = (n,) if FLAT_INVERSE else tuple(n if k == axis else 1 for k in range(ar.ndim))
        order, equal_nan = _order(_parts(values)), False
    ordered = values[order]
    n = values.shape[0]
    new = np.ones(n, bool)
    other = ordered[1:] != ordered[:-1]
    if equal_nan:
        other = other & (ordered[:-1] == ordered[:-1])
    new[1:] = other if ordered.ndim == 1 else np.any(_parts(other), axis=1)
    starts = np.flatnonzero(new)
    found = [np.moveaxis(ordered[starts], 0, axis)]
    if return_index:
        found = [*found, order[starts]]
    if return_inverse:
        inverse = np.zeros(n, np.int64)
        inverse[order] = np.cumsum(new) - 1
        found = [*found, np.reshape(inverse, shape)]
    if return_counts:
        ends = np.concatenate([starts[1:], np.full(np.minimum(n, 1), n)])
        found = [*found, ends - starts]
    return found[0] if len(found) == 1 else tuple(found)


@stands_for(np.isin)
def isin(
    element: Any, test_elements: Any, assume_unique: Any = False, invert: Any = False, *,
    kind: Any = None,
) -> Any:  # fmt: skip
    """Whether each element is among the others.

    >>> isin(np.array([1, 2, 3]), [1, 3])
    array([ True, False,  True])
    """
    if kind not in (None, "sort", "table"):
        return unsupported(f"Invalid kind: {kind!r}", "use None, 'sort' or 'table'", ValueError)
    element, others = np.asarray(element), np.ravel(np.asarray(test_elements))
    found = np.any(np.expand_dims(element, -1) == others, axis=-1)
    return np.logical_not(found) if invert else found


@stands_for(np.setdiff1d)
def setdiff1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> Any:
    """The elements of an array that are not in another, in order, each once.

    >>> setdiff1d(np.array([3.0, 1.0, 2.0, 1.0]), np.array([2.0]))
    array([1., 3.])
    """
    ar1, ar2 = np.asarray(ar1), np.asarray(ar2)
    if not is_array(ar1) or not is_array(ar2):
        return unsupported("setdiff1d of a number is not supported")
    x = np.ravel(ar1)
    if not assume_unique:
        x = np.sort(x)
        first = np.arange(x.shape[0]) == 0
        x = x[np.concatenate([first[:1], first[1:] | (x[1:] != x[:-1])])]
    return x[np.logical_not(np.any(x[:, None] == np.ravel(ar2), axis=1))]
