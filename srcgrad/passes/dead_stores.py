"""Dead stores: drops stores in loops to elements that nothing reads any more.

>>> show(dead_stores(parse('''
... def f(y: f64[n], a: f64):
...     n: int = dim(y, axis=0)
...     x: f64[n] = copy(y)
...     s: f64 = 0.0
...     for i in reversed(range(0, n)):
...         store(x, i, a)
...         r: f64 = s
...         for j in range(0, i):
...             v: f64 = load(x, j)
...             t: f64 = add(r, v)
...             r = t
...         s = r
...     return (s,)
... ''')))
def f(y: f64[n], a: f64):
    n: int = dim(y, axis=0)
    x: f64[n] = copy(y)
    s: f64 = 0.0
    for i in reversed(range(0, n)):
        r: f64 = s
        for j in range(0, i):
            v: f64 = load(x, j)
            t: f64 = add(r, v)
            r = t
        s = r
    return (s,)

`dead_code` compares buffers; this pass compares elements. Reverse mode restores what a store has
overwritten, by buffers as well: in a factorization in place most of these elements are not read
again, and without the store their tape is dead too. A store is dead if no access that may run after
it touches its element: in the same trip of the loops around both, or in a later one of any of them,
coordinates on one axis differ, as polynomials in indices and lengths. Never drops a store that the
caller sees, nor one to a buffer that a loop, a branch or a list gives another name.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Atom, Block, Def, For, Function, If, Stmt, Var, While, altered
from srcgrad.ir.types import Array, is_reference
from srcgrad.ir.walk import blocks, defined, inner_definitions, uses, walk
from srcgrad.passes.dead_code import eliminate
from srcgrad.passes.dependence import touched
from srcgrad.passes.effects import makes_buffer
from srcgrad.passes.places import Access, Places, Poly, constant, linear, plus, times, variables
from srcgrad.primitives import memory
from srcgrad.records import record

MOST = 32  # accesses to a buffer that are compared

Path = tuple[tuple[Stmt | None, int, int], ...]  # the blocks entered: owner, which, and where in it


def dead_stores(function: Function) -> Function:
    inside = contents(function)
    if not inside.depth or memory.store not in inside.operations:
        return function
    dead = _DeadStores(function).found()
    return eliminate(function.with_body(without_stores(function.body, dead))) if dead else function


def without_stores(block: Block, dead: set[Stmt]) -> Block:
    """The block without some statements, wherever they are in it."""
    return tuple([_swept(s, dead) for s in block if s not in dead])


def _swept(s: Stmt, dead: set[Stmt]) -> Stmt:
    match s:
        case For():
            return altered(s, body=without_stores(s.body, dead))
        case While():
            return altered(s, test=without_stores(s.test, dead), body=without_stores(s.body, dead))
        case If():
            return altered(
                s, then=without_stores(s.then, dead), orelse=without_stores(s.orelse, dead)
            )
        case _:
            return s


@record(frozen=True)
class Reached:
    """An access, and the way to it."""

    access: Access
    path: Path

    @property
    def loops(self) -> tuple[For, ...]:
        return self.access.loops


class _DeadStores:
    def __init__(self, function: Function):
        self.function, self.classes = function, alias_classes(function)
        self.bound_in: dict[Stmt, set[Var]] = {}

    @cached_property
    def places(self) -> Places:
        return Places(self.function)

    def found(self) -> set[Stmt]:
        """The stores that are dead."""
        in_loops = [s for t in self.function.body for b in blocks(t) for s in walk(b)]
        stored = {
            self.classes.of(s.array)
            for s in in_loops
            if isinstance(s, Def) and s.op is memory.store and isinstance(s.array.type, Array)
        } - self.with_other_names()
        if not stored:
            return set()
        by_class: dict[Var, list[Reached]] = {}
        for r in self.reached(self.function.body, (), None, 0, stored):
            by_class.setdefault(self.classes.of(r.access.root), []).append(r)
        few = [accesses for accesses in by_class.values() if len(accesses) <= MOST]
        return {s for accesses in few for s in self.of_buffer(accesses)}

    def with_other_names(self) -> set[Var]:
        """The classes that the caller sees, or that loops carry, branches join or lists hold."""
        found: list[Atom] = [*self.function.params, *self.function.returns]
        for s in walk(self.function.body):
            if not isinstance(s, Def):
                found += uses(s)
            elif s.op.holds:
                found += s.args
        return {self.classes.of(v) for v in found if isinstance(v, Var) and is_reference(v.type)}

    def reached(
        self, block: Block, path: Path, owner: Stmt | None, which: int, classes: set[Var]
    ) -> Iterator[Reached]:
        """The accesses to buffers of these classes, in the order of the program."""
        for k, s in enumerate(block):
            here = (*path, (owner, which, k))
            if isinstance(s, Def):
                loops = tuple([o for o, *_ in here if isinstance(o, For)])
                for x in touched(s):
                    if self.classes.of(x) in classes:
                        yield Reached(self.places.access(s, x, loops), here)
            for j, inner in enumerate(blocks(s)):
                yield from self.reached(inner, here, s, j, classes)

    def of_buffer(self, accesses: list[Reached]) -> list[Def]:
        """The dead stores among the accesses to one class."""
        root = accesses[0].access.root
        d = self.places.definition.get(root)
        if d is None or not makes_buffer(d) or any(r.access.root is not root for r in accesses):
            return []
        reads = [r for r in accesses if r.access.statement.op is not memory.store]
        return [
            s.access.statement
            for s in accesses
            if s.access.statement.op is memory.store
            and s.loops
            and not any(isinstance(owner, While) for owner, *_ in s.path)
            and all(self.never_meet(s, r) for r in reads)
        ]

    # ---- a store and a read ----
    def never_meet(self, store: Reached, read: Reached) -> bool:
        """Whether no read that runs after a store touches the element that it has stored to."""
        pairs = zip(store.path, read.path, strict=False)
        depth = next(k for k, (a, b) in enumerate(pairs) if a != b)
        _, which, at = store.path[depth]
        _, other, later = read.path[depth]
        common = [o for o, *_ in store.path[: depth + 1] if isinstance(o, For)]
        if which == other and later > at and not self.apart_in_trip(store, read, depth, common):
            return False
        return all(self.apart_later(store, read, common[: k + 1]) for k in range(len(common)))

    def apart_in_trip(self, store: Reached, read: Reached, depth: int, common: list[For]) -> bool:
        """Whether elements differ in the same trip of all loops around both."""
        inner = set[Var]()
        for r in (store, read):
            for owner, *_ in r.path[depth + 1 : depth + 2]:
                inner |= self.bound(owner)
        return self.differ(store, read, common, inner, None)

    def apart_later(self, store: Reached, read: Reached, common: list[For]) -> bool:
        """Whether elements differ if the read is in a later trip of the last of these loops."""
        loop = common[-1]
        inner = self.bound(loop)
        if store.access.root in inner:
            return True  # each trip makes a buffer of its own
        return self.differ(store, read, common, inner - {loop.index}, loop)

    def bound(self, s: Stmt | None) -> set[Var]:
        """The variables that a statement binds in its blocks and for them."""
        assert s is not None
        if s not in self.bound_in:
            self.bound_in[s] = set(inner_definitions(s)).union(*(defined(b) for b in blocks(s)))
        return self.bound_in[s]

    def differ(
        self, store: Reached, read: Reached, common: list[For], inner: set[Var], later: For | None
    ) -> bool:
        """Whether coordinates differ on one axis; `later`: the read is in a later trip of it."""
        n = len(common)

        def gap(p: Poly, q: Poly, up: int) -> Poly | None:
            """A lower bound of up * (p - q), p stored to and q read, in terms of the loops."""
            a = self.places.extreme(p, store.loops[n:], -up)
            b = self.places.extreme(q, read.loops[n:], up)
            if b is not None and later is not None:
                b = self.in_later_trip(b, later, up)
            if a is None or b is None or (variables(a) | variables(b)) & inner:
                return None
            least = self.places.extreme(times(constant(up), plus(a, b, -1)), common, -1)
            return None if least is None else plus(least, constant(-1))

        for p, q in zip(store.access.place, read.access.place, strict=True):
            if p is None or q is None:
                continue
            gaps = [gap(p, q, up) for up in (1, -1)]
            if any(g is not None and self.places.is_nonnegative(g, common) for g in gaps):
                return True
        return False

    def in_later_trip(self, p: Poly, loop: For, side: int) -> Poly | None:
        """The largest (1) or least (-1) value in the trips after that of the loop's index."""
        parts = linear(p, loop.index)
        if parts is None or set(parts[0]) - {()}:
            return None
        step, rest = parts
        here, one = self.places.poly(loop.index), constant(1)
        if loop.reverse:
            low, high = self.places.poly(loop.start), plus(here, one, -1)
        else:
            low, high = plus(here, one), plus(self.places.poly(loop.stop), one, -1)
        rises = step.get((), 0) >= 0
        return plus(rest, times(step, high if rises == (side > 0) else low))
