"""Renamed copies: exchanges names where a loop over time copies a new array to the old one.

>>> show(renamed_copies(parse('''
... def f(x: f64[n]):
...     n: int = dim(x, axis=0)
...     u: f64[n] = copy(x)
...     v: f64[n] = copy(x)
...     for t in range(0, 9):
...         for i in range(1, n):
...             a: f64 = load(u, i)
...             b: f64 = mul(a, a)
...             store(v, i, b)
...         for j in range(1, n):
...             c: f64 = load(v, j)
...             store(u, j, c)
...     return (u,)
... ''')))
def f(x: f64[n]):
    n: int = dim(x, axis=0)
    u: f64[n] = copy(x)
    v: f64[n] = copy(x)
    u1: f64[n] = u
    v1: f64[n] = v
    for t in range(0, 9):
        for i in range(1, n):
            a: f64 = load(u1, i)
            b: f64 = mul(a, a)
            store(v1, i, b)
        u1, v1 = v1, u1
    return (u1,)

Runs before reverse mode, and `unrolled_rotations` after it. Without the copy either sweep goes
over both arrays once less, and where nothing needs old elements there is no tape of what the copy
overwrites. `CopiesInTime` finds these copies. The statements after them, and after the loop, get
the new names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from math import lcm

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.build import Builder
from srcgrad.ir.clone import copied
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Atom, Block, Def, For, Function, Stmt, Var, While, altered
from srcgrad.ir.walk import uses, walk
from srcgrad.passes.copies_in_time import Chain, CopiesInTime
from srcgrad.passes.dead_code import eliminate
from srcgrad.passes.dead_stores import without_stores
from srcgrad.passes.own_buffers import Following, carried, keeps_its_trips
from srcgrad.passes.places import Places
from srcgrad.passes.unrolled_rotations import MOST, STATEMENTS
from srcgrad.primitives import REGISTRY, memory

COPIES = frozenset((memory.store, memory.assign))


def renamed_copies(function: Function) -> Function:
    """One loop after the other: names after the first one are other names."""
    inside = contents(function)
    if not inside.depth or inside.operations.isdisjoint(COPIES):
        return function
    done: set[Var] = set()
    while True:
        new = _RenamedCopies(function, done).function(function)
        if new is function:
            return function
        function = eliminate(new)


class _RenamedCopies(Following):
    def __init__(self, function: Function, done: set[Var]):
        super().__init__()
        self.program, self.classes = function, alias_classes(function)
        self.places, self.done = Places(function), done

    def loop(self, s: For | While) -> Iterable[Stmt]:
        before = self.before
        new = self.rebuilt(s)
        if new is not s or not isinstance(s, For) or s.index in self.done or keeps_its_trips(s):
            yield new
            return
        self.done.add(s.index)
        chains = self.chains(s, before)
        if chains:
            yield from self.renamed(s, before, chains)
        else:
            yield s

    def chains(self, s: For, before: Block) -> list[Chain]:
        found = CopiesInTime(self.program, self.classes, self.places, s, before).chains()
        many = lcm(*(len(c.arrays) for c in found))
        fits = many <= MOST and many * len(walk(s.body)) <= STATEMENTS
        return found if fits and not carried(s) else []

    def renamed(self, s: For, before: Block, chains: list[Chain]) -> Iterable[Stmt]:
        made = _Renamed(s, before, chains)
        yield from made.statements()
        self.new.update(made.later)


class _Renamed:
    """One loop whose arrays take turns."""

    def __init__(self, loop: For, before: Block, chains: list[Chain]):
        self.s, self.chains, self.b = loop, chains, Builder(REGISTRY)
        self.b.loc = loop.loc
        self.arrays = [a for c in chains for a in c.arrays]
        self.params = {a: Var(a.name, a.type) for a in self.arrays}
        self.results = {a: Var(a.name, a.type) for a in self.arrays}
        self.views: dict[Var, Def] = {}
        for t in (*before, *loop.body):
            if isinstance(t, Def) and t.op.view and t.var is not None and self.is_named(t.array):
                self.views[t.var] = t
        self.own = set(loop.body)
        self.body: list[Stmt] = []
        self.known: dict[Var, Atom] = {}
        self.later: dict[Var, Atom] = {}  # the names after the loop

    def is_named(self, x: Var) -> bool:
        return x in self.params or x in self.views

    def statements(self) -> Block:
        for c in self.chains:
            if not c.equal:
                old, new = c.arrays
                self.b.assign(new, old)  # where no trip stores to them
        for names, block in self.parts():
            self.part(names, block)
        last = self.after(None)
        s = self.s
        loop = altered(
            s,
            params=(*s.params, *self.params.values()),
            inits=(*s.inits, *self.arrays),
            body=tuple(self.body),
            yields=(*(self.atom(y) for y in s.yields), *(last[a] for a in self.arrays)),
            results=(*s.results, *self.results.values()),
        )
        after = dict[Var, Atom](self.results)
        views = [d for d in self.views.values() if d not in self.own]
        again, new = copied(tuple(views), after)
        self.later = {**after, **{v: new[v] for v in self.views if v in new}}
        return (*self.b.out, loop, *again)

    # ---- the body ----
    def parts(self) -> Iterable[tuple[Mapping[Var, Atom], Block]]:
        """The statements between which names change, with the names that they use."""
        ends = sorted({0, len(self.s.body), *(c.last + 1 for c in self.chains)})
        copies = {t for c in self.chains for t in c.copies}
        for k, stop in pairwise(ends):
            yield self.after(k), without_stores(self.s.body[k:stop], copies)

    def after(self, k: int | None) -> dict[Var, Atom]:
        """The name of each array from a statement on; None: at the end."""
        found: dict[Var, Atom] = {}
        for c in self.chains:
            names = [self.params[a] for a in c.arrays]
            if k is None or k > c.last:
                names = [*names[1:], names[0]]
            found.update(zip(c.arrays, names, strict=True))
        return found

    def part(self, names: Mapping[Var, Atom], block: Block) -> None:
        """Appends statements that use these names of the arrays, and views of them."""
        self.known.update(names)
        used = {u for t in walk(block) for u in uses(t)}
        here = set(block)
        needed: list[Def] = []
        for d in reversed(self.views.values()):
            if d not in here and d.var in used and self.is_made(d):
                needed.append(d)
                used |= set(uses(d))
        again, new = copied((*reversed(needed), *block), self.known)
        self.body += again
        self.known = {**self.known, **new}

    def is_made(self, d: Def) -> bool:
        """Whether a view was made before the loop, or in the parts so far."""
        return d not in self.own or d.var in self.known

    def atom(self, a: Atom) -> Atom:
        return self.known.get(a, a) if isinstance(a, Var) else a
