"""Special functions of SciPy as elementwise primitives: gamma, beta, Bessel and error functions.

Values are SciPy's, which is loaded when the first of them is computed. Formulae: DLMF chapters 5
(gamma), 6 (exponential integrals), 7 (error functions), 8 (incomplete gamma and beta), 10 (Bessel),
13 and 15 (hypergeometric); Owen 1956 (his T). An argument whose rule is None (an order, a degree of
freedom) has no derivative here: a request for it is refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from srcgrad.primitives.elementwise import (
    abs,
    absorb,
    cos,
    eq,
    erf,
    exp,
    log,
    log1p,
    lt,
    mod,
    pow,
    rint,
    sign,
    sin,
    trunc,
)
from srcgrad.primitives.libraries import array_of, special_of
from srcgrad.primitives.registry import Part, Primitive, derive
from srcgrad.primitives.rules import select

SPECIAL: dict[str, str] = {}  # primitive -> SciPy's name
_ROOT_PI = math.sqrt(math.pi)
_ROOT_TWO_PI = math.sqrt(2.0 * math.pi)
_END = 2.0**-10  # an end of [0, 1]: powers of two divide without an error


def _of_scipy(name: str) -> Callable[..., Any]:
    def impl(*args: Any) -> Any:
        return getattr(special_of(*args), name)(*args)

    return impl


def special_function(name: str, *partials: Part, of: str = "", **flags: Any) -> Primitive:
    """A function with SciPy's name, unless `of` gives another."""
    SPECIAL[name] = of or name
    impl = flags.pop("impl", None) or _of_scipy(of or name)
    return derive(name, impl, *partials, singular=True, nonfinite=True, **flags)


# ---- gamma and beta functions ----
def _polygamma(a: Any, n: int) -> Any:
    import numpy as np

    y = special_of(a).polygamma(n, a)
    return array_of(y).astype(np.result_type(array_of(a), np.float32))[()]


polygamma = special_function(
    "polygamma", lambda y, a, n: polygamma(a, n=n + 1), impl=_polygamma, params=("n",)
)
digamma = special_function("digamma", lambda y, a: polygamma(a, n=1))
gammaln = special_function("gammaln", lambda y, a: digamma(a))
gammafn = special_function("gammafn", lambda y, a: y * digamma(a), of="gamma")
# 0 at the poles of gamma, with a slope: left of 1/2 that of gamma(1 - x) sin(pi x) / pi
rgamma = special_function("rgamma", lambda y, a: select(lt(a, 0.5), _reflected(a), -y * digamma(a)))


def _reflected(a: Any) -> Any:
    """The derivative of 1 / gamma by its reflection (DLMF 5.5.3), angles from the next pole."""
    left = select(lt(a, 0.5), a, 0.0)
    near = rint(left)
    sign = 1.0 - 2.0 * mod(near, 2.0)
    angle = math.pi * (left - near)
    b = 1.0 - left
    return sign * gammafn(b) * (cos(angle) - digamma(b) * sin(angle) / math.pi)


betafn = special_function(
    "betafn",
    lambda y, a, b: y * (digamma(a) - digamma(a + b)),
    lambda y, a, b: y * (digamma(b) - digamma(a + b)),
    of="beta",
)
betaln = special_function(
    "betaln",
    lambda y, a, b: digamma(a) - digamma(a + b),
    lambda y, a, b: digamma(b) - digamma(a + b),
)
binom = special_function(
    "binom",
    lambda y, a, b: y * (digamma(a + 1.0) - digamma(a - b + 1.0)),
    lambda y, a, b: y * (digamma(a - b + 1.0) - digamma(b + 1.0)),
)
poch = special_function(
    "poch",
    lambda y, a, b: y * (digamma(a + b) - digamma(a)),
    lambda y, a, b: y * digamma(a + b),
)

# ---- incomplete gamma and beta functions, and their inverses ----


def _gamma_density(a: Any, b: Any) -> Any:
    """The derivative of P(a, b) with respect to b."""
    near, far = _apart(b, 1.0)
    return pow(near, a - 1.0) * exp(xlogy(a - 1.0, far) - b - gammaln(a))


def _beta_density(a: Any, b: Any, c: Any) -> Any:
    """The derivative of I_c(a, b) with respect to c."""
    left, low = _apart(c, _END)
    right, high = _apart(1.0 - c, _END)
    inner = xlogy(a - 1.0, low) + xlog1py(b - 1.0, high - 1.0)
    ends = pow(left / _END, a - 1.0) * pow(right / _END, b - 1.0)
    return ends * exp(inner - betaln(a, b))


def _apart(x: Any, end: float) -> tuple[Any, Any]:
    """x * end as two factors: x below `end` for a power, which has slopes at 0, or a logarithm's x.

    One condition chooses both. Ties of `minimum` and `maximum` would share the slope at `end`,
    and higher derivatives there would be wrong.
    """
    below = lt(x, end)
    return select(below, x, end), select(below, end, x)


