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
t is the array until step t overwrites it, row t + 1 is the array after that, in both sweeps; a trip
of several steps has as many rows. The array itself is what other loops see. A step stores once to
each element of a box; few elements at the ends of the axes are left out, and copied from row to
row. Before a step that stores to other elements all of the row is copied. `Histories` and
`SavedArrays` find these arrays.
"""

from __future__ import annotations

from collections.abc import Iterator

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.build import Builder
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Atom, Block, Def, For, Function, Stmt, Var, altered, atom
from srcgrad.ir.types import INT, Dim
from srcgrad.ir.walk import defined, map_atoms, uses, walk
from srcgrad.passes.dead_code import eliminate
from srcgrad.passes.emitter import builder_for
from srcgrad.passes.histories import Histories, History, Region, Step, Sweep
from srcgrad.passes.places import Places, evaluated
from srcgrad.passes.saved_arrays import SavedArrays
from srcgrad.primitives import memory, tapes

Span = tuple[Atom | Dim, Atom | Dim]


def time_expansion(function: Function) -> Function:
    if tapes.tape not in contents(function).operations:
        return function
    while True:
        facts = function, alias_classes(function), Places(function)
        found = Histories(*facts).first() or SavedArrays(*facts).first()
        if found is None:
            return function
        body = tuple(_Expanded(builder_for(function), function, found).statements(function.body))
        function = eliminate(function.with_body(body))


class _Expanded:
    """Rewrites the loops of one array."""

    def __init__(self, b: Builder, function: Function, found: History):
        self.b, self.found, self.rows = b, found, Var("", INT)
        self.many = len(found.forward.steps)  # rows of a trip
        self.views: dict[Var, Def] = {}
        self.users: dict[Var, list[Stmt]] = {}
        for s in walk(function.body):
            if isinstance(s, Def) and s.op.view and self.is_name(s.args[0]):
                assert s.var is not None
                self.views[s.var] = s
            for v in uses(s):
                self.users.setdefault(v, []).append(s)
        self.known: dict[Atom, Var] = {}  # the names of saved values in a trip
        self.on: dict[tuple[Var, Var], Var] = {}  # names of the array in rows

    def is_name(self, a: Atom) -> bool:
        return a is self.found.array or a in self.views

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

    def forward(self, sweep: Sweep) -> None:
        b, found, u = self.b, self.found, self.found.array
        last = self.last(sweep.loop)
        self.rows = b.empty(b.add(last, 1), *u.type.dims, dtype=u.type.dtype, name=f"{u.name}_rows")
        b.assign(self.row(0, "first"), u)
        self.trips(sweep, False)
        if found.read_after_forward:
            b.assign(u, self.row(last, "last"))

    def backward(self, sweep: Sweep) -> None:
        b, found = self.b, self.found
        last = self.last(sweep.loop)
        if found.restores and found.stored_between:
            b.assign(self.row(last, "last"), found.array)
        self.trips(sweep, True)
        if found.restores and found.read_after_backward:
            b.assign(found.array, self.row(0, "first"))

    def last(self, s: For) -> Atom:
        """The index of the last row."""
        b = self.b
        b.loc = s.loc
        return b.mul(b.maximum(b.sub(s.stop, s.start), 0, name="trips"), self.many)

    def row(self, k: Atom | int, name: str) -> Var:
        spec = ("i", *(":" for _ in self.found.array.type.dims))
        return self.b.view(self.rows, k, spec=spec, name=name)

    def trips(self, sweep: Sweep, backward: bool) -> None:
        """A loop, with rows for the array."""
        b, s = self.b, sweep.loop
        self.known, self.on = {}, {}
        with b.block() as body:
            k = b.mul(b.sub(s.index, s.start), self.many)
            names = ["now", *("then" for _ in range(1, self.many)), "new"]
            rows = [self.row(b.add(k, j, name="next"), name) for j, name in enumerate(names)]
            self.trip(sweep, rows, backward)
        b.append(altered(s, body=tuple(body), independent=False))

    def trip(self, sweep: Sweep, rows: list[Var], backward: bool) -> None:
        """The statements of a trip, each with the row that the array is there."""
        b, steps = self.b, sweep.steps
        values = {x.value: k for k, x in enumerate(steps) if x.value is not None}
        begins = {x.nest: k for k, x in enumerate(steps)}
        saving = {x.saved for x in steps if x.name is not None}
        renames = not backward or self.found.restores
        at = rows[-1 if backward else 0] if renames else None
        for t in sweep.loop.body:
            if isinstance(t, Def) and t.var is not None and t.var in values:
                self.name_saved(t, steps[values[t.var]], rows[values[t.var]])
            elif t in saving or (renames and isinstance(t, Def) and t.var in self.views):
                continue  # a view is made where it is used
            elif at is not None and t in begins:
                k = begins[t]
                after = rows[k if backward else k + 1]
                self.step(t, steps[k], at, after, backward)
                at = after
            else:
                b.append(self.renamed(t, at))

    # ---- names ----
    def name_saved(self, s: Def, step: Step, row: Var) -> None:
        """A name of what is saved in a row, for what reads the copy or the tape."""
        assert s.var is not None and step.name is not None
        name = self.name(step.name, row)
        others = [t for t in self.users.get(s.var, ()) if t is not step.saved]
        if name.type == s.var.type or all(isinstance(t, Def) and t.op.elementwise for t in others):
            self.known[s.var] = name
        elif any(t is not step.nest for t in others):
            self.known[s.var] = self.b.copy(name, name=s.var.name)

    def name(self, x: Var, row: Var) -> Var:
        """The array, or a view of it, in a row."""
        if x is self.found.array:
            return row
        if (x, row) not in self.on:
            d, v = self.views[x], Var(x.name, x.type)
            base, *rest = d.args
            assert isinstance(base, Var)
            self.b.append(altered(d, var=v, args=(self.name(base, row), *rest)))
            self.on[x, row] = v
        return self.on[x, row]

    def renamed(self, s: Stmt, to: Var | None) -> Stmt:
        """A statement with a row for the array; what names the row needs is emitted before it."""
        new: dict[Atom, Var] = dict(self.known)
        if to is not None:
            inner = defined((s,))
            used = [v for t in walk((s,)) for v in uses(t) if self.is_name(v) and v not in inner]
            new |= {v: self.name(v, to) for v in used}

        def f(a: Atom) -> Atom:
            return new.get(a, a)

        def within(block: Block) -> Block:
            return tuple([map_atoms(t, f, within) for t in block])

        return map_atoms(s, f, within)

    # ---- steps ----
    def step(self, t: Stmt, step: Step, before: Var, after: Var, backward: bool) -> None:
        """The statement that overwrites the array, or restores it."""
        b = self.b
        b.loc = t.loc
        if step.region is None:
            b.assign(after, before)
            b.append(self.renamed(t, after))
            return
        if step.name is None:
            b.append(self.nest(t, step, before, after, backward))
        elif not backward:
            assert isinstance(t, Def)
            self.whole(t, before, after)
        if not backward or self.found.has_other_stores:
            self.copy_ends(before, after, step.region)

    def whole(self, s: Def, before: Var, after: Var) -> None:
        """The store of an array to a row."""
        new = self.renamed(s, before)
        assert isinstance(new, Def) and isinstance(s.args[0], Var)
        old, value = new.args
        if s.op is memory.add_to:
            value = self.b.add(old, value)
        self.b.assign(self.name(s.args[0], after), value)

    def nest(self, s: Stmt, step: Step, before: Var, after: Var, backward: bool) -> Stmt:
        """The nest that overwrites the array, or restores it, element by element."""
        if not isinstance(s, For):
            return self.renamed(s, after if s in step.later else before)
        body: list[Stmt] = []
        for t in s.body:
            if t is step.store:
                body += self.stored(step, after, backward)
            elif t is not step.saved:
                body.append(self.nest(t, step, before, after, backward))
        return altered(s, body=tuple(body))

    def stored(self, step: Step, after: Var, backward: bool) -> Iterator[Stmt]:
        """The new element in its row, or the old one out of it."""
        s = step.store
        assert s is not None
        place, value = s.args[1:-1], s.args[-1]
        if backward:
            yield altered(step.saved, args=(after, *place))
            return
        with self.b.block() as out:
            self.b.loc = s.loc
            if s.op is memory.add_at:
                value = self.b.add(step.saved.args[-1], value)
            self.b.store(after, *place, value)
        yield from out

    # ---- the ends of axes ----
    def copy_ends(self, source: Var, to: Var, region: Region) -> None:
        """Copies the elements outside a region."""
        b = self.b
        inside: list[Span] = []
        for k, n in enumerate(to.type.dims):
            start, stop = (evaluated(b, p) for p in region.box[k])
            low = b.minimum(start, n)
            high = b.maximum(stop, low)
            rest: list[Span] = [(0, m) for m in to.type.dims[k + 1 :]]
            first, last = region.gaps[k]
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
