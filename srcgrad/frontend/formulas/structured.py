"""Structured arrays and records of NumPy as programs over the arrays of their fields.

Each field is an array of its own, of the dims of the structured array and those of the field; an
index goes to all of them. A record is one of no dims, whose fields are views of rank 0. Plain
Python runs the methods as well.
"""

from __future__ import annotations

import collections
from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import place, stands_for, unsupported

FIELDS = "pass its fields: s['x']"
# the class in NumPy, the dtype, the count of dims, and the arrays of the fields
Held = collections.namedtuple("Held", ["cls", "dtype", "rank", "parts"])
HELD = "_held_by_structured"  # no field has this name


def structured(cls: Any, dtype: Any, rank: int, parts: Any) -> Any:
    """An array, or a record, of these fields.

    >>> made = structured(np.ndarray, np.dtype([("x", float), ("k", int)]), 1,
    ...                   (np.zeros(3), np.arange(3)))
    >>> len(made), made.shape, made["k"].tolist(), made[1]["k"]
    (3, (3,), [0, 1, 2], np.int64(1))
    """
    made = object.__new__(Record if issubclass(cls, np.void) else StructuredArray)
    object.__setattr__(made, HELD, Held(cls, dtype, rank, parts))
    return made


def is_structured(v: Any) -> bool:
    """Whether a value is a structured array or a record."""
    return hasattr(v, HELD)


def of_records(dtype: Any, cls: Any) -> Any:
    """A dtype of the same fields, whose records are of the class."""
    return np.dtype((cls, dtype))


def field_dims(dtype: Any) -> tuple:
    """The dtype and the dims of each field.

    >>> field_dims(np.dtype([("x", float), ("v", int, 3)]))
    ((dtype('float64'), ()), (dtype('int64'), (3,)))
    """
    return tuple((dtype[name].base, dtype[name].shape) for name in dtype.names)


def indexed(part: Any, at: Any, rank: int) -> Any:
    """The part of a field's array at an index into the first axes, as a view where NumPy's is."""
    if any(k is Ellipsis for k in at):
        return part[(*at, *[slice(None) for _ in range(part.ndim - rank)])]
    return part[(*at, ...)]


def store(part: Any, at: Any, rank: int, value: Any) -> None:
    """Stores a value at such an index."""
    if any(k is Ellipsis for k in at):
        part[(*at, *[slice(None) for _ in range(part.ndim - rank)])] = value
    else:
        part[(*at, ...)] = value


def is_names(key: Any) -> bool:
    """Whether a key is a list of names of fields."""
    return isinstance(key, list) and len(key) > 0 and isinstance(key[0], str)


def as_dims(shape: Any) -> tuple:
    """The lengths that a shape, or one length, says.

    >>> as_dims(3), as_dims([2, 3])
    ((3,), (2, 3))
    """
    return tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)


def array_class(cls: Any) -> Any:
    """The class of arrays of such items.

    >>> array_class(np.void)
    <class 'numpy.ndarray'>
    """
    return np.recarray if cls is np.recarray else np.ndarray


