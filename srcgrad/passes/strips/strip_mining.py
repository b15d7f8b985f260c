"""Runs 32 trips of a loop in step where each trip waits for a recurrence of its own.

>>> show(strip_mining(parse('''
... def f(x: f64[n], y: f64[n], m: int):
...     n: int = dim(x, axis=0)
...     for i in range(0, n):
...         a: f64 = load(x, i)
...         s: f64 = a
...         for t in range(0, m):
...             s1: f64 = mul(s, s)
...             s = s1
...         store(y, i, s)
...     return ()
... ''')))
def f(x: f64[n], y: f64[n], m: int):
    n: int = dim(x, axis=0)
    trips: int = maximum(n, 0)
    strips: int = floordiv(trips, 32)
    t: int = mul(strips, 32)
    t1: bool = gt(strips, 0)
    if t1:
        s: f64[32] = empty(32, dtype='f64')
        for strip in range(0, strips):
            t2: int = mul(strip, 32)
            for lane in range(0, 32):
                i: int = add(t2, lane)
                a: f64 = load(x, i)
                store(s, lane, a)
            for t3 in range(0, m):
                for lane1 in range(0, 32):
                    s1: f64 = load(s, lane1)
                    s2: f64 = mul(s1, s1)
                    store(s, lane1, s2)
            for lane2 in range(0, 32):
                i1: int = add(t2, lane2)
                s3: f64 = load(s, lane2)
                store(y, i1, s3)
    for i2 in range(t, n):
        a1: f64 = load(x, i2)
        s4: f64 = a1
        for t4 in range(0, m):
            s5: f64 = mul(s4, s4)
            s4 = s5
        store(y, i2, s4)
    return ()

The trips of an inner loop that is a recurrence cannot be vectorised: each waits for the one before
it. If the trips of the loop around it are independent, a strip of them runs with the inner loop
outside: a loop over the lanes then has what machine code computes in vectors. The trips after the
last whole strip run as they were. `candidates.py` has the conditions. No number changes, but the
order in which trips add to sums.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from srcgrad.ir.build import Builder
from srcgrad.ir.clone import anew
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Function, If, Stmt, Var, While, altered
from srcgrad.ir.types import INT, Scalar, Tape
from srcgrad.ir.walk import walk
from srcgrad.operation import Primitive
from srcgrad.passes.combining import NEUTRAL, reads_of_statements
from srcgrad.passes.dependence import Dependence
from srcgrad.passes.rewrite import Rewriter
from srcgrad.passes.strips import sizes
from srcgrad.passes.strips.candidates import Candidates, Chosen, recurrences_of_plain
from srcgrad.passes.strips.lanes import Lanes
from srcgrad.passes.strips.room import Room
from srcgrad.passes.strips.tapes import Place, laid_out
from srcgrad.passes.verdicts import Independent
from srcgrad.primitives import REGISTRY


def strip_mining(function: Function, in_order: bool = False) -> Function:
    """The function with its strips; `in_order`: no sum is added in another order."""
    loops = (s for s in walk(function.body) if isinstance(s, For))
    reads = reads_of_statements()
    if not any(recurrences_of_plain(s, reads) for s in loops):
        return function
    facts = Dependence(function)
    chosen = Candidates(function, facts, in_order).among(function.body)
    if not chosen:
        return function
    room, places = _with_tapes_side_by_side(function, chosen, facts)
    return _StripMining(room, places, facts).function(function) if room.chosen else function


def _with_tapes_side_by_side(
    function: Function, chosen: Mapping[For, Chosen], facts: Dependence
) -> tuple[Room, dict[Def, Place]]:
    """The loops to rewrite, and their accesses to tapes that are laid out for it.

    All loops of a trip go around the lanes where these have memory of their own: its tapes have to
    be laid out then, for nothing in the trip walks along them.
    """
    while True:
        room = Room(function, chosen)
        uniform = {s: c.uniform for s, c in room.chosen.items()}
        places = laid_out(uniform, facts)
        apart = {
            s
            for s, u in uniform.items()
            if u.around
            for a in facts.accesses(s)
            if isinstance(a.root.type, Tape) and a.statement not in places and len(a.loops) > 1
        }
        if not apart:
            return room, places
        chosen = {s: c for s, c in room.chosen.items() if s not in apart}


class _StripMining(Rewriter):
    def __init__(self, room: Room, places: Mapping[Def, Place], facts: Dependence):
        super().__init__()
        self.room, self.places, self.facts = room, places, facts

    def loop(self, s: For | While) -> Iterable[Stmt]:
        if not isinstance(s, For) or s not in self.room.chosen:
            yield self.rebuilt(s)
            return
        chosen = self.room.chosen[s]
        b = Builder(REGISTRY)
        b.loc = s.loc
        lanes = Lanes(b, s, chosen.uniform, self.places, self.facts)
        yield from _Strips(s, chosen.found, lanes, self.room).statements()


class _Strips:
    """A loop as strips, and the loop over the trips that are left."""

    def __init__(self, loop: For, found: Independent, lanes: Lanes, room: Room):
        self.loop, self.found, self.lanes, self.b = loop, found, lanes, lanes.b
        self.room = room

    def statements(self) -> Block:
        s, b = self.loop, self.b
        start, stop = (b.retyped(a, INT) for a in (s.start, s.stop))
        trips = b.maximum(b.sub(stop, start), 0, name="trips")
        count = self.room.count(b, b.floordiv(trips, sizes.LANES, name="strips"))
        rest = b.add(start, b.mul(count, sizes.LANES), name="rest")
        if s.reverse:
            left = altered(s, start=rest, results=anew(s.results))
            b.append(left)
            b.append(self.guarded(start, count, left.results, s.results))
        else:
            middle = anew(s.results)
            b.append(self.guarded(start, count, s.inits, middle))
            b.append(altered(s, start=rest, inits=middle))
        return tuple(b.out)

    def guarded(
        self, start: Atom, count: Atom, inits: tuple[Atom, ...], ends: tuple[Var, ...]
    ) -> If:
        """The strips, where there are any; `ends`: what they make of the carried values `inits`."""
        b = self.b
        any_strip = b.gt(count, 0)
        with b.block() as then:
            self.lanes.prepare([p for p, op in self.carried if op is not None])
            self.filled(inits)
            strip = Var("strip", INT)
            with b.block() as body:
                first = b.add(start, b.mul(strip, sizes.LANES), name="first")
                same = zip(self.carried, inits, strict=True)
                self.lanes.strip(first, {p: a for (p, op), a in same if op is None})
            b.append(
                For(strip, Const(0, INT), count, (), (), tuple(body), (), (),
                    reverse=self.loop.reverse, loc=self.loop.loc)
            )  # fmt: skip
            yields = self.combined(inits)
        return If(any_strip, tuple(then), (), yields, inits, ends, self.loop.loc)

    @property
    def carried(self) -> list[tuple[Var, Primitive | None]]:
        """The carried values with what combines them; None: all trips have the same."""
        return list(zip(self.loop.params, self.found.combined, strict=True))

    def filled(self, inits: tuple[Atom, ...]) -> None:
        """Fills the buffers of sums and extrema with what does not change their results."""
        b, lane = self.b, Var("lane", INT)
        with b.block() as body:
            for (p, op), init in zip(self.carried, inits, strict=True):
                if op is not None:
                    first = Const(NEUTRAL[op], p.type) if op in NEUTRAL else init
                    b.store(self.lanes.buffers[p], lane, b.cast(first, Scalar(p.type.dtype)))
        if body:
            self.lanes.over(lane, tuple(body))

    def combined(self, inits: tuple[Atom, ...]) -> tuple[Atom, ...]:
        """The carried values after all strips, from those of the lanes."""
        s, b = self.loop, self.b
        changing = [k for k, (_, op) in enumerate(self.carried) if op is not None]
        params, ended = self.lanes.fresh(s.params, changing), self.lanes.fresh(s.results, changing)
        lane = Var("lane", INT)
        with b.block() as body:
            ends = tuple(self.with_lane(k, p, lane) for k, p in zip(changing, params, strict=True))
        if changing:
            zero, lanes = Const(0, INT), Const(sizes.LANES, INT)
            starts = tuple(inits[k] for k in changing)
            b.append(For(lane, zero, lanes, params, starts, tuple(body), ends, ended, loc=s.loc))
        after = dict(zip(changing, ended, strict=True))
        return tuple(after.get(k, self.passed(k, a)) for k, a in enumerate(inits))

    def with_lane(self, k: int, p: Var, lane: Var) -> Atom:
        """A sum or an extremum with that of one lane."""
        b, (held, op) = self.b, self.carried[k]
        assert op is not None and isinstance(p.type, Scalar)
        one = b.retyped(b.load(self.lanes.buffers[held], lane, name=held.name), p.type)
        return b.retyped(b(op, p, one), p.type)

    def passed(self, k: int, a: Atom) -> Atom:
        """A value that all trips have, after them: some pass on 0 + it."""
        p, y = self.loop.params[k], self.loop.yields[k]
        return a if y is p or self.carried[k][1] is not None else self.b.add(Const(0.0, p.type), a)
