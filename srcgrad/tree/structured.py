"""Structured arrays and records of NumPy as structures: the fields are the parts."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.records import record
from srcgrad.tree.structures import Kind, add_kind, rebuilt

RECORDS = (np.void, np.record)  # the classes of one record
CLASSES = (np.ndarray, np.recarray, *RECORDS)
ARRAY_OR_NUMBER = (np.ndarray, np.generic, bool, int, float, complex)


def field_ranks(dtype: np.dtype[Any]) -> list[int]:
    """The count of dims that each field has by itself."""
    return [dtype[name].ndim for name in dtype.names or ()]


@record(frozen=True, eq=False)
class Fields:
    """A structured array by its fields: in templates, and where these are no arrays of NumPy's."""

    cls: type[Any]  # one of CLASSES
    dtype: np.dtype[Any]
    parts: tuple[Any, ...]

    def __repr__(self) -> str:
        named = zip(self.dtype.names or (), self.parts, strict=True)
        return f"{self.cls.__name__}({', '.join(f'{n}={p!r}' for n, p in named)})"


def _parts(value: Any) -> list[Any]:
    """The fields as views of the memory of an array or a record."""
    whole = np.asarray(value)
    return [whole[name] for name in value.dtype.names]


def _opened(like: Any, parts: Sequence[Any]) -> Fields:
    return Fields(type(like), like.dtype, tuple(parts))


def _rebuilt(like: Any, parts: Sequence[Any]) -> Any:
    """An array of other fields, in arrays; of anything else the fields alone."""
    whole = all(isinstance(p, ARRAY_OR_NUMBER) for p in parts)
    return (_assembled if whole else _opened)(like, parts)


def by_name(like: Any, parts: Sequence[Any]) -> Any:
    """A structure like another one, with a dict of fields for a structured array.

    Derivatives of its fields by something else have no common shape.
    """
    if isinstance(like, Fields):
        return dict(zip(like.dtype.names or (), parts, strict=True))
    return rebuilt(like, parts)


def with_whole(like: Any, parts: Sequence[Any]) -> Any:
    """A structure like another one, in which structured arrays stay as they are."""
    return like if is_structured(like) else rebuilt(like, parts)


def has_fields(dtype: np.dtype[Any]) -> bool:
    """Whether a dtype is one of fields that share no memory.

    >>> has_fields(np.dtype([("x", float), ("k", int)])), has_fields(np.dtype(float))
    (True, False)
    """
    return dtype.names is not None and _are_apart(dtype)


@functools.lru_cache(maxsize=256)
def _are_apart(dtype: np.dtype[Any]) -> bool:
    spans = sorted((at, at + field.itemsize) for field, at, *_ in (dtype.fields or {}).values())
    return bool(spans) and all(stop <= start for (_, stop), (start, _) in itertools.pairwise(spans))


def is_structured(value: Any) -> bool:
    """Whether a value is a structured array or a record, or the fields of one."""
    return isinstance(value, Fields) or (type(value) in CLASSES and has_fields(value.dtype))


def _assembled(like: Any, parts: Sequence[Any]) -> Any:
    """A new array of fields; those that are None, which have no derivative, are left out.

    >>> kind = np.dtype([("x", float), ("k", int)])
    >>> _assembled(np.zeros(2, kind), [np.ones(2), None])
    array([(1.,), (1.,)], dtype=[('x', '<f8')])
    """
    cls: Any = like.cls if isinstance(like, Fields) else type(like)
    dtype: Any = like.dtype
    held = [(n, p) for n, p in zip(dtype.names, parts, strict=True) if p is not None]
    if not all(isinstance(p, ARRAY_OR_NUMBER) for _, p in held):
        return Fields(cls, dtype, tuple(parts))
    if not held:
        return None
    arrays = [(n, np.asarray(p), dtype[n]) for n, p in held]
    leads = {a.shape[: a.ndim - of.ndim] for _, a, of in arrays}
    if len(leads) > 1 or any(a.shape[a.ndim - of.ndim :] != of.shape for _, a, of in arrays):
        return Fields(cls, dtype, tuple(parts))
    if len(held) < len(dtype) or any(a.dtype != of.base for _, a, of in arrays):
        dtype = np.dtype([(n, a.dtype, of.shape) for n, a, of in arrays])
    out = np.empty(leads.pop(), dtype)
    for n, a, _ in arrays:
        out[n] = a
    if cls in (np.recarray, np.record):
        out = out.view(np.recarray)
    return out[()] if cls in RECORDS and not out.ndim else out


for _cls in CLASSES:
    add_kind(_cls, Kind(
        _parts, _rebuilt,
        lambda value: list(value.dtype.names),
        lambda value: value.dtype,
        _assembled, _opened,
        holds=lambda value: has_fields(value.dtype), partial=True,
    ))  # fmt: skip
add_kind(Fields, Kind(
    lambda value: value.parts,
    lambda like, parts: replace(like, parts=tuple(parts)),
    lambda value: list(value.dtype.names or ()),
    lambda value: (value.cls, value.dtype),
    _assembled, partial=True,
))  # fmt: skip
