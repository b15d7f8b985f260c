"""Systems of equations, inverses, Cholesky factors, determinants, LU, by LAPACK.

The routines are those of numpy.linalg and scipy.linalg, so that values are the same.
"""

from __future__ import annotations

from srcgrad.backends.cpu.emit.functions import intrinsic
from srcgrad.backends.cpu.emit.routines import Matrix, Place, Routine
from srcgrad.backends.cpu.emit.values import Number
from srcgrad.ir.types import is_complex


def solve(r: Routine, out: Matrix, a: Matrix, b: Matrix) -> None:
    lu, x = r.columns(a), r.columns(b)
    info = r.lapack("gesv", a.rows, x.columns, lu, lu.lead, r.integers(a.rows), x, x.lead)
    r.check(info)
    r.copy(out, x)


def inv(r: Routine, out: Matrix, a: Matrix) -> None:
    """The inverse as in NumPy: by the equations for the columns of the identity."""
    unit = r.matrix(a.rows, a.columns)
    with r.each(unit) as (i, j):
        same = r.w.do(f"icmp eq i64 {i}, {j}")
        r.store(unit, i, j, r.choose(same, r.literal(1.0), r.literal(0.0)))
    solve(r, out, a, unit)


def cholesky(r: Routine, out: Matrix, a: Matrix) -> None:
    factor = r.columns(a)
    info = r.lapack("potrf", b"L", a.rows, factor, factor.lead)
    r.check(info)
    r.triangle(out, factor)


def definite(r: Routine, out: Matrix, a: Matrix) -> None:
    factor = r.columns(a)
    info = r.lapack("potrf", b"L", a.rows, factor, factor.lead)
    has_factor = r.w.do(f"icmp eq i32 {info}, 0")
    r.store(out, "0", "0", r.choose(has_factor, r.literal(1.0), r.literal(0.0)))


# ---- determinants ----
def factored(r: Routine, a: Matrix) -> tuple[Matrix, Place, str]:
    """LU, the pivots, and whether a pivot is exactly zero."""
    lu, pivots = r.columns(a), r.integers(a.rows)
    info = r.lapack("getrf", a.rows, a.rows, lu, lu.lead, pivots)
    return lu, pivots, r.w.do(f"icmp ne i32 {info}, 0")


def determinant(r: Routine, a: Matrix) -> tuple[Number, str]:
    """The determinant's sign, a complex number of magnitude 1 or a real one, and log |det a|."""
    lu, pivots, singular = factored(r, a)
    start = (r.constant(1.0), r.constant(0.0))
    re, im, log = (r.variable(r.kind, v) for v in (*start, r.constant(0.0)))
    with r.loop(a.rows) as k:
        one = r.literal(1.0)
        moved = r.w.do(f"icmp ne i64 {pivot(r, pivots, k)}, {k}")
        sign = r.times(r.whole(re.get(), im.get()), r.choose(moved, r.literal(-1.0), one))
        element = r.load(lu, k, k)
        size = r.magnitude(element)
        sign = r.times(sign, direction(r, element, size))
        for part, v in zip((re, im), r.parts(sign), strict=True):
            part.set(v)
        log.set(r.do("fadd", log.get(), intrinsic(r.w, "log", r.real, size)))
    sign = r.choose(singular, r.literal(0.0), r.whole(re.get(), im.get()))
    nothing = r.constant(float("-inf"))
    return sign, r.w.choose(singular, nothing, log.get(), r.kind)


def direction(r: Routine, element: Number, size: str) -> Number:
    """An element over its magnitude."""
    if isinstance(element, tuple):
        return r.do("fdiv", element[0], size), r.do("fdiv", element[1], size)
    below = r.w.do(f"fcmp olt {r.kind} {element}, {r.constant(0.0)}")
    return r.choose(below, r.literal(-1.0), r.literal(1.0))


def pivot(r: Routine, pivots: Place, k: str) -> str:
    """The row that row k is exchanged with, both counted from 0."""
    at = r.moved(pivots.data, r.w.times(k, 4))
    row = r.w.do(f"sext i32 {r.w.do(f'load i32, ptr {at}, align 4')} to i64")
    return r.w.do(f"sub nsw i64 {row}, 1")


