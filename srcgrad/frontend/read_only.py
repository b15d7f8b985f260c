"""Arrays that a program makes read-only: nothing may store to their memory afterwards.

NumPy raises where a store goes through the array that was made read-only, or a view that was taken
of it since; through another view the store is made. Here each of these stores is refused, after the
whole function is known.
"""

from __future__ import annotations

from typing import NoReturn

from srcgrad.errors import Location, UnsupportedError
from srcgrad.frontend.snapshots import (
    Contiguous,
    Snapshot,
    every_time,
    first_place,
    loops_of,
    refuse_gaps,
    refuse_told_apart,
    writes_to,
)
from srcgrad.ir.alias import AliasClasses, alias_classes
from srcgrad.ir.nodes import Def, Function, Stmt, Var
from srcgrad.ir.walk import walk
from srcgrad.records import record


@record(frozen=True)
class Marked:
    """A call that sets whether an array may be stored to; `mark` is a view of it, made there."""

    mark: Var
    of: Var
    writeable: bool
    loc: Location | None


def refuse_visible(function: Function, noted: list[Snapshot | Contiguous | Marked]) -> None:
    """Refuses copies that differ from NumPy's views, and stores to read-only memory."""
    copies = [each for each in noted if isinstance(each, Snapshot)]
    refuse_told_apart(function, copies)
    refuse_gaps(function, copies, [each for each in noted if isinstance(each, Contiguous)])
    _refuse_stores(function, [each for each in noted if isinstance(each, Marked)])


def _refuse_stores(function: Function, marked: list[Marked]) -> None:
    """Refuses the first store that may meet an array after it was made read-only."""
    if not marked:
        return
    aliases, order = alias_classes(function), list(walk(function.body))
    loops = list(loops_of(order))
    places = {s.var: k for k, s in enumerate(order) if isinstance(s, Def)}
    kept = [each for each in marked if each.mark in places]  # not of an interpretation that ended
    for each in kept:
        mine, at = aliases.of(each.mark), places[each.mark]
        born = first_place(function, order, aliases, mine)
        if born < 0:
            raise UnsupportedError(
                "an array of the caller's keeps whether it may be stored to", each.loc,
                "call setflags outside, or on a copy: x = x.copy()",
            )  # fmt: skip
        if each.writeable:
            _refuse_second(each, kept, aliases)
            continue
        for k, s in enumerate(order):
            again = every_time(k, born, at, loops)
            if (k > at or again) and isinstance(s, Def) and writes_to(s, aliases, mine):
                _refuse(s, each, order[at:])


def _refuse_second(each: Marked, marked: list[Marked], aliases: AliasClasses) -> None:
    """Refuses to make an array writeable whose memory is that of one that was made read-only."""
    others = [m for m in marked if not m.writeable]
    if any(aliases.of(m.mark) is aliases.of(each.mark) for m in others):
        raise UnsupportedError(
            "an array that was made read-only is made writeable again", each.loc,
            "store before it is made read-only, or to a copy: .copy()",
        )  # fmt: skip


def _refuse(store: Def, each: Marked, since: list[Stmt]) -> NoReturn:
    way_out = "store before the array is made read-only, or to a copy: .copy()"
    names = {each.of}
    for s in since:
        if isinstance(s, Def) and s.op.view and s.var is not None and s.args[0] in names:
            names.add(s.var)
    if store.args[0] in names:
        said = "assignment destination is read-only"
        raise UnsupportedError(said, store.loc, way_out, like=ValueError)
    said = "this may store to the memory of an array that was made read-only"
    raise UnsupportedError(said, store.loc, way_out)
