"""Joins of small arrays: builds parts in the memory of the whole, and the whole on its tape.

>>> show(build_in_place(parse('''
... def f(x: f64, y: f64, z: f64[2]):
...     p: f64[2] = pack(x, y)
...     r: f64[1, 2] = view(p, spec=('n', ':'))
...     q: f64[2] = neg(z)
...     s: f64[1, 2] = view(q, spec=('n', ':'))
...     m: f64[2, 2] = concatenate(r, s, axis=0)
...     v: f64[2] = sum(m, axes=(0,), keepdims=False)
...     return (v,)
... ''')))
def f(x: f64, y: f64, z: f64[2]):
    m: f64[2, 2] = empty(2, 2, dtype='f64')
    piece: f64[1, 2] = view(m, 0, 1, 1, spec=('s', ':'))
    piece1: f64[2] = view(piece, 0, spec=('i', ':'))
    piece2: f64[1, 2] = view(m, 1, 1, 1, spec=('s', ':'))
    piece3: f64[2] = view(piece2, 0, spec=('i', ':'))
    store(piece1, 0, x)
    store(piece1, 1, y)
    r: f64[1, 2] = view(piece1, spec=('n', ':'))
    q: f64[2] = neg(z)
    assign(piece3, q)
    s: f64[1, 2] = view(q, spec=('n', ':'))
    v: f64[2] = sum(m, axes=(0,), keepdims=False)
    return (v,)

A rotation matrix is written as a join of rows of numbers, and is itself part of larger ones: each
join was a buffer, a loop for each part, and one more that copies it to the tape. A part that is
itself a join becomes a view of the whole; one that is computed element by element is stored as
soon as it exists, and `fuse` puts that into its nest. All lengths are known when compiling, and
nothing ever stores to the whole or its parts: readers of a part see the same numbers. Never moves
what may raise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import field

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Atom, Block, Def, Function, Stmt, Var
from srcgrad.ir.types import Array, is_reference, same_dims
from srcgrad.ir.walk import atoms, results, uses, walk
from srcgrad.passes.effects import is_scalar_operation, may_raise
from srcgrad.passes.emitter import Emitter, builder_for
from srcgrad.primitives import arrays, memory, tapes
from srcgrad.records import record

JOINS = (arrays.concatenate, arrays.pack)


def build_in_place(function: Function) -> Function:
    if contents(function).operations.isdisjoint(JOINS):
        return function
    return _BuildInPlace(function).function(function)


@record(eq=False)
class _Part:
    """An operand of a join that is made early: its definition, and the new axes in between."""

    made: Def
    axes: tuple[Def, ...]


@record(eq=False)
class _Join:
    """A join: its parts by number, and the first statement that needs its memory."""

    made: Def
    parts: dict[int, _Part] = field(default_factory=dict[int, _Part])
    start: int = 0
    slot: tuple[Def, ...] = ()  # the definitions that name its memory on a tape

    @property
    def var(self) -> Var:
        return _var(self.made)

    @property
    def operands(self) -> list[tuple[int, Var, int]]:
        """The concatenated arrays: their numbers, themselves, where each begins."""
        if self.made.op is not arrays.concatenate:
            return []
        out: list[tuple[int, Var, int]] = []
        first = 0
        for k, x in enumerate(self.made.args):
            assert isinstance(x, Var)
            out.append((k, x, first))
            first += x.type.dims[self.made.params["axis"]]
        return out


class _Facts:
    """Facts about the references of a function."""

    def __init__(self, function: Function):
        self.classes = alias_classes(function)
        self.uses = Counter(v for s in walk(function.body) for v in uses(s))
        self.stores = Counter[Var]()
        # returned, carried, joined by a branch or held; required to be contiguous
        self.apart = self.named(function.returns)
        for s in walk(function.body):
            if not isinstance(s, Def) or s.op.holds or s.op is memory.reshape:
                self.apart |= self.named(atoms(s))
            elif s.op.writes:
                self.stores[self.classes.of(s.array)] += 1

    def named(self, given: Iterable[Atom]) -> set[Var]:
        return {self.classes.of(a) for a in given if is_reference(a.type)}

    def is_value(self, v: Var) -> bool:
        """Whether nothing stores to an array and no other name for it matters."""
        return self.classes.is_pure(v) and self.classes.of(v) not in self.apart

    def is_slot(self, s: Def) -> bool:
        """Whether a definition names memory of a tape that one statement alone stores to."""
        if s.op is not tapes.tape_view or s.var is None or self.uses[s.var] != 1:
            return False
        return self.stores[self.classes.of(s.array)] == 1


class _Plan:
    """The joins of a block that are built in place."""

    def __init__(self, block: Block, facts: _Facts):
        self.facts = facts
        self.at = {v: k for k, s in enumerate(block) for v in results(s)}
        self.block = block
        self.joins: dict[Def, _Join] = {}
        self.owners: dict[Def, tuple[_Join, int]] = {}  # the join of which a statement makes a part
        self.copies: set[Stmt] = set()  # copies of these joins to a tape
        found = [s for s in block if isinstance(s, Def) and self.is_constant_join(s)]
        for s in reversed(found):
            self.joins[s] = _Join(s)
            self.find_parts(self.joins[s])
        for s in found:
            join = self.joins[s]
            join.start = min([self.at[join.var], *map(self.start_of, join.parts.values())])
        for s in block:
            if isinstance(s, Def) and s.op is memory.assign:
                self.find_slot(s)
        for s in found:
            if not (self.joins[s].parts or self.joins[s].slot or s in self.owners):
                del self.joins[s]

    def made_here(self, a: Atom) -> Def | None:
        k = self.at.get(a) if isinstance(a, Var) else None
        s = None if k is None else self.block[k]
        return s if isinstance(s, Def) else None

    def is_constant_join(self, s: Def) -> bool:
        """Whether a definition is a join of constant lengths that nothing stores to."""
        if s.op not in JOINS or s.var is None or not self.facts.classes.is_pure(s.var):
            return False
        lengths = (d for v in (s.var, *s.args) for d in getattr(v.type, "dims", ()))
        return all(isinstance(d, int) for d in lengths)

    def start_of(self, part: _Part) -> int:
        inner = self.joins.get(part.made)
        return self.at[_var(part.made)] if inner is None else inner.start

    def find_parts(self, join: _Join) -> None:
        for k, x, _ in join.operands:
            axes: list[Def] = []
            while (s := self.made_here(x)) is not None and _adds_axes(s):
                axes.append(s)
                x = s.array
            if s is not None and s not in self.owners and self.fits(s, join.var.type.dtype):
                self.owners[s] = join, k
                join.parts[k] = _Part(s, tuple(axes))

    def fits(self, s: Def, dtype: str) -> bool:
        """Whether an operand of a join may be built in its place, or stored there once made."""
        v = _var(s)
        if not isinstance(v.type, Array) or v.type.dtype != dtype:
            return False
        if s.op in JOINS:
            return self.is_constant_join(s) and self.facts.is_value(v)
        return s.op.elementwise and self.facts.classes.is_pure(v)

    def find_slot(self, copy: Def) -> None:
        """Lets a join that is copied to a tape be built there."""
        target, made = map(self.made_here, copy.args)
        join = None if made is None else self.joins.get(made)
        if join is None or target is None or join.made in self.owners or join.slot:
            return
        if not (self.facts.is_slot(target) and self.facts.is_value(join.var)):
            return
        there, here = _var(target).type, join.var.type
        if there.dtype == here.dtype and same_dims(there.dims, here.dims):
            join.slot = self.before(target, join.start)
            if join.slot:
                self.copies.add(copy)

    def before(self, s: Def, start: int) -> tuple[Def, ...]:
        """A definition with those it needs after `start`; empty if one of them cannot move."""
        out: list[Def] = []
        for a in s.args:
            if isinstance(a, Var) and self.at.get(a, -1) >= start:
                d = self.made_here(a)
                if d is None or not is_scalar_operation(d) or may_raise(d):
                    return ()
                more = self.before(d, start)
                if not more:
                    return ()
                out += [d for d in more if d not in out]
        return (*out, s)


def _var(s: Def) -> Var:
    """The variable of a definition that is not an effect."""
    assert s.var is not None
    return s.var


def _adds_axes(s: Def) -> bool:
    return s.op is memory.view and set(s.params["spec"]) <= {":", "n"}


class _BuildInPlace(Emitter):
    def __init__(self, function: Function):
        super().__init__(builder_for(function))
        self.facts = _Facts(function)
        self.moved: set[Def] = set()  # definitions that slots need, once for all of them
        self.place: dict[tuple[_Join, int], Var] = {}  # of the parts

    def block(self, block: Block) -> Block:
        plan = _Plan(block, self.facts)
        starts: dict[int, list[_Join]] = {}
        for s, join in plan.joins.items():
            if s not in plan.owners:
                starts.setdefault(join.start, []).append(join)
        gone = {s for join in plan.joins.values() for s in join.slot} | plan.copies
        with self.b.block() as out:
            for k, s in enumerate(block):
                for join in starts.get(k, ()):
                    self.begin(plan, join)
                if isinstance(s, Def) and s in plan.joins:
                    self.finish(plan.joins[s])
                elif s not in gone:
                    for new in self.statement(s):
                        self.b.append(new)
                    if s in plan.owners:
                        self.b.loc = s.loc
                        self.b.assign(self.place[plan.owners[s]], self.atom(_var(s)))
        return tuple(out)

    def begin(self, plan: _Plan, join: _Join) -> None:
        """Makes or names the memory of a join, and that of all its parts built there."""
        self.b.loc = join.made.loc
        for d in join.slot:
            if d not in self.moved:
                self.moved.add(d)
                for new in self.statement(d):
                    self.b.append(new)
        v = join.var
        if join.slot:
            whole = _var(join.slot[-1])
        else:
            whole = self.b.empty(*v.type.dims, dtype=v.type.dtype, name=v.name)
        self.put(plan, join, whole)

    def put(self, plan: _Plan, join: _Join, whole: Var) -> None:
        """Names the memory of a join, and that of its parts inside it."""
        self.new[join.var] = whole
        for k, x, first in join.operands:
            if k not in join.parts:
                continue
            self.b.loc = join.made.loc
            place, part = self.piece(join, x, first), join.parts[k]
            for s in part.axes:
                codes = s.params["spec"]
                spec = tuple("i" if c == "n" else ":" for c in codes)
                place = self.b.view(place, *[0] * codes.count("n"), spec=spec, name="piece")
            self.place[join, k] = place
            if part.made in plan.joins:
                self.put(plan, plan.joins[part.made], place)

    def piece(self, join: _Join, x: Var, first: int) -> Var:
        """The memory of an operand of a join."""
        axis = join.made.params["axis"]
        spec = tuple("s" if k == axis else ":" for k in range(x.type.ndim))
        whole = self.atom(join.var)
        return self.b.view(whole, first, x.type.dims[axis], 1, spec=spec, name="piece")

    def finish(self, join: _Join) -> None:
        """Stores the elements of a join that do not exist yet."""
        self.b.loc = join.made.loc
        if join.made.op is arrays.pack:
            for k, a in enumerate(join.made.args):
                at = arrays.packed_at(k, join.made.params.get("dims"))
                self.b.store(self.atom(join.var), *at, self.atom(a))
        for k, x, first in join.operands:
            if k not in join.parts:
                self.b.assign(self.piece(join, x, first), self.atom(x))

    def definition(self, s: Def) -> Iterable[Stmt]:
        """Retypes views: a part of an array may not be contiguous."""
        if s.op.view and isinstance(s.array.type, Array) and s.array.type.layout != "C":
            v = _var(s)
            if v.type.layout == "C":
                self.b.loc = s.loc
                self.new[v] = self.b(s.op, *s.args, name=v.name, **s.params)
                return ()
        return (s,)
