"""Joins the values of two paths into one: the results of a branch, the values a loop carries.

A `Spec` describes what is carried for one place: scalars and arrays as IR variables, containers
part by part, static values and containers that stay the same object unchanged. Dims that differ
between paths are carried as integers.
"""

from __future__ import annotations

import types
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.frontend.heap import contents, is_mutable
from srcgrad.frontend.number_classes import unlike
from srcgrad.frontend.values import (
    ANY,
    POISON,
    UNBOUND,
    Bound,
    Classes,
    Conflict,
    GrownList,
    MaybeNone,
    MaybeUnbound,
    Range,
    Record,
    Several,
    Slice,
    TrackedList,
    Unbound,
    article,
    describe,
    is_array,
    is_scalar,
)
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import INT, Scalar, join_scalars, same_dim, same_dims
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
        return isinstance(other, StaticSpec) and _equal(self.value, other.value)


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
KINDS = 3  # the most that one place has


def spec_of(v: Any, dynamic: bool, known: Any, classes: Classes = ANY) -> Spec:
    """The spec of one value; numbers become run-time scalars if `dynamic`.

    A container whose id is in `known` was there before the paths parted: it may stay the same.
    `classes` says which numbers have several.
    """
    if is_scalar(v):
        if not dynamic and not isinstance(v, Var):
            return StaticSpec(v)
        sets = (classes.mixed, classes.either, classes.shells, classes.shared)
        return ScalarSpec(atom(v).type, *(v in of for of in sets))
    if is_array(v):
        return ArraySpec(v.type.dtype, v.type.dims, v.type.layout)
    if isinstance(v, MaybeUnbound | MaybeNone):
        absent = None if isinstance(v, MaybeNone) else UNBOUND
        return MaybeSpec(spec_of(v.value, True, known, classes), absent)
    if isinstance(v, Several):
        specs = (spec_of(p, dynamic, known, classes) for p in (v.one, v.other))
        return SeveralSpec(*map(loose, specs))
    if isinstance(v, GrownList) and v.of_numbers:
        items = ArraySpec(v.dtype.dtype, (VARIES,), "C")
        return PartsSpec((GrownList, v.dtype), (0,), (items,), v if id(v) in known else None)
    if is_mutable(v) and not isinstance(v, GrownList):
        held = contents(v)
        parts = tuple(spec_of(p, dynamic, known, classes) for p in held.values())
        return PartsSpec(_kind(v), tuple(held), parts, v if id(v) in known else None)
    if isinstance(v, tuple) and v:
        parts = tuple(spec_of(p, dynamic, known, classes) for p in v)
        return PartsSpec(_kind(v), tuple(range(len(v))), parts)
    return StaticSpec(v)


def _kind(v: Any) -> tuple:
    match v:
        case TrackedList():
            return list, v.key
        case Record():
            return Record, v.cls, v.lacks
    return (type(v),)


_VALUES = (bool, int, float, complex, str, bytes, np.generic, np.dtype, type(None), type(...))


