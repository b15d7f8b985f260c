"""Flattens values to the atoms that a branch yields or a loop carries, and back, by their specs."""

from __future__ import annotations

from functools import reduce
from typing import Any

from srcgrad.frontend import held_values
from srcgrad.frontend.dict_values import TrackedDict
from srcgrad.frontend.grown_lists import items_of
from srcgrad.frontend.heap import is_mutable, meeting_at, require_apart
from srcgrad.frontend.interpreter import Interpreter
from srcgrad.frontend.joins import fits
from srcgrad.frontend.specs import (
    VARIES,
    ArraySpec,
    MaybeSpec,
    PartsSpec,
    ScalarSpec,
    SeveralSpec,
    Spec,
    StaticSpec,
)
from srcgrad.frontend.values import (
    UNBOUND,
    GrownList,
    MaybeNone,
    MaybeUnbound,
    Range,
    Record,
    Several,
    Slice,
    TrackedList,
)
from srcgrad.ir.nodes import Atom, Const, If, Var, atom
from srcgrad.ir.types import BOOL, INT, Array, Scalar
from srcgrad.tree import children


class Carrier:
    """Turns values into flat atoms by a spec, and fresh variables back into values.

    `seen` collects the containers that were taken apart, `made` those that were rebuilt, both in
    the same order (None where a path has none).
    """

    def __init__(self, it: Interpreter):
        self.it, self.b, self.classes = it, it.b, it.captures.classes
        self.seen: list[Any] = []
        self.made: list[Any] = []

    def flatten(self, spec: Spec, v: Any) -> list[Atom]:
        """The atoms carried for `v`, cast and padded as the spec requires (emits)."""
        maybe = isinstance(spec, MaybeSpec) and spec.absent is UNBOUND
        if v is UNBOUND and not maybe:
            return self._filler(spec)
        if _is_choice(v) and not isinstance(spec, MaybeSpec | SeveralSpec):
            return self._first_of(spec, _alternatives(self.b, v))
        match spec:
            case StaticSpec():
                return []
            case ScalarSpec(t):
                return [self.b.cast(self.b.cast(v, INT) if _widened(v, t) else v, t)]
            case ArraySpec():
                varying = [d for d, p in zip(v.type.dims, spec.dims, strict=True) if p is VARIES]
                return [v, *map(atom, varying)]
            case PartsSpec():
                return self._flatten_parts(spec, v)
            case MaybeSpec(inner, absent):
                if v is absent:
                    return [Const(False, BOOL), *self._filler(inner)]
                if isinstance(v, _kind_of(absent)):
                    return [v.flag, *self.flatten(inner, v.value)]
                return [Const(True, BOOL), *self.flatten(inner, v)]
            case SeveralSpec():
                return self._flatten_several(spec, _alternatives(self.b, v))
        raise AssertionError(spec)

    def _flatten_parts(self, spec: PartsSpec, v: Any) -> list[Atom]:
        if spec.same is not None:
            return []
        if is_mutable(v):
            self.seen.append(v)
        other = isinstance(v, TrackedDict) and (*v,) != spec.keys
        parts = [v.get(k, UNBOUND) for k in spec.keys] if other else self._parts(v)
        assert parts is not None
        return [a for s, p in zip(spec.parts, parts, strict=True) for a in self.flatten(s, p)]

    def _flatten_several(self, spec: Spec, values: list[tuple[Atom, Any]]) -> list[Atom]:
        """The atoms of the values of all kinds, each with the flag that tells where it is it."""
        if not isinstance(spec, SeveralSpec):
            return self._first_of(spec, values) if values else self._filler(spec)
        fit = [fits(v, spec.one, self.classes) for _, v in values]
        own = [each for each, does in zip(values, fit, strict=True) if does]
        rest = [each for each, does in zip(values, fit, strict=True) if not does]
        if not own:
            first = [Const(False, BOOL), *self._filler(spec.one)]
        else:
            holds = reduce(self.b.logical_or, [h for h, _ in own]) if rest else Const(True, BOOL)
            first = [holds, *self._first_of(spec.one, own)]
        return [*first, *self._flatten_several(spec.other, rest)]

    def _first_of(self, spec: Spec, values: list[tuple[Atom, Any]]) -> list[Atom]:
        """The atoms of the first value whose flag holds, of values of one kind."""
        (holds, v), *rest = values
        if not rest:
            return self.flatten(spec, v)
        first, built = len(self.seen), len(self.made)
        with self.b.block() as one:
            ones = self.flatten(spec, v)
        seen = self.seen[first:]
        del self.seen[first:]
        with self.b.block() as other:
            others = self._first_of(spec, rest)
        held = [v for v in (*seen, *self.seen[first:]) if v is not None]
        if any(id(v) not in self.it.captures.immutable for v in held):
            require_apart(self.it, {meeting_at(self.it.b.loc)})
            self.it.refuse(
                None, "which of several lists, dicts or objects this is, is known only at run time",
                "make tuples of them, or take what is needed of it before",
            )  # fmt: skip
        results, _ = self.fresh(spec, "chosen")
        del self.made[built:]
        self.b.append(
            If(holds, tuple(one), tuple(other), tuple(ones), tuple(others), tuple(results),
               self.b.loc)
        )  # fmt: skip
        return [*results]

    def _parts(self, v: Any) -> list | None:
        match v:
            case Range() | Slice():
                return list(vars(v).values())
            case GrownList():
                return [self.b.copy(items_of(self.b, v))]
        function = held_values.held(v)
        return children(v) if function is None else function[2]

    def _filler(self, spec: Spec) -> list[Atom]:
        """Atoms of the right types for a value that was never bound."""
        match spec:
            case StaticSpec():
                return []
            case PartsSpec():
                if spec.same is not None:
                    return []
                if spec.mutable:
                    self.seen.append(None)
                return [a for p in spec.parts for a in self._filler(p)]
            case ScalarSpec(t):
                zero = {"b": False, "f": 0.0, "c": 0j}.get(t.dtype[0], 0)
                return [self.b.cast(zero, t)]
            case MaybeSpec(inner):
                return [Const(False, BOOL), *self._filler(inner)]
            case SeveralSpec(one, other):
                return [Const(False, BOOL), *self._filler(one), *self._filler(other)]
            case ArraySpec():
                dims = [0 if d is VARIES else d for d in spec.dims]
                empty = self.b.empty(*dims, dtype=spec.dtype)
                return [empty, *(atom(0) for d in spec.dims if d is VARIES)]
        raise AssertionError(spec)

    def fresh(self, spec: Spec, name: str) -> tuple[list[Var], Any]:
        """New variables for a spec, and the value made of them."""
        match spec:
            case StaticSpec(v):
                return [], v
            case ScalarSpec(t):
                v, of = Var(name, t), self.classes
                held = (of.mixed, spec.mixed), (of.either, spec.either)
                for members, member in (*held, (of.shells, spec.shell), (of.shared, spec.shared)):
                    if member:
                        members.add(v)
                return [v], v
            case ArraySpec():
                own = [Var("n", INT) for d in spec.dims if d is VARIES]
                rest = iter(own)
                dims = tuple(next(rest) if d is VARIES else d for d in spec.dims)
                v = Var(name, Array(spec.dtype, dims, spec.layout))
                return [v, *own], v
            case PartsSpec():
                return self._fresh_parts(spec, name)
            case MaybeSpec(inner, absent):
                flag = Var(f"{name}_bound" if absent is UNBOUND else f"{name}_given", BOOL)
                vs, v = self.fresh(inner, name)
                return [flag, *vs], _kind_of(absent)(v, flag)
            case SeveralSpec():
                flag = Var(f"{name}_kind", BOOL)
                ones, one = self.fresh(spec.one, name)
                others, other = self.fresh(spec.other, name)
                return [flag, *ones, *others], Several(flag, one, other)
        raise AssertionError(spec)

    def _fresh_parts(self, spec: PartsSpec, name: str) -> tuple[list[Var], Any]:
        if spec.same is not None:
            return [], spec.same
        place = len(self.made)
        if spec.mutable:
            self.made.append(None)
        pairs = [
            self.fresh(s, _part_name(spec, k, name))
            for s, k in zip(spec.parts, spec.keys, strict=True)
        ]
        out = _rebuilt(spec, [p for _, p in pairs])
        if spec.mutable:
            self.made[place] = out
        return [x for vs, _ in pairs for x in vs], out


