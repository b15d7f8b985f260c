"""`odeint`: initial value problems by an adaptive method, and their derivatives.

Dormand and Prince's pair of orders 5 and 4 (J. Comput. Appl. Math. 6 (1980) 19-26). The reverse
mode solves the adjoint equations backwards in time (Pontryagin; for programs Chen et al., 2018,
arXiv:1806.07366, algorithm 1), starting each interval from the saved value: memory does not grow
with the steps. The code here is NumPy, and compiled code follows it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.custom.functions import custom_vjp
from srcgrad.solvers.leaves import float_leaves, with_leaves
from srcgrad.transforms.entry_points import grad, stop_gradient

# the tableau: times, weights of the stages, of the result (order 5), of the error (5 minus 4)
TIMES = np.array([0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0])
STAGES = np.array([
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [1 / 5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3 / 40, 9 / 40, 0.0, 0.0, 0.0, 0.0, 0.0],
    [44 / 45, -56 / 15, 32 / 9, 0.0, 0.0, 0.0, 0.0],
    [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0.0, 0.0, 0.0],
    [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0.0, 0.0],
    [35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0.0],
])  # fmt: skip
ERROR = np.array([71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40])


def odeint(
    rhs: Callable[..., Any], y0: Any, t: Any, *args: Any, rtol: float = 1.4e-8,
    atol: float = 1.4e-8, mxstep: int = 10_000, adjoint: bool = True,
) -> Any:  # fmt: skip
    """The solution of dy/dt = `rhs(y, t, *args)` with y(t[0]) = `y0`, at the times `t`.

    `y0` is a number or an array, `t` a vector of times, ascending or descending; the result has one
    entry of the shape of `y0` for each. Steps are chosen so that an error is at most
    `atol + rtol * |y|`; RuntimeError if that takes more than `mxstep` steps between two times, or
    if a step vanishes. Derivatives go to `y0`, `t` and the floats in `args`. With `adjoint` the
    reverse mode solves the adjoint equations, to the same tolerances, in memory that does not grow
    with the steps; `adjoint=False` differentiates the steps themselves, their sizes held constant,
    in both modes, and saves them all. The interface is that of JAX's `odeint`.

    >>> import srcgrad as flow
    >>> def decay(y, t, k):
    ...     return -k * y
    >>> def last(k):
    ...     return odeint(decay, 1.0, np.array([0.0, 1.0, 2.0]), k)[2]
    >>> round(float(last(0.5)), 6), round(flow.grad(last)(0.5), 6)
    (0.367879, -0.735759)
    """
    y0, t = (v if is_float(v) else np.asarray(v, dtype=np.float64)[()] for v in (y0, t))
    if adjoint:
        return solution_of(rhs)(y0, t, args, rtol, atol, mxstep)
    return solved(rhs, y0, t, args, rtol, atol, mxstep)


def is_float(v: Any) -> bool:
    """Whether a value is a float, or an array or tensor of them."""
    return isinstance(v, float) or (
        getattr(getattr(v, "dtype", None), "kind", "f") == "f" and (hasattr(v, "dtype"))
    )


# ---- forward ----
def solved(rhs: Any, y0: Any, t: Any, args: tuple, rtol: Any, atol: Any, mxstep: Any) -> Any:
    """The solution at all times."""
    y = np.reshape(y0 * 1.0, -1)
    out = np.empty((len(t), len(y)), dtype=y.dtype)
    out[0] = y

    def slope(y: Any, t: Any) -> Any:
        return np.reshape(np.asarray(rhs(formed(y, y0), t, *args)), -1)

    h = 0.0
    for i in range(1, len(t)):
        y, h = advanced(slope, y, t[i - 1], t[i], h, rtol, atol, mxstep)
        out[i] = y
    if np.ndim(y0) == 0:
        return out[:, 0]
    return out.reshape((len(t), *y0.shape))


def formed(y: Any, like: Any) -> Any:
    """A vector with the shape of `like`; a number if `like` is one."""
    if np.ndim(like) == 0:
        return y[0]
    return y.reshape(like.shape)


def advanced(
    slope: Any, y: Any, start: Any, stop: Any, h: Any, rtol: Any, atol: Any, mxstep: Any
) -> tuple:
    """The solution at `stop`, and the step to continue with; `h` is the previous one, or zero.

    The step that ends at `stop` is the remainder, and so depends on the times; the others do not.
    """
    n = len(y)
    k = np.zeros((7, n), dtype=y.dtype)
    first = slope(y, start)
    sign = 1.0 if stop >= start else -1.0
    if h == 0.0:
        h = stop_gradient(_first_step(y, first, rtol, atol))
    t, steps = start, 0
    while t != stop:
        if steps >= mxstep:
            raise RuntimeError(f"odeint needs more than {mxstep} steps from {start} to {stop}")
        steps += 1
        left = abs(stop - t)
        last = h >= left
        step = stop - t if last else sign * h
        k[0] = first
        for s in range(1, 7):
            k[s] = slope(y + step * (STAGES[s] @ k), t + TIMES[s] * step)
        new = y + step * (STAGES[6] @ k)
        scale = atol + rtol * np.maximum(np.abs(y), np.abs(new))
        error = stop_gradient(np.sqrt(np.mean((step * (ERROR @ k) / scale) ** 2)))
        accepted = error <= 1.0
        size = stop_gradient(abs(step))
        if accepted:
            y, t = new, stop if last else t + step
            first = k[6].copy()
        grown = 10.0 if error < 1e-10 else min(10.0, max(0.2, 0.9 * error**-0.2))
        if not (accepted and last and size * grown < h):
            h = size * grown
        if not error >= 0.0 or t + sign * h == t:
            raise RuntimeError(f"odeint finds no step that is small enough at {t}")
    return y, h


def _first_step(y: Any, slope: Any, rtol: Any, atol: Any) -> Any:
    """A step after which a solution of this size and slope has changed by a hundredth.

    Hairer, Norsett, Wanner: Solving Ordinary Differential Equations I, II.4, its first half.
    """
    scale = atol + rtol * np.abs(y)
    size, speed = np.sqrt(np.mean((y / scale) ** 2)), np.sqrt(np.mean((slope / scale) ** 2))
    return 1e-6 if size < 1e-5 or speed < 1e-5 else 0.01 * size / speed


# ---- reverse ----
@functools.lru_cache(maxsize=512)
def solution_of(rhs: Any) -> Any:
    """The solution as a function whose rule is the adjoint equations."""

    def product(y: Any, t: Any, args: tuple, a: Any) -> Any:
        return np.sum(np.asarray(rhs(y, t, *args)) * a)

    by_state, by_all = grad(product), grad(product, (0, 2))

    @custom_vjp
    def solution(y0: Any, t: Any, args: tuple, rtol: Any, atol: Any, mxstep: Any) -> Any:
        return solved(rhs, y0, t, args, rtol, atol, mxstep)

    def forward(y0: Any, t: Any, args: tuple, rtol: Any, atol: Any, mxstep: Any) -> Any:
        ys = solved(rhs, y0, t, args, rtol, atol, mxstep)
        return ys, (ys, y0, t, args, rtol, atol, mxstep)

    def backward(kept: tuple, g: Any) -> tuple:
        ys, y0, t, args, rtol, atol, mxstep = kept
        leaves = float_leaves(args)
        n, m = np.size(y0), len(t)
        rows, seeds = ys.reshape((m, n)), g.reshape((m, n))
        t_bar = np.zeros_like(t)
        # the solution, its adjoint, and the adjoints of the arguments
        z = np.zeros(2 * n + _length(leaves), dtype=ys.dtype)
        z[n : 2 * n] = seeds[m - 1]

        def slope(z: Any, t: Any) -> Any:
            y, a = formed(z[:n], y0), formed(z[n : 2 * n], y0)
            f = np.reshape(np.asarray(rhs(y, t, *args)), -1)
            if len(leaves) == 0:
                return np.concatenate((f, -np.reshape(by_state(y, t, args, a), -1)))
            y_bar, args_bar = by_all(y, t, args, a)
            parts = [np.reshape(v, -1) for v in float_leaves(args_bar)]
            return np.concatenate((f, -np.reshape(y_bar, -1), *[-p for p in parts]))

        h = 0.0
        for i in range(m - 1, 0, -1):
            z[:n] = rows[i]
            f = np.reshape(np.asarray(rhs(formed(rows[i], y0), t[i], *args)), -1)
            t_bar[i] += np.sum(f * seeds[i])
            z, h = advanced(slope, z, t[i], t[i - 1], h, rtol, atol, mxstep)
            if i > 1:
                z[n : 2 * n] += seeds[i - 1]
        if m > 1:
            # a later start with the same value is an earlier value of the same solution
            f = np.reshape(np.asarray(rhs(y0, t[0], *args)), -1)
            t_bar[0] -= np.sum(f * z[n : 2 * n])
            z[n : 2 * n] += seeds[0]
        made, at = [], 2 * n
        for v in leaves:
            size = np.size(v)
            made.append(formed(z[at : at + size], v))
            at += size
        y_bar = formed(z[n : 2 * n], y0)
        return y_bar, t_bar, with_leaves(args, made), None, None, None

    solution.defvjp(forward, backward)
    solution.__name__ = "odeint"
    return solution


def _length(leaves: list) -> Any:
    return sum([np.size(v) for v in leaves])
