"""Several array operations of a block in one nest: what flows between them never reaches memory.

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
two accesses to one class go together only through the same reference at the nest's own index.
Never moves a visible effect past another, nor past something that may raise; what may raise and
does not need the group is moved before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from functools import reduce

from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Block, Def, Function, Stmt, Var
from srcgrad.ir.types import Array
from srcgrad.ir.walk import results, uses, walk
from srcgrad.operation import Primitive
from srcgrad.passes.effects import is_observable, is_scalar_operation
from srcgrad.passes.emitter import builder_for
from srcgrad.passes.lower.fusion_group import NO_EFFECTS, Effects, FusionGroup, touched
from srcgrad.passes.lower.lowering import Lowering, Whole, expanded
from srcgrad.passes.lower.step import Step, step_of
from srcgrad.primitives import memory, reductions
from srcgrad.records import record

FAR = 64  # items back that an operation may join a group
ALONE = (memory.indices,)  # raises inside its nest


@record(frozen=True)
class _Facts:
    """What decides whether definitions, taken together, may run before what precedes them."""

    uses: frozenset[Var] = frozenset()
    makes: frozenset[Var] = frozenset()
    observable: bool = False
    harmless: bool = True  # touches no memory and raises nothing: it may run at any time
    shows: bool = False  # output that may not come before a write; a check may be made early
    effects: Effects = NO_EFFECTS

    @staticmethod
    def of(s: Def, classes: AliasClasses, in_order: bool) -> _Facts:
        observable = is_observable(s)
        touches = not is_scalar_operation(s) and s.op not in (memory.zeros, memory.empty)
        effects = Effects.of(s, classes, in_order)
        return _Facts(
            frozenset(uses(s)),
            frozenset(results(s)),
            observable,
            not observable and not touches,
            s.op.effect and not effects.changes and not s.op.raises,
            effects,
        )

    def __or__(self, other: _Facts) -> _Facts:
        return _Facts(
            self.uses | other.uses,
            self.makes | other.makes,
            self.observable or other.observable,
            self.harmless and other.harmless,
            self.shows or other.shows,
            self.effects | other.effects,
        )

    def pass_over(self, made: Set[Var], observable: bool, effects: Effects) -> bool:
        """Whether these may run before an item that makes, shows and touches what is given."""
        if not self.uses.isdisjoint(made):
            return False
        if observable and not self.harmless:
            return False  # the item may be the check that these rely on
        if self.shows and effects.changes:
            return False
        return self.effects.commutes(effects)


class _Planner:
    def __init__(self, b: Builder, classes: AliasClasses, in_order: bool, whole: Whole):
        self.b, self.classes, self.in_order, self.whole = b, classes, in_order, whole
        self.known: dict[Def, _Facts] = {}

    def facts_of(self, s: Def) -> _Facts:
        """The facts of a definition, collected once: every later one compares itself with it."""
        if s not in self.known:
            self.known[s] = _Facts.of(s, self.classes, self.in_order)
        return self.known[s]

    def together(self, item: Def | FusionGroup) -> _Facts:
        """The facts of all that an item consists of."""
        if isinstance(item, Def):
            return self.facts_of(item)
        return reduce(_Facts.__or__, [self.facts_of(step.statement) for step in item.steps])

    def plan(self, block: Block) -> list[Stmt | tuple[Def, ...]]:
        items: list[Stmt | FusionGroup] = []
        for s in block:
            step = self._step(s)
            if step is None:
                self._place(items, s)
            elif (at := self._home(items, step)) is not None:
                group = items[at]
                assert isinstance(group, FusionGroup)
                group.add(step)
                self._merge(items, at)
            else:
                items.append(FusionGroup(self.classes, step, self.in_order))
        return [
            tuple(step.statement for step in i.steps) if isinstance(i, FusionGroup) else i
            for i in items
        ]

    def _step(self, s: Stmt) -> Step | None:
        if not isinstance(s, Def) or s.op in ALONE or self.whole(s):
            return None
        moves = s.op in (memory.copy, reductions.broadcast_to)
        scalar_move = moves and not isinstance(s.var.type, Array)  # type: ignore[union-attr]  (it has a result)
        with self.b.block():  # what it emits is emitted again where the nest will stand
            return None if scalar_move else step_of(self.b, s)

    def _home(self, items: list[Stmt | FusionGroup], step: Step) -> int | None:
        """The nearest earlier group that takes `step` and gains by it, if it may be moved there.

        What stands between and cannot be passed is moved before the group, if that is possible.
        """
        moved, both = _Facts(), self.facts_of(step.statement)
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

    def _merge(self, items: list[Stmt | FusionGroup], at: int) -> None:
        """Move all of a group into an earlier one that it now shares something with."""
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
        """Put a statement before the last groups that it does not need: they stay open."""
        at = len(items)
        if isinstance(s, Def):
            facts = self.facts_of(s)
            for k in _back(items, at):
                if not self._passes(facts, items[k]):
                    break
                if isinstance(items[k], FusionGroup):
                    at = k
        items.insert(at, s)

    def _passes(self, facts: _Facts, item: Stmt | FusionGroup) -> bool:
        """Whether what has the facts may run before `item`, which precedes it."""
        if isinstance(item, FusionGroup):
            return facts.pass_over(item.defined, False, item.effects)
        if isinstance(item, Def):
            other = self.facts_of(item)
            return facts.pass_over(other.makes, other.observable, other.effects)
        return False


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
    function: Function, in_order: bool = False, library: frozenset[Primitive] = frozenset()
) -> Function:
    """The function lowered, with one nest for operations that may share it.

    With `in_order` additions to the same memory keep their order. `library`: see `lower`.
    """
    function = expanded(function)
    b = builder_for(function)
    counts = _uses(function)

    def stored(v: Var, steps: Sequence[Step]) -> bool:
        """Whether anything but the steps reads `v`."""
        inside = Counter(u for step in steps for u in uses(step.statement))
        reduced = any(step.statement.var is v and step.reduction is not None for step in steps)
        return reduced or counts[v] > inside[v]

    whole = Whole(function, library)
    planner = _Planner(b, AliasClasses(function), in_order, whole)
    return Lowering(b, planner.plan, stored, whole).function(function)


def _uses(function: Function) -> Counter[Var]:
    """How often each variable is read, in results and joins too."""
    counts = Counter(u for s in walk(function.body) for u in uses(s))
    counts.update(a for a in function.returns if isinstance(a, Var))
    return counts
