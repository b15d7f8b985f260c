"""Special functions of SciPy as elementwise primitives: of the kin of gamma and beta functions.

Values are SciPy's, which is loaded when the first of them is computed; complex ones where SciPy has
them. Formulae: DLMF chapters 5 (gamma), 6 (exponential integrals), 8 (incomplete gamma and beta),
13 and 15 (hypergeometric). An argument whose rule is None (an order, a degree of freedom) has no
derivative here: a request for it is refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.primitives.elementwise import (
    abs,
    absorb,
    cos,
    eq,
    exp,
    expm1,
    imag,
    is_complex,
    log,
    log1p,
    logical_and,
    lt,
    maximum,
    mod,
    real,
    rint,
    sin,
    sqrt,
)
from srcgrad.primitives.libraries import array_of, special_of
from srcgrad.primitives.registry import Part, Primitive, derive
from srcgrad.primitives.rules import select

SPECIAL: dict[str, str] = {}  # primitive -> SciPy's name


# functions that take complex numbers for all operands; others that do for the last one
ALL_COMPLEX = frozenset(("xlogy", "xlog1py", "elliprd"))


def _of_scipy(name: str) -> Callable[..., Any]:
    def impl(*args: Any) -> Any:
        return getattr(special_of(*args), name)(*(args if name in ALL_COMPLEX else in_loop(args)))

    return impl


def in_loop(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The operands of a function of orders and a variable: an order beside a complex one is real.

    Operands of a row have one dtype, so a real order has been widened.
    """
    if not is_complex(args[-1]):
        return args
    return (*(array_of(a).real for a in args[:-1]), args[-1])


def special_function(name: str, *partials: Part, of: str = "", **flags: Any) -> Primitive:
    """A function with SciPy's name, unless `of` gives another."""
    SPECIAL[name] = of or name
    impl = flags.pop("impl", None) or _of_scipy(of or name)
    return derive(name, impl, *partials, singular=True, nonfinite=True, **flags)


# ---- gamma and beta functions ----
def _polygamma(a: Any, n: int) -> Any:
    y = special_of(a).polygamma(n, a)
    return array_of(y).astype(np.result_type(array_of(a), np.float32))[()]


polygamma = special_function(
    "polygamma", lambda y, a, n: polygamma(a, n=n + 1), impl=_polygamma, params=("n",)
)
digamma = special_function(
    "digamma", lambda y, a: _trigamma(a) if is_complex(a) else polygamma(a, n=1)
)
gammaln = special_function("gammaln", lambda y, a: digamma(a))
loggamma = special_function("loggamma", lambda y, a: digamma(a))  # of complex numbers
gammafn = special_function("gammafn", lambda y, a: y * digamma(a), of="gamma")
rgamma = special_function(
    "rgamma", lambda y, a: select(_at_poles(a), _reflected(a), -y * digamma(a))
)


def _at_poles(a: Any) -> Any:
    """Where 1 / gamma has zeros: left of 1/2, and of complex numbers near the real axis."""
    if is_complex(a):
        return logical_and(lt(real(a), 0.5), lt(abs(imag(a)), 1.0))
    return lt(a, 0.5)


def _reflected(a: Any) -> Any:
    """The derivative of 1 / gamma by its reflection (DLMF 5.5.3), angles from the next pole."""
    left = select(_at_poles(a), a, 0.0)
    near = rint(real(left) if is_complex(a) else left)
    sign = 1.0 - 2.0 * mod(near, 2.0)
    angle = math.pi * (left - near)
    b = 1.0 - left
    return sign * gammafn(b) * (cos(angle) - digamma(b) * sin(angle) / math.pi)


_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
_SHIFTS = 14


