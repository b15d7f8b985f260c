"""Global minimizers of `scipy.optimize` inside compiled code: SciPy searches, the rule is implicit.

The minimum that was found is differentiated as one of `minimize`: another minimum that becomes the
lowest is a jump. What they draw is SciPy's own: without `rng` a call may find another minimum.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import optimize

from srcgrad.frontend.formulas.registry import stands_for, unsupported
from srcgrad.solvers.bounded import at_minimum, kinds_of, limits
from srcgrad.solvers.by_library import by_library
from srcgrad.solvers.scipy_fmin import ALONE
from srcgrad.solvers.scipy_minimize import FREE, GRADIENTS, Minimum
from srcgrad.transforms.entry_points import grad


def _found(name: str, fun: Any, args: Any, bounds: Any, start: Any, settings: dict) -> Minimum:
    """A minimum by `optimize.<name>`, between bounds or, where these are None, from a start."""
    given = args if isinstance(args, tuple) else (args,)
    value = lambda x: float(fun(x, *given) * 1.0)
    if bounds is None:
        low, high = np.array([-np.inf]), np.array([np.inf])
        like = np.atleast_1d(np.asarray(start)).astype(np.float64)
    else:
        low, high = limits(bounds)
        like = np.zeros(len(bounds))
    found = ((value, (like,)),)
    x, kinds, nfev = by_library(
        _search, (like, like, 1), found, name, like, low, high, bounds is not None, settings
    )
    x = at_minimum(lambda v: grad(value)(v), x, kinds, low, high)
    return Minimum(x, value(x), nfev)


def _search(
    functions: Sequence[Any], name: str, start: np.ndarray, low: np.ndarray, high: np.ndarray,
    bounded: bool, settings: dict,
) -> tuple[np.ndarray, np.ndarray, int]:  # fmt: skip
    f, search = functions[0], getattr(optimize, name)
    if name == "basinhopping":
        local = {**settings["minimizer_kwargs"]}
        if (local.get("method") or "bfgs").lower() in GRADIENTS:
            local["jac"] = f.gradient
        settings = {**settings, "minimizer_kwargs": local}
    made = search(f, [*zip(low, high, strict=True)] if bounded else start, **settings)
    if not getattr(made, "lowest_optimization_result", made).success:
        raise RuntimeError(f"the minimum was not found: {made.message}")
    x = np.asarray(made.x)
    kinds = kinds_of(x, low, high, f.gradient(x), lambda v: f.product(x, v))
    return x, kinds, int(made.nfev)


def _drawing(rng: Any, seed: Any) -> dict:
    """The source of random numbers by the name that the caller gave it."""
    if rng is not None:
        return {"rng": rng}
    return {} if seed is None else {"seed": seed}


@stands_for(optimize.differential_evolution)
def differential_evolution(
    func: Any, bounds: Any, args: Any = (), strategy: Any = "best1bin", maxiter: Any = 1000,
    popsize: Any = 15, tol: Any = 0.01, mutation: Any = (0.5, 1), recombination: Any = 0.7,
    rng: Any = None, callback: Any = None, disp: Any = False, polish: Any = True,
    init: Any = "latinhypercube", atol: Any = 0, updating: Any = "immediate", workers: Any = 1,
    constraints: Any = (), x0: Any = None, *, integrality: Any = None, vectorized: Any = False,
    seed: Any = None,
) -> Any:  # fmt: skip
    """The lowest minimum between bounds, by populations of points.

    >>> differential_evolution(lambda x: np.sum((x - 2.0) ** 2), [(0.0, 5.0)], seed=1).x.round(5)
    array([2.])
    """
    if constraints != ():
        unsupported("differential_evolution with constraints", FREE)
    if callback is not None or integrality is not None or vectorized or workers != 1:
        unsupported(
            "differential_evolution with callback, integrality, vectorized or workers", ALONE
        )
    settings = {
        "strategy": strategy, "maxiter": maxiter, "popsize": popsize, "tol": tol,
        "mutation": mutation, "recombination": recombination, "disp": disp, "polish": polish,
        "init": init, "atol": atol, "updating": updating, **_drawing(rng, seed),
    }  # fmt: skip
    if x0 is not None:
        settings["x0"] = x0
    return _found("differential_evolution", func, args, bounds, None, settings)


@stands_for(optimize.dual_annealing)
def dual_annealing(
    func: Any, bounds: Any, args: Any = (), maxiter: Any = 1000, minimizer_kwargs: Any = None,
    initial_temp: Any = 5230.0, restart_temp_ratio: Any = 2e-05, visit: Any = 2.62,
    accept: Any = -5.0, maxfun: Any = 10000000.0, rng: Any = None, no_local_search: Any = False,
    callback: Any = None, x0: Any = None, *, seed: Any = None,
) -> Any:  # fmt: skip
    """The lowest minimum between bounds, by annealing with local searches.

    >>> dual_annealing(lambda x: np.sum((x - 2.0) ** 2), [(0.0, 5.0)], maxiter=9).x.round(5)
    array([2.])
    """
    if minimizer_kwargs is not None or callback is not None:
        unsupported("dual_annealing with minimizer_kwargs or callback", ALONE)
    settings = {
        "maxiter": maxiter, "initial_temp": initial_temp, "restart_temp_ratio": restart_temp_ratio,
        "visit": visit, "accept": accept, "maxfun": maxfun, "no_local_search": no_local_search,
        **_drawing(rng, seed),
    }  # fmt: skip
    if x0 is not None:
        settings["x0"] = x0
    return _found("dual_annealing", func, args, bounds, None, settings)


@stands_for(optimize.shgo)
def shgo(
    func: Any, bounds: Any, args: Any = (), constraints: Any = None, n: Any = 100, iters: Any = 1,
    callback: Any = None, minimizer_kwargs: Any = None, options: Any = None,
    sampling_method: Any = "simplicial", *, workers: Any = 1,
) -> Any:  # fmt: skip
    """The lowest minimum between bounds, by simplicial homology.

    >>> shgo(lambda x: np.sum((x - 2.0) ** 2), [(0.0, 5.0)]).x.round(5)
    array([2.])
    """
    if constraints is not None:
        unsupported("shgo with constraints", FREE)
    if callback is not None or minimizer_kwargs is not None or options is not None or workers != 1:
        unsupported("shgo with callback, minimizer_kwargs, options or workers", ALONE)
    settings = {"n": n, "iters": iters, "sampling_method": sampling_method}
    return _found("shgo", func, args, bounds, None, settings)


@stands_for(optimize.basinhopping)
def basinhopping(
    func: Any, x0: Any, niter: Any = 100, T: Any = 1.0, stepsize: Any = 0.5,
    minimizer_kwargs: Any = None, take_step: Any = None, accept_test: Any = None,
    callback: Any = None, interval: Any = 50, disp: Any = False, niter_success: Any = None,
    rng: Any = None, *, target_accept_rate: Any = 0.5, stepwise_factor: Any = 0.9,
    seed: Any = None,
) -> Any:  # fmt: skip
    """The lowest of the minima that local searches find from places beside the last one.

    >>> basinhopping(lambda x: np.sum((x - 2.0) ** 2), [0.0], niter=3).x.round(5)
    array([2.])
    """
    if take_step is not None or accept_test is not None or callback is not None:
        unsupported("basinhopping with take_step, accept_test or callback", ALONE)
    given = {} if minimizer_kwargs is None else {**minimizer_kwargs}
    local, args = {}, ()
    for key, value in given.items():
        if key == "args":
            args = value
        elif key in ("method", "tol", "options"):
            local[key] = value
        elif key not in ("jac", "hess", "hessp"):  # ours are exact
            unsupported(f"basinhopping with {key} of its local search", ALONE)
    settings = {
        "niter": niter, "T": T, "stepsize": stepsize, "minimizer_kwargs": local,
        "interval": interval, "disp": disp, "niter_success": niter_success,
        "target_accept_rate": target_accept_rate, "stepwise_factor": stepwise_factor,
        **_drawing(rng, seed),
    }  # fmt: skip
    return _found("basinhopping", func, args, None, x0, settings)
