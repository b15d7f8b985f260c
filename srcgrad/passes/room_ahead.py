"""Room ahead: makes tapes long enough, before a loop, for all that its trips store.

>>> show(room_ahead(parse('''
... def f(x: f64[n], k: int):
...     n: int = dim(x, axis=0)
...     t: tape[f64] = tape(16, dtype='f64')
...     for i in range(0, n):
...         v: f64 = load(x, i)
...         at: int = add(k, i)
...         m: int = add(at, 1)
...         reserve(t, m)
...         store(t, at, v)
...     return ()
... ''')))
def f(x: f64[n], k: int):
    n: int = dim(x, axis=0)
    t: tape[f64] = tape(16, dtype='f64')
    t1: int = sub(n, 1)
    t2: int = add(k, t1)
    t3: int = add(t2, 1)
    reserve(t, t3)
    for i in range(0, n):
        v: f64 = load(x, i)
        at: int = add(k, i)
        m: int = add(at, 1)
        store(t, at, v)
    return ()

A loop over a triangle keeps a number of values that only its run tells. A trip that may make its
tape longer is not vectorised. Places have to be bounded by what is known before the loop. Never
makes a tape longer than some trip might.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from itertools import chain

from srcgrad.ir.build import Builder
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Function, If, Stmt, Var, While, altered
from srcgrad.ir.walk import defined
from srcgrad.passes.bounds import is_int64
from srcgrad.passes.emitter import Emitter, builder_for
from srcgrad.primitives import elementwise, memory, tapes


def room_ahead(function: Function) -> Function:
    if tapes.reserve not in contents(function).operations:
        return function
    return _RoomAhead(builder_for(function)).function(function)


class Room(Emitter):
    """`left`: tapes that are reserved as before; `roomy`: those that are not any more."""

    def __init__(self, b: Builder, left: Set[Var] = frozenset()):
        super().__init__(b)
        self.left, self.roomy = left, set[Var]()

    def with_room(self, s: For) -> Iterator[Stmt]:
        """A loop after the reservations of its trips, where these are bounded before it."""
        reserving = (t for t in _of_trip(s.body) if t.op is tapes.reserve)
        grown = [t for t in reserving if t.args[0] not in self.left]
        inside = {*defined(s.body), s.index, *s.params} if grown else frozenset[Var]()
        bound = _Bound(self, s, inside)
        room = {
            t: most
            for t in grown
            if t.args[0] not in inside and (most := bound.upper(t.args[1])) is not None
        }
        for t, most in room.items():
            self.b.loc = t.loc
            self.roomy.add(tape_of(t))
            self.b.reserve(t.args[0], most)
            self.b.loc = None
        yield altered(s, body=_without(s.body, room)) if room else s


class _RoomAhead(Room):
    def loop(self, s: For | While) -> Iterable[Stmt]:
        new = self.rebuilt(s)
        if isinstance(new, For):
            yield from self.with_room(new)
        else:
            yield new


def _of_trip(block: Block) -> Iterator[Def]:
    """The definitions of a trip that are in no loop inside."""
    for s in block:
        if isinstance(s, Def):
            yield s
        elif isinstance(s, If):
            yield from chain(_of_trip(s.then), _of_trip(s.orelse))


def tape_of(reserve: Def) -> Var:
    """The tape that is made longer."""
    tape = reserve.args[0]
    assert isinstance(tape, Var)
    return tape


def _without(block: Block, left_out: dict[Def, Atom]) -> Block:
    kept: list[Stmt] = []
    for s in block:
        if isinstance(s, If):
            s = altered(s, then=_without(s.then, left_out), orelse=_without(s.orelse, left_out))
        if s not in left_out:
            kept.append(s)
    return tuple(kept)


class _Bound:
    """Bounds of integers over all trips of a loop, computed before it."""

    def __init__(self, emitter: Room, loop: For, inside: Set[Var]):
        self.b, self.atom = emitter.b, emitter.atom
        self.loop, self.inside = loop, inside

    def upper(self, a: Atom) -> Atom | None:
        """An upper bound that holds in every trip; None if no bound is known."""
        return self.end(a, 1)

    def end(self, a: Atom, side: int) -> Atom | None:
        """A number that no trip exceeds (1) or comes below (-1)."""
        a = self.atom(a)
        if not isinstance(a, Var) or a not in self.inside:
            return a
        if a is self.loop.index:
            return self.loop.start if side < 0 else self.b.sub(self.loop.stop, 1)
        d = self.b.definition.get(a)
        if d is None or not all(map(is_int64, d.args)):
            return None
        match d.op:
            case elementwise.cast:
                return self.end(d.args[0], side)
            case elementwise.add:
                return self.both(d, side, side)
            case elementwise.sub:
                return self.both(d, side, -side)
            case elementwise.mul:
                return self.times(d, side)
            case elementwise.maximum | elementwise.minimum:
                known = [e for x in d.args if (e := self.end(x, side)) is not None]
                outward = (d.op is elementwise.maximum) == (side > 0)
                if len(known) < 1 + outward:
                    return None
                return self.b(d.op, *known) if len(known) == 2 else known[0]
            case _:
                return None

    def both(self, d: Def, first: int, second: int) -> Atom | None:
        x, y = self.end(d.args[0], first), self.end(d.args[1], second)
        return None if x is None or y is None else self.b(d.op, x, y)

    def times(self, d: Def, side: int) -> Atom | None:
        """The bound of a product with a number that is the same in every trip."""
        for x, y in (d.args, d.args[::-1]):
            factor = self.atom(y)
            sign = self.sign(factor)
            if factor not in self.inside and sign:
                end = self.end(x, side * sign)
                return None if end is None else self.b.mul(end, factor)
        return None

    def sign(self, a: Atom) -> int:
        """The sign of an integer that is known not to be of the other one; 0 if unknown."""
        if not isinstance(a, Var):
            return 1 if a.value >= 0 else -1
        d = self.b.definition.get(a)
        if d is not None and d.op is memory.dim:
            return 1
        if d is not None and d.op is elementwise.maximum:
            return int(any(isinstance(x, Const) and x.value >= 0 for x in d.args))
        return 0
