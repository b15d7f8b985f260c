"""Systems with banded matrices: element (i, j) is in row `upper + i - j` of the stored band."""

from __future__ import annotations

from typing import Any

from srcgrad.primitives import banded as rows
from srcgrad.routines.external import Routine, check, lapack, room
from srcgrad.routines.matrices import columns, fill, integers, lead, turn


def band_product(out: Any, ab: Any, x: Any, upper: int, transposed: bool) -> None:
    fill(out, 0)
    n = x.shape[0]
    for k in range(ab.shape[0]):
        below = k - upper
        for j in range(max(0, -below), min(n, n - below)):
            to, of = (j, j + below) if transposed else (j + below, j)
            for c in range(x.shape[1]):
                out[to, c] += ab[k, j] * x[of, c]


def band_outer(out: Any, u: Any, v: Any, rows: int, upper: int) -> None:
    fill(out, 0)
    n = u.shape[0]
    for k in range(rows):
        below = k - upper
        for j in range(max(0, -below), min(n, n - below)):
            for c in range(u.shape[1]):
                out[k, j] += u[j + below, c] * v[j, c]


def solve_banded(out: Any, ab: Any, b: Any, upper: int, transposed: bool) -> None:
    n, many, stored = b.shape[0], b.shape[1], ab.shape[0]
    lower = stored - upper - 1
    high = stored + lower
    # LAPACK fills in above
    wide = room(n, high, ab.dtype)
    for j in range(n):
        for k in range(stored):
            wide[j, lower + k] = ab[k, j]
    pivots, x = integers(n), columns(b)
    check(lapack("gbtrf", n, n, lower, upper, wide, high, pivots))
    way = "T" if transposed else "N"
    lapack("gbtrs", way, n, lower, upper, many, wide, high, pivots, x, lead(n))
    turn(out, x)


def solveh_banded(out: Any, ab: Any, b: Any, lower: bool) -> None:
    n, many, stored = b.shape[0], b.shape[1], ab.shape[0]
    band, x = columns(ab), columns(b)
    triangle = "L" if lower else "U"
    info = lapack("pbsv", triangle, n, stored - 1, many, band, lead(stored), x, lead(n))
    check(info)
    turn(out, x)


def _minor(info: int) -> str:
    return f"{info}th leading minor not positive definite"


ROUTINES = {
    rows.band_product: Routine(band_product),
    rows.band_outer: Routine(band_outer),
    rows.solve_banded: Routine(solve_banded, "singular matrix"),
    rows.solveh_banded: Routine(solveh_banded, _minor),
}
