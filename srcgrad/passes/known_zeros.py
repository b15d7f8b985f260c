"""Additions to elements that are known to be zero become stores, and the zeros are not stored.

>>> show(known_zeros(parse('''
... def f(x: f64[n], y: f64[n]):
...     n: int = dim(x, axis=0)
...     u: f64[n] = zeros(n, dtype='f64')
...     for t in range(0, 9):
...         for i in range(0, n):
...             a: f64 = load(x, i)
...             add_at(u, i, a)
...         for j in range(0, n):
...             b: f64 = load(u, j)
...             store(y, j, b)
...         for k in range(0, n):
...             store(u, k, 0.0)
...     return ()
... ''')))
def f(x: f64[n], y: f64[n]):
    n: int = dim(x, axis=0)
    u: f64[n] = zeros(n, dtype='f64')
    for t in range(0, 9):
        for i in range(0, n):
            a: f64 = load(x, i)
            t1: f64 = add(a, f64(0.0))
            store(u, i, t1)
        for j in range(0, n):
            b: f64 = load(u, j)
            store(y, j, b)
    for i1 in range(0, n):
        store(u, i1, f64(0.0))
    return ()

The reverse sweep of a step reads the adjoint of a new array, zeroes it, and adds to that of the old
one, which the step before has zeroed. Zeros move forward, past what touches other memory, into
branches, and from the end of a trip to the beginning of the next one and after the loop: the buffer
is zero there before the first trip. They vanish where stores and single additions, one after the
other, tile all of them; otherwise they stay where they have come to, and nothing is changed if they
vanish nowhere. Buffers of one axis that have no name but views. A sum that begins with zero has no
-0.0, hence the addition of 0.0. Runs after `gather_additions`, which leaves one addition for each
element.
"""

from __future__ import annotations

from collections.abc import Sequence

from srcgrad.ir.clone import copied
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import (
    Block,
    Const,
    Def,
    For,
    Function,
    If,
    Stmt,
    Var,
    altered,
    atom,
    kept_tuple,
)
from srcgrad.ir.types import INT, Scalar, is_reference
from srcgrad.ir.walk import defined, uses, walk
from srcgrad.passes.emitter import builder_for
from srcgrad.passes.places import (
    Poly,
    constant,
    evaluated,
    linear,
    plus,
    variables,
)
from srcgrad.passes.tiles import Facts, Known, Piece, Zeros
from srcgrad.passes.zero_regions import ZeroRegions
from srcgrad.primitives import REGISTRY, elementwise, memory
from srcgrad.records import record


def known_zeros(function: Function) -> Function:
    inside = contents(function)
    if not inside.depth or memory.add_at not in inside.operations:
        return function
    body = _KnownZeros(function).block(function.body, ())
    return function if body is function.body else function.with_body(body)


@record(frozen=True)
class Sunk:
    """Statements before which elements need not be zero.

    `gone`: on some way through them the zeros are not stored. `left`: they touch none of them.
    """

    block: Block
    gone: bool
    left: bool = False


