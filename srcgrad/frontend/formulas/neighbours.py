"""Floats by their exponents: their parts, the distance to the next one, the next one itself."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import (
    constant,
    in_one_float_kind,
    stand_for,
    stands_for,
)

DIGITS = {2: 11, 4: 24, 8: 53}  # of the mantissa, by the size of the dtype
LOWEST = {2: -24, 4: -149, 8: -1074}  # the exponent of the smallest positive number
stand_for({math.ldexp: lambda x, i, /: float(np.ldexp(float(x), i))})


@stands_for(np.frexp)
def frexp(x: Any) -> Any:
    """The fraction, in [1/2, 1) by size, and the exponent of 2, which is constant in x.

    >>> [float(v) for v in frexp(-3.0)]
    [-0.75, 2.0]
    """
    (x,) = in_one_float_kind(x)
    kind = np.asarray(x).dtype
    digits, size = DIGITS[kind.itemsize], np.abs(constant(x))
    usual = (size > 0.0) & np.isfinite(size)
    # numbers below the normal ones are made normal; the logarithm is off by one at most
    low = LOWEST[kind.itemsize] + digits - 1
    subnormal = usual & (size < 2.0**low)
    z = np.where(usual, size, np.ones_like(size)) * np.where(subnormal, 2.0**digits, 1.0)
    z = z.astype(kind)
    guess = np.floor(np.log2(z))
    rest = z * np.exp2(-guess)
    exponent = guess.astype(np.int32) + 1 + (rest >= 2.0).astype(np.int32)
    exponent = exponent - (rest < 1.0).astype(np.int32) - digits * subnormal.astype(np.int32)
    exponent = np.where(usual, exponent, 0).astype(np.int32)
    return np.where(usual, np.ldexp(x, -exponent), x), exponent


@stands_for(math.frexp)
def frexp_of_number(x: Any, /) -> Any:
    """frexp of a number, in numbers of Python's.

    >>> frexp_of_number(-3)
    (-0.75, 2)
    """
    fraction, exponent = np.frexp(float(x))
    return float(fraction), int(exponent)


def _spacing(x: Any) -> Any:
    """The distance to the next float farther from 0; NaN of what is not finite."""
    (x,) = in_one_float_kind(constant(np.asarray(x)))
    kind = np.asarray(x).dtype
    _, exponent = np.frexp(x)
    digits, lowest = DIGITS[kind.itemsize], LOWEST[kind.itemsize]
    least = np.where(x == 0.0, lowest, np.maximum(exponent - digits, lowest))
    size = np.ldexp(np.ones_like(x), least)
    return np.where(np.isfinite(x), np.where(x < 0.0, -size, size), x - x)


@stands_for(np.spacing)
def spacing(x: Any) -> Any:
    """The distance to the next float farther from 0, constant in x; infinite at the last one.

    Of halves NumPy gives the distance to the next larger one.

    >>> float(spacing(1.0)) == 2.0**-52
    True
    """
    (x,) = in_one_float_kind(constant(np.asarray(x)))
    if np.asarray(x).dtype == np.float16:
        return np.nextafter(x, np.inf) - np.where(np.isinf(x), np.nan, x)
    y = _spacing(x)
    return np.where(np.isfinite(x + y), y, (x + y) - np.where(np.isfinite(x), 0.0, x))


@stands_for(math.ulp)
def ulp(x: Any, /) -> Any:
    """The size of the spacing at a number of Python's.

    >>> ulp(1.0) == 2.0**-52, ulp(-math.inf)
    (True, inf)
    """
    size = np.abs(constant(float(x)))
    return float(np.where(np.isinf(size), size, _spacing(size)))


@stands_for(np.nextafter)
def nextafter(x1: Any, x2: Any) -> Any:
    """The next float after x1 on the way to x2: x1 itself for derivatives, constant in x2.

    >>> float(nextafter(1.0, 2.0)) == 1.0 + 2.0**-52
    True
    """
    x1, x2 = in_one_float_kind(x1, x2)
    kind = np.asarray(x1).dtype
    start, end = constant(x1), constant(x2)
    up = end > start
    gap = np.abs(_spacing(start))
    fraction, _ = np.frexp(start)
    # below a power of 2 numbers lie twice as dense, but for the smallest ones
    inwards = up == (start < 0.0)
    least = 2.0 ** LOWEST[kind.itemsize]
    dense = inwards & (np.abs(fraction) == 0.5) & (gap > least)
    gap = np.where(dense, gap * 0.5, gap).astype(kind)
    y = x1 + np.where(up, gap, -gap)
    y = np.where((start != 0.0) & (y == 0.0), np.copysign(y, start), y)
    largest = np.asarray(np.finfo(kind).max, dtype=kind)
    y = np.where(np.isinf(start), np.copysign(largest, start), y)
    # the sign of zeros is that of x2, but of halves that of x1
    y = np.where(start == end, x1 if kind == np.float16 else np.copysign(x1, end), y)
    return np.where(np.isnan(end), end, y).astype(kind)


@stands_for(math.nextafter)
def nextafter_of_number(x: Any, y: Any, /, *, steps: Any = None) -> Any:
    """The next float of Python's.

    >>> nextafter_of_number(0, 1), nextafter_of_number(1.0, 2.0, steps=2**51)
    (5e-324, 1.5)
    """
    x, y = float(x), float(y)
    if steps is None:
        return float(np.nextafter(x, y))
    if steps < 0:
        raise ValueError("steps must be a non-negative integer")
    start = constant(x)
    end = float(_after_steps(start, constant(y), steps))
    return float(np.copysign(end + (x - start), end)) if math.isfinite(x) else end


def _after_steps(x: Any, y: Any, steps: Any) -> Any:
    """The float that so many steps lead to from x on the way to y."""
    if steps == 0 or math.isnan(x):
        return x
    if math.isnan(y):
        return y
    left, goal = _place(abs(x)), _place(abs(y))
    if math.copysign(1.0, x) != math.copysign(1.0, y):
        if goal <= steps - left:
            return y
        if left < steps:
            return math.copysign(_at_place(steps - left), y)
        return math.copysign(_at_place(left - steps), x)
    if abs(goal - left) < steps:
        return y
    return math.copysign(_at_place(left - steps if left > goal else left + steps), x)


def _place(x: Any) -> Any:
    """The number of floats from 0 to a positive one."""
    if x == math.inf:
        return 2047 * 2**52
    if x < 2.0**-1022:
        return int(x / 2.0**-1074)
    fraction, exponent = math.frexp(x)
    return (exponent + 1021) * 2**52 + int(math.ldexp(fraction, 53))


def _at_place(k: Any) -> Any:
    """The float that so many others come before, from 0 on."""
    if k >= 2047 * 2**52:
        return math.inf
    exponent, rest = k // 2**52, k % 2**52
    if exponent == 0:
        return math.ldexp(float(rest), -1074)
    return math.ldexp(float(rest + 2**52), exponent - 1075)
