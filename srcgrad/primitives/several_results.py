"""Special functions of SciPy that return several results: one row for each of them.

Formulae: DLMF chapters 6 (sine and cosine integrals), 7 (Fresnel), 9 (Airy), 12 (parabolic
cylinder functions), 22 (Jacobi's elliptic functions).
"""

from __future__ import annotations

import math
from typing import Any

from srcgrad.primitives.bessel import spherical_in, spherical_jn
from srcgrad.primitives.elementwise import cos, cosh, sin
from srcgrad.primitives.elliptic import amplitude_slope
from srcgrad.primitives.libraries import special_of
from srcgrad.primitives.registry import Part, Primitive
from srcgrad.primitives.special import special_function

# SciPy's function -> the rows of its results
RESULTS: dict[str, list[Primitive]] = {}


def _result(of: str, name: str, *partials: Part) -> Primitive:
    """The next result of a function of SciPy."""
    rows = RESULTS.setdefault(of, [])
    k = len(rows)

    def impl(*args: Any) -> Any:
        return getattr(special_of(*args), of)(*args)[k]

    made = special_function(name, *partials, of=of, impl=impl)
    rows.append(made)
    return made


# ---- Airy functions: w'' = z w ----
airy_ai = _result("airy", "airy_ai", lambda y, a: airy_aip(a))
airy_aip = _result("airy", "airy_aip", lambda y, a: a * airy_ai(a))
airy_bi = _result("airy", "airy_bi", lambda y, a: airy_bip(a))
airy_bip = _result("airy", "airy_bip", lambda y, a: a * airy_bi(a))

# ---- integrals; sin(x) / x and sinh(x) / x are spherical Bessel functions ----
fresnel_s = _result("fresnel", "fresnel_s", lambda y, a: sin(0.5 * math.pi * a * a))
fresnel_c = _result("fresnel", "fresnel_c", lambda y, a: cos(0.5 * math.pi * a * a))
sine_integral = _result("sici", "sine_integral", lambda y, a: spherical_jn(0.0, a))
cosine_integral = _result("sici", "cosine_integral", lambda y, a: cos(a) / a)
sinh_integral = _result("shichi", "sinh_integral", lambda y, a: spherical_in(0.0, a))
cosh_integral = _result("shichi", "cosh_integral", lambda y, a: cosh(a) / a)

# ---- parabolic cylinder functions of x, with their derivatives: w'' = (x**2 / 4 - v - 1/2) w ----
parabolic_d = _result("pbdv", "parabolic_d", None, lambda y, a, b: parabolic_dp(a, b))
parabolic_dp = _result(
    "pbdv", "parabolic_dp", None, lambda y, a, b: _weber(a, b) * parabolic_d(a, b)
)
parabolic_v = _result("pbvv", "parabolic_v", None, lambda y, a, b: parabolic_vp(a, b))
parabolic_vp = _result(
    "pbvv", "parabolic_vp", None, lambda y, a, b: _weber(a, b) * parabolic_v(a, b)
)


def _weber(a: Any, b: Any) -> Any:
    return 0.25 * b * b - a - 0.5


# ---- Jacobi's elliptic functions, by the argument and the parameter m ----
jacobi_sn = _result(
    "ellipj",
    "jacobi_sn",
    lambda y, a, b: jacobi_cn(a, b) * jacobi_dn(a, b),
    lambda y, a, b: jacobi_cn(a, b) * _by_parameter(a, b),
)
jacobi_cn = _result(
    "ellipj",
    "jacobi_cn",
    lambda y, a, b: -jacobi_sn(a, b) * jacobi_dn(a, b),
    lambda y, a, b: -jacobi_sn(a, b) * _by_parameter(a, b),
)
jacobi_dn = _result(
    "ellipj",
    "jacobi_dn",
    lambda y, a, b: -b * jacobi_sn(a, b) * jacobi_cn(a, b),
    lambda y, a, b: _dn_by_parameter(y, a, b),
)
jacobi_am = _result(
    "ellipj",
    "jacobi_am",
    lambda y, a, b: jacobi_dn(a, b),
    lambda y, a, b: _by_parameter(a, b),
)


def _by_parameter(a: Any, b: Any) -> Any:
    """The derivative of the amplitude, of which F(am, m) = u."""
    return -jacobi_dn(a, b) * amplitude_slope(jacobi_am(a, b), b)


def _dn_by_parameter(y: Any, a: Any, b: Any) -> Any:
    """Of the root of 1 - m sn**2."""
    s, c = jacobi_sn(a, b), jacobi_cn(a, b)
    return -s * (0.5 * s + b * c * _by_parameter(a, b)) / y
