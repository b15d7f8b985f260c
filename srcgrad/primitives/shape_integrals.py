"""Derivatives of incomplete gamma and beta functions by their shapes, and Student's, of one number.

Backends compile these functions as they are. A derivative by a shape is an integral of the density
times log t less its mean. It is taken over the tail in which that has one sign, in
w = |log t - log x|: nothing cancels. The integrand varies smoothly with log w, so the trapezoidal
rule converges fast (Trefethen and Weideman 2014), with a substitution whose left end decays doubly
exponentially. Lower gamma functions of small arguments are their series (DLMF 8.7.1) instead.
Fronts x**a exp(-x) / Gamma(a) are by Stirling's series about x = a (DLMF 5.11.1), where the
logarithms of their factors would cancel.
"""

from __future__ import annotations

import math

# Bernoulli's numbers B2, B4, ... and over 2k (2k - 1): of digamma and of the logarithm of gamma
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156,
            -3617 / 122400)  # fmt: skip
LARGE = 16.0  # from here on these series are exact to rounding
SMALLEST = 1e-290  # a shape below has the derivatives at 0
ROUNDING = 1e-17
START = -4.0  # where the integrands' left ends vanish
FINE, COARSE = 0.0625, 0.125  # steps of the trapezoidal rule
MOST = 1 << 14  # its points


def stirling_rest(a: float) -> float:
    """log(Gamma(a)) less Stirling's formula."""
    if a < LARGE:
        return math.lgamma(a) - (a - 0.5) * math.log(a) + a - 0.5 * math.log(2.0 * math.pi)
    total = 0.0
    for k in range(len(STIRLING) - 1, -1, -1):
        total = total / (a * a) + STIRLING[k]
    return total / a


def log_less_digamma(a: float) -> float:
    """log(a) - digamma(a)."""
    total, start = 0.0, a
    while a < LARGE:
        total += 1.0 / a
        a += 1.0
    series = 0.0
    for k in range(len(BERNOULLI) - 1, -1, -1):
        series = series / (a * a) + BERNOULLI[k] / (2.0 * k + 2.0)
    return total + math.log(start / a) + 0.5 / a + series / (a * a)


def trigamma(a: float) -> float:
    total = 0.0
    while a < LARGE:
        total += 1.0 / (a * a)
        a += 1.0
    series = 0.0
    for k in range(len(BERNOULLI) - 1, -1, -1):
        series = series / (a * a) + BERNOULLI[k]
    return total + 1.0 / a + 0.5 / (a * a) + series / (a * a * a)


def digamma_step(a: float, b: float) -> float:
    """digamma(a + b) - digamma(a), also for a small b: by differences of powers."""
    total = 0.0
    while a < LARGE:
        total += b / a / (a + b)
        a += 1.0
    p, q = 1.0 / a, 1.0 / (a + b)
    less = b * p * q  # p - q
    total += math.log1p(b / a) + 0.5 * less
    square = (p + q) * less  # p**2 - q**2
    power, powers = 1.0, square  # q**(2k), p**(2k + 2) - q**(2k + 2)
    for k in range(len(BERNOULLI)):
        total += BERNOULLI[k] / (2.0 * k + 2.0) * powers
        power *= q * q
        powers = p * p * powers + power * square
    return total


def log_less(ratio: float, excess: float) -> float:
    """log(ratio) - (ratio - 1), from both."""
    return (math.log1p(excess) if abs(excess) < 0.5 else math.log(ratio)) - excess


def exp_less(w: float) -> float:
    """exp(w) - 1 - w."""
    if abs(w) > 0.01:
        return math.expm1(w) - w
    return 0.5 * w * w * (1.0 + w / 3.0 * (1.0 + w / 4.0 * (1.0 + w / 5.0 * (1.0 + w / 6.0))))


def gamma_by_shape(a: float, x: float, twice: bool) -> float:
    """The derivative of P(a, x) by `a`, or its second one."""
    if not (a >= 0.0 and x >= 0.0) or a == x == 0.0:
        return math.nan
    if x == 0.0 or x == math.inf or a == math.inf:
        return 0.0
    a = max(a, SMALLEST)
    excess = (x - a) / a
    if a >= LARGE and abs(excess) < 0.5:
        size = a * log_less(1.0, excess)
        center = math.log1p(excess) + log_less_digamma(a) - 1.0 / a
    else:
        size = a * (math.log(x) - math.log(a)) - (x - a)
        center = math.log(x) - math.log(a + 1.0) + log_less_digamma(a + 1.0)
    front = math.exp(size - stirling_rest(a)) * math.sqrt(a / (2.0 * math.pi))
    if front == 0.0:
        return 0.0
    spread = trigamma(a + 1.0) if twice else 0.0
    if x < 1.0 or (a < LARGE and x < a + 1.0):
        return front / a * gamma_series(a, x, center, spread, twice)
    return front * gamma_tail(a, x, center, spread, twice)


