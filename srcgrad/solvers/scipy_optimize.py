"""Solvers of `scipy.optimize` inside compiled code: SciPy finds the root, the rule is implicit.

SciPy calls back the compiled function, and its Jacobian where it takes one and the caller states
none. What has not converged raises RuntimeError. The derivative is the implicit function theorem's
at the root that was found, to every order: it is as exact as the root is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize

from srcgrad.frontend.formulas.registry import stands_for, unsupported
from srcgrad.frontend.library_source import DICTS
from srcgrad.solvers.by_library import HostFunction, by_library
from srcgrad.solvers.implicit import at_root
from srcgrad.solvers.results import Result
from srcgrad.solvers.scipy_differences import approx_fprime
from srcgrad.solvers.scipy_fits import curve_fit, leastsq
from srcgrad.solvers.scipy_fmin import (
    brent,
    fmin,
    fmin_bfgs,
    fmin_cg,
    fmin_ncg,
    fmin_powell,
    fminbound,
    golden,
)  # fmt: skip
from srcgrad.solvers.scipy_fmin_bounded import fmin_cobyla, fmin_l_bfgs_b, fmin_slsqp, fmin_tnc
from srcgrad.solvers.scipy_global import (
    basinhopping,
    brute,
    differential_evolution,
    direct,
    dual_annealing,
    shgo,
)  # fmt: skip
from srcgrad.solvers.scipy_isotonic import isotonic_regression
from srcgrad.solvers.scipy_linear import linprog, lsq_linear, nnls
from srcgrad.solvers.scipy_minimize import least_squares, minimize, minimize_scalar
from srcgrad.solvers.scipy_nonlin import (
    anderson,
    broyden1,
    broyden2,
    diagbroyden,
    excitingmixing,
    linearmixing,
    newton_krylov,
)  # fmt: skip
from srcgrad.solvers.scipy_roots import TOLERANCE, bisect, brentq, newton
from srcgrad.transforms.entry_points import jvp

__all__ = [  # loading the minimizers registers their formulas
    "anderson", "approx_fprime", "basinhopping", "brent", "brenth", "broyden1", "broyden2",
    "brute", "curve_fit", "diagbroyden", "differential_evolution", "direct", "dual_annealing",
    "excitingmixing", "fixed_point", "fmin", "fmin_bfgs", "fmin_cg",
    "fmin_cobyla", "fmin_l_bfgs_b", "fmin_ncg", "fmin_powell", "fmin_slsqp", "fmin_tnc",
    "fminbound", "fsolve", "golden", "isotonic_regression", "least_squares", "leastsq",
    "linearmixing", "linprog", "lsq_linear", "minimize", "minimize_scalar", "newton_krylov", "nnls",
    "ridder", "root", "root_scalar", "shgo", "toms748",
]  # fmt: skip
# the class, and those between it and dict, which hold its methods
DICTS.extend(c for c in optimize.OptimizeResult.__mro__ if c not in dict.__mro__)
NEAR = 1e-6  # the relative change of x within which a root has to lie
FLAT = ("hybr", "lm")  # methods of `root` that work on vectors
STATED = "leave it out: what has not converged raises"


@dataclass(eq=False)
class Solution(Result):
    """The part of SciPy's result for equations that compiled code has."""

    x: Any
    fun: Any
    success: bool = True


@dataclass(eq=False)
class Root(Result):
    """The part of SciPy's result for one equation that compiled code has."""

    root: Any
    converged: bool = True


# ---- systems ----
@stands_for(optimize.fsolve)
def fsolve(
    func: Any, x0: Any, args: Any = (), fprime: Any = None, full_output: Any = 0,
    col_deriv: Any = 0, xtol: Any = 1.49012e-08, maxfev: Any = 0, band: Any = None,
    epsfcn: Any = None, factor: Any = 100, diag: Any = None,
) -> Any:  # fmt: skip
    """A root of a system of equations by MINPACK.

    >>> fsolve(lambda x: x * x - np.array([4.0, 9.0]), [1.0, 1.0]).round(8)
    array([2., 3.])
    """
    if full_output:
        unsupported("fsolve with full_output", STATED)
    if diag is not None:
        unsupported("fsolve with diag", "scale the unknowns")
    options = {"xtol": xtol, "maxfev": maxfev, "factor": factor}
    return _vector_root(func, x0, args, fprime, col_deriv, "hybr", options)[0]


