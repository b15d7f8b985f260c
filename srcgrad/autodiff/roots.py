"""Square roots of sums of squares, by the form of their formulas.

Where such a sum is 0 its gradient is 0, beside which the infinite slope of the root counts for
nothing: the root is a norm, whose derivative at 0 is defined as 0. Never looks at numbers.
"""

from __future__ import annotations

from collections.abc import Iterator

from srcgrad.autodiff.activity import Edges, followed
from srcgrad.autodiff.nonfinite import LowerBounds
from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import Atom, Const, Def, For, Function, If, Stmt, Var, While
from srcgrad.ir.types import Array, Scalar, atom_dims, is_complex, is_reference
from srcgrad.ir.walk import walk
from srcgrad.primitives import arrays, elementwise, memory, reductions

# such a sum if all operands, from the first that is counted on, are: a square has a derivative
OF_ALL = {
    **dict.fromkeys(
        (
            elementwise.add, elementwise.mul, elementwise.div, elementwise.cast,
            elementwise.maximum, elementwise.minimum, elementwise.larger, elementwise.smaller,
            reductions.sum, arrays.matmul, arrays.matvec, arrays.vecdot, arrays.pack,
            arrays.concatenate,
        ),
        (0, None),
    ),
    elementwise.where: (1, None),
    **dict.fromkeys(
        (
            memory.view, memory.copy, memory.transpose, memory.reshape, memory.load, memory.gather,
            memory.take_last, reductions.sum_to, reductions.broadcast_to, reductions.expand,
        ),
        (0, 1),
    ),
    **dict.fromkeys((memory.zeros, memory.empty, memory.dim), (0, 0)),
}  # fmt: skip
PRODUCTS = (elementwise.mul, arrays.vecdot)
STORES = (  # of their last operand
    memory.store, memory.add_at, memory.assign, memory.add_to, memory.scatter, memory.scatter_add,
)  # fmt: skip


def roots_of_squares(function: Function, classes: AliasClasses) -> frozenset[Var]:
    """The results of square roots, and of powers 0.5 to 1, whose base is a sum of squares."""
    statements = list(walk(function.body))
    found = [s for s in statements if isinstance(s, Def) and _is_root(s)]
    if not found:
        return frozenset()
    bounds, sums = LowerBounds(statements, classes), _Sums(function, statements, classes)
    return frozenset(
        s.var
        for s in found
        if s.var is not None and sums(s.args[0]) and not bounds.is_away_from_zero(s.args[0])
    )


def _is_root(s: Def) -> bool:
    if s.op is elementwise.pow:
        power = s.args[1]
        if not isinstance(power, Const) or is_complex(power.type.dtype):
            return False
        if not 0.5 <= power.value < 1.0:
            return False
    elif s.op is not elementwise.sqrt:
        return False
    return not is_complex(s.args[0].type.dtype)


def _is_at_least_0(a: Const) -> bool:
    return not is_complex(a.type.dtype) and bool(a.value >= 0)


class _Sums:
    """Whether a value is a sum of squares: all are, until one turns out not to be."""

    def __init__(self, function: Function, statements: list[Stmt], classes: AliasClasses):
        self.classes = classes
        self.definition = {s.var: s for s in statements if isinstance(s, Def)}
        self._edges: Edges = {}  # from values to those that are no sums unless these are
        others = {self._key(p) for p in function.params}
        for s in statements:
            others.update(self._key(v) for v in self._others(s))
        self.others = followed(others, self._edges)

    def __call__(self, a: Atom) -> bool:
        return _is_at_least_0(a) if isinstance(a, Const) else self._key(a) not in self.others

    def _key(self, v: Var) -> Var:
        return self.classes.of(v) if is_reference(v.type) else v

    def _others(self, s: Stmt) -> Iterator[Var]:
        """The values of a statement that are no sums whatever others are; notes its edges."""
        for v, sources in self._joins(s):
            if sources is None:
                yield v
                continue
            for a in sources:
                if isinstance(a, Var):
                    self._edges.setdefault(self._key(a), []).append(self._key(v))
                elif not _is_at_least_0(a):
                    yield v

    def _joins(self, s: Stmt) -> Iterator[tuple[Var, tuple[Atom, ...] | None]]:
        """The values that a statement makes or changes: sums if all of these are, none for None."""
        match s:
            case Def(var=None):
                if s.op.writes:
                    yield s.array, s.args[-1:] if s.op in STORES else None
            case Def(var=Var() as v):
                yield v, self._addends(s)
            case For() | While():
                if isinstance(s, For):
                    yield s.index, (s.start,)
                for p, init, new, r in zip(s.params, s.inits, s.yields, s.results, strict=True):
                    yield p, (init, new)
                    yield r, (p,)
            case If():
                for r, x, y in zip(s.results, s.then_yields, s.else_yields, strict=True):
                    yield r, (x, y)
            case _:
                pass

    def _addends(self, s: Def) -> tuple[Atom, ...] | None:
        """The operands that have to be sums for the result to be one; None if it is none."""
        assert s.var is not None
        if not isinstance(s.var.type, Scalar | Array) or is_complex(s.var.type.dtype):
            return None
        if s.var.type.dtype == "bool" or s.op is elementwise.exp:
            return ()
        if s.op in PRODUCTS and s.args[0] is s.args[1]:
            return ()
        if s.op is arrays.matmul and self._is_row_times_itself(*s.args):
            return ()
        if s.op is elementwise.powi:
            n = s.params["n"]
            return None if n <= 0 else () if n % 2 == 0 else s.args[:1]
        if s.op is elementwise.real:
            return () if self._is_magnitude(s.args[0]) else None
        if s.op not in OF_ALL:
            return None
        first, last = OF_ALL[s.op]
        return s.args[first:last]

    def _is_row_times_itself(self, row: Atom, column: Atom) -> bool:
        """Whether matrices of one row are multiplied by themselves, turned."""
        source, order = self._turned(row)
        other, turned = self._turned(column)
        swapped = [*order[:-2], order[-1], order[-2]]
        rows = atom_dims(row)[-2]
        return isinstance(rows, int) and rows == 1 and source is other and turned == swapped

    def _turned(self, a: Atom) -> tuple[Atom, list[int]]:
        """The array whose axes are in another order, and the order."""
        d = self.definition.get(a) if isinstance(a, Var) else None
        if d is not None and d.op is memory.transpose:
            return d.args[0], list(d.params["perm"])
        return a, list(range(len(atom_dims(a))))

    def _is_magnitude(self, z: Atom) -> bool:
        """Whether a complex number is one times its conjugate."""
        d = self.definition.get(z) if isinstance(z, Var) else None
        if d is None or d.op is not elementwise.mul:
            return False
        pairs = ((d.args[0], d.args[1]), (d.args[1], d.args[0]))
        return any(self._is_conjugate(a, b) for a, b in pairs)

    def _is_conjugate(self, a: Atom, b: Atom) -> bool:
        d = self.definition.get(a) if isinstance(a, Var) else None
        return d is not None and d.op is elementwise.conj and d.args[0] is b
