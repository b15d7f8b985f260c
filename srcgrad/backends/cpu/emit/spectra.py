"""Eigenvalues, singular values, QR and functions of them, by LAPACK.

Each result is one matrix, laid out as `srcgrad.primitives.factorisations` says. The routines are
those of numpy.linalg, so that signs are NumPy's.
"""

from __future__ import annotations

import numpy as np

from srcgrad.backends.cpu.calls import NOT_FINITE
from srcgrad.backends.cpu.emit.functions import intrinsic
from srcgrad.backends.cpu.emit.routines import Argument, Matrix, Place, Routine
from srcgrad.backends.cpu.emit.systems import determinant_itself
from srcgrad.frontend.versions import raised
from srcgrad.ir.types import is_complex

# NumPy's LAPACK is not SciPy's, which is called here: newer ones do not converge then
_INFINITE_FAILS = raised(np.linalg.svd, np.array([[np.inf, 1.0], [1.0, 3.0]])) is not None


def eigh(r: Routine, out: Matrix, a: Matrix, lower: bool) -> None:
    n = a.columns
    r.fill(out, r.literal(float("nan")))
    # LAPACK turns NaN into numbers here
    r.done_where(f"icmp eq i1 {r.finite(a)}, false")
    vectors, values = r.columns(a), r.reals(n)
    places = r.w.plus(r.w.times(n, 5), 3)
    info = r.worked("syevd", b"V", b"L" if lower else b"U", n, vectors, vectors.lead, values,
                    then=(r.integers(places), places))  # fmt: skip
    r.check(info)
    r.copy(out.first("1"), values)
    r.copy(r.below(out, "1").first(n), vectors)


def eig(r: Routine, out: Matrix, a: Matrix) -> None:
    """The eigenvalues and vectors of a complex matrix."""
    n = a.columns
    r.leave_where(f"icmp eq i1 {r.finite(a)}, false", str(NOT_FINITE))
    work, vectors = r.columns(a), r.matrix(n, n)
    values = r.matrix("1", n)
    real = r.reals(r.w.times(n, 2))
    info = r.worked("geev", b"N", b"V", n, work, work.lead, values, Place("null"), "1", vectors,
                    vectors.lead, then=(real,))  # fmt: skip
    r.check(info)
    r.copy(out.first("1"), values)
    r.copy(r.below(out, "1").first(n), vectors)


# ---- singular values ----
def shorter(r: Routine, a: Matrix) -> str:
    return r.least(a.rows, a.columns)


def decomposed(r: Routine, a: Matrix, how: bytes) -> tuple[str, Matrix, Matrix, Matrix]:
    """LAPACK's info, U, the values, V'; `how`: `S`, or `N` for the values alone."""
    k, work = shorter(r, a), r.columns(a)
    values, rows, columns = r.reals(k), a.rows, a.columns
    if how == b"N":
        rows = columns = "1"
    u, vt = r.matrix(rows, k), r.matrix(k, columns)
    then: list[Argument] = [r.integers(r.w.times(k, 8))]
    if is_complex(r.dtype):
        # at least LRWORK of LAPACK's zgesdd: 5 k k + 5 k and 2 k longer + 2 k k + k reals
        longer = r.w.times(r.w.most(a.rows, a.columns), 2)
        each = r.w.plus(r.w.plus(r.w.times(k, 5), longer), 7)
        then.insert(0, r.reals(r.w.times(k, each)))
    info = r.worked("gesdd", how, a.rows, a.columns, work, work.lead, values, u, u.lead, vt,
                    vt.lead, then=then)  # fmt: skip
    return info, u, values, vt


def _refuse_infinity(r: Routine, a: Matrix) -> None:
    if _INFINITE_FAILS:
        r.leave_where(f"icmp eq i1 {r.finite(a)}, false", str(NOT_FINITE))


def svd(r: Routine, out: Matrix, a: Matrix) -> None:
    r.done_where(f"icmp eq i64 {shorter(r, a)}, 0")
    _refuse_infinity(r, a)
    info, u, values, vt = decomposed(r, a, b"S")
    r.check(info)
    r.copy(out.first("1"), values)
    r.copy(r.below(out, "1").first(a.rows), u)
    r.copy(r.below(out, r.w.plus(a.rows, 1)).first(a.columns), vt.turned)


def singular_values(r: Routine, out: Matrix, a: Matrix, checked: bool) -> None:
    """The singular values; NaN if they do not converge, unless that is an error."""
    r.fill(out, r.literal(float("nan")))
    r.done_where(f"icmp eq i64 {shorter(r, a)}, 0")
    if checked:
        _refuse_infinity(r, a)
    info, _, values, _ = decomposed(r, a, b"N")
    r.leave_where(f"icmp ne i32 {info}, 0", info if checked else "0")
    r.copy(out, values.turned)


