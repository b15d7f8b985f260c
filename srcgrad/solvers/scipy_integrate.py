"""Initial value problems of `scipy.integrate` inside compiled code: SciPy solves them.

Derivatives by the initial state and by what the right-hand side captures are sensitivities: states
of a larger system, which the same method solves to the same tolerances.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import integrate

from srcgrad.frontend.formulas import scipy_integrate as of_samples
from srcgrad.frontend.formulas.registry import stands_for, unsupported
from srcgrad.solvers.by_library import by_library, trajectory
from srcgrad.solvers.results import Result
from srcgrad.solvers.scipy_nquad import nquad, tplquad
from srcgrad.solvers.scipy_quad import dblquad, quad, quad_vec
from srcgrad.transforms.entry_points import stop_gradient

__all__ = [  # loading registers the formulas
    "dblquad", "nquad", "odeint", "of_samples", "quad", "quad_vec", "solve_ivp",
    "tplquad",
]  # fmt: skip
IMPLICIT = ("Radau", "BDF", "LSODA")  # methods that take a Jacobian
STEPS = ("rtol", "atol", "first_step", "max_step", "min_step")


@dataclass(eq=False)
class Trajectory(Result):
    """The part of SciPy's result for an initial value problem that compiled code has."""

    t: Any
    y: Any
    success: bool = True
    status: int = 0


@stands_for(integrate.solve_ivp)
def solve_ivp(
    fun: Any, t_span: Any, y0: Any, method: Any = "RK45", t_eval: Any = None,
    dense_output: Any = False, events: Any = None, vectorized: Any = False, args: Any = None,
    **options: Any,
) -> Any:  # fmt: skip
    """The solution of an initial value problem at the times `t_eval`, or at the steps' ends.

    >>> solve_ivp(lambda t, y: -y, (0.0, 1.0), [1.0], t_eval=[1.0], rtol=1e-8).y.round(5)
    array([[0.36788]])
    """
    if dense_output or events is not None or vectorized:
        unsupported(
            "solve_ivp with dense_output, events or vectorized",
            "leave them out: t_eval takes times",
        )
    given = () if args is None else tuple(args)
    start = np.ravel(np.asarray(y0)).astype(np.float64)
    begin, end = t_span[0] * 1.0, t_span[1] * 1.0
    settings = {"method": method, "end": stop_gradient(end)}
    for name, value in options.items():
        if name in STEPS:
            settings[name] = value
        elif name not in ("jac", "jac_sparsity", "lband", "uband"):
            unsupported(f"solve_ivp with {name}", "leave it out")
    rhs = lambda t, y: np.ravel(np.asarray(fun(t, y, *given))) * 1.0
    if t_eval is None:
        functions = ((rhs, (begin, start)),)
        count = by_library(_count, 0.0, functions, begin, start, settings)
        found = by_library(_steps, np.empty(int(count)), functions, begin, start, settings)
        inner = stop_gradient(found[1:-1])
        times = np.concatenate((np.array([begin]), inner, np.array([end])))
    else:
        times = np.asarray(t_eval) * 1.0
    y = trajectory("solve_ivp", _by_solve_ivp, rhs, start, begin, times, settings)
    return Trajectory(times, y.T)


def _count(functions: Sequence[Any], begin: float, start: np.ndarray, settings: dict) -> float:
    """The number of the times at which the steps of the method begin and end."""
    return float(len(_steps(functions, begin, start, settings)))


def _steps(functions: Sequence[Any], begin: float, start: np.ndarray, settings: dict) -> np.ndarray:
    f = functions[0]
    jac = functools.partial(f.jacobian, position=1)
    return _solved(f, jac, start, begin, None, settings).t


def _by_solve_ivp(
    fun: Callable, jac: Callable, y0: Any, t0: Any, t: Any, copies: int, **settings: Any
) -> np.ndarray:
    if len(t) == 0 or t0 == settings["end"]:  # SciPy has no array then
        return np.tile(y0, (len(t), 1))
    return _solved(fun, jac, y0, t0, t, _tiled(settings, copies)).y.T


def _solved(fun: Callable, jac: Callable, y0: Any, t0: Any, t: Any, settings: dict) -> Any:
    options = {name: v for name, v in settings.items() if name not in ("method", "end")}
    if settings["method"] in IMPLICIT:
        options["jac"] = jac
    span = (t0, settings["end"])
    made = integrate.solve_ivp(fun, span, y0, settings["method"], t_eval=t, **options)
    if made.status != 0:
        raise RuntimeError(f"the problem was not solved: {made.message}")
    return made


def _tiled(options: dict, copies: int) -> dict:
    """The options with tolerances for each state and each of its derivatives."""
    return {
        name: np.tile(v, copies) if name in ("rtol", "atol") and np.ndim(v) else v
        for name, v in options.items()
    }


@stands_for(integrate.odeint)
def odeint(
    func: Any, y0: Any, t: Any, args: Any = (), Dfun: Any = None, col_deriv: Any = 0,
    full_output: Any = 0, ml: Any = None, mu: Any = None, rtol: Any = None, atol: Any = None,
    tcrit: Any = None, h0: Any = 0.0, hmax: Any = 0.0, hmin: Any = 0.0, ixpr: Any = 0,
    mxstep: Any = 0, mxhnil: Any = 0, mxordn: Any = 12, mxords: Any = 5, printmessg: Any = 0,
    tfirst: Any = False,
) -> Any:  # fmt: skip
    """The solution of an initial value problem at the times t, by LSODA.

    >>> odeint(lambda y, t: -y, 1.0, [0.0, 1.0])[:, 0].round(5)
    array([1.     , 0.36788])
    """
    if full_output or tcrit is not None:
        unsupported("odeint with full_output or tcrit", "leave them out")
    given = args if isinstance(args, tuple) else (args,)
    start = np.ravel(np.asarray(y0)).astype(np.float64)
    times = np.asarray(t) * 1.0
    if tfirst:
        rhs = lambda t, y: np.ravel(np.asarray(func(t, y, *given))) * 1.0
    else:
        rhs = lambda t, y: np.ravel(np.asarray(func(y, t, *given))) * 1.0
    settings = {
        "rtol": rtol, "atol": atol, "h0": h0, "hmax": hmax, "hmin": hmin, "mxstep": mxstep,
        "mxordn": mxordn, "mxords": mxords,
    }  # fmt: skip
    return trajectory("odeint", _by_odeint, rhs, start, times[0], times, settings)


def _by_odeint(
    fun: Callable, jac: Any, y0: Any, t0: Any, t: Any, copies: int, **options: Any
) -> Any:
    y, info = integrate.odeint(
        fun, y0, t, Dfun=jac, full_output=True, tfirst=True, **_tiled(options, copies)
    )
    if not info["message"].startswith(("Integration successful", "Nothing was done")):
        raise RuntimeError(f"the problem was not solved: {info['message']}")
    return y