def _trigamma(a: Any) -> Any:
    """The derivative of digamma of complex numbers, which SciPy does not have.

    Its recurrence, its asymptotic series in reciprocal powers, and left of 1/2 its reflection, as
    pi**2 / sin(w)**2 = -4 pi**2 q / (1 - q)**2 with q = exp(+-2 i w) of size 1 at most
    (DLMF 5.15).
    """
    mirrored = lt(real(a), 0.5)
    z = select(mirrored, 1.0 - a, a).value()
    total: Any = 0.0
    for k in range(_SHIFTS):
        r = 1.0 / (z + float(k))
        total = total + r * r
    r = 1.0 / (z + float(_SHIFTS))
    series: Any = 0.0
    for b in reversed(_BERNOULLI):
        series = series * r * r + b
    total = total + r + r * r * (0.5 + r * series)
    left = select(mirrored, a, 0.5).value()
    exponent = select(lt(imag(left), 0.0), -2j * math.pi, 2j * math.pi).value() * (
        left - rint(real(left))
    )
    less = expm1(exponent)
    return select(mirrored, -4.0 * math.pi**2 * exp(exponent) / (less * less) - total, total)


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


# ---- hypergeometric functions, in the argument ----
hyp0f1 = special_function("hyp0f1", None, lambda y, a, b: hyp0f1(a + 1.0, b) / a)
hyp1f1 = special_function(
    "hyp1f1", None, None, lambda y, a, b, c: a / b * hyp1f1(a + 1.0, _next_hyp1f1(a, b), c)
)


def _next_hyp1f1(a: Any, b: Any) -> Any:
    """b + 1, and 1 for a = -1: of 0 and any b the function is 1, where SciPy's is infinite."""
    return select(eq(a, -1.0), 1.0, b + 1.0)


# ---- Lambert's function on a branch, and Wright's: w exp(w) = z and w + log(w) = z ----
def _lambertw(k: Any, z: Any) -> Any:
    if not is_complex(z):
        raise TypeError("lambertw takes complex numbers")
    y = special_of(z).lambertw(z, array_of(k).real.astype(np.int64))
    return array_of(y).astype(array_of(z).dtype)[()]


lambertw = special_function(
    "lambertw", None, lambda y, a, b: exp(-y) / (1.0 + y), impl=_lambertw, decides=True
)
wrightomega = special_function("wrightomega", lambda y, a: y / (1.0 + y))


# ---- Legendre functions of whole orders ----
def _sph_legendre_p(n: Any, m: Any, a: Any) -> Any:
    n, m, a = (array_of(x) for x in (n, m, a))
    y = special_of(a).sph_legendre_p(n.astype(np.int64), m.astype(np.int64), a)[0]
    return array_of(y).astype(np.result_type(a, np.float32))[()]


def _by_angle(a: Any, b: Any, c: Any) -> Any:
    """Half the difference of its neighbours by the order m (DLMF 14.10); of |sin| of the angle."""
    above = sqrt(maximum((a - b) * (a + b + 1.0), 0.0)) * sph_legendre_p(a, b + 1.0, c)
    below = sqrt(maximum((a + b) * (a - b + 1.0), 0.0)) * sph_legendre_p(a, b - 1.0, c)
    half = 0.5 * (above - below)
    return select(lt(sin(c), 0.0), -half, half)


sph_legendre_p = special_function(
    "sph_legendre_p",
    None,
    None,
    lambda y, a, b, c: _by_angle(a, b, c),
    impl=_sph_legendre_p,
    decides=True,
)


def _by_cosine(y: Any, a: Any, b: Any, c: Any) -> Any:
    """The derivative of P_v^m by its argument, from the next order away from 0: none cancels."""
    square = 1.0 - c * c
    up = lt(-0.5, a)
    away = select(up, 1.0, -1.0).value()
    factor = select(up, -1.0, (b + a) * (b - a + 1.0)).value()
    beyond = eq(factor, 0.0)  # there is no further order
    next = factor * lpmv(select(beyond, 0.0, a + away).value(), b, c)
    return next / sqrt(square) - away * a * c / square * y


lpmv = special_function("lpmv", None, None, lambda y, a, b, c: _by_cosine(y, a, b, c))
