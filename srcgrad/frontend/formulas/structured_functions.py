"""Functions of NumPy that make structured arrays, or take them, over the arrays of the fields.

Plain Python runs them as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import place, stands_for, unsupported
from srcgrad.frontend.formulas.structured import (
    FIELDS,
    as_dims,
    field_dims,
    is_structured,
    of_records,
    places_in_order,
    structured,
)


# ---- making ----
def made_by(make: Any, shape: Any, dtype: Any, cls: Any = np.ndarray) -> Any:
    """A structured array whose fields a function of a shape and a dtype makes."""
    dims = as_dims(shape)
    parts = tuple(make((*dims, *own), dtype=base) for base, own in field_dims(dtype))
    return structured(cls, dtype, parts)


def zeros(shape: Any, dtype: Any, order: Any = "C") -> Any:
    return made_by(np.zeros, shape, dtype)


def ones(shape: Any, dtype: Any, order: Any = "C") -> Any:
    return made_by(np.ones, shape, dtype)


def empty(shape: Any, dtype: Any, order: Any = "C") -> Any:
    return made_by(np.empty, shape, dtype)


@stands_for(np.recarray)
def recarray(shape: Any, dtype: Any = None) -> Any:
    if dtype is None:
        return unsupported("np.recarray without a dtype", "say dtype=")
    return made_by(np.empty, shape, of_records(dtype, np.record), np.recarray)


def array(x: Any, dtype: Any = None, copy: Any = True) -> Any:
    """A structured array of one, or of tuples with the values of a row each."""
    if is_structured(x):
        made = x[...] if dtype is None else x[...].astype(dtype, copy=False)
        return (made.copy() if copy else made).view(np.ndarray)
    if dtype is None:
        dtype = common_dtype(x)
    made = zeros(() if isinstance(x, tuple) else (len(x), *lengths_of_rows(x)), dtype)
    if isinstance(x, tuple):
        made[()] = x
        return made
    for i, row in enumerate(x):
        if not isinstance(row, tuple) and not is_structured(row):
            return unsupported("a structured array of other items than tuples and records", FIELDS)
        made[i] = row
    return made


def common_dtype(items: Any) -> Any:
    """The dtype that all items of a list have, which are structured arrays or records."""
    if any(not is_structured(a) or a.dtype != items[0].dtype for a in items):
        return unsupported("structured arrays of different dtypes in one", FIELDS)
    return items[0].dtype


def lengths_of_rows(items: Any) -> tuple:
    """The shape of the items of a list, if these are structured arrays."""
    return tuple(items[0].shape) if len(items) > 0 and is_structured(items[0]) else ()


def asarray(x: Any, dtype: Any = None) -> Any:
    return array(x, dtype, False)


def copied(a: Any, order: Any = "K") -> Any:
    return a.copy().view(np.ndarray)


def zeros_like(a: Any, dtype: Any = None) -> Any:
    return made_like(zeros, a, dtype)


def ones_like(a: Any, dtype: Any = None) -> Any:
    return made_like(ones, a, dtype)


def made_like(make: Any, a: Any, dtype: Any) -> Any:
    """An array of the shape of another one; of its class, if that is structured."""
    made = make(a.shape, a.dtype if dtype is None else dtype)
    whole = is_structured(a) and a._held_by_structured.cls is np.recarray
    return made.view(np.recarray) if whole else made


def expanded(a: Any, axis: int) -> Any:
    if isinstance(axis, tuple):
        return unsupported("np.expand_dims of a structured array along several axes", FIELDS)
    at = place(axis, a.ndim + 1)
    return a[(*[slice(None) for _ in range(at)], None, ...)]


def with_an_axis(*arys: Any) -> Any:
    made = tuple(a[None] if a.ndim == 0 else a[...] for a in arys)
    return made[0] if len(made) == 1 else made


def concatenated(arrays: Any, axis: int = 0) -> Any:
    dtype, first = common_dtype(arrays), arrays[0]
    if axis is None:
        return concatenated([a.ravel() for a in arrays])
    at = place(axis, first.ndim)
    parts = tuple(np.concatenate([a[name] for a in arrays], at) for name in dtype.names)
    return structured(np.ndarray, dtype, parts)


def stacked(arrays: Any, axis: Any = 0) -> Any:
    return concatenated([expanded(a, axis) for a in arrays], axis)


def side_by_side(tup: Any) -> Any:
    arrays = [with_an_axis(a) for a in tup]
    return concatenated(arrays, 0 if arrays[0].ndim == 1 else 1)


def appended(arr: Any, values: Any, axis: Any = None) -> Any:
    return concatenated((arr, values), axis)


def transposed(a: Any, axes: Any = None) -> Any:
    return a.transpose(axes)


def taken(a: Any, indices: Any, axis: Any = None) -> Any:
    return a.take(indices, axis)


def in_order(a: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> Any:
    return a[places_in_order(a, order)]


def order_of(a: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> Any:
    return places_in_order(a, order)


def reshaped(a: Any, shape: Any) -> Any:
    return a.reshape(shape)


def raveled(a: Any, order: Any = "C") -> Any:
    return a.ravel(order)


def shape_of(a: Any) -> Any:
    return a.shape


def rank_of(a: Any) -> Any:
    return a.ndim


def size_of(a: Any) -> Any:
    return a.size


# ---- recarrays ----
@stands_for(np.rec.fromarrays)
def from_arrays(arrays: Any, dtype: Any = None, *, names: Any = None) -> Any:
    """A recarray of the arrays of its fields.

    >>> made = from_arrays([np.zeros(2), np.arange(2)], names="x, k")
    >>> made.k.tolist(), made.dtype.names
    ([0, 1], ('x', 'k'))
    """
    arrays = [np.asarray(a) for a in arrays]
    kind: Any = np.dtype(dtype)
    if dtype is None:
        kind = with_names([a.dtype for a in arrays], names)
    dims = arrays[0].shape[: arrays[0].ndim - kind[0].ndim]
    made = recarray(dims, kind)
    for k, (a, name) in enumerate(zip(arrays, kind.names)):  # noqa: B905  (as NumPy does)
        if a.shape[: a.ndim - kind[k].ndim] != dims:
            raise ValueError(f'array-shape mismatch in array {k} ("{name}")')
        made[name] = a
    return made


@stands_for(np.rec.fromrecords)
def from_records(rows: Any, dtype: Any = None, *, names: Any = None) -> Any:
    """A recarray of tuples with the values of a row each."""
    if dtype is not None:
        return array(rows, np.dtype(dtype)).view(np.recarray)
    columns = [np.array([row[k] for row in rows]) for k in range(len(rows[0]))]
    return from_arrays(columns, names=names)


@stands_for(np.rec.array)
def record_array(obj: Any, dtype: Any = None, *, names: Any = None, copy: bool = True) -> Any:
    """A recarray of a structured array, of a list of tuples, or of arrays."""
    if is_structured(obj):
        return array(obj, dtype, copy).view(np.recarray)
    if isinstance(obj, (list, tuple)) and len(obj) > 0:
        of_rows = isinstance(obj[0], (list, tuple))
        return (from_records if of_rows else from_arrays)(obj, dtype, names=names)
    return unsupported(
        "np.rec.array of a value that is not a list", "say np.rec.fromarrays([...], names=...)"
    )


def with_names(kinds: Any, names: Any) -> Any:
    """The dtype of fields of these dtypes: of the names given, then f0, f1, ...

    >>> with_names([np.dtype(float), np.dtype(int)], "x")
    dtype([('x', '<f8'), ('f1', '<i8')])
    """
    given = names.split(",") if isinstance(names, str) else list(names or ())
    given = [name.strip() for name in given][: len(kinds)]
    given += [f"f{k}" for k in range(len(given), len(kinds))]
    return np.dtype([(name, kind) for name, kind in zip(given, kinds)])  # noqa: B905  (as NumPy)


# functions of NumPy that make structured arrays, given a dtype second, and that take them
MADE = {
    np.zeros: zeros, np.ones: ones, np.empty: empty, np.ndarray: empty, np.recarray: recarray,
    np.array: array, np.asarray: asarray, np.zeros_like: zeros_like, np.empty_like: zeros_like,
    np.ones_like: ones_like,
}  # fmt: skip
TAKEN = {
    np.copy: copied, np.shape: shape_of, np.ndim: rank_of, np.size: size_of, np.ravel: raveled,
    np.expand_dims: expanded, np.atleast_1d: with_an_axis, np.concatenate: concatenated,
    np.reshape: reshaped, np.stack: stacked, np.hstack: side_by_side, np.append: appended,
    np.transpose: transposed, np.take: taken, np.sort: in_order, np.argsort: order_of,
    np.rec.array: record_array,
}  # fmt: skip
