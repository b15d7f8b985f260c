"""Fuses array operations of a block into one nest, so that data between them skips memory.

>>> show(fuse(parse('''
... def f(x: f64[n]):
...     n: int = dim(x, axis=0)
...     y: f64[n] = mul(x, 2.0)
...     z: f64[n] = sin(y)
...     return (z,)
... ''')))
def f(x: f64[n]):
    n: int = dim(x, axis=0)
    z: f64[n] = empty(n, dtype='f64')
    for i in range(0, n):
        x1: f64 = load(x, i)
        y: f64 = mul(x1, f64(2.0))
        z1: f64 = sin(y)
        store(z, i, z1)
    return (z,)

An operation joins an earlier group of the same dims if it may be moved there: past every item in
between, and element by element next to the group's steps. Memory is compared by alias classes;
two accesses to one class go together only through the same reference at the nest's own index, or,
with `overlapping`, if all are additions.
Never moves a visible effect past another, nor past something that may raise; what may raise and
does not need the group is moved before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence, Set
from functools import cached_property

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Block, Def, Function, Stmt, Var
from srcgrad.ir.types import Array
from srcgrad.ir.walk import uses, walk
from srcgrad.operation import Primitive
from srcgrad.passes.emitter import builder_for
from srcgrad.passes.footprint import Footprint
from srcgrad.passes.lower.fusion_group import FusionGroup, touched
from srcgrad.passes.lower.lowering import Lowering, Whole, expanded, has_array_operations
from srcgrad.passes.lower.step import Step, step_of
from srcgrad.passes.places import Places
from srcgrad.primitives import memory, reductions
from srcgrad.records import record

FAR = 64  # how many items back an operation may join a group
ALONE = (memory.indices,)  # raises inside its nest


@record(frozen=True)
class Apart:
    """An operation that began a nest of its own though it touches what an earlier one does."""

    late: Def
    early: Def  # the last one of that nest
    reason: str


class _Planner:
    def __init__(
        self, b: Builder, function: Function, in_order: bool, overlapping: bool, whole: Whole,
        told: Callable[[Apart], None] | None,
    ):  # fmt: skip
        self.b, self.function, self.in_order, self.whole = b, function, in_order, whole
        self.classes = alias_classes(function)
        self.overlapping, self.told = overlapping, told
        self.known: dict[Def, Footprint] = {}

    def footprint(self, s: Def) -> Footprint:
        """The footprint of a definition, computed once: every later one compares itself with it."""
        if s not in self.known:
            self.known[s] = Footprint.of(s, self.classes, self.in_order)
        return self.known[s]

    @cached_property
    def places(self) -> Places:
        return Places(self.function)

    def apart(self, x: Var, y: Var) -> bool:
        return self.places.are_apart(x, y)

    def together(self, item: Def | FusionGroup) -> Footprint:
        """The footprint of all parts of an item."""
        if isinstance(item, Def):
            return self.footprint(item)
        return item.footprint

    def plan(self, block: Block) -> list[Stmt | tuple[Def, ...]]:
        items: list[Stmt | FusionGroup] = []
        grouped = False  # nothing before the first group is searched
        for s in block:
            step = self._step(s)
            if step is None and grouped:
                self._place(items, s)
            elif step is None:
                items.append(s)
            elif grouped and (at := self._home(items, step)) is not None:
                group = items[at]
                assert isinstance(group, FusionGroup)
                group.add(step)
                self._merge(items, at)
            else:
                if self.told is not None:
                    self._tell(items, step)
                facts = self.classes, self.footprint, self.apart
                items.append(FusionGroup(*facts, self.overlapping, step))
                grouped = True
        return [
            tuple(step.statement for step in i.steps) if isinstance(i, FusionGroup) else i
            for i in items
        ]

    def _step(self, s: Stmt) -> Step | None:
        if not isinstance(s, Def) or s.op in ALONE or self.whole(s):
            return None
        moves = s.op in (memory.copy, reductions.broadcast_to)
        scalar_move = moves and not isinstance(s.var.type, Array)  # type: ignore[union-attr]  (it has a result)
        with self.b.block():  # what it emits is emitted again at the nest
            return None if scalar_move else step_of(self.b, s)

    def _home(self, items: list[Stmt | FusionGroup], step: Step) -> int | None:
        """The nearest earlier group that takes `step` and gains by it, if it may be moved there.

        Items in between that cannot be passed are moved before the group, if that is possible.
        """
        moved, both = Footprint(), self.footprint(step.statement)
        shared = touched(step)
        needed: list[int] = []
        for k in _back(items, len(items), shared):
            item = items[k]
            fits = isinstance(item, FusionGroup) and item.touched & shared and item.accepts(step)
            if fits and self._passes(moved, item):
                before = [items[j] for j in reversed(needed)]
                rest = [items[j] for j in range(k + 1, len(items)) if j not in needed]
                items[k:] = [*before, item, *rest]
                return k + len(before)
            if not self._passes(both, item):
                if not isinstance(item, Def | FusionGroup):
                    return None
                needed.append(k)
                facts = self.together(item)
                moved, both = moved | facts, both | facts
        return None

    def _tell(self, items: list[Stmt | FusionGroup], step: Step) -> None:
        """Tells why the nearest earlier group that touches what a step does has not taken it."""
        assert self.told is not None
        shared = touched(step)
        for k in _back(items, len(items), shared):
            group = items[k]
            if isinstance(group, FusionGroup) and group.touched & shared:
                reason = group.obstacle(step) or _between(items[k + 1 :], group)
                self.told(Apart(step.statement, group.steps[-1].statement, reason))
                return

    def _merge(self, items: list[Stmt | FusionGroup], at: int) -> None:
        """Moves all of a group into an earlier one that it now shares something with."""
        late = items[at]
        assert isinstance(late, FusionGroup)
        facts = self.together(late)
        for k in _back(items, at, late.touched):
            early = items[k]
            if isinstance(early, FusionGroup) and early.touched & late.touched:
                trial = early.copy()
                if all(trial.takes(step) for step in late.steps):
                    items[k] = trial
                    del items[at]
                    return
            if not self._passes(facts, early):
                return

    def _place(self, items: list[Stmt | FusionGroup], s: Stmt) -> None:
        """Puts a statement before the last groups that it does not need: they stay open."""
        at = len(items)
        if isinstance(s, Def):
            facts = self.footprint(s)
            for k in _back(items, at):
                if not self._passes(facts, items[k]):
                    break
                if isinstance(items[k], FusionGroup):
                    at = k
        items.insert(at, s)

    def _passes(self, facts: Footprint, item: Stmt | FusionGroup) -> bool:
        """Whether statements with this footprint may run before `item`, which precedes them."""
        if isinstance(item, FusionGroup):
            return facts.passes_over(item.defined, False, item.footprint.effects)
        if isinstance(item, Def):
            return facts.passes(self.footprint(item))
        return False


def _between(items: Sequence[Stmt | FusionGroup], group: FusionGroup) -> str:
    """The reason why a step does not pass statements after a group that would take it."""
    for s in items:
        if isinstance(s, Def) and s.op.view and s.array in group.defined:
            return f"'{s.array.name}' is read through a slice or a transpose, which needs all of it"
    return "statements between them have to run first"


def _back(items: Sequence[Stmt | FusionGroup], end: int, shared: Set[Var] | None = None) -> range:
    """The places before `end`, nearest first, back to the farthest group among the last FAR items.

    With `shared`, to the farthest that touches one of these.
    """
    for k in range(max(end - FAR, 0), end):
        item = items[k]
        if isinstance(item, FusionGroup) and (shared is None or item.touched & shared):
            return range(end - 1, k - 1, -1)
    return range(0)


def fuse(
    function: Function, in_order: bool = False, library: frozenset[Primitive] = frozenset(),
    told: Callable[[Apart], None] | None = None, overlapping: bool = False,
) -> Function:  # fmt: skip
    """The function lowered, with one nest for operations that may share it.

    With `in_order` additions to the same memory keep their order. With `overlapping` those through
    several references share a nest, whose trips then depend on each other. `library`: see `lower`.
    `told` is called with operations that share no nest, and the reason.
    """
    function = expanded(function)
    if not has_array_operations(function):
        return function
    b = builder_for(function)
    counts = _uses(function)

    def stored(made: Sequence[Var], steps: Sequence[Step]) -> set[Var]:
        """Those that anything but the steps reads."""
        inside = Counter(u for step in steps for u in uses(step.statement))
        reduced = {step.statement.var for step in steps if step.reduction is not None}
        return {v for v in made if v in reduced or counts[v] > inside[v]}

    whole = Whole(function, library)
    planner = _Planner(b, function, in_order, overlapping, whole, told)
    return Lowering(b, planner.plan, stored, whole).function(function)


def _uses(function: Function) -> Counter[Var]:
    """The number of reads of each variable, in results and joins too."""
    counts = Counter(u for s in walk(function.body) for u in uses(s))
    counts.update(a for a in function.returns if isinstance(a, Var))
    return counts
