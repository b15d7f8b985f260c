"""Buffers that take turns: unrolls a loop until each name is that of its first buffer again.

>>> show(unrolled_rotations(parse('''
... def f(x: f64[n], y: f64[n]):
...     n: int = dim(x, axis=0)
...     u: f64[n] = copy(x)
...     v: f64[n] = copy(y)
...     u1: f64[n] = u
...     v1: f64[n] = v
...     for t in range(0, 5):
...         a: f64 = load(u1, 0)
...         store(v1, 0, a)
...         u1, v1 = v1, u1
...     return (u1,)
... ''')))
def f(x: f64[n], y: f64[n]):
    n: int = dim(x, axis=0)
    u: f64[n] = copy(x)
    v: f64[n] = copy(y)
    for t in range(0, 2):
        t1: int = mul(t, 2)
        a: f64 = load(u, 0)
        store(v, 0, a)
        t2: int = add(t1, 1)
        a1: f64 = load(v, 0)
        store(u, 0, a1)
    a2: f64 = load(u, 0)
    store(v, 0, a2)
    return (v,)

For reverse mode, before it. A loop with `u, v = v, u` joins both buffers in one alias class, and
no pass can tell the old array from the new one. Two trips at a time, or as many as a rotation has
buffers, they have the same names at each beginning. The trips that are left over come after the
loop. Where their number is not known, elements change places instead of names, in distinct buffers
that only the loop names; so they do in each trip of a `while`, and of a loop too long to unroll.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import lcm

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.build import Builder
from srcgrad.ir.clone import anew, copied
from srcgrad.ir.nodes import Atom, Block, Const, For, Function, Stmt, Var, While, altered
from srcgrad.ir.types import INT
from srcgrad.ir.walk import walk
from srcgrad.passes.own_buffers import Following, begins_alone, carried, keeps_its_trips
from srcgrad.primitives import REGISTRY

MOST = 4  # buffers that take turns
STATEMENTS = 600  # of the unrolled trips


def unrolled_rotations(function: Function) -> Function:
    if not any(len(carried(s)) > 1 for s in walk(function.body)):
        return function
    return _UnrolledRotations(function).function(function)


class _UnrolledRotations(Following):
    def __init__(self, function: Function):
        super().__init__()
        self.program, self.classes = function, alias_classes(function)

    def loop(self, s: For | While) -> Iterable[Stmt]:
        turns = self.turns(s)
        own = bool(turns) and begins_alone(self.program, s, list(turns), self.before)
        if isinstance(s, For) and turns and (own or _has_known_trips(s)) and _is_short(s, turns):
            new = self.rebuilt(s)
            assert isinstance(new, For)
            made = _Unrolled(new, turns)
            yield from made.statements()
            self.new.update(zip(s.results, made.ends, strict=True))
        elif own:
            yield self.in_place(s, turns)
        else:
            yield self.rebuilt(s)

    def turns(self, s: For | While) -> dict[int, int]:
        """For each position that takes part, the one whose buffer it gets next."""
        at = carried(s)
        place = {s.params[k]: k for k in at}
        found = {k: place[y] for k in at if isinstance(y := s.yields[k], Var) and y in place}
        while left := [k for k, j in found.items() if j not in found or k not in found.values()]:
            found = {k: j for k, j in found.items() if k not in left}
        if not 1 < _period(found) <= MOST or keeps_its_trips(s):
            return {}
        types = [(s.params[k].type, s.params[j].type, s.inits[k].type) for k, j in found.items()]
        same = all(a == b == c for a, b, c in types)
        written = any(self.classes.of(s.params[k]) in self.classes.written for k in found)
        return found if same and written else {}

    def in_place(self, s: For | While, turns: dict[int, int]) -> For | While:
        """The loop at the end of whose trips elements change places."""
        for k in turns:
            self.new[s.params[k]] = self.new[s.results[k]] = self.atom(s.inits[k])
        new = self.rebuilt(s)
        assert isinstance(new, For | While)
        b = Builder(REGISTRY)
        b.loc = s.loc
        _exchange(b, cycles(turns), new.inits)
        kept = [k for k in range(len(s.params)) if k not in turns]
        return altered(
            new, params=tuple([new.params[k] for k in kept]),
            inits=tuple([new.inits[k] for k in kept]), body=(*new.body, *b.out),
            yields=tuple([new.yields[k] for k in kept]),
            results=tuple([new.results[k] for k in kept]),
        )  # fmt: skip


def _has_known_trips(s: For) -> bool:
    return isinstance(s.start, Const) and isinstance(s.stop, Const)


def _is_short(s: For, turns: dict[int, int]) -> bool:
    return _period(turns) * len(walk(s.body)) <= STATEMENTS


def _period(turns: dict[int, int]) -> int:
    return lcm(*map(len, cycles(turns)))


def _exchange(b: Builder, cycles: list[list[int]], buffers: Sequence[Atom]) -> None:
    """Gives each buffer of a cycle the elements of the next one."""
    for cycle in cycles:
        if len(cycle) > 1:
            first, *others = [buffers[k] for k in cycle]
            kept = b.copy(first)
            for x, y in zip((first, *others), (*others, kept), strict=True):
                b.assign(x, y)


def cycles(turns: dict[int, int]) -> list[list[int]]:
    """The cycles of a permutation."""
    out: list[list[int]] = []
    seen: set[int] = set()
    for k in turns:
        cycle: list[int] = []
        while k not in seen:
            seen.add(k)
            cycle.append(k)
            k = turns[k]
        if cycle:
            out.append(cycle)
    return out


class _Unrolled:
    """One loop as a loop over as many trips as its buffers need, and the trips left over."""

    def __init__(self, loop: For, turns: dict[int, int]):
        self.s, self.turns, self.b = loop, turns, Builder(REGISTRY)
        self.b.loc = loop.loc
        self.cycles = cycles(turns)
        self.period = _period(turns)
        self.others = [k for k in range(len(loop.params)) if k not in turns]
        self.ends: list[Atom] = list(loop.inits)  # what the loop carries, as far as it has run

    def statements(self) -> Block:
        s, b = self.s, self.b
        trips = b.maximum(b.sub(s.stop, s.start), 0, name="trips")
        rounds = b.floordiv(trips, self.period, name="rounds")
        done = b.mul(rounds, self.period)
        left = b.sub(trips, done, name="left")
        lowest = b.add(s.start, left) if s.reverse else s.start
        self.rounds(rounds, lowest)
        if isinstance(left, Const):
            for k in range(int(left.value)):
                at = b.sub(left, k + 1) if s.reverse else b.add(done, k)
                self.ends = self.trip(b.add(s.start, at), self.ends)
        else:
            first, last = (s.start, lowest) if s.reverse else (b.add(s.start, done), s.stop)
            self.rest(first, last)
        return tuple(b.out)

    def trip(self, index: Atom, values: Sequence[Atom]) -> list[Atom]:
        """Appends the statements of a trip; what it hands on."""
        known = dict(zip(self.s.params, values, strict=True)) | {self.s.index: index}
        body, new = copied(self.s.body, known)
        self.b.out += body
        return [new.get(y, y) if isinstance(y, Var) else y for y in self.s.yields]

    def rounds(self, rounds: Atom, lowest: Atom) -> None:
        b, i = self.b, Var(self.s.index.name, INT)
        steps = range(self.period)
        params = self.params()
        values = self.with_others(params)
        with b.block() as body:
            first = b.add(lowest, b.mul(i, self.period))
            for k in reversed(steps) if self.s.reverse else steps:
                values = self.trip(b.add(first, k), values)
        self.append(i, Const(0, INT), rounds, params, body, values)

    def rest(self, first: Atom, last: Atom) -> None:
        """The trips left over, in which elements change places."""
        b, i = self.b, Var(self.s.index.name, INT)
        params = self.params()
        with b.block() as body:
            values = self.trip(i, self.with_others(params))
            _exchange(b, self.cycles, self.ends)
        self.append(i, first, last, params, body, values)

    def params(self) -> tuple[Var, ...]:
        return anew([self.s.params[k] for k in self.others])

    def with_others(self, others: Sequence[Atom]) -> list[Atom]:
        """The values at the beginning of a trip: buffers by their first names, and these others."""
        new = dict(zip(self.others, others, strict=True))
        return [new.get(k, a) for k, a in enumerate(self.ends)]

    def append(
        self, i: Var, start: Atom, stop: Atom, params: tuple[Var, ...], body: list[Stmt],
        values: list[Atom],
    ) -> None:  # fmt: skip
        results = anew(params)
        inits = tuple([self.ends[k] for k in self.others])
        yields = tuple([values[k] for k in self.others])
        loop = altered(
            self.s, index=i, start=start, stop=stop, params=params, inits=inits,
            body=tuple(body), yields=yields, results=results,
        )  # fmt: skip
        self.b.append(loop)
        self.ends = self.with_others(results)
