"""Finds arrays that trips of a loop over time save in rows of a tape before they store to them.

As in NumPy form: `un = u.copy()`, of which the reverse sweep reads the row, or `u[1:-1] = ...` with
the old elements on a tape, from which the reverse sweep restores them. A trip may save an array
several times, each time before it stores to it. The other loop, over the same range downwards,
restores all of this in turn, or leaves the array alone. Never changes a statement.
"""

from __future__ import annotations

from srcgrad.ir.nodes import Atom, Def, For, Stmt, Var
from srcgrad.ir.types import Array, Tape, same_dims
from srcgrad.ir.walk import uses, walk
from srcgrad.passes.histories import Histories, History, Region, Step, Sweep
from srcgrad.passes.places import Poly, constant, times
from srcgrad.primitives import memory, tapes
from srcgrad.records import record


@record(frozen=True, eq=False)
class _Row:
    """A row of a tape in the body of a loop: where a trip saves it, or takes it back."""

    loop: For
    view: Def

    @property
    def name(self) -> Var:
        assert self.view.var is not None
        return self.view.var


@record(frozen=True, eq=False)
class _Saved:
    """A row that saves an array, by its name there, and the row that is taken back.

    `at` is the statement that reads the array: that which copies it, or the saving one.
    """

    array: Var
    name: Var
    at: Def
    saving: Def
    region: Region
    value: Var | None
    put: _Row
    got: _Row