def det(r: Routine, out: Matrix, a: Matrix) -> None:
    r.store(out, "0", "0", determinant_itself(r, a))


def determinant_itself(r: Routine, a: Matrix) -> Number:
    sign, log = determinant(r, a)
    size = intrinsic(r.w, "exp", r.real, log)
    return r.times(sign, r.whole(size, r.constant(0.0)))


def logabsdet(r: Routine, out: Matrix, a: Matrix) -> None:
    r.w.write(out.data, r.real, determinant(r, a)[1])


def detsign(r: Routine, out: Matrix, a: Matrix) -> None:
    r.store(out, "0", "0", determinant(r, a)[0])


# ---- LU: the caller exchanges rows ----
def lu_pivots(r: Routine, out: Matrix, a: Matrix) -> None:
    _, pivots, _ = factored(r, a)
    with r.loop(a.rows) as k:
        r.w.write(r.at(out, k, "0"), "i64", pivot(r, pivots, k))


def lu(r: Routine, out: Matrix, a: Matrix) -> None:
    """LU without pivots: the factors replace the zeros; a zero pivot stays."""
    assert not is_complex(r.dtype)
    r.copy(out, a)
    with r.loop(a.rows) as k:
        top = r.load(out, k, k)
        none = r.w.do(f"fcmp oeq {r.kind} {top}, {r.constant(0.0)}")
        over = r.choose(none, r.literal(1.0), top)
        after = r.w.plus(k, 1)
        with r.loop(a.rows, after) as i:
            factor = r.do("fdiv", str(r.load(out, i, k)), str(over))
            r.store(out, i, k, factor)
            with r.loop(a.rows, after) as j:
                less = r.times(factor, r.load(out, k, j))
                r.store(out, i, j, r.do("fsub", str(r.load(out, i, j)), str(less)))


def solve_triangular(
    r: Routine, out: Matrix, a: Matrix, b: Matrix, lower: bool, transposed: bool, unit: bool
) -> None:
    factor, x = r.columns(a), r.columns(b)
    how = (b"L" if lower else b"U", b"T" if transposed else b"N", b"U" if unit else b"N")
    info = r.lapack("trtrs", *how, a.rows, x.columns, factor, factor.lead, x, x.lead)
    r.check(info)
    r.copy(out, x)


# ---- a x + x b = q ----
def sylvester(r: Routine, out: Matrix, a: Matrix, b: Matrix, q: Matrix) -> None:
    """Solves by Schur factors a = u r u' and b = w s w': r y + y s = u' q w for y = u' x w."""
    r.fill(out, r.literal(float("nan")))
    for m in (a, b):
        r.done_where(f"icmp eq i1 {r.finite(m)}, false")
    (first, u), (second, v) = schur(r, a), schur(r, b)
    y = r.product(r.product(u, r.columns(q), b"TN"), v)
    scale = r.placed(r.literal(1.0), r.dtype)
    info = r.lapack("trsyl", b"N", b"N", "1", y.rows, y.columns, first, first.lead, second,
                    second.lead, y, y.lead, scale)  # fmt: skip
    # LAPACK perturbs or scales equations without a solution of moderate size
    r.check(info)
    factor = r.w.read_part(scale.data, r.kind, r.real)
    r.leave_where(f"fcmp une {r.kind} {factor}, {r.constant(1.0)}", "1")
    r.copy(out, r.product(r.product(u, y), v, b"NT"))


def schur(r: Routine, a: Matrix) -> tuple[Matrix, Matrix]:
    """The real Schur form and its vectors."""
    assert not is_complex(r.dtype)
    form, vectors = r.columns(a), r.matrix(a.rows, a.rows)
    info = r.worked("gees", b"V", b"N", Place("null"), a.rows, form, form.lead, r.integers("1"),
                    r.reals(a.rows), r.reals(a.rows), vectors, vectors.lead,
                    then=(r.integers(a.rows),))  # fmt: skip
    r.check(info)
    return form, vectors
