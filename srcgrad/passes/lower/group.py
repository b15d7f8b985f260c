"""A group of operations that share a nest, and what decides whether another may join.

Memory is compared by alias classes; two accesses to one class go together only through the same
reference at the nest's own index. Never emits anything.
"""

from __future__ import annotations

from dataclasses import dataclass

from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import Def, Var
from srcgrad.ir.types import Array, is_reference, same_dims
from srcgrad.ir.walk import results, uses
from srcgrad.passes.effects import classes_read, classes_written
from srcgrad.passes.lower.access import is_exact
from srcgrad.passes.lower.member import Member

MOST = 96  # members of a group


@dataclass(frozen=True)
class Effects:
    """The alias classes that are read, written, and added to; additions commute."""

    reads: frozenset[Var]
    writes: frozenset[Var]
    sums: frozenset[Var]

    @staticmethod
    def of(s: Def, classes: AliasClasses, in_order: bool) -> Effects:
        """The effects of a statement; with `in_order` additions do not commute: they are writes."""
        written = frozenset(classes_written((s,), classes))
        adds = not in_order and s.op.adds
        nothing: frozenset[Var] = frozenset()
        reads = frozenset(classes_read(s, classes))
        return Effects(reads, nothing if adds else written, written if adds else nothing)

    def __or__(self, other: Effects) -> Effects:
        return Effects(self.reads | other.reads, self.writes | other.writes, self.sums | other.sums)

    def commutes(self, other: Effects) -> bool:
        everything = other.reads | other.writes | other.sums
        return (
            self.writes.isdisjoint(everything)
            and self.reads.isdisjoint(other.writes | other.sums)
            and self.sums.isdisjoint(other.reads | other.writes)
        )


class Group:
    """Operations that share a nest, and what they touch together."""

    def __init__(self, classes: AliasClasses, m: Member, in_order: bool):
        self.classes, self.in_order = classes, in_order
        self.dims = m.dims
        self.members: list[Member] = []
        self.defined: set[Var] = set()
        self.reduced: set[Var] = set()  # known after the loops only
        self.touched: set[Var] = set()
        self.effects = Effects(frozenset(), frozenset(), frozenset())
        self.add(m)

    def add(self, m: Member) -> None:
        self.members.append(m)
        self.defined.update(results(m.statement))
        if m.reduction is not None:
            self.reduced.update(results(m.statement))
        self.touched |= touched(m)
        self.effects |= Effects.of(m.statement, self.classes, self.in_order)

    def copy(self) -> Group:
        new = Group(self.classes, self.members[0], self.in_order)
        for m in self.members[1:]:
            new.add(m)
        return new

    def takes(self, m: Member) -> bool:
        """Accept and add, or neither."""
        accepted = self.accepts(m)
        if accepted:
            self.add(m)
        return accepted

    def accepts(self, m: Member) -> bool:
        """Whether `m` may run element by element after the members."""
        if not same_dims(self.dims, m.dims) or len(self.members) >= MOST:
            return False
        if any(v in self.reduced for v in uses(m.statement)):
            return False
        inside = [v for v in uses(m.statement) if v in self.defined]
        if any(not isinstance(v.type, Array) or not whole(m, v) for v in inside):
            return False
        return all(self._element_wise(m, other) for other in self.members)

    def _element_wise(self, m: Member, other: Member) -> bool:
        """Whether their accesses to memory stay in order when they run element by element."""
        of = self.classes.of
        for v, writes in accesses(m):
            for w, other_writes in accesses(other):
                conflict = (writes or other_writes) and of(v) is of(w)
                if conflict and not (v is w and whole(m, v) and whole(other, w)):
                    return False
        return True


def accesses(m: Member) -> list[tuple[Var, bool]]:
    """The references whose elements a member touches, and whether it writes them."""
    args = m.statement.args
    target = m.target[0] if m.target is not None else None
    found = [(a, False) for a in args if isinstance(a, Var) and is_reference(a.type)]
    return found if target is None else [(target, True), *found[1:]]


def touched(m: Member) -> set[Var]:
    made = [v for v in results(m.statement) if isinstance(v.type, Array)]
    return {v for v, _ in accesses(m)} | set(made)


def whole(m: Member, v: Var) -> bool:
    """Whether a member touches `v` at the nest's own index and nowhere else."""
    if "source" in m.extra and m.statement.args[0] is v:
        return False
    listed = [a for r, a in m.reads if r is v]
    if m.target is not None and m.target[0] is v:
        listed.append(m.target[1])
    return bool(listed) and all(is_exact(a, m.dims) for a in listed)
