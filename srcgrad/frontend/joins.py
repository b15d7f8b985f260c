"""How the values of two paths become one: the results of a branch, what a loop carries.

A `Spec` says what is carried for one name: scalars and arrays as IR variables, containers part
by part, static values as they are. Dims that differ between paths are carried as integers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from srcgrad.frontend.values import (
    UNBOUND,
    Conflict,
    GrownList,
    MaybeUnbound,
    Unbound,
    children,
    describe,
    is_array,
    is_scalar,
    rebuild,
    same_shape,
)
from srcgrad.ir.nodes import Atom, Const, Var, atom
from srcgrad.ir.types import BOOL, INT, Array, Scalar, join_scalars

VARIES = None  # in a pattern of dims: carried as an integer of its own


@dataclass(frozen=True)
class ScalarSpec:
    type: Scalar


@dataclass(frozen=True)
class ArraySpec:
    dtype: str
    dims: tuple  # an atom that all paths share, or VARIES
    layout: str


@dataclass(frozen=True)
class StaticSpec:
    value: Any


@dataclass(frozen=True)
class PartsSpec:
    like: Any
    parts: tuple


@dataclass(frozen=True)
class MaybeSpec:
    inner: Any


Spec = ScalarSpec | ArraySpec | StaticSpec | PartsSpec | MaybeSpec


def spec_of(v: Any, dynamic: bool) -> Spec:
    """The spec of one value; numbers become run-time scalars if `dynamic`."""
    if is_scalar(v):
        if not dynamic and not isinstance(v, Var):
            return StaticSpec(v)
        return ScalarSpec(atom(v).type)
    if is_array(v):
        return ArraySpec(v.type.dtype, v.type.dims, v.type.layout)
    if isinstance(v, MaybeUnbound):
        return MaybeSpec(spec_of(v.value, True))
    parts = children(v)
    if parts is not None and parts:
        return PartsSpec(v, tuple(spec_of(p, dynamic) for p in parts))
    return StaticSpec(v)


def _equal(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if type(a) is not type(b) or isinstance(a, Var | GrownList):
        return False
    try:
        return bool(a == b) and repr(a) == repr(b)
    except Exception:
        return False


def join_specs(a: Spec, b: Spec) -> Spec | None:
    """The spec both fit into; None if there is none."""
    match a, b:
        case StaticSpec(v), StaticSpec(w) if _equal(v, w):
            return a
        case StaticSpec(Unbound()), MaybeSpec():
            return b
        case MaybeSpec(), StaticSpec(Unbound()):
            return a
        case StaticSpec(Unbound()), _:
            return _maybe(b)
        case _, StaticSpec(Unbound()):
            return _maybe(a)
        case MaybeSpec(i), MaybeSpec(j):
            inner = join_specs(i, j)
            return None if inner is None else _maybe(inner)
        case MaybeSpec(i), _:
            inner = join_specs(i, b)
            return None if inner is None else _maybe(inner)
        case _, MaybeSpec(j):
            inner = join_specs(a, j)
            return None if inner is None else _maybe(inner)
        case StaticSpec(v), _ if is_scalar(v):
            return join_specs(ScalarSpec(atom(v).type), b if not _static_number(b) else _dyn(b))
        case _, StaticSpec(w) if is_scalar(w):
            return join_specs(a, ScalarSpec(atom(w).type))
        case ScalarSpec(t), ScalarSpec(u):
            if "bool" in (t.dtype, u.dtype) and t.dtype != u.dtype:
                t, u = (INT if x.dtype == "bool" else x for x in (t, u))
            return ScalarSpec(join_scalars(t, u))
        case ArraySpec(), ArraySpec() if a.dtype == b.dtype and len(a.dims) == len(b.dims):
            dims = tuple(
                d if d is not VARIES and (d is e or (d == e and not isinstance(d, Var))) else VARIES
                for d, e in zip(a.dims, b.dims, strict=True)
            )
            return ArraySpec(a.dtype, dims, a.layout if a.layout == b.layout else "S")
        case PartsSpec(), PartsSpec() if same_shape(a.like, b.like):
            parts = [join_specs(p, q) for p, q in zip(a.parts, b.parts, strict=True)]
            if any(p is None for p in parts):
                return None
            return PartsSpec(a.like, tuple(p for p in parts if p is not None))
    return None


def _maybe(spec: Spec) -> Spec | None:
    if isinstance(spec, StaticSpec):
        if not is_scalar(spec.value):
            return None
        spec = ScalarSpec(atom(spec.value).type)
    if isinstance(spec, ScalarSpec | ArraySpec):
        return MaybeSpec(loose(spec))
    return None


def loose(spec: Spec) -> Spec:
    """The spec with every run-time dim carried: one path does not know them."""
    if isinstance(spec, ArraySpec):
        dims = tuple(VARIES if isinstance(d, Var) else d for d in spec.dims)
        return replace(spec, dims=dims)
    if isinstance(spec, PartsSpec):
        return replace(spec, parts=tuple(loose(p) for p in spec.parts))
    return spec


def _static_number(s: Spec) -> bool:
    return isinstance(s, StaticSpec) and is_scalar(s.value)


def _dyn(s: Any) -> Spec:
    return ScalarSpec(atom(s.value).type)


def conflict(a: Any, b: Any) -> Conflict:
    return Conflict(f"it is {describe(a)} on one path and {describe(b)} on another")


class Carrier:
    """Turns values into flat atoms by a spec, and fresh variables back into values."""

    def __init__(self, builder: Any):
        self.b = builder

    def flatten(self, spec: Spec, v: Any) -> list[Atom]:
        """The atoms carried for `v`, cast and padded as the spec wants (emits)."""
        if v is UNBOUND and not isinstance(spec, MaybeSpec):
            return self._filler(spec)
        match spec:
            case StaticSpec():
                return []
            case ScalarSpec(t):
                return [self.b.cast(self.b.cast(v, INT) if _widened(v, t) else v, t)]
            case ArraySpec():
                varying = [d for d, p in zip(v.type.dims, spec.dims, strict=True) if p is VARIES]
                return [v, *map(atom, varying)]
            case PartsSpec():
                parts = children(v)
                assert parts is not None
                return [a for s, p in zip(spec.parts, parts, strict=True) for a in self.flatten(s, p)]
            case MaybeSpec(inner):
                if v is UNBOUND:
                    return [Const(False, BOOL), *self._filler(inner)]
                if isinstance(v, MaybeUnbound):
                    return [v.flag, *self.flatten(inner, v.value)]
                return [Const(True, BOOL), *self.flatten(inner, v)]
        raise AssertionError(spec)

    def _filler(self, spec: Spec) -> list[Atom]:
        """Atoms of the right types for a value that was never bound."""
        if isinstance(spec, PartsSpec):
            return [a for p in spec.parts for a in self._filler(p)]
        if isinstance(spec, StaticSpec):
            return []
        if isinstance(spec, ScalarSpec):
            zero = {"b": False, "f": 0.0, "c": 0j}.get(spec.type.dtype[0], 0)
            return [self.b.cast(zero, spec.type)]
        assert isinstance(spec, ArraySpec)
        dims = [0 if d is VARIES else d for d in spec.dims]
        empty = self.b("empty", *dims, dtype=spec.dtype)
        return [empty, *(atom(0) for d in spec.dims if d is VARIES)]

    def fresh(self, spec: Spec, name: str) -> tuple[list[Var], Any]:
        """New variables for a spec, and the value they make up."""
        match spec:
            case StaticSpec(v):
                return [], v
            case ScalarSpec(t):
                v = Var(name, t)
                return [v], v
            case ArraySpec():
                own = [Var("n", INT) for d in spec.dims if d is VARIES]
                rest = iter(own)
                dims = tuple(next(rest) if d is VARIES else d for d in spec.dims)
                v = Var(name, Array(spec.dtype, dims, spec.layout))
                return [v, *own], v
            case PartsSpec():
                pairs = [self.fresh(s, name) for s in spec.parts]
                return [x for vs, _ in pairs for x in vs], rebuild(spec.like, [p for _, p in pairs])
            case MaybeSpec(inner):
                flag = Var(f"{name}_bound", BOOL)
                vs, v = self.fresh(inner, name)
                return [flag, *vs], MaybeUnbound(v, flag)
        raise AssertionError(spec)


def _widened(v: Any, t: Scalar) -> bool:
    """Whether a bool joins as a number: it passes through int, as Python has it."""
    return atom(v).type.dtype == "bool" and t.dtype != "bool"
