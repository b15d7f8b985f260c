"""Eigenvalues and QR: each result is one matrix, its factors stacked.

`eigh` and `eig` are [w; V] and `qr` is [Q; R'], all with one column per value.
Formulae: M. Giles, "An extended collection of matrix derivative results" (2008); S. Walter and L.
Lehmann, "Algorithmic differentiation of linear algebra functions" (2010); of complex QR, D. Roberts
and L. Roberts, "QR and LQ decomposition matrix backpropagation algorithms for square, wide, and
deep matrices" (2020), with the real diagonal of R that LAPACK gives.

Vectors of values that are equal up to rounding are not determined: they are differentiated as
constants where their adjoint is zero; where it is not, the elements of the derivative that depend
on it are NaN. Losses of the values alone have their gradient, if they are symmetric in the equal
ones; so have functions of the matrix, which `autodiff.spectral` finds. QR of a matrix without full
rank has derivative NaN.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.primitives.arrays import concatenate, matmul, matrix_transpose
from srcgrad.primitives.arrays import shape as shape_of
from srcgrad.primitives.cholesky_factors import from_lower
from srcgrad.primitives.elementwise import abs as absolute
from srcgrad.primitives.elementwise import (
    is_complex,
    logical_and,
    logical_or,
)
from srcgrad.primitives.factorisation_parts import (
    NAN,
    adjoint,
    beside_diagonal,
    both,
    by_rest,
    coincide,
    conjugate,
    diagonal_of,
    eye,
    filled,
    marked,
    moved_by_phase,
    nan_where,
    off_diagonal,
    over_gaps,
    real_part,
    row,
    turned,
    unknown_beside,
)
from srcgrad.primitives.linalg import solve
from srcgrad.primitives.memory import view
from srcgrad.primitives.reductions import any, broadcast_to, sum
from srcgrad.primitives.registry import custom
from srcgrad.primitives.rules import select
from srcgrad.primitives.spectral import between
from srcgrad.primitives.triangular import lower_part, solve_triangular


# ---- eigenvalues and eigenvectors of symmetric matrices, of which one triangle is read ----
def _eigh(a: Any, lower: bool) -> Any:
    w, v = np.linalg.eigh(a, "L" if lower else "U")
    return np.concatenate((w[None], v))


def _eigh_parts(y: Any) -> tuple[Any, Any]:
    return view(y, 0, spec=("i", ":")), view(y, 1, shape_of(y)[1], 1, spec=("s", ":"))


def stated(t: Any, lower: bool) -> Any:
    """The symmetric or Hermitian tangent that one triangle represents."""
    return from_lower(t if lower else adjoint(t))


def _eigh_jvp(ts: tuple[Any, ...], y: Any, a: Any, lower: bool) -> Any:
    w, v = _eigh_parts(y)
    w = real_part(w)
    p = turned(v, matmul(stated(ts[0], lower), v))
    off, unknown = over_gaps(p, w, p)
    lost = matmul(absolute(v), marked(beside_diagonal(unknown)))
    moved = nan_where(matmul(v, off_diagonal(off)), lost)
    return concatenate(row(diagonal_of(p)), moved, axis=0)


def _eigh_vjp(g: Any, y: Any, a: Any, lower: bool) -> Any:
    w, v = _eigh_parts(y)
    gw, gv = _eigh_parts(g)
    w, back = real_part(w), conjugate(v)
    m = turned(back, gv)
    skew = (m - adjoint(m)) * 0.5
    off, unknown = over_gaps(skew, w, both(m))
    diagonal = eye(shape_of(m)[0])
    inner = select(diagonal, row(real_part(gw)), off)
    beside = beside_diagonal(unknown)
    if is_complex(v):
        beside = logical_or(beside, logical_and(diagonal, row(moved_by_phase(v, gv, m))))
    s = between(back, inner, beside, v)
    # the adjoint of the other triangle goes to the one that is read
    low = lower_part(s + adjoint(s), 0.5)
    return low if lower else adjoint(low)


eigh = custom(
    "eigh",
    _eigh,
    _eigh_jvp,
    _eigh_vjp,
    typing=lambda b, a, lower: (a.type.dtype, (b.total([1, a.type.dims[0]]), a.type.dims[0])),
    raises=True,
    analytic=True,
)


# ---- eigenvalues and eigenvectors of any matrix, complex ----
def _eig(a: Any, real: bool) -> Any:
    """With `real` NumPy's results for the real part of a complex matrix."""
    w, v = np.linalg.eig(a.real if real else a)
    return np.concatenate((w[None], v)).astype(a.dtype)


def _eig_jvp(ts: tuple[Any, ...], y: Any, a: Any, real: bool) -> Any:
    """Each vector moves along the others only; whoever normalises them adds the rest."""
    w, v = _eigh_parts(y)
    p = solve(v, matmul(ts[0], v))
    off, unknown = over_gaps(p, w, p)
    moved = select(unknown_beside(unknown), NAN, off_diagonal(off))
    return concatenate(row(diagonal_of(p)), matmul(v, moved), axis=0)


def _eig_vjp(g: Any, y: Any, a: Any, real: bool) -> Any:
    w, v = _eigh_parts(y)
    gw, gv = _eigh_parts(g)
    m = matmul(matrix_transpose(v), gv)
    off, unknown = over_gaps(m, w, m)
    inner = select(unknown_beside(unknown), NAN, select(eye(shape_of(m)[0]), row(gw), off))
    back = matrix_transpose(v)
    return solve(back, matmul(inner, back))


