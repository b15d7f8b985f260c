"""log and log1p: 2**k (1 + f) with 1 + f from sqrt(1/2) to sqrt(2), and the series of atanh.

log(1 + f) = 2 atanh(s) with s = f / (2 + f), arranged as f - f**2/2 + s (f**2/2 + R) so that the
largest term is exact (as in fdlibm's `e_log.c`, Sun Microsystems 1993).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from srcgrad.backends.cpu.elementary.lanes import Lanes, bits

# ln 2 to 32 bits, so that k times it is exact, and its error
LN2 = (0.6931471803691238, 1.9082149292705877e-10)
# R = s**4 (2/3 + 2/5 s**2 + …) / s**2: later terms are below 2**-60
SERIES = [2 / (2 * k + 3) for k in range(11)]
SMALLEST = 2.0**-1022
ROOT = bits(math.sqrt(0.5))


class Parts(NamedTuple):
    """x = 2**k (1 + f)."""

    k: str  # a double
    f: str
    inverse: str  # 2**-k


def parts(w: Lanes, x: str) -> Parts:
    """The parts of a normal x above 0."""
    raw = w.bits_of(x)
    biased = w.whole("lshr", w.whole("add", w.whole("sub", raw, ROOT), 1023 << 52), 52)
    # the bits of 2**52 + k + 1023
    k = w.sub(w.from_bits(w.whole("or", biased, bits(2.0**52))), 2.0**52 + 1023)
    power = w.whole("shl", w.whole("sub", biased, 1023), 52)
    f = w.sub(w.from_bits(w.whole("sub", raw, power)), 1.0)
    return Parts(k, f, w.from_bits(w.whole("sub", 1023 << 52, power)))


def of_parts(w: Lanes, x: Parts, low: str) -> str:
    """k ln 2 + log(1 + f) + low; k ln 2 + f and what it loses are added beside the quotient."""
    s = w.div(x.f, w.add(x.f, 2.0))
    z, half = w.mul(s, s), w.mul(w.mul(x.f, 0.5), x.f)
    exact = w.mul(x.k, LN2[0])
    most = w.add(exact, x.f)
    lost = w.sub(x.f, w.sub(most, exact))
    rest = w.add(w.sub(lost, half), low)
    return w.add(most, w.fma(s, w.series(half, z, z, SERIES), rest))


def log(w: Lanes, x: str) -> str:
    p = parts(w, x)
    return of_parts(w, p, w.mul(p.k, LN2[1]))


def log_excluded(w: Lanes, x: str) -> str:
    """Subnormal numbers, 0, negative and infinite ones, and NaN."""
    return w.either(w.compare("ult", x, SMALLEST), w.compare("uge", x, math.inf))


def log1p(w: Lanes, x: str) -> str:
    """log(u) + c / u, where u is 1 + x rounded and c its error.

    c / u is below 2**-53, so 1 / (1 + f) need not be precise except near f = 0.
    """
    u = w.add(x, 1.0)
    beyond = w.sub(1.0, w.sub(u, x))
    lacking = w.choose(w.compare("ogt", x, 1.0), beyond, w.sub(x, w.sub(u, 1.0)))
    p = parts(w, u)
    about = w.fma(p.f, w.sub(p.f, 1.0), 1.0)  # 1 / (1 + f)
    low = w.fma(w.mul(lacking, p.inverse), about, w.mul(p.k, LN2[1]))
    return w.copysign(of_parts(w, p, low), x)


def log1p_excluded(w: Lanes, x: str) -> str:
    return w.either(w.compare("ule", x, -1.0), w.compare("uge", x, 2.0**1000))
