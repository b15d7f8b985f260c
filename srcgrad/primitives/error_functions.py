"""Error functions, and the normal distribution: of real and of complex numbers.

Formulae: DLMF chapter 7; Owen 1956 (his T). The derivatives of complex arguments go through
Faddeeva's function w(z) = exp(-z**2) erfc(-i z), whose derivative is well-conditioned in the upper
half plane, and from there in the lower one.
"""

from __future__ import annotations

import math
from typing import Any

from srcgrad.primitives.elementwise import abs, erf, exp, imag, is_complex, lt, real
from srcgrad.primitives.rules import select
from srcgrad.primitives.special import special_function

_ROOT_PI = math.sqrt(math.pi)
_ROOT_TWO_PI = math.sqrt(2.0 * math.pi)
_ROOT_TWO, _ROOT_TWO_OVER_PI = math.sqrt(2.0), math.sqrt(2.0 / math.pi)
_FAR = 50.0  # from here on an asymptotic series is exact to rounding


_FAR_COMPLEX = 10.0


# ---- derivatives that cancel for large arguments ----
def _tail(q: Any, terms: int) -> Any:
    """The sum over k > 0 of (2k - 1)!! q**k."""
    series: Any = 1.0
    for k in range(2 * terms - 1, 1, -2):
        series = 1.0 + float(k) * q * series
    return q * series


def _far(a: Any, size: Any, here: Any, sign: float) -> Any:
    """The derivatives of Dawson's function (`sign` 1) and erfcx (-1) of real numbers.

    1 - 2 x F(x) = -sum over k > 0 of (2k - 1)!! / (2 x**2)**k, and with alternating signs
    sqrt(pi) x erfcx(x) - 1 (DLMF 7.12.1).
    """
    far = lt(_FAR, size)
    large = select(far, a, _FAR)
    series = _tail(sign * 0.5 / (large * large), 6)
    return select(far, (-1.0 if sign > 0.0 else 2.0 / _ROOT_PI) * series, here)


def _faddeeva_slope(a: Any) -> Any:
    """w' = 2 i / sqrt(pi) - 2 z w, in the lower half plane by w(z) = 2 exp(-z**2) - w(-z)."""
    below = lt(imag(a), 0.0)
    upper = select(below, -a, a).value()
    turned = select(below, a, 0.0).value()
    return _upper_slope(upper) + select(below, -4.0 * turned * exp(-turned * turned), 0.0).value()


def _upper_slope(a: Any) -> Any:
    """w' in the upper half plane: far away by the asymptotic series of w (DLMF 7.12.1)."""
    far = lt(_FAR_COMPLEX, abs(a))
    large, near = select(far, a, _FAR_COMPLEX).value(), select(far, 0.0, a).value()
    series = -2j / _ROOT_PI * _tail(0.5 / (large * large), 12)
    return select(far, series, 2j / _ROOT_PI - 2.0 * near * wofz(near)).value()


def _dawson_slope(a: Any) -> Any:
    """1 - 2 z F(z) of complex numbers, which is even, by F = i sqrt(pi)/2 (exp(-z**2) - w)."""
    upper = select(lt(imag(a), 0.0), -a, a).value()
    return -0.5j * _ROOT_PI * (2.0 * upper * exp(-upper * upper) + _upper_slope(upper))


# ---- the functions ----
erfinv = special_function("erfinv", lambda y, a: 0.5 * _ROOT_PI * exp(y * y))
erfcinv = special_function("erfcinv", lambda y, a: -0.5 * _ROOT_PI * exp(y * y))
erfcx = special_function("erfcx", lambda y, a: _erfcx_slope(y, a))
erfi = special_function("erfi", lambda y, a: 2.0 / _ROOT_PI * exp(a * a))
dawsn = special_function(
    "dawsn",
    lambda y, a: _dawson_slope(a) if is_complex(a) else _far(a, abs(a), 1.0 - 2.0 * a * y, 1.0),
)
wofz = special_function("wofz", lambda y, a: _faddeeva_slope(a))
ndtr = special_function("ndtr", lambda y, a: exp(-0.5 * a * a) / _ROOT_TWO_PI)
ndtri = special_function("ndtri", lambda y, a: _ROOT_TWO_PI * exp(0.5 * y * y))
log_ndtr = special_function("log_ndtr", lambda y, a: _hazard(y, a))


def _erfcx_slope(y: Any, a: Any) -> Any:
    """2 z erfcx(z) - 2 / sqrt(pi); of complex numbers it is i w'(i z)."""
    if is_complex(a):
        return 1j * _faddeeva_slope(1j * a)
    return _far(a, a, 2.0 * a * y - 2.0 / _ROOT_PI, -1.0)


def _hazard(y: Any, a: Any) -> Any:
    """The normal density over its distribution function: left of 0 no two large parts cancel.

    Nor do they for complex numbers nearer to the imaginary axis than to the positive real one.
    """
    left = lt(real(a), abs(imag(a))) if is_complex(a) else lt(a, 0.0)
    below = _ROOT_TWO_OVER_PI / erfcx(select(left, -a / _ROOT_TWO, 0.0))
    return select(left, below, exp(-0.5 * a * a - y) / _ROOT_TWO_PI)


owens_t = special_function(
    "owens_t",
    lambda y, a, b: -exp(-0.5 * a * a) * erf(a * b / math.sqrt(2.0)) / (2.0 * _ROOT_TWO_PI),
    lambda y, a, b: exp(-0.5 * a * a * (1.0 + b * b)) / (2.0 * math.pi * (1.0 + b * b)),
)
