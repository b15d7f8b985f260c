"""Derivatives of functions of a matrix, given its eigenvalues or singular values and the vectors.

A function of symmetric matrices f(A) = V f(w) V' has the derivative V (D * V'EV) V' along E, with
the divided differences D of f (Daleckii and Krein, 1965). Those of close values are means of f', by
Gauss's rule: docs/decisions/spectral_functions.md. The same holds for U f(s) V' of singular values,
with f continued as an odd function (V. Noferini, "A formula for the Frechet derivative of a
generalized matrix function", 2017).

`f`, `slope` and `bend` are f and its first two derivatives, of arrays of any shape.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.primitives.arrays import concatenate, expand_dims, iota, matmul, matrix_transpose
from srcgrad.primitives.elementwise import abs as absolute
from srcgrad.primitives.elementwise import (
    absorb,
    eq,
    gt,
    is_complex,
    le,
    logical_and,
    logical_not,
    logical_or,
    ne,
    real,
    undetermined,
)
from srcgrad.primitives.reductions import broadcast_to, max, sum
from srcgrad.primitives.rules import plain, select, shape

NAN = float("nan")
Values = Callable[[Any], Any]

# Gauss's rule of three points on [-1, 1]
_OUTER, _MIDDLE = 5.0 / 18.0, 8.0 / 18.0
_NODE = float(np.sqrt(0.6))
ROUNDINGS = 16.0  # how many of them f may have made


def rows(x: Any) -> Any:
    """x_i, as a matrix over i and j."""
    return expand_dims(x, (len(shape(x)),))


def columns(x: Any) -> Any:
    """x_j, as a matrix over i and j."""
    return expand_dims(x, (len(shape(x)) - 1,))


def _is_diagonal(x: Any) -> Any:
    n, m = shape(x)[-2:]
    return eq(expand_dims(iota(n), (1,)), expand_dims(iota(m), (0,)))


def _rounding(w: Any) -> tuple[float, float]:
    """The machine epsilon of real numbers with the precision of `w`, and its square root."""
    eps = float(np.finfo(w.dtype).eps)
    return eps, float(np.sqrt(eps))


def resolution(w: Any, axes: int = 2) -> Any:
    """The distance below which values of a matrix are equal up to rounding, with new axes."""
    lead = shape(w)[:-1]
    last = len(lead)
    nothing = sum(w * 0.0, axes=(last,))  # also for a matrix without elements
    nothing = broadcast_to(expand_dims(nothing, (last,)) if lead else nothing, *lead, 1)
    top = max(concatenate(absolute(w), nothing, axis=last), axes=(last,))
    top = top * (shape(w)[-1] * _rounding(w)[0])
    return expand_dims(top, tuple(range(last, last + axes))) if lead else top


# ---- divided differences ----
def divided(
    x: Any, y: Any, fx: Any, fy: Any, slope: Values, alike: Any, limit: Any
) -> tuple[Any, Any]:
    """(fx - fy) / (x - y), or its limit; and where it is undetermined.

    `alike`: the pairs for which fx and fy are values of one function, None: all.
    """
    gap, middle = x - y, (x + y) * 0.5
    reach = gap * (0.5 * _NODE)
    below, between, above = slope(middle - reach), slope(middle), slope(middle + reach)
    mean = (below + above) * _OUTER + between * _MIDDLE
    spread = absolute(below - between) + absolute(above - between)
    size = absolute(fx) + absolute(fy) + absolute(mean) * (absolute(x) + absolute(y))
    near = _is_mean(absolute(fx - fy - gap * mean), size, spread, absolute(mean), x)
    near = near if alike is None else logical_and(near, alike)
    tied = le(absolute(gap), limit)
    unknown = logical_and(tied, logical_not(near))
    safe = plain(select(logical_or(near, tied), 1.0, gap))
    return plain(select(near, mean, (fx - fy) / safe)), unknown


def _is_mean(left: Any, size: Any, spread: Any, mean: Any, like: Any) -> Any:
    """Whether a difference agrees with a mean of derivatives as far as its rounding allows.

    If the derivatives do not change either, a difference that lost more digits will do.
    """
    eps, root = _rounding(like)
    steady = logical_and(le(spread, mean * root), le(left, size * root))
    return logical_or(le(left, size * (ROUNDINGS * eps)), steady)


def differences(w: Any, f: Values, slope: Values, slope_here: Values, alike: Any) -> Any:
    """The matrix of f[w_i, w_j], with f' on its diagonal, and where it is undetermined."""
    x, y = rows(w), columns(w)
    fw = f(w)
    made, unknown = divided(x, y, rows(fw), columns(fw), slope, alike, resolution(w))
    diagonal = _is_diagonal(made)
    made = plain(select(diagonal, rows(slope_here(w)), made))
    return made, logical_and(unknown, logical_not(diagonal))


