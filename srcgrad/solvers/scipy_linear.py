"""Linear problems of `scipy.optimize` with bounds, inside compiled code: SciPy solves them.

The derivative is that of the solution with the same active bounds and constraints. Where they are
not decided a derivative raises LinAlgError.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize

from srcgrad.frontend.formulas.registry import inexact, stands_for, unsupported
from srcgrad.solvers.bounded import FREE, HIGH, LOW, UNDECIDED, at_minimum, ends, limits
from srcgrad.solvers.by_library import by_library
from srcgrad.solvers.implicit import at_root
from srcgrad.solvers.results import Result
from srcgrad.solvers.scipy_minimize import Fit

NEAR = 1e-8  # the relative size of a multiplier or of a distance from a bound that is noise


@dataclass(eq=False)
class Program(Result):
    """The part of SciPy's result for a linear program that compiled code has."""

    x: Any
    fun: Any
    slack: Any
    con: Any
    status: int = 0
    success: bool = True


def real_of(x: Any, name: str) -> Any:
    x = inexact(x)
    if x.dtype.kind == "c":
        unsupported(f"{name} of complex numbers", "stack real and imaginary parts")
    return x.astype(np.float64)


# ---- least squares ----
@stands_for(optimize.nnls)
def nnls(A: Any, b: Any, *, maxiter: Any = None) -> Any:
    """The least squares solution without negative elements, and the norm of the residual.

    >>> nnls(np.array([[1.0, 0.0], [0.0, 1.0]]), [2.0, -1.0])[0]
    array([2., 0.])
    """
    A, b = real_of(A, "nnls"), real_of(b, "nnls")
    if A.ndim != 2:
        raise ValueError("Expected a 2D array, but the shape of A is another")
    if b.ndim != 1:
        unsupported("nnls of a right-hand side that is no vector", "use np.ravel")
    if A.shape[0] != b.shape[0]:
        raise ValueError("Incompatible dimensions: A and b have different lengths")
    like = np.empty(A.shape[1])
    x, kinds = by_library(_nnls, (like, like), (), A, b, maxiter)
    x = at_minimum(lambda v: A.T @ (A @ v - b), x, kinds, np.zeros(1), np.full(1, np.inf))
    return x, np.linalg.norm(A @ x - b)


def _nnls(functions: Sequence[Any], A: np.ndarray, b: np.ndarray, maxiter: Any) -> tuple:
    x, _ = optimize.nnls(A, b, maxiter=maxiter)
    return x, _kinds(A, b, x, 0.0, np.inf)


def _kinds(A: np.ndarray, b: np.ndarray, x: np.ndarray, low: Any, high: Any) -> np.ndarray:
    """For each unknown of a least squares problem, whether it is free or held by a bound."""
    scale = np.max(np.abs(x), initial=0.0) or 1.0
    slope, weight = A.T @ (A @ x - b), np.sum(A * A, axis=0)
    low, high = np.broadcast_to(low, x.shape), np.broadcast_to(high, x.shape)
    near_low, near_high = x - low <= NEAR * scale, high - x <= NEAR * scale
    kinds = np.where(near_low, LOW, np.where(near_high, HIGH, FREE))
    clear = -kinds * slope > NEAR * weight * scale
    kinds = np.where((kinds != FREE) & ~clear & (low < high), UNDECIDED, kinds)
    free = kinds == FREE
    if np.any(np.abs(slope[free]) > 1e-6 * weight[free] * scale):
        raise RuntimeError("the solution was not found closely: pass a smaller tol, or 'bvls'")
    if np.linalg.matrix_rank(A[:, free]) < np.sum(free):
        kinds = np.where(free, UNDECIDED, kinds)
    return kinds


@stands_for(optimize.lsq_linear)
def lsq_linear(
    A: Any, b: Any, bounds: Any = None, method: Any = "trf", tol: Any = 1e-10,
    lsq_solver: Any = None, lsmr_tol: Any = None, max_iter: Any = None, verbose: Any = 0, *,
    lsmr_maxiter: Any = None,
) -> Any:  # fmt: skip
    """The least squares solution between bounds, a pair of numbers or vectors.

    >>> lsq_linear(np.array([[1.0, 0.0], [0.0, 1.0]]), [2.0, -1.0], (0.0, 1.5), "bvls").x
    array([1.5, 0. ])
    """
    A, b = real_of(A, "lsq_linear"), real_of(b, "lsq_linear")
    if A.ndim != 2:
        raise ValueError("`A` must have at most 2 dimensions.")
    if b.ndim != 1:
        raise ValueError("`b` must have at most 1 dimension.")
    if A.shape[0] != b.shape[0]:
        raise ValueError("Inconsistent shapes between `A` and `b`.")
    like = np.zeros(A.shape[1])
    low, high = ends(bounds, like)
    settings = {
        "method": method, "tol": tol, "lsq_solver": lsq_solver, "lsmr_tol": lsmr_tol,
        "max_iter": max_iter, "verbose": verbose, "lsmr_maxiter": lsmr_maxiter,
    }  # fmt: skip
    x, kinds = by_library(_lsq_linear, (like, like), (), A, b, low, high, settings)
    x = at_minimum(lambda v: A.T @ (A @ v - b), x, kinds, low, high)
    rest = A @ x - b
    return Fit(x, rest, 0.5 * np.sum(rest**2))