class StructuredArray:
    """A structured array of NumPy's."""

    _held_by_structured: Held

    def __getitem__(self, key: Any) -> Any:
        own = self._held_by_structured
        if isinstance(key, str):
            if key not in own.dtype.names:
                raise ValueError(f"no field of name {key}")
            return own.parts[own.dtype.names.index(key)]
        if is_names(key):
            parts = tuple(own.parts[own.dtype.names.index(n)] for n in key)
            return structured(own.cls, own.dtype[key], own.rank, parts)
        at = key if isinstance(key, tuple) else (key,)
        parts = tuple(indexed(p, at, own.rank) for p in own.parts)
        rank = own.rank + parts[0].ndim - own.parts[0].ndim
        whole = rank > 0 or any(k is Ellipsis for k in at)
        cls = array_class(own.cls) if whole else own.dtype.type
        return structured(cls, own.dtype, rank, parts)

    def __setitem__(self, key: Any, value: Any) -> None:
        own = self._held_by_structured
        if isinstance(key, str):
            if key not in own.dtype.names:
                raise ValueError(f"no field of name {key}")
            part = own.parts[own.dtype.names.index(key)]
            part[...] = value
            return
        if is_names(key):
            self[key][...] = value
            return
        at = key if isinstance(key, tuple) else (key,)
        if is_structured(value):
            value = value._held_by_structured.parts
        if isinstance(value, tuple):
            if len(value) != len(own.parts):
                raise ValueError(
                    f"could not assign tuple of length {len(value)} to structure with "
                    f"{len(own.parts)} fields."
                )
            for part, one in zip(own.parts, value):  # noqa: B905  (they are as many)
                store(part, at, own.rank, one)
        elif np.ndim(value) == 0:
            for part in own.parts:
                store(part, at, own.rank, value)
        else:
            unsupported("a store of a list or an array of numbers to structured items", FIELDS)

    def __len__(self) -> Any:
        own = self._held_by_structured
        if own.rank == 0:
            raise TypeError("len() of unsized object")
        return own.parts[0].shape[0]

    def __iter__(self) -> Any:
        if self._held_by_structured.rank == 0:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(len(self)))

    @property
    def dtype(self) -> Any:
        return self._held_by_structured.dtype

    @property
    def ndim(self) -> Any:
        return self._held_by_structured.rank

    @property
    def shape(self) -> Any:
        own = self._held_by_structured
        return own.parts[0].shape[: own.rank]

    @property
    def size(self) -> Any:
        n = 1
        for m in self.shape:
            n = n * m
        return n

    def reshape(self, *shape: Any, order: Any = "C") -> Any:
        own = self._held_by_structured
        if order != "C":
            return unsupported("another order of the items of a structured array", FIELDS)
        dims = as_dims(shape[0] if len(shape) == 1 else shape)
        parts = tuple(p.reshape((*dims, *p.shape[own.rank :])) for p in own.parts)
        return structured(array_class(own.cls), own.dtype, len(dims), parts)

    def ravel(self, order: Any = "C") -> Any:
        return self.reshape(self.size, order=order)

    def flatten(self, order: Any = "C") -> Any:
        return self.ravel(order).copy()

    def copy(self, order: Any = "C") -> Any:
        own = self._held_by_structured
        return structured(own.cls, own.dtype, own.rank, tuple(p.copy() for p in own.parts))

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()

    def view(self, dtype: Any = None, type: Any = None) -> Any:
        own = self._held_by_structured
        cls = dtype if type is None else type
        if cls is np.recarray:
            return structured(cls, of_records(own.dtype, np.record), own.rank, own.parts)
        if cls is np.ndarray:
            return structured(cls, own.dtype, own.rank, own.parts)
        return unsupported("a view of a structured array as another dtype", FIELDS)

    def __getattr__(self, name: str) -> Any:
        own = self._held_by_structured
        if hasattr(own.cls, name):
            return unsupported(f"'{name}' of a structured array", FIELDS)
        if own.cls not in (np.recarray, np.record):
            raise AttributeError(f"'{own.cls.__name__}' object has no attribute '{name}'")
        if name not in own.dtype.names:
            raise AttributeError(f"{own.cls.__name__} has no attribute {name}")
        value = self[name]
        return value.view(np.recarray) if is_structured(value) else value

    def __setattr__(self, name: str, value: Any) -> None:
        own = self._held_by_structured
        if hasattr(own.cls, name) or own.cls not in (np.recarray, np.record):
            unsupported(f"setting '{name}' of a structured array", "set a field: s['x'] = ...")
        elif name not in own.dtype.names:
            unsupported(f"setting '{name}' of a structured array, which has no such field")
        else:
            self[name] = value

    def __bool__(self) -> Any:
        return unsupported("the truth of a structured array", FIELDS)

    def __contains__(self, item: Any) -> Any:
        return unsupported("'in' with a structured array", FIELDS)

    def __eq__(self, other: Any) -> Any:
        return unsupported("a comparison of structured arrays", "compare their fields")

    def __ne__(self, other: Any) -> Any:
        return unsupported("a comparison of structured arrays", "compare their fields")

    __hash__ = None  # type: ignore[assignment]  (as that of an array)


class Record(StructuredArray):
    """A record: an item of a structured array, which views it."""

    def __getitem__(self, key: Any) -> Any:
        own = self._held_by_structured
        if isinstance(key, str) and key in own.dtype.names:
            return own.parts[own.dtype.names.index(key)][()]
        if isinstance(key, int):
            if not -len(own.parts) <= key < len(own.parts):
                raise IndexError(f"invalid index ({key})")
            return own.parts[key][()]
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        own = self._held_by_structured
        if isinstance(key, int):
            if not -len(own.parts) <= key < len(own.parts):
                raise IndexError(f"invalid index ({key})")
            own.parts[key][...] = value
        else:
            super().__setitem__(key, value)

    def __len__(self) -> Any:
        return len(self._held_by_structured.parts)

    def __iter__(self) -> Any:
        return iter([p[()] for p in self._held_by_structured.parts])


