"""Several array operations of a block in one nest: what flows between them never reaches memory.

An operation joins an earlier group of the same dims if it may be moved there: past every item in
between, and element by element next to the group's members. Memory is compared by alias classes;
two accesses to one class go together only through the same reference at the nest's own index.
Never moves a visible effect past another, nor past something that may raise; what may raise and
does not need the group is moved before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Block, Def, Function, Stmt, Var
from srcgrad.ir.types import Array, is_reference
from srcgrad.ir.walk import results, uses, walk
from srcgrad.passes.effects import (
    classes_read,
    classes_written,
    is_observable,
    is_scalar_operation,
)
from srcgrad.passes.lower.access import is_exact, same_dims
from srcgrad.passes.lower.lowering import Lowering, builder_for, expanded
from srcgrad.passes.lower.member import Member, member_of

FAR = 64  # items back that an operation may join a group
MOST = 24  # members of a group
ALONE = ("indices",)  # raises inside its nest


@dataclass(frozen=True)
class Effects:
    """The alias classes that are read, written, and added to; additions go in any order."""

    reads: frozenset[Var]
    writes: frozenset[Var]
    sums: frozenset[Var]

    @staticmethod
    def of(s: Def, classes: AliasClasses) -> Effects:
        written = frozenset(classes_written((s,), classes))
        adds = s.op.name in ("add_to", "add_at", "scatter_add")
        nothing: frozenset[Var] = frozenset()
        reads = frozenset(classes_read(s, classes))
        return Effects(reads, nothing if adds else written, written if adds else nothing)

    def __or__(self, other: Effects) -> Effects:
        return Effects(
            self.reads | other.reads, self.writes | other.writes, self.sums | other.sums
        )

    def commutes(self, other: Effects) -> bool:
        everything = other.reads | other.writes | other.sums
        return (
            self.writes.isdisjoint(everything)
            and self.reads.isdisjoint(other.writes | other.sums)
            and self.sums.isdisjoint(other.reads | other.writes)
        )


class Group:
    """Operations that share a nest, and what they touch together."""

    def __init__(self, classes: AliasClasses, m: Member):
        self.classes = classes
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
        self.effects |= Effects.of(m.statement, self.classes)

    def copy(self) -> Group:
        new = Group(self.classes, self.members[0])
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
        """Whether the order of their accesses to memory is kept when they run element by element."""
        of = self.classes.of
        for v, writes in accesses(m):
            for w, other_writes in accesses(other):
                if (writes or other_writes) and of(v) is of(w):
                    if v is not w or not (whole(m, v) and whole(other, w)):
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


class _Planner:
    def __init__(self, b: Builder, function: Function):
        self.b = b
        self.classes = AliasClasses(function)

    def plan(self, block: Block) -> list[Stmt | tuple[Def, ...]]:
        items: list[Stmt | Group] = []
        for s in block:
            m = self._member(s)
            if m is None:
                self._place(items, s)
            elif (at := self._home(items, m)) is not None:
                group = items[at]
                assert isinstance(group, Group)
                group.add(m)
                self._merge(items, at)
            else:
                items.append(Group(self.classes, m))
        return [
            tuple(m.statement for m in i.members) if isinstance(i, Group) else i for i in items
        ]

    def _member(self, s: Stmt) -> Member | None:
        if not isinstance(s, Def) or s.op.name in ALONE:
            return None
        scalar_move = s.op.name in ("copy", "broadcast_to") and not isinstance(s.var.type, Array)  # type: ignore[union-attr]
        with self.b.block():  # what it emits is emitted again where the nest will stand
            return None if scalar_move else member_of(self.b, s)

    def _home(self, items: list[Stmt | Group], m: Member) -> int | None:
        """The nearest earlier group that takes `m` and gains by it, if `m` may be moved there."""
        for k in range(len(items) - 1, max(len(items) - FAR, 0) - 1, -1):
            item = items[k]
            if isinstance(item, Group) and item.touched & touched(m) and item.accepts(m):
                return k
            if not self._passes(m.statement, item):
                return None
        return None

    def _merge(self, items: list[Stmt | Group], at: int) -> None:
        """Move all of a group into an earlier one that it now shares something with."""
        late = items[at]
        assert isinstance(late, Group)
        for k in range(at - 1, max(at - FAR, 0) - 1, -1):
            early = items[k]
            if isinstance(early, Group) and early.touched & late.touched:
                trial = early.copy()
                if all(trial.takes(m) for m in late.members):
                    items[k] = trial
                    del items[at]
                    return
            if not all(self._passes(m.statement, early) for m in late.members):
                return

    def _place(self, items: list[Stmt | Group], s: Stmt) -> None:
        """Put a statement before the last groups that it does not need: they stay open."""
        at = len(items)
        if isinstance(s, Def):
            for k in range(len(items) - 1, -1, -1):
                if not self._passes(s, items[k]):
                    break
                if isinstance(items[k], Group):
                    at = k
        items.insert(at, s)

    def _passes(self, s: Def, item: Stmt | Group) -> bool:
        """Whether `s` may run before `item`, which precedes it."""
        if isinstance(item, Group):
            made, observable, effects = item.defined, False, item.effects
        elif isinstance(item, Def):
            made, observable = set(results(item)), is_observable(item)
            effects = Effects.of(item, self.classes)
        else:
            return False
        if not made.isdisjoint(uses(s)):
            return False
        if observable and not _harmless(s):
            return False  # the item may be the check that `s` relies on
        own = Effects.of(s, self.classes)
        if s.op.effect and not (own.writes or own.sums) and (effects.writes or effects.sums):
            return s.op.raises  # a check may be made early, output may not
        return own.commutes(effects)


def _harmless(s: Def) -> bool:
    """Whether a definition touches no memory and raises nothing: it may run at any time."""
    return not is_observable(s) and (is_scalar_operation(s) or s.op.name in ("zeros", "empty"))


def fuse(function: Function, table: Mapping[str, Any]) -> Function:
    """The function lowered, with one nest for operations that may share it."""
    function = expanded(function, table)
    b = builder_for(function, table)
    counts = _uses(function)

    def stored(v: Var, members: Sequence[Member]) -> bool:
        """Whether anything but the members reads `v`."""
        inside = Counter(u for m in members for u in uses(m.statement))
        reduced = any(m.statement.var is v and m.reduction is not None for m in members)
        return reduced or counts[v] > inside[v]

    return Lowering(b, _Planner(b, function).plan, stored).function(function)


def _uses(function: Function) -> Counter:
    """How often each variable is read, in results and joins too."""
    counts = Counter(u for s in walk(function.body) for u in uses(s))
    counts.update(a for a in function.returns if isinstance(a, Var))
    return counts


