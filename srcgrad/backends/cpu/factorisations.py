"""Factorisations of matrices: LAPACK through Numba, and by loops what Numba does not have.

Each gives one fresh array, laid out as `srcgrad.primitives.factorisations` says. Compiled once per
machine. Without Numba these are plain functions.
"""

from __future__ import annotations

import numpy as np

from srcgrad.backends.cpu.failure import Failure
from srcgrad.backends.cpu.kernels import compiled
from srcgrad.backends.cpu.library import finite


@compiled
def eigh(site, a, lower):
    n, failed = a.shape[0], False
    out = np.full((n + 1, n), np.nan, a.dtype)
    if finite(a):
        try:
            w, v = np.linalg.eigh(np.ascontiguousarray(a if lower else a.T))
            out[0], out[1:] = w, v
        except Exception:  # a raise in here would be lost
            failed = True
    if failed:
        raise Failure(site)
    return out


@compiled
def eig(site, a):
    n, failed = a.shape[0], not finite(a)
    out = np.empty((n + 1, n), a.dtype)
    if not failed:
        try:
            w, v = np.linalg.eig(np.ascontiguousarray(a))
            out[0], out[1:] = w, v
        except Exception:
            failed = True
    if failed:
        raise Failure(site)
    return out


@compiled
def svd(site, a):
    m, n = a.shape
    out, failed = np.empty((1 + m + n, min(m, n)), a.dtype), not finite(a)
    if a.size > 0 and not failed:  # Numba's LAPACK takes nothing empty
        try:
            u, s, vt = np.linalg.svd(np.ascontiguousarray(a), False)
            out[0], out[1 : 1 + m], out[1 + m :] = s, u, vt.T
        except Exception:
            failed = True
    if failed:
        raise Failure(site)
    return out


@compiled
def singular_values(site, a, checked):
    out, failed = np.full(min(a.shape), np.nan, a.dtype), not finite(a)
    if a.size > 0 and not failed:
        try:
            out[...] = np.linalg.svd(np.ascontiguousarray(a), False)[1]
        except Exception:
            failed = True
    if failed and checked:
        raise Failure(site)
    return out


@compiled
def qr(a):
    m, n = a.shape
    out = np.full((m + n, n), np.nan, a.dtype)
    if a.size > 0 and finite(a):
        q, r = np.linalg.qr(np.ascontiguousarray(a))
        out[:m], out[m:] = q, r.T
    return out


@compiled
def pinv(site, a, rcond):
    out, failed = np.empty((a.shape[1], a.shape[0]), a.dtype), not finite(a)
    if a.size > 0 and not failed:
        try:
            out[...] = np.linalg.pinv(np.ascontiguousarray(a), rcond)
        except Exception:
            failed = True
    if failed:
        raise Failure(site)
    return out


@compiled
def lstsq(site, a, b, rcond):
    out = np.zeros(a.shape[1:] + b.shape[1:], a.dtype)
    failed = not (finite(a) and finite(b))
    if out.size > 0 and a.size > 0 and not failed:
        try:
            right = np.ascontiguousarray(b)
            out[...] = np.linalg.lstsq(np.ascontiguousarray(a), right, rcond)[0]
        except Exception:
            failed = True
    if failed:
        raise Failure(site)
    return out


@compiled
def coincide(a, b):
    largest = 0.0
    for v in a:
        largest = max(largest, abs(v))
    for v in b:
        largest = max(largest, abs(v))
    nearest = max(a.size, b.size) * np.finfo(a.dtype).eps * largest
    out = np.empty((a.size, b.size), np.bool_)
    for i in range(a.size):
        for j in range(b.size):
            out[i, j] = abs(a[i] - b[j]) <= nearest
    return out


@compiled
def solve_triangular(site, a, b, lower, transposed, unit):
    n = a.shape[0]
    width = b.size // max(n, 1)
    x = np.ascontiguousarray(b).copy().reshape((n, width))
    for step in range(n):
        i = step if lower != transposed else n - 1 - step
        if not unit:
            if a[i, i] == 0:
                raise Failure(site)
            x[i] /= a[i, i]
        for other in range(step + 1, n):
            k = other if lower != transposed else n - 1 - other
            factor = a[i, k] if transposed else a[k, i]
            for j in range(width):
                x[k, j] -= factor * x[i, j]
    return x.reshape(b.shape)


# ---- LU: rows are exchanged by the caller, who is told which ----
@compiled
def eliminate(a, k):
    """The rows below k less their multiples of row k; the factors take the place of the zeros."""
    if a[k, k] == 0:
        return
    for i in range(k + 1, a.shape[0]):
        a[i, k] /= a[k, k]
        for j in range(k + 1, a.shape[0]):
            a[i, j] -= a[i, k] * a[k, j]


@compiled
def lu(a):
    out = np.ascontiguousarray(a).copy()
    for k in range(a.shape[0]):
        eliminate(out, k)
    return out


@compiled
def lu_pivots(a):
    out = np.ascontiguousarray(a).copy()
    pivots = np.empty(a.shape[0], np.int64)
    for k in range(a.shape[0]):
        pivots[k] = k + np.argmax(np.abs(out[k:, k]))
        for j in range(a.shape[0]):
            out[k, j], out[pivots[k], j] = out[pivots[k], j], out[k, j]
        eliminate(out, k)
    return pivots
