"""Triangular systems, LU of a matrix whose rows are in order, and systems by factors made before.

`solve_triangular` reads one triangle of its matrix. `lu` holds L below the diagonal (its own is 1)
and U on and above it. `factored` holds the same for `solved`, with rows exchanged.
Formulae: M. Giles, "An extended collection of matrix derivative results" (2008); LU: M. Seeger
et al., "Auto-differentiating linear algebra" (2017).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.primitives.arrays import expand_dims, iota, matmul, matrix_transpose, matvec, shape
from srcgrad.primitives.elementwise import eq, ge
from srcgrad.primitives.libraries import linalg_of
from srcgrad.primitives.registry import custom, nondiff
from srcgrad.primitives.rules import select


def lower_part(x: Any, weight: float = 1.0) -> Any:
    """The lower triangle of `x`, its diagonal times `weight`."""
    n, m = shape(x)[-2:]
    i, j = expand_dims(iota(n), (1,)), expand_dims(iota(m), (0,))
    if weight == 1.0:
        return select(ge(i, j), x, 0.0)
    return select(ge(i, j), select(eq(i, j), x * weight, x), 0.0)


def outer(u: Any, v: Any) -> Any:
    """u v' for vectors, summed over columns for matrices."""
    if len(shape(u)) == 1:
        return expand_dims(u, (1,)) * expand_dims(v, (0,))
    return matmul(u, matrix_transpose(v))


def applied(a: Any, x: Any) -> Any:
    """a x for a vector or the columns of a matrix."""
    return matvec(a, x) if len(shape(x)) == 1 else matmul(a, x)


# ---- a x = b, of which one triangle of a is read ----
def _solve_triangular(a: Any, b: Any, lower: bool, transposed: bool, unit: bool) -> Any:
    return linalg_of(a, b).solve_triangular(
        a, b, trans=int(transposed), lower=lower, unit_diagonal=unit, check_finite=False
    )


def _triangle(x: Any, lower: bool, unit: bool) -> Any:
    """The triangle of `x` that is read."""
    weight = 0.0 if unit else 1.0
    if lower:
        return lower_part(x, weight)
    return matrix_transpose(lower_part(matrix_transpose(x), weight))


def _solve_triangular_jvp(
    ts: tuple[Any, ...], y: Any, a: Any, b: Any, lower: bool, transposed: bool, unit: bool
) -> Any:
    ta, tb = ts
    right = tb
    if ta is not None:
        t = _triangle(ta, lower, unit)
        moved = applied(matrix_transpose(t) if transposed else t, y)
        right = -moved if tb is None else tb - moved
    return solve_triangular(a, right, lower=lower, transposed=transposed, unit=unit)


def _solve_triangular_vjp(
    g: Any, y: Any, a: Any, b: Any, lower: bool, transposed: bool, unit: bool
) -> Any:
    back = solve_triangular(a, g, lower=lower, transposed=not transposed, unit=unit)
    return -_triangle(outer(y, back) if transposed else outer(back, y), lower, unit)


solve_triangular = custom(
    "solve_triangular",
    _solve_triangular,
    _solve_triangular_jvp,
    _solve_triangular_vjp,
    lambda g, y, a, b, lower, transposed, unit: solve_triangular(
        a, g, lower=lower, transposed=not transposed, unit=unit
    ),
    typing=lambda build, a, b, lower, transposed, unit: (b.type.dtype, b.type.dims),
    raises=True,
    analytic=True,
    nonfinite=True,
)


# ---- LU without pivots, and the pivots ----
def _lu_pivots(a: Any) -> Any:
    """Row k was exchanged with row pivots[k], for k from 0 on: partial pivoting."""
    from scipy.linalg.lapack import get_lapack_funcs

    (getrf,) = get_lapack_funcs(("getrf",), (a,))
    return getrf(a)[1].astype(np.int64)


def _lu(a: Any) -> Any:
    out = np.copy(a)
    for k in range(len(out) - 1):
        if out[k, k] != 0:
            out[k + 1 :, k] /= out[k, k]
        out[k + 1 :, k + 1 :] -= np.outer(out[k + 1 :, k], out[k, k + 1 :])
    return out


