"""Loop versioning: tests before a loop whether one trip changes an element that all trips read.

>>> show(loop_versioning(parse('''
... def f(x: f64[n], y: f64[m], k: int):
...     n: int = dim(x, axis=0)
...     m: int = dim(y, axis=0)
...     for j in range(0, n):
...         a: f64 = load(x, k)
...         b: f64 = load(y, j)
...         c: bool = lt(a, b)
...         if c:
...             store(x, j, b)
...     return ()
... ''')))
def f(x: f64[n], y: f64[m], k: int):
    n: int = dim(x, axis=0)
    m: int = dim(y, axis=0)
    runs: bool = lt(0, n)
    if runs:
        a: f64 = load(x, k)
        t: bool = le(0, k)
        t1: bool = lt(k, n)
        meets: bool = logical_and(t, t1)
        stores: bool
        if meets:
            b: f64 = load(y, k)
            c: bool = lt(a, b)
            stores1: bool
            if c:
                stores1 = True
            else:
                stores1 = False
            stores = stores1
        else:
            stores = False
        if stores:
            for j in range(0, n):
                a1: f64 = load(x, k)
                b1: f64 = load(y, j)
                c1: bool = lt(a1, b1)
                if c1:
                    store(x, j, b1)
        else:
            for j1 in range(0, n):
                b2: f64 = load(y, j1)
                c2: bool = lt(a, b2)
                if c2:
                    store(x, j1, b2)
    return ()

Here trip k may store to the element that every trip reads, so neither this loop nor its reverse can
be vectorised. Trips that are independent otherwise are run in two versions: where the condition
of the store, evaluated with the operands of that trip, does not hold, the element is read once.
Where a store has no such condition the loop is split after its trip (index-set splitting), if the
trip reads the element before it stores to it. The place of the store has to move by one element per
trip on some axis, nothing may raise, and carried values are sums. Trips keep their order: no
number changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, reduce

from srcgrad.ir.alias import AliasClasses, alias_classes
from srcgrad.ir.build import Builder
from srcgrad.ir.clone import anew, copied
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Function, If, Stmt, Var, While, altered
from srcgrad.ir.types import BOOL, Scalar
from srcgrad.ir.walk import defined, walk
from srcgrad.passes.dependence import Dependence
from srcgrad.passes.effects import classes_read, classes_written, is_write, observable_within
from srcgrad.passes.places import (
    Access,
    Place,
    Poly,
    constant,
    evaluated,
    linear,
    plus,
    replaced,
    times,
    variables,
)
from srcgrad.passes.ranged import Ranged
from srcgrad.passes.ranges import Ranges
from srcgrad.passes.verdicts import Independent
from srcgrad.primitives import REGISTRY, memory
from srcgrad.records import record

MOST = 48  # statements of a loop that is written twice


def loop_versioning(function: Function) -> Function:
    return _LoopVersioning(function).function(function)


class _LoopVersioning(Ranged):
    def __init__(self, function: Function):
        super().__init__(function)
        self.program, self.classes = function, alias_classes(function)
        self.versions: set[Stmt] = set()

    @cached_property
    def facts(self) -> Dependence:
        return Dependence(self.program)

    def branch(self, s: If) -> Iterable[Stmt]:
        others = [_range(t) for t in s.orelse if isinstance(t, For)]
        self.versions |= {t for t in s.then if isinstance(t, For) and _range(t) in others}
        yield self.rebuilt(s)

    def loop(self, s: For | While) -> Iterable[Stmt]:
        found = None
        if isinstance(s, For) and s not in self.versions and not s.promised:
            found = self.versions_of(s)
        yield from (self.rebuilt(s),) if found is None else found.statements()

    # ---- legality ----
    def versions_of(self, s: For) -> _Versions | None:
        """The versions of a loop whose trips are independent but for one conflict."""
        body = walk(s.body)
        if len(body) > MOST or any(isinstance(t, For | While) for t in body):
            return None
        loads = self.fixed_loads(s)
        if not loads or any(map(observable_within, s.body)):
            return None
        met = [(t, m) for t in loads if (m := self.meeting(s, t)) is not None]
        if not met:
            return None
        trip = met[0][1].trip
        met = [(t, m) for t, m in met if m.trip == trip]
        gaps = [g for g in met[0][1].gaps if all(g in m.gaps for _, m in met)]
        stores = {a for _, m in met for a in m.stores}
        found = Conflict(s, tuple(t for t, _ in met), Meeting(trip, tuple(gaps), frozenset(stores)))
        if self.is_independent(s) or not self.is_independent(found.rest()):
            return None
        guard = _Guard(found, self.classes)
        legal = guard.is_sure or found.reads_first()
        return _Versions(found, guard, self.ranges) if legal else None

    def is_independent(self, s: For) -> bool:
        """Whether no trip touches an element that another one stores to."""
        verdict = self.facts.of(s)
        return isinstance(verdict, Independent) and not verdict.shared and not verdict.near

    def fixed_loads(self, s: For) -> list[Def]:
        """The loads that each trip makes, of one place in memory that the loop stores to."""
        inside = defined(s.body) | {s.index, *s.params}
        written = classes_written(s.body, self.classes)
        return [
            t
            for t in s.body
            if isinstance(t, Def) and t.op is memory.load
            and self.classes.of(t.array) in written and not inside & set(t.args)
        ]  # fmt: skip

    def meeting(self, s: For, load: Def) -> Meeting | None:
        """The trip whose stores may change what a load reads; None if there may be others."""
        at = self.facts.places.access(load, load.array, (s,))
        cls = self.classes.of(at.root)
        stores = [a for a in self.facts.accesses(s) if a.writes and self.classes.of(a.root) is cls]
        found: Meeting | None = None
        for a in stores:
            if a.root is not at.root or a.statement.op not in (memory.store, memory.add_at):
                return None
            if any(_differ(p, q) for p, q in zip(a.place, at.place, strict=True)):
                continue
            one = _meeting(s, a, at.place)
            if one is None or (found is not None and found.trip != one.trip):
                return None
            found = one if found is None else found.joined(one)
        return found


def _range(s: For) -> tuple[Atom, Atom, bool]:
    return s.start, s.stop, s.reverse


def _differ(p: Poly | None, q: Poly | None) -> bool:
    """Whether coordinates differ by a constant."""
    return p is not None and q is not None and set(plus(p, q, -1)) == {()}


@record(frozen=True)
class Meeting:
    """The trip in which stores reach a place, provided that the gaps are 0."""

    trip: Poly
    gaps: tuple[Poly, ...]
    stores: frozenset[Def]

    def joined(self, other: Meeting) -> Meeting:
        gaps = tuple(g for g in self.gaps if g in other.gaps)
        return Meeting(self.trip, gaps, self.stores | other.stores)


def _meeting(s: For, store: Access, target: Place) -> Meeting | None:
    """The one trip in which a place that moves is another one, which does not."""
    inside = defined(s.body) | {s.index, *s.params}

    def is_fixed(p: Poly | None) -> bool:
        return p is not None and not variables(p) & inside

    for p, q in zip(store.place, target, strict=True):
        parts = None if p is None else linear(p, s.index)
        if parts is None or q is None or not is_fixed(q) or not is_fixed(parts[1]):
            continue
        step, rest = parts
        if step in (constant(1), constant(-1)):
            trip = times(step, plus(q, rest, -1))
            gaps = [
                plus(replaced(a, s.index, trip), b, -1)
                for a, b in zip(store.place, target, strict=True)
                if a is not None and b is not None
            ]
            return Meeting(
                trip, tuple(g for g in gaps if g and is_fixed(g)), frozenset((store.statement,))
            )
    return None


@record(frozen=True, eq=False)
class Conflict:
    """A loop, and loads of places that only one trip of it may store to."""

    loop: For
    loads: tuple[Def, ...]
    meeting: Meeting

    def rest(self) -> For:
        """The loop without the loads."""
        return altered(self.loop, body=tuple([t for t in self.loop.body if t not in self.loads]))

    def reads_first(self) -> bool:
        """Whether a trip reads before it stores."""
        body = self.loop.body
        last = max(body.index(t) for t in self.loads)
        return not any(t in self.meeting.stores for t in walk(body[:last]))


# ---- whether that trip stores ----
class _Guard:
    """The conditions of the stores in a trip, evaluated before the loop."""

    def __init__(self, found: Conflict, classes: AliasClasses):
        self.loop, self.loads, self.classes = found.loop, found.loads, classes
        self.stores = found.meeting.stores
        self.needed = set[Atom]()
        self.need(self.loop.body)

    def need(self, block: Block) -> None:
        """Collects what conditions are made of, from the last statement to the first."""
        for s in reversed(block):
            if isinstance(s, If) and self.decides(s):
                ends = zip(s.results, s.then_yields, s.else_yields, strict=True)
                self.needed |= {s.cond, *(y for r, *ys in ends if r in self.needed for y in ys)}
                self.need(s.orelse)
                self.need(s.then)
            elif isinstance(s, Def) and s.var in self.needed:
                self.needed |= set(s.args)

    def decides(self, s: If) -> bool:
        return not self.needed.isdisjoint(s.results) or not self.stores.isdisjoint(walk((s,)))

    @property
    def is_sure(self) -> bool:
        """Whether every store has a condition, whose operands are the same before the loop."""
        s = self.loop
        made = self.needed & defined(s.body)
        return (
            self.stores.isdisjoint(s.body)
            and self.needed.isdisjoint(s.params)
            and all(isinstance(v.type, Scalar) for v in made)
            and self.reads_old(s.body, set())
        )

    def reads_old(self, block: Block, stored: set[Var]) -> bool:
        """Whether no operand is read from memory that the trip has stored to before."""
        for s in block:
            if isinstance(s, If):
                if not (self.reads_old(s.then, stored) and self.reads_old(s.orelse, stored)):
                    return False
            elif isinstance(s, Def):
                if is_write(s):
                    stored.add(self.classes.of(s.array))
                elif s.var in self.needed and not stored.isdisjoint(classes_read(s, self.classes)):
                    return False
        return True

    def evaluated(self, b: Builder, trip: Atom) -> Atom:
        """Whether the trip stores."""
        return self.within(b, self.loop.body, {self.loop.index: trip})

    def within(self, b: Builder, block: Block, new: dict[Atom, Atom]) -> Atom:
        found: Atom = Const(False, BOOL)
        for s in block:
            if isinstance(s, If) and self.decides(s):
                found = b.logical_or(found, self.branch(b, s, new))
            elif s in self.stores:
                found = Const(True, BOOL)
            elif isinstance(s, Def) and s.var in self.needed and s not in self.loads:
                assert s.var is not None
                new[s.var] = var = Var(s.var.name, s.var.type)
                b.append(altered(s, var=var, args=tuple([new.get(a, a) for a in s.args])))
        return found

    def branch(self, b: Builder, s: If, new: dict[Atom, Atom]) -> Atom:
        kept = [k for k, r in enumerate(s.results) if r in self.needed]
        sides: list[tuple[Block, tuple[Atom, ...]]] = []
        for block, ends in ((s.then, s.then_yields), (s.orelse, s.else_yields)):
            with b.block() as out:
                found = self.within(b, block, new)
            sides.append((tuple(out), (*(new.get(ends[k], ends[k]) for k in kept), found)))
        (then, yields), (orelse, others) = sides
        stores = Var("stores", BOOL)
        results = [Var(s.results[k].name, s.results[k].type) for k in kept]
        cond = new.get(s.cond, s.cond)
        b.append(If(cond, then, orelse, yields, others, (*results, stores), s.loc))
        new.update((s.results[k], r) for k, r in zip(kept, results, strict=True))
        return stores


# ---- the versions ----
class _Versions:
    """One loop as two."""

    def __init__(self, found: Conflict, guard: _Guard, ranges: Ranges):
        self.found, self.guard, self.ranges = found, guard, ranges
        self.loop, self.b = found.loop, Builder(REGISTRY)
        self.b.loc = self.loop.loc

    def statements(self) -> Block:
        s, b = self.loop, self.b
        if self.ranges.at_most(s.start, s.stop, -1):
            self.versions(s.results)
            return tuple(b.out)
        ends = anew(s.results)
        with b.block() as then:
            self.versions(ends)
        runs = b.lt(s.start, s.stop, name="runs")
        b.append(If(runs, tuple(then), (), ends, s.inits, s.results, s.loc))
        return tuple(b.out)

    def versions(self, results: tuple[Var, ...]) -> None:
        """The statements for a loop that runs."""
        for t in self.found.loads:
            self.b.append(t)
        trip = evaluated(self.b, self.found.meeting.trip)
        if self.guard.is_sure:
            self.guarded(trip, results)
        else:
            self.split(trip, results)

    def meets(self, trip: Atom) -> Atom:
        """Whether the loop has the trip, and its stores go to the places that are read."""
        s, b = self.loop, self.b
        tests: list[Atom] = [Const(True, BOOL)]
        if not self.ranges.at_most(s.start, trip):
            tests.append(b.le(s.start, trip))
        if not self.ranges.at_most(trip, s.stop, -1):
            tests.append(b.lt(trip, s.stop))
        tests += [b.eq(evaluated(b, gap), 0) for gap in self.found.meeting.gaps]
        return reduce(lambda x, y: b.logical_and(x, y, name="meets"), tests)

    def guarded(self, trip: Atom, results: tuple[Var, ...]) -> None:
        """The loop as it is if that trip stores, the loop without the loads if it does not."""
        s, b = self.loop, self.b
        with b.block() as test:
            found = self.guard.evaluated(b, trip)
        meets = self.meets(trip)
        if isinstance(meets, Const) and meets.value:
            b.out += test
        else:
            stores = Var("stores", BOOL)
            b.append(If(meets, tuple(test), (), (found,), (Const(False, BOOL),), (stores,), s.loc))
            found = stores
        (old,), _ = copied((s,), {})
        (new,), _ = copied((self.found.rest(),), {})
        assert isinstance(old, For) and isinstance(new, For)
        b.append(If(found, (old,), (new,), old.results, new.results, results, s.loc))

    def split(self, trip: Atom, results: tuple[Var, ...]) -> None:
        """The trips up to that one, and those after it, which load again."""
        s, b = self.loop, self.b
        meets = self.meets(trip)
        (first,), _ = copied((self.found.rest(),), {})
        *loads, second = copied((*self.found.loads, self.found.rest()), {})[0]
        assert isinstance(first, For) and isinstance(second, For)
        if s.reverse:
            middle = b.where(meets, trip, s.start, name="middle")
            first, second = altered(first, start=middle), altered(second, stop=middle)
        else:
            middle = b.where(meets, b.add(trip, 1), s.stop, name="middle")
            first, second = altered(first, stop=middle), altered(second, start=middle)
        b.append(first)
        more = b.lt(second.start, second.stop, name="more")
        second = altered(second, inits=first.results)
        b.append(If(more, (*loads, second), (), second.results, first.results, results, s.loc))