def _lsq_linear(
    functions: Sequence[Any], A: np.ndarray, b: np.ndarray, low: Any, high: Any, settings: dict
) -> tuple:
    made = optimize.lsq_linear(A, b, (low, high), **settings)
    if not made.success:
        raise RuntimeError(f"the solution was not found: {made.message}")
    return made.x, _kinds(A, b, made.x, low, high)


# ---- linear programs ----
@stands_for(optimize.linprog)
def linprog(
    c: Any, A_ub: Any = None, b_ub: Any = None, A_eq: Any = None, b_eq: Any = None,
    bounds: Any = (0, None), method: Any = "highs", callback: Any = None, options: Any = None,
    x0: Any = None, integrality: Any = None,
) -> Any:  # fmt: skip
    """A vertex at which a linear function is least.

    >>> linprog([-1.0, -2.0], [[1.0, 1.0]], [3.0], bounds=[(0, 2), (0, 2)]).x
    array([1., 2.])
    """
    if callback is not None or x0 is not None or integrality is not None:
        unsupported("linprog with callback, x0 or integrality", "leave them out")
    c = real_of(c, "linprog")
    n = c.shape[0]
    none = np.zeros((0, n))
    upper = none if A_ub is None else real_of(A_ub, "linprog")
    limit = np.zeros(0) if b_ub is None else np.ravel(real_of(b_ub, "linprog"))
    equal = none if A_eq is None else real_of(A_eq, "linprog")
    value = np.zeros(0) if b_eq is None else np.ravel(real_of(b_eq, "linprog"))
    if bounds is None or _is_pair(bounds):
        low, high = _same_limits(bounds, n)
    else:
        made = limits(bounds)
        low, high = made.lb, made.ub
    settings = (method, options)
    x, rows = by_library(
        _linprog, (np.zeros(n), np.zeros(n, np.int64)), (), c, upper, limit, equal, value, low,
        high, settings,
    )  # fmt: skip
    every = np.concatenate((equal, upper, np.eye(n), np.eye(n)))
    held = np.concatenate((value, limit, low, high))
    same = 0.0 * np.sum(c)  # c decides which constraints hold
    x = at_root(lambda v: every[rows] @ v - held[rows] + same, x)
    return Program(x, c @ x, limit - upper @ x, value - equal @ x)


def _is_pair(bounds: Any) -> bool:
    """Whether bounds are one pair for all unknowns."""
    first = bounds[0]
    if isinstance(first, tuple | list):
        return False
    return len(bounds) == 2 and (first is None or np.ndim(first) == 0)


def _same_limits(bounds: Any, n: Any) -> tuple[Any, Any]:
    """One pair of bounds for all unknowns; None is (0, None)."""
    made = limits([(0.0, None) if bounds is None else bounds])
    return made.lb + np.zeros(n), made.ub + np.zeros(n)


def _linprog(
    functions: Sequence[Any], c: np.ndarray, upper: np.ndarray, limit: np.ndarray,
    equal: np.ndarray, value: np.ndarray, low: np.ndarray, high: np.ndarray, settings: tuple,
) -> tuple:  # fmt: skip
    """The solution, and the rows of the constraints that hold it: one row throughout if undecided.

    A constraint holds a vertex where its multiplier is clearly not zero.
    """
    method, options = settings
    made = optimize.linprog(
        c, upper if len(upper) else None, limit if len(upper) else None,
        equal if len(equal) else None, value if len(equal) else None,
        np.stack((low, high), axis=1), method=method, options=options,
    )  # fmt: skip
    if not made.success:
        raise RuntimeError(f"the linear program was not solved: {made.message}")
    parts = (made.ineqlin, made.lower, made.upper)
    multipliers = np.concatenate([part.marginals for part in parts])
    gaps = np.concatenate([part.residual for part in parts])
    scale = np.max(np.abs(c), initial=0.0)
    holds = np.abs(multipliers) > NEAR * scale
    slack = gaps > NEAR * np.max(np.abs(made.x), initial=0.0)
    rows = np.concatenate((np.arange(len(equal)), len(equal) + np.flatnonzero(holds)))
    every = np.concatenate((equal, upper, np.eye(len(c)), np.eye(len(c))))
    vertex = len(rows) == len(c) and np.linalg.matrix_rank(every[rows]) == len(c)
    if not (vertex and np.all(holds ^ slack)):
        rows = np.zeros(len(c))
    return made.x, rows.astype(np.int64)
