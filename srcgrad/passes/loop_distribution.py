"""Loop distribution: functions of what no trip changes leave the loop of a recurrence.

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
        for i in range(t1, last):
            v: f64 = load(x, i)
            t3: f64 = sin(v)
            t4: int = sub(i, t1)
            store(ahead, t4, t3)
        s1: f64 = s
        for i1 in range(t1, last):
            v1: f64 = load(x, i1)
            t5: int = sub(i1, t1)
            t6: f64 = load(ahead, t5)
            u: f64 = mul(t6, s1)
            w: f64 = add(u, v1)
            s1 = w
        s = s1
    return (s,)

A loop whose trips wait for each other is not vectorised, nor are the functions that it calls. Those
that depend on indices, and on elements to which no earlier trip stores, are computed ahead, in a
loop of their own, a block of trips at a time. The same numbers are computed of the same operands.
Stores of them go along if the trip does nothing else to that memory. Innermost loops only, and
nothing in them may raise. Never touches a loop that may be vectorised as it is, or is known to be
short.
"""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad.ir.build import Builder
from srcgrad.ir.clone import anew, copied
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Function, Stmt, Var, While, altered
from srcgrad.ir.types import INT, Array, Scalar
from srcgrad.passes.ahead import Ahead, SerialLoops, is_function
from srcgrad.passes.dead_code import eliminate
from srcgrad.passes.rewrite import Rewriter
from srcgrad.primitives import REGISTRY, memory

BLOCK = 1024  # trips whose values are computed ahead
SHORT = 16  # trips: a loop known to have fewer stays as it is


def loop_distribution(function: Function) -> Function:
    distribution = _LoopDistribution(function)
    new = distribution.function(function)
    return eliminate(new) if distribution.changed else function


class _LoopDistribution(Rewriter):
    def __init__(self, function: Function):
        super().__init__()
        self.serial = SerialLoops(function)
        self.changed = False

    def loop(self, s: For | While) -> Iterable[Stmt]:
        part = self.part(s) if isinstance(s, For) else None
        if part is None:
            yield self.rebuilt(s)
            return
        self.changed = True
        yield from _Distributed(part).statements()

    def part(self, s: For) -> Ahead | None:
        """The part of a loop that runs ahead; None if nothing is worth it."""
        if _is_short(s) or not any(isinstance(t, Def) and is_function(t) for t in s.body):
            return None
        part = self.serial.ahead(s)
        return part if part is not None and part.slow else None


def _is_short(s: For) -> bool:
    return _trips(s) is not None and _trips(s) < SHORT  # type: ignore[operator]  (not None)


def _trips(s: For) -> int | None:
    """The number of trips, if it is known."""
    if isinstance(s.start, Const) and isinstance(s.stop, Const):
        return int(s.stop.value - s.start.value)
    return None


class _Distributed:
    """A loop as two, by blocks of trips."""

    def __init__(self, part: Ahead):
        self.part, self.loop = part, part.loop
        self.b = Builder(REGISTRY)
        self.b.loc = self.loop.loc

    def statements(self) -> Block:
        s, b = self.loop, self.b
        trips = _trips(s)
        size = BLOCK if trips is None else min(trips, BLOCK)
        buffers = {v: b.empty(size, dtype=v.type.dtype, name="ahead") for v in self.part.results()}
        if trips == size:
            self.block(s, buffers)
        else:
            self.by_blocks(buffers)
        return tuple(b.out)

    def by_blocks(self, buffers: dict[Var, Var]) -> None:
        s, b = self.loop, self.b
        count = b.floordiv(b.add(b.sub(s.stop, s.start), BLOCK - 1), BLOCK, name="blocks")
        k = Var("block", INT)
        params, ends = anew(s.params), anew(s.results)
        with b.block() as body:
            first = b.add(s.start, b.mul(k, BLOCK), name="first")
            last = b.minimum(b.add(first, BLOCK), s.stop, name="last")
            ranged = altered(s, start=first, stop=last)
            self.block(altered(ranged, inits=params, results=ends), buffers)
        b.append(
            altered(
                s, index=k, start=Const(0, INT), stop=count, params=params, body=tuple(body),
                yields=ends,
            )
        )  # fmt: skip

    @property
    def descends(self) -> bool:
        """Whether the loop ahead has to run downwards: its last store to an element counts."""
        return self.loop.reverse and bool(self.part.moved)

    def block(self, s: For, buffers: dict[Var, Var]) -> None:
        """The statements ahead of some trips, and these trips."""
        b, i = self.b, Var(s.index.name, INT)
        with b.block() as body:
            made, new = copied(tuple(self.part.statements()), {s.index: i})
            b.out += made
            for v, buffer in buffers.items():
                b.store(buffer, b.sub(i, s.start), new[v])
        b.append(For(i, s.start, s.stop, (), (), tuple(body), (), (), self.descends, loc=s.loc))
        gone = self.part.gone
        with b.block() as rest:
            for t in s.body:
                if t not in gone:
                    b.append(t)
                elif isinstance(t, Def) and t.var is not None and t.var in buffers:
                    self.read(buffers[t.var], b.sub(s.index, s.start), t.var)
        b.append(altered(s, body=tuple(rest)))

    def read(self, buffer: Var, at: Atom, v: Var) -> None:
        assert isinstance(buffer.type, Array)
        strong = Scalar(buffer.type.dtype)
        found = v if v.type == strong else Var(v.name, strong)
        self.b.append(Def(found, memory.load, (buffer, at), {}, self.loop.loc))
        if found is not v:
            params = {"dtype": strong.dtype}
            self.b.append(Def(v, REGISTRY["cast"], (found,), params, self.loop.loc))
