"""The older minimizers of `scipy.optimize` that also take bounds or constraints, in compiled code.

Each is a method of `minimize` with the options of its own names. The gradient is ours, so `fprime`,
`approx_grad` and `epsilon` have no effect, but that without both the function returns a pair.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import optimize

from srcgrad.frontend.formulas.registry import stands_for
from srcgrad.solvers.scipy_minimize import minimize
from srcgrad.transforms.entry_points import grad


def _alone(func: Any, fprime: Any, approx_grad: Any) -> Any:
    """The function without the gradient that it returns as well."""
    if fprime is not None or approx_grad:
        return func
    return lambda x, *args: func(x, *args)[0]


@stands_for(optimize.fmin_l_bfgs_b)
def fmin_l_bfgs_b(
    func: Any, x0: Any, fprime: Any = None, args: Any = (), approx_grad: Any = 0,
    bounds: Any = None, m: Any = 10, factr: Any = 1e7, pgtol: Any = 1e-5, epsilon: Any = 1e-8,
    maxfun: Any = 15000, maxiter: Any = 15000, callback: Any = None, maxls: Any = 20,
) -> Any:  # fmt: skip
    """A minimum by L-BFGS-B, its value, and a dict with the gradient there and "warnflag".

    >>> x, f, _ = fmin_l_bfgs_b(lambda x: np.sum((x - 2.0) ** 2), [0.0, 0.0], approx_grad=True)
    >>> x.round(6), round(float(f), 6)
    (array([2., 2.]), 0.0)
    """
    value = _alone(func, fprime, approx_grad)
    options = {"maxcor": m, "ftol": factr * np.finfo(np.float64).eps, "gtol": pgtol,
               "maxfun": maxfun, "maxiter": maxiter, "maxls": maxls}  # fmt: skip
    made = minimize(
        value, np.ravel(x0), args, "l-bfgs-b", None, None, None, bounds, (), None, callback, options
    )
    given = args if isinstance(args, tuple) else (args,)
    slope = grad(lambda x: float(value(x, *given) * 1.0))(made.x)
    return made.x, made.fun, {"grad": slope, "warnflag": 0}


@stands_for(optimize.fmin_tnc)
def fmin_tnc(
    func: Any, x0: Any, fprime: Any = None, args: Any = (), approx_grad: Any = 0,
    bounds: Any = None, epsilon: Any = 1e-8, scale: Any = None, offset: Any = None,
    messages: Any = 15, maxCGit: Any = -1, maxfun: Any = None, eta: Any = -1, stepmx: Any = 0,
    accuracy: Any = 0, fmin: Any = 0, ftol: Any = -1, xtol: Any = -1, pgtol: Any = -1,
    rescale: Any = -1, disp: Any = None, callback: Any = None,
) -> Any:  # fmt: skip
    """A minimum by truncated Newton steps, the number of evaluations and the return code.

    >>> x = fmin_tnc(lambda x: np.sum((x - 2.0) ** 2), [0.0, 0.0], approx_grad=True, disp=0)[0]
    >>> x.round(6)
    array([2., 2.])
    """
    options = {
        "scale": scale, "offset": offset, "mesg_num": messages if disp is None else disp,
        "maxCGit": maxCGit, "maxfun": maxfun, "eta": eta, "stepmx": stepmx, "accuracy": accuracy,
        "minfev": fmin, "ftol": ftol, "xtol": xtol, "gtol": pgtol, "rescale": rescale,
    }  # fmt: skip
    value = _alone(func, fprime, approx_grad)
    made = minimize(
        value, np.ravel(x0), args, "tnc", None, None, None, bounds, (), None, callback, options
    )
    return made.x, made.nfev, made.status


@stands_for(optimize.fmin_slsqp)
def fmin_slsqp(
    func: Any, x0: Any, eqcons: Any = (), f_eqcons: Any = None, ieqcons: Any = (),
    f_ieqcons: Any = None, bounds: Any = (), fprime: Any = None, fprime_eqcons: Any = None,
    fprime_ieqcons: Any = None, args: Any = (), iter: Any = 100, acc: Any = 1e-6, iprint: Any = 1,
    disp: Any = None, full_output: Any = 0, epsilon: Any = None, callback: Any = None,
) -> Any:  # fmt: skip
    """A minimum by sequential quadratic programs.

    >>> fmin_slsqp(lambda x: np.sum((x - 2.0) ** 2), [0.0, 0.0], iprint=0).round(6)
    array([2., 2.])
    """
    shown = iprint if disp is None else disp
    options = {"maxiter": iter, "ftol": acc, "iprint": shown, "disp": shown != 0}
    limits = None if len(bounds) == 0 else bounds
    held = [{"type": "eq", "fun": c, "args": args} for c in eqcons]
    held += [{"type": "ineq", "fun": c, "args": args} for c in ieqcons]
    if f_eqcons is not None:
        held.append({"type": "eq", "fun": f_eqcons, "args": args})
    if f_ieqcons is not None:
        held.append({"type": "ineq", "fun": f_ieqcons, "args": args})
    made = minimize(
        func, np.ravel(x0), args, "slsqp", None, None, None, limits, held, None, callback, options
    )
    if full_output:
        return made.x, made.fun, made.nit, 0, "Optimization terminated successfully"
    return made.x


@stands_for(optimize.fmin_cobyla)
def fmin_cobyla(
    func: Any, x0: Any, cons: Any, args: Any = (), consargs: Any = None, rhobeg: Any = 1.0,
    rhoend: Any = 1e-4, maxfun: Any = 1000, disp: Any = None, catol: Any = 2e-4, *,
    callback: Any = None,
) -> Any:  # fmt: skip
    """A minimum by linear interpolation of the function.

    >>> fmin_cobyla(lambda x: np.sum((x - 2.0) ** 2), [0.0, 0.0], [], rhoend=1e-8).round(6)
    array([2., 2.])
    """
    given = args if consargs is None else consargs
    several = [cons] if callable(cons) else cons
    held = [{"type": "ineq", "fun": c, "args": given} for c in several]
    options = {"rhobeg": rhobeg, "tol": rhoend, "maxiter": maxfun, "disp": disp, "catol": catol}
    return minimize(
        func, x0, args, "cobyla", None, None, None, None, held, None, callback, options
    ).x
