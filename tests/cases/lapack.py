"""Routines of LAPACK by their names in `scipy.linalg.lapack`."""

import numpy as np
import scipy.linalg
from scipy.linalg import lapack

from tests.cases.registry import case, vec

A = np.array([[4.0, 1.0, 0.5], [0.9, 3.0, 0.2], [0.4, 0.3, 2.0]])


@case(A, vec(3), theme="attempts")
def definite_systems(a, b):
    low, info = lapack.dpotrf(a, lower=1)
    high, _ = lapack.dpotrf(a, 0, 0)
    inverse, _ = lapack.dpotri(low, lower=1)
    c, x, last = lapack.dposv(a, b, lower=1)
    total = np.sum(low**3) + np.sum(high * a) + np.sum(inverse**2) + np.sum(c * a)
    return total + np.sum(x * x) + info + last


@case(A, vec(3), theme="attempts")
def raised_until_it_is_definite(a, b):
    a, tried = a - 3.5 * np.eye(3), 0
    low, info = lapack.dpotrf(a, lower=1)
    while info != 0:
        a, tried = a + np.eye(3) * b[0], tried + info
        low, info = lapack.dpotrf(a, lower=1)
    return np.sum(low) * tried


@case(A, vec(3), theme="attempts")
def routines_of_a_precision(a, b):
    potrf, potrs = scipy.linalg.get_lapack_funcs(("potrf", "potrs"), (a, b))
    c, info = potrf(a, lower=False, overwrite_a=False, clean=False)
    if info > 0:
        raise np.linalg.LinAlgError(f"{info}-th leading minor")
    x, info = potrs(c, b, lower=False)
    return x @ x


@case(A, vec(3))
def triangular_systems(a, b):
    x, info = lapack.dtrtrs(a, b, lower=1)
    y, _ = lapack.dtrtrs(a, np.stack((b, x), 1), lower=0, trans=1, unitdiag=1)
    inverse, _ = lapack.dtrtri(a + np.eye(3), lower=1)
    unit, _ = lapack.dtrtri(a, unitdiag=1)
    stopped, row = lapack.dtrtrs(np.triu(a, 1), b)
    total = np.sum(x) + np.sum(y**2) + np.sum(inverse**2) + np.sum(unit**3)
    return total + info + np.sum(stopped * a[0]) * row


@case(A, vec(3), theme="attempts")
def systems_that_have_no_solution(a, b):
    """Routines that stop leave the right side, or the matrix, as it is."""
    _, _, x, row = lapack.dgesv(np.triu(a, 1), b)
    _, y, minor = lapack.dposv(a - 3.5 * np.eye(3), b, lower=1)
    inverse, first = lapack.dtrtri(np.tril(a, -1) + np.diag([1.0, 0.0, 2.0]) * a, lower=1)
    other, last = lapack.dpotri(np.triu(a * [1.0, 1.0, 0.0]))
    total = np.sum(x * b) * row + np.sum(y**3) * minor
    return total + np.sum(inverse**2) * first + np.sum(other**2) * last


@case(A, vec(3))
@case(A[::-1], vec(3))
def square_systems(a, b):
    lu, pivots, info = lapack.dgetrf(a)
    x, _ = lapack.dgetrs(lu, pivots, b)
    y, _ = lapack.dgetrs(lu, pivots, b, trans=1)
    _, same, z, _ = lapack.dgesv(a, b)
    return np.sum(lu**2) + np.sum(x**2) + np.sum(y * z) + pivots[0] + same[0] + info
