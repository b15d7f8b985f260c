"""Routines of LAPACK by their names in `scipy.linalg.lapack`: factors and solutions, with `info`.

A number other than 0 says at which row a routine stopped. A solution or an inverse is then what was
given, as in LAPACK; a Cholesky factor is NaN, where LAPACK leaves what it had so far.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from srcgrad.frontend.formulas.registry import refused_where, unsupported


def _beside(triangle: Any, a: Any, lower: Any) -> Any:
    """A triangle, with what is in the other one of `a`."""
    return triangle + (np.triu(a, 1) if lower else np.tril(a, -1))


def _is_definite(a: Any, lower: Any) -> bool:
    try:
        np.linalg.cholesky(a if lower else a.T)
    except np.linalg.LinAlgError:
        return False
    return True


def _matrix(a: Any) -> Any:
    """A square matrix; of fewer axes than two, LAPACK's wrappers make several things."""
    if a.ndim != 2:
        return unsupported("LAPACK's routines take matrices", "np.reshape(a, (1, 1)) of a number")
    if a.shape[0] != a.shape[1]:
        raise ValueError("the matrix is square")
    return a


def _first_zero(d: Any) -> Any:
    """The number of the first zero, counted from 1; 0 if there is none."""
    return int(np.argmax(d == 0.0)) + 1 if np.any(d == 0.0) else 0


def potrf(a: Any, lower: Any = 0, clean: Any = 1, overwrite_a: Any = 0) -> tuple[Any, Any]:
    """The Cholesky factor, of a matrix of which one triangle is read.

    >>> potrf(np.array([[4.0, 0.0], [2.0, 2.0]]), lower=1)[0].tolist()
    [[2.0, 0.0], [1.0, 1.0]]
    >>> potrf(np.array([[1.0, 0.0], [2.0, 1.0]]), lower=1)[1]
    2
    """
    info = 0
    a = _matrix(a)
    if not _is_definite(a, lower):
        info = 1
        while _is_definite(a[:info, :info], lower):
            info += 1
    if info > 0:
        c = np.full(a.shape, np.nan, dtype=a.dtype)
    else:
        c = np.linalg.cholesky(a if lower else a.T)
        c = c if lower else c.T
        c = c if clean else _beside(c, a, lower)
    return c, info


def potrs(c: Any, b: Any, lower: Any = 0, overwrite_b: Any = 0) -> tuple[Any, int]:
    """x with a x = b, by the Cholesky factor of a.

    >>> potrs(np.array([[2.0]]), np.array([8.0]))[0].tolist()
    [2.0]
    """
    return linalg.cho_solve((c, bool(lower)), b), 0


def potri(c: Any, lower: Any = 0, overwrite_c: Any = 0) -> tuple[Any, Any]:
    """One triangle of the inverse, by the Cholesky factor.

    >>> potri(np.array([[2.0]]))[0].tolist()
    [[0.25]]
    >>> potri(np.array([[0.0]]))[1]
    1
    """
    info = _first_zero(np.diagonal(_matrix(c)))
    if info > 0:
        return c.copy(), info
    inverse = linalg.cho_solve((c, bool(lower)), np.eye(c.shape[0], dtype=c.dtype))
    return _beside(np.tril(inverse) if lower else np.triu(inverse), c, lower), info


def posv(
    a: Any, b: Any, lower: Any = 0, overwrite_a: Any = 0, overwrite_b: Any = 0
) -> tuple[Any, Any, Any]:
    """The Cholesky factor of a, and x with a x = b.

    >>> posv(np.array([[4.0]]), np.array([8.0]))[1].tolist()
    [2.0]
    """
    c, info = potrf(a, lower, 0)
    x = b.copy() if info > 0 else potrs(c, b, lower)[0]
    return c, x, info


def trtrs(
    a: Any, b: Any, lower: Any = 0, trans: Any = 0, unitdiag: Any = 0, lda: Any = None,
    overwrite_b: Any = 0,
) -> tuple[Any, Any]:  # fmt: skip
    """x with a x = b, or a' x = b, of a triangular matrix.

    >>> trtrs(np.array([[2.0]]), np.array([8.0]))[0].tolist()
    [4.0]
    """
    refused_where(
        b.shape[0] != a.shape[0],
        "trtrs with more or fewer rows on the right than the matrix has is not supported",
        "pass as many rows, as in b[:len(a)]",
    )
    info = 0 if unitdiag else _first_zero(np.diag(a))
    if info > 0:
        x = b.copy()
    else:
        x = linalg.solve_triangular(
            a, b, trans=1 if trans else 0, lower=bool(lower), unit_diagonal=bool(unitdiag)
        )
    return x, info


def trtri(c: Any, lower: Any = 0, unitdiag: Any = 0, overwrite_c: Any = 0) -> tuple[Any, Any]:
    """The inverse of a triangular matrix; the other triangle stays as it is.

    >>> trtri(np.array([[2.0]]))[0].tolist()
    [[0.5]]
    """
    diagonal = np.diagonal(_matrix(c))
    info = 0 if unitdiag else _first_zero(diagonal)
    if info > 0:
        return c.copy(), info
    one = np.eye(c.shape[0], dtype=c.dtype)
    inverse = linalg.solve_triangular(c, one, lower=bool(lower), unit_diagonal=bool(unitdiag))
    if unitdiag:
        inverse = inverse + np.diag(diagonal) - one
    return _beside(inverse, c, lower), info


def getrf(a: Any, overwrite_a: Any = 0) -> tuple[Any, Any, Any]:
    """The triangular factors of a square matrix in one, and the rows that were exchanged.

    >>> getrf(np.array([[0.0, 2.0], [4.0, 1.0]]))[1].tolist()
    [1, 1]
    """
    lu, pivots = linalg.lu_factor(a)
    return lu, pivots, _first_zero(np.diag(lu))


def getrs(lu: Any, piv: Any, b: Any, trans: Any = 0, overwrite_b: Any = 0) -> tuple[Any, int]:
    """x with a x = b, or a' x = b, by the triangular factors of a.

    >>> getrs(np.array([[4.0]]), np.array([0]), np.array([8.0]))[0].tolist()
    [2.0]
    """
    return linalg.lu_solve((lu, piv), b, trans=1 if trans else 0), 0


def gesv(a: Any, b: Any, overwrite_a: Any = 0, overwrite_b: Any = 0) -> tuple[Any, Any, Any, Any]:
    """The triangular factors of a square matrix, the exchanged rows, and x with a x = b.

    >>> gesv(np.array([[4.0]]), np.array([8.0]))[2].tolist()
    [2.0]
    >>> gesv(np.array([[0.0]]), np.array([8.0]))[2:]
    (array([8.]), 1)
    """
    lu, pivots, info = getrf(a)
    # not by the factors: their derivative does not exist where the matrix is singular
    x = b.copy() if info > 0 else np.linalg.solve(a, b)
    return lu, pivots, x, info
