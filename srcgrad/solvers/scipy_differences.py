"""Difference quotients of `scipy.optimize`, as NumPy programs.

Their derivatives are those of the quotients: differences of the function's derivatives.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import optimize

from srcgrad.frontend.formulas.registry import inexact, known, stands_for, unsupported
from srcgrad.transforms.entry_points import stop_gradient

STEP = np.sqrt(np.finfo(float).eps)


@stands_for(optimize.approx_fprime)
def approx_fprime(xk: Any, f: Any, epsilon: Any = STEP, *args: Any) -> Any:
    """The gradient of a function of a vector, or its Jacobian, by forward differences.

    >>> approx_fprime([1.0, 2.0], lambda x: x[0] * x[1]).round(6)
    array([2., 1.])
    """
    x = inexact(xk)
    if x.dtype.kind == "c":
        unsupported("approx_fprime of complex numbers", "write the quotient")
    x = np.atleast_1d(x).astype(np.float64)
    if x.ndim > 1:
        raise ValueError("`x0` must have at most 1 dimension.")
    first = np.atleast_1d(np.asarray(f(x, *args)) * 1.0)
    if first.ndim > 1:
        raise RuntimeError("`fun` return value has more than 1 dimension.")
    steps = stop_gradient(_steps(x, np.asarray(epsilon) * 1.0))
    out = np.empty((x.shape[0], first.shape[0]))
    for i in range(x.shape[0]):
        moved = x.copy()
        moved[i] = x[i] + steps[i]
        change = np.atleast_1d(np.asarray(f(moved, *args)) * 1.0) - first
        out[i] = change / stop_gradient(moved[i] - x[i])
    if known(first.shape[0]) == 1:
        return np.ravel(out)
    return out.T


def _steps(x: Any, epsilon: Any) -> Any:
    """The steps; one that x absorbs is a relative one."""
    relative = STEP * np.where(x >= 0.0, 1.0, -1.0) * np.maximum(1.0, np.abs(x))
    return np.where((x + epsilon) - x == 0.0, relative, epsilon + 0.0 * x)
