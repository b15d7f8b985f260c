"""Singular values and vectors: one matrix, [s; U; V] with one column per value, or all columns.

V is stored as the conjugate of the usual one, so that a = U diag(s) V' by the plain transpose.
Formulae: J. Townsend, "Differentiating the singular value decomposition" (2016), for complex
matrices with the phases of both vectors against one another. What is not determined is NaN, as
in `factorisations`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.operation import Stated
from srcgrad.primitives.arrays import concatenate, matmul, matrix_transpose
from srcgrad.primitives.arrays import shape as shape_of
from srcgrad.primitives.elementwise import abs as absolute
from srcgrad.primitives.elementwise import (
    gt,
    imag,
    is_complex,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    minimum,
    real,
    to_complex,
    undetermined,
)
from srcgrad.primitives.factorisation_parts import (
    NAN,
    adjoint,
    both,
    by_rest,
    coincide,
    column,
    conjugate,
    diagonal_of,
    eye,
    filled,
    marked,
    moved_by_phase,
    nan_where,
    off_diagonal,
    over_gaps,
    quotient,
    real_part,
    row,
    turned,
)
from srcgrad.primitives.memory import view
from srcgrad.primitives.reductions import broadcast_to, sum
from srcgrad.primitives.registry import custom
from srcgrad.primitives.rules import select
from srcgrad.primitives.transforms import REAL


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
    even, lost = over_gaps((j + k) * 0.5, s, evidence)
    odd, too = quotient((j - k) * 0.5, row(s) + column(s), coincide(s, -s), evidence)
    off = logical_not(eye(shape_of(s)[0]))
    return off_diagonal(even), off_diagonal(odd), logical_and(logical_or(lost, too), off)


def _outside(u: Any, x: Any, s: Any) -> tuple[Any, Any]:
    """The part of x outside the columns of u, over s, and where that is unknown.

    There is none where u is square.
    """
    rows, columns = shape_of(u)
    rest = x - matmul(u, turned(u, x))
    none = coincide(broadcast_to(sum(s, axes=(0,)) * 0.0, 1), s)
    over, lost = quotient(rest, row(s), none, rest)
    return select(gt(rows, columns), over, 0.0), logical_and(lost, gt(rows, columns))


def _turning(x: Any, s: Any) -> Any:
    """x / s: by how much a left vector turns against its right one; NaN where s is 0."""
    none = diagonal_of(coincide(s, -s))
    over, unknown = quotient(x, s, none, x)
    return select(undetermined(unknown), NAN, over).value()


def _moved(t: Any, s: Any, u: Any, v: Any) -> tuple[Any, Any, Any]:
    """The tangents of the values and vectors of a = u diag(s) v', by the conjugate transpose."""
    tv, tu = matmul(t, v), turned(t, u)
    p = turned(u, tv)
    even, odd, lost = _even_and_odd(p, adjoint(p), s, both(p))
    values = diagonal_of(p)
    du, dv = (
        nan_where(matmul(x, inner) + over, matmul(absolute(x), marked(lost)) + marked(too))
        for x, inner, (over, too) in (
            (u, even + odd, _outside(u, tv, s)), (v, even - odd, _outside(v, tu, s)),
        )
    )  # fmt: skip
    if is_complex(p):
        du = du + u * row(_turning(imag(values), s) * 1j)
        values = to_complex(real(values), 0.0)
    return values, du, dv


def _adjoint(s: Any, u: Any, v: Any, gs: Any, gu: Any, gv: Any) -> tuple[Any, Any]:
    """The adjoint of the matrix, and where it is unknown."""
    back = conjugate(u)
    mu, mv = turned(back, gu), turned(conjugate(v), gv)
    j, k = mu - adjoint(mu), mv - adjoint(mv)
    even, odd, lost = _even_and_odd(j, k, s, both(mu) + both(mv))
    diagonal = eye(shape_of(mu)[0])
    values = gs
    if is_complex(mu):
        values = gs + _turning(imag(diagonal_of(mu)), s) * 1j
        both_turn = moved_by_phase(concatenate(u, v, axis=0), concatenate(gu, gv, axis=0), mu + mv)
        lost = logical_or(lost, logical_and(diagonal, row(both_turn)))
    inner = select(diagonal, row(values), even + odd)
    (left, lost_left), (right, lost_right) = _outside(back, gu, s), _outside(conjugate(v), gv, s)
    made = matmul(matmul(back, inner) + left, matrix_transpose(v))
    made = made + matmul(back, adjoint(right))
    size_u, size_v = absolute(u), absolute(v)
    unknown_left = matmul(size_u, marked(lost)) + marked(lost_left)
    unknown = matmul(unknown_left, matrix_transpose(size_v))
    return made, unknown + matmul(size_u, matrix_transpose(marked(lost_right)))


