"""Finds arrays that a loop over time overwrites and its reverse restores, element by element.

In each trip of the first loop one nest saves every element of a box and stores a new one; in the
other loop, over the same range downwards, one nest restores these from the same places of the tape,
which nothing else touches. Either nest reads no other element of the array. `SavedArrays` finds
those that a trip saves as a whole. Never changes a statement.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeGuard

from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import Atom, Block, Def, For, Function, Stmt, Var, altered, atom
from srcgrad.ir.types import Array, Tape, is_reference
from srcgrad.ir.walk import defined, uses, walk
from srcgrad.passes.effects import classes_written, makes_buffer
from srcgrad.passes.places import (
    Place,
    Places,
    Poly,
    constant,
    linear,
    plus,
    replaced,
    times,
    variables,
)
from srcgrad.primitives import elementwise, memory
from srcgrad.records import record

ENDS = 4  # the most elements at either end of an axis that no trip stores to
FEWEST = 3  # trips
ACCESSES = (memory.load, memory.store)
STORES = (memory.store, memory.add_at)

Box = tuple[tuple[Poly, Poly], ...]  # for each axis the first index, and the one after the last


@record(frozen=True, eq=False)
class Region:
    """A box, and how many elements at the ends of each axis are outside of it."""

    box: Box
    gaps: tuple[tuple[int, int], ...]


@record(frozen=True, eq=False)
class Step:
    """The statement of a trip that begins a new row, or goes back to the old one.

    `store` overwrites all of `region`; without a region other elements are stored to. `saved` is
    the access to the tape. In a nest, `later` has the statements after the store. For an array,
    `name` is the array that is saved, and `value` what reads the same elsewhere: a copy that the
    step saves, or what the reverse sweep takes from the tape.
    """

    nest: Stmt
    saved: Def
    store: Def | None
    region: Region | None
    later: frozenset[Stmt] = frozenset()
    name: Var | None = None
    value: Var | None = None


@record(frozen=True, eq=False)
class Sweep:
    """A loop over time, and its steps in the order of a trip."""

    loop: For
    steps: tuple[Step, ...]


@record(frozen=True, eq=False)
class History:
    """An array with the two loops, and what else happens to it.

    `restores`: the second loop restores the array; otherwise it only reads what was saved.
    `has_other_stores`: elements outside the regions may change as well.
    """

    array: Var
    forward: Sweep
    backward: Sweep
    restores: bool = True
    has_other_stores: bool = False
    stored_between: bool = False
    read_after_forward: bool = False
    read_after_backward: bool = False


@record(frozen=True, eq=False)
class _Saved:
    """A load from a tape or a store to it in a nest of a top-level loop."""

    loops: tuple[For, ...]
    block: Block
    statement: Def


class Histories:
    def __init__(self, function: Function, classes: AliasClasses, places: Places):
        self.function, self.classes, self.places = function, classes, places
        buffers = [s for s in function.body if isinstance(s, Def) and makes_buffer(s)]
        self.made = {s.var: None for s in buffers if s.var is not None}  # in order
        self.joined = self.with_other_names()

    def with_other_names(self) -> set[Var]:
        """The classes that the caller sees, loops carry, branches join or lists hold."""
        found: list[Atom] = [*self.function.params, *self.function.returns]
        for s in walk(self.function.body):
            if not isinstance(s, Def) or s.op.holds:
                found += uses(s)
        return {self.classes.of(v) for v in found if isinstance(v, Var) and is_reference(v.type)}

    def first(self) -> History | None:
        touching = self.tapes()
        for tape in self.made:
            pair = touching.get(tape)
            if pair is not None and (found := self.history(*pair)) is not None:
                return found
        return None

    def tapes(self) -> dict[Var, tuple[_Saved, _Saved]]:
        """The tapes that one statement stores to and one loads from, in nests of two loops."""
        count: dict[Var, int] = {}
        for s in walk(self.function.body):
            for v in uses(s):
                if isinstance(v.type, Tape):
                    count[v] = count.get(v, 0) + 1
        stored: dict[Var, _Saved] = {}
        loaded: dict[Var, _Saved] = {}
        for s in self.function.body:
            for x in self.saved(s, ()) if isinstance(s, For) else ():
                into = loaded if x.statement.op is memory.load else stored
                into[x.statement.array] = x
        return {v: (stored[v], loaded[v]) for v in stored if v in loaded and count[v] == 2}

    def saved(self, s: For, loops: tuple[For, ...]) -> Iterator[_Saved]:
        for t in s.body:
            if isinstance(t, For):
                yield from self.saved(t, (*loops, s))
            elif isinstance(t, Def) and t.op in ACCESSES and isinstance(t.array.type, Tape):
                yield _Saved((*loops, s), s.body, t)

    # ---- one array ----
    def history(self, put: _Saved, got: _Saved) -> History | None:
        u = self.overwritten(put)
        if u is None or not self.is_local(u) or not self.are_alike(put, got):
            return None
        first, other = self.step(put, u), self.step(got, u)
        if first is None or other is None or not _have_one_box(first, other):
            return None
        forward, backward = Sweep(put.loops[0], (first,)), Sweep(got.loops[0], (other,))
        return self.with_its_uses(History(u, forward, backward))

    def overwritten(self, put: _Saved) -> Var | None:
        """The array of which an element is saved."""
        d = self.places.definition.get(a) if isinstance(a := put.statement.args[-1], Var) else None
        if d is None or d.op is not memory.load or d not in put.block:
            return None
        return d.array if isinstance(d.array.type, Array) else None

    def is_local(self, u: Var) -> bool:
        """Whether an array is a buffer, made outside of all loops, that keeps its name."""
        return u in self.made and self.classes.of(u) not in self.joined

    def are_alike(self, put: _Saved, got: _Saved) -> bool:
        """Whether each trip reads what the same one saved: places differ between trips."""
        first, other = put.loops, got.loops
        body = self.function.body
        return (
            len(first) == len(other) > 1
            and not first[0].reverse
            and other[0].reverse
            and body.index(first[0]) < body.index(other[0])
            and self.is_long(first[0])
            and [self.span(s) for s in first] == [self.span(s) for s in other]
            and all(self.is_row_by_row(x) for x in (put, got))
        )

    def span(self, s: For) -> tuple[Poly, Poly]:
        return self.places.poly(s.start), self.places.poly(s.stop)

    def is_long(self, s: For) -> bool:
        trips = self.places.trips(s)
        return bool(set(trips) - {()}) or trips.get((), 0) >= FEWEST

    def is_row_by_row(self, x: _Saved) -> bool:
        """Whether each trip of all loops has the next place of the tape."""
        (p,) = self.places.access(x.statement, x.statement.array, x.loops).place
        total: Poly = {}
        for s in x.loops:
            here = plus(self.places.poly(s.index), self.places.poly(s.start), -1)
            total = plus(times(total, self.places.trips(s)), here)
        return p == total

    def step(self, x: _Saved, u: Var) -> Step | None:
        """The nest of an access to the tape, if it touches one element of the array per trip."""
        nest, cls = x.loops[1], self.classes.of(u)
        store = next((t for t in x.block if self.writes(t, cls)), None)
        if store is None or store.op not in STORES or store.array is not u:
            return None
        reads = [t for t in walk(nest.body) if self.named(t, cls) and t is not store]
        place = self.place(store, u, x)
        for t in reads:
            if not (isinstance(t, Def) and t.op is memory.load and t in x.block):
                return None
            if self.place(t, u, x) != place:
                return None
        at = x.block.index(store)
        if x.statement.op is memory.load:
            legal = self.is_restore(x, store)
        else:  # what is saved is one of the reads
            legal = not any(t in x.block[at:] for t in reads)
        box = self.box(store, u, x.loops) if legal else None
        region = None if box is None else self.region(box, u)
        if region is None:
            return None
        return Step(nest, x.statement, store, region, frozenset(x.block[at:]))

    def place(self, s: Def, u: Var, x: _Saved) -> Place:
        return self.places.access(s, u, x.loops).place

    def is_restore(self, x: _Saved, store: Def) -> bool:
        """Whether a store restores what was loaded from a tape before, and no use is between."""
        old, (first, last) = x.statement.var, map(x.block.index, (x.statement, store))
        return (
            store.op is memory.store
            and store.args[-1] is old
            and not any(old is v for s in walk(x.block[first + 1 : last]) for v in uses(s))
        )

    def box(self, s: Def, name: Var, loops: tuple[For, ...]) -> Box | None:
        """The region of an array that a statement touches once: an axis for each loop inside."""
        access = self.places.access(s, name, loops)
        left = list(access.loops[1:])
        bound = defined((loops[0],))
        out: list[tuple[Poly, Poly]] = []
        for p in access.place:
            moving = [] if p is None else [t for t in left if t.index in variables(p)]
            if p is None or len(moving) != 1:
                return None
            (over,) = moving
            left.remove(over)
            parts = linear(p, over.index)
            if parts is None or parts[0] != constant(1):
                return None
            low, high = (plus(parts[1], self.places.poly(a)) for a in (over.start, over.stop))
            if (variables(low) | variables(high)) & bound:
                return None
            out.append((low, high))
        return None if left else tuple(out)

    def region(self, box: Box, u: Var) -> Region | None:
        """A box with the elements that it leaves out at the ends of each axis, if these are few."""
        assert isinstance(u.type, Array)
        found: list[tuple[int, int]] = []
        for (low, high), n in zip(box, u.type.dims, strict=True):
            both = low, plus(self.places.poly(atom(n)), self.in_range(high), -1)
            first, last = (p.get((), 0) for p in both)
            if any(set(p) - {()} for p in both) or not (0 <= first <= ENDS and 0 <= last <= ENDS):
                return None
            found.append((first, last))
        return Region(box, tuple(found))

    def in_range(self, p: Poly) -> Poly:
        """A polynomial as it reads where no slice is empty: max(n, 0) is n."""
        for v in variables(p):
            d = self.places.definition.get(v)
            if d is not None and d.op is elementwise.maximum:
                a, b = map(self.places.poly, d.args)
                p = p if b else replaced(p, v, a)
        return p

    # ---- what else happens to it ----
    def with_its_uses(self, found: History) -> History | None:
        cls, both = self.classes.of(found.array), (found.forward.loop, found.backward.loop)
        if any(self.has_another_name(s, found.array) for s in walk(both)):
            return None
        body = self.function.body
        first, last = map(body.index, both)
        between, after = body[first + 1 : last], body[last + 1 :]
        stored = cls in classes_written(between, self.classes)
        writes = [s for s in walk(both) if self.writes(s, cls)]
        steps = len(found.forward.steps) + len(found.backward.steps)
        later = after if found.restores else (both[1], *after)
        return altered(
            found,
            has_other_stores=found.has_other_stores or stored or len(writes) > steps,
            stored_between=stored,
            read_after_forward=self.is_named((*between, *later), cls),
            read_after_backward=self.is_named(after, cls),
        )

    def has_another_name(self, s: Stmt, u: Var) -> bool:
        """Whether a statement of a nest's loops names an array otherwise, or makes such a name."""
        names = self.named(s, self.classes.of(u))
        view = isinstance(s, Def) and s.op.view
        return any(v is not u for v in names) or (view and bool(names))

    def named(self, s: Stmt, cls: Var) -> list[Var]:
        return [v for v in uses(s) if is_reference(v.type) and self.classes.of(v) is cls]

    def writes(self, s: Stmt, cls: Var) -> TypeGuard[Def]:
        return isinstance(s, Def) and s.op.writes and self.classes.of(s.args[0]) is cls

    def is_named(self, block: Block, cls: Var) -> bool:
        return any(self.named(s, cls) for s in walk(block))


def _have_one_box(a: Step, b: Step) -> bool:
    return a.region is not None and b.region is not None and a.region.box == b.region.box
