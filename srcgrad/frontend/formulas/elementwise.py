"""Elementwise functions of NumPy by others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import floating, stands_for


@stands_for(np.logaddexp2)
def logaddexp2(x1: Any, x2: Any) -> Any:
    """log2(2**a + 2**b).

    >>> float(logaddexp2(3.0, 3.0))
    4.0
    """
    ln2 = math.log(2.0)
    return np.logaddexp(floating(x1) * ln2, floating(x2) * ln2) / ln2


@stands_for(np.ldexp)
def ldexp(x1: Any, x2: Any) -> Any:
    """x 2**n.

    >>> float(ldexp(3.0, 2))
    12.0
    """
    x1 = floating(x1)
    return x1 * np.exp2(np.asarray(x2).astype(np.asarray(x1).dtype))


@stands_for(np.fix)
def fix(x: Any) -> Any:
    """Rounded towards zero.

    >>> float(fix(-1.5))
    -1.0
    """
    return np.trunc(x)


@stands_for(np.modf)
def modf(x: Any) -> Any:
    """The part behind the point and the whole part, both with the sign of x.

    >>> [float(v) for v in modf(-1.5)]
    [-0.5, -1.0]
    """
    x = floating(x)
    whole = np.trunc(x)
    return np.copysign(np.where(np.isinf(x), 0.0, x - whole), x), whole


@stands_for(math.modf)
def modf_of_number(x: Any) -> Any:
    """modf of a number.

    >>> modf_of_number(1.5)
    (0.5, 1.0)
    """
    whole = math.floor(x) if x >= 0.0 else math.ceil(x)
    return x - whole, whole * 1.0


@stands_for(np.divmod)
def divmod_(x1: Any, x2: Any) -> Any:
    """The whole quotient and the rest.

    >>> [float(v) for v in divmod_(7.0, 2.0)]
    [3.0, 1.0]
    """
    return np.floor_divide(x1, x2), np.remainder(x1, x2)


@stands_for(np.real_if_close)
def real_if_close(a: Any, tol: Any = 100) -> Any:
    """Of real numbers: these themselves.

    >>> real_if_close(np.array([1.0]))
    array([1.])
    """
    return np.asarray(a)


@stands_for(np.isposinf)
def isposinf(x: Any) -> Any:
    """Whether numbers are infinite above.

    >>> bool(isposinf(np.inf))
    True
    """
    return np.equal(x, np.inf)


@stands_for(np.isneginf)
def isneginf(x: Any) -> Any:
    """Whether numbers are infinite below.

    >>> bool(isneginf(-np.inf))
    True
    """
    return np.equal(x, -np.inf)


@stands_for(np.i0)
def i0(x: Any) -> Any:
    """The modified Bessel function of order 0, whose primitive is SciPy's.

    >>> float(i0(0.0))
    1.0
    """
    return bessel_i0(floating(x))


def bessel_i0(x: Any) -> Any:
    """What the primitive computes."""
    return np.i0(x)