def _upper_part(x: Any) -> Any:
    return matrix_transpose(lower_part(matrix_transpose(x)))


def _lu_jvp(ts: tuple[Any, ...], y: Any, a: Any) -> Any:
    left = solve_triangular(y, ts[0], lower=True, transposed=False, unit=True)
    turned = matrix_transpose(left)
    f = matrix_transpose(solve_triangular(y, turned, lower=False, transposed=True, unit=False))
    below = lower_part(f, 0.0)
    return below + matmul(lower_part(y, 0.0), below) + matmul(_upper_part(f), _upper_part(y))


def _lu_vjp(g: Any, y: Any, a: Any) -> Any:
    gl = lower_part(g, 0.0)
    below = lower_part(gl + matmul(matrix_transpose(lower_part(y, 0.0)), gl), 0.0)
    above = _upper_part(matmul(_upper_part(g), matrix_transpose(_upper_part(y))))
    left = solve_triangular(y, below + above, lower=True, transposed=True, unit=True)
    turned = matrix_transpose(left)
    return matrix_transpose(solve_triangular(y, turned, lower=False, transposed=False, unit=False))


lu = custom(
    "lu",
    _lu,
    _lu_jvp,
    _lu_vjp,
    typing=lambda b, a: (a.type.dtype, a.type.dims),
    analytic=True,
    nonfinite=True,
)
lu_pivots = nondiff(
    "lu_pivots", _lu_pivots, typing=lambda b, a: ("i64", (a.type.dims[0],)), decides=True
)


# ---- a x = b by the factors of a: the columns of LAPACK's LU as rows, and a row of its pivots ----
def _factored(a: Any) -> Any:
    from scipy.linalg.lapack import get_lapack_funcs

    n = len(a)
    out = np.zeros((n + 1, n), a.dtype)
    if n:
        (getrf,) = get_lapack_funcs(("getrf",), (a,))
        lu, out[n], info = getrf(a)
        if info:
            raise np.linalg.LinAlgError("Singular matrix")
        out[:n] = lu.T
    return out


def _solved(f: Any, b: Any, transposed: bool) -> Any:
    from scipy.linalg.lapack import get_lapack_funcs

    n = f.shape[1]
    if not b.size:
        return np.zeros_like(b)
    (getrs,) = get_lapack_funcs(("getrs",), (f, b))
    return getrs(f[:n].T, f[n].real.astype(np.int32), b, trans=int(transposed))[0]


def _solved_jvp(ts: tuple[Any, ...], y: Any, f: Any, a: Any, b: Any, transposed: bool) -> Any:
    _, ta, right = ts
    if ta is not None:
        moved = applied(matrix_transpose(ta) if transposed else ta, y)
        right = -moved if right is None else right - moved
    return solved(f, a, right, transposed=transposed)


def _solved_vjp(g: Any, y: Any, f: Any, a: Any, b: Any, transposed: bool) -> Any:
    back = solved(f, a, g, transposed=not transposed)
    return -(outer(y, back) if transposed else outer(back, y))


# used by `solved` alone, whose derivatives are those by the matrix
factored = nondiff(
    "factored",
    _factored,
    typing=lambda b, a: (a.type.dtype, b.dims((b.add(a.type.dims[0], 1), a.type.dims[0]))),
    raises=True,
    flat=True,
    analytic=True,
    nonfinite=True,
)
# of the factors, the matrix, whose elements it does not read, and b
solved = custom(
    "solved",
    lambda f, a, b, transposed: _solved(f, b, transposed),
    _solved_jvp,
    None,
    _solved_vjp,
    lambda g, y, f, a, b, transposed: solved(f, a, g, transposed=not transposed),
    typing=lambda build, f, a, b, transposed: (b.type.dtype, b.type.dims),
    analytic=True,
    nonfinite=True,
)
# the same once no derivative is taken any more
solved_by_factors = nondiff(
    "solved_by_factors",
    _solved,
    typing=lambda build, f, b, transposed: (b.type.dtype, b.type.dims),
    nonfinite=True,
)
