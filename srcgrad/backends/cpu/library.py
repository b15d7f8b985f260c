"""Library calls on whole arrays: LAPACK through Numba, ordering, search.

Every result is a fresh C-contiguous array; strided operands are copied once, because LAPACK wants
contiguous ones. Compiled once per machine. Without Numba these are plain functions.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from srcgrad.backends.cpu.failure import Failure
from srcgrad.backends.cpu.kernels import compiled, objmode


# ---- decompositions: Numba raises where a matrix holds NaN or inf, NumPy answers NaN ----
@compiled
def finite(a):
    good = True
    for v in a.flat:
        good &= np.isfinite(v)
    return good


@compiled
def solve(site, a, b):
    if not (finite(a) and finite(b)):
        return np.full(b.shape, np.nan, b.dtype)
    out, failed = np.empty(b.shape, b.dtype), False
    try:
        out[...] = np.linalg.solve(a, b)
    except Exception:  # a raise in here would be lost
        failed = True
    if failed:
        raise Failure(site)
    return out


@compiled
def inv(site, a):
    if not finite(a):
        return np.full(a.shape, np.nan, a.dtype)
    out, failed = np.empty(a.shape, a.dtype), False
    try:
        out[...] = np.linalg.inv(a)
    except Exception:
        failed = True
    if failed:
        raise Failure(site)
    return out


@compiled
def cholesky(site, a):
    out, failed = np.empty(a.shape, a.dtype), False
    try:
        out[...] = np.linalg.cholesky(a)
    except Exception:
        failed = True
    if failed:
        raise Failure(site)
    return out


@compiled
def det(a):
    return a.dtype.type(np.linalg.det(a) if finite(a) else np.nan)


@compiled
def logabsdet(a):
    return a.dtype.type(np.linalg.slogdet(a)[1] if finite(a) else np.nan).real


@compiled
def detsign(a):
    return a.dtype.type(np.linalg.slogdet(a)[0] if finite(a) else np.nan)


@compiled
def cofactors(a):
    """det(a) times the transposed inverse, of singular matrices too: by their singular values."""
    if not finite(a):
        return np.full(a.shape, np.nan, a.dtype)
    u, s, vt = np.linalg.svd(a)
    others = np.ones_like(s)
    for k in range(s.size):
        for other in range(s.size):
            if other != k:
                others[k] *= s[other]
    sign = a.dtype.type(np.linalg.det(u) * np.linalg.det(vt))
    return sign * np.conj(np.dot(u * others, vt))


# ---- Fourier transforms: NumPy's own, for Numba has none. An interpreter runs them ----
def transform(kind, x, axis, out):
    """Without a factor in front of the sums, as the primitives are."""
    if kind == 0:
        np.fft.fft(x, axis=axis, out=out)
    elif kind == 1:
        np.fft.ifft(x, axis=axis, norm="forward", out=out)
    elif kind == 2:
        np.fft.rfft(x, axis=axis, out=out)
    else:
        np.fft.irfft(x, out.shape[axis], axis=axis, norm="forward", out=out)


@partial(compiled, nogil=False)
def fourier(kind, x, axis, dims, dtype):
    out = np.empty(dims, dtype)
    with objmode():
        transform(kind, x, axis, out)
    return out


# ---- ordering and search: NaN is larger than anything ----
@compiled
def argsort(x):
    return np.argsort(x, kind="mergesort")


@compiled
def search_left(a, v):
    low, high = 0, a.size
    while low < high:
        middle = (low + high) >> 1
        below = (a[middle] < v) | ((v != v) & (a[middle] == a[middle]))
        low, high = (middle + 1, high) if below else (low, middle)
    return low


@compiled
def search_right(a, v):
    low, high = 0, a.size
    while low < high:
        middle = (low + high) >> 1
        above = (v < a[middle]) | ((a[middle] != a[middle]) & (v == v))
        low, high = (low, middle) if above else (middle + 1, high)
    return low
