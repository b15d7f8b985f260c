"""Library calls on whole arrays that Numba compiles: Fourier transforms, search.

Without Numba these are plain functions.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from srcgrad.backends.cpu.kernels import compiled, objmode


# ---- Fourier transforms: NumPy's own, for Numba has none. An interpreter runs them ----
def transform(kind, x, axis, out):
    """A transform without a factor in front of the sums, like the primitives."""
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


# ---- search: NaN is larger than anything ----
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
