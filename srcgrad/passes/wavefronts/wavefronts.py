"""Runs a nest of recurrences along its diagonals.

>>> show(wavefronts(parse('''
... def f(a: f64[n, m]):
...     n: int = dim(a, axis=0)
...     m: int = dim(a, axis=1)
...     for i in range(1, n):
...         i1: int = sub(i, 1)
...         for j in range(1, m):
...             j1: int = sub(j, 1)
...             x: f64 = load(a, i1, j)
...             y: f64 = load(a, i, j1)
...             z: f64 = add(x, y)
...             e: f64 = exp(z)
...             store(a, i, j, e)
...     return ()
... ''')))
def f(a: f64[n, m]):
    n: int = dim(a, axis=0)
    m: int = dim(a, axis=1)
    t: int = sub(n, 1)
    trips: int = maximum(t, 0)
    steps: int = sub(m, 1)
    t1: bool = ge(steps, 16)
    t2: int = floordiv(trips, 16)
    strips: int = where(t1, t2, 0)
    done: int = mul(strips, 16)
    t3: bool = gt(strips, 0)
    if t3:
        x: f64[16] = empty(16, dtype='f64')
        y: f64[16] = empty(16, dtype='f64')
        e: f64[16] = empty(16, dtype='f64')
        for strip in range(0, strips):
            first: int = mul(strip, 16)
            t4: int = add(1, first)
            last: int = add(steps, 15)
            for step in range(0, last):
                t5: int = sub(step, steps)
                t6: int = add(t5, 1)
                low: int = maximum(t6, 0)
                t7: int = add(step, 1)
                high: int = minimum(t7, 16)
                for lane in range(low, high):
                    i: int = add(t4, lane)
                    i1: int = sub(i, 1)
                    t8: int = sub(step, lane)
                    j: int = add(1, t8)
                    x1: f64 = load(a, i1, j)
                    j1: int = sub(j, 1)
                    y1: f64 = load(a, i, j1)
                    store(x, lane, x1)
                    store(y, lane, y1)
                for lane1 in range(low, high):
                    x2: f64 = load(x, lane1)
                    y2: f64 = load(y, lane1)
                    z: f64 = add(x2, y2)
                    e1: f64 = exp(z)
                    store(e, lane1, e1)
                for lane2 in range(low, high):
                    i2: int = add(t4, lane2)
                    t9: int = sub(step, lane2)
                    j2: int = add(1, t9)
                    e2: f64 = load(e, lane2)
                    store(a, i2, j2, e2)
    t10: int = add(1, done)
    for i3 in range(t10, n):
        i4: int = sub(i3, 1)
        for j3 in range(1, m):
            j4: int = sub(j3, 1)
            x3: f64 = load(a, i4, j3)
            y3: f64 = load(a, i3, j4)
            z1: f64 = add(x3, y3)
            e3: f64 = exp(z1)
            store(a, i3, j3, e3)
    return ()

Where an element needs those above and to the left of it, as in tables of dynamic programming,
neither loop has independent trips, but those on a diagonal are. A strip of outer trips runs
together, each some steps after the one before it: at each step a loop over the lanes loads what
they need, one computes, in vectors, and one stores. `nests.py` and `skew.py` have the conditions.
No number changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Block, Const, For, Function, If, Stmt, Var, While, altered
from srcgrad.ir.types import INT
from srcgrad.ir.walk import free_variables, results, walk
from srcgrad.passes.dependence import Dependence
from srcgrad.passes.rewrite import Rewriter
from srcgrad.passes.strips.values import Values
from srcgrad.passes.wavefronts import sizes
from srcgrad.passes.wavefronts.nests import Nest, nest_of
from srcgrad.passes.wavefronts.skew import skew_of
from srcgrad.primitives import REGISTRY


def wavefronts(function: Function) -> Function:
    """The function with its nests of recurrences along diagonals."""
    nests = [n for s in walk(function.body) if isinstance(s, For) and (n := nest_of(s))]
    if not nests:
        return function
    facts = Dependence(function)
    found = {n.outer: (n, skew) for n in nests if (skew := skew_of(n, facts)) is not None}
    return _Wavefronts(found).function(function) if found else function


class _Wavefronts(Rewriter):
    def __init__(self, found: Mapping[For, tuple[Nest, int]]):
        super().__init__()
        self.found = found

    def loop(self, s: For | While) -> Iterable[Stmt]:
        if isinstance(s, For) and s in self.found:
            return _Diagonals(*self.found[s]).statements()
        return (self.rebuilt(s),)


class _Diagonals:
    """A nest as strips of lanes, and the nest over the outer trips that are left."""

    def __init__(self, nest: Nest, skew: int):
        self.nest, self.skew = nest, skew
        self.b = Builder(REGISTRY)
        self.b.loc = nest.outer.loc
        self.buffers: dict[Var, Var] = {}  # of what one part computes and another one reads

    def statements(self) -> Block:
        s, inner, b = self.nest.outer, self.nest.inner, self.b
        start, stop, low, high = (
            b.retyped(a, INT) for a in (s.start, s.stop, inner.start, inner.stop)
        )
        trips = b.maximum(b.sub(stop, start), 0, name="trips")
        steps = b.sub(high, low, name="steps")
        wide = b.ge(steps, sizes.LANES * self.skew)
        strips = b.where(wide, b.floordiv(trips, sizes.LANES), Const(0, INT), name="strips")
        done = b.mul(strips, sizes.LANES, name="done")
        any_strip = b.gt(strips, 0)
        with b.block() as then:
            self.make_buffers()
            strip = Var("strip", INT)
            with b.block() as body:
                first = b.mul(strip, sizes.LANES, name="first")
                first = b.sub(b.sub(stop, 1), first) if s.reverse else b.add(start, first)
                self.strip(first, steps, b.sub(high, 1) if inner.reverse else low)
            b.append(For(strip, Const(0, INT), strips, (), (), tuple(body), (), (), loc=s.loc))
        b.append(If(any_strip, tuple(then), (), (), (), (), s.loc))
        rest = {"stop": b.sub(stop, done)} if s.reverse else {"start": b.add(start, done)}
        b.append(altered(s, **rest))
        return tuple(b.out)

    def make_buffers(self) -> None:
        inner = self.nest.inner
        for p, r in zip(inner.params, inner.results, strict=True):
            self.buffers[p] = self.buffers[r] = self.buffer(p)
        reads = [set[Atom](free_variables(part)) for part in self.nest.parts]
        reads[3].update(inner.yields)
        for k, part in enumerate(self.nest.parts):
            others = set[Atom]().union(*(r for j, r in enumerate(reads) if j != k))
            for v in (v for s in part for v in results(s)):
                if v not in self.nest.positions and v in others:
                    self.buffers[v] = self.buffer(v)

    def buffer(self, v: Var) -> Var:
        """Memory for a value of each lane."""
        return self.b.empty(sizes.LANES, dtype=v.type.dtype, name=v.name)

    def strip(self, first: Atom, steps: Atom, begin: Atom) -> None:
        """A strip whose lanes begin with the trip `first`, and with `begin` of the inner loop."""
        b, nest, inner, k = self.b, self.nest, self.nest.inner, self.skew
        zero, lanes = Const(0, INT), Const(sizes.LANES, INT)
        self.over(
            zero, lanes, nest.before, first, None, zip(inner.params, inner.inits, strict=True)
        )
        step = Var("step", INT)
        with b.block() as body:
            # the lanes for which 0 <= step - k * lane < steps
            low = b.maximum(b.add(self.lane_at(b.sub(step, steps)), 1), 0, name="low")
            high = b.minimum(b.add(self.lane_at(step), 1), sizes.LANES, name="high")
            at = begin, step
            self.over(low, high, nest.loads, first, at)
            self.over(low, high, nest.computes, first, at)
            self.over(
                low, high, nest.stores, first, at, zip(inner.params, inner.yields, strict=True)
            )
        last = b.add(steps, k * (sizes.LANES - 1), name="last")
        b.append(For(step, zero, last, (), (), tuple(body), (), (), loc=inner.loc))
        self.over(zero, lanes, nest.after, first, None)

    def lane_at(self, step: Atom) -> Atom:
        """The lane that begins the inner loop at a step, or the last one before that."""
        return step if self.skew == 1 else self.b.floordiv(step, self.skew)

    def over(
        self, low: Atom, high: Atom, part: Block, first: Atom, at: tuple[Atom, Atom] | None,
        moves: Iterable[tuple[Var, Atom]] = (),
    ) -> None:  # fmt: skip
        """A loop over lanes that runs a part of their trips, then puts values into buffers."""
        b, lane, moves = self.b, Var("lane", INT), [(p, a) for p, a in moves if a is not p]
        wanted = [s for s in part if not results(s) or results(s)[0] not in self.nest.positions]
        if not wanted and not moves:
            return
        with b.block() as body:
            one = _Lane(self, lane, first, at)
            for s in wanted:
                one.copy(s)
            puts = [(v, one.value(v)) for s in wanted for v in results(s) if v in self.buffers]
            puts += [(p, one.value(a)) for p, a in moves]
            for v, a in puts:
                b.store(self.buffers[v], lane, a)
        b.append(For(lane, low, high, (), (), tuple(body), (), (), loc=b.loc))


class _Lane(Values):
    """The values of one lane in a loop over them."""

    def __init__(self, of: _Diagonals, lane: Var, first: Atom, at: tuple[Atom, Atom] | None):
        super().__init__(of.b, lane, of.nest.positions, of.buffers)
        self.nest, self.skew, self.first, self.at = of.nest, of.skew, first, at

    def found(self, v: Var) -> Atom:
        b, nest = self.b, self.nest
        if v is nest.outer.index:
            return (b.sub if nest.outer.reverse else b.add)(self.first, self.lane, name=v.name)
        if v is nest.inner.index:
            assert self.at is not None
            begin, step = self.at
            trip = b.sub(step, b.mul(self.lane, self.skew))
            return (b.sub if nest.inner.reverse else b.add)(begin, trip, name=v.name)
        return super().found(v)
