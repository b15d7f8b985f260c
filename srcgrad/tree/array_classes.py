"""Instances of classes that derive from ndarray as structures: the array, and attributes."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.records import record
from srcgrad.tree.kinds import Kind

VALUE = "_value_of_this_instance"  # the field with the array of an instance that is one
# what NumPy, or Python, calls of a class: instances of one that defines it are not followed
PROTOCOLS = (
    "__array_ufunc__", "__array_function__", "__array_prepare__", "__array__",
    "__array_interface__", "__array_struct__", "__getattribute__", "__setattr__",
)  # fmt: skip
_LIBRARIES = ("numpy", "scipy", "srcgrad")


@functools.lru_cache(maxsize=1024)
def is_array_class(cls: type[Any]) -> bool:
    """Whether instances of a class are arrays with attributes, by NumPy's rules for all.

    >>> is_array_class(np.matrix), is_array_class(np.memmap)
    (True, False)
    """
    if cls is np.matrix:
        return True
    if not issubclass(cls, np.ndarray) or cls is np.ndarray or not cls.__dictoffset__:
        return False
    bases = cls.__mro__[: cls.__mro__.index(np.ndarray)]
    return not any(
        b.__module__.partition(".")[0] in _LIBRARIES or any(p in vars(b) for p in PROTOCOLS)
        for b in bases
    )


def holds_numbers(value: np.ndarray[Any, Any]) -> bool:
    return value.dtype.kind in "biufc" and value.dtype.isnative


@record(frozen=True, eq=False)
class ArrayParts:
    """An instance by its array and attributes, where these are no arrays of NumPy's."""

    cls: type[Any]
    fields: dict[str, Any]
    ndim: int | None = None  # of the instance that this one is like


class _Bare(np.ndarray):
    """An array that may become an instance of a class that derives from ndarray."""


def like(value: Any, parts: Sequence[Any]) -> Any:
    """An instance like another one, of other parts: the array alone if it has another rank."""
    if isinstance(value, ArrayParts):
        return assembled(value.cls, dict(zip(value.fields, parts, strict=True)), value.ndim)
    fields = dict(zip([VALUE, *vars(value)], parts, strict=True))
    return assembled(type(value), fields, value.ndim)


def assembled(cls: type[Any], fields: dict[str, Any], ndim: int | None = None) -> Any:
    """An instance by its array and attributes, without calling `__array_finalize__`.

    None has no instance.
    """
    value = fields[VALUE]
    if value is None:
        return None
    if not isinstance(value, np.ndarray | np.generic | float | int | complex):
        return ArrayParts(cls, fields, ndim)
    if ndim is not None and np.ndim(value) != ndim:
        return np.asarray(value)
    made = np.asarray(value).view(_Bare)
    made.__class__ = cls
    made.__dict__.update({name: v for name, v in fields.items() if name != VALUE})
    return made


KIND = Kind(
    lambda value: [value.view(np.ndarray), *vars(value).values()],
    like,
    lambda value: [VALUE, *vars(value)],
    lambda value: tuple(vars(value)),
    holds=holds_numbers,
)
PARTS = Kind(
    lambda value: list(value.fields.values()),
    like,
    lambda value: list(value.fields),
    lambda value: (value.cls, *value.fields),
)
