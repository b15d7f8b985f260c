"""Skipped zeros: what a trip only does to add multiples of a number runs if that is not zero.

>>> show(skip_zeros(parse('''
... def f(g: f64[n], w: f64[n,m], x: f64[m]):
...     n: int = dim(g, axis=0)
...     m: int = dim(w, axis=1)
...     for i in range(0, n):
...         a: f64 = load(g, i)
...         for j in range(0, m):
...             p: f64 = load(w, i, j)
...             t: f64 = absorb(a, p)
...             add_at(x, j, t)
...     return ()
... ''')))
def f(g: f64[n], w: f64[n, m], x: f64[m]):
    n: int = dim(g, axis=0)
    m: int = dim(w, axis=1)
    for i in range(0, n):
        a: f64 = load(g, i)
        t: bool_ = ne(a, f64(0.0))
        if t:
            for j in range(0, m):
                p: f64 = load(w, i, j)
                t1: f64 = absorb(a, p)
                add_at(x, j, t1)
    return ()

In the reverse sweep of a dynamic program most adjoints are zero: those of what no maximum chose.
The statements are a stretch of a trip that contains a loop, or is part of a serial one (`ahead`)
and selects between an adjoint and zero. If the number is zero, each of them adds zero to memory,
stores what is there, or computes a number: zero, one from before, or one that is then computed
alone. A product counts if it absorbs, or by a finite constant: zero by an infinite number is NaN.
Only the sign of a zero may change. Never skips what may raise, nor what makes a buffer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial

from srcgrad.ir.build import Builder
from srcgrad.ir.clone import copied
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
    kept_tuple,
)
from srcgrad.ir.types import Scalar, is_reference
from srcgrad.ir.walk import defined, results, uses, walk
from srcgrad.passes.ahead import FLOATS, SerialLoops
from srcgrad.passes.effects import is_observable, makes_buffer
from srcgrad.passes.rewrite import Rewriter
from srcgrad.passes.strips.candidates import is_unrolled
from srcgrad.primitives import REGISTRY, elementwise, memory
from srcgrad.records import record

LONG = 8  # statements that are worth a branch
MOST = 400  # statements of a trip that are looked at
SELECTING = frozenset((elementwise.where, elementwise.absorb))


def skip_zeros(function: Function) -> Function:
    inside = contents(function)
    if not inside.depth or inside.operations.isdisjoint(SELECTING):
        return function
    return _SkipZeros(function).function(function)


class _SkipZeros(Rewriter):
    def __init__(self, function: Function):
        super().__init__()
        self.serial = SerialLoops(function)

    def loop(self, s: For | While) -> Iterable[Stmt]:
        if isinstance(s, While) or s.promised or len(s.body) > MOST:
            yield self.rebuilt(s)
        else:
            yield self.mapped(s, partial(self.trip, s))

    def trip(self, s: For, block: Block) -> Block:
        out: list[Stmt] = []
        at = 0
        for stretch in _Stretches(s, self.serial).found():
            out += self.block(block[at : stretch.first])
            out += self.skipping(stretch, block)
            at = stretch.last
        return kept_tuple(block, [*out, *self.block(block[at:])])

    def skipping(self, stretch: Stretch, block: Block) -> list[Stmt]:
        """The statements of a stretch, in a branch."""
        inside = block[stretch.first : stretch.last]
        fresh = {v: Var(v.name, v.type) for v in stretch.results}
        again, names = copied(stretch.again, {})
        at_zero = [names.get(a, a) if isinstance(a, Var) else a for a in stretch.at_zero]
        b = Builder(REGISTRY)
        with b.block() as out:
            zero = Const(0.0, stretch.root.type)
            test = b.ne(self.atom(stretch.root), zero)
        other = self.block(again)
        otherwise = tuple(map(self.atom, at_zero))
        then = self.block(inside)
        yields = tuple(map(self.atom, fresh))
        self.new |= fresh
        kept = tuple(fresh.values())
        return [*out, If(test, then, other, yields, otherwise, kept, loc=inside[0].loc)]


@record(frozen=True)
class Stretch:
    """Statements of a trip that a zero makes nothing, and what their results are then."""

    root: Var
    first: int
    last: int
    results: tuple[Var, ...]
    at_zero: tuple[Atom, ...]
    again: Block  # statements that compute some of them


class _Stretches:
    """The stretches of a trip, in order; none within another."""

    def __init__(self, loop: For, serial: SerialLoops):
        self.loop, self.serial = loop, serial
        self.taken = [False] * len(loop.body)

    def found(self) -> list[Stretch]:
        out: list[Stretch] = []
        if self.may_add():
            for k, root in self.roots():
                out += self.of(root, k)
        return sorted(out, key=lambda s: s.first)

    def may_add(self) -> bool:
        has_loop = any(isinstance(s, For) for s in self.loop.body)
        stores = any(isinstance(s, Def) and s.op.writes for s in self.loop.body)
        return has_loop or (stores and self.serial.ahead(self.loop) is not None)

    def roots(self) -> Iterable[tuple[int, Var]]:
        """The numbers that may be zero, and where the statements after them begin."""
        for p in self.loop.params:
            if _is_float(p):
                yield 0, p
        for k, s in enumerate(self.loop.body):
            if isinstance(s, Def) and s.op in (memory.load, elementwise.add) and _is_float(s.var):
                yield k + 1, s.var  # type: ignore[misc]  (a float, so not None)

    def of(self, root: Var, start: int) -> list[Stretch]:
        zeros = _Zeros(root)
        made = self.loop.body[start - 1] if start else None
        if isinstance(made, Def) and made.op is memory.load:
            zeros.content[made.args] = root
        ranges: list[tuple[int, int]] = []
        first = last = None  # of the statements that have something to do with the number
        for k in range(start, len(self.loop.body) + 1):
            s = self.loop.body[k] if k < len(self.loop.body) else None
            known = len(zeros.same)
            if s is not None and not self.taken[k] and zeros.statement(s):
                if len(zeros.same) > known or zeros.vanishes:
                    first, last = (k if first is None else first), k + 1
            else:
                if first is not None and last is not None:
                    ranges.append((first, last))
                first = last = None
                zeros.content.clear()
        made = [self.stretch(root, zeros, *r) for r in ranges]
        found = [s for s in made if s is not None]
        for s in found:
            self.taken[s.first : s.last] = [True] * (s.last - s.first)
        return found

    def stretch(self, root: Var, zeros: _Zeros, first: int, last: int) -> Stretch | None:
        body = self.loop.body
        inside = body[first:last]
        if not self.is_worth_it(inside, zeros):
            return None
        made = defined(inside)
        read = {v for s in (*body[:first], *body[last:]) for t in walk((s,)) for v in uses(t)}
        read |= {*self.loop.yields}
        kept = [v for s in inside for v in results(s) if v in read]
        if any(is_reference(v.type) for v in kept):
            return None
        at_zero = [zeros.resolved(v) for v in kept]
        again: list[Stmt] = []
        needed = {a for a in at_zero if isinstance(a, Var) and a in made}
        for s in reversed(inside):
            if needed.intersection(results(s)):
                if not isinstance(s, Def):
                    return None
                again.append(s)
                needed |= {a for a in uses(s) if a in made}
        if 2 * len(again) > len(inside):
            return None
        return Stretch(root, first, last, tuple(kept), tuple(at_zero), tuple(again[::-1]))

    def is_worth_it(self, inside: Block, zeros: _Zeros) -> bool:
        """Whether the statements take longer than a branch, and are likely to be skipped."""
        if any(isinstance(s, For) and not is_unrolled(s) for s in inside):
            return True
        if len(inside) < LONG or self.serial.ahead(self.loop) is None:
            return False
        writes = any(isinstance(s, Def) and s.op.writes for s in inside)
        return writes and any(isinstance(s, Def) and zeros.selects(s) for s in inside)


def _is_float(v: Var | None) -> bool:
    return v is not None and isinstance(v.type, Scalar) and v.type.dtype in FLOATS


class _Zeros:
    """Facts about the numbers of a trip if one of them is zero."""

    def __init__(self, root: Var):
        self.same: dict[Var, Atom] = {root: Const(0.0, root.type)}
        self.content: dict[tuple[Atom, ...], Atom] = {}  # of places, by array and indices
        self.vanishes = False  # whether the last statement is a store without an effect

    def resolved(self, a: Atom) -> Atom:
        while isinstance(a, Var) and a in self.same:
            a = self.same[a]
        return a

    def is_zero(self, a: Atom) -> bool:
        a = self.resolved(a)
        return isinstance(a, Const) and a.type.dtype in FLOATS and a.value == 0

    def selects(self, s: Def) -> bool:
        """Whether a statement selects between a multiple of the number and zero."""
        if s.op is not elementwise.where:
            return False
        _, a, b = s.args
        return any(_is_nought(x) and y in self.same for x, y in ((a, b), (b, a)))

    def statement(self, s: Stmt) -> bool:
        """Notes what a statement makes; whether it changes nothing else."""
        self.vanishes = False
        match s:
            case Def():
                return self.definition(s)
            case For():
                self.vanishes = self.loop(s)
                return self.vanishes
            case _:
                return False

    def definition(self, s: Def) -> bool:
        if s.op.writes:
            self.vanishes = self.is_nothing(s)
            return self.vanishes
        if is_observable(s) or makes_buffer(s):
            return False
        if s.var is None or not isinstance(s.var.type, Scalar):
            return s.op.view
        if s.op is memory.load:
            found = self.content.setdefault(s.args, s.var)
            if found is not s.var and found.type.dtype == s.var.type.dtype:
                self.same[s.var] = found
        elif _is_float(s.var):
            value = self.value(s)
            if value is not None and value.type.dtype == s.var.type.dtype:
                self.same[s.var] = value
        return True

    def is_nothing(self, s: Def) -> bool:
        """Whether a statement adds zero, or stores what is there."""
        *place, x = s.args
        if s.op is memory.add_at:
            return self.is_zero(x)
        if s.op is not memory.store or tuple(place) not in self.content:
            return False
        there = self.content[tuple(place)]
        return self.resolved(x) is self.resolved(there) or (self.is_zero(x) and self.is_zero(there))

    def value(self, s: Def) -> Atom | None:
        """The zero, or the number from before, that a statement computes."""
        match s.op, s.args:
            case ((elementwise.neg | elementwise.cast), (a,)) if self.is_zero(a):
                return Const(0.0, s.var.type)  # type: ignore[union-attr]  (it has a result)
            case elementwise.absorb, (a, _) if self.is_zero(a):
                return a
            case elementwise.mul, (a, b) if self.is_zero(a) and _is_finite(b):
                return a
            case elementwise.mul, (a, b) if self.is_zero(b) and _is_finite(a):
                return b
            case ((elementwise.add | elementwise.sub), (a, b)) if self.is_zero(b):
                return a
            case elementwise.add, (a, b) if self.is_zero(a):
                return b
            case elementwise.where, (_, a, b) if self.are_equal(a, b):
                return a
            case _:
                return None

    def are_equal(self, a: Atom, b: Atom) -> bool:
        return self.resolved(a) is self.resolved(b) or (self.is_zero(a) and self.is_zero(b))

    def loop(self, s: For) -> bool:
        """Whether no trip of a loop changes anything, numbers that it carries included."""
        inner = _Zeros.__new__(_Zeros)
        inner.same, inner.content, inner.vanishes = dict(self.same), {}, False
        for p, a in zip(s.params, s.inits, strict=True):
            if self.is_zero(a):
                inner.same[p] = Const(0.0, p.type)
        if not all(map(inner.statement, s.body)):
            return False
        for p, y in zip(s.params, s.yields, strict=True):
            if not inner.are_equal(p, y):
                return False
        for r, a in zip(s.results, s.inits, strict=True):
            if r.type.dtype == a.type.dtype and not is_reference(r.type):
                self.same[r] = a
        return True


def _is_nought(a: Atom) -> bool:
    return isinstance(a, Const) and a.type.dtype in FLOATS and a.value == 0


def _is_finite(a: Atom) -> bool:
    return isinstance(a, Const) and math.isfinite(a.value)
