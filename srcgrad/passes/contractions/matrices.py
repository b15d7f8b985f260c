"""Writes a contraction as a product of matrices.

An operand that is an array, each of its axes walked by one index, is a view of it. Any other one is
computed into a buffer, over the indices that it depends on: of a convolution these are its windows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Const, For, Var, altered
from srcgrad.ir.types import INT, Array
from srcgrad.ir.walk import defined, map_type, replaced_by
from srcgrad.passes.contractions.nests import Contraction, Nest
from srcgrad.passes.contractions.terms import Operand
from srcgrad.passes.places import Poly, constant, evaluated, linear, plus, times, variables
from srcgrad.primitives import memory
from srcgrad.records import record

Loops = Sequence[For]


def trips(b: Builder, s: For) -> Atom:
    return s.stop if _is_zero(s.start) else b.sub(s.stop, s.start)


def size(b: Builder, loops: Loops) -> Atom:
    """The number of trips of loops around one another."""
    return reduce(lambda x, y: b.mul(x, y), (trips(b, s) for s in loops))


def place_of(i: Atom, s: For, b: Builder) -> Atom:
    """The number of a trip, counted upwards."""
    return i if _is_zero(s.start) else b.sub(i, s.start)


def _is_zero(a: Atom) -> bool:
    return isinstance(a, Const) and a.value == 0


# ---- elements that are walked by indices ----
@record(frozen=True)
class Walk:
    """A view of an array in which each axis is one index's, in `axes`."""

    array: Var
    codes: tuple[tuple[Poly, int] | Poly, ...]  # (first place, step) of an index, or a fixed place
    axes: tuple[For, ...]

    @staticmethod
    def of(nest: Nest, x: Var, at: Sequence[Atom], loops: Loops) -> Walk | None:
        """The view for an element at a place; None if there is none."""
        root, place = nest.places.place(x, tuple(nest.places.poly(a) for a in at))
        if root in nest.inside or not isinstance(root.type, Array):
            return None
        by_index = {s.index: s for s in loops}
        codes: list[tuple[Poly, int] | Poly] = []
        axes: list[For] = []
        for coordinate in place:
            p = None if coordinate is None else nest.poly(coordinate)
            if p is None:
                return None
            moving = variables(p) & nest.inside
            if not moving:
                codes.append(p)
                continue
            if len(moving) > 1 or not moving <= by_index.keys():
                return None
            s = by_index[moving.pop()]
            parts = linear(p, s.index)
            if parts is None or set(parts[0]) != {()} or s in axes:
                return None
            step = parts[0][()]
            first = plus(parts[1], times(constant(step), nest.places.poly(s.start)))
            codes.append((first, step))
            axes.append(s)
        return Walk(root, tuple(codes), tuple(axes)) if len(axes) == len(by_index) else None

    def view(self, b: Builder) -> Any:
        spec: list[str] = []
        atoms: list[Atom] = []
        axes = iter(self.axes)
        assert isinstance(self.array.type, Array)
        for code, n in zip(self.codes, self.array.type.dims, strict=True):
            if isinstance(code, dict):
                spec.append("i")
                atoms.append(evaluated(b, code))
                continue
            (first, step), s = code, next(axes)
            many = trips(b, s)
            if not first and step == 1 and b.dim(many) is n:
                spec.append(":")
            else:
                spec.append("s")
                atoms += [evaluated(b, first), many, Const(step, INT)]
        if set(spec) == {":"}:
            return self.array
        return b.view(self.array, *atoms, spec=tuple(spec))


