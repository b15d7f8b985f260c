"""Linear systems whose matrix is zero outside a band around its diagonal.

Element (i, j) of such a matrix is stored in `ab[upper + i - j, j]`; the corners of `ab`, for
elements outside the matrix, are not read and have derivative zero. `upper` counts the diagonals
above the main one. The work is proportional to the stored elements; the full matrix is never made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from srcgrad.operation import Stated
from srcgrad.primitives.arrays import expand_dims, iota, shape
from srcgrad.primitives.elementwise import eq
from srcgrad.primitives.memory import view
from srcgrad.primitives.registry import custom, multilinear
from srcgrad.primitives.rules import select


def _like_right(build: Any, ab: Any, b: Any, *rest: Any, **params: Any) -> Stated:
    return b.type.dtype, b.type.dims


# ---- products: with the matrix, and u v' within the band ----
def _diagonals(shape: Any, upper: int) -> Iterator[tuple[int, slice, slice]]:
    """The rows of `ab` that hold a diagonal, with the rows and columns that it runs through."""
    rows, n = shape
    for k in range(rows):
        below = k - upper
        first, end = max(0, -below), n - max(0, below)
        if first < end:
            yield k, slice(first + below, end + below), slice(first, end)


def _band_product(ab: Any, x: Any, upper: int, transposed: bool) -> Any:
    y = np.zeros_like(x)
    for k, i, j in _diagonals(ab.shape, upper):
        to, of = (j, i) if transposed else (i, j)
        y.T[..., to] += ab[k, j] * x.T[..., of]
    return y


def _band_outer(u: Any, v: Any, rows: int, upper: int) -> Any:
    out = np.zeros((rows, len(u)), u.dtype)
    for k, i, j in _diagonals(out.shape, upper):
        both = u[i] * v[j]
        out[k, j] = both if both.ndim == 1 else both.sum(axis=1)
    return out


def _bar_of_band(g: Any, y: Any, ab: Any, x: Any, upper: Any, transposed: bool) -> Any:
    left, right = (x, g) if transposed else (g, x)
    return band_outer(left, right, shape(ab)[0], upper)


# a x, or a' x
band_product = multilinear(
    "band_product",
    _band_product,
    _bar_of_band,
    lambda g, y, ab, x, upper, transposed: band_product(ab, g, upper, transposed=not transposed),
    typing=_like_right,
)
# the band of u v', summed over columns for matrices
band_outer = multilinear(
    "band_outer",
    _band_outer,
    lambda g, y, u, v, rows, upper: band_product(g, v, upper, transposed=False),
    lambda g, y, u, v, rows, upper: band_product(g, u, upper, transposed=True),
    typing=lambda build, u, v, rows, upper: (u.type.dtype, build.dims((rows, u.type.dims[0]))),
)


# ---- a x = b, or a' x = b ----
def _transposed_band(ab: Any, upper: int) -> Any:
    """The band of the transpose, which has as many diagonals above as `ab` has below."""
    out = np.zeros_like(ab)
    for k, i, j in _diagonals(ab.shape, upper):
        out[len(ab) - 1 - k, i] = ab[k, j]
    return out


def _solve_banded(ab: Any, b: Any, upper: int, transposed: bool) -> Any:
    from scipy.linalg import solve_banded  # loaded on first use

    lower = len(ab) - 1 - upper
    if transposed:
        ab, lower, upper = _transposed_band(ab, upper), upper, lower
    if len(b) == 1 and ab[upper, 0] == 0:  # SciPy divides
        raise np.linalg.LinAlgError("singular matrix")
    return solve_banded((lower, upper), ab, b, check_finite=False)


def _right_of(ts: tuple[Any, ...], moved: Callable[[Any], Any]) -> Any:
    """The right side of the system for x's tangent: b's tangent less the matrix's times x."""
    tab, tb = ts[:2]
    if tab is None:
        return tb
    return -moved(tab) if tb is None else tb - moved(tab)


def _solve_banded_jvp(
    ts: tuple[Any, ...], y: Any, ab: Any, b: Any, upper: Any, transposed: bool
) -> Any:
    right = _right_of(ts, lambda t: band_product(t, y, upper, transposed=transposed))
    return solve_banded(ab, right, upper, transposed=transposed)


def _solve_banded_vjp(g: Any, y: Any, ab: Any, b: Any, upper: Any, transposed: bool) -> Any:
    back = solve_banded(ab, g, upper, transposed=not transposed)
    left, right = (y, back) if transposed else (back, y)
    return -band_outer(left, right, shape(ab)[0], upper)


solve_banded = custom(
    "solve_banded",
    _solve_banded,
    _solve_banded_jvp,
    _solve_banded_vjp,
    lambda g, y, ab, b, upper, transposed: solve_banded(ab, g, upper, transposed=not transposed),
    typing=_like_right,
    raises=True,
    analytic=True,
    nonfinite=True,
)


# ---- a x = b for positive definite a, of which `ab` holds one triangle ----
def _solveh_banded(ab: Any, b: Any, lower: bool) -> Any:
    from scipy.linalg import solveh_banded

    if len(b) == 1:  # SciPy has only one row there
        ab = ab[:1] if lower else ab[-1:]
    return solveh_banded(ab, b, lower=lower, check_finite=False)


def _diagonal_row(ab: Any, lower: bool) -> Any:
    return 0 if lower else shape(ab)[0] - 1


def _whole_product(ab: Any, x: Any, lower: bool) -> Any:
    """The product with the matrix that one triangle represents."""
    k = _diagonal_row(ab, lower)
    d = view(ab, k, spec=("i", ":"))
    d = d if len(shape(x)) == 1 else expand_dims(d, (1,))
    near, far = (band_product(ab, x, k, transposed=turned) for turned in (False, True))
    return near + (far - d * x)


def _solveh_banded_vjp(g: Any, y: Any, ab: Any, b: Any, lower: bool) -> Any:
    back, rows, k = solveh_banded(ab, g, lower=lower), shape(ab)[0], _diagonal_row(ab, lower)
    both = band_outer(back, y, rows, k) + band_outer(y, back, rows, k)
    # an element of the diagonal occurs once, the others twice
    return both * expand_dims(select(eq(iota(rows), k), -0.5, -1.0), (1,))


solveh_banded = custom(
    "solveh_banded",
    _solveh_banded,
    lambda ts, y, ab, b, lower: solveh_banded(
        ab, _right_of(ts, lambda t: _whole_product(t, y, lower)), lower=lower
    ),
    _solveh_banded_vjp,
    lambda g, y, ab, b, lower: solveh_banded(ab, g, lower=lower),
    typing=_like_right,
    raises=True,
    nonfinite=True,
)