def gamma_series(a: float, x: float, center: float, spread: float, twice: bool) -> float:
    """By the terms x**k / ((a + 1) ... (a + k)); `center` is log(x) - digamma(a + 1)."""
    size, term, total, slope, bend, k = 0.0, 1.0, 0.0, 0.0, 0.0, 0.0
    while term * (1.0 + slope * slope) > ROUNDING * size:
        mean = center + slope
        total += term * (mean * mean + bend - spread if twice else mean)
        size += term
        k += 1.0
        factor = 1.0 / (a + k)
        term *= x * factor
        slope -= factor
        bend += factor * factor
    return total


def gamma_tail(a: float, x: float, center: float, spread: float, twice: bool) -> float:
    """By the integral over the tail, `spread` the variance of log t for the shape a + 1."""
    side = -1.0 if center + 1.0 / a < 0.0 else 1.0
    slope = side * (x - a)
    unit = 1.0 / (abs(slope) + math.sqrt(x))
    total = 0.0
    for k in range(MOST):
        u = START + k * FINE
        inner = math.exp(-u)
        w = unit * math.exp(u - inner)
        weight = math.exp(-slope * w - x * exp_less(side * w)) * w * (1.0 + inner)
        mean = center + side * w
        part = mean * (mean + 2.0 / a) - spread if twice else mean + 1.0 / a
        total += weight * part
        if u > 0.0 and weight * (1.0 + mean * mean) <= ROUNDING * abs(total):
            break
    return -side * FINE * total


def beta_by_shape(a: float, b: float, x: float, y: float) -> float:
    """The derivative of I_x(a, b) by `a`; y = 1 - x, both with their full precision."""
    good = a > SMALLEST and b >= 0.0 and x >= 0.0 and y >= 0.0 and not a == b == math.inf
    if not (good and abs(x + y - 1.0) < 1e-6):
        return math.nan
    if x == 0.0 or y == 0.0 or b <= SMALLEST or b == math.inf or a == math.inf:
        return 0.0  # an end of [0, 1], or all of the distribution at one of them
    center = (math.log1p(-y) if y < 0.5 else math.log(x)) + digamma_step(a, b)
    below = center < 0.0
    rate, power, q = (a, b - 1.0, x / y) if below else (b, a - 1.0, y / x)
    bend = math.sqrt(abs(power)) * math.sqrt(q) * math.sqrt(1.0 + q)
    narrow = abs(rate - power * q) + bend + q + 1.0
    if not narrow < math.inf:  # of a subnormal x or y
        return math.nan
    total, first = 0.0, -math.log(narrow)
    for k in range(MOST):
        u = START + k * COARSE
        inner = math.exp(-u)
        w = math.exp(first + u - inner)
        rest = math.log1p(-q * math.expm1(-w))
        weight = math.exp(power * rest - rate * w) * w * (1.0 + inner)
        term = weight * (abs(center) + (w if below else rest))
        total += term
        if u > 0.0 and term <= ROUNDING * total:
            break
    return -beta_front(a, b, x, y) / (y if below else x) * COARSE * total


def beta_front(a: float, b: float, x: float, y: float) -> float:
    """x**a y**b / B(a, b)."""
    s, d = a + b, x * b - a * y
    inner = a * log_less(x / a * s, d / a) + b * log_less(y / b * s, -d / b)
    rest = stirling_rest(s) - stirling_rest(a) - stirling_rest(b)
    return math.exp(inner + rest) * math.sqrt(a / s * b / (2.0 * math.pi))


def student_by_freedom(a: float, t: float) -> float:
    """The derivative of Student's distribution function at `t` by its degrees of freedom `a`."""
    if not a > 0.0:
        return math.nan
    square = t * t
    whole = a + square
    if t == 0.0 or whole == math.inf:
        return 0.0
    x, y = a / whole, square / whole
    by_argument = beta_front(0.5 * a, 0.5, x, y) / a if x > 0.0 and y > 0.0 else 0.0
    total = 0.5 * by_argument + 0.25 * beta_by_shape(0.5 * a, 0.5, x, y)
    return -total if t > 0.0 else total


FUNCTIONS = (
    stirling_rest, log_less_digamma, trigamma, digamma_step, log_less, exp_less, gamma_series,
    gamma_tail, gamma_by_shape, beta_front, beta_by_shape, student_by_freedom,
)  # fmt: skip
