"""Library calls on whole arrays: BLAS and LAPACK through Numba, orderings, searches.

Every result is a fresh C-contiguous array. Strided operands are copied once, because BLAS wants
contiguous ones. Compiled once per machine. Without Numba these are plain functions.
"""

from __future__ import annotations

import numpy as np

from srcgrad.backends.cpu.failure import Failure
from srcgrad.backends.cpu.kernels import compiled


@compiled
def matvec(a, x):
    return np.dot(np.ascontiguousarray(a), np.ascontiguousarray(x))


@compiled
def vecdot(a, b):
    return np.dot(np.ascontiguousarray(a), np.ascontiguousarray(b))
