"""Functions of `scipy.linalg` as NumPy programs; read only where a program uses that module.

The matrix exponential: N. Higham, "The scaling and squaring method for the matrix exponential
revisited" (2005); differentiated, the algorithm is that of A. Al-Mohy and N. Higham, "Computing
the Fréchet derivative of the matrix exponential" (2009).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

# the coefficients of the Padé approximant of order 13, and the norm up to which it is good
PADE = (
    64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0,
    129060195264000.0, 10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0, 40840800.0,
    960960.0, 16380.0, 182.0, 1.0,
)  # fmt: skip
LARGEST = 5.371920351148152
# of double precision; SciPy uses it for single precision too
EPSILON = float(np.finfo(np.float64).eps)
MOST = 1100  # a bound on squarings: an infinite norm is never halved enough


def expm(a: Any) -> Any:
    """The exponential of a matrix.

    >>> expm(np.array([[0.0, 1.0], [0.0, 0.0]])).round(12).tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    norm = np.max(np.sum(np.abs(a), axis=0), initial=0.0)
    squarings = 0
    while norm > LARGEST and squarings < MOST:
        norm = norm * 0.5
        squarings += 1
    a = a * 0.5**squarings
    one = np.eye(a.shape[0], dtype=a.dtype)
    a2 = a @ a
    a4 = a2 @ a2
    a6 = a4 @ a2
    odd = a6 @ (PADE[13] * a6 + PADE[11] * a4 + PADE[9] * a2)
    odd = a @ (odd + PADE[7] * a6 + PADE[5] * a4 + PADE[3] * a2 + PADE[1] * one)
    even = a6 @ (PADE[12] * a6 + PADE[10] * a4 + PADE[8] * a2)
    even = even + PADE[6] * a6 + PADE[4] * a4 + PADE[2] * a2 + PADE[0] * one
    result = np.linalg.solve(even - odd, even + odd)
    for _ in range(squarings):
        result = result @ result
    return result


def expm_frechet(a: Any, e: Any, compute_expm: bool) -> Any:
    """The exponential and its derivative along `e`, as a block of a larger exponential.

    >>> expm_frechet(np.zeros((1, 1)), np.ones((1, 1)), False).round(12)
    array([[1.]])
    """
    n = a.shape[0]
    above = np.concatenate((a, e), axis=1)
    below = np.concatenate((np.zeros_like(a), a), axis=1)
    y = expm(np.concatenate((above, below), axis=0))
    if compute_expm:
        return y[:n, :n].copy(), y[:n, n:].copy()
    return y[:n, n:].copy()


def with_rows_of(r: Any, a: Any) -> Any:
    """A matrix, or a stack of them, with rows of zeros up to the number of another's.

    >>> with_rows_of(np.ones((1, 1)), np.ones((2, 1))).tolist()
    [[1.0], [0.0]]
    """
    blank = np.zeros((*a.shape[:-2], a.shape[-2] - r.shape[-2], a.shape[-1]), r.dtype)
    return np.concatenate((r, blank), axis=-2)


def symmetric(a: Any, lower: bool) -> Any:
    """The symmetric matrix that one triangle defines.

    >>> symmetric(np.array([[1.0, 9.0], [2.0, 3.0]]), True).tolist()
    [[1.0, 2.0], [2.0, 3.0]]
    """
    if lower:
        return np.tril(a) + np.tril(a, -1).T
    return np.triu(a) + np.triu(a, 1).T


def hermitian(a: Any, lower: bool) -> Any:
    """The symmetric or Hermitian matrix that one triangle defines.

    >>> hermitian(np.array([[1.0 + 5.0j, 9.0], [2.0j, 3.0]]), True).tolist()
    [[(1+0j), -2j], [2j, (3+0j)]]
    """
    if not np.iscomplexobj(a):
        return symmetric(a, lower)
    beside = np.tril(a, -1) if lower else np.triu(a, 1)
    return beside + beside.conj().T + np.diag(np.real(np.diag(a)))


