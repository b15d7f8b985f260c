"""The older minimizers of `scipy.optimize` inside compiled code, as SciPy defines them.

Each is a method of `minimize` or `minimize_scalar` with the options of its own names, and returns
the minimum alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import optimize

from srcgrad.frontend.formulas.registry import stands_for, unsupported
from srcgrad.solvers.scipy_minimize import minimize, minimize_scalar

ALONE = "leave it out: the minimum is returned, and one that is not found raises"


# ---- of a number ----
@stands_for(optimize.fminbound)
def fminbound(
    func: Any, x1: Any, x2: Any, args: Any = (), xtol: Any = 1e-5, maxfun: Any = 500,
    full_output: Any = 0, disp: Any = 1,
) -> Any:  # fmt: skip
    """A minimum of a function of a number between two bounds.

    >>> round(float(fminbound(lambda x: (x - 2.0) ** 2, 0.0, 5.0)), 6)
    2.0
    """
    options = {"xatol": xtol, "maxiter": maxfun, "disp": disp}
    made = minimize_scalar(func, None, (x1, x2), args, "bounded", None, options)
    return (made.x, made.fun, 0, made.nfev) if full_output else made.x


@stands_for(optimize.brent)
def brent(
    func: Any, args: Any = (), brack: Any = None, tol: Any = 1.48e-8, full_output: Any = 0,
    maxiter: Any = 500,
) -> Any:  # fmt: skip
    """A minimum of a function of a number by Brent's method.

    >>> round(float(brent(lambda x: (x - 2.0) ** 2)), 6)
    2.0
    """
    options = {"xtol": tol, "maxiter": maxiter}
    made = minimize_scalar(func, brack, None, args, "brent", None, options)
    return (made.x, made.fun, made.nit, made.nfev) if full_output else made.x


@stands_for(optimize.golden)
def golden(
    func: Any, args: Any = (), brack: Any = None, tol: Any = 1.4901161193847656e-08,
    full_output: Any = 0, maxiter: Any = 5000,
) -> Any:  # fmt: skip
    """A minimum of a function of a number by the golden section.

    >>> round(float(golden(lambda x: (x - 2.0) ** 2)), 6)
    2.0
    """
    options = {"xtol": tol, "maxiter": maxiter}
    made = minimize_scalar(func, brack, None, args, "golden", None, options)
    return (made.x, made.fun, made.nfev) if full_output else made.x


# ---- of a vector ----
@stands_for(optimize.fmin)
def fmin(
    func: Any, x0: Any, args: Any = (), xtol: Any = 1e-4, ftol: Any = 1e-4, maxiter: Any = None,
    maxfun: Any = None, full_output: Any = 0, disp: Any = 1, retall: Any = 0,
    callback: Any = None, initial_simplex: Any = None,
) -> Any:  # fmt: skip
    """A minimum of a function of a vector by the simplices of Nelder and Mead.

    >>> fmin(lambda x: np.sum((x - 2.0) ** 2), [0.0, 0.0], xtol=1e-9, ftol=1e-9, disp=0).round(6)
    array([2., 2.])
    """
    if retall or initial_simplex is not None:
        unsupported("fmin with retall or initial_simplex", ALONE)
    options = {"xatol": xtol, "fatol": ftol, "maxiter": maxiter, "maxfev": maxfun, "disp": disp}
    made = minimize(
        func, np.ravel(x0), args, "nelder-mead", None, None, None, None, (), None, callback, options
    )
    return (made.x, made.fun, made.nit, made.nfev, 0) if full_output else made.x


@stands_for(optimize.fmin_powell)
def fmin_powell(
    func: Any, x0: Any, args: Any = (), xtol: Any = 1e-4, ftol: Any = 1e-4, maxiter: Any = None,
    maxfun: Any = None, full_output: Any = 0, disp: Any = 1, retall: Any = 0,
    callback: Any = None, direc: Any = None,
) -> Any:  # fmt: skip
    """A minimum of a function of a vector by Powell's conjugate directions.

    >>> fmin_powell(lambda x: np.sum((x - 2.0) ** 2), [0.0, 0.0], disp=0).round(6)
    array([2., 2.])
    """
    if full_output or retall or direc is not None:
        unsupported("fmin_powell with full_output, retall or direc", ALONE)
    options = {"xtol": xtol, "ftol": ftol, "maxiter": maxiter, "maxfev": maxfun, "disp": disp}
    return minimize(
        func, np.ravel(x0), args, "powell", None, None, None, None, (), None, callback, options
    ).x


@stands_for(optimize.fmin_bfgs)
def fmin_bfgs(
    f: Any, x0: Any, fprime: Any = None, args: Any = (), gtol: Any = 1e-5, norm: Any = np.inf,
    epsilon: Any = None, maxiter: Any = None, full_output: Any = 0, disp: Any = 1,
    retall: Any = 0, callback: Any = None, xrtol: Any = 0, c1: Any = 1e-4, c2: Any = 0.9,
    hess_inv0: Any = None,
) -> Any:  # fmt: skip
    """A minimum of a function of a vector by the method of Broyden, Fletcher, Goldfarb and Shanno.

    >>> fmin_bfgs(lambda x: np.sum((x - 2.0) ** 2), [0.0, 0.0], disp=0).round(6)
    array([2., 2.])
    """
    if full_output or retall or hess_inv0 is not None:
        unsupported("fmin_bfgs with full_output, retall or hess_inv0", ALONE)
    options = {"gtol": gtol, "norm": norm, "maxiter": maxiter, "disp": disp, "xrtol": xrtol,
               "c1": c1, "c2": c2}  # fmt: skip
    return minimize(
        f, np.ravel(x0), args, "bfgs", fprime, None, None, None, (), None, callback, options
    ).x


@stands_for(optimize.fmin_cg)
def fmin_cg(
    f: Any, x0: Any, fprime: Any = None, args: Any = (), gtol: Any = 1e-5, norm: Any = np.inf,
    epsilon: Any = None, maxiter: Any = None, full_output: Any = 0, disp: Any = 1,
    retall: Any = 0, callback: Any = None, c1: Any = 1e-4, c2: Any = 0.4,
) -> Any:  # fmt: skip
    """A minimum of a function of a vector by conjugate gradients.

    >>> fmin_cg(lambda x: np.sum((x - 2.0) ** 2), [0.0, 0.0], disp=0).round(6)
    array([2., 2.])
    """
    if retall:
        unsupported("fmin_cg with retall", ALONE)
    options = {"gtol": gtol, "norm": norm, "maxiter": maxiter, "disp": disp, "c1": c1, "c2": c2}
    made = minimize(
        f, np.ravel(x0), args, "cg", fprime, None, None, None, (), None, callback, options
    )
    return (made.x, made.fun, made.nfev, made.njev, 0) if full_output else made.x


@stands_for(optimize.fmin_ncg)
def fmin_ncg(
    f: Any, x0: Any, fprime: Any, fhess_p: Any = None, fhess: Any = None, args: Any = (),
    avextol: Any = 1e-5, epsilon: Any = None, maxiter: Any = None, full_output: Any = 0,
    disp: Any = 1, retall: Any = 0, callback: Any = None, c1: Any = 1e-4, c2: Any = 0.9,
) -> Any:  # fmt: skip
    """A minimum of a function of a vector by Newton's method and conjugate gradients.

    >>> fmin_ncg(lambda x: np.sum((x - 2.0) ** 2), [0.0], lambda x: 2.0 * (x - 2.0), disp=0)
    array([2.])
    """
    if full_output or retall:
        unsupported("fmin_ncg with full_output or retall", ALONE)
    options = {"xtol": avextol, "maxiter": maxiter, "disp": disp, "c1": c1, "c2": c2}
    return minimize(
        f, np.ravel(x0), args, "newton-cg", fprime, None, None, None, (), None, callback, options
    ).x
