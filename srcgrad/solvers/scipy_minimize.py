"""Minimizers of `scipy.optimize` inside compiled code: SciPy minimizes, the rule is implicit.

At a minimum the gradient is zero: its derivative by what the function captures is that of a root of
the gradient, to every order. It is as exact as the minimum is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize

from srcgrad.frontend.formulas.registry import stands_for, unsupported
from srcgrad.solvers.bounded import NEAR, Limits, at_minimum, ends, kinds_of, limits
from srcgrad.solvers.by_library import HostFunction, by_library
from srcgrad.solvers.constrained import NUMBERS, constrained, numbers_of, rows_of
from srcgrad.solvers.implicit import at_root
from srcgrad.solvers.results import Result
from srcgrad.transforms.entry_points import grad

# methods of `minimize` by the derivatives that they use
PRODUCTS = frozenset({"newton-cg", "trust-ncg", "trust-krylov", "trust-constr"})
MATRICES = frozenset({"dogleg", "trust-exact"})
GRADIENTS = PRODUCTS | MATRICES | {"cg", "bfgs", "l-bfgs-b", "tnc", "slsqp"}
BY_SLOPE = PRODUCTS | MATRICES | {"cg", "bfgs"}  # they end where the gradient is small
BOUNDED = frozenset({
    "nelder-mead", "powell", "l-bfgs-b", "tnc", "slsqp", "cobyla", "cobyqa", "trust-constr",
})  # fmt: skip
CONSTRAINED = frozenset({"slsqp", "cobyla", "cobyqa", "trust-constr"})


@dataclass(eq=False)
class Minimum(Result):
    """The part of SciPy's result for a minimum that compiled code has."""

    x: Any
    fun: Any
    nfev: Any = None
    status: Any = None
    nit: Any = None
    success: bool = True
    njev: Any = None


@dataclass(eq=False)
class Fit(Result):
    """The part of SciPy's result for least squares that compiled code has."""

    x: Any
    fun: Any
    cost: Any
    success: bool = True


@stands_for(optimize.minimize)
def minimize(
    fun: Any, x0: Any, args: Any = (), method: Any = None, jac: Any = None, hess: Any = None,
    hessp: Any = None, bounds: Any = None, constraints: Any = (), tol: Any = None,
    callback: Any = None, options: Any = None,
) -> Any:  # fmt: skip
    """A minimum of a function of a vector by one of SciPy's methods.

    >>> minimize(lambda x: np.sum((x - 2.0) ** 2), [0.0, 0.0]).x.round(6)
    array([2., 2.])
    """
    held = rows_of(constraints)
    if callback is not None:
        unsupported("minimize with a callback", "leave it out")
    given = args if isinstance(args, tuple) else (args,)
    start = np.atleast_1d(np.asarray(x0)).astype(np.float64)
    if jac is True:
        value = lambda x: float(fun(x, *given)[0] * 1.0)
    else:
        value = lambda x: float(fun(x, *given) * 1.0)
    if method is not None:
        name = method.lower()
    elif len(held) > 0:
        name = "slsqp"
    else:
        name = "bfgs" if bounds is None else "l-bfgs-b"
    if len(held) > 0:
        if name not in CONSTRAINED:
            return unsupported(f"minimize by {name} with constraints", "leave out the method")
        x, *counts = constrained(value, start, held, bounds, _under, name, tol, options)
        return _minimum(x, value, counts)
    if bounds is None:
        limit = Limits()
    elif name in BOUNDED:
        limit = limits(bounds)
    else:
        return unsupported(f"minimize by {name} with bounds", "leave out the method")
    like, functions = (start, start, *NUMBERS), ((value, (start,)),)
    x, kinds, *counts = by_library(
        _minimize, like, functions, start, name, tol, options, limit.lb, limit.ub,
        limit.keep_feasible,
    )  # fmt: skip
    x = at_minimum(lambda v: grad(value)(v), x, kinds, limit.lb, limit.ub)
    return _minimum(x, value, counts)


def _minimum(x: Any, value: Any, counts: Any) -> Minimum:
    status, nfev, nit, njev = counts
    return Minimum(x, value(x), nfev, status, nit, True, njev)


def _minimize(
    functions: Sequence[Any], start: np.ndarray, name: str, tol: Any, options: Any,
    low: np.ndarray, high: np.ndarray, keep: Any,
) -> tuple:  # fmt: skip
    f, settings = functions[0], _slopes(functions[0], name)
    bounded = name in BOUNDED and (np.any(low > -np.inf) or np.any(high < np.inf))
    if bounded:
        settings["bounds"] = optimize.Bounds(low, high, keep)
    made = optimize.minimize(f, start, method=name, tol=tol, options=options, **settings)
    if not made.success:
        raise RuntimeError(f"the minimum was not found: {made.message}")
    kinds = np.zeros_like(start)
    if bounded or name not in BY_SLOPE:
        product = lambda v: f.product(made.x, v)
        kinds = kinds_of(made.x, low, high, f.gradient(made.x), product)
    return made.x, kinds, *numbers_of(made)


def _slopes(f: HostFunction, name: str) -> dict[str, Any]:
    """The derivatives that a method of `minimize` takes."""
    slopes: dict[str, Any] = {}
    if name in GRADIENTS:
        slopes["jac"] = f.gradient
    if name in PRODUCTS:
        slopes["hessp"] = f.product
    if name in MATRICES:
        slopes["hess"] = f.hessian
    return slopes


