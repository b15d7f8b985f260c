"""Eigenvalues, singular values, QR and functions of them.

Each result is one matrix, laid out as `srcgrad.primitives.factorisations` says. The routines of
LAPACK are those of numpy.linalg, so that signs are NumPy's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.versions import raised
from srcgrad.primitives import factorisations, least_squares, linalg, singular_vectors
from srcgrad.routines.external import NOT_FINITE, Routine, check, leave_if, room
from srcgrad.routines.matrices import (
    columns,
    copy,
    fill,
    finite,
    integers,
    lead,
    reals,
    stack,
    turn,
    worked,
)
from srcgrad.routines.systems import cofactors_by_inverse, determinant_itself

# NumPy's LAPACK is not SciPy's, which is called here: newer ones do not converge then
INFINITE_FAILS = raised(np.linalg.svd, np.array([[np.inf, 1.0], [1.0, 3.0]])) is not None


def eigh(out: Any, a: Any, lower: bool) -> None:
    n = a.shape[0]
    fill(out, np.nan)
    # LAPACK turns NaN into numbers here
    leave_if(not finite(a), 0)
    vectors, values, places = columns(a), reals(n, a), 5 * n + 3
    triangle = "L" if lower else "U"
    if np.iscomplexobj(a):
        many = 1 + 5 * n + 2 * n * n
        info = worked("heevd", a, "V", triangle, n, vectors, lead(n), values,
                      then=(reals(many, a), many, integers(places), places))  # fmt: skip
    else:
        info = worked("syevd", a, "V", triangle, n, vectors, lead(n), values,
                      then=(integers(places), places))  # fmt: skip
    check(info)
    stack(out, values, vectors)


def eig(out: Any, a: Any, real: bool) -> None:
    """The eigenvalues and vectors of a complex matrix; those of a real one are real or pairs."""
    n = a.shape[0]
    leave_if(not finite(a), NOT_FINITE)
    if real:
        entries, vectors = room(n, n, a.real.dtype), room(n, n, a.real.dtype)
        for j in range(n):
            for i in range(n):
                entries[j, i] = a[i, j].real
        values, imaginary = reals(n, a), reals(n, a)
        info = worked("geev", entries, "N", "V", n, entries, lead(n), values, imaginary, None, 1,
                      vectors, lead(n))  # fmt: skip
        check(info)
        for j in range(n):
            out[0, j] = values[0, j] + 1j * imaginary[0, j]
            # the rows of a pair are the real and the imaginary part of the vector of the first
            first = j + (imaginary[0, j] < 0.0) * -1
            other = first + (imaginary[0, j] != 0.0)
            sign = np.sign(imaginary[0, j])
            for i in range(n):
                out[1 + i, j] = vectors[first, i] + 1j * sign * vectors[other, i]
    else:
        vectors, values = room(n, n, a.dtype), room(1, n, a.dtype)
        info = worked("geev", a, "N", "V", n, columns(a), lead(n), values, None, 1, vectors,
                      lead(n), then=(reals(2 * n, a),))  # fmt: skip
        check(info)
        stack(out, values, vectors)


# ---- singular values ----
def decomposed(a: Any, how: str) -> Any:
    """LAPACK's number, the columns of U, the values, those of V'.

    `how`: `A` for all columns, `S` for as many as there are values, or `N` for no U.
    """
    m, n = a.shape
    k, longer = min(m, n), max(m, n)
    values, rows, many = reals(k, a), 1 if how == "N" else m, 1 if how == "N" else n
    u = room(m if how == "A" else k, rows, a.dtype)
    vt = room(many, n if how == "A" else k, a.dtype)
    # at least LRWORK of LAPACK's zgesdd: 5 k k + 5 k and 2 k longer + 2 k k + k reals
    real = (reals(k * (5 * k + 2 * longer + 7), a),) if np.iscomplexobj(a) else ()
    info = worked("gesdd", a, how, m, n, columns(a), lead(m), values, u, lead(rows), vt,
                  lead(n if how == "A" else k),
                  then=(*real, integers(8 * k)))  # fmt: skip
    return info, u, values, vt


def refuse_infinity(a: Any) -> None:
    if INFINITE_FAILS:
        leave_if(not finite(a), NOT_FINITE)


def svd(out: Any, a: Any) -> None:
    m, n = a.shape
    leave_if(min(m, n) == 0, 0)
    refuse_infinity(a)
    info, u, values, vt = decomposed(a, "S")
    check(info)
    stack(out, values, u)
    for i in range(n):
        for j in range(min(m, n)):
            out[1 + m + i, j] = vt[i, j]


def full_svd(out: Any, a: Any) -> None:
    """All columns of U and V; of a matrix without elements those of the identity."""
    m, n = a.shape
    fill(out, 0)
    if min(m, n) == 0:
        for k in range(max(m, n)):
            out[1 + k, k] = 1
        leave_if(True, 0)
    refuse_infinity(a)
    info, u, values, vt = decomposed(a, "A")
    check(info)
    for j in range(min(m, n)):
        out[0, j] = values[0, j]
    for i in range(m):
        for j in range(m):
            out[1 + i, j] = u[j, i]
    for i in range(n):
        for j in range(n):
            out[1 + m + i, j] = vt[i, j]


def singular_values(out: Any, a: Any, checked: bool) -> None:
    """The singular values; NaN if they do not converge, unless that is an error."""
    k = min(a.shape[0], a.shape[1])
    fill(out, np.nan)
    leave_if(k == 0, 0)
    if checked:
        refuse_infinity(a)
    info, _, values, _ = decomposed(a, "N")
    leave_if(info != 0, abs(info) if checked else 0)
    turn(out, values)


def pinv(out: Any, a: Any, rcond: float) -> None:
    m, n = a.shape
    leave_if(min(m, n) == 0, 0)
    refuse_infinity(a)
    info, u, values, vt = decomposed(a, "S")
    check(info)
    cutoff = rcond * np.float64(values[0, 0])
    for k in range(min(m, n)):
        value = values[0, k]
        factor = np.where(value > cutoff, 1 / value, 0)
        for i in range(m):
            u[k, i] = u[k, i] * factor
    copy(out, vt @ u)


def lstsq(out: Any, a: Any, b: Any, rcond: float) -> None:
    m, n = a.shape
    k, longer, many = min(m, n), max(m, n), b.shape[1]
    fill(out, 0)
    # LAPACK writes to the terminal
    leave_if(not (finite(a) & finite(b)), NOT_FINITE)
    leave_if(min(k, many) == 0, 0)
    x, limit = room(many, longer, a.dtype), reals(1, a)
    for j in range(many):
        for i in range(m):
            x[j, i] = b[i, j]
    limit[0, 0] = rcond
    # 3 k levels + 11 k integers, with at most 32 levels
    info = worked("gelsd", a, m, n, many, columns(a), lead(m), x, lead(longer), reals(k, a), limit,
                  integers(1), then=(integers(107 * k),))  # fmt: skip
    check(info)
    turn(out, x)


# ---- QR of a matrix with at least as many rows as columns ----
def qr(out: Any, a: Any) -> None:
    m, n = a.shape
    factor, tau = columns(a), room(1, n, a.dtype)
    worked("geqrf", a, m, n, factor, lead(m), tau)
    # before Q overwrites the factor
    for j in range(n):
        for i in range(n):
            out[m + j, i] = np.where(i <= j, factor[j, i], 0)
    worked("ungqr" if np.iscomplexobj(a) else "orgqr", a, m, n, n, factor, lead(m), tau)
    for i in range(m):
        for j in range(n):
            out[i, j] = factor[j, i]


def full_qr(out: Any, a: Any) -> None:
    """With all columns of Q."""
    m, n = a.shape
    factor, tau, given = room(m, m, a.dtype), room(1, n, a.dtype), columns(a)
    fill(factor, 0)
    fill(out, 0)
    for j in range(n):
        for i in range(m):
            factor[j, i] = given[j, i]
    worked("geqrf", a, m, n, factor, lead(m), tau)
    for j in range(n):
        for i in range(n):
            out[m + j, i] = np.where(i <= j, factor[j, i], 0)
    worked("ungqr" if np.iscomplexobj(a) else "orgqr", a, m, m, n, factor, lead(m), tau)
    for i in range(m):
        for j in range(m):
            out[i, j] = factor[j, i]


# ---- functions of values and vectors ----
def largest(v: Any) -> Any:
    """The largest magnitude; NaN if one is."""
    found, bad = v.real.dtype.type(0), False
    for i in range(v.shape[0]):
        size = np.abs(v[i, 0])
        found, bad = np.where(size > found, size, found), bad | np.isnan(size)
    return np.where(bad, np.nan, found)


def coincide(out: Any, a: Any, b: Any) -> None:
    """Which values of two vectors are equal up to rounding; NaN equals nothing."""
    first, second = largest(a), largest(b)
    # as Python's max: a NaN of the second does not count
    most = np.where(second > first, second, first)
    nearest = max(a.shape[0], b.shape[0]) * np.finfo(a.dtype).eps * most
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            out[i, j] = np.abs(a[i, 0] - b[j, 0]) <= nearest


def cofactors(out: Any, a: Any) -> None:
    """det(a) times the transposed inverse, of nearly singular matrices by their singular values."""
    n = a.shape[0]
    fill(out, np.nan)
    leave_if(not finite(a), 0)
    leave_if(cofactors_by_inverse(out, a), 0)
    fill(out, np.nan)
    info, u, values, vt = decomposed(a, "S")
    leave_if(info != 0, 0)
    sign = determinant_itself(u) * determinant_itself(vt)
    for k in range(n):
        others = a.real.dtype.type(1)
        for other in range(n):
            others = others * np.where(other == k, 1, values[0, other])
        for i in range(n):
            u[k, i] = u[k, i] * others
    made = vt @ u
    for i in range(n):
        for j in range(n):
            out[i, j] = sign * np.conj(made[j, i])


def _eig(info: int) -> str:
    no_numbers = "Array must not contain infs or NaNs"
    return no_numbers if info == NOT_FINITE else "Eigenvalues did not converge"


_SVD = "SVD did not converge"
ROUTINES = {
    factorisations.eig: Routine(eig, _eig),
    factorisations.eigh: Routine(eigh, "Eigenvalues did not converge"),
    singular_vectors.svd: Routine(svd, _SVD),
    singular_vectors.full_svd: Routine(full_svd, _SVD),
    singular_vectors.singular_values: Routine(singular_values, _SVD),
    factorisations.qr: Routine(qr),
    factorisations.full_qr: Routine(full_qr),
    factorisations.coincide: Routine(coincide),
    least_squares.pinv: Routine(pinv, _SVD),
    least_squares.lstsq: Routine(lstsq, f"{_SVD} in Linear Least Squares"),
    linalg.cofactors: Routine(cofactors),
}
