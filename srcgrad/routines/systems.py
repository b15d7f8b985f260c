"""Systems of equations, inverses, Cholesky factors, determinants, LU.

The routines of LAPACK are those of numpy.linalg and scipy.linalg, so that values are the same.
Small systems are solved by loops, whose values differ by rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.primitives import cholesky_factors, equations, linalg, triangular
from srcgrad.routines.external import Routine, blas, check, lapack, leave_if, room
from srcgrad.routines.matrices import (
    columns,
    conjugated,
    copy,
    fill,
    finite,
    identity,
    integers,
    lead,
    number,
    reals,
    row_sum,
    rows,
    turn,
    worked,
)
from srcgrad.routines.small_systems import SMALL, factorized, small_room, substituted


def solve(out: Any, a: Any, b: Any) -> None:
    n = a.shape[0]
    if n <= SMALL:
        lu, pivots = small_room(a)
        check(factorized(lu, pivots, n))
        copy(out, b)
        substituted(out, lu, pivots, n, False)
    else:
        factor, x = columns(a), columns(b)
        check(lapack("gesv", n, b.shape[1], factor, lead(n), integers(n), x, lead(n)))
        turn(out, x)


def factors(out: Any, a: Any) -> None:
    """The columns of LU as rows, and a row of the pivots."""
    n = a.shape[0]
    for j in range(n):
        for i in range(n):
            out[j, i] = a[i, j]
    if n <= SMALL:
        few = integers(SMALL)
        check(factorized(out, few, n))
        store_pivots(out, few, n)
    else:
        pivots = integers(n)
        check(lapack("getrf", n, n, out, lead(n), pivots))
        store_pivots(out, pivots, n)


def store_pivots(out: Any, pivots: Any, n: Any) -> None:
    for k in range(n):
        out[n, k] = pivots[0, k] - 1


def read_pivots(pivots: Any, f: Any, n: Any) -> None:
    for k in range(n):
        pivots[0, k] = int(f[n, k].real) + 1


def solve_by_factors(out: Any, f: Any, b: Any, transposed: bool) -> None:
    n = f.shape[1]
    if n <= SMALL:
        few = integers(SMALL)
        read_pivots(few, f, n)
        copy(out, b)
        substituted(out, f, few, n, transposed)
    else:
        pivots, x = integers(n), columns(b)
        read_pivots(pivots, f, n)
        how = "T" if transposed else "N"
        lapack("getrs", how, n, b.shape[1], f, lead(n), pivots, x, lead(n))
        turn(out, x)


def inv(out: Any, a: Any) -> None:
    """The inverse as in NumPy: by the equations for the columns of the identity."""
    n = a.shape[0]
    if n <= SMALL:
        lu, pivots = small_room(a)
        check(factorized(lu, pivots, n))
        identity(out)
        substituted(out, lu, pivots, n, False)
    else:
        factor, x = columns(a), room(n, n, a.dtype)
        identity(x)
        check(lapack("gesv", n, n, factor, lead(n), integers(n), x, lead(n)))
        turn(out, x)


def cholesky(out: Any, a: Any) -> None:
    n = a.shape[0]
    factor = columns(a)
    check(lapack("potrf", "L", n, factor, lead(n)))
    for i in range(n):
        for j in range(i + 1):
            out[i, j] = factor[j, i]
        for j in range(i + 1, n):
            out[i, j] = 0


BLOCK = 16  # columns whose adjoints are computed by loops


def cholesky_adjoint(out: Any, y: Any, g: Any) -> None:
    """Of the matrix, in place of that of the factor: a block of columns after the other."""
    n = y.shape[0]
    y = rows(y)
    for i in range(n):
        for j in range(i + 1):
            out[i, j] = g[i, j]
    one, minus = number(1, y), number(-1, y)
    square = room(BLOCK, BLOCK, y.dtype)
    last = (n - 1) // BLOCK * BLOCK
    for j in range(last, -1, -BLOCK):
        k = min(j + BLOCK, n)
        # the columns, of diagonal d and c below it; r and b are left of them
        d, c, r, b = y[j:, j:], y[k:, j:], y[j:, :], y[k:, :]
        d_bar, c_bar, r_bar, b_bar = out[j:, j:], out[k:, j:], out[j:, :], out[k:, :]
        width, below = k - j, n - k
        if below > 0:
            blas("trsm", "L", "U", "N", "N", width, below, one, d, n, c_bar, n)
            blas("gemm", "N", "N", j, below, width, minus, r, n, c_bar, n, one, b_bar, n)
            blas("gemm", "N", "C", width, width, below, minus, c, n, c_bar, n, one, d_bar, n)
        diagonal_adjoint(d_bar, d, width)
        for p in range(width):
            for q in range(p + 1):
                square[p, q] = out[j + p, j + q]
                square[q, p] = np.conj(out[j + p, j + q])
            square[p, p] = 2 * out[j + p, j + p]
        if below > 0:
            blas("gemm", "N", "C", j, width, below, minus, b, n, c_bar, n, one, r_bar, n)
        blas("gemm", "N", "N", j, width, width, minus, r, n, square, BLOCK, one, r_bar, n)
    for i in range(n):
        for j in range(i + 1, n):
            out[i, j] = 0


def diagonal_adjoint(to: Any, y: Any, n: Any) -> None:
    """The same for the first rows and columns, a column after the other."""
    for i in range(n - 1, -1, -1):
        total = to[i, i].real
        for r in range(i + 1, n):
            v = to[r, i] / y[i, i].real
            to[r, i] = v
            total = total - (np.conj(v) * y[r, i]).real
        total = total / y[i, i].real
        to[i, i] = total / 2
        for q in range(i):
            to[i, q] = to[i, q] - total * y[i, q]
        for r in range(i + 1, n):
            v = to[r, i]
            for q in range(i):
                to[i, q] = to[i, q] - np.conj(v) * y[r, q]
                to[r, q] = to[r, q] - v * y[i, q]


def definite(out: Any, a: Any) -> None:
    n = a.shape[0]
    info = lapack("potrf", "L", n, columns(a), lead(n))
    out[0, 0] = np.where(info == 0, 1, 0)


# ---- determinants ----
def factored(a: Any) -> Any:
    """The columns of LU, the pivots counted from 1, and whether a pivot is zero."""
    n = a.shape[0]
    lu, pivots = columns(a), integers(n)
    info = lapack("getrf", n, n, lu, lead(n), pivots)
    return lu, pivots, info != 0


def determinant(a: Any) -> Any:
    """The determinant's sign, of magnitude 1, and log |det a|."""
    n = a.shape[0]
    if n <= SMALL:
        small, few = small_room(a)
        sign, log = factored_determinant(small, few, factorized(small, few, n) != 0, n)
    else:
        lu, pivots, no_pivot = factored(a)
        sign, log = factored_determinant(lu, pivots, no_pivot, n)
    return sign, log


