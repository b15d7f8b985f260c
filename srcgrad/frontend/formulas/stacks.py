"""Functions of one matrix on stacks of matrices, one after the other; `f` is the function of one.

What an array of results looks like is said before the loop, so that empty stacks have it too.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def _flat(a: Any) -> Any:
    """A copy with one leading axis."""
    count = 1
    for n in a.shape[:-2]:
        count = count * n
    return np.copy(a).reshape((count, a.shape[-2], a.shape[-1]))


def squares(f: Any, a: Any) -> Any:
    """A matrix of the same shape for each, as `inv`.

    >>> squares(np.linalg.inv, np.full((2, 1, 1, 1), 4.0)).shape
    (2, 1, 1, 1)
    """
    flat = _flat(a)
    out = np.empty(flat.shape, a.dtype)
    for k in range(flat.shape[0]):
        out[k] = f(flat[k])
    return out.reshape(a.shape)


def numbers(f: Any, a: Any) -> Any:
    """A number for each, as `det`.

    >>> numbers(np.linalg.det, np.full((2, 1, 1), 4.0)).tolist()
    [4.0, 4.0]
    """
    flat = _flat(a)
    out = np.empty(flat.shape[0], a.dtype)
    for k in range(flat.shape[0]):
        out[k] = f(flat[k])
    return out.reshape(a.shape[:-2])


def vectors(f: Any, a: Any) -> Any:
    """A vector as long as the shorter side for each, as `svdvals`.

    >>> vectors(np.linalg.svdvals, np.ones((2, 3, 1))).shape
    (2, 1)
    """
    flat = _flat(a)
    size = min(a.shape[-2], a.shape[-1])
    out = np.empty((flat.shape[0], size), a.dtype)
    for k in range(flat.shape[0]):
        out[k] = f(flat[k])
    return out.reshape((*a.shape[:-2], size))


def turned(f: Any, a: Any, rcond: Any) -> Any:
    """A matrix of the transposed shape for each, as `pinv`.

    >>> turned(np.linalg.pinv, np.ones((2, 3, 1)), 1e-15).shape
    (2, 1, 3)
    """
    flat = _flat(a)
    out = np.empty((flat.shape[0], flat.shape[2], flat.shape[1]), a.dtype)
    for k in range(flat.shape[0]):
        out[k] = f(flat[k], rcond)
    return out.reshape((*a.shape[:-2], a.shape[-1], a.shape[-2]))


def solve(a: Any, b: Any) -> Any:
    """`np.linalg.solve` of two stacks with the same leading axes.

    >>> solve(np.full((2, 1, 1), 4.0), np.ones((2, 1, 3)))[1].tolist()
    [[0.25, 0.25, 0.25]]
    """
    left, right = _flat(a), _flat(b)
    out = np.empty(right.shape, b.dtype)
    for k in range(right.shape[0]):
        out[k] = np.linalg.solve(left[k], right[k])
    return out.reshape(b.shape)


def slogdet(a: Any) -> tuple:
    """Signs and logarithms of determinants.

    >>> slogdet(np.full((1, 1, 1), -1.0))[0].tolist()
    [-1.0]
    """
    flat = _flat(a)
    signs, logs = np.empty(flat.shape[0], a.dtype), np.empty(flat.shape[0], a.dtype)
    for k in range(flat.shape[0]):
        signs[k], logs[k] = np.linalg.slogdet(flat[k])
    return signs.reshape(a.shape[:-2]), logs.reshape(a.shape[:-2])


def eigh(a: Any, uplo: Any) -> tuple:
    """Eigenvalues and eigenvectors.

    >>> [v.shape for v in eigh(np.ones((2, 3, 3)), "L")]
    [(2, 3), (2, 3, 3)]
    """
    flat = _flat(a)
    w, v = np.empty(flat.shape[:2], a.dtype), np.empty(flat.shape, a.dtype)
    for k in range(flat.shape[0]):
        w[k], v[k] = np.linalg.eigh(flat[k], uplo)  # type: ignore[call-overload]  # a str
    return w.reshape(a.shape[:-1]), v.reshape(a.shape)


def eig(a: Any) -> tuple:
    """Eigenvalues and eigenvectors of complex matrices.

    >>> [v.shape for v in eig(np.ones((2, 3, 3)) + 0j)]
    [(2, 3), (2, 3, 3)]
    """
    flat = _flat(a)
    w, v = np.empty(flat.shape[:2], a.dtype), np.empty(flat.shape, a.dtype)
    for k in range(flat.shape[0]):
        w[k], v[k] = np.linalg.eig(flat[k])
    return w.reshape(a.shape[:-1]), v.reshape(a.shape)


def svd(a: Any) -> tuple:
    """Singular values and vectors, as many as the shorter side is long.

    >>> [v.shape for v in svd(np.ones((2, 3, 1)))]
    [(2, 3, 1), (2, 1), (2, 1, 1)]
    """
    flat, lead = _flat(a), a.shape[:-2]
    count, m, n = flat.shape
    size = min(m, n)
    u, s = np.empty((count, m, size), a.dtype), np.empty((count, size), a.dtype)
    vt = np.empty((count, size, n), a.dtype)
    for k in range(count):
        u[k], s[k], vt[k] = np.linalg.svd(flat[k], full_matrices=False)
    return u.reshape((*lead, m, size)), s.reshape((*lead, size)), vt.reshape((*lead, size, n))


def qr(a: Any) -> tuple:
    """Orthonormal columns and triangles.

    >>> [v.shape for v in qr(np.ones((2, 3, 1)))]
    [(2, 3, 1), (2, 1, 1)]
    """
    flat, lead = _flat(a), a.shape[:-2]
    count, m, n = flat.shape
    size = min(m, n)
    q, r = np.empty((count, m, size), a.dtype), np.empty((count, size, n), a.dtype)
    for k in range(count):
        q[k], r[k] = np.linalg.qr(flat[k])
    return q.reshape((*lead, m, size)), r.reshape((*lead, size, n))
