"""Footprints: what statements use, make, touch and show, and so what they may run before.

Memory is compared by alias classes. Never moves a statement.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import Def, Stmt, Var
from srcgrad.ir.walk import results, uses, walk
from srcgrad.passes.effects import classes_read, classes_written, is_observable, is_scalar_operation
from srcgrad.primitives import memory
from srcgrad.records import record


@record(frozen=True)
class Effects:
    """The alias classes that are read, written, and added to; additions commute."""

    reads: frozenset[Var] = frozenset()
    writes: frozenset[Var] = frozenset()
    sums: frozenset[Var] = frozenset()

    @staticmethod
    def of(s: Def, classes: AliasClasses, in_order: bool) -> Effects:
        """The effects of a statement; with `in_order` additions do not commute: they are writes."""
        written = frozenset(classes_written((s,), classes))
        adds = not in_order and s.op.adds
        nothing: frozenset[Var] = frozenset()
        reads = frozenset(classes_read(s, classes))
        return Effects(reads, nothing if adds else written, written if adds else nothing)

    @staticmethod
    def all(parts: Sequence[Effects]) -> Effects:
        """The effects of several statements."""
        nothing: frozenset[Var] = frozenset()
        return Effects(
            nothing.union(*(e.reads for e in parts)),
            nothing.union(*(e.writes for e in parts)),
            nothing.union(*(e.sums for e in parts)),
        )

    def __or__(self, other: Effects) -> Effects:
        return Effects(self.reads | other.reads, self.writes | other.writes, self.sums | other.sums)

    @property
    def changes(self) -> frozenset[Var]:
        return self.writes | self.sums

    def commutes(self, other: Effects) -> bool:
        everything = other.reads | other.writes | other.sums
        return (
            self.writes.isdisjoint(everything)
            and self.reads.isdisjoint(other.writes | other.sums)
            and self.sums.isdisjoint(other.reads | other.writes)
        )


NO_EFFECTS = Effects()


@record(frozen=True)
class Footprint:
    """The facts that decide whether statements, taken together, may run before earlier ones."""

    uses: frozenset[Var] = frozenset()
    makes: frozenset[Var] = frozenset()
    observable: bool = False
    harmless: bool = True  # touches no memory and raises nothing: it may run at any time
    shows: bool = False  # output that may not come before a write; a check may be made early
    effects: Effects = NO_EFFECTS

    @staticmethod
    def of(s: Stmt, classes: AliasClasses, in_order: bool) -> Footprint:
        """The footprint of a statement, with that of the statements inside it."""
        if isinstance(s, Def):
            return _of_definition(s, classes, in_order)
        used: set[Var] = set()
        parts: list[Footprint] = []
        for t in walk((s,)):
            used.update(uses(t))
            if isinstance(t, Def) and (not is_scalar_operation(t) or is_observable(t)):
                parts.append(_of_definition(t, classes, in_order))
        return Footprint(
            frozenset(used),
            frozenset(results(s)),
            any(p.observable for p in parts),
            all(p.harmless for p in parts),
            any(p.shows for p in parts),
            Effects.all([p.effects for p in parts]),
        )

    def __or__(self, other: Footprint) -> Footprint:
        return Footprint(
            self.uses | other.uses,
            self.makes | other.makes,
            self.observable or other.observable,
            self.harmless and other.harmless,
            self.shows or other.shows,
            self.effects | other.effects,
        )

    def passes(self, other: Footprint) -> bool:
        """Whether these statements may run before `other`, which precedes them."""
        return self.passes_over(other.makes, other.observable, other.effects)

    def passes_over(self, made: Set[Var], observable: bool, effects: Effects) -> bool:
        """Whether these may run before statements that make, show and touch what is given."""
        if not self.uses.isdisjoint(made):
            return False
        if observable and not self.harmless:
            return False  # it may be the check that these rely on
        if self.shows and effects.changes:
            return False
        return self.effects.commutes(effects)


def _of_definition(s: Def, classes: AliasClasses, in_order: bool) -> Footprint:
    observable = is_observable(s)
    touches = not is_scalar_operation(s) and s.op not in (memory.zeros, memory.empty)
    effects = Effects.of(s, classes, in_order)
    return Footprint(
        frozenset(uses(s)),
        frozenset(results(s)),
        observable,
        not observable and not touches,
        s.op.effect and not effects.changes and not s.op.raises,
        effects,
    )
