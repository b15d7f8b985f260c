"""Riccati equations of `scipy.linalg` inside compiled code: SciPy solves, Newton's steps follow.

A step of Newton's method solves a Lyapunov equation of the closed loop: D. Kleinman, "On an
iterative technique for Riccati equation computations" (1968), and for discrete time G. Hewer, "An
iterative technique for the computation of the steady state gains for the discrete optimal
regulator" (1971). Each step from the solution doubles the order up to which derivatives are right,
and adds one: three are right up to the seventh.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import linalg

from srcgrad.frontend.formulas.registry import stands_for, unsupported
from srcgrad.frontend.handlers import scipy_systems  # noqa: F401 (registers the other functions)
from srcgrad.solvers.by_library import by_library
from srcgrad.transforms.entry_points import stop_gradient

STEPS = 3


@stands_for(linalg.solve_continuous_are)
def solve_continuous_are(
    a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None, balanced: Any = True
) -> Any:
    """The stabilizing x with a' x + x a - (x b + s) inv(r) (b' x + s') + q = 0.

    Of q and r the derivatives are those of equations with any matrices, symmetric or not.

    >>> solve_continuous_are([[0.0]], [[1.0]], [[4.0]], [[1.0]])
    array([[2.]])
    """
    a, b, q, r, s = _checked(a, b, q, r, e, s)
    given = [stop_gradient(v) for v in (a, b, q, r, s)]
    x = by_library(_continuous, np.zeros_like(q), (), *given, balanced)
    for _ in range(STEPS):
        gain = np.linalg.solve(r, b.T @ x + s.T)
        closed, cost = _under(gain, a, b, q, r, s)
        x = linalg.solve_continuous_lyapunov(closed.T, -cost)
    return x


@stands_for(linalg.solve_discrete_are)
def solve_discrete_are(
    a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None, balanced: Any = True
) -> Any:
    """The stabilizing x with a' x a - x - (a' x b + s) inv(r + b' x b) (b' x a + s') + q = 0.

    Of q and r the derivatives are those of equations with any matrices, symmetric or not.

    >>> solve_discrete_are([[0.0]], [[1.0]], [[4.0]], [[1.0]])
    array([[4.]])
    """
    a, b, q, r, s = _checked(a, b, q, r, e, s)
    given = [stop_gradient(v) for v in (a, b, q, r, s)]
    x = by_library(_discrete, np.zeros_like(q), (), *given, balanced)
    for _ in range(STEPS):
        gain = np.linalg.solve(r + b.T @ x @ b, b.T @ x @ a + s.T)
        closed, cost = _under(gain, a, b, q, r, s)
        x = linalg.solve_discrete_lyapunov(closed.T, cost)
    return x


def _under(gain: Any, a: Any, b: Any, q: Any, r: Any, s: Any) -> tuple[Any, Any]:
    """The matrices of the states and of their cost under a feedback."""
    crossed = s @ gain
    return a - b @ gain, q - crossed - crossed.T + gain.T @ r @ gain


def _checked(a: Any, b: Any, q: Any, r: Any, e: Any, s: Any) -> tuple[Any, ...]:
    if e is not None:
        unsupported("a Riccati equation with e is not supported", "multiply a and b by inv(e)")
    a, b, q, r = [_matrix(x) for x in (a, b, q, r)]
    s = np.zeros(b.shape) if s is None else _matrix(s)
    if a.shape[0] != b.shape[0] or a.shape != q.shape or s.shape != b.shape:
        raise ValueError("Matrices a, b, q and s should have as many rows.")
    if b.shape[1] != r.shape[0]:
        raise ValueError("Matrix b and r should have the same number of columns.")
    return a, b, q, r, s


def _matrix(x: Any) -> Any:
    x = np.atleast_2d(x)
    if x.dtype.kind == "c":
        unsupported("Riccati equations of complex matrices are not supported")
    return x.astype(np.float64)


def _found(solve: Callable) -> Callable:
    """The library's solution; SciPy reads s only where it is not zero."""

    def run(functions: Sequence[Any], a: Any, b: Any, q: Any, r: Any, s: Any, balanced: Any) -> Any:
        given = s if np.any(s) else None
        return np.ascontiguousarray(solve(a, b, q, r, s=given, balanced=bool(balanced)))

    return run


_continuous, _discrete = map(_found, (linalg.solve_continuous_are, linalg.solve_discrete_are))
