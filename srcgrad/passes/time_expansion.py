"""Expands an array that a loop over time overwrites: its rows are the tape of what was overwritten.

>>> show(time_expansion(parse('''
... def f(x: f64[n]):
...     n: int = dim(x, axis=0)
...     u: f64[n] = copy(x)
...     size: int = mul(9, n)
...     saved: tape[f64] = tape(size, dtype='f64')
...     for t in range(0, 9):
...         for i in range(0, n):
...             old: f64 = load(u, i)
...             w: f64 = mul(old, old)
...             at: int = mul(t, n)
...             at1: int = add(at, i)
...             store(saved, at1, old)
...             store(u, i, w)
...     s: f64 = 0.0
...     for t1 in reversed(range(0, 9)):
...         r: f64 = s
...         for i1 in range(0, n):
...             at2: int = mul(t1, n)
...             at3: int = add(at2, i1)
...             old1: f64 = load(saved, at3)
...             store(u, i1, old1)
...             a: f64 = add(r, old1)
...             r = a
...         s = r
...     return (s,)
... ''')))
def f(x: f64[n]):
    n: int = dim(x, axis=0)
    u: f64[n] = copy(x)
    u_rows: f64[10, n] = empty(10, n, dtype='f64')
    first: f64[n] = view(u_rows, 0, spec=('i', ':'))
    assign(first, u)
    for t in range(0, 9):
        now: f64[n] = view(u_rows, t, spec=('i', ':'))
        next: int = add(t, 1)
        new: f64[n] = view(u_rows, next, spec=('i', ':'))
        for i in range(0, n):
            old: f64 = load(now, i)
            w: f64 = mul(old, old)
            store(new, i, w)
    s: f64 = 0.0
    for t1 in reversed(range(0, 9)):
        now1: f64[n] = view(u_rows, t1, spec=('i', ':'))
        r: f64 = s
        for i1 in range(0, n):
            old1: f64 = load(now1, i1)
            a: f64 = add(r, old1)
            r = a
        s = r
    return (s,)

Reverse mode saves each element before a step overwrites it, and restores it: two loads and three
stores. In rows the new element has a place of its own, and the reverse sweep finds the old one. Row
t is the array until step t overwrites it, row t + 1 is the array after that, in both sweeps. The
array itself is what other loops see. A step stores once to each element of a box; few elements at
the ends of the axes are left out, and copied from row to row. `Histories` finds these arrays.
"""

from __future__ import annotations

from collections.abc import Iterator

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.build import Builder
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Atom, Block, For, Function, Stmt, Var, altered, atom
from srcgrad.ir.types import INT, Dim
from srcgrad.ir.walk import map_atoms
from srcgrad.passes.dead_code import eliminate
from srcgrad.passes.emitter import builder_for
from srcgrad.passes.histories import Histories, History, Step
from srcgrad.passes.places import Places, evaluated
from srcgrad.primitives import memory, tapes

Span = tuple[Atom | Dim, Atom | Dim]


def time_expansion(function: Function) -> Function:
    if tapes.tape not in contents(function).operations:
        return function
    while True:
        found = Histories(function, alias_classes(function), Places(function)).first()
        if found is None:
            return function
        body = tuple(_Expanded(builder_for(function), found).statements(function.body))
        function = eliminate(function.with_body(body))


