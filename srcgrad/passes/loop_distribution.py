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
that depend on indices and on memory that the loop leaves alone are computed ahead, in a loop of
their own, a block of trips at a time. The same numbers are computed of the same operands. Stores
of them go along if the trip does nothing else to that memory. Innermost loops only, and nothing in
them may raise. Never touches a loop that may be vectorised as it is, or is known to be short.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.build import Builder
from srcgrad.ir.clone import copied
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Function, Stmt, Var, While, altered
from srcgrad.ir.types import INT, Array, Scalar
from srcgrad.ir.walk import defined, uses, walk
from srcgrad.passes.dead_code import eliminate
from srcgrad.passes.dependence import Dependence, touched
from srcgrad.passes.effects import classes_written, observable_within
from srcgrad.passes.loops_in_chunks import VECTORISED
from srcgrad.passes.rewrite import Rewriter
from srcgrad.passes.strips.candidates import INLINE, recurs
from srcgrad.passes.verdicts import Dependent
from srcgrad.primitives import REGISTRY, memory

BLOCK = 1024  # trips whose values are computed ahead
SHORT = 16  # trips: a loop known to have fewer stays as it is
FLOATS = ("f32", "f64")


def loop_distribution(function: Function) -> Function:
    distribution = _LoopDistribution(function)
    new = distribution.function(function)
    return eliminate(new) if distribution.changed else function


class _LoopDistribution(Rewriter):
    def __init__(self, function: Function):
        super().__init__()
        self.program, self.classes = function, AliasClasses(function)
        self.changed = False

    @cached_property
    def facts(self) -> Dependence:
        return Dependence(self.program)

    def loop(self, s: For | While) -> Iterable[Stmt]:
        part = self.ahead(s) if isinstance(s, For) else None
        if part is None:
            yield self.rebuilt(s)
            return
        self.changed = True
        yield from _Distributed(part).statements()

    # ---- legality ----
    def ahead(self, s: For) -> _Ahead | None:
        """The part of a loop that may run ahead; None if its trips need not wait for each other."""
        if s.promised or _is_short(s) or any(isinstance(t, For | While) for t in walk(s.body)):
            return None
        part = _Ahead(s, self.classes)
        if not part.slow or any(map(observable_within, s.body)):
            return None
        return part if recurs(s) or self.is_serial(s) else None

    def is_serial(self, s: For) -> bool:
        """Whether trips touch one element of memory, so that their order matters."""
        verdict = self.facts.of(s)
        return isinstance(verdict, Dependent) and verdict.sure


def _is_short(s: For) -> bool:
    return _trips(s) is not None and _trips(s) < SHORT  # type: ignore[operator]  (not None)


def _trips(s: For) -> int | None:
    """The number of trips, if it is known."""
    if isinstance(s.start, Const) and isinstance(s.stop, Const):
        return int(s.stop.value - s.start.value)
    return None


class _Ahead:
    """The statements of a trip that need nothing of other trips."""

    def __init__(self, loop: For, classes: AliasClasses):
        self.loop, self.classes = loop, classes
        self.inside = defined(loop.body) | {*loop.params}
        self.written = classes_written(loop.body, classes)
        self.free: dict[Var, Def] = {}  # numbers that are the same ahead of the loop
        self.slow: dict[Var, Def] = {}  # functions and what is computed of their values
        for s in loop.body:
            if isinstance(s, Def) and s.var is not None and self.is_free(s):
                self.free[s.var] = s
                if _is_function(s) or any(a in self.slow for a in s.args):
                    self.slow[s.var] = s
        self.moved = [s for s in loop.body if isinstance(s, Def) and self.may_move(s)]

    def is_free(self, s: Def) -> bool:
        """Whether a number is computed of indices, of memory that stays, and of such numbers."""
        assert s.var is not None
        if not isinstance(s.var.type, Scalar) or not all(map(self.is_known, s.args)):
            return False
        if s.op is memory.load:
            return self.classes.of(s.array) not in self.written
        return s.op in INLINE or s.op in VECTORISED

    def is_known(self, a: Atom) -> bool:
        return a not in self.inside or a in self.free

    def may_move(self, s: Def) -> bool:
        """Whether a store of such a number is all that a trip does to that memory."""
        if s.op is not memory.store or s.args[-1] not in self.slow:
            return False
        cls = self.classes.of(s.array)
        others = [t for t in walk(self.loop.body) if isinstance(t, Def) and t is not s]
        return all(map(self.is_known, s.args)) and not any(
            self.classes.of(x) is cls for t in others for x in touched(t)
        )

    @property
    def gone(self) -> set[Stmt]:
        return {*self.slow.values(), *self.moved}

    def results(self) -> list[Var]:
        """The numbers that the rest of a trip reads."""
        gone = self.gone
        left = [t for s in self.loop.body if s not in gone for t in walk((s,))]
        read = {*self.loop.yields, *(v for t in left for v in uses(t))}
        return [v for v in self.slow if v in read]

    def statements(self) -> list[Def]:
        """All that makes them, in the order of the trip."""
        gone = self.gone
        needed: set[Atom] = {a for s in gone if isinstance(s, Def) for a in s.args}
        out: list[Def] = []
        for s in reversed(self.loop.body):
            if isinstance(s, Def) and (s in gone or (s.var in self.free and s.var in needed)):
                needed |= set(s.args)
                out.append(s)
        return out[::-1]


def _is_function(s: Def) -> bool:
    return s.op in VECTORISED and s.op not in INLINE and s.var.type.dtype in FLOATS  # type: ignore[union-attr]  (it has a result)


class _Distributed:
    """A loop as two, by blocks of trips."""

    def __init__(self, part: _Ahead):
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
        params, ends = ([Var(p.name, p.type) for p in s.params] for _ in range(2))
        with b.block() as body:
            first = b.add(s.start, b.mul(k, BLOCK), name="first")
            last = b.minimum(b.add(first, BLOCK), s.stop, name="last")
            ranged = altered(s, start=first, stop=last)
            self.block(altered(ranged, inits=tuple(params), results=tuple(ends)), buffers)
        b.append(
            altered(
                s, index=k, start=Const(0, INT), stop=count, params=tuple(params),
                body=tuple(body), yields=tuple(ends),
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
