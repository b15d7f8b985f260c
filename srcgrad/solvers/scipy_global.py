"""Global minimizers of `scipy.optimize` inside compiled code: SciPy searches, the rule is implicit.

The minimum that was found is differentiated as one of `minimize`: another minimum that becomes the
lowest is a jump. What they draw is SciPy's own: without `rng` a call may find another minimum.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import optimize

from srcgrad.frontend.formulas.registry import stands_for, unsupported
from srcgrad.solvers.bounded import Limits, at_minimum, kinds_of, limits
from srcgrad.solvers.by_library import HostFunction, by_library
from srcgrad.solvers.constrained import constrained, rows_of
from srcgrad.solvers.scipy_fmin import ALONE
from srcgrad.solvers.scipy_minimize import GRADIENTS, Minimum
from srcgrad.transforms.entry_points import grad


def _found(
    name: str, fun: Any, args: Any, bounds: Any, start: Any, settings: dict, constraints: Any = ()
) -> Minimum:
    """A minimum by `optimize.<name>`, between bounds or, where these are None, from a start."""
    given = args if isinstance(args, tuple) else (args,)
    value = lambda x: float(fun(x, *given) * 1.0)
    limit = Limits() if bounds is None else limits(bounds)
    low, high = limit.lb, limit.ub
    if bounds is None:
        like = np.atleast_1d(np.asarray(start)).astype(np.float64)
    else:
        like = np.zeros(len(low))
    held = rows_of(constraints)
    if len(held) > 0:
        x, _, nfev, _, _ = constrained(value, like, held, bounds, _search_under, name, settings)
        return Minimum(x, value(x), nfev)
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


def _search_under(
    f: HostFunction, constraints: list[dict], start: np.ndarray, bounds: Any, name: str,
    settings: dict,
) -> Any:  # fmt: skip
    for made in constraints:  # only a polishing search would take these, and finds its own
        del made["hess"], made["keep_feasible"]
    held = [optimize.NonlinearConstraint(**made) for made in constraints]
    return getattr(optimize, name)(f, bounds, constraints=held, **settings)


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
    return _found("differential_evolution", func, args, bounds, None, settings, constraints)


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
    if callback is not None or minimizer_kwargs is not None or options is not None or workers != 1:
        unsupported("shgo with callback, minimizer_kwargs, options or workers", ALONE)
    settings = {"n": n, "iters": iters, "sampling_method": sampling_method}
    held = () if constraints is None else constraints
    return _found("shgo", func, args, bounds, None, settings, held)


@stands_for(optimize.direct)
def direct(
    func: Any, bounds: Any, *, args: Any = (), eps: Any = 1e-4, maxfun: Any = None,
    maxiter: Any = 1000, locally_biased: Any = True, f_min: Any = -np.inf, f_min_rtol: Any = 1e-4,
    vol_tol: Any = 1e-16, len_tol: Any = 1e-6, callback: Any = None,
) -> Any:  # fmt: skip
    """The lowest minimum between bounds, by dividing rectangles.

    >>> direct(lambda x: np.sum((x - 2.0) ** 2), [(0.0, 5.0)]).x.round(3)
    array([2.])
    """
    if callback is not None:
        unsupported("direct with a callback", ALONE)
    settings = {
        "eps": eps, "maxfun": maxfun, "maxiter": maxiter, "locally_biased": locally_biased,
        "f_min": f_min, "f_min_rtol": f_min_rtol, "vol_tol": vol_tol, "len_tol": len_tol,
    }  # fmt: skip
    return _found("direct", func, args, bounds, None, settings)


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


# ---- on a grid ----
@stands_for(optimize.brute)
def brute(
    func: Any, ranges: Any, args: Any = (), Ns: Any = 20, full_output: Any = 0,
    finish: Any = optimize.fmin, disp: Any = False, workers: Any = 1,
) -> Any:  # fmt: skip
    """The lowest of the minima beside the points of a grid, or the lowest point of it.

    >>> float(brute(lambda x: (x[0] - 2.0) ** 2, [(0.0, 4.0)], Ns=5, finish=None))
    2.0
    """
    if workers != 1:
        unsupported("brute with workers", ALONE)
    given = args if isinstance(args, tuple) else (args,)
    grids = np.meshgrid(*[_points(r, Ns) for r in ranges], indexing="ij")
    places = np.stack([np.ravel(g) for g in grids], axis=1)
    values = np.empty(places.shape[0])
    for i in range(places.shape[0]):
        values[i] = float(func(places[i], *given) * 1.0)
    lowest = np.argmin(values)
    alone = len(ranges) == 1
    x, value = places[lowest, 0] if alone else places[lowest], values[lowest]
    if finish is not None:
        made = finish(func, x, args=given, **_keywords(finish, disp))
        x, value = (made.x, made.fun) if isinstance(made, Minimum) else (made[0], made[1])
    if not full_output:
        return x
    if alone:
        return x, value, grids[0], values
    return x, value, np.stack(grids), values.reshape(grids[0].shape)


def _keywords(finish: Any, disp: Any) -> dict:
    """The keywords of SciPy's for a search from the lowest point of a grid."""
    taken = inspect.getfullargspec(finish).args
    keywords: dict[str, Any] = {"full_output": 1} if "full_output" in taken else {}
    if "disp" in taken:
        keywords["disp"] = disp
    elif "options" in taken:
        keywords["options"] = {"disp": disp}
    return keywords


def _points(places: Any, many: Any) -> Any:
    """The places along one axis of a grid: so many of an interval, or those of a slice.

    >>> _points((0.0, 1.0), 3), _points(slice(0.0, 1.0, 0.5), 3)
    (array([0. , 0.5, 1. ]), array([0. , 0.5]))
    """
    if isinstance(places, tuple | list | np.ndarray):
        if len(places) == 2:
            return np.linspace(places[0], places[1], many)
        places = slice(places[0], places[1], places[2])
    return np.r_[places] * 1.0
