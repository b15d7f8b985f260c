"""Makes one loop of two that walk contiguous memory together.

>>> show(coalesce_loops(parse('''
... def f(x: f64[n, m]):
...     n: int = dim(x, axis=0)
...     m: int = dim(x, axis=1)
...     sum: f64 = f64(0.0)
...     for i in range(0, n):
...         row: f64 = sum
...         for j in range(0, m):
...             v: f64 = load(x, i, j)
...             total: f64 = add(row, v)
...             row = total
...         sum = row
...     return (sum,)
... ''')))
def f(x: f64[n, m]):
    n: int = dim(x, axis=0)
    m: int = dim(x, axis=1)
    joined: int = mul(n, m)
    x1: f64[joined] = reshape(x, joined)
    row: f64 = f64(0.0)
    for j in range(0, joined):
        v: f64 = load(x1, j)
        total: f64 = add(row, v)
        row = total
    return (row,)

Short inner loops cost more around their trips than in them: the last axes of images have 8 to 32
elements, and a vectorised loop takes 32 at a time. The trips keep their order, so nothing else
changes. The inner loop must be all that the outer one does, with integers computed beside it. Both
indices may occur only in places of elements: as the last two axes of a contiguous array whose last
length is that of the inner loop, or in a position `i * m + j` of a flat one.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from srcgrad.ir.build import Builder
from srcgrad.ir.clone import anew, copied
from srcgrad.ir.facts import contents
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
from srcgrad.ir.types import INT, Array, Scalar
from srcgrad.ir.walk import defined, uses, walk
from srcgrad.passes.bounds import is_int64
from srcgrad.passes.effects import is_observable, is_scalar_operation
from srcgrad.passes.places import ELEMENTS, Places, Poly, linear, times
from srcgrad.passes.ranged import Ranged
from srcgrad.passes.trips import Trips
from srcgrad.primitives import REGISTRY, elementwise, memory

MOST = 64  # statements of a loop of which there may be two versions
ARITHMETIC = (elementwise.add, elementwise.sub, elementwise.mul, elementwise.cast)


def coalesce_loops(function: Function) -> Function:
    if contents(function).depth < 2:
        return function
    return _CoalesceLoops(function).function(function)


class _CoalesceLoops(Ranged):
    def __init__(self, function: Function):
        super().__init__(function)
        self.places = Places(function)

    def loop(self, s: For | While) -> Iterable[Stmt]:
        new = self.rebuilt(s)
        pair = _Pair.of(new, self.places) if isinstance(new, For) else None
        if pair is None:
            yield new
            return
        made = pair.joined(any(map(self.ranges.is_length, (pair.outer.stop, pair.inner.stop))))
        if pair.equal:
            made = pair.guarded(made, self.new)
        for t in walk(made):
            if isinstance(t, Def) and t.var is not None:
                self.places.definition[t.var] = self.ranges.definition[t.var] = t
        self.places.known.clear()
        for r, a in pair.fixed.items():
            self.new[r] = self.atom(a)
        yield from made


class _Pair:
    """Two loops that may be one."""

    def __init__(self, outer: For, inner: For, places: Places):
        self.outer, self.inner, self.places = outer, inner, places
        self.beside = [t for t in outer.body if isinstance(t, Def)]
        self.fixed: dict[Var, Atom] = {}  # what outer trips pass on as it is
        self.moving: set[Atom] = {outer.index, inner.index}  # what is computed of an index
        self.equal: dict[Atom, None] = {}  # lengths that have to be the inner loop's

    @staticmethod
    def of(outer: For, places: Places) -> _Pair | None:
        if not outer.body or not isinstance(inner := outer.body[-1], For):
            return None
        pair = _Pair(outer, inner, places)
        return pair if pair.is_one() else None

    # ---- legality ----
    def is_one(self) -> bool:
        outer, inner = self.outer, self.inner
        constant = isinstance(outer.stop, Const) and isinstance(inner.stop, Const)
        return (
            not constant  # LLVM unrolls these
            and outer.reverse == inner.reverse
            and all(isinstance(a, Const) and a.value == 0 for a in (outer.start, inner.start))
            and len(self.beside) == len(outer.body) - 1
            and all(map(_may_move, self.beside))
            and all(isinstance(t, Def) for t in inner.body)
            and self.passes_on()
            and self.walks()
            and inner.stop not in self.moving | {*outer.params}
        )

    def passes_on(self) -> bool:
        """Whether carried values go from each inner loop to the next one, and nowhere else."""
        outer, inner = self.outer, self.inner
        carried = dict(zip(inner.results, inner.inits, strict=True))
        read = {*inner.yields, *(v for t in (*self.beside, *inner.body) for v in uses(t))}
        if not all(isinstance(p.type, Scalar) for p in (*outer.params, *inner.params)):
            return False
        for p, x, y, r in zip(outer.params, outer.inits, outer.yields, outer.results, strict=True):
            if y is p:
                self.fixed[p] = self.fixed[r] = x
            elif not isinstance(y, Var) or carried.pop(y, None) is not p or p in read:
                return False
        chained = [p for p in outer.params if p not in self.fixed]
        return not carried and len(chained) == len(set(inner.inits)) == len(inner.inits)

    def walks(self) -> bool:
        """Whether the indices occur in places of elements only, which make one walk."""
        found = False
        for t in (*self.beside, *self.inner.body):
            assert isinstance(t, Def)
            if t.op in ELEMENTS:
                last = len(t.args) - (t.op is not memory.load)
                if self.moving & {t.args[0], *t.args[last:]}:
                    return False
                if self.moving & set(t.args):
                    if not (self.is_flat(t, last) or self.is_last_two(t, last)):
                        return False
                    found = True
            elif self.moving & set(t.args):
                if t.var is None or t.op not in ARITHMETIC:
                    return False
                if not all(map(is_int64, (t.var, *t.args))):
                    return False
                self.moving.add(t.var)
        return found and not self.moving & {*self.inner.yields, *self.outer.yields}

    def steps(self, a: Atom) -> tuple[Poly, Poly, Poly] | None:
        """(c, d, r) with a = c * outer index + d * inner index + r."""
        parts = linear(self.places.poly(a), self.outer.index) if is_int64(a) else None
        if parts is None:
            return None
        far, near = (linear(p, self.inner.index) for p in parts)
        return None if far is None or near is None or far[0] else (far[1], *near)

    def is_flat(self, t: Def, last: int) -> bool:
        """Whether the last coordinate alone moves, by an inner loop's length per outer trip."""
        *others, final = (self.steps(a) for a in t.args[1:last])
        if final is None or any(f is None or f[0] or f[1] for f in others):
            return False
        return final[0] == times(final[1], self.places.poly(self.inner.stop))

    def is_last_two(self, t: Def, last: int) -> bool:
        """Whether the indices are the last two coordinates of an array that is one piece."""
        x = t.args[0]
        if x in defined(self.inner.body):  # a view that each trip makes
            return False
        if last < 3 or not isinstance(x.type, Array) or not self.is_one_piece(x.type):
            return False
        *others, row, column = (self.steps(a) for a in t.args[1:last])
        one: Poly = {(): 1}
        return (
            column == ({}, one, {})
            and row is not None and row[:2] == (one, {})
            and not any(f is None or f[0] or f[1] for f in others)
        )  # fmt: skip

    def is_one_piece(self, kind: Array) -> bool:
        """Whether rows of the inner loop's length follow each other without gaps, or may do."""
        if kind.layout != "C":
            return False
        m, inner = atom(kind.dims[-1]), self.inner
        if self.places.poly(m) == self.places.poly(inner.stop):
            return True
        # two versions are worth their code where one may be a vectorised loop
        worth = isinstance(m, Var) and Trips(inner).is_plain and len(inner.body) <= MOST
        if worth and not defined(self.outer.body) & {m, inner.stop}:
            self.equal[m] = None
            return True
        return False

    # ---- the loop ----
    def joined(self, is_length: bool) -> Block:
        """One loop; `is_length`: not both stops may be negative, with a product that is not."""
        outer, inner = self.outer, self.inner
        b = Builder(REGISTRY)
        b.loc = outer.loc
        # a place that is linear in both is right for the first outer trip and a longer inner one
        first = {outer.index: Const(0, INT), **self.fixed}

        def now(a: Atom) -> Atom:
            while isinstance(a, Var) and a in first:
                a = first[a]
            return a

        for t in self.beside:
            b.append(altered(t, args=tuple(map(now, t.args))))
        many = outer.stop if is_length else b.maximum(outer.stop, 0)
        trips = b.mul(many, inner.stop, name="joined")
        whole: dict[Atom, Atom] = {}
        with b.block() as before, b.block() as body:
            for t in inner.body:
                assert isinstance(t, Def)
                last = len(t.args) - (t.op is not memory.load)
                pair = t.op in ELEMENTS and self.moving & set(t.args) and not self.is_flat(t, last)
                t = altered(t, args=tuple(map(now, t.args)))
                b.append(self.in_one_row(b, t, last, whole, before) if pair else t)
        b.out += before
        inits: dict[Atom, Atom] = dict(zip(outer.params, outer.inits, strict=True))
        ends = dict(zip(outer.yields, outer.results, strict=True))
        b.append(
            altered(
                inner,
                stop=trips,
                body=tuple(body),
                yields=tuple(map(now, inner.yields)),
                inits=tuple(inits[x] for x in inner.inits),
                results=tuple(ends[r] for r in inner.results),
                promised=outer.promised and inner.promised,
            )
        )
        return tuple(b.out)

    def guarded(self, made: Block, new: dict[Var, Atom]) -> Block:
        """One loop where lengths are equal, and the two of them where they are not."""
        b = Builder(REGISTRY)
        b.loc = self.outer.loc
        found = [b.eq(m, self.inner.stop) for m in self.equal]
        go = reduce(b.logical_and, found)
        then, copies = copied(made, {})
        ends = [r for r in self.outer.results if r not in self.fixed]
        results = anew(ends)
        b.append(
            If(go, then, (self.outer,), tuple(copies[r] for r in ends), tuple(ends), results, b.loc)
        )
        new.update(zip(ends, results, strict=True))
        return tuple(b.out)

    def in_one_row(
        self, b: Builder, t: Def, last: int, whole: dict[Atom, Atom], before: list[Stmt]
    ) -> Def:
        """An access to the last two axes as one to a view in which they are one."""
        x, *leading, row, column = t.args[:last]
        if x not in whole:
            b.out, inside = before, b.out
            assert isinstance(x, Var) and isinstance(x.type, Array)  # as `is_last_two` has seen
            *dims, n, m = x.type.dims
            whole[x] = b.reshape(x, *dims, b.mul(n, m, name="joined"), name=x.name)
            b.out = inside
        (place,) = (self.steps(row),)
        assert place is not None
        if place[2]:
            column = b.add(b.mul(row, self.inner.stop), column)
        return altered(t, args=(whole[x], *leading, column, *t.args[last:]))


def _may_move(s: Def) -> bool:
    """Whether a statement may run once before the loops, if it reads nothing of a trip."""
    return s.op is memory.reshape or (is_scalar_operation(s) and not is_observable(s))