def _under(
    f: HostFunction, constraints: list[dict], start: np.ndarray, bounds: Any, name: str, tol: Any,
    options: Any,
) -> Any:  # fmt: skip
    """SciPy's minimum under constraints."""
    if name != "trust-constr":  # the only method that takes these
        for made in constraints:
            del made["hess"], made["keep_feasible"]
    return optimize.minimize(
        f, start, method=name, tol=tol, options=options, bounds=bounds,
        constraints=[optimize.NonlinearConstraint(**made) for made in constraints],
        **_slopes(f, name),
    )  # fmt: skip


@stands_for(optimize.minimize_scalar)
def minimize_scalar(
    fun: Any, bracket: Any = None, bounds: Any = None, args: Any = (), method: Any = None,
    tol: Any = None, options: Any = None,
) -> Any:  # fmt: skip
    """A minimum of a function of a number by one of SciPy's methods.

    >>> round(minimize_scalar(lambda x: (x - 2.0) ** 2).x, 6)
    2.0
    """
    given = args if isinstance(args, tuple) else (args,)
    value = lambda x: float(fun(x, *given) * 1.0)
    functions = ((value, (0.0,)),)
    like = (0.0, 1, 1)
    x, nfev, nit = by_library(
        _minimize_scalar, like, functions, bracket, bounds, method, tol, options
    )
    x = float(at_root(lambda v: grad(value)(v), x))
    return Minimum(x, value(x), nfev, None, nit)


def _minimize_scalar(
    functions: Sequence[Any], bracket: Any, bounds: Any, method: Any, tol: Any, options: Any
) -> tuple[float, int, int]:
    f = functions[0]
    made = optimize.minimize_scalar(f, bracket, bounds, (), method, tol, options)
    if not made.success:
        raise RuntimeError(f"the minimum was not found: {made.message}")
    x = float(made.x)
    slope, bend = f.gradient(x), f.hessian(x)
    if bounds is not None and not abs(slope) <= NEAR * bend * (1.0 + abs(x)):
        near = min(abs(x - b) for b in bounds) <= NEAR * abs(bounds[1] - bounds[0])
        place = "a bound" if near else "a kink (take the square of what `abs` is taken of)"
        raise RuntimeError(f"the minimum is at {place}: at {x:.6g} the slope is {slope:.3g}")
    return x, int(made.nfev), int(made.nit)


# ---- least squares ----
@stands_for(optimize.least_squares)
def least_squares(
    fun: Any, x0: Any, jac: Any = None, bounds: Any = None, method: Any = "trf", ftol: Any = 1e-8,
    xtol: Any = 1e-8, gtol: Any = 1e-8, x_scale: Any = None, loss: Any = "linear",
    f_scale: Any = 1.0, diff_step: Any = None, tr_solver: Any = None, tr_options: Any = None,
    jac_sparsity: Any = None, max_nfev: Any = None, verbose: Any = 0, args: Any = (),
    kwargs: Any = None, callback: Any = None, workers: Any = None,
) -> Any:  # fmt: skip
    """A minimum of a sum of squares by one of SciPy's methods.

    >>> least_squares(lambda x: np.array([x[0] - 2.0, x[1] - x[0]]), [0.0, 0.0]).x.round(6)
    array([2., 2.])
    """
    if loss not in ("linear", "soft_l1", "huber", "cauchy", "arctan"):
        unsupported("least_squares with a loss of one's own", "put it into the residuals")
    if callback is not None:
        unsupported("least_squares with a callback", "leave it out")
    given, named = args if isinstance(args, tuple) else (args,), {} if kwargs is None else kwargs
    start = np.atleast_1d(np.asarray(x0)).astype(np.float64)
    residuals = lambda x: np.ravel(np.asarray(fun(x, *given, **named))) * 1.0
    settings = {
        "method": method, "ftol": ftol, "xtol": xtol, "gtol": gtol, "loss": loss,
        "f_scale": f_scale, "tr_solver": tr_solver, "max_nfev": max_nfev,
    }  # fmt: skip
    if x_scale is not None:
        settings["x_scale"] = x_scale
    cost = lambda x: 0.5 * f_scale**2 * np.sum(_loss(loss, (residuals(x) / f_scale) ** 2))
    functions = ((residuals, (start,)), (cost, (start,)))
    if bounds is None:
        x = by_library(_least_squares, start, functions, start, settings)
        x = at_root(lambda v: grad(cost)(v), x)
    else:
        low, high = ends(bounds, start)
        x, kinds = by_library(
            _bounded_least_squares, (start, start), functions, start, settings, low, high
        )
        x = at_minimum(lambda v: grad(cost)(v), x, kinds, low, high)
    return Fit(x, residuals(x), cost(x))


def _loss(name: str, z: Any) -> Any:
    """A loss of squares z of scaled residuals."""
    if name == "soft_l1":
        return 2.0 * ((1.0 + z) ** 0.5 - 1.0)
    if name == "huber":
        return np.where(z <= 1.0, z, 2.0 * np.where(z <= 1.0, 1.0, z) ** 0.5 - 1.0)
    if name == "cauchy":
        return np.log1p(z)
    return np.arctan(z) if name == "arctan" else z


def _least_squares(functions: Sequence[Any], start: np.ndarray, settings: dict) -> np.ndarray:
    f = functions[0]
    made = optimize.least_squares(f, start, f.jacobian, **settings)
    if not made.success:
        raise RuntimeError(f"the minimum was not found: {made.message}")
    # the unknowns that a bound holds are a little inside of it
    low, high = settings.get("bounds", (-np.inf, np.inf))
    return np.where(made.active_mask < 0, low, np.where(made.active_mask > 0, high, made.x))


def _bounded_least_squares(
    functions: Sequence[Any], start: np.ndarray, settings: dict, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    x = _least_squares(functions, start, {**settings, "bounds": (low, high)})
    cost = functions[1]
    return x, kinds_of(x, low, high, cost.gradient(x), lambda v: cost.product(x, v))
