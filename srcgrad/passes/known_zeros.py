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
        store(u, i1, 0.0)
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

from collections.abc import Iterator, Sequence
from math import copysign

from srcgrad.ir.alias import alias_classes
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
from srcgrad.ir.summaries import Summaries
from srcgrad.ir.types import INT, Array, is_float
from srcgrad.ir.walk import defined, uses
from srcgrad.passes.dependence import touched
from srcgrad.passes.effects import is_scalar_operation, makes_buffer, may_raise
from srcgrad.passes.emitter import builder_for
from srcgrad.passes.own_buffers import with_other_names
from srcgrad.passes.places import (
    Places,
    Poly,
    constant,
    evaluated,
    linear,
    plus,
    variables,
)
from srcgrad.passes.tiles import Facts, Known, Piece, Zeros
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


class _KnownZeros:
    def __init__(self, function: Function):
        self.b = builder_for(function)
        self.classes, self.places = alias_classes(function), Places(function)
        self.touches = Summaries(self._touched)
        self.joined = with_other_names(function, self.classes)

    def _touched(self, s: Stmt, inner: list[set[Var]]) -> set[Var]:
        """The classes whose elements a statement reads or stores to."""
        own = {self.classes.of(x) for x in touched(s)} if isinstance(s, Def) else set[Var]()
        return own.union(*inner)

    def names(self, s: Stmt, root: Var) -> bool:
        return self.classes.of(root) in self.touches[s]

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

    def implied(self, s: If) -> Facts:
        """Polynomials that are not negative where a condition holds."""
        d = self.places.definition.get(s.cond) if isinstance(s.cond, Var) else None
        if d is None or d.op is not elementwise.ge or any(a.type != INT for a in d.args):
            return ()
        x, y = map(self.places.poly, d.args)
        return (plus(x, y, -1),)

    def rotated(self, s: For, before: Block) -> list[Stmt]:
        """A loop whose trips begin with the zeros with which they have ended."""
        last = {c: t for t in s.body for c in self.touches[t]}
        bound = defined((s,))
        for t in dict.fromkeys(last.values()):
            for z in self.zeroed(t):
                if last.get(self.classes.of(z.root)) is not t or not self.is_zero(before, z):
                    continue
                if z.root in bound or (variables(z.low) | variables(z.high)) & bound:
                    continue
                sunk = self.sunk(self.without(s.body, z), z, ())
                if sunk.gone:
                    return [*self.rotated(altered(s, body=sunk.block), before), *self.stored(z)]
        return [s]

    # ---- where zeros are stored ----
    def zeroed(self, s: Stmt) -> Iterator[Zeros]:
        """The zeros that a statement leaves behind, of which it need not store all."""
        if isinstance(s, Def):
            if s.op is memory.zeros and s.var is not None and self.is_local(s.var):
                yield Zeros(s.var, {}, self.places.poly(s.args[0]))
        elif isinstance(s, For):
            z = self.zero_loop(s)
            own = [t for t in s.body if isinstance(t, Def) and not _is_zero_store(t)]
            if z is not None and all(is_scalar_operation(t) and not may_raise(t) for t in own):
                yield z
        elif isinstance(s, If):
            for block in (s.then, s.orelse):
                for t in block:
                    for z in self.zeroed(t):
                        if not isinstance(t, Def) and self.is_zero((s,), z):
                            yield z

    def zero_loop(self, s: For) -> Zeros | None:
        """The zeros that a loop stores, if it stores nothing else to their buffer."""
        found = [t for t in s.body if isinstance(t, Def) and _is_zero_store(t)]
        if len(found) != 1:
            return None
        place = self.place(found[0], (s,))
        parts = None if place is None else linear(place[1], s.index)
        if place is None or parts is None or parts[0] != constant(1):
            return None
        if variables(parts[1]) & defined((s,)) or not self.stores_once(s, found[0]):
            return None
        low, high = (plus(parts[1], self.places.poly(a)) for a in (s.start, s.stop))
        return Zeros(place[0], low, high)

    def stores_once(self, s: For, store: Def) -> bool:
        """Whether a store is the only one of a loop without inner loops to its class."""
        cls = self.classes.of(store.array)
        return all(isinstance(t, Def) for t in s.body) and not any(
            isinstance(t, Def)
            and t.op.writes
            and t is not store
            and self.classes.of(t.array) is cls
            for t in s.body
        )

    def place(self, s: Def, loops: tuple[For, ...]) -> tuple[Var, Poly] | None:
        """The buffer of one axis, and the coordinate, of an access to an element."""
        access = self.places.access(s, s.array, loops)
        if len(access.place) != 1 or access.place[0] is None or not self.is_local(access.root):
            return None
        return access.root, access.place[0]

    def is_local(self, root: Var) -> bool:
        d, t = self.places.definition.get(root), root.type
        return (
            d is not None
            and makes_buffer(d)
            and isinstance(t, Array)
            and len(t.dims) == 1
            and is_float(t.dtype)
            and self.classes.of(root) not in self.joined
        )

    def is_zero(self, block: Block, z: Zeros) -> bool:
        """Whether what a block does last to a buffer is to store these zeros."""
        for s in reversed(block):
            if isinstance(s, Def) and s.var is z.root:
                return s.op is memory.zeros
            if not self.names(s, z.root):
                continue
            if isinstance(s, If):
                return self.is_zero(s.then, z) and self.is_zero(s.orelse, z)
            return isinstance(s, For) and z.are(self.zero_loop(s))
        return False

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
                self.b.store(z.root, i, 0.0)
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
            if place is None:
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
        parts = None if place is None else linear(place[1], s.index)
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
        read = [t for t in s.body if old.var in uses(t)]
        if total is None or total.op is not elementwise.add or read != [total]:
            return None
        same = self.place(old, (s,)) == place and not (set(s.yields) & {old.var})
        return total if same and [a is old.var for a in total.args].count(True) == 1 else None

    def split(self, s: Stmt, z: Zeros) -> Block | None:
        """A loop over all of a buffer, in three of which the second one stores to zeros."""
        found = self.stores_instead(s, z.root) if isinstance(s, For) and not s.params else None
        whole: Piece = {}, self.places.poly(atom(z.root.type.dims[0]))
        if found is None or found[0] != whole:
            return None
        assert isinstance(s, For)
        b = self.b
        with b.block() as out:
            b.loc = s.loc
            shift = evaluated(b, self.places.poly(s.start))
            ends = [b.add(evaluated(b, p), shift) for p in (z.low, z.high)]
            low = b.minimum(b.maximum(ends[0], s.start), s.stop)
            high = b.minimum(b.maximum(ends[1], low), s.stop)
            for part, start, stop in ((s, s.start, low), (found[1], low, high), (s, high, s.stop)):
                (again,), _ = copied((part,), {})
                assert isinstance(again, For)
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


def _is_zero_store(s: Stmt) -> bool:
    if not isinstance(s, Def) or s.op is not memory.store or not isinstance(a := s.args[-1], Const):
        return False
    return a.value == 0 and copysign(1.0, float(a.value)) > 0