def factored_determinant(lu: Any, pivots: Any, no_pivot: Any, n: Any) -> Any:
    sign, log = lu.dtype.type(1), lu.real.dtype.type(0)
    for k in range(n):
        sign = np.where(pivots[0, k] != k + 1, -sign, sign) * direction(lu[k, k])
        log = log + np.log(np.abs(lu[k, k]))
    return np.where(no_pivot, 0, sign), np.where(no_pivot, -np.inf, log)


def direction(x: Any) -> Any:
    """A number over its magnitude."""
    return x / np.abs(x) if np.iscomplexobj(x) else np.where(x < 0, -1, 1)


def determinant_itself(a: Any) -> Any:
    sign, log = determinant(a)
    return sign * np.exp(log)


def det(out: Any, a: Any) -> None:
    out[0, 0] = determinant_itself(a)


def cofactors_by_inverse(out: Any, a: Any) -> Any:
    """Stores the determinant times the transposed inverse; whether this is accurate.

    The relative error is the condition number times the unit of rounding, at most the latter to
    the power 3/4.
    """
    n = a.shape[0]
    if n <= SMALL:
        small, few = small_room(a)
        sign, log = factored_determinant(small, few, factorized(small, few, n) != 0, n)
        inverse = room(SMALL, SMALL, a.dtype)[:n, :n]
        identity(inverse)
        substituted(inverse, small, few, n, False)
        accurate = scaled_inverse(out, a, inverse, sign * np.exp(log))
    else:
        lu, pivots, no_pivot = factored(a)
        sign, log = factored_determinant(lu, pivots, no_pivot, n)
        x = room(n, n, a.dtype)
        identity(x)
        lapack("getrs", "T", n, n, lu, lead(n), pivots, x, lead(n))
        accurate = scaled_inverse(out, a, x, sign * np.exp(log))
    return accurate


