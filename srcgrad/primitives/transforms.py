"""Discrete Fourier transforms along one axis, unnormalised.

y_k = sum over n of x_n exp(-2 pi i k n / N), with the other sign for `inverse`. `rfft` gives the
first half of that of real numbers; `irfft` gives N real numbers of such a half and does not read
the imaginary parts at both ends. The transform is a symmetric matrix, its own transpose; those of
the halves are each other's, with a factor of 2 for elements that represent two.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.operation import Stated
from srcgrad.primitives.arrays import expand_dims, iota, shape
from srcgrad.primitives.elementwise import conj, eq, logical_or
from srcgrad.primitives.registry import linear
from srcgrad.primitives.rules import select

REAL = {"c64": "f32", "c128": "f64"}
COMPLEX = {"f32": "c64", "f64": "c128"}


def _fft(x: Any, axis: int, inverse: bool) -> Any:
    y = np.fft.ifft(x, axis=axis, norm="forward") if inverse else np.fft.fft(x, axis=axis)
    return np.ascontiguousarray(y)


def _rfft(x: Any, axis: int) -> Any:
    return np.ascontiguousarray(np.fft.rfft(x, axis=axis))


def _irfft(x: Any, n: Any, axis: int) -> Any:
    return np.ascontiguousarray(np.fft.irfft(x, int(n), axis=axis, norm="forward"))


def _scaled(y: Any, n: Any, axis: int, ends: float, middle: float) -> Any:
    """A half times `ends` where an element represents itself: at 0 and a whole n / 2."""
    dims = shape(y)
    k = iota(dims[axis])
    factors = select(logical_or(eq(k, 0), eq(k * 2, n)), ends, middle)
    return y * expand_dims(factors, tuple(a for a in range(len(dims)) if a != axis))


def _rfft_typing(b: Any, x: Any, axis: int) -> Stated:
    dims = list(x.type.dims)
    dims[axis] = b.dim(b.add(b.floordiv(dims[axis], 2), 1))
    return COMPLEX[x.type.dtype], tuple(dims)


def _irfft_typing(b: Any, x: Any, n: Any, axis: int) -> Stated:
    dims = list(x.type.dims)
    dims[axis] = b.dim(n)
    return REAL[x.type.dtype], tuple(dims)


fft = linear(
    "fft",
    _fft,
    lambda g, y, x, axis, inverse: fft(g, axis=axis, inverse=inverse),
    typing=lambda b, x, axis, inverse: (x.type.dtype, x.type.dims),
    along=True,
)
rfft = linear(
    "rfft",
    _rfft,
    lambda g, y, x, axis: irfft(
        _scaled(conj(g), shape(x)[axis], axis, 1.0, 0.5), shape(x)[axis], axis=axis
    ),
    typing=_rfft_typing,
    along=True,
)
irfft = linear(
    "irfft",
    _irfft,
    lambda g, y, x, n, axis: conj(_scaled(rfft(g, axis=axis), n, axis, 1.0, 2.0)),
    None,
    typing=_irfft_typing,
    along=True,
)
