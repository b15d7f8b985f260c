"""Functions that move elements, choose among them and store them, as NumPy programs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import (
    place,
    stand_for,
    stands_for,
    unsupported,
)

stand_for({
    np.diagflat: lambda v, k=0: np.diag(np.ravel(np.asarray(v)), k),
    np.trace: lambda a, offset=0, axis1=0, axis2=1, dtype=None, out=None: np.sum(
        np.diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype, out=out),
    })  # fmt: skip


# ---- order of axes and elements ----


@stands_for(np.partition)
def partition(a: Any, kth: Any, axis: Any = -1) -> Any:
    """The sorted array, of which NumPy promises only the places `kth`.

    >>> partition(np.array([3.0, 1.0, 2.0]), 1)
    array([1., 2., 3.])
    """
    _check_places(a, kth, axis)
    return np.sort(a, axis=axis)


@stands_for(np.argpartition)
def argpartition(a: Any, kth: Any, axis: Any = -1) -> Any:
    """The places of the sorted elements.

    >>> argpartition(np.array([3.0, 1.0, 2.0]), 1)
    array([1, 2, 0])
    """
    _check_places(a, kth, axis)
    return np.argsort(a, axis=axis)


def _check_places(a: Any, kth: Any, axis: Any) -> None:
    """Checks that the positions `kth` exist; like NumPy, not for empty arrays."""
    a = np.asarray(a)
    n = a.size if axis is None else a.shape[place(axis, a.ndim)]
    for k in kth if isinstance(kth, tuple | list) else (kth,):
        if a.size > 0 and (k < -n or k >= n):
            raise ValueError(f"kth(={k}) out of bounds ({n})")


def resize(a: Any, new_shape: Any) -> Any:
    """The elements repeated until a shape is filled.

    >>> resize(np.array([1, 2, 3]), (2, 2))
    array([[1, 2],
           [3, 1]])
    """
    shape = new_shape if isinstance(new_shape, tuple | list) else (new_shape,)
    count = math.prod(shape)
    flat = np.ravel(np.asarray(a))
    if flat.shape[0] == 0:
        return np.zeros(tuple(shape), flat.dtype)
    return np.reshape(flat[np.arange(count) % flat.shape[0]], tuple(shape))


def repeated(n: Any, counts: Any) -> Any:
    """The places of an axis, each as often as its count.

    >>> repeated(3, [1, 0, 2])
    array([0, 2, 2])
    """
    counts = np.asarray(counts)
    if counts.dtype.kind not in "iub":
        return unsupported("the counts of repeat are integers", like=TypeError)
    counts = np.broadcast_to(counts, (n,))
    if np.any(counts < 0):
        raise ValueError("repeats may not contain negative values.")
    ends = np.cumsum(counts)
    total: Any = ends[n - 1] if n > 0 else 0
    return np.searchsorted(ends, np.arange(total), side="right")


def diagonals(a: Any, offset: Any, axis1: Any, axis2: Any) -> Any:
    """Copies of the diagonals of two axes, as the last axis.

    >>> diagonals(np.arange(8).reshape(2, 2, 2), 0, 1, 2)
    array([[0, 3],
           [4, 7]])
    """
    moved = np.moveaxis(a, (axis1, axis2), (-2, -1))
    down, right = max(-offset, 0), max(offset, 0)
    n = np.minimum(moved.shape[-2] - down, moved.shape[-1] - right)
    places = np.arange(np.maximum(n, 0))
    return moved[..., places + down, places + right]


@stands_for(np.array_equiv)
def array_equiv(a1: Any, a2: Any) -> Any:
    """Whether arrays have the same elements in their common shape; False if there is none.

    >>> array_equiv([1.0, 1.0], 1.0), array_equiv([1.0, 2.0], [1.0, 2.0, 3.0])
    (True, False)
    """
    a1, a2 = np.asarray(a1), np.asarray(a2)
    fits = True
    for m, n in zip(reversed(np.shape(a1)), reversed(np.shape(a2)), strict=False):
        fits = fits and (m == n or m == 1 or n == 1)
    return bool(np.all(np.equal(a1, a2))) if fits else False


@stands_for(np.ediff1d)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """Differences of neighbours, with numbers before and after.

    >>> ediff1d(np.array([1.0, 3.0]), to_begin=0.0)
    array([0., 2.])
    """
    flat = np.ravel(np.asarray(ary))
    parts = [np.diff(flat)]
    if to_begin is not None:
        parts = [np.ravel(np.asarray(to_begin)).astype(flat.dtype), *parts]
    if to_end is not None:
        parts = [*parts, np.ravel(np.asarray(to_end)).astype(flat.dtype)]
    return np.concatenate(parts)


# ---- choices ----
@stands_for(np.choose)
def choose(a: Any, choices: Any) -> Any:
    """Elements of several arrays, place by place the one that an index names.

    >>> choose(np.array([0, 1]), [np.array([1.0, 2.0]), np.array([3.0, 4.0])])
    array([1., 4.])
    """
    n, a = len(choices), np.asarray(a)
    if a.dtype.kind not in "iub":
        return unsupported("choose takes integers", like=TypeError)
    if np.any((a < 0) | (a >= n)):
        raise ValueError("invalid entry in choice array")
    return np.select([np.equal(a, k) for k in range(n)], list(choices), choices[n - 1])


@stands_for(np.piecewise)
def piecewise(x: Any, condlist: Any, funclist: Any) -> Any:
    """Functions of the elements, each where its condition holds; one more for the others.

    Each function is computed of all elements and selected from.

    >>> piecewise(np.array([-1.0, 2.0]), [np.array([True, False])], [lambda v: -v, 0.0])
    array([1., 0.])
    """
    x = np.asarray(x)
    conditions = list(condlist) if isinstance(condlist, list | tuple) else [condlist]
    values = [f(x) if callable(f) else f for f in funclist]
    result = np.zeros_like(x)
    if len(values) == len(conditions) + 1:
        result = result + np.asarray(values[len(conditions)]).astype(x.dtype)
    elif len(values) != len(conditions):
        raise ValueError("the number of functions is that of the conditions, or one more")
    for condition, value in zip(conditions, values[: len(conditions)], strict=True):
        # the last of several conditions that hold decides
        result = np.where(condition, np.asarray(value).astype(x.dtype), result)
    return result


# ---- stores ----
@stands_for(np.put)
def put(a: Any, ind: Any, v: Any, mode: Any = "raise") -> None:
    """Stores at places of the flat array.

    >>> x = np.zeros(3)
    >>> put(x, [0, 2], 5.0)
    >>> x
    array([5., 0., 5.])
    """
    if mode not in ("raise", "wrap", "clip"):
        return unsupported("mode is 'raise', 'wrap' or 'clip'", like=ValueError)
    if isinstance(a, bool | int | float | complex | np.generic):
        return unsupported("put stores to an array, not to a number", "make it one", TypeError)
    places = np.ravel(np.asarray(ind))
    values = np.ravel(np.asarray(v, dtype=a.dtype))
    if values.shape[0] == 0:
        return None  # as in NumPy
    values = values[np.arange(places.shape[0]) % values.shape[0]]
    if mode != "raise":
        if places.shape[0] > 0 and a.size == 0:
            raise IndexError("cannot replace elements of an empty array")
        places = places % a.size if mode == "wrap" else np.clip(places, 0, a.size - 1)
    if a.ndim == 1:
        if places.shape[0] > 1:  # NumPy stores to those before one that is out of bounds
            a[places[0]] = values[0]
        a[places] = values
    elif np.any((places < -a.size) | (places >= a.size)):
        raise IndexError("an index of put is out of bounds")
    else:  # by axes: a reshape of an array that is not contiguous is a copy
        a[np.unravel_index(places % a.size, a.shape)] = values
    return None


@stands_for(np.putmask)
def putmask(a: Any, mask: Any, values: Any) -> None:
    """Stores where a mask holds; values that are too few are repeated.

    >>> x = np.zeros(3)
    >>> putmask(x, np.array([True, False, True]), 5.0)
    >>> x
    array([5., 0., 5.])
    """
    if np.size(mask) != a.size:
        raise ValueError("putmask: mask and data must be the same size")
    if np.ndim(values) > 0 and not np.can_cast(np.asarray(values).dtype, a.dtype):
        raise TypeError("Cannot cast array data according to the rule 'safe'")
    mask = np.reshape(mask, a.shape)
    a[...] = np.where(mask, resize(np.asarray(values, dtype=a.dtype), a.shape), a)


@stands_for(np.place)
def put_in_order(arr: Any, mask: Any, vals: Any) -> None:
    """Stores one value after the other where a mask holds; too few are repeated.

    >>> x = np.zeros(3)
    >>> put_in_order(x, np.array([True, False, True]), [5.0, 6.0])
    >>> x
    array([5., 0., 6.])
    """
    values, mask = np.ravel(np.asarray(vals, dtype=arr.dtype)), np.asarray(mask) != 0
    if mask.size != arr.size:
        raise ValueError("place: mask and data must be the same size")
    if values.size > 0:
        order = (np.cumsum(mask) - 1) % values.size
        kept = np.reshape(mask, arr.shape)
        arr[...] = np.where(kept, np.reshape(values[order], arr.shape), arr)
    elif np.any(mask):
        raise ValueError("Cannot insert from an empty array!")


@stands_for(np.put_along_axis)
def put_along_axis(arr: Any, indices: Any, values: Any, axis: Any) -> None:
    """Stores along one axis, at places that an index array of the same rank names.

    >>> x = np.zeros((2, 2))
    >>> put_along_axis(x, np.array([[0], [1]]), 5.0, 1)
    >>> x
    array([[5., 0.],
           [0., 5.]])
    """
    if axis is None:
        return unsupported("put_along_axis without an axis is not supported", "use np.put")
    axis, indices = place(axis, arr.ndim), np.asarray(indices)
    n = indices.ndim
    if n != arr.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    grids = [
        indices if k == axis
        else np.reshape(np.arange(arr.shape[k]), (1,) * k + (-1,) + (1,) * (n - 1 - k))
        for k in range(n)
    ]  # fmt: skip
    arr[tuple(grids)] = values
