"""Elementwise functions of NumPy, and sums of math, by other functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import (
    floating,
    in_one_float_kind,
    is_array,
    stand_for,
    stands_for,
    unsupported,
)
from srcgrad.frontend.versions import there

LN2 = math.log(2.0)
stand_for({
    # NumPy 2.0's own asks for the class of an array
    np.fix: lambda x, out=None: np.trunc(x, out=out),
    np.divmod: lambda x1, x2: (np.floor_divide(x1, x2), np.remainder(x1, x2)),
    np.ndim: lambda a: len(np.shape(a)),
    np.isscalar: lambda element: isinstance(element, (int, float, complex, str, np.generic)),
    np.iterable: lambda y: (
        np.ndim(y) > 0 if is_array(y) else isinstance(y, list) or hasattr(y, "__iter__")),
    np.promote_types: lambda type1, type2: np.result_type(type1, type2),
    np.i0: lambda x: bessel_i0(floating(x)).astype(floating(x).dtype),
})  # fmt: skip


@stands_for(np.reciprocal)
def reciprocal(x: Any) -> Any:
    """1 / x.

    >>> float(reciprocal(4.0))
    0.25
    """
    if np.asarray(x).dtype.kind in "iub":
        return unsupported("reciprocal of integers is not supported", "write 1.0 / x or 1 // x")
    return np.divide(1.0, x)


@stands_for(np.logaddexp2)
def logaddexp2(x1: Any, x2: Any) -> Any:
    """log2(2**x1 + 2**x2).

    >>> float(logaddexp2(1.0, 1.0))
    2.0
    """
    x1, x2 = in_one_float_kind(x1, x2)
    return np.logaddexp(x1 * LN2, x2 * LN2) / LN2


@stands_for(np.ldexp)
def ldexp(x1: Any, x2: Any) -> Any:
    """x 2**n, by factors of which none is out of range where the product is not.

    The last one alone rounds. Upwards it is a quotient: two products may be made one.

    >>> float(ldexp(3.0, 2)), float(ldexp(2.0**-1000, 2000)) == 2.0**1000
    (12.0, True)
    """
    exponents = np.asarray(x2).dtype
    if exponents.kind not in "iub" or exponents == np.uint64:
        return unsupported("ldexp takes integers as exponents", "", TypeError)
    (x1,) = in_one_float_kind(x1)
    kind, n = np.asarray(x1).dtype, np.asarray(x2).astype(np.int64)
    if kind.itemsize == 2:
        return np.ldexp(x1.astype(np.float32), np.clip(n, -60, 60)).astype(kind)
    high, low = {4: (127, -149), 8: (1023, -1074)}[kind.itemsize]
    n = np.clip(n, 2 * (low + 1 - high), 2 * (high - low))
    if np.ndim(n) == 0 and -high < n <= high:
        return x1 * np.exp2(n.astype(float)).astype(kind)
    last = np.clip(n, -high, -low)
    first = np.clip(n - last, low + 1, high)
    y = x1
    for part in (n - last - first, first):  # what a comparison chooses is no part of a product
        y = np.where(y == y, y, x1) * np.exp2(part.astype(float)).astype(kind)
    return np.where(y == y, y, x1) / np.exp2(-last.astype(float)).astype(kind)


@stands_for(np.modf)
def modf(x: Any) -> Any:
    """The fractional and the whole part, both with the sign of x.

    >>> [float(v) for v in modf(-1.5)]
    [-0.5, -1.0]
    """
    (x,) = in_one_float_kind(x)
    whole = np.trunc(x)
    return np.copysign(np.where(np.isinf(x), 0.0, x - whole), x), whole


@stands_for(math.modf)
def modf_of_number(x: Any) -> Any:
    """modf of a number, in floats of Python's.

    >>> modf_of_number(1.5), modf_of_number(-2)
    ((0.5, 1.0), (-0.0, -2.0))
    """
    rest, whole = np.modf(math.copysign(math.fabs(x), x))
    return float(rest), float(whole)


def angle(z: Any, deg: Any = False) -> Any:
    """The angle of complex numbers.

    >>> float(angle(1j, deg=True))
    90.0
    """
    y = np.arctan2(np.imag(z), np.real(z)) if np.iscomplexobj(z) else np.arctan2(0, z)
    return y * (180.0 / math.pi) if deg else y


def bessel_i0(x: Any) -> Any:
    """The modified Bessel function of order 0, whose primitive is SciPy's."""
    return np.i0(x)


@stands_for(*there(math, "sumprod"))  # since Python 3.12
def sumprod(p: Any, q: Any, /) -> Any:
    """The sum of the products of the items, as of two rows of numbers.

    >>> sumprod([1.0, 2.0], [3.0, 4.0])
    11.0
    """
    if is_array(p) and is_array(q) and p.ndim == q.ndim == 1:
        return np.dot(p, q)
    return sum([a * b for a, b in zip(p, q, strict=True)])