eig = custom(
    "eig",
    _eig,
    _eig_jvp,
    _eig_vjp,
    typing=lambda b, a, real: (a.type.dtype, (b.total([1, a.type.dims[0]]), a.type.dims[0])),
    raises=True,
    analytic=True,
)


# ---- QR of a matrix with at least as many rows as columns ----
def _qr(a: Any) -> Any:
    q, r = np.linalg.qr(a)
    return np.concatenate((q, r.T))


def _qr_parts(y: Any, a: Any) -> tuple[Any, Any]:
    m, n = shape_of(a)
    return view(y, 0, m, 1, spec=("s", ":")), view(y, m, n, 1, spec=("s", ":"))


def _regular(low: Any) -> tuple[Any, Any]:
    """R' with 1 for diagonal elements that are 0 up to rounding, and whether there were any."""
    d = diagonal_of(low)
    none = coincide(d, broadcast_to(sum(d, axes=(0,)) * 0.0, 1))
    return select(eye(shape_of(low)[0]), select(none, 1.0, low), low), any(none, axes=(0, 1))


def _over_r(x: Any, low: Any) -> Any:
    """x R^-1, by R'"""
    solved = solve_triangular(low, matrix_transpose(x), lower=True, transposed=False, unit=False)
    return matrix_transpose(solved)


def _over_low(x: Any, low: Any) -> Any:
    """x R^-T, by R'"""
    solved = solve_triangular(low, matrix_transpose(x), lower=True, transposed=True, unit=False)
    return matrix_transpose(solved)


def _qr_moved(t: Any, q: Any, low: Any) -> tuple[Any, Any]:
    """The tangents of Q and R', by that of the matrix."""
    d = _over_r(t, low)
    c = turned(q, d)
    below = lower_part(c, 0.0)
    turn = below - adjoint(below)
    if is_complex(c):
        turn = select(eye(shape_of(c)[0]), (c - conjugate(c)) * 0.5, turn)
    return d + matmul(q, turn - c), matmul(low, matrix_transpose(c - turn))


def _qr_adjoint(gq: Any, glow: Any, q: Any, low: Any) -> Any:
    m = matmul(matrix_transpose(low), lower_part(glow)) - matmul(matrix_transpose(gq), q)
    half = lower_part(m, 0.5)
    inner = matrix_transpose(half) + conjugate(half)
    return _over_low(gq + matmul(conjugate(q), inner), low)


def _qr_jvp(ts: tuple[Any, ...], y: Any, a: Any) -> Any:
    q, low = _qr_parts(y, a)
    low, lost = _regular(low)
    return select(lost, NAN, concatenate(*_qr_moved(ts[0], q, low), axis=0))


def _qr_vjp(g: Any, y: Any, a: Any) -> Any:
    q, low = _qr_parts(y, a)
    low, lost = _regular(low)
    return select(lost, NAN, _qr_adjoint(*_qr_parts(g, a), q, low))


qr = custom(
    "qr",
    _qr,
    _qr_jvp,
    _qr_vjp,
    typing=lambda b, a: (a.type.dtype, (b.total(a.type.dims), a.type.dims[1])),
    raises=True,
    nonfinite=True,
    analytic=True,
)


# ---- with all columns of Q, zeros to the right of R' ----
def _full_qr(a: Any) -> Any:
    q, r = np.linalg.qr(a, mode="complete")
    made = np.zeros((q.shape[0] + r.shape[1], q.shape[0]), a.dtype)
    made[: q.shape[0]], made[q.shape[0] :] = q, r.T
    return made


def _full_qr_parts(y: Any, a: Any) -> tuple[Any, Any, Any]:
    """The columns of Q that R needs, R', and the other columns."""
    m, n = shape_of(a)
    left, right = (view(y, at, k, 1, spec=(":", "s")) for at, k in ((0, n), (n, m - n)))
    return *_qr_parts(left, a), view(right, 0, m, 1, spec=("s", ":"))


def _full_qr_jvp(ts: tuple[Any, ...], y: Any, a: Any) -> Any:
    """The other columns stay orthogonal to the first: no more is determined of them."""
    q, low, more = _full_qr_parts(y, a)
    low, lost = _regular(low)
    dq, dlow = _qr_moved(ts[0], q, low)
    moved = concatenate(dq, -matmul(q, turned(dq, more)), axis=1)
    return select(lost, NAN, concatenate(moved, filled(dlow, shape_of(a)[0]), axis=0))


def _full_qr_vjp(g: Any, y: Any, a: Any) -> Any:
    q, low, more = _full_qr_parts(y, a)
    gq, glow, gmore = _full_qr_parts(g, a)
    low, lost = _regular(low)
    by_more, unknown = by_rest(more, gmore, q)
    made = _qr_adjoint(gq + by_more, glow, q, low)
    return select(lost, NAN, nan_where(made, unknown).value())


full_qr = custom(
    "full_qr",
    _full_qr,
    _full_qr_jvp,
    _full_qr_vjp,
    typing=lambda b, a: (a.type.dtype, (b.total(a.type.dims), a.type.dims[0])),
    raises=True,
    nonfinite=True,
    analytic=True,
)