@stands_for(optimize.root)
def root(
    fun: Any, x0: Any, args: Any = (), method: Any = "hybr", jac: Any = None, tol: Any = None,
    callback: Any = None, options: Any = None,
) -> Any:  # fmt: skip
    """A root of a system of equations by one of SciPy's methods.

    >>> root(lambda x: x * x - np.array([4.0, 9.0]), [1.0, 1.0]).x.round(8)
    array([2., 3.])
    """
    if callback is not None:
        unsupported("root with a callback", "leave it out")
    named, name = {} if options is None else {**options}, method.lower()
    if tol is not None:
        named["tol"] = tol
    if name not in FLAT:
        start = np.atleast_1d(np.asarray(x0)).astype(np.float64)
        residual = _residual(fun, args)
        x = by_library(_root, start, ((residual, (start,)),), start, name, named)
        x = at_root(residual, x)
        return Solution(x, residual(x))
    if jac is True:
        x, residual = _vector_root(
            lambda x, *given: fun(x, *given)[0], x0, args, lambda x, *given: fun(x, *given)[1],
            False, name, named,
        )  # fmt: skip
    else:
        x, residual = _vector_root(fun, x0, args, None if jac is False else jac, False, name, named)
    return Solution(x, residual(x))


def _residual(func: Callable, args: Any) -> Any:
    """The equations as a function of the unknowns, as an array of floats."""
    given = args if isinstance(args, tuple) else (args,)
    return lambda x: np.asarray(func(x, *given)) * 1.0


def _vector_root(
    func: Any, x0: Any, args: Any, slopes: Any, transposed: Any, name: str, options: dict
) -> Any:
    """A root as a vector, and the equations as a function of one; `slopes` is their Jacobian."""
    start = np.ravel(np.asarray(x0)).astype(np.float64)
    values = _residual(func, args)

    def residual(x: Any) -> Any:
        return np.ravel(values(x))

    functions: tuple = ((residual, (start,)),)
    if slopes is not None:
        given = _residual(slopes, args)
        functions = (*functions, (lambda x: given(x).T if transposed else given(x), (start,)))
    x = by_library(_root, start, functions, start, name, options)
    return at_root(residual, x), residual


def _root(functions: Sequence[Any], start: np.ndarray, name: str, options: dict) -> np.ndarray:
    f, *stated = functions
    tol = options.get("tol")
    named = {k: v for k, v in options.items() if k != "tol"}
    jac = (stated[0] if stated else f.jacobian) if name in FLAT else None
    made = optimize.root(f, start, method=name, jac=jac, tol=tol, options=named)
    if not made.success:
        raise RuntimeError(f"the root was not found: {made.message}")
    if name in FLAT:
        _refuse_other_point(f, made.x, max(NEAR, 100.0 * named.get("xtol", tol or 0.0)))
    return made.x


def _refuse_other_point(f: HostFunction, x: np.ndarray, near: float) -> None:
    """Refuses a point where the search ended but the equations do not hold."""
    value, slopes = np.abs(f(x)), np.abs(f.jacobian(x))
    if not np.all(value <= near * (slopes @ (1.0 + np.abs(x)))):
        raise RuntimeError(
            f"the root was not found: the search ended where the equations are {np.max(value):.3g}"
        )


# ---- one equation ----
@stands_for(optimize.root_scalar)
def root_scalar(
    f: Any, args: Any = (), method: Any = None, bracket: Any = None, fprime: Any = None,
    fprime2: Any = None, x0: Any = None, x1: Any = None, xtol: Any = None, rtol: Any = None,
    maxiter: Any = None, options: Any = None,
) -> Any:  # fmt: skip
    """A root of one equation by one of SciPy's methods.

    >>> round(root_scalar(lambda x: x * x - 2.0, bracket=(0.0, 2.0)).root, 12)
    1.414213562373
    """
    if options is not None or isinstance(fprime, bool) or isinstance(fprime2, bool):
        unsupported("root_scalar with options=, fprime=True or fprime2=True",
                    "pass xtol, rtol and maxiter, and functions")  # fmt: skip
    given = args if isinstance(args, tuple) else (args,)
    name = _method(method, bracket, fprime, fprime2, x0, x1)
    named = {}
    for key, value in (("xtol", xtol), ("rtol", rtol), ("maxiter", maxiter)):
        if value is not None:
            named[key] = value
    if name in ("brentq", "bisect"):
        find = brentq if name == "brentq" else bisect
        return Root(find(f, bracket[0], bracket[1], given, **named))
    if name in ("brenth", "ridder", "toms748"):
        return Root(_between(f, bracket[0], bracket[1], given, name, named))
    if "xtol" in named:
        named["tol"] = named.pop("xtol")
    if name == "secant":
        return Root(newton(f, x0, None, given, x1=x1, **named))
    if name == "newton":
        if fprime is None:
            fprime = lambda x, *given: jvp(lambda v: f(v, *given), (x,), (1.0,))[1]
        return Root(newton(f, x0, fprime, given, **named))
    if name != "halley" or fprime is None or fprime2 is None:
        raise ValueError(f"root_scalar has no method {name} for these arguments")
    equation = _equation(f, given)
    slope, bend = _equation(fprime, given), _equation(fprime2, given)
    functions = ((equation, (0.0,)), (slope, (0.0,)), (bend, (0.0,)))
    x = by_library(_by_halley, 0.0, functions, x0 * 1.0, named)
    return Root(float(at_root(equation, x)))