def _is_choice(v: Any) -> bool:
    return isinstance(v, Several)


def _kind_of(absent: Any) -> type[MaybeUnbound] | type[MaybeNone]:
    return MaybeUnbound if absent is UNBOUND else MaybeNone


def _alternatives(b: Any, v: Any) -> list[tuple[Atom, Any]]:
    """The values of one kind each, with what tells where the value is it (emits)."""
    if isinstance(v, MaybeNone):
        return [(b.logical_not(v.flag), None), (v.flag, v.value)]
    out: list[tuple[Atom, Any]] = []
    reached: Atom = Const(True, BOOL)
    while isinstance(v, Several):
        out.append((b.logical_and(reached, v.flag) if out else v.flag, v.one))
        missed = b.logical_not(v.flag)
        reached = b.logical_and(reached, missed) if len(out) > 1 else missed
        v = v.other
    return [*out, (reached, v)]


def _part_name(spec: PartsSpec, key: Any, name: str) -> str:
    return key if spec.kind[0] is Record else name


def _rebuilt(spec: PartsSpec, parts: list) -> Any:
    """A container of the kind of a spec."""
    kind = spec.kind[0]
    if kind in (Range, Slice):
        return kind(*parts)
    if kind is GrownList:
        return GrownList(None, None, spec.kind[1], settled=parts[0])
    if kind is Record:
        return Record(spec.kind[1], dict(zip(spec.keys, parts, strict=True)), spec.kind[2])
    if issubclass(kind, list):
        return TrackedList(parts, spec.kind[1] if len(spec.kind) > 1 else None)
    if kind is held_values.Form:
        return held_values.made(spec.kind[1], spec.keys, parts)
    if kind is TrackedDict:
        cls, factory, unordered, *places = spec.kind[1:]
        place = places[0] if places else None
        items = zip(spec.keys, parts, strict=True)
        return TrackedDict(items, place, cls, factory, unordered)
    if issubclass(kind, dict):
        return dict(zip(spec.keys, parts, strict=True))
    return kind(*parts) if hasattr(kind, "_fields") else tuple(parts)


def _widened(v: Any, t: Scalar) -> bool:
    """Whether a bool joins as a number: it passes through int, as in Python."""
    return atom(v).type.dtype == "bool" and t.dtype != "bool"
