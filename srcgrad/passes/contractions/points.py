"""Divides loops over points, so that the products of one point become those of all.

>>> f = parse('''
... def f(x: f64[m, n], w: f64[n, n], s: f64[m]):
...     m: int = dim(x, axis=0)
...     n: int = dim(x, axis=1)
...     for i in range(0, m):
...         h: f64[n] = empty(n, dtype='f64')
...         for j in range(0, n):
...             a: f64 = load(x, i, j)
...             e: f64 = exp(a)
...             store(h, j, e)
...         for k in range(0, n):
...             for l in range(0, n):
...                 b: f64 = load(h, l)
...                 c: f64 = load(w, l, k)
...                 p: f64 = mul(b, c)
...                 add_at(s, i, p)
...     return ()
... ''')
>>> (s,) = [t for t in f.body if isinstance(t, For)]
>>> division = Division(s, 2, AliasClasses(f))
>>> show(Function(f.name, f.params, (*f.body[:2], *division.statements()), ()))
def f(x: f64[m, n], w: f64[n, n], s: f64[m]):
    m: int = dim(x, axis=0)
    n: int = dim(x, axis=1)
    h: f64[m, n] = empty(m, n, dtype='f64')
    for i in range(0, m):
        h1: f64[n] = view(h, i, spec=('i', ':'))
        for j in range(0, n):
            a: f64 = load(x, i, j)
            e: f64 = exp(a)
            store(h, i, j, e)
    for i1 in range(0, m):
        h2: f64[n] = view(h, i1, spec=('i', ':'))
        for k in range(0, n):
            for l in range(0, n):
                b: f64 = load(h, i1, l)
                c: f64 = load(w, l, k)
                p: f64 = mul(b, c)
                add_at(s, i1, p)
    return ()

A trip that computes the operand of a product in a buffer of its own has no matrix, but a row of one
(array expansion: the buffers of all trips are one array, with the loop's axis first). Numbers that
the second loop reads go through arrays, too. Legal if no trip of the second part touches
what a later trip of the first one does, other than buffers of trips, and if what is carried is a
number of one part. Whether the places are in bounds is tested before both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, reduce

from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.build import Builder
from srcgrad.ir.clone import anew, copied
from srcgrad.ir.nodes import (
    Atom,
    Block,
    Const,
    Def,
    For,
    Function,
    Stmt,
    Var,
    While,
    altered,
    atom,
)  # fmt: skip
from srcgrad.ir.types import Array, Scalar, is_reference
from srcgrad.ir.walk import defined, dims_of, replaced_by, results, uses, walk
from srcgrad.passes.contractions.nests import may_fail
from srcgrad.passes.effects import PLACE_CHECKS, classes_read, classes_written
from srcgrad.passes.hoist_allocations import ALLOCATIONS
from srcgrad.passes.own_buffers import keeps_its_trips
from srcgrad.passes.places import ELEMENTS, Places, Poly, times
from srcgrad.passes.rewrite import Rewriter
from srcgrad.primitives import REGISTRY, memory


def places(s: For, classes: AliasClasses) -> Iterator[int]:
    """Where a loop may be divided: before nests that read what the trip has stored."""
    if not _counts_rows(s) or keeps_its_trips(s):
        return
    for k, t in enumerate(s.body):
        if isinstance(t, For) and any(isinstance(u, For) for u in t.body):
            stored = classes_written(s.body[:k], classes)
            loads = (u for u in walk((t,)) if isinstance(u, Def) and u.op is memory.load)
            if any(classes.of(u.array) in stored for u in loads):
                yield k


def _counts_rows(s: For) -> bool:
    """Whether the index is a row of arrays, and each number that is carried a scalar."""
    from_row = isinstance(s.start, Const) and s.start.value >= 0
    return from_row and all(isinstance(p.type, Scalar) for p in s.params)


class Division:
    """A loop as two that run one after the other: the statements of a trip before `k`, the rest."""

    def __init__(self, loop: For, k: int, classes: AliasClasses):
        self.loop, self.classes = loop, classes
        self.first, self.second = loop.body[:k], loop.body[k:]
        self.made = {v: t for t in self.first for v in results(t)}
        self.b = Builder(REGISTRY)
        self.b.loc = loop.loc

    # ---- what the second part needs of the first one ----
    @cached_property
    def carried(self) -> tuple[list[int], list[int]] | None:
        """The positions of what each part carries; None if one reads what the other one makes."""
        early, late = list[int](), list[int]()
        read = {v for t in walk(self.first) for v in uses(t)}
        made = defined(self.second)
        for k, (p, y) in enumerate(zip(self.loop.params, self.loop.yields, strict=True)):
            in_second = y in made or (y is p and p not in read)
            if in_second and p in read:
                return None
            (late if in_second else early).append(k)
        if any(self.loop.params[j] is self.loop.yields[k] for j in late for k in early):
            return None
        return early, late

    @cached_property
    def handed_on(self) -> list[Var]:
        """The variables of the first part that the second one reads, what they are views of too."""
        assert self.carried is not None
        early, late = self.carried
        params = {self.loop.params[k] for k in early}
        read = [v for t in walk(self.second) for v in (*uses(t), *dims_of(t))]
        read += [y for k in late if isinstance(y := self.loop.yields[k], Var)]
        found: dict[Var, None] = {}
        while read:
            v = read.pop()
            if (v in self.made or v in params) and v not in found:
                found[v] = None
                d = self.made.get(v)
                if isinstance(d, Def) and self.is_view(d):
                    read += [*uses(d), *dims_of(d)]
        return list(found)

    def is_view(self, d: Def) -> bool:
        return d.op.view and d.var is not None and isinstance(d.var.type, Array)

    @cached_property
    def rows(self) -> dict[Var, Def]:
        """The buffers of a trip that both parts touch."""
        return {
            v: d
            for v in self.handed_on
            if isinstance(d := self.made.get(v), Def) and d.op in ALLOCATIONS
        }

    @property
    def numbers(self) -> list[Var]:
        return [v for v in self.handed_on if isinstance(v.type, Scalar)]

    # ---- legality ----
    def is_legal(self) -> bool:
        if self.carried is None:
            return False
        inside = defined(self.loop.body) | {self.loop.index, *self.loop.params}
        for v in self.handed_on:
            d = self.made.get(v)
            if v in self.rows:
                if not inside.isdisjoint((*uses(self.rows[v]), *dims_of(self.rows[v]))):
                    return False
            elif not isinstance(v.type, Scalar) and not (isinstance(d, Def) and self.is_view(d)):
                return False
        return self.is_apart() and self.keeps_failures()

    def keeps_failures(self) -> bool:
        """Whether all of the first part may run before what fails in the second one."""
        first, second = (
            [d for d in walk(b) if isinstance(d, Def)] for b in (self.first, self.second)
        )
        if any(map(may_fail, first)) or any(isinstance(t, While) for t in walk(self.first)):
            return False
        if not any(map(may_fail, second)) and not any(d.op in PLACE_CHECKS for d in second):
            return True
        made = {self.classes.of(d.var) for d in first if d.op in ALLOCATIONS and d.var is not None}
        return classes_written(self.first, self.classes) <= made

    def is_apart(self) -> bool:
        """Whether the parts share no memory that one stores to, but what is the trip's own."""
        own = {self.classes.of(v) for v in self.rows} | self.by_rows()
        touched = [
            {c for d in walk(b) if isinstance(d, Def) for c in classes_read(d, self.classes)}
            for b in (self.first, self.second)
        ]
        stored = [classes_written(b, self.classes) for b in (self.first, self.second)]
        both = (stored[0] & (touched[1] | stored[1])) | (stored[1] & touched[0])
        return both <= own

    def by_rows(self) -> set[Var]:
        """The classes of arrays of which each trip touches one row, its own, and by one name."""
        names: dict[Var, set[Var]] = {}
        rows: set[Var] = set()  # and views of them
        others: set[Var] = set()
        for t in walk(self.loop.body):
            for v in uses(t):
                if not is_reference(v.type) or v in rows:
                    continue
                names.setdefault(self.classes.of(v), set()).add(v)
                if not (isinstance(t, Def) and self.is_of_row(t, v)):
                    others.add(self.classes.of(v))
            if isinstance(t, Def) and t.op.view and t.var is not None:
                x = t.args[0]
                if x in rows or (isinstance(x, Var) and self.is_of_row(t, x)):
                    rows.add(t.var)
        return {c for c, found in names.items() if len(found) == 1} - others

    def is_of_row(self, d: Def, x: Var) -> bool:
        """Whether a definition touches elements of the trip's row of an array, or views it."""
        if d.op not in ELEMENTS and not (d.op is memory.view and d.params["spec"][0] == "i"):
            return False
        return d.args[0] is x and d.args[1] is self.loop.index and x not in d.args[2:]

    # ---- the two loops ----
    def sizes(self, places: Places) -> list[Poly]:
        """How many elements the arrays of all trips have."""
        n = places.poly(self.loop.stop)
        return [reduce(times, map(places.poly, v.type.dims), n) for v in self.rows]

    def statements(self) -> Block:
        """Both loops after what they share; the last statement is the second loop."""
        b, n = self.b, self.loop.stop
        arrays: dict[Var, Var] = {}
        for v, d in self.rows.items():
            make = b.zeros if d.op is REGISTRY["zeros"] else b.empty
            lengths = map(atom, v.type.dims)
            arrays[v] = make(n, *lengths, dtype=v.type.dtype, name=v.name)
        for v in self.numbers:
            arrays[v] = b.empty(n, dtype=v.type.dtype, name=v.name)
        assert self.carried is not None
        early, late = self.carried
        b.append(self.part(self.first, early, arrays, stores=True))
        views = [t for v, t in self.made.items() if v in self.handed_on and v not in arrays]
        again = [*self.rows.values(), *views, *self.second]
        b.append(self.part(tuple(again), late, arrays, stores=False))
        return tuple(b.out)

    def part(self, body: Block, carried: list[int], arrays: dict[Var, Var], stores: bool) -> For:
        """A loop over all trips of some statements, on the rows of arrays."""
        s, b = self.loop, self.b
        index, own = Var(s.index.name, s.index.type), [s.params[k] for k in carried]
        params = anew(own)
        known: dict[Var, Atom] = {s.index: index, **dict(zip(own, params, strict=True))}
        with b.block() as out:
            if not stores:
                known |= {v: self.loaded(arrays[v], v, index) for v in self.numbers}
            made, names = copied(_OnRows(arrays, s.index).block(body), known)
            b.out += made
            for v in self.numbers if stores else ():
                b.store(arrays[v], index, names[v])
        yields = map(replaced_by(names), (s.yields[k] for k in carried))
        return altered(
            s, index=index, params=params, inits=tuple([s.inits[k] for k in carried]),
            body=tuple(out), yields=tuple(yields), results=tuple([s.results[k] for k in carried]),
        )  # fmt: skip

    def loaded(self, x: Var, v: Var, at: Var) -> Atom:
        """A number of the first part."""
        found = self.b.load(x, at, name=v.name)
        return found if found.type == v.type else self.b.retyped(found, v.type)


class _Replaced(Rewriter):
    def __init__(self, loop: For, by: Block):
        super().__init__()
        self.old, self.by = loop, by

    def loop(self, s: For | While) -> Iterable[Stmt]:
        return self.by if s is self.old else super().loop(s)


def replacing(function: Function, loop: For, by: Block) -> Function:
    """The function with a loop replaced by other statements."""
    return _Replaced(loop, by).function(function)


class _OnRows(Rewriter):
    """Puts the rows of arrays for the buffers of a trip."""

    def __init__(self, arrays: Mapping[Var, Var], index: Var):
        super().__init__()
        self.arrays, self.index = arrays, index

    def definition(self, s: Def) -> Iterable[Stmt]:
        if s.var is not None and s.var in self.arrays and s.op in ALLOCATIONS:
            spec = ("i", *(":" for _ in s.var.type.dims))
            s = Def(s.var, memory.view, (self.arrays[s.var], self.index), {"spec": spec}, s.loc)
        elif s.op in ELEMENTS and s.array in self.arrays:
            s = altered(s, args=(self.arrays[s.array], self.index, *s.args[1:]))
        yield s
