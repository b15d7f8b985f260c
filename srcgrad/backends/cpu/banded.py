"""Systems with banded matrices, stored as `srcgrad.primitives.banded` says.

Elimination works on rows that begin where the first element not yet eliminated is: so rows that are
exchanged stay side by side, and none is wider than the band. Compiled once per machine. Without
Numba these are plain functions.
"""

from __future__ import annotations

import numpy as np

from srcgrad.backends.cpu.failure import Failure
from srcgrad.backends.cpu.kernels import compiled
from srcgrad.backends.cpu.library import finite


# ---- products ----
@compiled
def band_product(ab, x, upper, transposed):
    rows, n = ab.shape
    width = x.size // max(n, 1)
    right = np.ascontiguousarray(x).reshape((n, width))
    out = np.zeros_like(right)
    for k in range(rows):
        below = k - upper
        for j in range(max(0, -below), n - max(0, below)):
            to, of = (j, j + below) if transposed else (j + below, j)
            for c in range(width):
                out[to, c] += ab[k, j] * right[of, c]
    return out.reshape(x.shape)


@compiled
def band_outer(u, v, rows, upper):
    n = len(u)
    width = u.size // max(n, 1)
    left = np.ascontiguousarray(u).reshape((n, width))
    right = np.ascontiguousarray(v).reshape((n, width))
    out = np.zeros((rows, n), u.dtype)
    for k in range(rows):
        below = k - upper
        for j in range(max(0, -below), n - max(0, below)):
            for c in range(width):
                out[k, j] += left[j + below, c] * right[j, c]
    return out


# ---- elimination with partial pivoting ----
@compiled
def band_rows(ab, upper, transposed):
    """Row i of the matrix or its transpose, from its first element inside the band on."""
    rows, n = ab.shape
    below = upper if transposed else rows - 1 - upper
    out = np.zeros((n, rows), ab.dtype)
    for i in range(n):
        first = max(0, i - below)
        for j in range(first, min(n, i + rows - below)):
            out[i, j - first] = ab[upper + j - i, i] if transposed else ab[upper + i - j, j]
    return out


@compiled
def exchange(a, i, k):
    for j in range(a.shape[1]):
        a[i, j], a[k, j] = a[k, j], a[i, j]


@compiled
def solve_banded(site, ab, b, upper, transposed):
    rows, n = ab.shape
    a = band_rows(ab, upper, transposed)
    width = b.size // max(n, 1)
    x = np.ascontiguousarray(b).copy().reshape((n, width))
    below = upper if transposed else rows - 1 - upper
    for k in range(n):
        end, best = min(n, k + below + 1), k
        for i in range(k + 1, end):
            best = i if abs(a[i, 0]) > abs(a[best, 0]) else best
        if a[best, 0] == 0:
            if not finite(a):
                return np.full(b.shape, np.nan, b.dtype)
            raise Failure(site)
        if best != k:
            exchange(a, k, best)
            exchange(x, k, best)
        for i in range(k + 1, end):
            factor = a[i, 0] / a[k, 0]
            for j in range(1, rows):
                a[i, j - 1] = a[i, j] - factor * a[k, j]
            a[i, rows - 1] = 0
            for c in range(width):
                x[i, c] -= factor * x[k, c]
    backwards(a, x)
    return x.reshape(b.shape)


@compiled
def backwards(a, x):
    """Row k of a triangular matrix begins at its diagonal: x becomes what solves it."""
    n, rows = a.shape
    width = x.shape[1]
    for k in range(n - 1, -1, -1):
        for c in range(width):
            for j in range(1, min(rows, n - k)):
                x[k, c] -= a[k, j] * x[k + j, c]
            x[k, c] /= a[k, 0]


# ---- Cholesky factors: U with U'U = A, row by row ----
@compiled
def solveh_banded(site, ab, b, lower):
    rows, n = ab.shape
    a = np.zeros((n, rows), ab.dtype)
    for k in range(rows):
        for j in range(n - k):
            a[j, k] = ab[k, j] if lower else ab[rows - 1 - k, j + k]
    width = b.size // max(n, 1)
    x = np.ascontiguousarray(b).copy().reshape((n, width))
    for k in range(n):
        if not a[k, 0] > 0:
            raise Failure(site)
        root = np.sqrt(a[k, 0])
        for j in range(rows):
            a[k, j] /= root
        for c in range(width):
            x[k, c] /= a[k, 0]
        for i in range(1, min(rows, n - k)):
            factor = a[k, i]
            for j in range(i, rows):
                a[k + i, j - i] -= factor * a[k, j]
            for c in range(width):
                x[k + i, c] -= factor * x[k, c]
    backwards(a, x)
    return x.reshape(b.shape)
