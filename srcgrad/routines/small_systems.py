"""Small systems by loops, for which LAPACK takes longer to begin than they do.

Factors lie as LAPACK leaves them, the columns of LU as rows, and pivots count from 1. The order of
the operations is that of OpenBLAS: sums of products are subtracted at once, and pivots divide by
their reciprocal.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.routines.external import room
from srcgrad.routines.matrices import integers

SMALL = 8  # rows


def small_room(a: Any) -> tuple[Any, Any]:
    """Memory for the factors of a small matrix, with its columns, and for the pivots."""
    lu = room(SMALL, SMALL, a.dtype)
    for j in range(a.shape[0]):
        for i in range(a.shape[0]):
            lu[j, i] = a[i, j]
    return lu, integers(SMALL)


def factorized(lu: Any, pivots: Any, n: Any) -> Any:
    """Stores the factors and pivots; 0, or the number of the first pivot that is zero."""
    tiny, info = np.finfo(lu.dtype).tiny, 0
    for j in range(n):
        for k in range(j):
            exchange(lu, j, k, pivots[0, k] - 1)
        for i in range(1, n):
            lu[j, i] = lu[j, i] - inner(lu, j, i, min(i, j))
        at, most = j, magnitude(lu[j, j])
        for i in range(j + 1, n):
            more = magnitude(lu[j, i]) > most
            at, most = np.where(more, i, at), np.where(more, magnitude(lu[j, i]), most)
        pivots[0, j] = at + 1
        for k in range(j + 1):
            exchange(lu, k, j, at)
        pivot = lu[j, j]
        info = np.where((info == 0) & (pivot == 0), j + 1, info)
        # as in OpenBLAS, a real NaN does not divide, and what an infinity divides is 0
        over = np.where((pivot == 0) | real_nan(pivot), 1, pivot)
        inverse, large = 1 / over, np.abs(over) >= tiny
        for i in range(j + 1, n):
            quotient = np.where(large, lu[j, i] * inverse, lu[j, i] / over)
            lu[j, i] = np.where(inverse == 0, 0, quotient)
    return info


def real_nan(pivot: Any) -> Any:
    return False if np.iscomplexobj(pivot) else np.isnan(pivot)


def exchange(lu: Any, j: Any, i: Any, k: Any) -> None:
    lu[j, i], lu[j, k] = lu[j, k], lu[j, i]


def inner(lu: Any, j: Any, i: Any, stop: Any) -> Any:
    """The sum of products of the first elements of row i and column j."""
    total = lu.dtype.type(0)
    for k in range(stop):
        total = total + lu[k, i] * lu[j, k]
    return total


def magnitude(x: Any) -> Any:
    """By which LAPACK compares pivots."""
    return np.abs(x.real) + np.abs(x.imag) if np.iscomplexobj(x) else np.abs(x)


def substituted(x: Any, lu: Any, pivots: Any, n: Any, transposed: bool) -> None:
    """Solves for the columns of `x`, in place."""
    for c in range(x.shape[1]):
        if transposed:
            for i in range(n):
                total = x.dtype.type(0)
                for k in range(i):
                    total = total + lu[i, k] * x[k, c]
                x[i, c] = (x[i, c] - total) / lu[i, i]
            for i in range(n - 1, -1, -1):
                total = x.dtype.type(0)
                for k in range(i + 1, n):
                    total = total + lu[i, k] * x[k, c]
                x[i, c] = x[i, c] - total
            for i in range(n - 1, -1, -1):
                exchanged(x, i, pivots[0, i] - 1, c)
        else:
            for i in range(n):
                exchanged(x, i, pivots[0, i] - 1, c)
            for i in range(n):
                total = x.dtype.type(0)
                for k in range(i):
                    total = total + lu[k, i] * x[k, c]
                x[i, c] = x[i, c] - total
            for i in range(n - 1, -1, -1):
                total = x.dtype.type(0)
                for k in range(i + 1, n):
                    total = total + lu[k, i] * x[k, c]
                x[i, c] = (x[i, c] - total) / lu[i, i]


def exchanged(x: Any, i: Any, k: Any, c: Any) -> None:
    x[i, c], x[k, c] = x[k, c], x[i, c]