class _Expanded:
    """Rewrites the loops of one array."""

    def __init__(self, b: Builder, found: History):
        self.b, self.found = b, found
        self.rows: Var | None = None

    def statements(self, body: Block) -> Iterator[Stmt]:
        found = self.found
        for s in body:
            with self.b.block() as out:
                if s is found.forward.loop:
                    self.forward(found.forward)
                elif s is found.backward.loop:
                    self.backward(found.backward)
                else:
                    self.b.append(s)
            yield from out

    def forward(self, step: Step) -> None:
        b, found, u = self.b, self.found, self.found.array
        s = step.loop
        b.loc = s.loc
        trips = b.maximum(b.sub(s.stop, s.start), 0, name="trips")
        self.rows = b.empty(
            b.add(trips, 1), *u.type.dims, dtype=u.type.dtype, name=f"{u.name}_rows"
        )
        b.assign(self.row(0, "first"), u)
        self.steps(step)
        if found.read_after_forward:
            b.assign(u, self.row(trips, "last"))

    def backward(self, step: Step) -> None:
        b, found = self.b, self.found
        b.loc = step.loop.loc
        trips = b.maximum(b.sub(step.loop.stop, step.loop.start), 0, name="trips")
        if found.stored_between:
            b.assign(self.row(trips, "last"), found.array)
        self.steps(step)
        if found.read_after_backward:
            b.assign(found.array, self.row(0, "first"))

    def row(self, k: Atom | int, name: str) -> Var:
        spec = ("i", *(":" for _ in self.found.array.type.dims))
        return self.b.view(self.rows, k, spec=spec, name=name)

    def steps(self, step: Step) -> None:
        """The loop, with rows for the array."""
        b, s = self.b, step.loop
        backward = step is self.found.backward
        with b.block() as body:
            k = b.sub(s.index, s.start)
            now, new = self.row(k, "now"), self.row(b.add(k, 1, name="next"), "new")
            before, after = (new, now) if backward else (now, new)
            for t in s.body:
                if t is step.nest:
                    if not backward or self.found.has_other_stores:
                        self.copy_ends(before, after)
                    b.append(self.nest(t, step, before, after))
                    before = after
                else:
                    b.append(self.renamed(t, before))
        b.append(altered(s, body=tuple(body), independent=False))

    def renamed(self, s: Stmt, to: Var) -> Stmt:
        def f(a: Atom) -> Atom:
            return to if a is self.found.array else a

        def inner(block: Block) -> Block:
            return tuple([map_atoms(t, f, inner) for t in block])

        return map_atoms(s, f, inner)

    # ---- the nest ----
    def nest(self, s: Stmt, step: Step, before: Var, after: Var) -> Stmt:
        """The nest that overwrites the array, or restores it."""
        if not isinstance(s, For):
            return self.renamed(s, after if s in step.later else before)
        body: list[Stmt] = []
        for t in s.body:
            if t is step.store:
                body += self.stored(step, after)
            elif t is not step.saved:
                body.append(self.nest(t, step, before, after))
        return altered(s, body=tuple(body))

    def stored(self, step: Step, after: Var) -> Iterator[Stmt]:
        """The new element in its row, or the old one out of it."""
        s = step.store
        place, value = s.args[1:-1], s.args[-1]
        if step is self.found.backward:
            yield altered(step.saved, args=(after, *place))
            return
        with self.b.block() as out:
            self.b.loc = s.loc
            if s.op is memory.add_at:
                value = self.b.add(step.saved.args[-1], value)
            self.b.store(after, *place, value)
        yield from out

    # ---- the ends of axes ----
    def copy_ends(self, source: Var, to: Var) -> None:
        """Copies the elements to which the nest does not store."""
        b = self.b
        inside: list[Span] = []
        for k, n in enumerate(to.type.dims):
            start, stop = (evaluated(b, p) for p in self.found.box[k])
            low = b.minimum(start, n)
            high = b.maximum(stop, low)
            rest: list[Span] = [(0, m) for m in to.type.dims[k + 1 :]]
            first, last = self.found.gaps[k]
            if first:
                self.copy([*inside, (0, low), *rest], source, to, ())
            if last:
                self.copy([*inside, (high, n), *rest], source, to, ())
            inside.append((low, high))

    def copy(self, spans: list[Span], source: Var, to: Var, at: tuple[Var, ...]) -> None:
        b = self.b
        if not spans:
            b.store(to, *at, b.load(source, *at))
            return
        low, high = map(atom, spans[0])
        i = Var("i", INT)
        with b.block() as body:
            self.copy(spans[1:], source, to, (*at, i))
        b.append(For(i, low, high, (), (), tuple(body), (), (), loc=b.loc))
