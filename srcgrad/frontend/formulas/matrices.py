"""Decompositions and solves: ranks, condition numbers, norms, residuals, tensors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import shaped, stands_for, unsupported
from srcgrad.frontend.versions import raised

EMPTY_HAS_A_RANK = raised(np.linalg.matrix_rank, np.zeros((0, 0))) is None  # since NumPy 2.4
EMPTY_HAS_A_NORM = raised(np.linalg.norm, np.zeros(0), np.inf) is None  # since NumPy 2.3


def matrix_rank(a: Any, tol: Any, rtol: Any) -> Any:
    """The number of singular values above `tol`, or above `rtol` times the largest.

    >>> int(matrix_rank(np.ones((3, 2)), None, 1e-10))
    1
    """
    s = np.linalg.svdvals(a)
    if tol is not None:
        return np.count_nonzero(s > tol, axis=-1)
    if EMPTY_HAS_A_RANK:
        limit = np.max(s, axis=-1, keepdims=True, initial=0.0) * rtol
    else:
        limit = np.max(s, axis=-1, keepdims=True) * rtol
    return np.count_nonzero(s > limit, axis=-1)


def cond(a: Any, p: Any) -> Any:
    """The condition number: of the norm of order `p`, 2 for None.

    >>> float(cond(np.diag([1.0, 4.0]), 2))
    4.0
    """
    if p is None or p == 2 or p == -2:
        s = np.linalg.svdvals(a)
        if p == -2:
            return s[..., -1] / s[..., 0]
        return s[..., 0] / s[..., -1]
    other = np.linalg.inv(a)
    return np.linalg.norm(a, p, axis=(-2, -1)) * np.linalg.norm(other, p, axis=(-2, -1))


def normalised(v: Any) -> Any:
    """Columns of norm 1 whose largest entry without an imaginary part keeps its phase.

    LAPACK normalizes eigenvectors in this way; for its results only the derivative changes.

    >>> normalised(np.array([[-2.0 + 0.0j]])).tolist()
    [[(-1+0j)]]
    """
    if v.shape[0] == 0:
        return v
    candidates = np.where(np.imag(v) == 0.0, np.abs(np.real(v)), -np.inf)
    lead = np.take_along_axis(v, np.argmax(candidates, axis=0)[None], axis=0)
    norm = np.sqrt(np.sum(np.real(v) ** 2 + np.imag(v) ** 2, axis=0))
    sign = np.copysign(1.0, np.real(lead))
    return v * (sign * np.conj(lead) / (np.abs(lead) * norm))


def real_if_values_are(w: Any, x: Any) -> Any:
    """Eigenvalues or vectors `x` of real matrices, real if every eigenvalue `w` is.

    >>> real_if_values_are(np.array([2.0 + 0.0j]), np.array([[1.0 + 0.0j]])).tolist()
    [[1.0]]
    """
    return np.real(x).copy() if np.all(np.imag(w) == 0.0) else x


def spectral_norm(a: Any, ord: Any, axis: Any, keepdims: Any) -> Any:
    """The norms of singular values: 2, -2 and "nuc".

    >>> float(spectral_norm(np.diag([1.0, 4.0]), "nuc", (0, 1), False))
    5.0
    """
    s = np.linalg.svdvals(np.moveaxis(a, axis, (-2, -1)))
    if ord == "nuc":
        found = np.sum(s, axis=-1)
    elif ord == 2 and EMPTY_HAS_A_NORM:
        found = np.max(s, axis=-1, initial=0.0)
    else:
        found = np.max(s, axis=-1) if ord == 2 else np.min(s, axis=-1)
    return np.expand_dims(found, tuple(sorted(axis))) if keepdims else found


def truncated_pinv(a: Any, rcond: Any) -> Any:
    """The pseudoinverse without singular values up to `rcond` times the largest.

    A function of the singular values, so that what is left out has its part in the derivative.

    >>> truncated_pinv(np.diag([4.0, 1.0]), 0.3).tolist()
    [[0.25, 0.0], [0.0, 0.0]]
    """
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    kept = s > rcond * np.max(s, initial=0.0)
    inverses = np.where(kept, 1.0, 0.0) / np.where(kept, s, 1.0)
    return (vh.T * inverses.astype(a.dtype)) @ u.T


def residuals(a: Any, b: Any, x: Any, s: Any, rcond: Any) -> tuple:
    """The sums of squared residuals of least squares, in NumPy's form, and the rank.

    >>> residuals(np.ones((2, 1)), np.array([1.0, 3.0]), np.array([2.0]), np.ones(1), 1e-15)[0]
    array([2.])
    """
    m, n = a.shape
    rank = np.count_nonzero(s > rcond * np.sum(s[:1]))
    rest = b - a @ x
    sums = np.sum(np.real(rest * np.conj(rest)), axis=0)
    if b.ndim == 1:
        sums = np.reshape(sums, (1,))
    count = sums.shape[0] if rank == n and m > n else 0
    return sums[:count], rank


def tensorsolve(a: Any, b: Any, axes: Any) -> Any:
    """x with np.tensordot(a, x, x.ndim) == b; `axes` of a are moved to its end first.

    >>> tensorsolve(2.0 * np.eye(4).reshape(2, 2, 4), np.ones((2, 2)), None).tolist()
    [0.5, 0.5, 0.5, 0.5]
    """
    if axes is not None:
        a = np.moveaxis(a, axes, tuple(range(a.ndim - len(axes), a.ndim)))
    unknown = a.shape[b.ndim - a.ndim :]
    size = math.prod(unknown)
    if a.size != size * size:
        raise np.linalg.LinAlgError(
            "Input arrays must satisfy the requirement "
            "prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])"
        )
    return np.linalg.solve(a.reshape((size, size)), np.ravel(b)).reshape(unknown)


def tensorinv(a: Any, ind: int) -> Any:
    """The inverse of np.tensordot(a, x, ind).

    >>> tensorinv(2.0 * np.eye(4).reshape(2, 2, 4), 2).shape
    (4, 2, 2)
    """
    size = math.prod(a.shape[ind:])
    return np.linalg.inv(a.reshape((size, -1))).reshape((*a.shape[ind:], *a.shape[:ind]))


@stands_for(np.kron)
def kron(a: Any, b: Any) -> Any:
    """The Kronecker product: each element of one array times the other.

    >>> kron(np.array([1, 2]), np.array([1, 3]))
    array([1, 3, 2, 6])
    """
    a, b = np.asarray(a), np.asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        return np.multiply(a, b)
    n = max(a.ndim, b.ndim)
    a = a[(None,) * (n - a.ndim)]
    b = b[(None,) * (n - b.ndim)]
    wide = np.multiply(a[(slice(None), None) * n], b[(None, slice(None)) * n])
    return shaped(wide, tuple([p * q for p, q in zip(a.shape, b.shape, strict=True)]))


def matvec(x1: Any, x2: Any) -> Any:
    """The products of matrices and vectors along the last axes.

    >>> matvec(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, 0.0], [0.0, 1.0]])).tolist()
    [[1.0, 3.0], [2.0, 4.0]]
    """
    x1, x2 = np.asarray(x1), np.asarray(x2)
    if x1.ndim < 2 or x2.ndim < 1:
        unsupported("matvec takes matrices and vectors", like=ValueError)
    return x1 @ x2 if x2.ndim == 1 else (x1 @ x2[..., None])[..., 0]


def vecmat(x1: Any, x2: Any) -> Any:
    """The products of conjugate vectors and matrices along the last axes.

    >>> vecmat(np.array([1.0, 2.0j]), np.array([[1.0, 0.0], [0.0, 1.0]])).tolist()
    [(1+0j), -2j]
    """
    x1, x2 = np.conj(np.asarray(x1)), np.asarray(x2)
    if x1.ndim < 1 or x2.ndim < 2:
        unsupported("vecmat takes vectors and matrices", like=ValueError)
    return x1 @ x2 if x1.ndim == 1 else (x1[..., None, :] @ x2)[..., 0, :]


if hasattr(np, "matvec"):  # since NumPy 2.2
    stands_for(np.matvec)(matvec)
    stands_for(np.vecmat)(vecmat)
