"""Structured arrays and records of NumPy as programs over the arrays of their fields.

Each field is an array of its own, of the dims of the structured array and those of the field; an
index goes to all of them. A record is one of no dims, whose fields are views of rank 0. Plain
Python runs the methods as well.
"""

from __future__ import annotations

import collections
from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import place, refused_where, unsupported

FIELDS = "pass its fields: s['x']"
# the class in NumPy, the dtype, and the arrays of the fields
Held = collections.namedtuple("Held", ["cls", "dtype", "parts"])
HELD = "_held_by_structured"  # no field has this name


def structured(cls: Any, dtype: Any, parts: Any) -> Any:
    """An array, or a record, of these fields.

    >>> made = structured(np.ndarray, np.dtype([("x", float), ("k", int)]),
    ...                   (np.zeros(3), np.arange(3)))
    >>> len(made), made.shape, made["k"].tolist(), made[1]["k"]
    (3, (3,), [0, 1, 2], np.int64(1))
    """
    made = object.__new__(Record if issubclass(cls, np.void) else StructuredArray)
    object.__setattr__(made, HELD, Held(cls, dtype, parts))
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


def rank_of_items(dtype: Any, parts: Any) -> Any:
    """The count of dims of a structured array, of the arrays of its fields."""
    return parts[0].ndim - dtype[0].ndim


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


def of_python(part: Any) -> Any:
    """A field of a record as an item of a tuple of Python's."""
    return part.item() if is_structured(part) or part.ndim == 0 else part.copy()


def places_in_order(a: Any, order: Any) -> Any:
    """The places of the items in the order of some fields, and then of the others.

    >>> made = structured(np.ndarray, np.dtype([("x", float), ("k", int)]),
    ...                   (np.zeros(3), np.array([3, 1, 2])))
    >>> places_in_order(made, "x").tolist()
    [1, 2, 0]
    """
    if a.ndim != 1:
        return unsupported("an order of structured items along one of several axes", FIELDS)
    first = [order] if isinstance(order, str) else list(order or ())
    names = [*first, *[name for name in a.dtype.names if name not in first]]
    keys, tied = [], np.ones(max(len(a) - 1, 0), bool)
    for name in names:
        if a[name].ndim > 1 or is_structured(a[name]):
            break
        keys.append(a[name])
    if len(keys) == 0:
        return unsupported("an order by a field of arrays or of fields", "sort by a field: order=")
    at = np.lexsort(keys[::-1])
    if len(keys) < len(names):  # NumPy goes on by the bytes of the next field
        for key in keys:
            tied = tied & ~(key[at[1:]] != key[at[:-1]])
        refused_where(np.any(tied), "structured items that only fields of arrays put in order")
    return at


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
            return structured(own.cls, own.dtype[key], parts)
        at = key if isinstance(key, tuple) else (key,)
        parts = tuple(indexed(p, at, self.ndim) for p in own.parts)
        whole = rank_of_items(own.dtype, parts) > 0 or any(k is Ellipsis for k in at)
        cls = array_class(own.cls) if whole else own.dtype.type
        return structured(cls, own.dtype, parts)

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
                store(part, at, self.ndim, one)
        elif np.ndim(value) == 0:
            for part in own.parts:
                store(part, at, self.ndim, value)
        else:
            unsupported("a store of a list or an array of numbers to structured items", FIELDS)

    def __len__(self) -> Any:
        own = self._held_by_structured
        if self.ndim == 0:
            raise TypeError("len() of unsized object")
        return own.parts[0].shape[0]

    def __iter__(self) -> Any:
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(len(self)))

    @property
    def dtype(self) -> Any:
        return self._held_by_structured.dtype

    @property
    def ndim(self) -> Any:
        own = self._held_by_structured
        return rank_of_items(own.dtype, own.parts)

    @property
    def shape(self) -> Any:
        own = self._held_by_structured
        return own.parts[0].shape[: self.ndim]

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
        parts = tuple(p.reshape((*dims, *p.shape[self.ndim :])) for p in own.parts)
        return structured(array_class(own.cls), own.dtype, parts)

    def ravel(self, order: Any = "C") -> Any:
        return self.reshape(self.size, order=order)

    def flatten(self, order: Any = "C") -> Any:
        return self.ravel(order).copy()

    def transpose(self, *axes: Any) -> Any:
        own = self._held_by_structured
        if len(axes) == 0 or axes[0] is None:
            axes = tuple(range(self.ndim))[::-1]
        order = tuple(place(k, self.ndim) for k in as_dims(axes[0] if len(axes) == 1 else axes))
        parts = tuple(np.transpose(p, (*order, *range(self.ndim, p.ndim))) for p in own.parts)
        return structured(array_class(own.cls), own.dtype, parts)

    @property
    def T(self) -> Any:
        return self.transpose()

    def take(self, indices: Any, axis: Any = None, out: Any = None, mode: Any = "raise") -> Any:
        if mode != "raise" or out is not None:
            return unsupported("take of a structured array with a mode or out=", "take s[indices]")
        if axis is None:
            return self.ravel()[indices].copy()
        at = place(axis, self.ndim)
        return self[(*[slice(None) for _ in range(at)], indices)].copy()

    def argsort(self, axis: Any = -1, kind: Any = None, order: Any = None) -> Any:
        return places_in_order(self, order)

    def sort(self, axis: Any = -1, kind: Any = None, order: Any = None) -> None:
        self[...] = self[places_in_order(self, order)]

    def astype(self, dtype: Any, copy: Any = True) -> Any:
        own, to = self._held_by_structured, np.dtype(dtype)
        places = range(len(own.parts))
        same = len(to.names or ()) == len(own.parts)
        if not same or any(to[k].shape != own.dtype[k].shape for k in places):
            return unsupported("the conversion of a structured array to other fields", FIELDS)
        if any(to[k].names is not None and to[k] != own.dtype[k] for k in places):
            return unsupported("the conversion of fields within fields", FIELDS)
        if to == own.dtype and not copy:
            return self
        parts = tuple(p.astype(to[k].base) for k, p in enumerate(own.parts))
        return structured(own.cls, to, parts)

    def fill(self, value: Any) -> None:
        self[...] = value

    def tolist(self) -> Any:
        return self.item() if self.ndim == 0 else [row.tolist() for row in self]

    def item(self, *at: Any) -> Any:
        if self.ndim > 0 and len(at) != self.ndim:
            return unsupported("item() of a structured array without an index for each axis")
        if self.ndim > 0:
            return self[at].item()
        return tuple(of_python(p) for p in self._held_by_structured.parts)

    def copy(self, order: Any = "C") -> Any:
        own = self._held_by_structured
        return structured(own.cls, own.dtype, tuple(p.copy() for p in own.parts))

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()

    def view(self, dtype: Any = None, type: Any = None) -> Any:
        own = self._held_by_structured
        cls = dtype if type is None else type
        if cls is np.recarray:
            return structured(cls, of_records(own.dtype, np.record), own.parts)
        if cls is np.ndarray:
            return structured(cls, own.dtype, own.parts)
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
