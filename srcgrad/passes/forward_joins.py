"""Joined values: reads a place of a join from the part that contains it.

>>> show(forward_joins(parse('''
... def f(r: f64[3, 3], x: f64, y: f64, z: f64):
...     p: f64[3] = pack(x, y, z)
...     column: f64[3, 1] = view(p, spec=(':', 'n'))
...     m: f64[3, 4] = concatenate(r, column, axis=1)
...     inner: f64.strided[3, 3] = view(m, 0, 3, 1, 0, 3, 1, spec=('s', 's'))
...     row: f64.strided[3] = view(inner, 2, spec=('i', ':'))
...     t: f64[3, 3] = exp(inner)
...     u: f64 = load(row, 1)
...     v: f64 = load(m, 1, 3)
...     return (t, u, v,)
... ''')))
def f(r: f64[3, 3], x: f64, y: f64, z: f64):
    p: f64[3] = pack(x, y, z)
    column: f64[3, 1] = view(p, spec=(':', 'n'))
    m: f64[3, 4] = concatenate(r, column, axis=1)
    row: f64.strided[3] = view(r, 2, spec=('i', ':'))
    t: f64[3, 3] = exp(r)
    u: f64 = load(row, 1)
    return (t, u, y,)

A function that makes a matrix of blocks is often followed by one that takes the blocks out again:
the matrix is then dead, and its elements stay numbers. All places and lengths are known when
compiling, nothing ever stores to the join or the part, and neither the join nor a view of it is
returned, carried by a loop or joined by a branch. Never removes a join (`dead_code` does).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Atom, Const, Def, Function, Stmt, Var
from srcgrad.ir.types import Array, atom_dims, is_reference
from srcgrad.ir.walk import atoms, walk
from srcgrad.passes.emitter import Emitter, builder_for
from srcgrad.passes.small.elements import constant
from srcgrad.primitives import arrays, memory
from srcgrad.records import record

JOINS = (arrays.concatenate, arrays.pack)
# along an axis a place or several, or an axis that the array does not have
Places: TypeAlias = int | range | None


def forward_joins(function: Function) -> Function:
    if contents(function).operations.isdisjoint(JOINS):
        return function
    return _ForwardJoins(function).function(function)


@record(frozen=True)
class _Access:
    """The array and places that a load or a view at constant places reads."""

    array: Atom
    places: tuple[Places, ...]

    def of_base(self, base: _Access) -> _Access:
        """The same elements, accessed through the array's base."""
        inner, out = iter(base.places), list[Places]()
        for p in self.places:
            if p is None:
                out.append(None)
                continue
            while isinstance(q := next(inner), int):
                out.append(q)
            if q is not None:
                out.append(q[p] if isinstance(p, int) else q[p.start : p.stop : p.step])
            elif not isinstance(p, int):
                out.append(None)
        return _Access(base.array, (*out, *inner))

    def of_part(self, join: Def) -> _Access | None:
        """The same, as an access to the part of the array's join that has it; None without one."""
        if join.op is arrays.pack:
            at = [p for p in self.places if isinstance(p, int)]
            if len(at) < len(self.places):
                return None
            k = np.ravel_multi_index(at, join.params.get("dims", (len(join.args),)))
            return _Access(join.args[int(k)], ())
        axis: int = join.params["axis"]
        along = [k for k, p in enumerate(self.places) if p is not None][axis]
        p, first = self.places[along], 0
        for x in join.args:
            length = atom_dims(x)[axis]
            assert isinstance(length, int)
            if isinstance(p, int) and first <= p < first + length:
                inside: Places = p - first
            elif isinstance(p, range) and p and first <= min(p) <= max(p) < first + length:
                inside = range(p.start - first, p.stop - first, p.step)
            else:
                first += length
                continue
            return _Access(x, (*self.places[:along], inside, *self.places[along + 1 :]))
        return None


