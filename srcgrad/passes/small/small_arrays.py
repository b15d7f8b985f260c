"""Turns small arrays of constant shape into numbers.

>>> show(small_arrays(parse('''
... def f(x: f64, y: f64):
...     p: f64[2] = pack(x, y)
...     q: f64[2] = mul(p, 2.0)
...     store(q, 0, y)
...     s: f64 = vecdot(p, q)
...     return (s,)
... ''')))
def f(x: f64, y: f64):
    q: f64 = mul(x, f64(2.0))
    q1: f64 = mul(y, f64(2.0))
    t: f64 = mul(x, y)
    t1: f64 = mul(y, q1)
    t2: f64 = add(t, t1)
    return (t2,)

A vector of three, a rotation, a quaternion that a loop carries need neither a buffer nor a loop,
and a reverse sweep saves only those of their elements that a rule reads. Elements of a class that
is stored to are carried through loops and joined by branches like other numbers; views are other
names of the same elements. `classes` says what stays in memory. Never touches what the caller sees.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from srcgrad.ir.alias import AliasClasses, alias_classes
from srcgrad.ir.build import Builder
from srcgrad.ir.clone import clone
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Function, If, Stmt, Var, While, altered
from srcgrad.ir.types import Scalar, atom_dims, is_reference
from srcgrad.ir.walk import refresh_types, walk
from srcgrad.passes.cse import cse
from srcgrad.passes.effects import classes_stored
from srcgrad.passes.emitter import Emitter, builder_for
from srcgrad.passes.simplify import simplify
from srcgrad.passes.small.classes import operand_dims, places, small_classes
from srcgrad.passes.small.edges import idle_edges, with_edges
from srcgrad.passes.small.elements import (
    ELEMENTS,
    Elements,
    constant,
    elementwise,
    filled,
    is_small,
)
from srcgrad.passes.small.unroll import unroll
from srcgrad.primitives import memory


def small_arrays(function: Function) -> Function:
    made = (s.var.type for s in walk(function.body) if isinstance(s, Def) and s.var is not None)
    if not any(map(is_small, made)):
        return function
    trial, edges = with_edges(clone(function))  # dropped if no array turns out to be small enough
    b, classes = builder_for(trial), alias_classes(trial)
    possible = small_classes(trial, classes, b, edges, moving=True)
    if not possible:
        return function
    unrolled = unroll(trial, classes, possible)
    if edges or unrolled is not trial:  # else nothing has changed since the passes before
        trial = cse(simplify(unrolled))
        b, classes = builder_for(trial), alias_classes(trial)
    found = small_classes(trial, classes, b, edges, moving=False)
    idle = idle_edges(trial, edges)
    return _SmallArrays(b, classes, found, idle).function(trial) if found else function


class _SmallArrays(Emitter):
    """`cells` maps a name to its elements, `held` an element to its current value."""

    def __init__(
        self, b: Builder, classes: AliasClasses, found: frozenset[Var], idle: frozenset[Var]
    ):
        super().__init__(b)
        self.classes, self.found, self.idle = classes, found, idle
        self.cells: dict[Atom, Elements] = {}  # element numbers, not atoms
        self.held: dict[int, Atom] = {}
        self.class_of: dict[int, Var] = {}
        self.written = classes_stored(classes)

    def is_ours(self, a: Atom | None) -> bool:
        return isinstance(a, Var) and is_reference(a.type) and self.classes.of(a) in self.found

    def hold(self, v: Var, elements: Elements) -> None:
        """Gives a new array its elements."""
        kind, first = Scalar(v.type.dtype), len(self.class_of)
        self.cells[v] = np.arange(first, first + elements.size).reshape(elements.shape)
        for k, a in enumerate(elements.flat, first):
            self.class_of[k] = self.classes.of(v)
            self.held[k] = self.b.retyped(a, kind)

    def elements(self, a: Atom, dims: tuple[int, ...] | None = None) -> Elements:
        """The current elements of an operand; those in memory are loaded."""
        if not is_reference(a.type):
            return filled((), [a])
        if self.is_ours(a):
            cells = self.cells[a]
            return filled(cells.shape, [self.held[k] for k in cells.flat])
        known = constant(atom_dims(a)) if dims is None else dims
        assert known is not None
        return filled(known, [self.b.load(a, *at) for at in np.ndindex(known)])

    # ---- definitions ----
    def definition(self, s: Def) -> Iterable[Stmt]:
        if not any(map(self.is_ours, (s.var, *s.args))):
            if s.var is None or s.var not in self.idle:
                return (s,)
            self.new[s.var] = s.args[0]
            return ()
        self.b.loc = s.loc
        if s.op in ELEMENTS or s.op.elementwise:
            self.make(s)
        else:
            self.touch(s)
        return ()

    def touch(self, s: Def) -> None:
        """Replaces a length, a view, a load or a store."""
        x = s.args[0]
        match s.op:
            case memory.dim:
                assert s.var is not None
                self.new[s.var] = Const(atom_dims(x)[s.params["axis"]], s.var.type)
            case memory.load:
                assert s.var is not None
                self.new[s.var] = self.held[self.place(s)]
            case memory.store:
                self.held[self.place(s)] = self.b.retyped(s.args[-1], Scalar(x.type.dtype))
            case memory.add_at:
                k = self.place(s)
                self.held[k] = self.b.retyped(
                    self.b.add(self.held[k], s.args[-1]), Scalar(x.type.dtype)
                )
            case memory.assign | memory.add_to:
                self.write(s)
            case _:
                assert s.var is not None and s.op.view
                self.cells[s.var] = s.op.impl(self.cells[x], *map(_value, s.args[1:]), **s.params)

    def place(self, s: Def) -> int:
        return int(self.cells[s.args[0]][tuple(map(_value, places(s)))])

    def given(self, s: Def) -> list[Elements]:
        dims = operand_dims(self.b, s)
        return [self.elements(a, d) for a, d in zip(s.args, dims, strict=False)]

    def write(self, s: Def) -> None:
        x, kind = s.args[0], Scalar(s.args[0].type.dtype)
        old, value = self.given(s)
        # an assignment drops leading axes of length 1
        value = np.broadcast_to(value.reshape(value.shape[-old.ndim or value.ndim :]), old.shape)
        adds = s.op is memory.add_to
        if not self.is_ours(x):
            for at in np.ndindex(old.shape):
                (self.b.add_at if adds else self.b.store)(x, *at, self.b.retyped(value[at], kind))
            return
        new: dict[int, Atom] = {}
        for at in np.ndindex(old.shape):
            a = self.b.add(old[at], value[at]) if adds else value[at]
            new[int(self.cells[x][at])] = self.b.retyped(a, kind)
        self.held.update(new)

    def make(self, s: Def) -> None:
        assert s.var is not None
        made = ELEMENTS.get(s.op, elementwise)(self.b, s, self.given(s))
        if self.is_ours(s.var):
            self.hold(s.var, made)
        elif is_reference(s.var.type):
            self.new[s.var] = self.packed(s.var, made)
        else:
            self.new[s.var] = self.b.retyped(made[()], s.var.type)

    def packed(self, v: Var, elements: Elements) -> Atom:
        """An array in memory with these elements."""
        kind = Scalar(v.type.dtype)
        dims = {} if elements.ndim == 1 else {"dims": elements.shape}
        atoms = [self.b.retyped(a, kind) for a in elements.flat]
        return self.b.pack(*atoms, name=v.name, **dims)

    # ---- loops and branches ----
    def stored(self, s: Stmt) -> list[int]:
        """The elements that exist before a loop or branch and that it stores to."""
        return [k for k in self.held if self.class_of[k] in self.written[s]]

    def names(self, old: tuple[Var, ...], ours: list[int], stored: list[int]) -> list[Var]:
        """New variables for the elements of references that are joined, and for those stored to."""
        out: list[Var] = []
        for j in ours:
            v, dims = old[j], constant(atom_dims(old[j]))
            assert dims is not None
            fresh = [Var(v.name, Scalar(v.type.dtype)) for _ in np.ndindex(dims)]
            self.hold(v, filled(dims, fresh))
            out += fresh
        for k in stored:
            v = Var(self.class_of[k].name, Scalar(self.held[k].type.dtype))
            self.held[k] = v
            out.append(v)
        return out

    def values(self, atoms: tuple[Atom, ...], ours: list[int], stored: list[int]) -> list[Atom]:
        """The values of these variables, in the same order."""
        out: list[Atom] = [a for j in ours for a in self.elements(atoms[j]).flat]
        return out + [self.held[k] for k in stored]

    def loop(self, s: For | While) -> Iterable[Stmt]:
        refresh_types(s, self.atom)
        stored = self.stored(s)
        ours = [j for j, p in enumerate(s.params) if self.is_ours(p)]
        rest = [j for j, p in enumerate(s.params) if not self.is_ours(p)]

        def all_of(atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
            return (*(self.atom(atoms[j]) for j in rest), *self.values(atoms, ours, stored))

        inits, before = all_of(s.inits), dict(self.held)
        params = (*(s.params[j] for j in rest), *self.names(s.params, ours, stored))
        if isinstance(s, For):
            start, stop = self.atom(s.start), self.atom(s.stop)
            new: For | While = altered(s, start=start, stop=stop, body=self.block(s.body))
        else:
            limit = None if s.limit is None else self.atom(s.limit)
            test = self.block(s.test)
            new = altered(
                s, limit=limit, test=test, cond=self.atom(s.cond), body=self.block(s.body)
            )
        yields = all_of(s.yields)
        self.held = before
        results = (*(s.results[j] for j in rest), *self.names(s.results, ours, stored))
        new = altered(new, inits=inits, params=params, yields=yields, results=results)
        refresh_types(new, self.atom)
        yield new

    def branch(self, s: If) -> Iterable[Stmt]:
        refresh_types(s, self.atom)
        stored, before, cond = self.stored(s), dict(self.held), self.atom(s.cond)
        ours = [j for j, r in enumerate(s.results) if self.is_ours(r)]
        rest = [j for j, r in enumerate(s.results) if not self.is_ours(r)]

        def side(block: Block, atoms: tuple[Atom, ...]) -> tuple[Block, tuple[Atom, ...]]:
            self.held = dict(before)
            made = self.block(block)
            return made, (*(self.atom(atoms[j]) for j in rest), *self.values(atoms, ours, stored))

        then, then_yields = side(s.then, s.then_yields)
        orelse, else_yields = side(s.orelse, s.else_yields)
        self.held = before
        results = (*(s.results[j] for j in rest), *self.names(s.results, ours, stored))
        new = altered(
            s, cond=cond, then=then, orelse=orelse, results=results,
            then_yields=then_yields, else_yields=else_yields,
        )  # fmt: skip
        refresh_types(new, self.atom)
        yield new


def _value(a: Atom) -> int:
    assert isinstance(a, Const)
    return int(a.value)
