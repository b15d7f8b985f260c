"""Factors products of matrices: vectors of decompositions, scalings of their columns, others.

A chain lists the factors of a product from left to right. Never decides what a product means.
"""

from __future__ import annotations

from dataclasses import replace

from srcgrad.autodiff.spectral.decompositions import VALUES, Decompositions, Role, is_still, is_turn
from srcgrad.ir.nodes import Atom, Const, Def, Stmt, Var
from srcgrad.ir.types import Array, Scalar, float_type, same_dims
from srcgrad.primitives import arrays, elementwise, memory
from srcgrad.records import record

# the orientation of a vector that scales: alone, along the last axis of matrices, along the other
VECTOR, ROW, COLUMN = "vector", "row", "column"
MINUS = Const(-1.0, Scalar("f64", weak=True))


@record(frozen=True, eq=False)
class Vectors:
    role: Role


@record(frozen=True, eq=False)
class Scale:
    """A diagonal matrix, or a number; `over`: its inverse. It is read `at` a statement."""

    by: Atom
    lies: str
    at: Stmt
    over: bool = False


@record(frozen=True, eq=False)
class Other:
    matrix: Var
    turned: bool = False


Factor = Vectors | Scale | Other


class Chains:
    """The chains of a function's arrays, as the statement `at` reads them."""

    def __init__(self, found: Decompositions):
        self.found = found
        self.whole: set[Var] = set()  # products that stay one factor

    def product(self, d: Def) -> tuple[list[Factor], list[Factor]]:
        """The chains of the two operands of a product; a vector is a matrix of one column."""
        a, c = d.args
        right = self.column(c, d) if d.op is arrays.matvec else self.matrix(c, d)
        return self.matrix(a, d), right

    def matrix(self, v: Atom, at: Stmt) -> list[Factor]:
        assert isinstance(v, Var)
        role = self.found.role(v, at)
        if role is not None:
            return [Vectors(role)] if role.part != VALUES else [Other(v)]
        d = self.found.contents(v, at)
        made = None
        if d is not None and v not in self.whole and d.var not in self.whole:
            made = self._taken_apart(d, at if d.op.view else d)
        return [Other(v)] if made is None else made

    def _taken_apart(self, d: Def, at: Stmt) -> list[Factor] | None:
        match d.op:
            case memory.copy | elementwise.cast if float_type(d.args[0].type):
                return self.matrix(d.args[0], at)
            case memory.view if set(d.params["spec"]) == {":"}:
                return self.matrix(d.args[0], at)
            case memory.transpose if is_still(d):
                return self.matrix(d.args[0], at)
            case memory.transpose if is_turn(d):
                return _turned(self.matrix(d.args[0], at))
            case arrays.matmul:
                left, right = self.product(d)
                return [*left, *right]
            case elementwise.neg:
                return [Scale(MINUS, VECTOR, d), *self.matrix(d.args[0], at)]
            case elementwise.mul | elementwise.div:
                return self._scaled(d)
            case elementwise.where:
                return self._diagonal(d)
            case _:
                return None

    def _scaled(self, d: Def) -> list[Factor] | None:
        """A matrix times an operand that broadcasts along one of its axes, or along both."""
        x, y = d.args
        over = d.op is elementwise.div
        for matrix, by in ((x, y),) if over else ((x, y), (y, x)):
            lies = _along(by, d)
            if lies is None or not _is_whole(matrix, d):
                continue
            scale, inner = Scale(by, lies, d, over), self.matrix(matrix, d)
            if self._is_eye(matrix):
                return [scale]
            return [scale, *inner] if lies == COLUMN else [*inner, scale]
        return None

    def _diagonal(self, d: Def) -> list[Factor] | None:
        """np.diag: a column or a row where the indices are equal, else zeros."""
        c, x, zero = d.args
        lies = _along(x, d)
        nothing = isinstance(zero, Const) and zero.value == 0
        if not nothing or lies is None or not isinstance(c, Var) or not self._is_of_places(c):
            return None
        return [Scale(x, lies, d)]

    def _is_eye(self, v: Atom) -> bool:
        d = self.found.definition.get(v) if isinstance(v, Var) else None
        return d is not None and d.op is elementwise.cast and self._is_of_places(d.args[0])

    def _is_of_places(self, v: Atom) -> bool:
        """Whether a boolean matrix is true just where row and column index are equal."""
        d = self.found.definition.get(v) if isinstance(v, Var) else None
        if d is None or d.op is not elementwise.eq:
            return False
        specs = sorted([self._places(a) for a in d.args])
        return specs == [(":", "n"), ("n", ":")]

    def _places(self, v: Atom) -> tuple[str, ...]:
        """The axes along which all indices are counted."""
        of = self.found.definition
        d = of.get(v) if isinstance(v, Var) else None
        if d is None or d.op is not memory.view:
            return ()
        x = of.get(d.args[0])  # type: ignore[arg-type]  (an array)
        if x is not None and x.op is elementwise.add:
            one, other = x.args
            x = of.get(one) if isinstance(other, Const) and other.value == 0 else None  # type: ignore[arg-type]  (an array)
        return d.params["spec"] if x is not None and x.op is arrays.iota else ()

    def column(self, v: Atom, at: Stmt) -> list[Factor]:
        """A vector as a product with a vector at its end."""
        assert isinstance(v, Var)
        d = self.found.contents(v, at)
        if d is None or v in self.whole or d.var in self.whole:
            return [Other(v)]
        if d.op is arrays.matvec:
            left, right = self.product(d)
            return [*left, *right]
        if d.op in (memory.copy, elementwise.cast) and float_type(d.args[0].type):
            return self.column(d.args[0], d)
        if d.op in (elementwise.mul, elementwise.div):
            x, y = d.args
            over = d.op is elementwise.div
            for one, by in ((x, y),) if over else ((x, y), (y, x)):
                inner = self.column(one, d) if _is_whole(one, d) else []
                if len(inner) > 1:
                    return [Scale(by, VECTOR, d, over), *inner]
        return [Other(v)]


def _turned(chain: list[Factor]) -> list[Factor]:
    out: list[Factor] = []
    for f in reversed(chain):
        match f:
            case Vectors():
                out.append(Vectors(replace(f.role, turned=not f.role.turned)))
            case Scale():
                out.append(f)
            case Other():
                out.append(replace(f, turned=not f.turned))
    return out


def _is_whole(v: Atom, d: Def) -> bool:
    """Whether an operand is not broadcast."""
    if not isinstance(v.type, Array) or d.var is None:
        return False
    return same_dims(v.type.dims, d.var.type.dims)


def _along(v: Atom, d: Def) -> str | None:
    """The orientation of an operand that broadcasts to a matrix; None for a matrix."""
    if not isinstance(v.type, Array) or not v.type.dims:
        return VECTOR
    dims = v.type.dims
    if len(dims) == 1:
        return ROW if d.var is not None and d.var.type.ndim > 1 else None
    if isinstance(dims[-2], int) and dims[-2] == 1:
        return ROW
    return COLUMN if isinstance(dims[-1], int) and dims[-1] == 1 else None
