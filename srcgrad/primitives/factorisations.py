"""Eigenvalues, singular values, QR: each result is one matrix, its factors stacked.

`eigh` and `eig` are [w; V], `svd` is [s; U; V] and `qr` is [Q; R'], all with one column per value.
Formulae: M. Giles, "An extended collection of matrix derivative results" (2008); J. Townsend,
"Differentiating the singular value decomposition" (2016); S. Walter and L. Lehmann, "Algorithmic
differentiation of linear algebra functions" (2010).

Vectors of values that are equal up to rounding are not determined: they are differentiated as
constants where their adjoint is zero; where it is not, the elements of the derivative that depend
on it are NaN. Losses of the values alone have their gradient, if they are symmetric in the equal
ones; so have functions of the matrix, which `autodiff.spectral` finds. QR of a matrix without full
rank has derivative NaN.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.operation import Stated
from srcgrad.primitives.arrays import concatenate, expand_dims, iota, matmul, matrix_transpose
from srcgrad.primitives.arrays import shape as shape_of
from srcgrad.primitives.elementwise import abs as absolute
from srcgrad.primitives.elementwise import (
    eq,
    gt,
    logical_and,
    logical_not,
    logical_or,
    ne,
    undetermined,
)
from srcgrad.primitives.linalg import solve
from srcgrad.primitives.memory import view
from srcgrad.primitives.reductions import any, broadcast_to, sum
from srcgrad.primitives.registry import custom, nondiff
from srcgrad.primitives.rules import select
from srcgrad.primitives.spectral import between
from srcgrad.primitives.triangular import lower_part, solve_triangular

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
def _eye(n: Any) -> Any:
    return eq(expand_dims(iota(n), (1,)), expand_dims(iota(n), (0,)))


def _diagonal(x: Any) -> Any:
    return sum(select(_eye(shape_of(x)[0]), x, 0.0), axes=(0,))


def _row(x: Any) -> Any:
    return expand_dims(x, (0,))


def _column(x: Any) -> Any:
    return expand_dims(x, (1,))


def _turned(x: Any, y: Any) -> Any:
    """x'y"""
    return matmul(matrix_transpose(x), y)


def _quotient(x: Any, d: Any, same: Any, evidence: Any) -> tuple[Any, Any]:
    """x / d, 0 where values coincide; and where that is unknown although something needs it."""
    return select(same, 0.0, x / select(same, 1.0, d)), logical_and(same, ne(evidence, 0.0))


def _lost(made: Any, unknown: Any) -> Any:
    """NaN where an unknown contributes."""
    return select(undetermined(gt(unknown, 0.0)), NAN, made)


def _marked(unknown: Any) -> Any:
    return select(unknown, 1.0, 0.0)


def _off_diagonal(x: Any) -> Any:
    return select(_eye(shape_of(x)[0]), 0.0, x)


def _apart(unknown: Any) -> Any:
    """Where an element beside the diagonal is unknown."""
    return undetermined(logical_and(unknown, logical_not(_eye(shape_of(unknown)[0]))))


def _both(x: Any) -> Any:
    """The magnitudes of x_ij and x_ji together: zero where both are."""
    size = absolute(x)
    return size + matrix_transpose(size)


# ---- eigenvalues and eigenvectors of symmetric matrices, of which one triangle is read ----
def _eigh(a: Any, lower: bool) -> Any:
    w, v = np.linalg.eigh(a, "L" if lower else "U")
    return np.concatenate((w[None], v))


def _eigh_parts(y: Any) -> tuple[Any, Any]:
    return view(y, 0, spec=("i", ":")), view(y, 1, shape_of(y)[1], 1, spec=("s", ":"))


def stated(t: Any, lower: bool) -> Any:
    """The symmetric tangent that one triangle represents."""
    half = lower_part(t if lower else matrix_transpose(t), 0.5)
    return half + matrix_transpose(half)


def _eigh_jvp(ts: tuple[Any, ...], y: Any, a: Any, lower: bool) -> Any:
    w, v = _eigh_parts(y)
    p = _turned(v, matmul(stated(ts[0], lower), v))
    off, unknown = _quotient(p, _row(w) - _column(w), coincide(w, w), p)
    lost = matmul(absolute(v), _off_diagonal(_marked(unknown)))
    moved = _lost(matmul(v, _off_diagonal(off)), lost)
    return concatenate(_row(_diagonal(p)), moved, axis=0)