def _equal(a: Any, b: Any) -> bool:
    """Whether two static values are the same for every purpose; containers never are."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, _VALUES):
        return repr(a) == repr(b)
    match a:
        case Range():
            return all(_equal(getattr(a, f), getattr(b, f)) for f in ("start", "stop", "step"))
        case Slice():
            return all(_equal(getattr(a, f), getattr(b, f)) for f in ("lower", "upper", "step"))
        case Bound():
            return a.name == b.name and a.owner is b.owner
        case tuple():
            return not a and not b
    methods = type(a) is type(b) is types.MethodType
    return methods and a.__self__ is b.__self__ and a.__func__ is b.__func__


def join_specs(a: Spec, b: Spec) -> Spec | None:
    """The spec that both fit; None if there is none."""
    match a, b:
        case StaticSpec(v), StaticSpec(w) if _equal(v, w):
            return a
        case StaticSpec(v), _ if v is POISON:
            return a
        case _, StaticSpec(w) if w is POISON:
            return b
        case StaticSpec(Range() | Slice()), _:
            return join_specs(_bounds(a), b)
        case _, StaticSpec(Range() | Slice()):
            return join_specs(a, _bounds(b))
        case (StaticSpec(Unbound()), other) | (other, StaticSpec(Unbound())):
            return _maybe(other, UNBOUND)
        case (MaybeSpec(i, Unbound()), other) | (other, MaybeSpec(i, Unbound())):
            inner = join_specs(i, _present(other, UNBOUND))
            return None if inner is None else _maybe(inner, UNBOUND)
        case (SeveralSpec() as several, other) | (other, SeveralSpec() as several):
            return _with_kind(several, other)
        case (StaticSpec(None), other) | (other, StaticSpec(None)) if _may_be_none(other):
            return _maybe(other, None)
        case (MaybeSpec(i, None), other) | (other, MaybeSpec(i, None)):
            inner = join_specs(i, _present(other, None))
            return None if inner is None else _maybe(inner, None)
        case (StaticSpec(v), other) | (other, StaticSpec(v)) if _is_inexact(v, other):
            return None
        case StaticSpec(v), _ if is_scalar(v):
            return join_specs(_dynamic(a), _dynamic(b) if _static_number(b) else b)
        case _, StaticSpec(w) if is_scalar(w):
            return join_specs(a, _dynamic(b))
        case ScalarSpec(t), ScalarSpec(u):
            mixed = a.mixed or b.mixed or unlike(t, u)
            either = a.either or b.either or t.weak != u.weak
            if "bool" in (t.dtype, u.dtype) and t.dtype != u.dtype:
                t, u = (INT if x.dtype == "bool" else x for x in (t, u))
            shell, shared = a.shell or b.shell, a.shared or b.shared
            return ScalarSpec(join_scalars(t, u), mixed, either, shell, shared)
        case ArraySpec(), ArraySpec() if a.dtype == b.dtype and len(a.dims) == len(b.dims):
            dims = tuple(
                d if d is not VARIES and same_dim(d, e) else VARIES
                for d, e in zip(a.dims, b.dims, strict=True)
            )
            return ArraySpec(a.dtype, dims, a.layout if a.layout == b.layout else "S")
        case PartsSpec(), PartsSpec():
            return _join_parts(a, b)
    return None


def several(a: Spec, b: Spec) -> Spec | None:
    """The spec of a place that has either kind, or None: containers must have one kind.

    A run-time length of one kind may not be defined on the paths of the other: it is carried.
    """
    return SeveralSpec(loose(a), loose(b)) if _is_plain(a) and _is_plain(b) else None


_CONSTANT = (str, type, np.ufunc, types.FunctionType, types.BuiltinFunctionType)


def _is_plain(spec: Spec) -> bool:
    """Whether a value is a number, an array, a string or a function: no container."""
    if isinstance(spec, StaticSpec):
        v = spec.value
        return is_scalar(v) or isinstance(v, _CONSTANT) or type(v) is type(np.dot)
    return isinstance(spec, ScalarSpec | ArraySpec)


def _with_kind(spec: SeveralSpec, other: Spec, room: int = KINDS - 2) -> Spec | None:
    """The spec with one more kind, joined with the first that it fits."""
    if isinstance(other, SeveralSpec):
        found = _with_kind(spec, other.one)
        return None if found is None else join_specs(found, other.other)
    if not _is_plain(other):
        return None
    if (one := join_specs(spec.one, other)) is not None:
        return SeveralSpec(loose(one), spec.other)
    if isinstance(spec.other, SeveralSpec):
        rest = _with_kind(spec.other, other, room - 1)
    else:
        rest = join_specs(spec.other, other)
        if rest is None and room > 0:
            rest = several(spec.other, other)
    return None if rest is None else SeveralSpec(spec.one, loose(rest))


def fits(v: Any, spec: Spec, classes: Classes) -> bool:
    """Whether a value has a kind."""
    return join_specs(spec, spec_of(v, False, {}, classes)) is not None


def _bounds(spec: StaticSpec) -> PartsSpec:
    """A range or a slice by its three numbers."""
    held = vars(spec.value)
    parts = tuple(spec_of(p, False, {}) for p in held.values())
    return PartsSpec((type(spec.value),), tuple(held), parts)


def _join_parts(a: PartsSpec, b: PartsSpec) -> Spec | None:
    if a.same is not None and a.same is b.same:
        return a
    if a.kind[0] is not b.kind[0] or a.keys != b.keys:
        return None
    if a.kind[0] in (Record, GrownList) and a.kind != b.kind:
        return None
    parts = [join_specs(p, q) for p, q in zip(a.parts, b.parts, strict=True)]
    if any(p is None for p in parts):
        return None
    kind = a.kind if a.kind == b.kind else a.kind[:1]
    return PartsSpec(kind, a.keys, tuple(p for p in parts if p is not None))


def _maybe(spec: Spec, absent: Any) -> Spec | None:
    if isinstance(spec, StaticSpec) and isinstance(spec.value, Conflict):
        return None
    spec = _present(spec, absent)
    return MaybeSpec(loose(_dynamic(spec) if _static_number(spec) else spec), absent)


def _present(spec: Spec, absent: Any) -> Spec:
    """The spec of a value where it is present."""
    return spec.inner if isinstance(spec, MaybeSpec) and spec.absent is absent else spec


def _may_be_none(spec: Spec) -> bool:
    """Whether a value may be None on another path: a number, an array, a tuple of these."""
    if isinstance(spec, PartsSpec):
        return not spec.mutable and all(map(_may_be_none, spec.parts))
    return isinstance(spec, ScalarSpec | ArraySpec | MaybeSpec) or _static_number(spec)


def loose(spec: Spec) -> Spec:
    """The spec with every run-time dim carried: they are unknown on one path."""
    if isinstance(spec, ArraySpec):
        dims = tuple(VARIES if isinstance(d, Var) else d for d in spec.dims)
        return replace(spec, dims=dims)
    if isinstance(spec, PartsSpec):
        return replace(spec, parts=tuple(loose(p) for p in spec.parts))
    if isinstance(spec, MaybeSpec):
        return replace(spec, inner=loose(spec.inner))
    if isinstance(spec, SeveralSpec):
        return SeveralSpec(loose(spec.one), loose(spec.other))
    return spec


def _is_inexact(v: Any, other: Spec) -> bool:
    """Whether an integer is not exact in the floats that it is joined with."""
    floats = isinstance(other, ScalarSpec) and other.type.dtype[0] in "fc"
    floats = floats or (isinstance(other, StaticSpec) and isinstance(other.value, float))
    return floats and type(v) is int and int(float(v)) != v


def _static_number(s: Spec) -> bool:
    return isinstance(s, StaticSpec) and is_scalar(s.value)


def _dynamic(s: Any) -> ScalarSpec:
    return ScalarSpec(atom(s.value).type)


BRANCH = "strings are known at compile time: branch on the condition itself"


def _unlike(a: Any, b: Any) -> bool:
    return join_specs(spec_of(a, False, {}), spec_of(b, False, {})) is None


def conflict(a: Any, b: Any) -> Conflict:
    a, b = (v.one if isinstance(v, Several) else v for v in (a, b))
    if a is UNBOUND or b is UNBOUND:
        return Conflict("it is not bound on every path")
    if isinstance(a, GrownList) or isinstance(b, GrownList):
        return Conflict(
            "it is a list that grows at run time on one path and another one on another: "
            "np.array(...) of a list can be carried"
        )
    lists = isinstance(a, list) and isinstance(b, list)
    if lists or (isinstance(a, tuple) and type(a) is type(b)):
        noun = "list" if lists else type(a).__name__
        if len(a) != len(b):
            return Conflict(
                f"it is {article(noun)} {noun} of {len(a)} items on one path and another {noun}, "
                f"of {len(b)}, on another"
            )
        at = next((k for k, (x, y) in enumerate(zip(a, b, strict=True)) if _unlike(x, y)), None)
        if at is not None:
            inner = conflict(a[at], b[at])
            nested = inner.reason.startswith("at [")
            reason = inner.reason.removeprefix("at ") if nested else f" {inner.reason}"
            return Conflict(f"at [{at}]{reason}", inner.way_out)
    if isinstance(a, Record) and isinstance(b, Record) and a.cls is b.cls:
        same = list(a.fields) == list(b.fields) and a.lacks == b.lacks
        if not same:
            return Conflict(
                f"it is {describe(a)} with other attributes on one path than on another",
                "set the same attributes in the same order on both",
            )
    if isinstance(a, str) and isinstance(b, str):
        return Conflict(f"it is {a!r} on one path and {b!r} on another", BRANCH)
    return Conflict(f"it is {describe(a)} on one path and {describe(b)} on another")
