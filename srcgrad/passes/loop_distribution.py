"""Loop distribution: moves functions with vector forms out of loops that are not vectorised.

>>> show(loop_distribution(parse('''
... def f(x: f64[n]):
...     n: int = dim(x, axis=0)
...     s: f64 = f64(0.0)
...     for i in range(0, n):
...         v: f64 = load(x, i)
...         t: f64 = sin(v)
...         u: f64 = mul(t, s)
...         w: f64 = add(u, v)
...         s = w
...     return (s,)
... ''')))
def f(x: f64[n]):
    n: int = dim(x, axis=0)
    ahead: f64[1024] = empty(1024, dtype='f64')
    t: int = add(n, 1023)
    blocks: int = floordiv(t, 1024)
    s: f64 = f64(0.0)
    for block in range(0, blocks):
        t1: int = mul(block, 1024)
        t2: int = add(t1, 1024)
        last: int = minimum(t2, n)
        trips: int = sub(last, t1)
        for i in range(0, trips):
            t3: int = add(t1, i)
            v: f64 = load(x, t3)
            t4: f64 = sin(v)
            store(ahead, i, t4)
        s1: f64 = s
        for i1 in range(0, trips):
            t5: int = add(t1, i1)
            t6: f64 = load(ahead, i1)
            v1: f64 = load(x, t5)
            u: f64 = mul(t6, s1)
            w: f64 = add(u, v1)
            s1 = w
        s = s1
    return (s,)

A loop whose trips wait for each other is not vectorised, nor is one with loops in it, nor are the
functions that it calls. A trip is divided into parts, which run one after the other for a block of
trips; numbers are handed on in buffers. In an innermost loop the first part is what depends on
indices, and on elements to which no earlier trip stores (`ahead.py`); a loop around loops has parts
with loops and parts with functions in turn (`phases.py`). The same numbers are computed of the same
operands. Nothing in a loop may raise. Never touches a loop that may be vectorised as it is, or is
known to be short.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

from srcgrad.ir.build import Builder
from srcgrad.ir.clone import anew, copied
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Function, Stmt, Var, While, altered
from srcgrad.ir.types import INT, Array, Scalar
from srcgrad.ir.walk import blocks, defined, replaced_by, results, uses, walk
from srcgrad.passes.ahead import Ahead, SerialLoops, computes_much, is_function
from srcgrad.passes.dead_code import eliminate
from srcgrad.passes.phases import Phase, has_function, phases
from srcgrad.passes.places import Poly, constant, evaluated, plus, times, variables
from srcgrad.passes.rewrite import Rewriter
from srcgrad.primitives import REGISTRY, memory

BLOCK = 1024  # trips whose values are computed ahead
ROWS = 64  # the same for trips with loops in them, at most
FEW = 8  # the same where these loops have many trips
INNER = 32768  # trips of these loops in a block: so many elements stay in a cache
SOME = 16  # assumed trips of a loop about which nothing is known
SHORT = 16  # trips: a loop known to have fewer stays as it is


def loop_distribution(function: Function, in_order: bool = False) -> Function:
    """The function with its loops distributed; `in_order`: sums are not vectorised."""
    distribution = _LoopDistribution(function, in_order)
    new = distribution.function(function)
    return eliminate(new) if distribution.changed else function


class _LoopDistribution(Rewriter):
    def __init__(self, function: Function, in_order: bool):
        super().__init__()
        self.serial, self.in_order = SerialLoops(function), in_order
        self.changed = False

    def loop(self, s: For | While) -> Iterable[Stmt]:
        parts = self.parts(s) if isinstance(s, For) and not _is_short(s) else []
        if not parts:
            yield self.rebuilt(s)
            return
        assert isinstance(s, For)
        self.changed = True
        inner = [altered(p, statements=self.block(p.statements)) for p in parts]
        yield from _Distributed(s, inner, self.work(s.body, s)).statements()

    def work(self, block: Block, s: For) -> Poly:
        """About how many innermost trips the loops of a block have, `s` being around them."""
        total: Poly = {}
        places, inside = self.serial.facts.places, defined(s.body) | {s.index, *s.params}
        for t in block:
            if not isinstance(t, Def):
                each = reduce(plus, (self.work(b, s) for b in blocks(t)))
                if isinstance(t, For | While):
                    trips = places.trips(t) if isinstance(t, For) else constant(SOME)
                    known = constant(SOME) if variables(trips) & inside else trips
                    each = times(known, each or constant(1))
                total = plus(total, each)
        return total

    def parts(self, s: For) -> list[Phase]:
        """The parts of a loop that run one after the other; none if nothing is worth it."""
        calls = any(isinstance(t, Def) and is_function(t) for t in walk(s.body))
        if not calls and not computes_much(s):
            return []
        part = self.serial.ahead(s)
        if part is None or any(map(has_function, part.rest())):
            found = phases(s, self.serial, self.in_order) if calls else []
            if found or part is None:
                return found
        return _ahead_and_rest(part) if part.slow else []


def _ahead_and_rest(part: Ahead) -> list[Phase]:
    ahead = Phase(tuple(part.statements()), in_any_order=part.in_any_order)
    return [ahead, Phase(tuple(part.rest()), tuple(range(len(part.loop.params))))]


def _is_short(s: For) -> bool:
    return _trips(s) is not None and _trips(s) < SHORT  # type: ignore[operator]  (not None)


def _trips(s: For) -> int | None:
    """The number of trips, if it is known."""
    if isinstance(s.start, Const) and isinstance(s.stop, Const):
        return int(s.stop.value - s.start.value)
    return None


class _Distributed:
    """A loop as several, by blocks of trips."""

    def __init__(self, loop: For, parts: Sequence[Phase], work: Poly):
        """`work`: how many trips loops have in one trip."""
        self.loop, self.parts, self.work = loop, parts, work
        self.read = [self.handed_on(p) for p in parts]
        self.b = Builder(REGISTRY)
        self.b.loc = self.loop.loc

    def handed_on(self, part: Phase) -> list[Var]:
        """The numbers of earlier parts that a part reads."""
        made = {v for s in self.loop.body for v in results(s)} - defined(part.statements)
        read = [v for s in walk(part.statements) for v in uses(s)]
        read += [y for k in part.carried if isinstance(y := self.loop.yields[k], Var)]
        return [v for v in dict.fromkeys(read) if v in made]

    def statements(self) -> Block:
        s, b = self.loop, self.b
        most = ROWS if self.work else BLOCK
        trips = _trips(s)
        size = most if trips is None else min(trips, most)
        handed_on = dict.fromkeys(v for read in self.read for v in read)
        self.buffers = {v: b.empty(size, dtype=v.type.dtype, name="ahead") for v in handed_on}
        if trips == size:
            self.block(s, s.start, Const(size, INT))
        else:
            self.by_blocks(most)
        return tuple(b.out)

    def by_blocks(self, most: int) -> None:
        s, b = self.loop, self.b
        start, stop = b.retyped(s.start, INT), b.retyped(s.stop, INT)  # narrow ones would wrap
        size, count = self.blocks(b.sub(stop, start), most)
        k = Var("block", INT)
        params, ends = anew(s.params), anew(s.results)
        with b.block() as body:
            first = b.add(start, b.mul(k, size), name="first")
            last = b.minimum(b.add(first, size), stop, name="last")
            trips = b.sub(last, first, name="trips")
            self.block(altered(s, inits=params, results=ends), first, trips)
        b.append(
            altered(
                s, index=k, start=Const(0, INT), stop=count, params=params, body=tuple(body),
                yields=ends,
            )
        )  # fmt: skip

    def blocks(self, trips: Atom, most: int) -> tuple[Atom, Atom]:
        """The trips in a block, fewer where loops in them reach many elements, and the blocks."""
        b = self.b

        def count(n: int) -> Atom:
            return b.floordiv(b.add(trips, n - 1), n, name="blocks")

        if not variables(self.work) and self.work.get((), 0) * most <= INNER:
            return Const(most, INT), count(most)
        work, size, blocks = evaluated(b, self.work, "work"), Const(1, INT), trips
        for n in (FEW, most):
            fits = b.le(work, INNER // n)
            size = b.where(fits, n, size, name="size")
            blocks = b.where(fits, count(n), blocks, name="blocks")
        return size, blocks

    def block(self, s: For, first: Atom, trips: Atom) -> None:
        """Some trips, a part at a time."""
        made: set[Var] = set()
        for part, read in zip(self.parts, self.read, strict=True):
            own = defined(part.statements) - made
            made |= own
            stored = [v for v in self.buffers if v in own]
            self.b.append(self.part(s, part, first, trips, read, stored))

    def part(
        self, s: For, part: Phase, first: Atom, trips: Atom, read: list[Var], stored: list[Var]
    ) -> For:
        """A part of some trips: reads numbers of earlier parts, stores those for later ones."""
        b, k = self.b, Var(s.index.name, INT)
        inits = tuple(s.inits[j] for j in part.carried)
        found = tuple(s.results[j] for j in part.carried)
        params = anew(self.loop.params[j] for j in part.carried)
        known: dict[Var, Atom] = {
            self.loop.params[j]: p for j, p in zip(part.carried, params, strict=True)
        }
        with b.block() as body:
            known[s.index] = b.add(first, k)
            known |= {v: self.loaded(v, k) for v in read}
            made, new = copied(part.statements, known)
            b.out += made
            for v in stored:
                b.store(self.buffers[v], k, new[v])
        ends = map(replaced_by(new), (s.yields[j] for j in part.carried))
        down = s.reverse and not part.in_any_order
        return For(
            k, Const(0, INT), trips, params, inits, tuple(body), tuple(ends), found, down, loc=s.loc
        )  # fmt: skip

    def loaded(self, v: Var, at: Atom) -> Var:
        """A number of an earlier part."""
        buffer = self.buffers[v]
        assert isinstance(buffer.type, Array)
        strong = Scalar(buffer.type.dtype)
        found = Var(v.name, strong)
        self.b.append(Def(found, memory.load, (buffer, at), {}, self.loop.loc))
        if v.type == strong:
            return found
        weak = Var(v.name, v.type)
        params = {"dtype": strong.dtype}
        self.b.append(Def(weak, REGISTRY["cast"], (found,), params, self.loop.loc))
        return weak