def second_differences(
    w: Any, made: Any, bend: Values, alike: Any, at: tuple[Any, Any, Any], limit: Any
) -> Any:
    """f[w_i, w_l, w_j] over i and j for one l; NaN where it is undetermined.

    `at`: w_l as a matrix of one element, f[w_i, w_l] as a column, f[w_l, w_j] as a row. The divisor
    is the greatest of the three distances.
    """
    x, y = rows(w), columns(w)
    z, left, right = at
    xy, xz, zy = x - y, x - z, z - y
    ends = logical_and(le(absolute(xz), absolute(xy)), le(absolute(zy), absolute(xy)))
    first = le(absolute(zy), absolute(xz))
    over = plain(select(ends, left - right, plain(select(first, made - right, left - made))))
    gap = plain(select(ends, xy, plain(select(first, xz, zy))))
    total = (x + y + z) * (1.0 / 6.0)
    points = [bend(total + 0.5 * p) for p in (x, y, z)]
    mean = (points[0] + points[1] + points[2]) * (1.0 / 6.0)
    spread = absolute(points[0] - points[1]) + absolute(points[1] - points[2])
    span = absolute(x) + absolute(y) + absolute(z)
    size = absolute(left) + absolute(right) + absolute(made) + absolute(mean) * span
    near = _is_mean(absolute(over - gap * mean), size, spread, absolute(mean), w)
    near = near if alike is None else logical_and(near, alike)
    tied = le(absolute(gap), limit)
    safe = plain(select(logical_or(near, tied), 1.0, gap))
    quotient = plain(select(tied, NAN, over / safe))
    return plain(select(near, mean, quotient))


# ---- products ----
def turned(left: Any, x: Any, right: Any) -> Any:
    """left' x right"""
    return matmul(matrix_transpose(left), matmul(x, right))


def between(left: Any, inner: Any, unknown: Any, right: Any) -> Any:
    """left inner right', NaN in the elements to which an unknown of `inner` contributes."""
    back = matrix_transpose(right)
    made = matmul(left, matmul(plain(select(unknown, 0.0, inner)), back))
    marked = plain(select(unknown, 1.0, 0.0))
    marked = real(marked) if is_complex(marked) else marked
    lost = matmul(absolute(left), matmul(marked, absolute(back)))
    return plain(select(undetermined(gt(lost, 0.0)), NAN, made))


def weighted(p: Any, made: Any, unknown: Any) -> tuple[Any, Any]:
    """p_ij times a divided difference, and where that is unknown although p_ij is not 0."""
    return absorb(p, made), logical_and(unknown, ne(absolute(p), 0.0))


def odd_differences(s: Any, f: Values, slope: Values, alike: Any) -> tuple[Any, Any]:
    """The matrix of (f_i + f_j) / (s_i + s_j), and where it is undetermined.

    f is continued as an odd function, whose derivative is `slope`.
    """
    fs = f(s)
    return divided(rows(s), -columns(s), rows(fs), -columns(fs), slope, alike, resolution(s, 2))


def quotients(s: Any, f: Values, slope: Values) -> tuple[Any, Any]:
    """f_i / s_i, and where it is undetermined."""
    fs = f(s)
    return divided(s, s * 0.0, fs, fs * 0.0, slope, None, resolution(s, 1))


def generalized(
    u: Any, v: Any, e: Any, p: Any, even: tuple[Any, Any], odd: tuple[Any, Any],
    end: tuple[Any, Any],
) -> Any:  # fmt: skip
    """The derivative of u f(s) v' along e, where p = u'e v.

    The part of e outside the columns of u or v lies between a singular value and zero.
    """
    back = matrix_transpose(p)
    of_even, unknown = weighted((p + back) * 0.5, *even)
    of_odd, too = weighted((p - back) * 0.5, *odd)
    inside = between(u, of_even + of_odd, logical_or(unknown, too), v)
    below = _outside(u, matmul(e, v) - matmul(u, p), *end)
    beside = _outside(v, matmul(matrix_transpose(e), u) - matmul(v, back), *end)
    outside = matmul(below, matrix_transpose(v)) + matmul(u, matrix_transpose(beside))
    return inside + outside


def _outside(vectors: Any, rest: Any, made: Any, unknown: Any) -> Any:
    """The columns of `rest` times `made`; zero where the vectors are a basis."""
    count, many = shape(vectors)[-2:]
    scaled = absorb(rest, columns(made))
    lost = logical_and(columns(unknown), ne(absolute(rest), 0.0))
    lost = undetermined(logical_and(lost, gt(count, many)))
    return plain(select(gt(count, many), plain(select(lost, NAN, scaled)), 0.0))


def outside(moved: Any, vectors: Any, p: Any, m: Any, n: Any) -> Any:
    """The part of `moved` = e x outside the columns of x, where p = x'e x; zero for square ones."""
    rest = moved - matmul(vectors, p)
    return plain(select(ne(m, n), rest, 0.0))


def through(rest: Any, ends: Any) -> Any:
    """The part of a second derivative that goes through zero: f[w_i, 0, w_j] (p_i0 r_0j + ...)."""
    first, second = rest
    made = matmul(matrix_transpose(first), second)
    return absorb(made + matrix_transpose(made), ends)


def beside(rest: Any, others: Any, ends: Any) -> Any:
    """The part that begins at zero: p_0l f[0, w_l, w_j] r_lj + r_0l f[0, w_l, w_j] p_lj."""
    (first, second), (r, p) = rest, others
    return matmul(first, absorb(r, ends)) + matmul(second, absorb(p, ends))
