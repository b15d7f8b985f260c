"""Bessel functions of every kind, of real and of complex arguments, and Kelvin functions.

Formulae: DLMF chapter 10. An order has no derivative. Functions that SciPy scales by a size that is
not analytic have that size as an operand: their derivatives by both are exact.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.primitives.elementwise import abs, eq, is_complex, lt, pow, real, sign, trunc
from srcgrad.primitives.libraries import array_of, special_of
from srcgrad.primitives.registry import Primitive
from srcgrad.primitives.rules import select
from srcgrad.primitives.special import in_loop, rgamma, special_function

# ---- Bessel functions: derivatives in the argument, not in the order ----
bessel_j1 = special_function(
    "bessel_j1", lambda y, a: 0.5 * (bessel_j0(a) - bessel_jv(2.0, a)), of="j1"
)
bessel_j0 = special_function("bessel_j0", lambda y, a: -bessel_j1(a), of="j0")
bessel_y1 = special_function(
    "bessel_y1", lambda y, a: 0.5 * (bessel_y0(a) - bessel_yv(2.0, a)), of="y1"
)
bessel_y0 = special_function("bessel_y0", lambda y, a: -bessel_y1(a), of="y0")
bessel_i1 = special_function(
    "bessel_i1", lambda y, a: 0.5 * (bessel_i0(a) + bessel_iv(2.0, a)), of="i1"
)
bessel_i0 = special_function("bessel_i0", lambda y, a: bessel_i1(a), of="i0")
bessel_i1e = special_function(
    "bessel_i1e", lambda y, a: 0.5 * (bessel_i0e(a) + bessel_ive(2.0, a)) - sign(a) * y, of="i1e"
)
bessel_i0e = special_function("bessel_i0e", lambda y, a: bessel_i1e(a) - sign(a) * y, of="i0e")
bessel_k1 = special_function(
    "bessel_k1", lambda y, a: -0.5 * (bessel_k0(a) + bessel_kv(2.0, a)), of="k1"
)
bessel_k0 = special_function("bessel_k0", lambda y, a: -bessel_k1(a), of="k0")
bessel_k1e = special_function(
    "bessel_k1e", lambda y, a: y - 0.5 * (bessel_k0e(a) + bessel_kve(2.0, a)), of="k1e"
)
bessel_k0e = special_function("bessel_k0e", lambda y, a: y - bessel_k1e(a), of="k0e")
bessel_jv = special_function(
    "bessel_jv",
    None,
    lambda y, a, b: 0.5 * (bessel_jv(a - 1.0, b) - bessel_jv(a + 1.0, b)),
    of="jv",
)
bessel_yv = special_function(
    "bessel_yv",
    None,
    lambda y, a, b: 0.5 * (bessel_yv(a - 1.0, b) - bessel_yv(a + 1.0, b)),
    of="yv",
)
# for integer orders: others are truncated
bessel_yn = special_function(
    "bessel_yn",
    None,
    lambda y, a, b: 0.5 * (bessel_yn(trunc(a) - 1.0, b) - bessel_yn(trunc(a) + 1.0, b)),
    of="yn",
)
bessel_kn = special_function(
    "bessel_kn",
    None,
    lambda y, a, b: -0.5 * (bessel_kn(trunc(a) - 1.0, b) + bessel_kn(trunc(a) + 1.0, b)),
    of="kn",
)
bessel_iv = special_function(
    "bessel_iv",
    None,
    lambda y, a, b: 0.5 * (bessel_iv(a - 1.0, b) + bessel_iv(a + 1.0, b)),
    of="iv",
)
bessel_kv = special_function(
    "bessel_kv",
    None,
    lambda y, a, b: -0.5 * (bessel_kv(a - 1.0, b) + bessel_kv(a + 1.0, b)),
    of="kv",
)
bessel_ive = special_function(
    "bessel_ive",
    None,
    lambda y, a, b: 0.5 * (bessel_ive(a - 1.0, b) + bessel_ive(a + 1.0, b)) - sign(b) * y,
    of="ive",
)
bessel_kve = special_function(
    "bessel_kve",
    None,
    lambda y, a, b: y - 0.5 * (bessel_kve(a - 1.0, b) + bessel_kve(a + 1.0, b)),
    of="kve",
)

# ---- Hankel functions: complex for real arguments too ----
hankel1 = special_function(
    "hankel1", None, lambda y, a, b: 0.5 * (hankel1(a - 1.0, b) - hankel1(a + 1.0, b))
)
hankel2 = special_function(
    "hankel2", None, lambda y, a, b: 0.5 * (hankel2(a - 1.0, b) - hankel2(a + 1.0, b))
)
hankel1e = special_function(
    "hankel1e",
    None,
    lambda y, a, b: 0.5 * (hankel1e(a - 1.0, b) - hankel1e(a + 1.0, b)) - 1j * y,
)
hankel2e = special_function(
    "hankel2e",
    None,
    lambda y, a, b: 0.5 * (hankel2e(a - 1.0, b) - hankel2e(a + 1.0, b)) + 1j * y,
)


# ---- of complex arguments, times exp(-c) for a real c: SciPy's have |Im b| or |Re b| for c ----
def _scaled(name: str, of: str, part: str, outer: float) -> Primitive:
    def impl(a: Any, b: Any, c: Any) -> Any:
        if not is_complex(b):
            raise TypeError(f"{name} takes complex numbers")
        size = np.abs(getattr(array_of(b), part))
        return getattr(special_of(b), of)(*in_loop((a, b))) * np.exp(size - c)

    made = special_function(
        name,
        None,
        lambda y, a, b, c: 0.5 * (made(a - 1.0, b, c) + outer * made(a + 1.0, b, c)),
        lambda y, a, b, c: -y,
        of=of,
        impl=impl,
    )
    return made


scaled_jv = _scaled("scaled_jv", "jve", "imag", -1.0)
scaled_yv = _scaled("scaled_yv", "yve", "imag", -1.0)
scaled_iv = _scaled("scaled_iv", "ive", "real", 1.0)
# the part of the argument whose size SciPy scales by
SCALED = {scaled_jv: "imag", scaled_yv: "imag", scaled_iv: "real"}


# ---- Struve functions, in the argument: beside neighbours there is a power (DLMF 11.4) ----
def _struve(name: str, sign: float) -> Primitive:
    def slope(y: Any, a: Any, b: Any) -> Any:
        zeroth = eq(a, 0.0)  # about 0 the order below is singular
        order = select(zeroth, 1.0, a).value()
        power = pow(0.5 * b, order) * rgamma(order + 1.5) / math.sqrt(math.pi)
        mean = 0.5 * (made(order - 1.0, b) + sign * made(order + 1.0, b) + power)
        return select(zeroth, 2.0 / math.pi + sign * made(1.0, b), mean)

    made = special_function(name, None, slope)
    return made


struve, modstruve = _struve("struve", -1.0), _struve("modstruve", 1.0)


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
        y = getattr(special_of(z), name)(array_of(n).real.astype(np.int64), z)
        return array_of(y).astype(np.result_type(array_of(z), np.float32))[()]

    def slope(y: Any, a: Any, b: Any) -> Any:
        first = lt(real(a) if is_complex(a) else a, 0.5)
        below = select(first, 0.0, a * made(select(first, 0.0, a - 1.0), b))
        above = (a + 1.0) * made(a + 1.0, b)
        return outer * (below + sign * above) / (2.0 * a + 1.0)

    made = special_function(name, None, slope, impl=impl, decides=True)  # cuts its order off
    return made


spherical_jn = _spherical("spherical_jn", -1.0, 1.0)
spherical_yn = _spherical("spherical_yn", -1.0, 1.0)
spherical_in = _spherical("spherical_in", 1.0, 1.0)
spherical_kn = _spherical("spherical_kn", 1.0, -1.0)
