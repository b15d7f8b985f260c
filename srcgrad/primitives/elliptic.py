"""Further special functions of SciPy: elliptic integrals, hypergeometric functions, a dilogarithm.

Formulae: DLMF chapters 13 and 15 (hypergeometric functions), 19 (elliptic integrals; by Carlson's
forms where the usual ones cancel), 25.12 (the dilogarithm).
"""

from __future__ import annotations

import math
from typing import Any

from srcgrad.primitives.elementwise import abs, cos, eq, log, lt, rint, sin, sqrt
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
    lambda y, a, b, c: -(1.5 * y + _scaled_slope(y, a, b, c) + _scaled_slope(y, b, a, c)) / c,
)
ellipkinc = special_function(
    "ellipkinc",
    lambda y, a, b: 1.0 / sqrt(1.0 - b * sin(a) * sin(a)),
    lambda y, a, b: amplitude_slope(a, b),
)
ellipeinc = special_function(
    "ellipeinc",
    lambda y, a, b: sqrt(1.0 - b * sin(a) * sin(a)),
    lambda y, a, b: _by_parameter(a, b, -0.5, 0.5, _second_slope),
)


def amplitude_slope(a: Any, b: Any) -> Any:
    """The derivative of F(phi, m) by the parameter."""
    return _by_parameter(a, b, 0.5, 1.5, _first_slope)


_SMALL, _TERMS = 0.1, 16  # a parameter, and the terms of its series that matter


def _carlson_slope(y: Any, a: Any, b: Any, c: Any) -> Any:
    """dR_D(x, y, z)/dx, a difference: both factors of its integrand that vary are powers -3/2."""
    return (y - elliprd(b, c, a)) / (2.0 * (c - a))


def _scaled_slope(y: Any, a: Any, b: Any, c: Any) -> Any:
    """x dR_D/dx, which is 0 at 0, where the slope is infinite."""
    zero = eq(a, 0.0)
    return a * select(zero, 0.0, _carlson_slope(y, select(zero, 0.5 * c, a), b, c))


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
