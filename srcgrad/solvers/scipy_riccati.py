"""Riccati equations of `scipy.linalg` inside compiled code, with the rule of a root.

At a solution, a change of the equation and that of its solution satisfy a Lyapunov equation of the
closed loop: the derivative of the residual, and of D. Kleinman's step ("On an iterative technique
for Riccati equation computations", 1968). In discrete time it is that of G. Hewer's ("An iterative
technique for the computation of the steady state gains for the discrete optimal regulator", 1971).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import linalg

from srcgrad.custom.functions import custom_jvp
from srcgrad.frontend.formulas.registry import stands_for, unsupported
from srcgrad.frontend.handlers import scipy_systems  # noqa: F401 (registers the other functions)
from srcgrad.solvers.by_library import by_library


@stands_for(linalg.solve_continuous_are)
def solve_continuous_are(
    a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None, balanced: Any = True
) -> Any:
    """The stabilizing x with a' x + x a - (x b + s) inv(r) (b' x + s') + q = 0.

    >>> solve_continuous_are([[0.0]], [[1.0]], [[4.0]], [[1.0]])
    array([[2.]])
    """
    return continuous(*_checked(a, b, q, r, e, s), balanced)


@stands_for(linalg.solve_discrete_are)
def solve_discrete_are(
    a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None, balanced: Any = True
) -> Any:
    """The stabilizing x with a' x a - x - (a' x b + s) inv(r + b' x b) (b' x a + s') + q = 0.

    >>> solve_discrete_are([[0.0]], [[1.0]], [[4.0]], [[1.0]])
    array([[4.]])
    """
    return discrete(*_checked(a, b, q, r, e, s), balanced)


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


# ---- the rules ----
@functools.partial(custom_jvp, nondiff_argnums=(5,))
def continuous(a: Any, b: Any, q: Any, r: Any, s: Any, balanced: Any) -> Any:
    """The solution in continuous time."""
    return by_library(_continuous, np.zeros_like(q), (), a, b, q, r, s, balanced)


@continuous.defjvp
def _in_continuous_time(balanced: Any, primals: tuple, tangents: tuple) -> Any:
    (a, b, _, r, s), (da, db, dq, dr, ds) = primals, tangents
    x = continuous(*primals, balanced)
    gain = np.linalg.solve(r, b.T @ x + s.T)
    crossed = (x @ db + ds) @ gain
    change = da.T @ x + x @ da - crossed - crossed.T + gain.T @ dr @ gain + dq
    return x, linalg.solve_continuous_lyapunov((a - b @ gain).T, -change)


@functools.partial(custom_jvp, nondiff_argnums=(5,))
def discrete(a: Any, b: Any, q: Any, r: Any, s: Any, balanced: Any) -> Any:
    """The solution in discrete time."""
    return by_library(_discrete, np.zeros_like(q), (), a, b, q, r, s, balanced)


@discrete.defjvp
def _in_discrete_time(balanced: Any, primals: tuple, tangents: tuple) -> Any:
    (a, b, _, r, s), (da, db, dq, dr, ds) = primals, tangents
    x = discrete(*primals, balanced)
    gain = np.linalg.solve(r + b.T @ x @ b, b.T @ x @ a + s.T)
    closed = a - b @ gain
    moved = (da - db @ gain).T @ x @ closed - ds @ gain
    change = moved + moved.T + gain.T @ dr @ gain + dq
    return x, linalg.solve_discrete_lyapunov(closed.T, change)
