"""The series of np.polynomial by their coefficients, the lowest power first.

They are summed by Clenshaw's recurrence (DLMF 3.11(ii)).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial import (
    chebyshev,
    hermite,
    hermite_e,
    laguerre,
    legendre,
    polynomial,
)

from srcgrad.frontend.formulas.registry import (
    floating,
    known,
    stand_for,
    unsupported,
)


def lost(dropped: Any) -> Any:
    """0.0, the sum of coefficients that are 0: its derivative by each of them is NaN.

    NumPy's result is shorter without them, so it does not tell how it depends on them.

    >>> float(lost(np.zeros(2)))
    0.0
    """
    return np.sum(np.sqrt(np.abs(dropped)))


def without_last_zeros(c: Any) -> Any:
    """A series without its highest coefficients that are 0, but for the first one.

    >>> without_last_zeros(np.array([1.0, 2.0, 0.0]))
    array([1., 2.])
    """
    n = np.max(np.flatnonzero(c), initial=0) + 1
    return c[:n] + lost(c[n:]) if c.dtype.kind in "fc" else c[:n]


# ---- values ----
def _series(x: Any, c: Any) -> tuple:
    """Arguments and coefficients: a column of coefficients gives a row of results."""
    x, c = floating(x), floating(c)
    return (x, np.reshape(c, c.shape + (1,) * np.ndim(x)))


def _horner(x: Any, c: Any, tensor: Any) -> Any:
    if not tensor and np.ndim(c) > 1:
        return unsupported("a series with tensor=False is not supported")
    x, c = _series(x, c)
    value = c[0] * 0.0 + x * 0.0
    n = c.shape[0]
    for k in range(n):
        value = value * x + c[n - 1 - k]
    return value


def _clenshaw(x: Any, c: Any, tensor: Any, alpha: Any, beta: Any, first: Any) -> Any:
    """The sum of c[k] p[k](x) where p[k+1] = alpha(k, x) p[k] - beta(k) p[k-1], p[1] = first(x)."""
    if not tensor and np.ndim(c) > 1:
        return unsupported("a series with tensor=False is not supported")
    x, c = _series(x, c)
    nothing = c[0] * 0.0 + x * 0.0
    later, latest = nothing, nothing
    n = c.shape[0]
    for j in range(n - 1):
        k = n - 1 - j
        later, latest = c[k] + alpha(k, x) * later - beta(k + 1) * latest, later
    return c[0] + first(x) * later - beta(1) * latest


stand_for({
    polynomial.polyval: lambda x, c, tensor=True: _horner(x, c, known(tensor)),
    chebyshev.chebval: lambda x, c, tensor=True: _clenshaw(
        x, c, known(tensor), lambda k, x: 2.0 * x, lambda k: 1.0, lambda x: x),
    legendre.legval: lambda x, c, tensor=True: _clenshaw(
        x, c, known(tensor), lambda k, x: (2.0 * k + 1.0) / (k + 1.0) * x,
        lambda k: k / (k + 1.0), lambda x: x),
    hermite.hermval: lambda x, c, tensor=True: _clenshaw(
        x, c, known(tensor), lambda k, x: 2.0 * x, lambda k: 2.0 * k, lambda x: 2.0 * x),
    hermite_e.hermeval: lambda x, c, tensor=True: _clenshaw(
        x, c, known(tensor), lambda k, x: x, lambda k: 1.0 * k, lambda x: x),
    laguerre.lagval: lambda x, c, tensor=True: _clenshaw(
        x, c, known(tensor), lambda k, x: (2.0 * k + 1.0 - x) / (k + 1.0),
        lambda k: k / (k + 1.0), lambda x: 1.0 - x),
})  # fmt: skip
