"""Loop-invariant code motion: computes once, before a loop, what is the same in every trip.

>>> show(hoist(parse('''
... def f(x: f64[n], a: f64):
...     n: int = dim(x, axis=0)
...     for i in range(0, n):
...         t: f64 = sin(a)
...         v: f64 = load(x, i)
...         w: f64 = mul(v, t)
...         store(x, i, w)
...     return ()
... ''')))
def f(x: f64[n], a: f64):
    n: int = dim(x, axis=0)
    t: f64 = sin(a)
    for i in range(0, n):
        v: f64 = load(x, i)
        w: f64 = mul(v, t)
        store(x, i, w)
    return ()

A loop may have no trips, so what moves must be safe to run for nothing: scalars that cannot raise
always are; a load or a view by integers is if its place is known to lie inside the axis; an array
operation is if no check comes before it in a trip and its operands' shapes fit by name (a reverse
sweep has no checks: those of the forward sweep have passed, if there was a trip). One array
operation wasted where a loop does not run is accepted for the gain where it does; not a
decomposition, which may fail. A fresh array moves only if nothing is ever stored to it and it is
not returned. Never moves what may raise, stores or prints.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any

import numpy as np

from srcgrad.ir.alias import AliasClasses, alias_classes
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import (
    Atom,
    Block,
    Const,
    Def,
    For,
    Function,
    Stmt,
    Var,
    While,
    atom,
    changed,
    kept_tuple,
)
from srcgrad.ir.types import INT, Array, Dim, Dims, atom_dims, is_reference, np_dtype
from srcgrad.ir.walk import blocks, defined, inner_definitions, uses
from srcgrad.passes.effects import (
    classes_read,
    classes_written,
    has_several_results,
    is_scalar_operation,
    makes_buffer,
    may_raise,
    observable_within,
)
from srcgrad.passes.ranged import Ranged
from srcgrad.primitives import arrays, memory

LENGTHS = (5, 7, 11, 13, 17, 19, 23, 29)  # tried for lengths that have names
TRIED = 300_000  # elements of the largest array that an operation is tried with


def hoist(function: Function) -> Function:
    if not contents(function).depth:
        return function
    return _Hoist(function, alias_classes(function)).function(function)


class _Hoist(Ranged):
    def __init__(self, function: Function, classes: AliasClasses):
        super().__init__(function)
        self.classes = classes
        self.returned = {
            classes.of(v) for v in function.returns if isinstance(v, Var) and is_reference(v.type)
        }

    def loop(self, s: For | While) -> Iterable[Stmt]:
        new = self.rebuilt(s)
        assert isinstance(new, For | While)
        moved: list[Stmt] = []
        trip = _Trip(new, self.classes)
        parts: list[Block] = []
        for k, block in enumerate(blocks(new)):
            # the test of a `while` runs at least once
            sure = (
                k == 0 if isinstance(new, While) else self.ranges.at_most(new.start, new.stop, -1)
            )
            parts.append(self.stays(block, trip, sure, moved))
        yield from moved
        if isinstance(new, For):
            yield changed(new, body=parts[0])
        else:
            yield changed(new, test=parts[0], body=parts[1])

    def stays(self, block: Block, trip: _Trip, sure: bool, moved: list[Stmt]) -> Block:
        """The statements that remain in a block; the others are appended to `moved`."""
        kept: list[Stmt] = []
        for s in block:
            if isinstance(s, Def) and trip.invariant(s) and self.may_move(s, trip, sure):
                moved.append(s)
                trip.inner.discard(s.var)
            else:
                kept.append(s)
                trip.clear &= not observable_within(s)
        return kept_tuple(block, kept)

    def may_move(self, s: Def, trip: _Trip, sure: bool) -> bool:
        if s.op.effect or may_raise(s) or has_several_results(s):
            return False
        if is_scalar_operation(s):
            return True
        if classes_read(s, self.classes) & trip.written or self.grows(s):
            return False
        if makes_buffer(s) and not self.is_like_a_value(s):
            return False
        return (sure and trip.clear) or self.is_safe(s, trip.clear)

    def grows(self, s: Def) -> bool:
        """Whether a definition makes or uses a tape."""
        vs = [a for a in (s.var, *s.args) if isinstance(a, Var)]
        return any(is_reference(v.type) and not isinstance(v.type, Array) for v in vs)

    def is_like_a_value(self, s: Def) -> bool:
        assert s.var is not None
        return self.classes.is_pure(s.var) and self.classes.of(s.var) not in self.returned

    def is_safe(self, s: Def, clear: bool) -> bool:
        """Whether running a definition needlessly is harmless."""
        match s.op:
            case memory.load:
                return self.inside_axes(s.args[1:], s.array.type.dims)
            case memory.view:
                return clear and self.inside_axes(*_integer_items(s))
            case memory.zeros | memory.empty | arrays.iota:
                return clear and all(map(self.ranges.is_length, s.args))
            case _:
                return clear and s.op.kind != "custom" and _fits_by_name(s)

    def inside_axes(self, places: tuple[Atom, ...], dims: Dims) -> bool:
        return all(self.ranges.contains(i, atom(n)) for i, n in zip(places, dims, strict=True))


class _Trip:
    """Facts about a loop's trips while its statements are judged in order."""

    def __init__(self, loop: For | While, classes: AliasClasses):
        self.inner = set(inner_definitions(loop)).union(*(defined(b) for b in blocks(loop)))
        self.written = set[Var]().union(*(classes_written(b, classes) for b in blocks(loop)))
        self.clear = True  # nothing so far in a trip can have raised

    def invariant(self, s: Def) -> bool:
        return s.var is not None and not any(v in self.inner for v in uses(s))


def _fits_by_name(s: Def) -> bool:
    """Whether shapes fit for all lengths: tried with a different length for each name."""
    assert s.var is not None
    dims = [d for a in (s.var, *s.args) for d in atom_dims(a)]
    dims += [a for a in s.args if isinstance(a, Var) and a.type == INT]
    names = dict.fromkeys(d for d in dims if isinstance(d, Var))
    unlike = [n for n in LENGTHS if n not in {d for d in dims if isinstance(d, int)}]
    if len(names) > len(unlike):
        return False
    length = dict(zip(names, unlike, strict=False))

    def shape(a: Atom) -> tuple[int, ...]:
        return tuple([length[d] if isinstance(d, Var) else d for d in atom_dims(a)])

    def value(a: Atom) -> Any:
        if isinstance(a, Const):
            return a.value
        return length[a] if a in length else np.ones(shape(a), np_dtype(a.type.dtype))

    try:
        if s.op.elementwise:
            return np.broadcast_shapes(*map(shape, s.args)) == shape(s.var)
        if max(prod(shape(a)) for a in (s.var, *s.args)) > TRIED:
            return False
        with np.errstate(all="ignore"):
            return np.shape(s.op.impl(*map(value, s.args), **s.params)) == shape(s.var)
    except (ValueError, IndexError, TypeError):
        return False


def _integer_items(s: Def) -> tuple[tuple[Atom, ...], Dims]:
    """The integers that index a view, and the lengths of the axes they index."""
    x, *atoms = s.args
    places: list[Atom] = []
    dims: list[Dim] = []
    k, axis = 0, 0
    for code in s.params["spec"]:
        if code == "n":
            continue
        if code == "i":
            places.append(atoms[k])
            dims.append(x.type.dims[axis])  # type: ignore[union-attr]  (an array)
        k += {"i": 1, "s": 3, ":": 0}[code]
        axis += 1
    return tuple(places), tuple(dims)
