"""Parts of routines: copies, fills, tests of all elements.

LAPACK's matrices are in column-major order: such a matrix is an array of its columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.routines.external import contiguous, lapack, room


def columns(a: Any) -> Any:
    """The columns of a matrix, as rows."""
    to = room(a.shape[1], a.shape[0], a.dtype)
    turn(to, a)
    return to


def rows(a: Any) -> Any:
    """A matrix with rows that follow one another: itself if it has such."""
    if contiguous(a):
        return a
    to = room(a.shape[0], a.shape[1], a.dtype)
    copy(to, a)
    return to


def number(value: Any, a: Any) -> Any:
    """A number of the dtype of `a`, in memory."""
    made = room(1, 1, a.dtype)
    made[0, 0] = value
    return made


def turn(to: Any, a: Any) -> None:
    """Stores the transpose of the first rows or columns of `a`."""
    for j in range(to.shape[0]):
        for i in range(to.shape[1]):
            to[j, i] = a[i, j]


def conjugated(a: Any) -> Any:
    """The conjugate of a matrix, in memory of its own if it is complex."""
    if not np.iscomplexobj(a):
        return a
    to = room(a.shape[0], a.shape[1], a.dtype)
    for i in range(to.shape[0]):
        for j in range(to.shape[1]):
            to[i, j] = np.conj(a[i, j])
    return to


def stack(to: Any, values: Any, vectors: Any) -> None:
    """Stores a row of values, and below it the columns that are the rows of `vectors`."""
    for j in range(vectors.shape[0]):
        to[0, j] = values[0, j]
        for i in range(vectors.shape[1]):
            to[1 + i, j] = vectors[j, i]


def copy(to: Any, a: Any) -> None:
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            to[i, j] = a[i, j]


def fill(to: Any, value: Any) -> None:
    for i in range(to.shape[0]):
        for j in range(to.shape[1]):
            to[i, j] = value


def identity(to: Any) -> None:
    fill(to, 0)
    for i in range(to.shape[0]):
        to[i, i] = 1


def row_sum(a: Any) -> Any:
    """The largest sum of the magnitudes in a row, which is a norm."""
    largest = a.real.dtype.type(0)
    for i in range(a.shape[0]):
        total = a.real.dtype.type(0)
        for j in range(a.shape[1]):
            total = total + np.abs(a[i, j])
        largest = np.where(total > largest, total, largest)
    return largest


def finite(a: Any) -> Any:
    good = True
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            good = good & np.isfinite(a[i, j])
    return good


def reals(n: Any, a: Any) -> Any:
    """A row of real numbers of the precision of `a`."""
    return room(1, n, a.real.dtype)


def integers(n: Any) -> Any:
    return room(1, n, np.int32)


def lead(n: Any) -> Any:
    """The distance of columns of `n` elements."""
    return max(n, 1)


def worked(name: str, a: Any, *args: Any, then: Any = ()) -> Any:
    """Calls a routine of LAPACK with the workspace that it asks for, between `args` and `then`."""
    asked = room(1, 1, a.dtype)
    lapack(name, *args, asked, -1, *then)
    # a float32 may be rounded down
    count = max(np.int64(asked[0, 0].real * (1.0 + 2.0**-20)) + 1, 1)
    return lapack(name, *args, room(1, count, a.dtype), count, *then)