def scaled_inverse(out: Any, a: Any, x: Any, scale: Any) -> Any:
    """Stores the transpose of an inverse, scaled; whether it is accurate."""
    n = a.shape[0]
    for i in range(n):
        for j in range(n):
            out[i, j] = scale * x[j, i]
    regular = finite(out) & (scale != 0)
    return regular & (row_sum(a) * row_sum(x) <= np.finfo(a.dtype).eps ** -0.25)


def logabsdet(out: Any, a: Any) -> None:
    out[0, 0] = determinant(a)[1]


def detsign(out: Any, a: Any) -> None:
    out[0, 0] = determinant(a)[0]


# ---- LU: the caller exchanges rows ----
def lu_pivots(out: Any, a: Any) -> None:
    pivots = factored(a)[1]
    for k in range(a.shape[0]):
        out[k, 0] = pivots[0, k] - 1


def lu(out: Any, a: Any) -> None:
    """LU without pivots: the factors replace the zeros; a zero pivot stays."""
    n = a.shape[0]
    copy(out, a)
    for k in range(n):
        over = np.where(out[k, k] == 0, 1, out[k, k])
        for i in range(k + 1, n):
            factor = out[i, k] / over
            out[i, k] = factor
            for j in range(k + 1, n):
                out[i, j] = out[i, j] - factor * out[k, j]


def solve_triangular(out: Any, a: Any, b: Any, lower: bool, transposed: bool, unit: bool) -> None:
    n = a.shape[0]
    factor, x = columns(a), columns(b)
    how = ("L" if lower else "U", "T" if transposed else "N", "U" if unit else "N")
    info = lapack("trtrs", *how, n, b.shape[1], factor, lead(n), x, lead(n))
    check(info)
    turn(out, x)


# ---- a x + x b = q ----
def sylvester(out: Any, a: Any, b: Any, q: Any) -> None:
    """Solves by Schur factors a = u r u' and b = w s w': r y + y s = u' q w for y = u' x w."""
    m, n = a.shape[0], b.shape[0]
    fill(out, np.nan)
    leave_if(not (finite(a) & finite(b)), 0)
    r, u = schur(a)
    s, w = schur(b)
    # of columns
    y = w @ (q.T @ conjugated(u).T)
    scale = reals(1, a)
    info = lapack("trsyl", "N", "N", 1, m, n, r, lead(m), s, lead(n), y, lead(m), scale)
    # LAPACK perturbs or scales equations without a solution of moderate size
    check(info)
    leave_if(scale[0, 0] != 1, 1)
    copy(out, u.T @ (y.T @ conjugated(w)))


def schur(a: Any) -> Any:
    """The columns of the Schur form, of a real matrix the real one, and those of its vectors."""
    n = a.shape[0]
    form, vectors, values = columns(a), room(n, n, a.dtype), room(1, n, a.dtype)
    if np.iscomplexobj(a):
        info = worked("gees", a, "V", "N", None, n, form, lead(n), integers(1), values, vectors,
                      lead(n), then=(reals(n, a), integers(n)))  # fmt: skip
    else:
        info = worked("gees", a, "V", "N", None, n, form, lead(n), integers(1), values,
                      reals(n, a), vectors, lead(n), then=(integers(n),))  # fmt: skip
    check(info)
    return form, vectors


def _triangular(info: int) -> str:
    return f"singular matrix: resolution failed at diagonal {info - 1}"


ROUTINES = {
    linalg.solve: Routine(solve, "Singular matrix"),
    linalg.inv: Routine(inv, "Singular matrix"),
    cholesky_factors.cholesky: Routine(cholesky, "Matrix is not positive definite"),
    cholesky_factors.cholesky_adjoint: Routine(cholesky_adjoint),
    linalg.definite: Routine(definite),
    linalg.det: Routine(det),
    linalg.logabsdet: Routine(logabsdet),
    linalg.detsign: Routine(detsign),
    triangular.solve_triangular: Routine(solve_triangular, _triangular),
    triangular.factored: Routine(factors, "Singular matrix"),
    triangular.solved_by_factors: Routine(solve_by_factors),
    triangular.lu: Routine(lu),
    triangular.lu_pivots: Routine(lu_pivots),
    equations.sylvester: Routine(sylvester, equations.COMMON),
}
