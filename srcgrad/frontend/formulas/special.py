"""Functions of scipy.special by others: logarithms of sums, entropies, losses, transformations.

Imports SciPy: the handlers of its functions import this when the first of them is met. Where a
formula has a removable singularity it is written with a function that has none.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from srcgrad.frontend.formulas.registry import (
    FORMULAS,
    UFUNCS,
    constant,
    floating,
    known,
    largest,
    stand_for,
    stands_for,
    unsupported,
)


# ---- logarithms of sums ----
@stands_for(special.logsumexp)
def logsumexp(
    a: Any, axis: Any = None, b: Any = None, keepdims: Any = False, return_sign: Any = False
) -> Any:
    """log(sum(b exp(a))) without overflow.

    >>> round(float(logsumexp(np.array([1000.0, 1000.0]))), 3)
    1000.693
    """
    a, axis = floating(a), known(axis)
    top = largest(a, axis, -np.inf)  # an empty sum is 0
    top = constant(np.where(np.isfinite(top), top, 0.0))  # it is subtracted as a constant
    terms = np.exp(a - top)
    if b is not None:
        lost = np.equal(b, 0.0) & ~(terms < np.inf)  # 0 * anything = 0
        terms = np.where(lost, 0.0, b * terms)
    total = np.sum(terms, axis=axis, keepdims=keepdims)
    shift = top if keepdims else np.squeeze(top, axis=axis)
    if return_sign:
        return np.log(np.abs(total)) + shift, np.sign(total)
    return np.log(total) + shift


# ---- those that are one expression ----
stand_for({
    special.log_expit: lambda x: -np.logaddexp(0.0, -x),
    special.exp10: lambda x: np.power(10.0, x),
    special.softplus: lambda x: np.logaddexp(0.0, x),
    special.chdtr: lambda v, x: special.gammainc(0.5 * v, 0.5 * x),
    special.chdtrc: lambda v, x: special.gammaincc(0.5 * v, 0.5 * x),
    # -inf below 0
    special.entr: lambda x: np.where(x < 0.0, -np.inf, 0.0 - special.xlogy(x, x)),
    # of real numbers: those of complex ones are rows; SciPy's are NaN at poles, and jve of an
    # infinite order
    special.jve: lambda v, z: np.where(
        np.isinf(v) | ((z == 0.0) & (v < 0.0) & (v != np.floor(v))), np.nan, special.jv(v, z)
    ),
    special.yve: lambda v, z: np.where(z == 0.0, np.nan, special.yv(v, z)),
    # NaN below 0, where the logarithm is complex
    special.loggamma: lambda x: np.where(x < 0.0, np.nan, special.gammaln(x)),
})  # fmt: skip


@stands_for(special.logit)
def logit(x: Any) -> Any:
    """log(x / (1 - x)), without cancellation about 1/2.

    >>> float(logit(0.5)), float(logit(0.5 + 2.0**-40)) == 2.0**-38
    (0.0, True)
    """
    middle = (x > 0.3) & (x < 0.65)
    near = np.where(middle, x, 0.5)
    return np.where(middle, np.log1p((2.0 * near - 1.0) / (1.0 - near)), np.log(x) - np.log1p(-x))


@stands_for(special.exprel)
def exprel(x: Any) -> Any:
    """(exp(x) - 1) / x: near 0 it is 1F1(1; 2; x), which is smooth there.

    >>> float(exprel(0.0)), round(float(exprel(1.5)), 6)
    (1.0, 2.321126)
    """
    near = np.abs(x) < 1.0
    far = np.where(near, 1.0, x)
    power = np.expm1(far)
    beyond = np.where(far > 717.0, power, power / far)
    return np.where(near, special.hyp1f1(1.0, 2.0, np.where(near, x, 0.0)), beyond)


# ---- angles in degrees ----
@stands_for(special.sindg)
def sindg(x: Any) -> Any:
    """The sine of degrees, exact at right angles; 0 beyond 1e14.

    >>> float(sindg(-90.0)), float(sindg(360.0))
    (-1.0, 0.0)
    """
    far = np.abs(x) > 1e14
    side = np.where(np.signbit(x), -1.0, 1.0)  # odd, and so are SciPy's zeros
    return np.where(far, 0.0, side * _of_quarters(np.where(far, 0.0, side * x), 0.0))


@stands_for(special.cosdg)
def cosdg(x: Any) -> Any:
    """The cosine of degrees, exact at right angles; 0 beyond 1e14.

    >>> float(cosdg(180.0)), float(cosdg(270.0))
    (-1.0, 0.0)
    """
    far = np.abs(x) > 1e14
    return np.where(far, 0.0, _of_quarters(np.where(far, 0.0, x), 1.0))


def _of_quarters(x: Any, ahead: float) -> Any:
    """The sine of degrees, some right angles ahead."""
    turns = np.rint(x / 90.0)
    angle = (x - 90.0 * turns) * (math.pi / 180.0)
    quarter = np.mod(turns + ahead, 4.0)
    sign = np.where(quarter < 2.0, 1.0, -1.0)
    return sign * np.where(np.mod(quarter, 2.0) == 0.0, np.sin(angle), np.cos(angle))


# ---- entropies ----
def relative_logarithm(x: Any, y: Any) -> Any:
    """x log(x / y), without cancellation where they are near."""
    near = (x < 2.0 * y) & (y < 2.0 * x)
    a, b = np.where(near, x, 1.0), np.where(near, y, 1.0)
    return np.where(near, a * np.log1p((a - b) / b), special.xlogy(x, x) - special.xlogy(x, y))


def without_meaning(x: Any, y: Any) -> Any:
    """Whether the entropy of x relative to y is infinite; NaN stays NaN."""
    outside = (x < 0.0) | (y < 0.0) | ((x > 0.0) & (y == 0.0))
    return outside & (x == x) & (y == y)


@stands_for(special.rel_entr)
def rel_entr(x: Any, y: Any) -> Any:
    """x log(x / y), 0 where x is 0, infinite where it has no meaning.

    >>> float(rel_entr(0.5, 0.5)), float(rel_entr(0.5, 0.0))
    (0.0, inf)
    """
    infinite = without_meaning(x, y) | ((x == np.inf) & (y < np.inf))
    return np.where(infinite, np.inf, relative_logarithm(x, y))


@stands_for(special.kl_div)
def kl_div(x: Any, y: Any) -> Any:
    """rel_entr(x, y) - x + y.

    >>> float(kl_div(0.5, 0.5))
    0.0
    """
    return np.where(without_meaning(x, y), np.inf, relative_logarithm(x, y) - x + y)


# ---- losses ----
@stands_for(special.huber)
def huber(delta: Any, r: Any) -> Any:
    """A parabola that continues as straight lines beyond `delta`; infinite for a negative one.

    >>> float(huber(1.0, 0.5)), float(huber(1.0, -2.0))
    (0.125, 1.5)
    """
    size = np.abs(r)
    value = np.where(size <= delta, 0.5 * r * r, delta * (size - 0.5 * delta))
    return np.where(delta < 0.0, np.inf, value)


@stands_for(special.pseudo_huber)
def pseudo_huber(delta: Any, r: Any) -> Any:
    """A smooth Huber loss; infinite for a negative `delta`, 0 where that or `r` is 0.

    >>> float(pseudo_huber(1.0, 0.0))
    0.0
    """
    negative = delta < 0.0
    # an infinity or NaN beside a 0 counts for nothing
    delta = np.where((r == 0.0) & ~np.isfinite(delta), 1.0, delta)
    r = np.where((delta == 0.0) & ~np.isfinite(r), 0.0, r)
    ratio = np.where(delta == 0.0, 0.0, r / delta)
    # sqrt(1 + ratio**2) - 1 without cancellation, and without squaring large numbers
    value = delta * r * (ratio / (np.hypot(1.0, ratio) + 1.0))
    return np.where(negative | np.isinf(ratio), np.inf, value)


# ---- transformations ----
@stands_for(special.boxcox)
def boxcox(x: Any, lmbda: Any) -> Any:
    """(x**lmbda - 1) / lmbda, log(x) at 0; smooth in both.

    >>> float(boxcox(4.0, 0.5)), float(boxcox(1.0, 0.0))
    (2.0, 0.0)
    """
    return transformed(np.log(x), lmbda)


@stands_for(special.boxcox1p)
def boxcox1p(x: Any, lmbda: Any) -> Any:
    """boxcox of 1 + x.

    >>> float(boxcox1p(3.0, 0.5))
    2.0
    """
    return transformed(np.log1p(x), lmbda)


def transformed(logarithm: Any, lmbda: Any) -> Any:
    """(exp(lmbda logarithm) - 1) / lmbda."""
    at_end = np.isinf(logarithm) & (lmbda == 0.0)
    z = np.where(at_end, 0.0, lmbda * logarithm)
    near = np.abs(z) < 1.0
    close = logarithm * special.exprel(np.where(near, z, 0.0))
    return np.where(near, close, np.expm1(z) / np.where(near, 1.0, lmbda))


@stands_for(special.cosm1)
def cosm1(x: Any) -> Any:
    """cos(x) - 1 without cancellation.

    >>> float(cosm1(0.0))
    0.0
    """
    half = np.sin(0.5 * x)
    return 0.0 - 2.0 * half * half


# ---- gamma functions ----
@stands_for(special.polygamma)
def polygamma(n: Any, x: Any) -> Any:
    """The n-th derivative of digamma; n must be known when compiling.

    >>> round(float(polygamma(1, 1.0)), 6)
    1.644934
    """
    n = known(n)
    return special.psi(np.asarray(x, dtype=np.float64)) if n == 0 else nth_polygamma(n, x)


def nth_polygamma(n: int, x: Any) -> Any:
    """The primitive, for n > 0."""
    return special.polygamma(n, x)


@stands_for(special.gammasgn)
def gammasgn(x: Any) -> Any:
    """The sign of gamma: NaN at its poles but 0, where it is that of the zero.

    >>> gammasgn(np.array([2.5, -0.5, -1.5, -1.0]))
    array([ 1., -1.,  1., nan])
    """
    down = np.floor(x)
    left = np.where(down == x, np.nan, 1.0 - 2.0 * (down % 2.0))
    right = np.where(np.isnan(x), np.nan, np.copysign(1.0, x))
    return np.where(x < 0.0, left, right)


@stands_for(special.multigammaln)
def multigammaln(a: Any, d: Any) -> Any:
    """The logarithm of the multivariate gamma function.

    >>> float(multigammaln(3.0, 1)) == float(special.gammaln(3.0))
    True
    """
    d = known(d)
    if d < 1:
        return unsupported("multigammaln of no dimension", like=ValueError)
    a = np.asarray(a, dtype=np.float64)
    if np.any(a <= 0.5 * (d - 1)):
        raise ValueError("condition a > 0.5 * (d-1) not met")
    total = 0.25 * d * (d - 1) * math.log(math.pi) + special.gammaln(a)
    for k in range(1, d):
        total = total + special.gammaln(a - 0.5 * k)
    return total


# ---- the convolution of a Gaussian and a Cauchy density ----
@stands_for(special.voigt_profile)
def voigt_profile(x: Any, sigma: Any, gamma: Any) -> Any:
    """Re w((x + i gamma) / (sqrt(2) sigma)) / (sqrt(2 pi) sigma), smooth to sigma = 0.

    Far from the centre it is an asymptotic series in sigma (DLMF 7.12.1), and on the real axis a
    Gaussian beside it.

    >>> round(float(voigt_profile(1.0, 2.0, 0.5)), 6), round(float(voigt_profile(1.0, 0.0, 2.0)), 6)
    (0.149106, 0.127324)
    """
    # no density infinitely far away, or infinitely wide
    nothing = (np.isinf(x) & (gamma < np.inf)) | ((gamma == np.inf) & (sigma > 0.0) & (x == x))
    nothing = nothing & np.isfinite(sigma)
    x, gamma = np.where(nothing, 1.0, x), np.where(nothing, 1.0, gamma)
    far = (np.hypot(x, gamma) > 14.0 * sigma) & (sigma >= 0.0) & ((gamma >= 0.0) | (sigma == 0.0))
    width = np.where(far | (sigma == 0.0), 1.0, sigma)
    z = (np.where(far, 0.0, x) + 1j * np.where(far, 1.0, gamma)) / (math.sqrt(2.0) * width)
    near = special.wofz(z).real / (math.sqrt(2.0 * math.pi) * width)
    place = np.where(far, x, 1.0) + 1j * np.where(far, gamma, 0.0)
    q, series = np.square(np.where(far, sigma, 0.0) / place), 1.0
    for k in range(25, 0, -2):
        series = 1.0 + k * q * series
    tail = far & (gamma == 0.0) & (sigma > 0.0)
    s, t = np.where(tail, sigma, 1.0), np.where(tail, x, 0.0)
    gaussian = np.exp(-0.5 * np.square(t / s)) / (math.sqrt(2.0 * math.pi) * s)
    beyond = (1j / (math.pi * place) * series).real + np.where(tail, gaussian, 0.0)
    centre = (sigma == 0.0) & (gamma == 0.0) & (x == 0.0)
    value = np.where(centre, np.inf, np.where(far, beyond, near))
    return np.where(nothing, 0.0, value)


# ---- spherical Bessel functions: the sign and the factor in their derivatives ----
SPHERICAL = {
    special.spherical_jn: (-1.0, 1.0), special.spherical_yn: (-1.0, 1.0),
    special.spherical_in: (1.0, 1.0), special.spherical_kn: (1.0, -1.0),
}  # fmt: skip


def spherical_slope(f: Any, sign: float, outer: float, n: Any, z: Any) -> Any:
    """The derivative of a spherical Bessel function (DLMF 10.51).

    >>> round(float(spherical_slope(special.spherical_jn, -1.0, 1.0, 1, 0.0)), 6)
    0.333333
    """
    n = np.asarray(n)
    below = np.where(n == 0, 0.0, n * f(np.maximum(n - 1, 0), z))
    return outer * (below + sign * (n + 1.0) * f(n + 1, z)) / (2.0 * n + 1.0)


UFUNCS.update(
    (formula, f)
    for f, formula in FORMULAS.items()
    if isinstance(f, np.ufunc) and vars(special).get(f.__name__) is f
)
