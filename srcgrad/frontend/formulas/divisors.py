"""Common divisors and multiples of integers, and the order of complex numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import stands_for, unsupported


def integers(x1: Any, x2: Any) -> tuple[Any, Any]:
    """Two operands of one integer dtype.

    >>> [int(v) for v in integers(-4, 6)]
    [-4, 6]
    """
    kind = np.result_type(*(x if isinstance(x, int) else np.asarray(x) for x in (x1, x2)))
    if kind.kind not in "iu":
        return unsupported("gcd and lcm take integers", like=TypeError)
    return np.asarray(x1, kind), np.asarray(x2, kind)


@stands_for(np.gcd)
def gcd(x1: Any, x2: Any) -> Any:
    """The greatest common divisor, by Euclid.

    >>> int(gcd(12, -18))
    6
    """
    a, b = integers(x1, x2)
    a, b = np.abs(a + 0 * b), np.abs(b + 0 * a)
    while np.any(b != 0):
        left = b != 0
        a, b = np.where(left, b, a), np.where(left, a % np.where(left, b, 1), 0)
    return a[()]


@stands_for(np.lcm)
def lcm(x1: Any, x2: Any) -> Any:
    """The least common multiple.

    >>> int(lcm(4, -6))
    12
    """
    a, b = integers(x1, x2)
    common = gcd(a, b)
    return np.abs(a // np.where(common == 0, 1, common) * b)[()]


@stands_for(np.sort_complex)
def sort_complex(a: Any) -> Any:
    """Numbers as complex ones, sorted along the last axis by their real and imaginary parts.

    >>> sort_complex([2.0, 1.0]).tolist()
    [(1+0j), (2+0j)]
    """
    z = np.asarray(a)
    if z.ndim == 0:
        return unsupported("sort_complex of a number", like=ValueError)
    if z.dtype.kind != "c":
        narrow = z.dtype in (np.int8, np.int16, np.uint8, np.uint16)
        z = z.astype(np.complex64 if narrow else np.complex128)
    for key in (np.imag, np.real, missing):  # the last one decides first
        z = np.take_along_axis(z, np.argsort(key(z), axis=-1, kind="stable"), axis=-1)
    return z


def missing(z: Any) -> Any:
    """Which parts of complex numbers are NaN: those with one come last."""
    return 2 * np.isnan(z.real) + np.isnan(z.imag)