def pinv(r: Routine, out: Matrix, a: Matrix, rcond: str) -> None:
    r.done_where(f"icmp eq i64 {shorter(r, a)}, 0")
    _refuse_infinity(r, a)
    info, u, values, vt = decomposed(r, a, b"S")
    r.check(info)
    largest = r.widened(r.load_real(values, "0"))
    cutoff = r.w.do(f"fmul double {rcond}, {largest}")
    with r.each(u) as (i, k):
        value = r.load_real(values, k)
        there = r.w.do(f"fcmp ogt double {r.widened(value)}, {cutoff}")
        over = r.do("fdiv", r.constant(1.0), value)
        factor = r.w.choose(there, over, r.constant(0.0), r.kind)
        r.store(u, i, k, r.scaled(r.load(u, i, k), factor))
    r.copy(out, r.product(vt, u, b"TT"))


def lstsq(r: Routine, out: Matrix, a: Matrix, b: Matrix, rcond: str) -> None:
    assert not is_complex(r.dtype)
    r.fill(out, r.literal(0.0))
    for m in (a, b):
        # LAPACK writes to the terminal
        r.leave_where(f"icmp eq i1 {r.finite(m)}, false", str(NOT_FINITE))
    k = shorter(r, a)
    for n in (k, out.columns):
        r.done_where(f"icmp eq i64 {n}, 0")
    work, x = r.columns(a), r.matrix(r.w.most(a.rows, a.columns), b.columns)
    r.copy(x.first(a.rows), b)
    info = least_squares(r, work, x, k, rcond)
    r.check(info)
    r.copy(out, x.first(a.columns))


def least_squares(r: Routine, a: Matrix, x: Matrix, k: str, rcond: str) -> str:
    """Least squares by gelsd; its integers are 3 k levels + 11 k, with at most 32 levels."""
    limit = r.placed(r.narrowed(rcond), r.real)
    return r.worked("gelsd", a.rows, a.columns, x.columns, a, a.lead, x, x.lead, r.reals(k), limit,
                    r.integers("1"), then=(r.integers(r.w.times(k, 107)),))  # fmt: skip


# ---- QR of a matrix with at least as many rows as columns ----
def qr(r: Routine, out: Matrix, a: Matrix) -> None:
    assert not is_complex(r.dtype)
    n, factor = a.columns, r.columns(a)
    tau = r.reals(n)
    r.worked("geqrf", a.rows, n, factor, factor.lead, tau)
    # before Q overwrites the factor
    r.triangle(r.below(out, a.rows).first(n), factor.first(n).turned)
    r.worked("orgqr", a.rows, n, n, factor, factor.lead, tau)
    r.copy(out.first(a.rows), factor)


# ---- functions of values and vectors ----
def largest(r: Routine, v: Matrix) -> str:
    """The largest magnitude; NaN if one is."""
    found = r.variable(r.kind, r.constant(0.0))
    with r.each(v) as (i, j):
        size = r.magnitude(r.load(v, i, j))
        found.set(intrinsic(r.w, "maximum", r.real, found.get(), size))
    return found.get()


def coincide(r: Routine, out: Matrix, a: Matrix, b: Matrix) -> None:
    """Writes which values of two vectors are equal up to rounding; NaN equals nothing."""
    first, second = largest(r, a), largest(r, b)
    # as Python's max: a NaN of the second does not count
    later = r.w.do(f"fcmp ogt {r.kind} {second}, {first}")
    most = r.w.choose(later, second, first, r.kind)
    count = r.w.do(f"sitofp i64 {r.w.most(a.rows, b.rows)} to {r.kind}")
    precision = r.constant(2.0**-23 if r.real == "f32" else 2.0**-52)
    nearest = r.do("fmul", r.do("fmul", count, precision), most)
    with r.loop(a.rows) as i, r.loop(b.rows) as j:
        pairs = zip(*(r.parts(r.load(v, k, "0")) for v, k in ((a, i), (b, j))), strict=True)
        apart = [r.do("fsub", x, y) for x, y in pairs]
        size = r.magnitude(r.whole(*apart))
        same = r.w.do(f"fcmp ole {r.kind} {size}, {nearest}")
        r.w.write(r.at(out, i, j), "bool", same)


def cofactors(r: Routine, out: Matrix, a: Matrix) -> None:
    """det(a) times the transposed inverse, of singular matrices too: by their singular values."""
    r.fill(out, r.literal(float("nan")))
    r.done_where(f"icmp eq i1 {r.finite(a)}, false")
    info, u, values, vt = decomposed(r, a, b"S")
    r.done_where(f"icmp ne i32 {info}, 0")
    sign = r.times(determinant_itself(r, u), determinant_itself(r, vt))
    with r.loop(a.rows) as k:
        others = r.variable(r.kind, r.constant(1.0))
        with r.loop(a.rows) as other:
            own = r.w.do(f"icmp eq i64 {k}, {other}")
            factor = r.w.choose(own, r.constant(1.0), r.load_real(values, other), r.kind)
            others.set(r.do("fmul", others.get(), factor))
        with r.loop(a.rows) as i:
            r.store(u, i, k, r.scaled(r.load(u, i, k), others.get()))
    product = r.product(u, vt)
    with r.each(out) as (i, j):
        r.store(out, i, j, r.times(sign, r.conjugate(r.load(product, i, j))))
