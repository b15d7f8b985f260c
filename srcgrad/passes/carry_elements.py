"""Carried elements: passes what one trip stores and the next one reads on as a number.

>>> show(carry_elements(parse('''
... def f(x: f64[n]):
...     n: int = dim(x, axis=0)
...     for i in range(1, n):
...         h: int = sub(i, 1)
...         a: f64 = load(x, h)
...         b: f64 = sin(a)
...         add_at(x, i, b)
...     return ()
... ''')))
def f(x: f64[n]):
    n: int = dim(x, axis=0)
    runs: bool = lt(1, n)
    x1: f64
    if runs:
        first: f64 = load(x, 0)
        x1 = first
    else:
        x1 = f64(0.0)
    x2: f64 = x1
    for i in range(1, n):
        b: f64 = sin(x2)
        old: f64 = load(x, i)
        t: f64 = add(old, b)
        store(x, i, t)
        x2 = t
    return ()

The next trip then waits for an addition, not for memory. Everything is stored as before. The load
must read, one trip later, the place of the store, by polynomials in what the loop does not change;
every other store of the loop to that memory between the two must differ from it by a constant on
some axis. Applies to statements that run in every trip, and never to promised loops.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from srcgrad.ir.alias import AliasClasses, alias_classes
from srcgrad.ir.build import Builder
from srcgrad.ir.clone import anew
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Atom, Const, Def, For, Function, If, Stmt, Var, While, altered
from srcgrad.ir.types import Array, Scalar
from srcgrad.ir.walk import defined, walk
from srcgrad.passes.ahead import FLOATS
from srcgrad.passes.dead_code import eliminate
from srcgrad.passes.dependence import touched
from srcgrad.passes.effects import is_write
from srcgrad.passes.places import (
    ELEMENTS,
    Access,
    Place,
    Places,
    constant,
    evaluated,
    plus,
    replaced,
    variables,
)  # fmt: skip
from srcgrad.passes.rewrite import Rewriter
from srcgrad.primitives import REGISTRY, memory
from srcgrad.records import record


def carry_elements(function: Function) -> Function:
    inside = contents(function)
    if not inside.depth or inside.operations.isdisjoint({memory.store, memory.add_at}):
        return function
    carrying = _CarryElements(function)
    new = carrying.function(function)
    return eliminate(new) if carrying.changed else function


@record(frozen=True)
class Handed:
    """A load of a trip, and the last statement of the trip before that stored to its place."""

    load: Def
    store: Def


class _CarryElements(Rewriter):
    def __init__(self, function: Function):
        super().__init__()
        self.program, self.classes = function, alias_classes(function)
        self.changed = False

    @cached_property
    def places(self) -> Places:
        return Places(self.program)

    def loop(self, s: For | While) -> Iterable[Stmt]:
        pairs = [] if isinstance(s, While) or s.promised or not _may_hand(s) else self.pairs(s)
        if not pairs:
            yield self.rebuilt(s)
            return
        assert isinstance(s, For)
        self.changed = True
        carried = _Carried(s, pairs, self.places)
        made, inits = carried.before()
        yield from made
        self.new |= zip(carried.loaded, carried.params, strict=True)
        yield self.rebuilt(carried.trip(inits))

    def pairs(self, s: For) -> list[Handed]:
        return _Handed(s, self.places, self.classes).found()


def _may_hand(s: For) -> bool:
    """Whether an innermost loop loads and stores floats."""
    if any(isinstance(t, For | While) for t in walk(s.body)):
        return False
    ops = {t.op for t in s.body if isinstance(t, Def)}
    return memory.load in ops and not ops.isdisjoint({memory.store, memory.add_at})


# ---- which elements are handed on ----
MOST = 64  # stores to a buffer that are looked at
Written = tuple[int, Def, Access | None]  # where in the trip, and to which place


class _Handed:
    def __init__(self, loop: For, places: Places, classes: AliasClasses):
        self.loop, self.places, self.classes = loop, places, classes
        self.inside = defined(loop.body) | {*loop.params}
        self.writes: dict[Var, list[Written]] = {}  # by class
        for k, s in enumerate(loop.body):
            for t in walk((s,)):
                if isinstance(t, Def) and is_write(t):
                    self.written(k, t)

    def written(self, at: int, s: Def) -> None:
        place = self.places.access(s, s.array, (self.loop,)) if s.op in ELEMENTS else None
        for cls in {self.classes.of(x) for x in touched(s)}:
            self.writes.setdefault(cls, []).append((at, s, place))

    def found(self) -> list[Handed]:
        out: list[Handed] = []
        for at, s in enumerate(self.loop.body):
            if isinstance(s, Def) and s.op is memory.load and self.is_fixed(s):
                store = self.last_store(at, s)
                if store is not None:
                    out.append(Handed(s, store))
        return out

    def is_fixed(self, load: Def) -> bool:
        """Whether a load reads a float of an array from outside, at a place known before it."""
        x = load.array
        if x in self.inside or not isinstance(x.type, Array) or x.type.dtype not in FLOATS:
            return False
        return load.var is not None and load.var.type == Scalar(x.type.dtype)

    def last_store(self, at: int, load: Def) -> Def | None:
        """The last store of a trip to the place of a load in the next one; None if unknown."""
        writes = self.writes.get(self.classes.of(load.array), [])
        if not 0 < len(writes) <= MOST:
            return None
        read = self.places.access(load, load.array, (self.loop,))
        ahead = self.one_trip_later(read.place)
        found = [(k, t, a.place) for k, t, a in writes if a is not None and a.root is read.root]
        mine = [(k, t) for k, t, place in found if None not in ahead and place == ahead]
        if len(found) < len(writes) or not mine or not self.hands_on(load, *mine[-1]):
            return None
        last, store = mine[-1]
        for k, t, place in found:
            if k > last and not _apart(place, ahead):
                return None
            if (k < at or t is store) and not _apart(place, read.place):
                return None
        return store

    def hands_on(self, load: Def, at: int, store: Def) -> bool:
        """Whether a store runs in each trip, and puts a number of the load's type there."""
        dtype = load.array.type.dtype
        return self.loop.body[at] is store and store.args[-1].type.dtype == dtype

    def one_trip_later(self, place: Place) -> Place:
        """A place in the next trip; None on axes where it depends on what trips make."""
        index = self.loop.index
        step = plus({(index,): 1}, constant(-1 if self.loop.reverse else 1))
        known = [p is not None and not variables(p) & self.inside for p in place]
        pairs = zip(place, known, strict=True)
        return tuple([replaced(p, index, step) if p is not None and k else None for p, k in pairs])


