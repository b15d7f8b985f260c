"""Fits of `scipy.optimize` inside compiled code: MINPACK finds the minimum, the rule is implicit.

The derivative is that of the point where the gradient of the sum of squares is zero.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import optimize

from srcgrad.frontend.formulas.registry import known, stands_for, unsupported
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.trees import signature_of
from srcgrad.frontend.values import Closure
from srcgrad.solvers.bounded import ends
from srcgrad.solvers.by_library import by_library
from srcgrad.solvers.implicit import at_root
from srcgrad.solvers.scipy_minimize import least_squares
from srcgrad.transforms.entry_points import grad
from srcgrad.transforms.jacobians import jacobian

NEAR = 1.49012e-08  # MINPACK's default, the square root of the machine epsilon
SUCCESS = (1, 2, 3, 4)


@stands_for(optimize.leastsq)
def leastsq(
    func: Any, x0: Any, args: Any = (), Dfun: Any = None, full_output: Any = False,
    col_deriv: Any = False, ftol: Any = NEAR, xtol: Any = NEAR, gtol: Any = 0.0, maxfev: Any = 0,
    epsfcn: Any = None, factor: Any = 100, diag: Any = None,
) -> Any:  # fmt: skip
    """A minimum of a sum of squares by MINPACK, and MINPACK's number for the reason to stop.

    >>> leastsq(lambda x: np.array([x[0] - 2.0, x[1] - x[0]]), [0.0, 0.0])[0].round(6)
    array([2., 2.])
    """
    if full_output or diag is not None:
        unsupported("leastsq with full_output or diag", "leave them out")
    given = args if isinstance(args, tuple) else (args,)
    start = np.atleast_1d(np.asarray(x0)).astype(np.float64)
    residuals = lambda x: np.ravel(np.asarray(func(x, *given))) * 1.0
    settings = {"ftol": ftol, "xtol": xtol, "gtol": gtol, "maxfev": maxfev, "factor": factor}
    x, why = by_library(_leastsq, (start, 1), ((residuals, (start,)),), start, settings)
    return at_root(lambda v: grad(_half_of_squares(residuals))(v), x), why


def _half_of_squares(residuals: Any) -> Any:
    return lambda x: 0.5 * np.sum(residuals(x) ** 2)


def _leastsq(functions: Sequence[Any], start: np.ndarray, settings: dict) -> Any:
    f = functions[0]
    x, why = optimize.leastsq(f, start, Dfun=f.jacobian, **settings)
    if why not in SUCCESS:
        raise RuntimeError(f"the minimum was not found: leastsq stopped for reason {why}")
    return x, int(why)


@stands_for(optimize.curve_fit)
def curve_fit(
    f: Any, xdata: Any, ydata: Any, p0: Any = None, sigma: Any = None, absolute_sigma: Any = False,
    check_finite: Any = None, bounds: Any = None, method: Any = None, jac: Any = None,
    full_output: Any = False, nan_policy: Any = None, maxfev: Any = 0, **others: Any,
) -> Any:  # fmt: skip
    """The parameters of a model `f(xdata, *p)` that fit `ydata` best, and their covariance.

    >>> p, _ = curve_fit(lambda x, a, b: a * x + b, np.arange(3.0), [1.0, 3.0, 5.0])
    >>> p.round(6)
    array([2., 1.])
    """
    if full_output or nan_policy is not None or len(others) > 0:
        unsupported(
            "curve_fit with full_output, nan_policy or options", "use leastsq, or leave them out"
        )
    if method not in (None, "lm" if bounds is None else "trf"):
        unsupported(f"curve_fit with method={method!r}", "leave it out")
    if p0 is not None:
        start = np.atleast_1d(np.asarray(p0)) * 1.0
    elif bounds is None:
        start = np.ones(_count(f))
    else:
        start = _between(*ends(bounds, np.zeros(_count(f))))
    many = known(start.shape[0])
    seen = np.asarray(ydata) * 1.0
    if sigma is None:
        weigh = lambda r: r
    elif np.ndim(sigma) == 2:
        weigh = lambda r: np.linalg.solve(np.linalg.cholesky(np.asarray(sigma)), r)
    else:
        weigh = lambda r: r / np.asarray(sigma)
    residuals = lambda p: weigh(np.ravel(f(xdata, *[p[k] for k in range(many)]) - seen))
    if bounds is None:
        p, _ = leastsq(residuals, start, maxfev=maxfev)
    else:
        p = least_squares(residuals, start, bounds=bounds, max_nfev=maxfev or None).x
    slopes = jacobian(residuals)(p)
    covariance = np.linalg.inv(slopes.T @ slopes)
    if absolute_sigma:
        return p, covariance
    left = residuals(p)
    if len(left) <= len(p):
        return p, np.full_like(covariance, np.inf)
    return p, covariance * (np.sum(left**2) / (len(left) - len(p)))


def _between(low: Any, high: Any) -> Any:
    """SciPy's start between bounds: their mean, or 1 beside the only one."""
    below, above = low > -np.inf, high < np.inf
    least, most = np.where(below, low, 0.0), np.where(above, high, 0.0)
    beside = np.where(below, least + 1.0, np.where(above, most - 1.0, 1.0))
    return np.where(below & above, 0.5 * (least + most), beside)


def _count(f: Any) -> int:
    """The number of parameters of a model, after its first argument."""
    return len(inspect.signature(f).parameters) - 1


@implements(_count)
def _known_count(it: Interpreter, node: Node, f: Any) -> int:
    if isinstance(f, Closure):
        return len(signature_of(f.node, f.defaults, f.kw_defaults).parameters) - 1
    try:
        return _count(f)
    except (TypeError, ValueError):
        it.refuse(node, "the number of parameters is not known", "pass p0")