def generalized_eigh(a: Any, b: Any, lower: bool) -> tuple:
    """w and v with a v = b v diag(w) and v' b v = 1.

    >>> generalized_eigh(np.array([[8.0]]), np.array([[4.0]]), True)[0].tolist()
    [2.0]
    """
    factor = np.linalg.cholesky(hermitian(b, lower))
    half = scipy.linalg.solve_triangular(factor, hermitian(a, lower), lower=True)
    inner = scipy.linalg.solve_triangular(factor, half.conj().T, lower=True)
    w, z = np.linalg.eigh(inner)
    return w, scipy.linalg.solve_triangular(factor, z, lower=True, trans=2)


OTHER_TRIANGLE_IS_KEPT = bool(scipy.linalg.cho_factor(np.array([[4.0, 1.0], [1.0, 4.0]]))[0][1, 0])


def cho_factor(a: Any, lower: bool) -> Any:
    """The factor in its triangle; SciPy leaves the contents of `a` in the other one until 1.17.

    >>> cho_factor(np.array([[4.0, 0.0], [0.0, 1.0]]), True).tolist()
    [[2.0, 0.0], [0.0, 1.0]]
    """
    if not OTHER_TRIANGLE_IS_KEPT:
        return np.linalg.cholesky(a, upper=not lower)
    if lower:
        return np.linalg.cholesky(a) + np.triu(a, 1)
    return np.linalg.cholesky(a, upper=True) + np.tril(a, -1)


def cho_solve(c: Any, lower: bool, b: Any) -> Any:
    """x with a x = b, by the factor of a.

    >>> cho_solve(np.array([[2.0]]), True, np.array([8.0])).tolist()
    [2.0]
    """
    if lower:
        half = scipy.linalg.solve_triangular(c, b, lower=True)
        return scipy.linalg.solve_triangular(c, half, lower=True, trans=2)
    half = scipy.linalg.solve_triangular(c, b, trans=2)
    return scipy.linalg.solve_triangular(c, half)


def row_order(pivots: Any) -> Any:
    """The rows in the order that exchanging row k with row pivots[k] makes, for k from 0 on.

    >>> row_order(np.array([2, 2, 2])).tolist()
    [2, 0, 1]
    """
    order = np.arange(len(pivots))
    for k in range(len(pivots)):
        other = pivots[k]
        kept = order[k]
        order[k] = order[other]
        order[other] = kept
    return order


def lu_solve(lu: Any, pivots: Any, b: Any, transposed: bool) -> Any:
    """x with a x = b, or a' x = b, by LU of a.

    >>> lu_solve(np.array([[2.0]]), np.array([0]), np.array([8.0]), False).tolist()
    [4.0]
    """
    if b.shape[0] != lu.shape[0]:
        raise ValueError("Shapes of lu and b are incompatible")
    order = row_order(pivots)
    if transposed:
        half = scipy.linalg.solve_triangular(lu, b, trans=1)
        x = scipy.linalg.solve_triangular(lu, half, trans=1, lower=True, unit_diagonal=True)
        return x[np.argsort(order)]
    half = scipy.linalg.solve_triangular(lu, b[order], lower=True, unit_diagonal=True)
    return scipy.linalg.solve_triangular(lu, half)


def lu(a: Any, permute_l: bool, p_indices: bool) -> tuple:
    """The factors of a square matrix as arrays of their own.

    >>> [v.tolist() for v in lu(np.array([[0.0, 1.0], [2.0, 3.0]]), True, False)]
    [[[0.0, 1.0], [1.0, 0.0]], [[2.0, 3.0], [0.0, 1.0]]]
    """
    both, pivots = scipy.linalg.lu_factor(a)
    order = row_order(pivots)
    lower = np.tril(both, -1) + np.eye(a.shape[0], dtype=a.dtype)
    upper = np.triu(both)
    if permute_l:
        return lower[np.argsort(order)], upper
    if p_indices:
        return np.argsort(order).astype(np.int32), lower, upper
    rows = np.arange(len(order))
    return (rows[:, None] == order).astype(np.real(a).dtype), lower, upper


def residue(sums: Any) -> Any:
    """The number that an array of one item holds; one without items as it is.

    >>> float(residue(np.array([2.0]))), residue(np.zeros(0)).shape
    (2.0, (0,))
    """
    if len(sums) == 1:
        return sums[0]
    return sums