class SavedArrays(Histories):
    """Arrays by arrays, as `Histories` finds them by elements."""

    def first(self) -> History | None:
        together: dict[tuple[Var, For, For], list[_Saved]] = {}
        for put, got in self.rows():
            if self.are_rows(put, got) and (x := self.saved_by(put, got)) is not None:
                together.setdefault((x.array, put.loop, got.loop), []).append(x)
        for found in together.values():
            history = self.of(found)
            if history is not None:
                return history
        return None

    # ---- tapes ----
    def rows(self) -> list[tuple[_Row, _Row]]:
        """The rows of each tape that two loops of the function view, one after the other."""
        found: dict[Var, list[_Row]] = {}
        others: set[Var] = set()
        for s in self.function.body:
            for t in s.body if isinstance(s, For) else ():
                if isinstance(t, Def) and t.op is tapes.tape_view:
                    found.setdefault(t.array, []).append(_Row(s, t))  # type: ignore[arg-type]
        viewed = {r.view for rows in found.values() for r in rows}
        for s in walk(self.function.body):
            if s not in viewed:
                others.update(v for v in uses(s) if isinstance(v.type, Tape))
        return [(r[0], r[1]) for v, r in found.items() if v not in others and len(r) == 2]

    def are_rows(self, put: _Row, got: _Row) -> bool:
        """Whether the second loop undoes the first one, and each trip has a row of its own."""
        first, other = put.loop, got.loop
        return (
            first is not other
            and not first.reverse
            and other.reverse
            and self.is_long(first)
            and self.span(first) == self.span(other)
            and self.size(put) == self.size(got)
            and all(self.begins_at_its_row(r) for r in (put, got))
        )

    def size(self, r: _Row) -> list[Poly]:
        return [self.places.poly(a) for a in r.view.args[2:]]

    def begins_at_its_row(self, r: _Row) -> bool:
        total = constant(1)
        for p in self.size(r):
            total = times(total, p)
        return self.places.poly(r.view.args[1]) == times(self.places.trips_before(r.loop), total)

    def saved_by(self, put: _Row, got: _Row) -> _Saved | None:
        """The array that a row saves, itself or by a copy that nothing stores to."""
        users = [s for s in walk(put.loop.body) if put.name in uses(s)]
        (s,) = users if len(users) == 1 else (None,)
        if not isinstance(s, Def) or s not in put.loop.body or s.op is not memory.assign:
            return None
        x = s.args[1]
        if s.args[0] is not put.name or not isinstance(x, Var):
            return None
        d = self.places.definition.get(x)
        if d is None or d.op is not memory.copy or d not in put.loop.body:
            d, value, name = s, None, x
        else:
            value, name = x, d.args[0]
            if not self.classes.is_pure(x) or self.classes.of(x) in self.joined:
                return None
        u = self.root(name)
        if u is None or not self.is_local(u):
            return None
        assert isinstance(name, Var)
        box = self.box(d, name, (put.loop,))
        region = None if box is None else self.region(box, u)
        return None if region is None else _Saved(u, name, d, s, region, value, put, got)

    def root(self, a: Atom) -> Var | None:
        """The buffer of an array, if that is an array."""
        if not isinstance(a, Var) or not isinstance(a.type, Array):
            return None
        while (d := self.places.definition.get(a)) is not None and d.op.view:
            a = d.array
        return a if isinstance(a.type, Array) else None

    # ---- one array ----
    def of(self, found: list[_Saved]) -> History | None:
        u, forward, backward = found[0].array, found[0].put.loop, found[0].got.loop
        cls = self.classes.of(u)
        found = sorted(found, key=lambda x: forward.body.index(x.at))
        puts = self.overwritten_by(found, forward, cls)
        restored = [self.restored(x, backward) for x in found]
        gots = [s for s in restored if s is not None]
        if puts is None or (gots and not self.are_in_turn(found, gots, backward, cls)):
            return None
        steps = [
            Step(s, x.saving, s if isinstance(s, Def) else None, self.stored(s, forward, u),
                 name=x.name, value=x.value)
            for x, s in zip(found, puts, strict=True)
        ]  # fmt: skip
        back = [
            Step(s or x.got.view, x.got.view, s, x.region, name=x.name, value=x.got.name)
            for x, s in zip(found, restored, strict=True)
        ]
        wider = any(
            s.region is None or s.region.box != x.region.box
            for s, x in zip(steps, found, strict=True)
        )
        sweeps = Sweep(forward, tuple(steps)), Sweep(backward, tuple(back))
        return self.with_its_uses(History(u, *sweeps, bool(gots), wider))

    def overwritten_by(self, found: list[_Saved], loop: For, cls: Var) -> list[Stmt] | None:
        """The first statement that stores to the array after each time that it is saved."""
        body, ends = loop.body, [loop.body.index(x.at) for x in found[1:]]
        out: list[Stmt] = []
        for x, end in zip(found, (*ends, len(body)), strict=True):
            between = body[body.index(x.at) : end]
            s = next((t for t in between if any(self.writes(w, cls) for w in walk((t,)))), None)
            if s is None:
                return None
            out.append(s)
        return out

    def stored(self, s: Stmt, loop: For, u: Var) -> Region | None:
        """The region to which a statement stores an array as a whole."""
        if not isinstance(s, Def) or s.op not in (memory.assign, memory.add_to):
            return None
        value = s.args[1].type
        if s.op is memory.add_to and not (
            isinstance(value, Array)
            and value.dtype == u.type.dtype
            and same_dims(value.dims, s.array.type.dims)
        ):
            return None
        box = self.box(s, s.array, (loop,))
        return None if box is None else self.region(box, u)

    def restored(self, x: _Saved, loop: For) -> Def | None:
        """The statement that restores the array from the row."""
        for s in loop.body:
            if (
                isinstance(s, Def)
                and s.op is memory.assign
                and s.args[1] is x.got.name
                and self.root(s.array) is x.array
                and self.box(s, s.array, (loop,)) == x.region.box
            ):
                return s
        return None

    def are_in_turn(self, found: list[_Saved], gots: list[Def], loop: For, cls: Var) -> bool:
        """Whether all is restored, last first, and what else reads a row finds the old elements."""
        places = [loop.body.index(s) for s in gots]
        if len(gots) < len(found) or places != sorted(places, reverse=True):
            return False
        inside = walk(loop.body)
        read = any(x.got.name in uses(s) and s not in gots for x in found for s in inside)
        return not read or not any(self.writes(s, cls) and s not in gots for s in inside)

    def has_another_name(self, s: Stmt, u: Var) -> bool:
        return False  # views are made again in rows
