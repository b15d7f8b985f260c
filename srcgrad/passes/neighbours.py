"""Neighbouring additions of a loop: those whose addends other trips may compute again.

The loop only adds to their memory, and an addend is a few products and sums of values that it
leaves alone, or stores constants to after every read. Never changes a statement.
"""

from __future__ import annotations

import math
from functools import cached_property

from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import Atom, Const, Def, For, Var
from srcgrad.passes.added_rows import Row, only_added
from srcgrad.passes.added_rows import rows as rows_of
from srcgrad.passes.effects import classes_read, is_scalar_operation, is_write, reads
from srcgrad.passes.places import Places
from srcgrad.passes.trips import Trips
from srcgrad.primitives import elementwise, memory
from srcgrad.records import record

FARTHEST = 4  # elements between the places of one trip
CHEAP = frozenset((elementwise.add, elementwise.sub, elementwise.mul, elementwise.neg))
DEAREST = 12  # operations and loads of an addend that is computed again


@record(frozen=True)
class Plan:
    """The rows to gather, and the stores that come after the loop."""

    rows: tuple[Row, ...]
    late: tuple[Def, ...]

    @property
    def low(self) -> int:
        return min(min(row.distances) for row in self.rows)

    @property
    def high(self) -> int:
        return max(max(row.distances) for row in self.rows)


class Neighbours:
    """Finds the additions of a loop to gather."""

    def __init__(self, loop: For, classes: AliasClasses, places: Places):
        self.loop, self.classes, self.places = loop, classes, places
        self.trips = Trips(loop)
        self.body = self.trips.body

    def plan(self) -> Plan | None:
        if not any(t.op is memory.add_at for t in self.body):
            return None
        if not self.trips.is_plain:
            return None
        rows = [row for adds in only_added(self.trips, self.classes) for row in self.alone(adds)]
        if not rows:
            return None
        plan = Plan(tuple(rows), self.late(rows))
        return plan if plan.high - plan.low <= FARTHEST and self.others_are_apart(plan) else None

    def alone(self, adds: list[Def]) -> list[Row]:
        """The row of the additions to a class, if they are all of one and worth gathering."""
        found = rows_of(adds, self.trips, self.places)
        if len(found) != 1 or len(found[0].additions) != len(adds) or not any(found[0].distances):
            return []
        row = self.around_dearest(found[0])
        return [row] if self.is_cheap(row) else []

    @cached_property
    def stored(self) -> dict[Var, list[Def]]:
        """The stores of the loop that are no additions, by class."""
        found: dict[Var, list[Def]] = {}
        for t in self.body:
            if is_write(t) and t.op is not memory.add_at:
                found.setdefault(self.classes.of(t.array), []).append(t)
        return found

    # ---- what is computed again ----
    def around_dearest(self, row: Row) -> Row:
        """The row by distances from the addition that is dearest to compute again."""

        def merit(k: int) -> tuple[float, int]:
            return self.cost(row.additions[k]), -abs(row.distances[k] + row.place[-1].get((), 0))

        at = max(range(len(row.additions)), key=merit)
        t, away = row.additions[at], row.distances[at]
        others = [k for k in range(len(row.additions)) if k != at]
        return Row(
            row.root,
            row.place,
            (t, *(row.additions[k] for k in others)),
            (0, *(row.distances[k] - away for k in others)),
        )

    def cost(self, t: Def) -> float:
        """The operations and loads of an addend; infinite if no other trip computes it."""
        found = self.slice(t)
        return math.inf if found is None else len(found)

    def is_cheap(self, row: Row) -> bool:
        """Whether the addends of other trips may be computed again, and cheaply."""
        pairs = zip(row.additions, row.distances, strict=True)
        return all(self.cost(t) <= DEAREST for t, d in pairs if d)

    def slice(self, t: Def) -> set[Def] | None:
        """The operations and loads of an addend; None if another trip may not compute it."""
        found: set[Def] = set()
        todo: list[Atom] = [t.args[-1]]
        while todo:
            a = todo.pop()
            d = self.trips.made.get(a) if isinstance(a, Var) else None
            if d is None:
                if a in self.loop.params:
                    return None
                continue
            if self.trips.motion(a) is not None or d in found:
                continue  # an index
            if d.op is memory.load:
                if not self.keeps(d):
                    return None
            elif d.op not in CHEAP or not is_scalar_operation(d):
                return None
            found.add(d)
            todo += d.args[1:] if d.op is memory.load else d.args
        return found

    def keeps(self, load: Def) -> bool:
        """Whether the loop leaves what a load reads alone, or stores constants there afterwards."""
        c = self.classes.of(load.array)
        if any(t.op is memory.add_at and self.classes.of(t.array) is c for t in self.body):
            return False
        return c not in self.stored or self.may_be_late(c)

    def may_be_late(self, c: Var) -> bool:
        """Whether all stores to a class may come after the loop: constants, after every read."""
        place = self.stored[c][0].args[:-1]
        seen = False
        for t in self.body:
            if is_write(t) and self.classes.of(t.array) is c:
                if t.op is not memory.store or not isinstance(t.args[-1], Const):
                    return False
                if t.args[:-1] != place:
                    return False
                seen = True
            elif c in classes_read(t, self.classes) and (
                seen or t.op is not memory.load or t.args != place
            ):
                return False
        motions = [self.trips.motion(a) for a in place[1:]]
        return place[0] not in self.trips.made and None not in motions and any(motions)

    def late(self, rows: list[Row]) -> tuple[Def, ...]:
        """The stores to what addends of other trips read."""
        again = {
            self.classes.of(x)
            for row in rows
            for t, d in zip(row.additions, row.distances, strict=True)
            if d
            for part in self.slice(t) or ()
            for x in reads(part)
        }
        return tuple([t for c in again if c in self.stored for t in self.stored[c]])

    def others_are_apart(self, plan: Plan) -> bool:
        """Whether no store of the loop feeds a later trip: else it cannot be vectorised anyway."""
        for c, stores in self.stored.items():
            if stores[0] in plan.late:
                continue
            place = stores[0].args[:-1]
            motions = [self.trips.motion(a) for a in place[1:]]
            touching = [t for t in self.body if t in stores or c in classes_read(t, self.classes)]
            for t in touching:
                at = t.args if t.op is memory.load else t.args[:-1]
                if t.op not in (memory.load, memory.store) or at != place:
                    return False
            if None in motions or not any(motions):
                return False
        return True
