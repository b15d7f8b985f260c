"""Computes what trips count from the number of the trip, and makes tapes long enough before a loop.

>>> show(counted_trips(parse('''
... def f(x: f64[n]):
...     n: int = dim(x, axis=0)
...     t: tape[f64] = tape(16, dtype='f64')
...     k: int = 0
...     for i in range(0, n):
...         v: f64 = load(x, i)
...         m: int = add(k, 1)
...         reserve(t, m)
...         store(t, k, v)
...         k = m
...     return (k,)
... ''')))
def f(x: f64[n]):
    n: int = dim(x, axis=0)
    t: tape[f64] = tape(16, dtype='f64')
    trips: int = maximum(n, 0)
    t1: int = sub(n, 1)
    t2: int = add(t1, 1)
    reserve(t, t2)
    for i in range(0, n):
        v: f64 = load(x, i)
        m: int = add(i, 1)
        store(t, i, v)
    return (trips,)

A carried int64 that each trip changes by the same steps is its start plus so many steps, and trips
that only need such integers of one another are independent. A tape is made as long before the loop
as any of its trips needs it, if it can be made so before all loops around. Never changes an integer
that wraps around, nor one that a branch or a `while` counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from srcgrad.ir.clone import clone
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Function, If, Stmt, Var, While, altered
from srcgrad.ir.types import Scalar
from srcgrad.ir.walk import blocks, defined, walk
from srcgrad.passes.bounds import is_int64
from srcgrad.passes.emitter import builder_for
from srcgrad.passes.room_ahead import Room, tape_of
from srcgrad.primitives import elementwise, tapes
from srcgrad.records import record


def counted_trips(function: Function) -> Function:
    grows = any(isinstance(s, Def) and s.op is tapes.reserve for s in walk(function.body))
    again = clone(function) if grows else function
    first = _CountedTrips(function)
    new = first.function(function)
    stuck = _stuck(new.body)
    if not stuck & first.roomy:
        return new
    # the trips around would make room as before, and those inside be launched one by one
    places = [k for k, t in enumerate(_tapes(new)) if t in stuck]
    return _CountedTrips(again, {_tapes(again)[k] for k in places}).function(again)


@record(frozen=True)
class Step:
    """An increment, times the trips of the loops inside that add it."""

    sign: int
    size: Atom
    inner: tuple[For, ...] = ()


class _CountedTrips(Room):
    """`left`: tapes that are reserved as before; `roomy`: those that are not any more."""

    def __init__(self, function: Function, left: Set[Var] = frozenset()):
        super().__init__(builder_for(function), left)
        loops = [s for s in walk(function.body) if isinstance(s, For)]
        self.result = {r: (s, k) for s in loops for k, r in enumerate(s.results)}

    def loop(self, s: For | While) -> Iterable[Stmt]:
        if not isinstance(s, For):
            yield self.rebuilt(s)
            return
        found = self.counters(s)
        for k, steps in found.items():
            self.new[s.results[k]] = self.after(s.inits[k], steps, self.trips(s), s.results[k])

        def body(block: Block) -> Block:
            with self.b.block() as out:
                for k, steps in found.items():
                    self.new[s.params[k]] = self.after(s.inits[k], steps, self.done(s), s.params[k])
                for t in block:
                    for new in self.statement(t):
                        self.b.append(new)
            return tuple(out)

        kept = [k for k in range(len(s.params)) if k not in found]
        fields = ("params", "inits", "yields", "results")
        rest = altered(s, **{f: tuple(getattr(s, f)[k] for k in kept) for f in fields})
        new = self.mapped(rest, body)
        assert isinstance(new, For)
        yield from self.with_room(new)

    # ---- counters ----
    def counters(self, s: For) -> dict[int, list[Step]]:
        """The carried integers that each trip changes by the same steps, by their positions."""
        places = [k for k, p in enumerate(s.params) if is_int64(p)]
        inside = {*defined(s.body), *s.params, s.index} if places else frozenset[Var]()
        found = {k: self.steps(s.yields[k], s.params[k], inside) for k in places}
        return {k: steps for k, steps in found.items() if steps is not None}

    def steps(self, end: Atom, param: Var, inside: Set[Var]) -> list[Step] | None:
        """The steps that lead from a carried integer to the value at the end of a trip."""
        found: list[Step] = []
        while end is not param:
            if isinstance(end, Var) and end in self.result:
                s, k = self.result[end]
                each = self.steps(s.yields[k], s.params[k], inside)
                if each is None or {s.start, s.stop} & inside:
                    return None
                found += [Step(e.sign, e.size, (s, *e.inner)) for e in each]
                end = s.inits[k]
                continue
            d = self.b.definition.get(end) if isinstance(end, Var) else None
            if d is None or not all(map(is_int64, d.args)):
                return None
            if d.op is elementwise.add and d.args[0] not in inside:
                found.append(Step(1, d.args[0]))
                end = d.args[1]
            elif d.op in (elementwise.add, elementwise.sub) and d.args[1] not in inside:
                found.append(Step(1 if d.op is elementwise.add else -1, d.args[1]))
                end = d.args[0]
            elif d.op is elementwise.cast:
                end = d.args[0]
            else:
                return None
        return found

    def trips(self, s: For) -> Atom:
        start, stop = self.atom(s.start), self.atom(s.stop)
        return self.b.maximum(self.b.sub(stop, start), 0, name="trips")

    def done(self, s: For) -> Atom:
        """The number of trips before this one."""
        if s.reverse:
            return self.b.sub(self.b.sub(self.atom(s.stop), 1), s.index)
        return self.b.sub(s.index, self.atom(s.start))

    def after(self, init: Atom, steps: Sequence[Step], trips: Atom, v: Var) -> Atom:
        """The value of a counter after so many trips."""
        total: Atom = self.atom(init)
        for step in steps:
            size = self.atom(step.size)
            times = self.b.mul(trips, size.value if isinstance(size, Const) else size)
            for inner in step.inner:
                times = self.b.mul(times, self.trips(inner))
            total = (self.b.add if step.sign > 0 else self.b.sub)(total, times, name=v.name)
        assert isinstance(v.type, Scalar)
        return self.b.retyped(total, v.type, v.name)


def _tapes(function: Function) -> list[Var]:
    """The tapes that a function makes, in order."""
    made = (s for s in walk(function.body) if isinstance(s, Def) and s.op is tapes.tape)
    return [s.var for s in made if s.var is not None]


def _stuck(block: Block, around: Set[Var] = frozenset()) -> set[Var]:
    """The tapes that grow in the trips of a loop that does not make them itself."""
    found: set[Var] = set()
    here = set(around)
    for s in block:
        if isinstance(s, Def) and s.op is tapes.tape and s.var is not None:
            here.add(s.var)
        elif isinstance(s, Def) and s.op is tapes.reserve and tape_of(s) not in here:
            found.add(tape_of(s))
        for inner in blocks(s):
            found |= _stuck(inner, here if isinstance(s, If) else frozenset())
    return found
