"""Further special functions of SciPy: elliptic integrals, hypergeometric, Kelvin, spherical Bessel.

Formulae: DLMF chapters 10 (Bessel and Kelvin functions), 13 and 15 (hypergeometric functions), 19
(elliptic integrals; by Carlson's forms where the usual ones cancel), 25.12 (the dilogarithm).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.primitives.elementwise import abs, cos, eq, log, lt, rint, sin, sqrt
from srcgrad.primitives.libraries import array_of, special_of
from srcgrad.primitives.registry import Primitive
from srcgrad.primitives.rules import select
from srcgrad.primitives.special import special_function

# ---- hypergeometric functions, in the argument ----
hyp2f1 = special_function(
    "hyp2f1", None, None, None,
    lambda y, a, b, c, d: a * b / c * hyp2f1(a + 1.0, b + 1.0, c + 1.0, d),
)  # fmt: skip
hyperu = special_function("hyperu", None, None, lambda y, a, b, c: -a * hyperu(a + 1.0, b + 1.0, c))
spence = special_function("spence", lambda y, a: _spence_slope(a))


def _spence_slope(a: Any) -> Any:
    """log(x) / (1 - x), which about 1 is -2F1(1, 1; 2; 1 - x)."""
    near = lt(abs(a - 1.0), 0.5)
    inner, outer = select(near, a, 1.0), select(near, 3.0, a)
    return select(near, -hyp2f1(1.0, 1.0, 2.0, 1.0 - inner), log(outer) / (1.0 - outer))


# ---- complete elliptic integrals ----
ellipk = special_function("ellipk", lambda y, a: _first_slope(a))
ellipe = special_function("ellipe", lambda y, a: _second_slope(a))
ellipkm1 = special_function("ellipkm1", lambda y, a: _complement_slope(y, a))


def _apart(a: Any) -> tuple[Any, Any, Any]:
    """Whether a parameter is small, and it there and elsewhere."""
    near = lt(abs(a), 0.5)
    return near, select(near, a, 0.0), select(near, -1.0, a)


def _first_slope(a: Any) -> Any:
    """(E - (1 - m) K) / (2 m (1 - m)), hypergeometric where that cancels."""
    near, inner, outer = _apart(a)
    close = 0.125 * math.pi * hyp2f1(0.5, 0.5, 2.0, inner) / (1.0 - inner)
    rest = 1.0 - outer
    return select(near, close, (ellipe(outer) - rest * ellipk(outer)) / (2.0 * outer * rest))


def _second_slope(a: Any) -> Any:
    """(E - K) / (2 m), hypergeometric where that cancels."""
    near, inner, outer = _apart(a)
    close = -0.125 * math.pi * hyp2f1(0.5, 1.5, 2.0, inner)
    return select(near, close, (ellipe(outer) - ellipk(outer)) / (2.0 * outer))


def _complement_slope(y: Any, a: Any) -> Any:
    """-dK/dm at 1 - p, with p as it is."""
    near, inner, _ = _apart(1.0 - a)
    close = -0.125 * math.pi * hyp2f1(0.5, 0.5, 2.0, inner) / (1.0 - inner)
    p = select(near, 2.0, a)
    far = (ellipe(1.0 - p) - p * ellipkm1(p)) / (-2.0 * (1.0 - p) * p)
    return select(near, close, far)


# ---- incomplete elliptic integrals: derivatives by the parameter are Carlson's, or a series ----
elliprd = special_function(
    "elliprd",
    lambda y, a, b, c: _carlson_slope(y, a, b, c),
    lambda y, a, b, c: _carlson_slope(y, b, a, c),
    lambda y, a, b, c: (
        -(1.5 * y + a * _carlson_slope(y, a, b, c) + b * _carlson_slope(y, b, a, c)) / c
    ),
)
ellipkinc = special_function(
    "ellipkinc",
    lambda y, a, b: 1.0 / sqrt(1.0 - b * sin(a) * sin(a)),
    lambda y, a, b: _by_parameter(a, b, 0.5, 1.5, _first_slope),
)
ellipeinc = special_function(
    "ellipeinc",
    lambda y, a, b: sqrt(1.0 - b * sin(a) * sin(a)),
    lambda y, a, b: _by_parameter(a, b, -0.5, 0.5, _second_slope),
)
_SMALL, _TERMS = 0.1, 16  # a parameter, and the terms of its series that matter


def _carlson_slope(y: Any, a: Any, b: Any, c: Any) -> Any:
    """dR_D(x, y, z)/dx, a difference: both factors of its integrand that vary are powers -3/2."""
    return (y - elliprd(b, c, a)) / (2.0 * (c - a))


def _by_parameter(a: Any, b: Any, half: float, power: float, of_quarter: Any) -> Any:
    """The derivative half * the integral of sin^2 / (1 - m sin^2)^power from 0 to an angle."""
    turns = rint(a / math.pi)
    rest = a - math.pi * turns
    s, c = sin(rest), cos(rest)
    whole = eq(turns, 0.0)
    quarters = select(whole, 0.0, 2.0 * turns * of_quarter(select(whole, 0.0, b)))
    near = lt(abs(b), _SMALL)
    inner, outer = select(near, b, 0.0), select(near, -1.0, b)
    q = 1.0 - outer * s * s
    carlson = elliprd(c * c, 1.0, q) if power > 1.0 else elliprd(c * c, q, 1.0)
    series = _of_sines(rest, s, c, inner, power)
    return quarters + half * select(near, series, s * s * s / 3.0 * carlson)


def _of_sines(a: Any, s: Any, c: Any, m: Any, power: float) -> Any:
    """The sum of (power)_j / j! m^j times the integral of sin^(2 j + 2)."""
    integral, odd, factor, total = a, s, 1.0, 0.0
    for j in range(_TERMS):
        k = j + 1.0
        integral = ((2.0 * k - 1.0) * integral - odd * c) / (2.0 * k)
        total = total + factor * integral
        factor = factor * m * ((power + j) / k)
        odd = odd * s * s
    return total


# ---- Kelvin functions: w'' = i w - w' / x for w = ber + i bei and ker + i kei ----
ber = special_function("ber", lambda y, a: berp(a))
bei = special_function("bei", lambda y, a: beip(a))
ker = special_function("ker", lambda y, a: kerp(a))
kei = special_function("kei", lambda y, a: keip(a))
berp = special_function("berp", lambda y, a: -bei(a) - _over(y, a, 0))
beip = special_function("beip", lambda y, a: ber(a) - _over(y, a, 1))
kerp = special_function("kerp", lambda y, a: -kei(a) - y / a)
keip = special_function("keip", lambda y, a: ker(a) - y / a)


def _over(y: Any, a: Any, odd: int) -> Any:
    """ber'(x) / x, or for `odd` 1 bei'(x) / x: about 0 by their series in x^4."""
    near = lt(abs(a), 1.0)
    inner, outer = select(near, a, 0.0), select(near, 1.0, a)
    square = inner * inner
    series: Any = 0.0
    for n in range(12 + odd, 0, -2):  # n = 2k + odd: (-1)^k 2n x^(2n - 2) / (2^n n!)^2
        factor = (-1.0) ** (n // 2) * 2 * n / (2.0**n * math.factorial(n)) ** 2
        series = series * square * square + factor
    return select(near, series if odd else series * square, y / outer)


# ---- spherical Bessel functions: whole orders, derivatives in the argument ----
def _spherical(name: str, sign: float, outer: float) -> Primitive:
    """f_n' = outer (n f_(n-1) + sign (n + 1) f_(n+1)) / (2 n + 1) (DLMF 10.51)."""

    def impl(n: Any, z: Any) -> Any:
        y = getattr(special_of(z), name)(array_of(n).astype(np.int64), z)
        return array_of(y).astype(np.result_type(array_of(z), np.float32))[()]

    def slope(y: Any, a: Any, b: Any) -> Any:
        first = lt(a, 0.5)
        below = select(first, 0.0, a * made(select(first, 0.0, a - 1.0), b))
        above = (a + 1.0) * made(a + 1.0, b)
        return outer * (below + sign * above) / (2.0 * a + 1.0)

    made = special_function(name, None, slope, impl=impl, decides=True)  # cuts its order off
    return made


spherical_jn = _spherical("spherical_jn", -1.0, 1.0)
spherical_yn = _spherical("spherical_yn", -1.0, 1.0)
spherical_in = _spherical("spherical_in", 1.0, 1.0)
spherical_kn = _spherical("spherical_kn", 1.0, -1.0)
