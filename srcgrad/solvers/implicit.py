"""Roots and fixed points, differentiated by the implicit function theorem.

Where F(x, theta) = 0, dx = -(dF/dx)^-1 dF/dtheta dtheta, however x was found: the steps of the
solver are not differentiated, and may be anything. The code here is NumPy, and compiled
code follows it as it follows the user's functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.custom.functions import any_tensor, custom_jvp
from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.solvers.leaves import float_leaves
from srcgrad.transforms.entry_points import grad, jvp

FLAT = "the root has no derivative: that of the function there is"
SINGULAR = 1e-2  # the inverse condition of a system, about, in units of rounding
FAR = 1e-2  # the relative distance from the root that leaves a derivative two digits


def implicit_root(
    residual: Callable[..., Any],
    solver: Callable[..., Any] | None = None,
    tol: float = 1e-10,
    maxiter: int = 50,
) -> Callable[..., Any]:
    """The function `root(x0, *theta)` whose value x solves `residual(x, *theta) = 0`.

    `solver(x0, *theta)` finds it, in any way: its steps are not differentiated. The default is
    Newton's method, until a step is at most `tol * (1 + max|x|)`; RuntimeError after `maxiter`
    steps. `x0` is a number or an array, and `residual` returns one of the same shape. The
    derivative with respect to `x0` is zero, those with respect to theta are the implicit function
    theorem's, in both modes and to any order; they need a regular Jacobian at the root.

    >>> import srcgrad as flow
    >>> def residual(x, a):
    ...     return x * x * x - a
    >>> root = implicit_root(residual)
    >>> def loss(a):
    ...     return root(1.0, a)
    >>> round(loss(8.0), 12), round(flow.grad(loss)(8.0), 12)
    (2.0, 0.083333333333)
    """
    if not callable(residual) or not (solver is None or callable(solver)):
        raise ArgumentTypeError("implicit_root takes a residual and a solver, both functions")

    def newton(x: Any, *theta: Any) -> Any:
        x = x * 1.0
        for _ in range(maxiter):
            step = _solved(_jacobian(residual, x, theta), residual(x, *theta), x)
            x = x - step
            size = np.max(np.abs(step))
            if size < np.inf and size <= tol * (1.0 + np.max(np.abs(x))):
                return x
        raise RuntimeError(f"Newton's method has not found a root in {maxiter} steps")

    find = newton if solver is None else solver

    def solved(x0: Any, *theta: Any) -> Any:
        x = find(x0, *theta)
        # captured values of the residual are read here too: a solver may read them unseen
        _refuse_captured(residual(x, *theta), (x, theta))
        return x

    return _ruled(residual, solved)


def at_root(residual: Callable, x: Any) -> Any:
    """A root x of `residual`, however it was found, as a function of what the residual captures."""
    return x


def with_rule(residual: Any) -> Any:
    """The function `root(x, *theta)` that returns a root x of `residual(x, *theta)` given to it."""

    def solved(x: Any, *theta: Any) -> Any:
        return x * 1.0

    return _ruled(residual, solved)


def _ruled(residual: Any, solved: Callable) -> Any:
    """A function that solves, with the derivative of the implicit function theorem."""
    root = custom_jvp(solved)
    root.__name__ = getattr(residual, "__name__", "residual")

    def weighted(x: Any, theta: tuple, weights: Any) -> Any:
        return np.sum(np.asarray(residual(x, *theta)) * weights)

    @root.defjvp
    def rule(primals: tuple, tangents: tuple) -> Any:
        x = root(*primals)
        theta = primals[1:]
        _, change = jvp(residual, (x, *theta), (None, *tangents[1:]))
        return x, -_solved(_regular(residual, x, theta), change, x)

    def pull(primals: tuple, g: Any) -> tuple:
        x = root(*primals)
        theta = primals[1:]
        slopes = _regular(residual, x, theta)
        if len(float_leaves(theta)) == 0:
            return (None,) * len(primals)
        weights = -_solved(slopes.T if np.ndim(x) > 0 else slopes, g, x)
        return None, *grad(weighted, 1)(x, theta, weights)

    root.pull = pull
    return root


def _regular(residual: Any, x: Any, theta: tuple) -> Any:
    """The derivative of the residual with respect to x, of which the root is isolated.

    A number is not zero. A matrix is not singular up to rounding, its rows and columns scaled
    alike, and a step of Newton's method from x stays near: else another point is as much a root as
    x is (a minimum that is a valley, a solver that stopped early), and moves otherwise.
    """
    rest, slope = _linearized(residual, x, theta)
    if np.ndim(x) == 0:
        if slope == 0 or slope != slope:
            raise RuntimeError(f"{FLAT} {slope}")
        return slope
    rows = np.max(np.abs(slope), axis=1, initial=0.0)
    scaled = slope / np.where(rows > 0.0, rows, 1.0).reshape(-1, 1)
    columns = np.max(np.abs(scaled), axis=0, initial=0.0)
    scaled = scaled / np.where(columns > 0.0, columns, 1.0)
    right = np.empty((len(rows), 2), dtype=slope.dtype)
    right[:, 0] = rest.reshape(-1) / np.where(rows > 0.0, rows, 1.0)
    right[:, 1] = np.cos(np.arange(len(rows)) ** 2 + 1.0)  # has a part in any direction
    found = np.linalg.solve(scaled, right)
    if not np.max(np.abs(found[:, 1]), initial=0.0) <= SINGULAR / np.finfo(slope.dtype).eps:
        raise RuntimeError("the root has no derivative: it is not isolated")
    step = found[:, 0] / columns
    if not np.max(np.abs(step) / (1.0 + np.abs(x.reshape(-1))), initial=0.0) <= FAR:
        size = float(np.max(np.abs(step)))
        raise RuntimeError(
            f"the root has no derivative: from where it was found the root is {size:.3g} away, "
            "so far as derivatives tell; solve it to a smaller tolerance, or it is not isolated"
        )
    return slope


def fixed_point(
    function: Callable[..., Any], tol: float = 1e-10, maxiter: int = 10_000
) -> Callable[..., Any]:
    """The function `point(x0, *theta)` whose value x is `function(x, *theta)`.

    It is found by iteration, until a step is at most `tol * (1 + max|x|)`; RuntimeError after
    `maxiter` steps. Derivatives are as for `implicit_root`, with x - function(x) for the residual.

    >>> import srcgrad as flow
    >>> import numpy as np
    >>> point = fixed_point(lambda x, a: np.cos(a * x))
    >>> def loss(a):
    ...     return point(0.5, a)
    >>> round(float(loss(1.0)), 8), round(flow.grad(loss)(1.0), 8)
    (0.73908513, -0.29747434)
    """

    def residual(x: Any, *theta: Any) -> Any:
        return x - function(x, *theta)

    def repeat(x: Any, *theta: Any) -> Any:
        x = x * 1.0
        for _ in range(maxiter):
            new = function(x, *theta)
            step = np.max(np.abs(new - x))
            x = new
            if step < np.inf and step <= tol * (1.0 + np.max(np.abs(x))):
                return x
        raise RuntimeError(f"no fixed point has been found in {maxiter} steps")

    residual.__name__ = getattr(function, "__name__", "residual")
    return implicit_root(residual, repeat)


def _refuse_captured(made: Any, given: tuple) -> None:
    """Refuses a residual that depends on a tensor which it captures."""
    if any_tensor((made,)):
        from srcgrad.custom.on_tensors import floats, refuse_captured

        refuse_captured(made, floats(given), "the residual")


@implements(_refuse_captured)
def _seen(it: Interpreter, node: Node, made: Any, given: Any) -> None:
    """Does nothing in compiled code, where captured values are inputs whose reads are seen."""


def _jacobian(residual: Any, x: Any, theta: tuple) -> Any:
    """The derivative of the residual with respect to x: a number, or a matrix, column by column."""
    return _linearized(residual, x, theta)[1]


def _linearized(residual: Any, x: Any, theta: tuple) -> tuple[Any, Any]:
    """The residual at x and its derivative."""
    zeros = (None,) * len(theta)
    if np.ndim(x) == 0:
        return jvp(residual, (x, *theta), (1.0, *zeros))
    n = np.size(x)
    rest, out = 0.0 * x, np.empty((n, n), dtype=x.dtype)
    for k in range(n):
        unit = np.zeros(n, dtype=x.dtype)
        unit[k] = 1.0
        rest, change = jvp(residual, (x, *theta), (unit.reshape(x.shape), *zeros))
        out[:, k] = change.reshape(-1)
    return rest, out


def _solved(matrix: Any, right: Any, x: Any) -> Any:
    """The solution of a linear system, with the shape of x."""
    if np.ndim(x) == 0:
        return right / matrix
    return np.linalg.solve(matrix, right.reshape(-1)).reshape(x.shape)
