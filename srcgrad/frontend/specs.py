"""Specs: the forms in which the value of one place is carried where paths join.

The type of a number or an array, the parts of a container, a value that all paths share.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from srcgrad.frontend.frame import Poison
from srcgrad.frontend.values import (
    UNBOUND,
    Bound,
    Closure,
    GrownList,
    Range,
    Record,
    Slice,
)
from srcgrad.ir.types import Scalar, same_dims
from srcgrad.records import record

VARIES = None  # in a pattern of dims: carried as an integer of its own


@record(frozen=True)
class ScalarSpec:
    type: Scalar
    mixed: bool = False  # Python numbers of several classes
    either: bool = False  # Python's on one path, NumPy's on another
    shell: bool = False  # NumPy holds it in an array of rank 0
    shared: bool = False  # which several names hold


@record(frozen=True, eq=False)
class ArraySpec:
    dtype: str
    dims: tuple  # an atom that all paths share, or VARIES
    layout: str

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ArraySpec)
            and (self.dtype, self.layout) == (other.dtype, other.layout)
            and same_dims(self.dims, other.dims)
        )


@record(frozen=True, eq=False)
class StaticSpec:
    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StaticSpec) and is_same(self.value, other.value)


@record(frozen=True, eq=False)
class PartsSpec:
    """A container by its parts. `same` is the object itself while all paths leave the same one."""

    kind: tuple
    keys: tuple
    parts: tuple
    same: Any = None

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, PartsSpec)
            and (self.kind, self.keys) == (other.kind, other.keys)
            and self.same is other.same
            and (self.same is not None or self.parts == other.parts)
        )

    @property
    def mutable(self) -> bool:
        return issubclass(self.kind[0], list | dict | Record | GrownList)


@record(frozen=True)
class MaybeSpec:
    """A value, or UNBOUND or None instead."""

    inner: Any
    absent: Any = UNBOUND


@record(frozen=True)
class SeveralSpec:
    """A value of the kind `one` on some paths, of the kind `other` on the rest."""

    one: Any
    other: Any


Spec = ScalarSpec | ArraySpec | StaticSpec | PartsSpec | MaybeSpec | SeveralSpec


VALUES = (bool, int, float, complex, str, bytes, np.generic, np.dtype, type(None), type(...))


def is_same(a: Any, b: Any) -> bool:
    """Whether two static values are the same for every purpose; containers never are."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, VALUES):
        return repr(a) == repr(b)
    match a:
        case Range():
            return all(is_same(getattr(a, f), getattr(b, f)) for f in ("start", "stop", "step"))
        case Slice():
            return all(is_same(getattr(a, f), getattr(b, f)) for f in ("lower", "upper", "step"))
        case Bound():
            return a.name == b.name and a.owner is b.owner
        case Poison():
            return True
        case Closure():
            fixed = not a.defaults and not any(a.kw_defaults)
            return fixed and a.node is b.node and a.env is b.env
        case tuple():
            return not a and not b
    methods = type(a) is type(b) is types.MethodType
    return methods and a.__self__ is b.__self__ and a.__func__ is b.__func__