def _eigh_vjp(g: Any, y: Any, a: Any, lower: bool) -> Any:
    w, v = _eigh_parts(y)
    gw, gv = _eigh_parts(g)
    m = _turned(v, gv)
    skew = (m - matrix_transpose(m)) * 0.5
    off, unknown = _quotient(skew, _row(w) - _column(w), coincide(w, w), _both(m))
    diagonal = _eye(shape_of(m)[0])
    inner = select(diagonal, _row(gw), off)
    s = between(v, inner, logical_and(unknown, logical_not(diagonal)), v)
    # the adjoint of the other triangle goes to the one that is read
    low = lower_part(s + matrix_transpose(s), 0.5)
    return low if lower else matrix_transpose(low)


eigh = custom(
    "eigh",
    _eigh,
    _eigh_jvp,
    _eigh_vjp,
    typing=lambda b, a, lower: (a.type.dtype, (b.total([1, a.type.dims[0]]), a.type.dims[0])),
    raises=True,
)


# ---- eigenvalues and eigenvectors of any matrix ----
def _eig(a: Any) -> Any:
    """NaN for a real matrix whose eigenvalues are complex."""
    w, v = np.linalg.eig(a)
    made = np.concatenate((w[None], v))
    return made if made.dtype == a.dtype else np.full(made.shape, np.nan, a.dtype)


def _eig_jvp(ts: tuple[Any, ...], y: Any, a: Any) -> Any:
    """Each vector moves along the others only; whoever normalises them adds the rest."""
    w, v = _eigh_parts(y)
    p = solve(v, matmul(ts[0], v))
    off, unknown = _quotient(p, _row(w) - _column(w), coincide(w, w), p)
    moved = select(_apart(unknown), NAN, _off_diagonal(off))
    return concatenate(_row(_diagonal(p)), matmul(v, moved), axis=0)


def _eig_vjp(g: Any, y: Any, a: Any) -> Any:
    w, v = _eigh_parts(y)
    gw, gv = _eigh_parts(g)
    m = _turned(v, gv)
    off, unknown = _quotient(m, _row(w) - _column(w), coincide(w, w), m)
    inner = select(_apart(unknown), NAN, select(_eye(shape_of(m)[0]), _row(gw), off))
    back = matrix_transpose(v)
    return solve(back, matmul(inner, back))


eig = custom(
    "eig",
    _eig,
    _eig_jvp,
    _eig_vjp,
    typing=lambda b, a: (a.type.dtype, (b.total([1, a.type.dims[0]]), a.type.dims[0])),
    raises=True,
    analytic=True,
)


# ---- singular values and vectors, as many as the shorter side has ----
def _svd(a: Any) -> Any:
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return np.concatenate((s[None], u, vt.T))


def _svd_typing(b: Any, a: Any) -> Stated:
    m, n = a.type.dims
    return a.type.dtype, (b.total([1, m, n]), b.dim(b.minimum(m, n)))


def _svd_parts(y: Any, a: Any) -> tuple[Any, Any, Any]:
    m, n = shape_of(a)
    u, v = view(y, 1, m, 1, spec=("s", ":")), view(y, m + 1, n, 1, spec=("s", ":"))
    return view(y, 0, spec=("i", ":")), u, v


def _even_and_odd(j: Any, k: Any, s: Any, evidence: Any) -> tuple[Any, Any, Any]:
    """(j + k) / 2 (s_j - s_i) and (j - k) / 2 (s_j + s_i) off the diagonal, and the unknowns."""
    even, lost = _quotient((j + k) * 0.5, _row(s) - _column(s), coincide(s, s), evidence)
    odd, too = _quotient((j - k) * 0.5, _row(s) + _column(s), coincide(s, -s), evidence)
    off = logical_not(_eye(shape_of(s)[0]))
    return _off_diagonal(even), _off_diagonal(odd), logical_and(logical_or(lost, too), off)


def _outside(u: Any, x: Any, s: Any) -> tuple[Any, Any]:
    """The part of x outside the columns of u, over s, and where that is unknown.

    There is none where u is square.
    """
    rows, columns = shape_of(u)
    rest = x - matmul(u, _turned(u, x))
    none = coincide(broadcast_to(sum(s, axes=(0,)) * 0.0, 1), s)
    over, lost = _quotient(rest, _row(s), none, rest)
    return select(gt(rows, columns), over, 0.0), logical_and(lost, gt(rows, columns))