gammainc = special_function("gammainc", None, lambda y, a, b: _gamma_density(a, b))
gammaincc = special_function("gammaincc", None, lambda y, a, b: -_gamma_density(a, b))
gammaincinv = special_function("gammaincinv", None, lambda y, a, b: 1.0 / _gamma_density(a, y))
gammainccinv = special_function("gammainccinv", None, lambda y, a, b: -1.0 / _gamma_density(a, y))
betainc = special_function("betainc", None, None, lambda y, a, b, c: _beta_density(a, b, c))
betaincinv = special_function(
    "betaincinv", None, None, lambda y, a, b, c: 1.0 / _beta_density(a, b, y)
)


# ---- error functions and the normal distribution ----
_ROOT_TWO, _ROOT_TWO_OVER_PI = math.sqrt(2.0), math.sqrt(2.0 / math.pi)
_FAR = 50.0  # from here on an asymptotic series is exact to rounding


def _far(a: Any, size: Any, here: Any, sign: float) -> Any:
    """The derivatives of Dawson's function (`sign` 1) and erfcx (-1), which cancel for large x.

    1 - 2 x F(x) = -sum over k > 0 of (2k - 1)!! / (2 x**2)**k, and with alternating signs
    sqrt(pi) x erfcx(x) - 1 (DLMF 7.12.1).
    """
    far = lt(_FAR, size)
    large = select(far, a, _FAR)
    q = 0.5 / (large * large)
    series = 1.0
    for k in (11.0, 9.0, 7.0, 5.0, 3.0):
        series = 1.0 + sign * k * q * series
    scale = -1.0 if sign > 0.0 else -2.0 / _ROOT_PI
    return select(far, scale * q * series, here)


erfinv = special_function("erfinv", lambda y, a: 0.5 * _ROOT_PI * exp(y * y))
erfcinv = special_function("erfcinv", lambda y, a: -0.5 * _ROOT_PI * exp(y * y))
erfcx = special_function("erfcx", lambda y, a: _far(a, a, 2.0 * a * y - 2.0 / _ROOT_PI, -1.0))
erfi = special_function("erfi", lambda y, a: 2.0 / _ROOT_PI * exp(a * a))
dawsn = special_function("dawsn", lambda y, a: _far(a, abs(a), 1.0 - 2.0 * a * y, 1.0))
ndtr = special_function("ndtr", lambda y, a: exp(-0.5 * a * a) / _ROOT_TWO_PI)
ndtri = special_function("ndtri", lambda y, a: _ROOT_TWO_PI * exp(0.5 * y * y))
log_ndtr = special_function("log_ndtr", lambda y, a: _hazard(y, a))


def _hazard(y: Any, a: Any) -> Any:
    """The normal density over its distribution function: left of 0 no two large parts cancel."""
    left = lt(a, 0.0)
    below = _ROOT_TWO_OVER_PI / erfcx(select(left, -a / _ROOT_TWO, 0.0))
    return select(left, below, exp(-0.5 * a * a - y) / _ROOT_TWO_PI)


owens_t = special_function(
    "owens_t",
    lambda y, a, b: -exp(-0.5 * a * a) * erf(a * b / math.sqrt(2.0)) / (2.0 * _ROOT_TWO_PI),
    lambda y, a, b: exp(-0.5 * a * a * (1.0 + b * b)) / (2.0 * math.pi * (1.0 + b * b)),
)
stdtr = special_function("stdtr", None, lambda y, a, b: _t_density(a, b))
stdtrit = special_function("stdtrit", None, lambda y, a, b: 1.0 / _t_density(a, y))


def _t_density(a: Any, b: Any) -> Any:
    """Student's density with `a` degrees of freedom at `b`."""
    logarithm = -0.5 * (a + 1.0) * log1p(b * b / a) - 0.5 * log(a) - betaln(0.5 * a, 0.5)
    return exp(logarithm)


# ---- products with logarithms: 0 where the first factor is 0 ----
xlogy = special_function("xlogy", lambda y, a, b: log(b), lambda y, a, b: _over(a, b))
xlog1py = special_function("xlog1py", lambda y, a, b: log1p(b), lambda y, a, b: _over(a, 1.0 + b))


def _over(a: Any, b: Any) -> Any:
    """a / b, and 0 where a is 0, with the derivative 1 / b with respect to a there."""
    nothing = eq(a, 0.0)
    return select(nothing, absorb(a, 1.0 / b), a / select(nothing, 1.0, b))


# ---- exponential integrals ----
expi = special_function("expi", lambda y, a: exp(a) / a)
exp1 = special_function("exp1", lambda y, a: -exp(-a) / a)
expn = special_function("expn", None, lambda y, a, b: _expn_slope(a, b))


def _expn_slope(a: Any, b: Any) -> Any:
    """-E_{n-1}, where SciPy lacks E_{-1}(x) = exp(-x) (1 + 1 / x) / x."""
    first = lt(a, 1.0)
    return select(first, -exp(-b) * (1.0 + 1.0 / b) / b, -expn(select(first, 0.0, a - 1.0), b))


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

# ---- hypergeometric functions, in the argument ----
hyp0f1 = special_function("hyp0f1", None, lambda y, a, b: hyp0f1(a + 1.0, b) / a)
hyp1f1 = special_function(
    "hyp1f1", None, None, lambda y, a, b, c: a / b * hyp1f1(a + 1.0, b + 1.0, c)
)
