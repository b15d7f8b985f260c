"""Factorizations and triangular solves with run-time slices (PolyBench/C 4.2; Golub & Van Loan)."""

import numpy as np

from examples.kernels.table import Kernel, definite, dominant, positive, signed


def lu(a):
    """Doolittle's factors in place of the matrix."""
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, n):
            a[i, j] -= a[i, :i] @ a[:i, j]


def ludcmp(a, b):
    """A system solved by its factors: both substitutions after `lu`."""
    lu(a)
    x = np.zeros_like(b)
    y = np.zeros_like(b)
    n = len(b)
    for i in range(n):
        y[i] = b[i] - a[i, :i] @ y[:i]
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x


def cholesky(a):
    """The lower factor in place of the lower triangle, a row at a time."""
    a[0, 0] = np.sqrt(a[0, 0])
    for i in range(1, a.shape[0]):
        for j in range(i):
            a[i, j] -= np.dot(a[i, :j], a[j, :j])
            a[i, j] /= a[j, j]
        a[i, i] -= np.dot(a[i, :i], a[i, :i])
        a[i, i] = np.sqrt(a[i, i])


def cholesky_of_library(a):
    """The factor by the library, its strict upper triangle as it was."""
    a[:] = np.linalg.cholesky(a) + np.triu(a, k=1)


def gramschmidt(a):
    """Orthonormal columns and the triangle, modified (Golub & Van Loan, 5.2.8)."""
    q = np.zeros_like(a)
    r = np.zeros((a.shape[1], a.shape[1]), dtype=a.dtype)
    for k in range(a.shape[1]):
        nrm = np.dot(a[:, k], a[:, k])
        r[k, k] = np.sqrt(nrm)
        q[:, k] = a[:, k] / r[k, k]
        for j in range(k + 1, a.shape[1]):
            r[k, j] = np.dot(q[:, k], a[:, j])
            a[:, j] -= q[:, k] * r[k, j]
    return q, r


def durbin(r):
    """Yule and Walker's equations by Durbin's recursion (Golub & Van Loan, 4.7.1)."""
    y = np.empty_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


def trisolv(lower, x, b):
    """A lower triangular system, the solution stored in `x`."""
    for i in range(x.shape[0]):
        x[i] = (b[i] - lower[i, :i] @ x[:i]) / lower[i, i]


def householder(a):
    """The triangle of a QR factorization by reflections (Golub & Van Loan, 5.2.1)."""
    m, n = a.shape
    for k in range(min(m - 1, n)):
        x = a[k:, k].copy()
        x[0] += np.sign(x[0]) * np.linalg.norm(x)
        x /= np.linalg.norm(x)
        a[k:, k:] -= 2.0 * np.outer(x, x @ a[k:, k:])
    return np.triu(a[:n])


def pivoted(a, b):
    """Gauss' elimination with row exchanges by a list of indices, then back substitution."""
    n = len(b)
    for k in range(n - 1):
        p = k + np.argmax(np.abs(a[k:, k]))
        if p != k:
            a[[k, p]] = a[[p, k]]
            b[[k, p]] = b[[p, k]]
        factors = a[k + 1 :, k] / a[k, k]
        a[k + 1 :, k:] -= factors[:, np.newaxis] * a[k, k:]
        b[k + 1 :] -= factors * b[k]
    for i in reversed(range(n)):
        b[i] = (b[i] - a[i, i + 1 :].dot(b[i + 1 :])) / a[i, i]


def conjugate_gradients(a, b, tolerance):
    """Hestenes and Stiefel's method, until the residual is small (Golub & Van Loan, 11.3)."""
    x = np.zeros_like(b)
    r = b - a @ x
    p = r.copy()
    rr = r @ r
    while np.sqrt(rr) > tolerance:
        ap = a @ p
        alpha = rr / (p @ ap)
        x += alpha * p
        r -= alpha * ap
        rr, before = r @ r, rr
        p *= rr / before
        p += r
    return x


def power_method(a, steps):
    """The greatest eigenvalue by repeated products and the Rayleigh quotient."""
    v = np.ones(a.shape[0])
    for _ in range(steps):
        v = a @ v
        v /= np.linalg.norm(v)
    return v @ a @ v


KERNELS = [
    Kernel(lu, lambda n: (dominant(n),), (4,), (150,), (0,)),
    Kernel(ludcmp, lambda n: (dominant(n), signed(n, seed=1)), (4,), (150,)),
    Kernel(cholesky, lambda n: (definite(n),), (4,), (200,), (0,)),
    Kernel(cholesky_of_library, lambda n: (definite(n),), (4,), (300,), (0,)),
    Kernel(gramschmidt, lambda m, n: (signed(m, n),), (5, 3), (200, 150)),
    Kernel(durbin, lambda n: (0.3 * positive(n) / n,), (5,), (1000,)),
    Kernel(
        trisolv,
        lambda n: (dominant(n), np.zeros(n), signed(n, seed=1)),
        (5,),
        (1500,),
        (1,),
        (0, 2),
    ),
    Kernel(householder, lambda m, n: (signed(m, n),), (4, 3), (200, 150)),
    Kernel(pivoted, lambda n: (signed(n, n), signed(n, seed=1)), (4,), (150,), (1,)),
    Kernel(
        conjugate_gradients,
        lambda n: (definite(n), signed(n, seed=1), 0.1),
        (5,),
        (500,),
        wrt=(0, 1),
    ),
    Kernel(power_method, lambda n, t: (positive(n, n), t), (4, 5), (500, 30)),
]
