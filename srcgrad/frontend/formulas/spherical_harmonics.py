"""Spherical harmonics of scipy.special."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from srcgrad.frontend.formulas.registry import known, stands_for, unsupported


def sph_legendre(n: Any, m: Any, theta: Any) -> Any:
    """The primitive."""
    return special.sph_legendre_p(n, m, theta)[0]


@stands_for(special.sph_harm_y)
def sph_harm_y(n: Any, m: Any, theta: Any, phi: Any, *, diff_n: Any = 0) -> Any:
    """The spherical harmonic of degree n and order m at a polar and an azimuthal angle.

    >>> y = sph_harm_y(1, 1, 0.3, 0.4)
    >>> bool(abs(y - special.sph_harm_y(1, 1, 0.3, 0.4)) < 1e-16)
    True
    """
    if known(diff_n) != 0:
        return unsupported("sph_harm_y with diff_n is not supported", "take a derivative of it")
    return sph_legendre(n, m, theta) * np.exp(1j * (m * np.asarray(phi)))


@stands_for(special.sph_harm_y_all)
def sph_harm_y_all(n: Any, m: Any, theta: Any, phi: Any, *, diff_n: Any = 0) -> Any:
    """All spherical harmonics up to degree n and order m, which go 0, 1, ..., m, -m, ..., -1.

    >>> sph_harm_y_all(2, 1, 0.3, np.zeros(4)).shape
    (3, 3, 4)
    """
    n, m = known(n), abs(known(m))
    if n < 0:
        return unsupported("n must be a non-negative integer.", like=ValueError)
    if known(diff_n) != 0:
        return unsupported("sph_harm_y_all with diff_n is not supported", "take a derivative of it")
    orders = np.concatenate((np.arange(m + 1), np.arange(-m, 0)))
    ones = (1,) * np.ndim(theta + phi)
    degrees = np.reshape(np.arange(n + 1), (n + 1, 1, *ones))
    return sph_harm_y(degrees, np.reshape(orders, (2 * m + 1, *ones)), theta, phi)
