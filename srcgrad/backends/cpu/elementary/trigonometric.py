"""sin and cos: x = n pi/2 + r with |r| <= pi/4, and Taylor polynomials of r.

pi/2 is the sum of three doubles (Cody and Waite, Software Manual for the Elementary Functions,
1980); with fused operations the reduction is exact to the last bit of r up to 2**20.
"""

from __future__ import annotations

import math

from srcgrad.backends.cpu.elementary.exponentials import TO_WHOLE
from srcgrad.backends.cpu.elementary.lanes import Lanes

HALF_PI = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33)
LARGEST = 2.0**20
# sin(r) = r + r**3 SIN(r**2), cos(r) = 1 - r**2/2 + r**4 COS(r**2)
SIN = [(-1) ** (k + 1) / math.factorial(2 * k + 3) for k in range(8)]
COS = [(-1) ** k / math.factorial(2 * k + 4) for k in range(7)]


def _wave(w: Lanes, x: str, quarter: int) -> str:
    """sin(x + quarter pi/2)."""
    shifted = w.fma(x, 2 / math.pi, TO_WHOLE)
    minus = w.neg(w.sub(shifted, TO_WHOLE))
    second = w.mul(minus, HALF_PI[1])
    r, lost = w.sum(w.fma(minus, HALF_PI[0], x), second)
    low = w.fma(minus, HALF_PI[2], w.add(lost, w.fma(minus, HALF_PI[1], w.neg(second))))
    z = w.mul(r, r)
    sine = w.add(r, w.fma(w.mul(r, z), w.polynomial(z, SIN), low))
    half = w.mul(z, 0.5)
    most = w.sub(1.0, half)
    less = w.fma(w.neg(r), low, w.sub(w.sub(1.0, most), half))
    cosine = w.add(most, w.fma(w.mul(z, z), w.polynomial(z, COS), less))
    quadrant = w.whole("add", w.bits_of(shifted), quarter)
    size = w.choose(w.odd(quadrant), cosine, sine)
    negative = w.whole("shl", w.whole("and", quadrant, 2), 62)
    return w.from_bits(w.whole("xor", w.bits_of(size), negative))


def sin(w: Lanes, x: str) -> str:
    return w.choose(w.compare("oeq", x, 0.0), x, _wave(w, x, 0))


def cos(w: Lanes, x: str) -> str:
    return _wave(w, x, 1)


def excluded(w: Lanes, x: str) -> str:
    return w.compare("uge", w.abs(x), LARGEST)
