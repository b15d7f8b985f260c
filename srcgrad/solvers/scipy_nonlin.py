"""Roots by quasi-Newton methods of `scipy.optimize`, inside compiled code: SciPy finds them.

The unknowns have the shape of the start. The rule is that of every root.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import optimize

from srcgrad.frontend.formulas.registry import inexact, stands_for, unsupported
from srcgrad.solvers.by_library import by_library
from srcgrad.solvers.implicit import at_root


def _found(name: str, F: Callable, xin: Any, settings: dict) -> Any:
    """A root in the dtype of the start, single or double."""
    for key in ("iter", "callback", "tol_norm"):
        if settings.pop(key) is not None:
            unsupported(f"{name} with {key}", "leave it out, and pass f_tol or x_tol")
    start = inexact(xin)
    if start.dtype.kind == "c":
        unsupported(f"{name} of complex numbers", "make their real and imaginary parts unknowns")
    if start.dtype == np.float16:
        start = start.astype(np.float32)
    residual = lambda x: np.asarray(F(x)) * 1.0
    x = by_library(_by_name, start, ((residual, (start,)),), name, start, settings)
    return at_root(residual, x)


def _by_name(functions: Sequence[Any], name: str, start: np.ndarray, settings: dict) -> np.ndarray:
    try:
        return getattr(optimize, name)(functions[0], start, **settings)
    except optimize.NoConvergence as e:
        raise optimize.NoConvergence("the root was not found: the last point is", *e.args) from None


@stands_for(optimize.broyden1)
def broyden1(
    F: Any, xin: Any, iter: Any = None, alpha: Any = None, reduction_method: Any = "restart",
    max_rank: Any = None, verbose: Any = False, maxiter: Any = None, f_tol: Any = None,
    f_rtol: Any = None, x_tol: Any = None, x_rtol: Any = None, tol_norm: Any = None,
    line_search: Any = "armijo", callback: Any = None,
) -> Any:  # fmt: skip
    """A root by Broyden's first method, which approximates the Jacobian.

    >>> broyden1(lambda x: x + 0.1 * x**3 - 1.1, [0.0, 0.5], f_tol=1e-9).round(8)
    array([1., 1.])
    """
    return _found("broyden1", F, xin, {
        "iter": iter, "alpha": alpha, "reduction_method": reduction_method, "max_rank": max_rank,
        "verbose": verbose, "maxiter": maxiter, "f_tol": f_tol, "f_rtol": f_rtol, "x_tol": x_tol,
        "x_rtol": x_rtol, "tol_norm": tol_norm, "line_search": line_search, "callback": callback,
    })  # fmt: skip


@stands_for(optimize.broyden2)
def broyden2(
    F: Any, xin: Any, iter: Any = None, alpha: Any = None, reduction_method: Any = "restart",
    max_rank: Any = None, verbose: Any = False, maxiter: Any = None, f_tol: Any = None,
    f_rtol: Any = None, x_tol: Any = None, x_rtol: Any = None, tol_norm: Any = None,
    line_search: Any = "armijo", callback: Any = None,
) -> Any:  # fmt: skip
    """A root by Broyden's second method, which approximates the inverse of the Jacobian.

    >>> broyden2(lambda x: x + 0.1 * x**3 - 1.1, [0.0, 0.5], f_tol=1e-9).round(8)
    array([1., 1.])
    """
    return _found("broyden2", F, xin, {
        "iter": iter, "alpha": alpha, "reduction_method": reduction_method, "max_rank": max_rank,
        "verbose": verbose, "maxiter": maxiter, "f_tol": f_tol, "f_rtol": f_rtol, "x_tol": x_tol,
        "x_rtol": x_rtol, "tol_norm": tol_norm, "line_search": line_search, "callback": callback,
    })  # fmt: skip


@stands_for(optimize.anderson)
def anderson(
    F: Any, xin: Any, iter: Any = None, alpha: Any = None, w0: Any = 0.01, M: Any = 5,
    verbose: Any = False, maxiter: Any = None, f_tol: Any = None, f_rtol: Any = None,
    x_tol: Any = None, x_rtol: Any = None, tol_norm: Any = None, line_search: Any = "armijo",
    callback: Any = None,
) -> Any:  # fmt: skip
    """A root by Anderson's mixing of the last `M` steps.

    >>> anderson(lambda x: x + 0.1 * x**3 - 1.1, [0.0, 0.5], f_tol=1e-9).round(8)
    array([1., 1.])
    """
    return _found("anderson", F, xin, {
        "iter": iter, "alpha": alpha, "w0": w0, "M": M, "verbose": verbose, "maxiter": maxiter,
        "f_tol": f_tol, "f_rtol": f_rtol, "x_tol": x_tol, "x_rtol": x_rtol, "tol_norm": tol_norm,
        "line_search": line_search, "callback": callback,
    })  # fmt: skip


@stands_for(optimize.linearmixing)
def linearmixing(
    F: Any, xin: Any, iter: Any = None, alpha: Any = None, verbose: Any = False,
    maxiter: Any = None, f_tol: Any = None, f_rtol: Any = None, x_tol: Any = None,
    x_rtol: Any = None, tol_norm: Any = None, line_search: Any = "armijo", callback: Any = None,
) -> Any:  # fmt: skip
    """A root with a multiple of the identity, -1 / alpha, for the Jacobian.

    >>> linearmixing(lambda x: 1.0 - x, [0.0, 0.5], alpha=0.5, f_tol=1e-9).round(8)
    array([1., 1.])
    """
    return _found("linearmixing", F, xin, {
        "iter": iter, "alpha": alpha, "verbose": verbose, "maxiter": maxiter, "f_tol": f_tol,
        "f_rtol": f_rtol, "x_tol": x_tol, "x_rtol": x_rtol, "tol_norm": tol_norm,
        "line_search": line_search, "callback": callback,
    })  # fmt: skip


@stands_for(optimize.diagbroyden)
def diagbroyden(
    F: Any, xin: Any, iter: Any = None, alpha: Any = None, verbose: Any = False,
    maxiter: Any = None, f_tol: Any = None, f_rtol: Any = None, x_tol: Any = None,
    x_rtol: Any = None, tol_norm: Any = None, line_search: Any = "armijo", callback: Any = None,
) -> Any:  # fmt: skip
    """A root by Broyden's method with a diagonal Jacobian.

    >>> diagbroyden(lambda x: x + 0.1 * x**3 - 1.1, [0.0, 0.5], f_tol=1e-9).round(8)
    array([1., 1.])
    """
    return _found("diagbroyden", F, xin, {
        "iter": iter, "alpha": alpha, "verbose": verbose, "maxiter": maxiter, "f_tol": f_tol,
        "f_rtol": f_rtol, "x_tol": x_tol, "x_rtol": x_rtol, "tol_norm": tol_norm,
        "line_search": line_search, "callback": callback,
    })  # fmt: skip


@stands_for(optimize.excitingmixing)
def excitingmixing(
    F: Any, xin: Any, iter: Any = None, alpha: Any = None, alphamax: Any = 1.0,
    verbose: Any = False, maxiter: Any = None, f_tol: Any = None, f_rtol: Any = None,
    x_tol: Any = None, x_rtol: Any = None, tol_norm: Any = None, line_search: Any = "armijo",
    callback: Any = None,
) -> Any:  # fmt: skip
    """A root with a diagonal Jacobian that is tuned at each step.

    >>> excitingmixing(lambda x: 1.0 - x, [0.0, 0.5], alpha=0.5, f_tol=1e-9).round(8)
    array([1., 1.])
    """
    return _found("excitingmixing", F, xin, {
        "iter": iter, "alpha": alpha, "alphamax": alphamax, "verbose": verbose,
        "maxiter": maxiter, "f_tol": f_tol, "f_rtol": f_rtol, "x_tol": x_tol, "x_rtol": x_rtol,
        "tol_norm": tol_norm, "line_search": line_search, "callback": callback,
    })  # fmt: skip


@stands_for(optimize.newton_krylov)
def newton_krylov(
    F: Any, xin: Any, iter: Any = None, rdiff: Any = None, method: Any = "lgmres",
    inner_maxiter: Any = 20, inner_M: Any = None, outer_k: Any = 10, verbose: Any = False,
    maxiter: Any = None, f_tol: Any = None, f_rtol: Any = None, x_tol: Any = None,
    x_rtol: Any = None, tol_norm: Any = None, line_search: Any = "armijo", callback: Any = None,
) -> Any:  # fmt: skip
    """A root by Newton's method, whose steps a Krylov method solves for.

    >>> newton_krylov(lambda x: x + 0.1 * x**3 - 1.1, [0.0, 0.5], f_tol=1e-9).round(8)
    array([1., 1.])
    """
    if inner_M is not None:
        unsupported("newton_krylov with inner_M", "leave it out")
    return _found("newton_krylov", F, xin, {
        "iter": iter, "rdiff": rdiff, "method": method, "inner_maxiter": inner_maxiter,
        "outer_k": outer_k, "verbose": verbose, "maxiter": maxiter, "f_tol": f_tol,
        "f_rtol": f_rtol, "x_tol": x_tol, "x_rtol": x_rtol, "tol_norm": tol_norm,
        "line_search": line_search, "callback": callback,
    })  # fmt: skip