def _svd_jvp(ts: tuple[Any, ...], y: Any, a: Any) -> Any:
    s, u, v = _svd_parts(y, a)
    tv, tu = matmul(ts[0], v), _turned(ts[0], u)
    p = _turned(u, tv)
    even, odd, lost = _even_and_odd(p, matrix_transpose(p), s, _both(p))
    du, dv = (
        _lost(matmul(x, inner) + over, matmul(absolute(x), _marked(lost)) + _marked(too))
        for x, inner, (over, too) in (
            (u, even + odd, _outside(u, tv, s)), (v, even - odd, _outside(v, tu, s)),
        )
    )  # fmt: skip
    return concatenate(_row(_diagonal(p)), du, dv, axis=0)


def _svd_vjp(g: Any, y: Any, a: Any) -> Any:
    s, u, v = _svd_parts(y, a)
    gs, gu, gv = _svd_parts(g, a)
    mu, mv = _turned(u, gu), _turned(v, gv)
    j, k = mu - matrix_transpose(mu), mv - matrix_transpose(mv)
    even, odd, lost = _even_and_odd(j, k, s, _both(mu) + _both(mv))
    inner = select(_eye(shape_of(mu)[0]), _row(gs), even + odd)
    (left, lost_left), (right, lost_right) = _outside(u, gu, s), _outside(v, gv, s)
    made = matmul(matmul(u, inner) + left, matrix_transpose(v))
    made = made + matmul(u, matrix_transpose(right))
    size_u, size_v = absolute(u), absolute(v)
    marked = matmul(size_u, _marked(lost)) + _marked(lost_left)
    unknown = matmul(marked, matrix_transpose(size_v))
    return _lost(made, unknown + matmul(size_u, matrix_transpose(_marked(lost_right))))


svd = custom("svd", _svd, _svd_jvp, _svd_vjp, typing=_svd_typing, raises=True)


def _singular_values(a: Any, checked: bool) -> Any:
    try:
        return np.linalg.svd(a, compute_uv=False)
    except np.linalg.LinAlgError:
        if checked:
            raise
        return np.full(min(a.shape), np.nan, a.dtype)


def _values_vjp(g: Any, y: Any, a: Any, checked: bool) -> Any:
    _, u, v = _svd_parts(svd(a), a)
    return matmul(u * _row(g), matrix_transpose(v))


def _values_jvp(ts: tuple[Any, ...], y: Any, a: Any, checked: bool) -> Any:
    _, u, v = _svd_parts(svd(a), a)
    return sum(u * matmul(ts[0], v), axes=(0,))


# the values alone; NaN where none are found, unless that has to be an error
singular_values = custom(
    "singular_values",
    _singular_values,
    _values_jvp,
    _values_vjp,
    typing=lambda b, a, checked: (a.type.dtype, (b.dim(b.minimum(*a.type.dims)),)),
    raises=True,
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
    d = _diagonal(low)
    none = coincide(d, broadcast_to(sum(d, axes=(0,)) * 0.0, 1))
    return select(_eye(shape_of(low)[0]), select(none, 1.0, low), low), any(none, axes=(0, 1))


def _over_r(x: Any, low: Any) -> Any:
    """x R^-1, by R'"""
    solved = solve_triangular(low, matrix_transpose(x), lower=True, transposed=False, unit=False)
    return matrix_transpose(solved)


def _over_low(x: Any, low: Any) -> Any:
    """x R^-T, by R'"""
    solved = solve_triangular(low, matrix_transpose(x), lower=True, transposed=True, unit=False)
    return matrix_transpose(solved)


def _qr_jvp(ts: tuple[Any, ...], y: Any, a: Any) -> Any:
    q, low = _qr_parts(y, a)
    low, lost = _regular(low)
    d = _over_r(ts[0], low)
    c = _turned(q, d)
    below = lower_part(c, 0.0)
    turn = below - matrix_transpose(below)
    dq = d + matmul(q, turn - c)
    moved = concatenate(dq, matmul(low, matrix_transpose(c - turn)), axis=0)
    return select(lost, NAN, moved)


def _qr_vjp(g: Any, y: Any, a: Any) -> Any:
    q, low = _qr_parts(y, a)
    gq, glow = _qr_parts(g, a)
    low, lost = _regular(low)
    m = _turned(low, lower_part(glow)) - _turned(gq, q)
    half = lower_part(m, 0.5)
    return select(lost, NAN, _over_low(gq + matmul(q, half + matrix_transpose(half)), low))


qr = custom(
    "qr",
    _qr,
    _qr_jvp,
    _qr_vjp,
    typing=lambda b, a: (a.type.dtype, (b.total(a.type.dims), a.type.dims[1])),
    raises=True,
    nonfinite=True,
)
