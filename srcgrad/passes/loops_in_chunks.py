"""Loops in chunks: turns a loop with independent trips into a loop over pieces of it.

>>> show(loops_in_chunks(parse('''
... def f(x: f64[n]):
...     n: int = dim(x, axis=0)
...     for i in range(0, n):
...         v: f64 = load(x, i)
...         w: f64 = mul(v, v)
...         store(x, i, w)
...     return ()
... ''')))
def f(x: f64[n]):
    n: int = dim(x, axis=0)
    trips: int = maximum(n, 0)
    work: int = mul(n, 3)
    enough: bool = ge(work, 4000000)
    chunks: int = where(enough, 64, 1)
    for chunk in independent(range(0, chunks)):
        t: int = mul(trips, chunk)
        first: int = floordiv(t, 64)
        t1: int = add(chunk, 1)
        t2: int = mul(trips, t1)
        t3: int = floordiv(t2, 64)
        last: int = where(enough, t3, trips)
        for i in range(first, last):
            v: f64 = load(x, i)
            w: f64 = mul(v, v)
            store(x, i, w)
    return ()

A backend runs the chunks concurrently. Their number depends on lengths alone, and each has sums of
its own, which are added in order: so results do not depend on the number of threads. Where trips
add to one array, each chunk has a copy of it; where they add to neighbours, every second chunk runs
first. The first chunk has the trips that run first: the error of the first chunk that fails is
the one that the loop would raise. Loops inside a loop that is not split are split if one run of
them has enough to do. `dependence.py` says which loops are independent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce

from srcgrad.ir.build import Builder
from srcgrad.ir.clone import anew, copied
from srcgrad.ir.nodes import (
    Atom,
    Block,
    Const,
    Def,
    For,
    Function,
    If,
    Stmt,
    Var,
    While,
    altered,
    atom,
)
from srcgrad.ir.types import INT, Array, is_complex, is_float, is_reference
from srcgrad.ir.walk import defined, inner_definitions, results, walk
from srcgrad.operation import Primitive
from srcgrad.passes.combining import NEUTRAL
from srcgrad.passes.dependence import Dependence
from srcgrad.passes.effects import makes_buffer, may_raise
from srcgrad.passes.hoist_allocations import stored_zeros
from srcgrad.passes.independent_loops import reorders
from srcgrad.passes.places import ELEMENTS, Poly, constant, evaluated, plus, times, variables
from srcgrad.passes.rewrite import Rewriter
from srcgrad.passes.verdicts import Independent
from srcgrad.primitives import REGISTRY, memory
from srcgrad.primitives import elementwise as e

ENOUGH = 4_000_000  # statements: with fewer, starting threads does not pay
MANY = 64  # chunks
COPIES = 16  # chunks that have copies of an array each
SOME = 16  # assumed trips of a loop about which nothing is known
SLOW = 128  # statements that a function such as erf counts for: it is not vectorised
QUICK = 16  # and one that has vector variants, in a loop whose trips are independent
VECTORISED = frozenset({
    e.cos, e.exp, e.expm1, e.log, e.log1p, e.logaddexp, e.sigmoid, e.sin, e.tanh
})  # fmt: skip


def loops_in_chunks(function: Function, in_order: bool = False) -> Function:
    """The function with its loops split; `in_order`: none whose sums would change their order."""
    function = _ZerosStored().function(function)
    return _LoopsInChunks(function, in_order).function(function)


class _ZerosStored(Rewriter):
    """Stores zeros by loops: fresh memory from the system costs more than storing them."""

    def definition(self, s: Def) -> Iterable[Stmt]:
        v = s.var
        if s.op is memory.zeros and v is not None and any(isinstance(a, Var) for a in s.args):
            return (altered(s, op=memory.empty), *stored_zeros(v, s.loc))
        return (s,)


class _LoopsInChunks(Rewriter):
    def __init__(self, function: Function, in_order: bool):
        super().__init__()
        self.facts, self.in_order = Dependence(function, in_chunks=True), in_order
        self.outer: For | While | None = None  # the outermost loop around that is not split
        self.worth: list[Poly] = []  # the work of the loops that are split in it

    def loop(self, s: For | While) -> Iterable[Stmt]:
        found = self.may_split(s)
        if isinstance(s, For) and found is not None:
            yield from _Split(s, found, self.work(s), self.facts).statements()
        elif self.outer is not None:
            yield self.rebuilt(s)
        else:
            yield from self.outermost(s)

    def may_split(self, s: For | While) -> Independent | None:
        found = self.facts.of(s) if isinstance(s, For) else None
        if not isinstance(found, Independent):
            return None
        assert isinstance(s, For)
        if self.in_order and reorders(s, found):
            return None
        if found.distance and any(isinstance(t, Def) and may_raise(t) for t in walk(s.body)):
            return None
        if self.outer is not None and not owns(self.outer):
            work = self.work(s)
            if variables(work) & self.made_outside():
                return None
            self.worth.append(work)
        return found

    def made_outside(self) -> set[Var]:
        assert self.outer is not None
        return defined((self.outer,))

    def outermost(self, s: For | While) -> Iterable[Stmt]:
        """Rewrites a loop that is not split; with little work inside, its original runs instead."""
        self.outer, self.worth = s, []
        new = self.rebuilt(s)
        self.outer, worth = None, self.worth
        if owns(s) or not worth:
            yield new if owns(s) else s
            return
        b = Builder(REGISTRY)
        b.loc = s.loc
        tests = [
            b.ge(evaluated(b, dict(work), "work"), ENOUGH)
            for work in dict.fromkeys(map(_hashed, worth))
        ]
        cond = reduce(lambda x, y: b.logical_or(x, y), tests)
        yield from b.out
        split = anew(s.results)
        plain, now = copied((s,), {})
        yield If(
            cond, (altered(new, results=split),), plain, split,
            tuple(now[r] for r in s.results), s.results, s.loc,
        )  # fmt: skip

    # ---- how much there is to do ----
    def work(self, s: For) -> Poly:
        """The number of statements that a loop runs, as far as lengths outside it tell."""
        return self.of_block((s,), defined(s.body) | {s.index, *s.params}, True)

    def of_block(self, block: Block, inside: set[Var], vectorised: bool) -> Poly:
        total: Poly = {}
        for s in block:
            match s:
                case Def():
                    each = self.of_definition(s, inside, vectorised)
                case For():
                    trips = self.facts.places.trips(s)
                    known = constant(SOME) if variables(trips) & inside else trips
                    free = isinstance(self.facts.of(s), Independent)
                    each = times(known, self.of_block(s.body, inside, free))
                case While():
                    each = times(constant(SOME), self.of_block(s.test + s.body, inside, False))
                case If():
                    then = self.of_block(s.then, inside, vectorised)
                    each = plus(then, self.of_block(s.orelse, inside, vectorised))
            total = plus(total, each)
        return total

    def of_definition(self, s: Def, inside: set[Var], vectorised: bool) -> Poly:
        if s.op in ELEMENTS or s.op.cheap or s.op.effect or s.op.view:
            return constant(1)
        assert s.var is not None
        quick = vectorised and s.op in VECTORISED and not is_complex(s.var.type.dtype)
        total = constant(QUICK if quick else SLOW)
        for a in s.args:
            dims = a.type.dims if isinstance(a.type, Array) else ()
            size = reduce(times, map(self.facts.places.poly, dims), constant(1))
            total = plus(total, {} if variables(size) & inside else size)
        return total


def owns(s: Stmt) -> bool:
    """Whether a loop makes memory, carries it or calls the library."""
    for t in walk((s,)):
        if isinstance(t, Def):
            arrays = any(is_reference(a.type) for a in t.args)
            if makes_buffer(t) or (arrays and not (t.op in ELEMENTS or t.op.view or t.op.cheap)):
                return True
        elif any(is_reference(v.type) for v in (*results(t), *inner_definitions(t))):
            return True
    return False


def _hashed(p: Poly) -> tuple[tuple[tuple[Var, ...], int], ...]:
    return tuple(p.items())


class _Split:
    """One loop as a loop over its chunks."""

    def __init__(self, loop: For, found: Independent, work: Poly, facts: Dependence):
        self.loop, self.found, self.facts = loop, found, facts
        self.work = work
        self.many = COPIES if found.shared else MANY
        self.b = Builder(REGISTRY)
        self.b.loc = loop.loc

    def statements(self) -> Block:
        s, b = self.loop, self.b
        # bounds may be narrow integers, which would wrap
        self.start, self.stop = b.retyped(s.start, INT), b.retyped(s.stop, INT)
        span = self.stop if _is_zero(self.start) else b.sub(self.stop, self.start)
        self.trips = b.maximum(span, 0, name="trips")
        self.enough = self.is_enough()
        phases = 2 if self.found.distance else 1
        count = b.where(self.enough, self.many, 1, name="chunks")
        self.parts = {
            k: b.empty(count, dtype=s.params[k].type.dtype, name=s.params[k].name)
            for k, op in enumerate(self.found.combined)
            if op is not None
        }
        self.copies = {
            x: b.zeros(count, *x.type.dims, dtype=x.type.dtype, name=x.name)
            for x in self.found.shared
        }
        if phases == 1:
            self.chunks(count, lambda chunk: chunk)
        else:
            self.every_second()
        if s.params:
            b.append(self.combined(count))
        for x, copies in self.copies.items():
            self.add_up(x, copies, count)
        return tuple(b.out)

    def is_enough(self) -> Atom:
        b = self.b
        work = evaluated(b, self.work, "work")
        enough = b.ge(work, ENOUGH, name="enough")
        if self.found.distance:
            wide = b.ge(self.trips, self.many * (self.found.distance + 1))
            enough = b.logical_and(enough, wide, name="enough")
        for x in self.found.shared:
            size = reduce(lambda m, n: b.mul(m, n), x.type.dims, 4 * self.many)
            enough = b.logical_and(enough, b.ge(work, size), name="enough")
        return enough

    # ---- the loops over chunks ----
    def every_second(self) -> None:
        """Two loops over chunks, one inside a loop of two trips."""
        b, phase = self.b, Var("phase", INT)
        phases = b.where(self.enough, 2, 1, name="phases")
        half = b.where(self.enough, self.many // 2, 1, name="chunks")
        with b.block() as body:
            self.chunks(half, lambda chunk: b.add(b.mul(chunk, 2), phase))
        b.append(For(phase, Const(0, INT), phases, (), (), tuple(body), (), ()))

    def chunks(self, count: Atom, number: Callable[[Atom], Atom]) -> None:
        s, b = self.loop, self.b
        chunk = Var("chunk", INT)
        with b.block() as body:
            at = number(chunk)
            first = b.floordiv(b.mul(self.trips, at), self.many, name="first")
            end = b.floordiv(b.mul(self.trips, b.add(at, 1)), self.many)
            last = b.where(self.enough, end, self.trips, name="last")
            rows = {x: self.row(c, at) for x, c in self.copies.items()}
            rows |= {x: self.tape(x) for x in self.found.scratch}
            found = self.piece(first, last, rows)
            for k, part in self.parts.items():
                b.store(part, at, found[k])
        zero, made = Const(0, INT), tuple(body)
        b.append(For(chunk, zero, count, (), (), made, (), (), independent=True, loc=s.loc))

    def row(self, copies: Var, chunk: Atom) -> Atom:
        """The copy of a shared array that a chunk adds to."""
        axes = (":",) * (len(copies.type.dims) - 1)
        return self.b.view(copies, chunk, spec=("i", *axes), name=copies.name)

    def tape(self, x: Var) -> Atom:
        """A tape of a chunk's own."""
        d = self.facts.places.definition[x]
        return self.b(d.op, *d.args, name=x.name, **d.params)

    def piece(self, first: Atom, last: Atom, rows: dict[Var, Atom]) -> tuple[Var, ...]:
        """The trips from `first` to `last`, counted as they run; returns the loop's results."""
        s, b = self.loop, self.b
        if s.reverse:
            start, stop = b.sub(self.stop, last), b.sub(self.stop, first)
        elif _is_zero(self.start):
            start, stop = first, last
        else:
            start, stop = b.add(self.start, first), b.add(self.start, last)
        inits = tuple(map(self.begin, s.params, s.inits, self.found.combined))
        ((new,), _) = copied((altered(s, start=start, stop=stop, inits=inits),), dict(rows))
        b.append(new)
        return new.results  # type: ignore[union-attr]  (a loop)

    def begin(self, p: Var, init: Atom, op: Primitive | None) -> Atom:
        """A chunk's initial value: an extremum may see the initial value many times."""
        if op not in NEUTRAL:
            return init
        first = NEUTRAL[op]
        return Const(float(first) if is_float(p.type.dtype) else first, p.type)

    # ---- the results of the chunks ----
    def combined(self, count: Atom) -> For:
        s, b = self.loop, self.b
        k, params = Var("chunk", INT), anew(s.params)
        with b.block() as body:
            ends = tuple(self.next(j, params, k) for j in range(len(params)))
        return For(
            k, Const(0, INT), count, params, s.inits, tuple(body), ends, s.results, loc=s.loc
        )

    def part(self, j: int, p: Var, k: Var) -> Atom:
        """A chunk's result for a carried value."""
        return self.b.retyped(self.b.load(self.parts[j], k), p.type)

    def next(self, j: int, params: tuple[Var, ...], k: Var) -> Atom:
        p = params[j]
        b, op = self.b, self.found.combined[j]
        if op is not None:
            made = self.part(j, p, k)
            if j not in self.found.leaders:
                return b(op, p, made)
            leader = self.found.leaders[j]
            first = params[leader]
            return b.where(b(op, self.part(leader, first, k), first), made, p)
        if self.loop.yields[j] is self.loop.params[j]:
            return p
        return self.b.add(Const(0.0, p.type), p)

    def add_up(self, x: Var, copies: Var, count: Atom) -> None:
        b = self.b
        chunk, *at = (Var(n, INT) for n in "cijklmnop"[: len(copies.type.dims)])
        with b.block() as body:
            b.add_at(x, *at, b.load(copies, chunk, *at))
        nest: Block = tuple(body)
        for i, n in reversed([(chunk, count), *zip(at, x.type.dims, strict=True)]):
            nest = (For(i, Const(0, INT), atom(n), (), (), nest, (), (), loc=self.loop.loc),)
        b.append(nest[0])


def _is_zero(a: Atom) -> bool:
    return isinstance(a, Const) and a.value == 0
