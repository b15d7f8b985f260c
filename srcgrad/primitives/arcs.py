"""Inverse circular and hyperbolic functions whose derivatives have branch cuts.

Of complex numbers on a cut the derivative is that of the side which the sign of a zero chooses, as
the value is (C99, annex G).
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from srcgrad.primitives.elementwise import imag, is_complex, real, sqrt, to_complex
from srcgrad.primitives.registry import derive

_singular = functools.partial(derive, singular=True, nonfinite=True)


def _cosine(a: Any) -> Any:
    """The cosine of the arc whose sine is `a`."""
    if is_complex(a):
        return _beside_cuts(real(a), imag(a))
    return sqrt((1.0 - a) * (1.0 + a))


def _beside_cuts(x: Any, y: Any) -> Any:
    """sqrt(1 + z) sqrt(1 - z) for z = x + iy; a zero has the sign of its side of the cut.

    A sum of complex numbers would add a zero to the part beside the cut, and lose its sign.
    """
    return sqrt(to_complex(x + 1.0, y)) * sqrt(to_complex(x * -1.0 + 1.0, y * -1.0))


arcsin = _singular("arcsin", np.arcsin, lambda y, a: 1.0 / _cosine(a))
arccos = _singular("arccos", np.arccos, lambda y, a: -1.0 / _cosine(a))


def _hyperbolic_cosine(a: Any) -> Any:
    """The hyperbolic cosine of the number whose hyperbolic sine is `a`."""
    if is_complex(a):
        return _beside_cuts(imag(a) * -1.0, real(a))
    return sqrt(a * a + 1.0)


def _hyperbolic_sine(a: Any) -> Any:
    """The hyperbolic sine of the number whose hyperbolic cosine is `a`; no square overflows."""
    if is_complex(a):
        x, y = real(a), imag(a)
        return sqrt(to_complex(x - 1.0, y)) * sqrt(to_complex(x + 1.0, y))
    return sqrt(a - 1.0) * sqrt(a + 1.0)


arcsinh = derive(
    "arcsinh", np.arcsinh, lambda y, a: 1.0 / _hyperbolic_cosine(a), nonfinite="complex"
)
arccosh = _singular("arccosh", np.arccosh, lambda y, a: 1.0 / _hyperbolic_sine(a))