def _svd_jvp(ts: tuple[Any, ...], y: Any, a: Any) -> Any:
    s, u, v = _svd_parts(y, a)
    values, du, dv = _moved(ts[0], real_part(s), u, conjugate(v))
    return concatenate(row(values), du, conjugate(dv), axis=0)


def _svd_vjp(g: Any, y: Any, a: Any) -> Any:
    (s, u, v), (gs, gu, gv) = _svd_parts(y, a), _svd_parts(g, a)
    return nan_where(*_adjoint(real_part(s), u, conjugate(v), real_part(gs), gu, conjugate(gv)))


svd = custom("svd", _svd, _svd_jvp, _svd_vjp, typing=_svd_typing, raises=True, analytic=True)


def _singular_values(a: Any, checked: bool) -> Any:
    try:
        return np.linalg.svd(a, compute_uv=False)
    except np.linalg.LinAlgError:
        if checked:
            raise
        return np.full(min(a.shape), np.nan, a.real.dtype)


def _values_vjp(g: Any, y: Any, a: Any, checked: bool) -> Any:
    _, u, v = _svd_parts(svd(a), a)
    return conjugate(matmul(u * row(real_part(g)), matrix_transpose(v)))


def _values_jvp(ts: tuple[Any, ...], y: Any, a: Any, checked: bool) -> Any:
    _, u, v = _svd_parts(svd(a), a)
    return real_part(sum(conjugate(u) * matmul(ts[0], conjugate(v)), axes=(0,)))


# the values alone; NaN where none are found, unless that has to be an error
singular_values = custom(
    "singular_values",
    _singular_values,
    _values_jvp,
    _values_vjp,
    typing=lambda b, a, checked: (
        REAL.get(a.type.dtype, a.type.dtype),
        (b.dim(b.minimum(*a.type.dims)),),
    ),
    raises=True,
    analytic=True,
)


# ---- all columns of both orthogonal matrices: [s; U; V], zeros fill the rows ----
def _full_svd(a: Any) -> Any:
    u, s, vt = np.linalg.svd(a)
    (m, n), k = a.shape, s.size
    made = np.zeros((1 + m + n, max(m, n)), a.dtype)
    made[0, :k], made[1 : m + 1, :m], made[m + 1 :, :n] = s, u, vt.T
    return made


def _full_parts(y: Any, a: Any) -> tuple[Any, ...]:
    """The values, the vectors of each side that have one, and those that have none."""
    m, n = shape_of(a)
    k = minimum(m, n)
    u, v = (view(y, at, count, 1, spec=("s", ":")) for at, count in ((1, m), (m + 1, n)))
    return (
        view(y, 0, 0, k, 1, spec=("i", "s")),
        *(view(x, 0, k, 1, spec=(":", "s")) for x in (u, v)),
        *(view(x, k, n - k, 1, spec=(":", "s")) for x, n in ((u, m), (v, n))),
    )


def _full_svd_jvp(ts: tuple[Any, ...], y: Any, a: Any) -> Any:
    """The vectors of the rest stay orthogonal to the others: no more is determined of them."""
    s, u, v, more_u, more_v = _full_parts(y, a)
    v, more_v = conjugate(v), conjugate(more_v)
    values, du, dv = _moved(ts[0], real_part(s), u, v)
    rest_u, rest_v = (
        -matmul(x, turned(d, more)) for x, d, more in ((u, du, more_u), (v, dv, more_v))
    )
    m, n = shape_of(a)
    return concatenate(
        filled(row(values), maximum(m, n)),
        filled(concatenate(du, rest_u, axis=1), maximum(m, n)),
        filled(conjugate(concatenate(dv, rest_v, axis=1)), maximum(m, n)),
        axis=0,
    )


def _full_svd_vjp(g: Any, y: Any, a: Any) -> Any:
    s, u, v, more_u, more_v = _full_parts(y, a)
    gs, gu, gv, rest_u, rest_v = _full_parts(g, a)
    v, gv, more_v, rest_v = (conjugate(x) for x in (v, gv, more_v, rest_v))
    by_u, lost_u = by_rest(more_u, rest_u, u)
    by_v, lost_v = by_rest(more_v, rest_v, v)
    made, unknown = _adjoint(real_part(s), u, v, real_part(gs), gu + by_u, gv + by_v)
    return nan_where(made, unknown + lost_u + lost_v)


full_svd = custom(
    "full_svd",
    _full_svd,
    _full_svd_jvp,
    _full_svd_vjp,
    typing=lambda b, a: (
        a.type.dtype,
        (b.total([1, *a.type.dims]), b.dim(b.maximum(*a.type.dims))),
    ),
    raises=True,
    analytic=True,
)
