"""Rows of additions: the additions of a loop that differ by constant distances along one row.

The places of a row move by one element per trip on the last axis of an array and are fixed on the
others. Never changes a statement.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import Def, For, Var
from srcgrad.passes.effects import classes_read, is_write
from srcgrad.passes.places import Places, Poly, linear, plus, variables
from srcgrad.passes.ranges import Ranges
from srcgrad.passes.trips import Trips
from srcgrad.primitives import memory
from srcgrad.records import record

SHORT = 16  # trips: a loop known to have fewer stays as it is


@record(frozen=True)
class Row:
    """Additions along one row of an array, and their distances from the first one."""

    root: Var  # the buffer below the array
    place: tuple[Poly, ...]  # of the first one, in it
    additions: tuple[Def, ...]
    distances: tuple[int, ...]


def is_short(s: For, ranges: Ranges) -> bool:
    """Whether a loop is known to have few trips."""
    return ranges.at_most(s.stop, s.start, SHORT - 1)


def only_added(trips: Trips, classes: AliasClasses) -> list[list[Def]]:
    """The additions to each class that is not touched otherwise, if places move by one per trip."""
    busy = {c for t in trips.body for c in classes_read(t, classes)}
    busy |= {classes.of(t.array) for t in trips.body if is_write(t) and t.op is not memory.add_at}
    found: dict[Var, list[Def]] = {}
    for t in trips.body:
        if t.op is memory.add_at and classes.of(t.array) not in busy:
            found.setdefault(classes.of(t.array), []).append(t)
    return [adds for adds in found.values() if all(_steps(t, trips) for t in adds)]


def _steps(s: Def, trips: Trips) -> bool:
    """Whether the place of an addition moves by one element of one axis per trip."""
    x, *places, _ = s.args
    moving = [trips.motion(p) for p in places]
    return x not in trips.made and sorted(map(str, moving)) == ["0"] * (len(places) - 1) + ["1"]


def rows(adds: Iterable[Def], trips: Trips, places: Places) -> list[Row]:
    """The rows of additions to one class, without those that are not known to be of any."""
    found: list[Row] = []
    for t in adds:
        root, at = places.place(t.array, tuple([places.poly(a) for a in t.args[1:-1]]))
        known = tuple([p for p in at if p is not None])
        if root in trips.made or len(known) < len(at) or not _is_of_row(known, trips):
            continue
        for k, row in enumerate(found):
            gap = plus(known[-1], row.place[-1], -1)
            if row.root is root and row.place[:-1] == known[:-1] and not set(gap) - {()}:
                distances = (*row.distances, gap.get((), 0))
                found[k] = Row(root, row.place, (*row.additions, t), distances)
                break
        else:
            found.append(Row(root, known, (t,), (0,)))
    return found


def _is_of_row(place: Sequence[Poly], trips: Trips) -> bool:
    """Whether a place moves with the index on the last axis, and is the same on the others."""
    form = linear(place[-1], trips.loop.index)
    if form is None or form[0] != {(): 1}:
        return False
    bound = {*trips.made, *trips.loop.params, trips.loop.index}
    return not any(variables(p) & bound for p in (form[1], *place[:-1]))
