"""Parts of the rules of decompositions: diagonals, quotients by differences, unknowns."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.primitives.arrays import concatenate, expand_dims, iota, matmul, matrix_transpose
from srcgrad.primitives.arrays import shape as shape_of
from srcgrad.primitives.elementwise import abs as absolute
from srcgrad.primitives.elementwise import (
    conj,
    eq,
    gt,
    imag,
    is_complex,
    logical_and,
    logical_not,
    ne,
    real,
    undetermined,
)
from srcgrad.primitives.reductions import broadcast_to, sum
from srcgrad.primitives.registry import nondiff
from srcgrad.primitives.rules import select

NAN = float("nan")


def _coincide(a: Any, b: Any) -> Any:
    largest = max(np.max(np.abs(a), initial=0.0), np.max(np.abs(b), initial=0.0))
    return np.abs(a[:, None] - b) <= max(a.size, b.size) * np.finfo(a.dtype).eps * largest


# which values of two vectors are equal up to rounding
coincide = nondiff(
    "coincide",
    _coincide,
    typing=lambda b, u, v: ("bool", (u.type.dims[0], v.type.dims[0])),
    decides=True,
)


# ---- parts of the rules ----
def eye(n: Any) -> Any:
    return eq(expand_dims(iota(n), (1,)), expand_dims(iota(n), (0,)))


def diagonal_of(x: Any) -> Any:
    return sum(select(eye(shape_of(x)[0]), x, 0.0), axes=(0,))


def row(x: Any) -> Any:
    return expand_dims(x, (0,))


def column(x: Any) -> Any:
    return expand_dims(x, (1,))


def conjugate(x: Any) -> Any:
    return conj(x) if is_complex(x) else x


def real_part(x: Any) -> Any:
    return real(x) if is_complex(x) else x


def adjoint(x: Any) -> Any:
    """The conjugate transpose."""
    return conjugate(matrix_transpose(x))


def turned(x: Any, y: Any) -> Any:
    """x'y, by the conjugate transpose."""
    return matmul(adjoint(x), y)


def moved_by_phase(x: Any, g: Any, m: Any) -> Any:
    """Where a loss depends on the phase of a complex vector, a column of x, which is arbitrary.

    `g` is its adjoint and `m` the products of both: of a loss that does not, they are real on the
    diagonal up to rounding, for which half of the digits are left.
    """
    turn = absolute(imag(diagonal_of(m)))
    size = sum(absolute(x) * absolute(g), axes=(0,))
    return gt(turn, size * float(np.sqrt(np.finfo(turn.dtype).eps)))


def quotient(x: Any, d: Any, same: Any, evidence: Any) -> tuple[Any, Any]:
    """x / d, 0 where values coincide; and where that is unknown although something needs it."""
    return select(same, 0.0, x / select(same, 1.0, d)), logical_and(same, ne(evidence, 0.0))


def over_gaps(x: Any, w: Any, evidence: Any) -> tuple[Any, Any]:
    """x_ij / (w_j - w_i), 0 where these values coincide; and where that is unknown but needed."""
    return quotient(x, row(w) - column(w), coincide(w, w), evidence)


def nan_where(made: Any, unknown: Any) -> Any:
    """NaN where an unknown contributes."""
    return select(undetermined(gt(unknown, 0.0)), NAN, made)


def marked(unknown: Any) -> Any:
    return real_part(select(unknown, 1.0, 0.0).value())


def off_diagonal(x: Any) -> Any:
    return select(eye(shape_of(x)[0]), 0.0, x)


def beside_diagonal(unknown: Any) -> Any:
    return logical_and(unknown, logical_not(eye(shape_of(unknown)[0])))


def unknown_beside(unknown: Any) -> Any:
    """Where an element beside the diagonal is unknown."""
    return undetermined(beside_diagonal(unknown))


def both(x: Any) -> Any:
    """The magnitudes of x_ij and x_ji together: zero where both are."""
    size = absolute(x)
    return size + matrix_transpose(size)


# ---- a basis of all columns ----
def filled(x: Any, n: Any) -> Any:
    """The matrix with columns of zeros up to n."""
    rows, columns = shape_of(x)
    zeros = broadcast_to(sum(x * 0.0, axes=(0, 1)), rows, n - columns)
    return concatenate(x, zeros, axis=1)


def by_rest(x: Any, g: Any, u: Any) -> tuple[Any, Any]:
    """The adjoint that u receives by the rest x of its basis, whose own is `g`.

    x may turn within its columns, which is not determined: a loss that depends on it is marked.
    """
    back = conjugate(x)
    m = turned(back, g)
    turn = absolute(m - adjoint(m))
    size = matmul(matrix_transpose(absolute(x)), absolute(g))
    limit = float(np.sqrt(np.finfo(turn.dtype).eps))
    unknown = gt(turn, (size + matrix_transpose(size)) * limit)
    made = -matmul(back, matmul(adjoint(g), conjugate(u)))
    return made, sum(marked(unknown), axes=(0, 1))