StructuredArray.__name__, Record.__name__ = "structured array", "record"


# ---- making ----
def made_by(make: Any, shape: Any, dtype: Any, cls: Any = np.ndarray) -> Any:
    """A structured array whose fields a function of a shape and a dtype makes."""
    dims = as_dims(shape)
    parts = tuple(make((*dims, *own), dtype=base) for base, own in field_dims(dtype))
    return structured(cls, dtype, len(dims), parts)


def zeros(shape: Any, dtype: Any, order: Any = "C") -> Any:
    return made_by(np.zeros, shape, dtype)


def ones(shape: Any, dtype: Any, order: Any = "C") -> Any:
    return made_by(np.ones, shape, dtype)


def empty(shape: Any, dtype: Any, order: Any = "C") -> Any:
    return made_by(np.empty, shape, dtype)


@stands_for(np.recarray)
def recarray(shape: Any, dtype: Any = None) -> Any:
    if dtype is None:
        unsupported("np.recarray without a dtype", "say dtype=")
    return made_by(np.empty, shape, of_records(dtype, np.record), np.recarray)


def array(x: Any, dtype: Any = None, copy: Any = True) -> Any:
    """A structured array of one, or of tuples with the values of a row each."""
    if is_structured(x):
        if dtype is not None and dtype != x.dtype:
            unsupported("the conversion of a structured array to another dtype", FIELDS)
        made = x[...]
        return made.copy() if copy else made
    made = zeros(() if isinstance(x, tuple) else len(x), dtype)
    if isinstance(x, tuple):
        made[()] = x
        return made
    for i, row in enumerate(x):
        if not isinstance(row, tuple) and not is_structured(row):
            unsupported("a structured array of other items than tuples and records", FIELDS)
        made[i] = row
    return made


def asarray(x: Any, dtype: Any = None) -> Any:
    return array(x, dtype, False)


def copied(a: Any, order: Any = "K") -> Any:
    return a.copy()


def zeros_like(a: Any, dtype: Any = None) -> Any:
    return zeros(a.shape, a.dtype if dtype is None else dtype)


def ones_like(a: Any, dtype: Any = None) -> Any:
    return ones(a.shape, a.dtype if dtype is None else dtype)


def expanded(a: Any, axis: int) -> Any:
    if isinstance(axis, tuple):
        return unsupported("np.expand_dims of a structured array along several axes", FIELDS)
    at = place(axis, a.ndim + 1)
    return a[(*[slice(None) for _ in range(at)], None, ...)]


def with_an_axis(*arys: Any) -> Any:
    made = tuple(a[None] if a.ndim == 0 else a[...] for a in arys)
    return made[0] if len(made) == 1 else made


def concatenated(arrays: Any, axis: int = 0) -> Any:
    first = arrays[0]
    if any(not is_structured(a) or a.dtype != first.dtype for a in arrays):
        return unsupported("a concatenation of arrays of different dtypes", FIELDS)
    at, own = place(axis, first.ndim), first._held_by_structured
    each = [a._held_by_structured.parts for a in arrays]
    parts = tuple(np.concatenate([p[k] for p in each], at) for k in range(len(own.parts)))
    return structured(np.ndarray, own.dtype, own.rank, parts)


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


# functions of NumPy that make structured arrays, given a dtype second, and that take them
MADE = {
    np.zeros: zeros, np.ones: ones, np.empty: empty, np.ndarray: empty, np.recarray: recarray,
    np.array: array, np.asarray: asarray, np.zeros_like: zeros_like, np.empty_like: zeros_like,
    np.ones_like: ones_like,
}  # fmt: skip
TAKEN = {
    np.copy: copied, np.shape: shape_of, np.ndim: rank_of, np.size: size_of, np.ravel: raveled,
    np.expand_dims: expanded, np.atleast_1d: with_an_axis, np.concatenate: concatenated,
    np.reshape: reshaped,
}  # fmt: skip