# ---- the product ----
class Product:
    """The statements that compute the product of a contraction."""

    def __init__(self, found: Contraction, b: Builder):
        self.found, self.b, self.nest = found, b, found.nest
        x, y = found.term.operands
        self.walks = {v: walk_of(found.nest, v, found.over) for v in (x, y)}
        self.rows = self.in_order(found.rows, x)
        self.columns = self.in_order(found.columns, y)
        self.summed = self.in_order(found.summed, x if self.walks[x] else y)

    def in_order(self, loops: Loops, x: Operand) -> Loops:
        """Loops in the order of the axes that they walk."""
        walk = self.walks[x]
        return loops if walk is None else [s for s in walk.axes if s in loops]

    def made(self) -> tuple[Any, Loops]:
        """The sums, and the loops that their axes walk."""
        f, b = self.found, self.b
        x, y = f.term.operands
        out = b.matmul(
            self.matrix(x, self.rows, self.summed), self.matrix(y, self.summed, self.columns)
        )
        over = (*self.rows, *self.columns)
        if len(over) > 2:
            out = b.reshape(out, *(trips(b, s) for s in over))
        for number in f.term.numbers:
            out = b.mul(out, self.values((number,), {})[0])
        return b.neg(out) if f.term.negative else out, over

    def matrix(self, x: Operand, down: Loops, across: Loops) -> Any:
        """An operand as a matrix, which BLAS takes in either order."""
        b, walk = self.b, self.walks[x]
        if walk is None:
            return self.computed(x, down, across)
        first, second = (down, across) if walk.axes[0] in down else (across, down)
        v = turned(b, walk.view(b), walk.axes, (*first, *second))
        if len(walk.axes) > 2:
            v = v if v.type.layout == "C" else b.copy(v)
            v = b.reshape(v, size(b, first), size(b, second))
        return v if first is down else b.transpose(v, perm=(1, 0))

    def computed(self, x: Operand, down: Loops, across: Loops) -> Any:
        """A buffer with the values of an operand."""
        b = self.b
        inner, outer = (down, across) if across is self.summed else (across, down)
        first, second = (outer, inner) if self.runs(x, inner) else (inner, outer)
        order = (*first, *second)
        buffer = b.empty(
            *(trips(b, s) for s in order), dtype=x.factors[0].type.dtype, name="values"
        )

        def body(index: dict[Var, Atom]) -> None:
            value = reduce(b.mul, self.values(x.factors, index))
            b.store(buffer, *(place_of(index[s.index], s, b) for s in order), value)

        nested(b, order, body, {})
        made = b.reshape(buffer, size(b, first), size(b, second))
        return made if first is down else b.transpose(made, perm=(1, 0))

    def values(
        self, wanted: Sequence[Atom], index: dict[Var, Atom], made_in: Loops = ()
    ) -> list[Atom]:
        """Copies of values, at other indices; of all, or of what some loops make."""
        new = dict(index)
        f = replaced_by(new)
        copied = defined(tuple(made_in))
        for d in self.nest.values.needed(wanted):
            assert d.var is not None
            if made_in and d.var not in copied:
                continue
            args = tuple(map(f, d.args))
            if d.op is memory.index:  # which is checked ahead
                new[d.var] = args[0]
                continue
            new[d.var] = v = Var(d.var.name, map_type(d.var.type, f))
            self.b.append(altered(d, var=v, args=args))
        return [f(a) for a in wanted]

    def runs(self, x: Operand, loops: Loops) -> bool:
        """Whether these loops walk along the last axis of what is read."""
        loads = [d for d in self.nest.values.needed(x.factors) if d.op is memory.load]
        last = {v for d in loads for v in self.nest.values.over(d.args[-1]) or ()}
        own = {s.index for s in loops}
        return bool(last & own) or not last


def walk_of(nest: Nest, x: Operand, loops: Loops) -> Walk | None:
    """The view that an operand is; None if it has to be computed."""
    d = nest.values.made.get(x.factors[0]) if len(x.factors) == 1 else None  # type: ignore[arg-type]  (a constant has no definition)
    if d is None or d.op is not memory.load:
        return None
    return Walk.of(nest, d.array, d.args[1:], [s for s in loops if s.index in x.over])


def nested(
    b: Builder, loops: Loops, body: Callable[[dict[Var, Atom]], None], index: dict[Var, Atom]
) -> None:
    """Loops around one another, with fresh indices, and what `body` writes for these."""
    if not loops:
        body(index)
        return
    s, *rest = loops
    i = Var(s.index.name, INT)
    with b.block() as out:
        nested(b, rest, body, {**index, s.index: i})
    b.append(For(i, s.start, s.stop, (), (), tuple(out), (), (), loc=s.loc))


def turned(b: Builder, x: Any, axes: Loops, order: Loops) -> Any:
    """An array with its axes in another order."""
    perm = tuple(axes.index(s) for s in order)
    return x if perm == tuple(sorted(perm)) else b.transpose(x, perm=perm)
