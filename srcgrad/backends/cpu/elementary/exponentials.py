"""exp, expm1 and tanh: x = n ln 2 + r with |r| <= ln 2 / 2, and a Taylor polynomial of r."""

from __future__ import annotations

import math
from typing import NamedTuple

from srcgrad.backends.cpu.elementary.lanes import Lanes, bits

LN2 = (0.6931471805599453, 2.3190468138462996e-17)  # a double, and its error
# adding it rounds to a whole number, whose bits are the last ones of the sum
TO_WHOLE = 1.5 * 2.0**52
# exp(r) = 1 + r + r**2 (1/2! + r/3! + …): later terms are below 2**-57
REST = [1 / math.factorial(k + 2) for k in range(12)]


class Reduced(NamedTuple):
    """x = n ln 2 + r + low; the last bits of `bits` less those of TO_WHOLE are n."""

    bits: str
    r: str
    low: str


def reduced(w: Lanes, x: str) -> Reduced:
    shifted = w.fma(x, 1 / math.log(2.0), TO_WHOLE)
    n = w.sub(shifted, TO_WHOLE)
    high, missing = w.fma(w.neg(n), LN2[0], x), w.mul(n, LN2[1])
    r = w.sub(high, missing)
    return Reduced(w.bits_of(shifted), r, w.sub(w.sub(high, r), missing))


def scale(w: Lanes, n: Reduced) -> str:
    """2**n, for n from -1022 to 1023."""
    biased = w.whole("sub", n.bits, bits(TO_WHOLE) - 1023)
    return w.from_bits(w.whole("shl", biased, 52))


def rest(w: Lanes, x: Reduced) -> str:
    """exp(r + low) - 1 - r."""
    return w.series(x.low, w.mul(x.r, x.r), x.r, REST)


def exp(w: Lanes, x: str) -> str:
    """exp for x between -708 and 708, and in vectors 0 for all below -746, common in masks."""
    if w.n == 1:
        return _exp(w, x)
    none = w.compare("olt", x, -746.0)
    return w.choose(none, 0.0, _exp(w, w.choose(none, 0.0, x)))


def _exp(w: Lanes, x: str) -> str:
    e = reduced(w, x)
    high = w.add(e.r, 1.0)
    low = w.add(w.sub(e.r, w.sub(high, 1.0)), rest(w, e))
    power = scale(w, e)
    return w.fma(power, low, w.mul(power, high))  # the second product is exact


def exp_excluded(w: Lanes, x: str) -> str:
    """Whether the result overflows, is subnormal or NaN; for one number, also whether it is 0."""
    if w.n == 1:
        return w.compare("uge", w.abs(x), 708.0)
    subnormal = w.compare("ule", w.abs(w.add(x, 727.0)), 19.0)
    return w.either(w.compare("uge", x, 708.0), subnormal)


def _expm1(w: Lanes, x: str) -> str:
    """2**n (1 - 2**-n + r + …) for x from -40 to 700; of the first three the sum is carried."""
    e = reduced(w, x)
    inverse = w.whole("sub", bits(TO_WHOLE) + 1023, e.bits)
    start = w.sub(1.0, w.from_bits(w.whole("shl", inverse, 52)))
    high, low = w.sum(start, e.r)
    return w.mul(w.add(high, w.add(low, rest(w, e))), scale(w, e))


def expm1(w: Lanes, x: str) -> str:
    """expm1 for x below 700; -1 for all below -40, where the nearest double is -1."""
    y = _expm1(w, w.choose(w.compare("olt", x, -40.0), -40.0, x))
    return w.copysign(y, x)


def expm1_excluded(w: Lanes, x: str) -> str:
    return w.compare("uge", x, 700.0)


def tanh(w: Lanes, x: str) -> str:
    """expm1(2|x|) / (expm1(2|x|) + 2); from 22 on the nearest double is 1."""
    size = w.abs(x)
    size = w.choose(w.compare("ogt", size, 22.0), 22.0, size)
    t = _expm1(w, w.add(size, size))
    return w.copysign(w.div(t, w.add(t, 2.0)), x)
