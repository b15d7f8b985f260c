"""Systems with banded matrices: element (i, j) is in row `upper + i - j` of the stored band."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from srcgrad.backends.cpu.emit.routines import Matrix, Routine


# ---- products ----
@contextmanager
def diagonals(r: Routine, rows: str, n: str, upper: str) -> Iterator[tuple[str, str, str]]:
    """A row of the stored band, and the row and column of its element in column `j`."""
    with r.loop(rows) as k:
        below = r.w.do(f"sub nsw i64 {k}, {upper}")
        first = r.w.most(r.negated(below), "0")
        with r.loop(r.least(n, r.w.do(f"sub nsw i64 {n}, {below}")), first) as j:
            yield k, r.w.plus(j, below), j


def band_product(
    r: Routine, out: Matrix, ab: Matrix, x: Matrix, upper: str, transposed: bool
) -> None:
    r.fill(out, r.literal(0.0))
    with diagonals(r, ab.rows, x.rows, upper) as (k, i, j):
        to, of = (j, i) if transposed else (i, j)
        with r.loop(x.columns) as c:
            more = r.times(r.load(ab, k, j), r.load(x, of, c))
            r.store(out, to, c, r.plus(r.load(out, to, c), more))


def band_outer(r: Routine, out: Matrix, u: Matrix, v: Matrix, rows: str, upper: str) -> None:
    r.fill(out, r.literal(0.0))
    with diagonals(r, out.rows, u.rows, upper) as (k, i, j), r.loop(u.columns) as c:
        more = r.times(r.load(u, i, c), r.load(v, j, c))
        r.store(out, k, j, r.plus(r.load(out, k, j), more))


# ---- systems ----
def solve_banded(
    r: Routine, out: Matrix, ab: Matrix, b: Matrix, upper: str, transposed: bool
) -> None:
    n = b.rows
    lower = r.w.plus(r.w.do(f"sub nsw i64 {ab.rows}, {upper}"), -1)
    wide = r.matrix(r.w.plus(ab.rows, lower), n)  # LAPACK fills in above
    r.copy(r.below(wide, lower).first(ab.rows), ab)
    pivots, x = r.integers(n), r.columns(b)
    info = r.lapack("gbtrf", n, n, lower, upper, wide, wide.lead, pivots)
    r.check(info)
    r.lapack("gbtrs", b"T" if transposed else b"N", n, lower, upper, x.columns, wide,
             wide.lead, pivots, x, x.lead)  # fmt: skip
    r.copy(out, x)


def solveh_banded(r: Routine, out: Matrix, ab: Matrix, b: Matrix, lower: bool) -> None:
    band, x = r.columns(ab), r.columns(b)
    info = r.lapack("pbsv", b"L" if lower else b"U", b.rows, r.w.plus(ab.rows, -1), x.columns,
                    band, band.lead, x, x.lead)  # fmt: skip
    r.check(info)
    r.copy(out, x)