def _equation(f: Any, args: tuple) -> Any:
    """A function of a number as a function that returns a float."""
    return lambda x: float(f(x, *args) * 1.0)


def _method(method: Any, bracket: Any, fprime: Any, fprime2: Any, x0: Any, x1: Any) -> str:
    """The method that SciPy selects."""
    if method is not None:
        name = method.lower()
    elif bracket is not None:
        name = "brentq"
    elif x0 is None:
        raise ValueError(
            "Unable to select a solver as neither bracket nor starting point provided."
        )
    elif fprime is not None:
        name = "halley" if fprime2 is not None else "newton"
    else:
        name = "newton" if x1 is None else "secant"
    if name in ("brentq", "bisect", "brenth", "ridder", "toms748"):
        if bracket is None:
            raise ValueError(f"Bracket needed for {name}")
    elif x0 is None:
        raise ValueError(f"x0 must not be None for {name}")
    return name


def _bracketed(functions: Sequence[Any], name: str, a: float, b: float, options: dict) -> float:
    return float(getattr(optimize, name)(functions[0], a, b, **options))


def _by_halley(functions: Sequence[Any], start: float, options: dict) -> float:
    f, slope, bend = functions
    return float(optimize.newton(f, start, slope, fprime2=bend, **options))


def _between(f: Any, a: Any, b: Any, args: Any, name: str, options: dict) -> Any:
    """A root between a and b by a method of SciPy's own."""
    equation = _equation(f, args if isinstance(args, tuple) else (args,))
    x = by_library(_bracketed, 0.0, ((equation, (0.0,)),), name, a * 1.0, b * 1.0, options)
    return float(at_root(equation, x))


@stands_for(optimize.brenth)
def brenth(
    f: Any, a: Any, b: Any, args: Any = (), xtol: Any = 2e-12, rtol: Any = TOLERANCE,
    maxiter: Any = 100, full_output: Any = False, disp: Any = True,
) -> Any:  # fmt: skip
    """A root between a and b by Brent's method with hyperbolic extrapolation.

    >>> round(brenth(lambda x: x * x - 2.0, 0.0, 2.0), 9)
    1.414213562
    """
    if full_output or not disp:
        unsupported("brenth with full_output or disp=False", STATED)
    return _between(f, a, b, args, "brenth", {"xtol": xtol, "rtol": rtol, "maxiter": maxiter})


@stands_for(optimize.ridder)
def ridder(
    f: Any, a: Any, b: Any, args: Any = (), xtol: Any = 2e-12, rtol: Any = TOLERANCE,
    maxiter: Any = 100, full_output: Any = False, disp: Any = True,
) -> Any:  # fmt: skip
    """A root between a and b by Ridders' method.

    >>> round(ridder(lambda x: x * x - 2.0, 0.0, 2.0), 9)
    1.414213562
    """
    if full_output or not disp:
        unsupported("ridder with full_output or disp=False", STATED)
    return _between(f, a, b, args, "ridder", {"xtol": xtol, "rtol": rtol, "maxiter": maxiter})


@stands_for(optimize.toms748)
def toms748(
    f: Any, a: Any, b: Any, args: Any = (), k: Any = 1, xtol: Any = 2e-12, rtol: Any = TOLERANCE,
    maxiter: Any = 100, full_output: Any = False, disp: Any = True,
) -> Any:  # fmt: skip
    """A root between a and b by Alefeld's, Potra's and Shi's algorithm 748.

    >>> round(toms748(lambda x: x * x - 2.0, 0.0, 2.0), 9)
    1.414213562
    """
    if full_output or not disp:
        unsupported("toms748 with full_output or disp=False", STATED)
    options = {"k": k, "xtol": xtol, "rtol": rtol, "maxiter": maxiter}
    return _between(f, a, b, args, "toms748", options)


# ---- fixed points ----
@stands_for(optimize.fixed_point)
def fixed_point(
    func: Any, x0: Any, args: Any = (), xtol: Any = 1e-8, maxiter: Any = 500, method: Any = "del2"
) -> Any:
    """A fixed point of a function of a number or an array.

    >>> round(float(fixed_point(lambda x: np.cos(x), 0.5)), 8)
    0.73908513
    """
    given = args if isinstance(args, tuple) else (args,)
    start = np.asarray(x0) * 1.0 if np.ndim(x0) > 0 else x0 * 1.0
    step = lambda x: func(x, *given) * 1.0
    x = by_library(_fixed, start, ((step, (start,)),), start, xtol, maxiter, method)
    return at_root(lambda x: x - step(x), x)


def _fixed(
    functions: Sequence[Any], start: Any, xtol: float, maxiter: int, method: str
) -> np.ndarray:
    scalar = np.ndim(start) == 0  # SciPy passes an array without axes
    f = functions[0]
    step = (lambda x: f(float(x))) if scalar else f
    return optimize.fixed_point(step, start, (), xtol, maxiter, method)