class _KnownZeros(ZeroRegions):
    def __init__(self, function: Function):
        super().__init__(function)
        self.b = builder_for(function)

    # ---- blocks ----
    def block(self, block: Block, facts: Facts) -> Block:
        out = [self.inside(s, facts) for s in block]
        k = 0
        while k < len(out):
            s = out[k]
            if isinstance(s, For) and not (s.promised or s.independent):
                out[k : k + 1] = self.rotated(s, tuple(out[:k]))
            for z in self.zeroed(s):
                sunk = self.sunk(tuple(out[k + 1 :]), z, facts)
                if sunk.gone:
                    out[k:] = [*self.without((s,), z), *sunk.block]
                    break
            k += 1
        return kept_tuple(block, out)

    def inside(self, s: Stmt, facts: Facts) -> Stmt:
        if isinstance(s, For):
            body = self.block(s.body, facts)
            return s if body is s.body else altered(s, body=body)
        if isinstance(s, If):
            then = self.block(s.then, (*facts, *self.implied(s)))
            orelse = self.block(s.orelse, facts)
            same = then is s.then and orelse is s.orelse
            return s if same else altered(s, then=then, orelse=orelse)
        return s

    def rotated(self, s: For, before: Block, done: tuple[Zeros, ...] = ()) -> list[Stmt]:
        """A loop whose trips begin with the zeros with which they have ended; `done` do already."""
        last = {c: t for t in s.body for c in self.touches[t]}
        bound = defined((s,))
        for t in dict.fromkeys(last.values()):
            for z in self.zeroed(t):
                if last.get(self.classes.of(z.root)) is not t or not self.is_zero(before, z):
                    continue
                if any(map(z.are, done)):
                    continue
                if z.root in bound or (variables(z.low) | variables(z.high)) & bound:
                    continue
                sunk = self.sunk(self.without(s.body, z), z, ())
                if sunk.gone:
                    loop = altered(s, body=sunk.block)
                    return [*self.rotated(loop, before, (*done, z)), *self.stored(z)]
        return [s]

    # ---- where zeros are stored ----
    def without(self, block: Block, z: Zeros) -> Block:
        """A block without the statements that store these zeros last."""
        for k in reversed(range(len(block))):
            s = block[k]
            if isinstance(s, Def) and s.var is z.root and s.op is memory.zeros:
                made = altered(s, op=REGISTRY["empty"])
                return (*block[:k], made, *block[k + 1 :])
            if self.names(s, z.root):
                new: Block = (s,)
                if isinstance(s, If):
                    then, orelse = (self.without(b, z) for b in (s.then, s.orelse))
                    new = (altered(s, then=then, orelse=orelse),)
                elif any(map(z.are, self.zeroed(s))):
                    new = ()
                return (*block[:k], *new, *block[k + 1 :])
        return block

    def stored(self, z: Zeros) -> Block:
        """A loop that stores zeros."""
        i = Var("i", INT)
        with self.b.block() as out:
            low, high = (evaluated(self.b, p) for p in (z.low, z.high))
            with self.b.block() as body:
                self.b.store(z.root, i, Const(0.0, Scalar(z.root.type.dtype)))
            self.b.append(For(i, low, high, (), (), tuple(body), (), (), loc=self.b.loc))
        return tuple(out)

    # ---- where they need not be ----
    def sunk(self, block: Block, z: Zeros, facts: Facts) -> Sunk:
        """A block before which the zeros are not stored any more."""
        for k, s in enumerate(block):
            if not self.names(s, z.root):
                continue
            new = self.in_branches(s, z, facts) if isinstance(s, If) else None
            if new is not None:
                return Sunk((*block[:k], new, *block[k + 1 :]), True)
            tiled = None if isinstance(s, If) else self.tiled(block[k:], z, facts)
            if tiled is None and (parts := self.split(s, z)) is not None:
                tiled = (*parts, *block[k + 1 :])
            if tiled is not None:
                return Sunk((*block[:k], *tiled), True)
            return Sunk((*block[:k], *self.stored(z), *block[k:]), False)
        return Sunk(block, False, True)

    def in_branches(self, s: If, z: Zeros, facts: Facts) -> If | None:
        then = self.sunk(s.then, z, (*facts, *self.implied(s)))
        orelse = self.sunk(s.orelse, z, facts)
        if not (then.gone or orelse.gone):
            return None
        ends = [(*x.block, *(self.stored(z) if x.left else ())) for x in (then, orelse)]
        return altered(s, then=ends[0], orelse=ends[1])

    def tiled(self, block: Block, z: Zeros, facts: Facts) -> Block | None:
        """The statements with stores for the first additions to each of the zeros."""
        known = Known(self.places, facts)
        pieces: list[Piece] = []
        out: list[Stmt] = []
        for k, s in enumerate(block):
            piece = self.piece(s, z, known, pieces) if self.names(s, z.root) else (s,)
            if piece is None:
                return None
            out += piece
            if known.tile(pieces, z):
                return (*out, *block[k + 1 :])
        return None

    def piece(self, s: Stmt, z: Zeros, known: Known, pieces: list[Piece]) -> Sequence[Stmt] | None:
        """A statement that stores to a piece of the zeros, or leaves them alone; else None."""
        if isinstance(s, Def):
            place = self.place(s, ()) if s.op in (memory.add_at, memory.store) else None
            if place is None or place[0] is not z.root:
                return None
            p = known.read(place[1])
            if known.is_outside(p, z) or any(
                p == low == plus(high, constant(-1)) for low, high in pieces
            ):
                return (s,)
            pieces.append((p, plus(p, constant(1))))
            return self.as_store(s) if s.op is memory.add_at else (s,)
        found = self.stores_instead(s, z.root) if isinstance(s, For) else None
        if found is None:
            return None
        (low, high), new = found
        pieces.append((known.read(low), known.read(high)))
        return (new,)

    def stores_instead(self, s: For, root: Var) -> tuple[Piece, For] | None:
        """The elements that a loop adds or stores to once each, and the loop if they are zero."""
        touching = [t for t in s.body if self.names(t, root)]
        adds = touching[-1] if touching else None
        if not isinstance(adds, Def) or adds.op not in (memory.add_at, memory.store):
            return None
        place = self.place(adds, (s,))
        parts = linear(place[1], s.index) if place is not None and place[0] is root else None
        if parts is None or parts[0] != constant(1) or variables(parts[1]) & defined((s,)):
            return None
        new: dict[Stmt, Block] = {}
        if len(touching) == 1:
            new[adds] = self.as_store(adds) if adds.op is memory.add_at else (adds,)
        else:
            total = self.sum_of(s, touching, place)
            if total is None:
                return None
            old = touching[0]
            zero = Const(0.0, total.args[0].type)
            args = tuple([zero if isinstance(old, Def) and a is old.var else a for a in total.args])
            new = {old: (), total: (altered(total, args=args),)}
        low, high = (plus(parts[1], self.places.poly(a)) for a in (s.start, s.stop))
        return (low, high), altered(s, body=tuple(u for t in s.body for u in new.get(t, (t,))))

    def sum_of(self, s: For, touching: list[Stmt], place: tuple[Var, Poly] | None) -> Def | None:
        """The sum of a loaded element and a number that a loop stores there, if it does."""
        if len(touching) != 2:
            return None
        old, store = touching
        if not (isinstance(old, Def) and isinstance(store, Def) and old.op is memory.load):
            return None
        total = self.places.definition.get(a) if isinstance(a := store.args[-1], Var) else None
        read = [t for t in walk(s.body) if old.var in uses(t)]
        if total is None or total.op is not elementwise.add or read != [total]:
            return None
        same = self.place(old, (s,)) == place and not (set(s.yields) & {old.var})
        return total if same and [a is old.var for a in total.args].count(True) == 1 else None

    def split(self, s: Stmt, z: Zeros) -> Block | None:
        """A loop over all of a buffer, in three of which the second one stores to zeros."""
        if not isinstance(s, For) or s.params or any(is_reference(v.type) for v in defined((s,))):
            return None  # of names that a copy has, the alias classes know nothing
        found = self.stores_instead(s, z.root)
        whole: Piece = {}, self.places.poly(atom(z.root.type.dims[0]))
        if found is None or found[0] != whole:
            return None
        b = self.b
        with b.block() as out:
            b.loc = s.loc
            shift = evaluated(b, self.places.poly(s.start))
            ends = [b.add(evaluated(b, p), shift) for p in (z.low, z.high)]
            low = b.minimum(b.maximum(ends[0], s.start), s.stop)
            high = b.minimum(b.maximum(ends[1], low), s.stop)
            parts = [(s, s.start, low), (found[1], low, high), (s, high, s.stop)]
            for part, start, stop in reversed(parts) if s.reverse else parts:
                (again,), _ = copied((part,), {})
                b.append(altered(again, start=start, stop=stop))
        return tuple(out)

    def as_store(self, s: Def) -> Block:
        """A store of what is added to zero."""
        b = self.b
        with b.block() as out:
            b.loc = s.loc
            *place, value = s.args
            b.append(altered(s, op=memory.store, args=(*place, b.add(value, 0.0))))
        return tuple(out)