class _ForwardJoins(Emitter):
    def __init__(self, function: Function):
        super().__init__(builder_for(function))
        self.classes = alias_classes(function)
        self.apart = self.named(function.returns)
        for s in walk(function.body):
            if not isinstance(s, Def) or s.op.holds:
                self.apart |= self.named(atoms(s))
        self.joins: dict[Atom, Def] = {}  # of constant lengths, never stored to
        self.views: dict[Atom, _Access] = {}  # at constant places

    def named(self, given: Iterable[Atom]) -> set[Var]:
        return {self.classes.of(a) for a in given if is_reference(a.type)}

    def definition(self, s: Def) -> Iterable[Stmt]:
        v, access = s.var, _access(s)
        if v is not None and access is not None:
            self.b.loc = s.loc
            value = self.forwarded(access, v)
            if value is not None:
                self.new[v] = value
                return
            self.views[v] = access
        elif v is not None and s.op in JOINS and self.is_constant(s, v):
            self.joins[v] = s
        yield s

    def is_constant(self, join: Def, v: Var) -> bool:
        """Whether a join has known lengths and behaves as a value."""
        if not self.is_value(v) or self.classes.of(v) in self.apart:
            return False
        same = all(a.type.dtype == v.type.dtype for a in join.args)
        return same and all(constant(atom_dims(a)) is not None for a in join.args)

    def is_value(self, a: Atom) -> bool:
        return not is_reference(a.type) or self.classes.is_pure(a)

    def part(self, access: _Access) -> _Access | None:
        """The access to a part of a join that reads the same; None if it reads none or several."""
        read: _Access | None = access
        found = None
        while read is not None:
            if read.array in self.joins:
                read = read.of_part(self.joins[read.array])
                found = read or found
            elif read.array in self.views:
                read = read.of_base(self.views[read.array])
            else:
                break
        return found if found is not None and self.is_value(found.array) else None

    def forwarded(self, access: _Access, v: Var) -> Atom | None:
        """The replacement of a load or a view, if it reads a part of a join."""
        read = self.part(access)
        if read is None:
            return None
        x = read.array
        if not isinstance(x.type, Array):
            return x if x.type == v.type else None
        if not isinstance(v.type, Array):
            return self.b.load(x, *read.places, name=v.name)
        codes, numbers = _view(read)
        if set(codes) == {":"}:
            return x if x.type.layout == "C" or v.type.layout == "S" else None
        if v.type.layout == "C":
            return None
        y = self.b.view(x, *numbers, spec=codes, name=v.name)
        self.views[y] = read
        return y


def _access(s: Def) -> _Access | None:
    """The access of a load or a view; None if not all its places and lengths are known."""
    if s.op is not memory.load and s.op is not memory.view:
        return None
    dims, given = constant(atom_dims(s.array)), s.args[1:]
    if dims is None or not all(isinstance(a, Const) for a in given):
        return None
    length, number = iter(dims), iter([int(a.value) for a in given if isinstance(a, Const)])
    places: list[Places] = []
    for code in s.params.get("spec", "i" * len(dims)):
        if code == "n":
            places.append(None)
            continue
        axis = range(next(length))
        if code == "i":
            places.append(next(number))
            if places[-1] not in axis:
                return None
        elif code == "s":
            start, count, step = next(number), next(number), next(number)
            places.append(axis[start : start + count * step : step] if step > 0 else range(0))
            if places[-1] != range(start, start + count * step, step):
                return None
        else:
            places.append(axis)
    return _Access(s.array, tuple(places))


def _view(access: _Access) -> tuple[tuple[str, ...], list[int]]:
    """The codes and numbers of the view with this access."""
    codes, numbers = list[str](), list[int]()
    dims = iter(atom_dims(access.array))
    for p in access.places:
        if p is None:
            codes.append("n")
        elif isinstance(p, int):
            codes.append("i")
            numbers.append(p)
            next(dims)
        elif len(p) == next(dims):
            codes.append(":")
        else:
            codes.append("s")
            numbers += [p.start, len(p), p.step]
    return tuple(codes), numbers