def _apart(one: Place, other: Place) -> bool:
    """Whether two places of one trip differ by a constant on some axis."""
    for p, q in zip(one, other, strict=True):
        if p is not None and q is not None:
            gap = plus(p, q, -1)
            if gap and not set(gap) - {()}:
                return True
    return False


# ---- the rewriting ----
class _Carried:
    """A loop that carries what its trips hand on."""

    def __init__(self, loop: For, pairs: list[Handed], places: Places):
        self.loop, self.pairs, self.places = loop, pairs, places
        self.b = Builder(REGISTRY)
        self.b.loc = loop.loc
        self.params = [
            Var(h.load.array.name, v.type) for h, v in zip(pairs, self.loaded, strict=True)
        ]

    @property
    def loaded(self) -> list[Var]:
        return [h.load.var for h in self.pairs if h.load.var is not None]

    def before(self) -> tuple[list[Stmt], list[Atom]]:
        """The elements that the first trip reads, loaded if there is one."""
        s, b = self.loop, self.b
        with b.block() as out:
            runs = b.lt(s.start, s.stop, name="runs")
            with b.block() as then:
                found: list[Atom] = [self.first(h.load) for h in self.pairs]
            results = anew(self.params)
            zeros = tuple([Const(0.0, v.type) for v in self.params])
            if isinstance(runs, Const):
                b.out += then
                return out, found
            b.append(If(runs, tuple(then), (), tuple(found), zeros, results, s.loc))
        return out, [*results]

    def first(self, load: Def) -> Var:
        s, b = self.loop, self.b
        poly = self.places.poly
        trip = plus(poly(s.stop), constant(-1)) if s.reverse else poly(s.start)
        at = [replaced(poly(a), s.index, trip) for a in load.args[1:]]
        made = Var("first", load.var.type)  # type: ignore[union-attr]  (a load has a result)
        b.append(altered(load, var=made, args=(load.array, *(evaluated(b, p) for p in at))))
        return made

    def trip(self, inits: list[Atom]) -> For:
        s, b = self.loop, self.b
        loads = {h.load for h in self.pairs}
        values: dict[Stmt, Atom] = {}
        stores = {h.store for h in self.pairs}
        with b.block() as body:
            for t in s.body:
                if t in stores:
                    assert isinstance(t, Def)
                    values[t] = self.stored(t)
                elif t not in loads:
                    b.append(t)
        return altered(
            s, body=tuple(body), params=(*s.params, *self.params), inits=(*s.inits, *inits),
            yields=(*s.yields, *(values[h.store] for h in self.pairs)),
            results=(*s.results, *anew(self.params)),
        )  # fmt: skip

    def stored(self, s: Def) -> Atom:
        """Stores to an element; the number that it then has."""
        b, *_, value = self.b, s.args[-1]
        b.loc = s.loc
        type_ = Scalar(s.array.type.dtype)
        if s.op is memory.store:
            b.append(s)
            return value if value.type == type_ else b.retyped(value, type_)
        old = Var("old", type_)
        b.append(Def(old, memory.load, s.args[:-1], {}, s.loc))
        total = b.add(old, value)
        b.append(altered(s, op=memory.store, args=(*s.args[:-1], total)))
        return total
