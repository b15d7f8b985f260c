"""The operands of a matrix function and of its derivatives.

The derivative of order k of a matrix function F, along k matrices, is a `Term`: it is symmetric in
them, the derivative along one more matrix is the term of order k + 1, and so is the adjoint of the
matrix. The derivative with respect to a parameter of f is the term of another f.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from srcgrad.autodiff.spectral.scalars import ScalarFunction
from srcgrad.autodiff.traced import Tracer
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Var
from srcgrad.ir.types import Scalar, real_dtype
from srcgrad.primitives.arrays import matrix_transpose
from srcgrad.records import record


@record(frozen=True, eq=False)
class Operands:
    """The operands of a term: the matrix, directions, other inputs of f; and its values.

    For a symmetric matrix `right` is its eigenvectors again.
    """

    matrix: Var
    along: tuple[Var, ...]
    others: tuple[Var, ...]
    values: Var
    left: Var
    right: Var

    def flat(self) -> list[Var]:
        return [self.matrix, *self.along, *self.others, self.values, self.left, self.right]

    def like(self, flat: Sequence[Var]) -> Operands:
        """The same with other variables."""
        k, n = 1 + len(self.along), 1 + len(self.along) + len(self.others)
        return Operands(flat[0], tuple(flat[1:k]), tuple(flat[k:n]), *flat[n:])


@record(frozen=True, eq=False)
class Term:
    """`ruled`: whether f has a derivative in each other operand; None: it has none, not even zero.

    `varied`: which of them differ between the values.
    """

    function: ScalarFunction
    symmetric: bool
    dtype: str
    ruled: tuple[bool | None, ...]
    varied: tuple[bool, ...]


def symmetric(b: Builder, term: Term, g: Any) -> Any:
    """The symmetric part of an adjoint."""
    x = Tracer(b, Scalar(real_dtype(term.dtype))).known(g)
    return ((x + matrix_transpose(x)) * 0.5).atom


def kind(term: Term) -> Scalar:
    return Scalar(term.dtype)


def cast(b: Builder, term: Term, x: Any) -> Any:
    return b.cast(x, kind(term))


def turned(b: Builder, x: Any) -> Any:
    n = x.type.ndim
    return b.transpose(x, perm=(*range(n - 2), n - 1, n - 2))


def real_part(b: Builder, g: Any, like: Var) -> Any:
    """An adjoint with the dtype of its primal."""
    if g.type.dtype[0] == "c" and like.type.dtype[0] != "c":
        g = b.real(g)
    return b.cast(g, Scalar(like.type.dtype))