def toeplitz(c: Any, r: Any) -> Any:
    """Constant along diagonals: `c` is the first column, `r` the first row without its first.

    >>> toeplitz(np.array([1.0, 2.0]), np.array([9.0, 3.0])).tolist()
    [[1.0, 3.0], [2.0, 1.0]]
    """
    values = np.concatenate((c[::-1], r[1:]))
    return values[len(c) - 1 - np.arange(len(c))[:, None] + np.arange(len(r))]


def circulant(c: Any) -> Any:
    """Each column is the one before it rotated by one; `c` is the first.

    >>> circulant(np.array([1.0, 2.0])).tolist()
    [[1.0, 2.0], [2.0, 1.0]]
    """
    return c[(np.arange(len(c))[:, None] - np.arange(len(c))) % len(c)]


def hankel(c: Any, r: Any) -> Any:
    """Constant along antidiagonals: `c` is the first column, `r` the last row without its first.

    >>> hankel(np.array([1.0, 2.0]), np.array([9.0, 3.0])).tolist()
    [[1.0, 2.0], [2.0, 3.0]]
    """
    values = np.concatenate((c, r[1:]))
    return values[np.arange(len(c))[:, None] + np.arange(len(r))]


def block_diag(blocks: Any, dtype: Any) -> Any:
    """Matrices along the diagonal, zeros elsewhere.

    >>> block_diag((np.ones((1, 2)), np.ones((1, 1))), float).tolist()
    [[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    m, n = 0, 0
    for x in blocks:
        m, n = m + x.shape[0], n + x.shape[1]
    out = np.zeros((m, n), dtype)
    i, j = 0, 0
    for x in blocks:
        out[i : i + x.shape[0], j : j + x.shape[1]] = x
        i, j = i + x.shape[0], j + x.shape[1]
    return out


def khatri_rao(a: Any, b: Any) -> Any:
    """Column by column the Kronecker product.

    >>> khatri_rao(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0], [5.0, 6.0]])).tolist()
    [[3.0, 8.0], [5.0, 12.0]]
    """
    return (a[:, None, :] * b[None, :, :]).reshape((a.shape[0] * b.shape[0], b.shape[1]))


def solve_toeplitz(c: Any, r: Any, b: Any) -> Any:
    """x with toeplitz(c, r) x = b.

    By the full matrix: Levinson's recursion, which takes n^2 steps, is less accurate, and has no
    result where a leading block is singular though the matrix is not.

    >>> solve_toeplitz(np.array([2.0, 1.0]), np.array([2.0, 0.0]), np.array([2.0, 3.0])).tolist()
    [1.0, 1.0]
    """
    return np.linalg.solve(toeplitz(c, r), b)


def solve_circulant(c: Any, b: Any, tol: Any) -> Any:
    """x with circulant(c) x = b: the transform of c has the eigenvalues.

    >>> solve_circulant(np.array([2.0, 1.0]), np.array([3.0, 3.0]), None).tolist()
    [1.0, 1.0]
    """
    if len(c) == 0:
        return np.zeros_like(b)
    values = np.fft.fft(c)
    sizes = np.abs(values)
    if tol is None:
        tol = np.max(sizes) * len(c) * EPSILON
    if np.min(sizes) <= tol:
        raise np.linalg.LinAlgError("near singular circulant matrix.")
    if b.ndim == 2:
        values = values[:, None]
    x = np.fft.ifft(np.fft.fft(b, axis=0) / values, axis=0)
    if np.iscomplexobj(b) or np.iscomplexobj(c):
        return x
    return x.real.copy()


def discrete_lyapunov(a: Any, q: Any) -> Any:
    """x with a x a' - x + q = 0, by the equation of (a + 1)^-1 (a - 1), which is continuous.

    >>> discrete_lyapunov(np.array([[0.5]]), np.array([[3.0]])).round(12).tolist()
    [[4.0]]
    """
    one = np.eye(a.shape[0], dtype=a.dtype)
    turned = np.linalg.solve(a + one, a - one)
    half = np.linalg.solve(a + one, q)
    moved = np.linalg.solve(a + one, half.conj().T).conj().T
    return scipy.linalg.solve_continuous_lyapunov(turned, -2.0 * moved)
