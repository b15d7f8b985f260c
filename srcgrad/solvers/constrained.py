"""Minima under constraints: SciPy minimizes, the derivative is that of the point and multipliers.

With the constraints that hold the minimum, x and their multipliers make the gradient of the
Lagrangian zero; the multipliers of the others are 0. Where it is not clear whether a constraint
holds it, or where the system is singular, a derivative raises LinAlgError.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import optimize

from srcgrad.frontend.formulas.registry import stands_for, unsupported
from srcgrad.frontend.handlers.registry import follows_as
from srcgrad.solvers.bounded import (
    FREE,
    HIGH,
    LOW,
    NEAR,
    UNDECIDED,
    at_minimum,
    limits,
    refuse_kink,
)  # fmt: skip
from srcgrad.solvers.by_library import by_library
from srcgrad.transforms.entry_points import grad

TOUCHES = 1e-6  # the relative distance from a constraint that is the method's tolerance
NOISE = 1e-9  # the part of a gradient that is rounding


@stands_for(optimize.LinearConstraint)
class Linear:
    """Bounds of linear functions: `lb <= A @ x <= ub`.

    >>> Linear([[1.0, 1.0]], 0.0, 1.0).of(np.array([0.25, 0.5]))
    array([0.75])
    """

    def __init__(self, A: Any, lb: Any = -np.inf, ub: Any = np.inf, keep_feasible: Any = False):
        self.A = np.atleast_2d(np.asarray(A)) * 1.0
        self.lb = np.atleast_1d(np.asarray(lb)) * 1.0
        self.ub = np.atleast_1d(np.asarray(ub)) * 1.0
        self.keep_feasible = keep_feasible

    def of(self, x: Any) -> Any:
        return self.A @ x


@stands_for(optimize.NonlinearConstraint)
class Nonlinear:
    """Bounds of functions: `lb <= fun(x) <= ub`. Derivatives are ours: those given are not read.

    >>> Nonlinear(lambda x: x[0] * x[1], 0.0, 1.0).of(np.array([0.5, 0.5]))
    array([0.25])
    """

    def __init__(
        self, fun: Any, lb: Any, ub: Any, jac: Any = None, hess: Any = None,
        keep_feasible: Any = False, finite_diff_rel_step: Any = None,
        finite_diff_jac_sparsity: Any = None,
    ):  # fmt: skip
        self.fun = fun
        self.lb = np.atleast_1d(np.asarray(lb)) * 1.0
        self.ub = np.atleast_1d(np.asarray(ub)) * 1.0
        self.keep_feasible = keep_feasible

    def of(self, x: Any) -> Any:
        return np.ravel(np.asarray(self.fun(x))) * 1.0


follows_as(
    optimize.LinearConstraint, Linear, A="A", lb="lb", ub="ub", keep_feasible="keep_feasible"
)
follows_as(
    optimize.NonlinearConstraint, Nonlinear, fun="fun", lb="lb", ub="ub",
    keep_feasible="keep_feasible",
)  # fmt: skip


def _of_dict(made: Any) -> Any:
    """A constraint that a dict describes: of type "eq", or "ineq" if it may be positive."""
    kind, args = made["type"].lower(), ()
    if kind not in ("eq", "ineq"):
        raise ValueError(f"Unknown constraint type '{made['type']}'.")
    if "args" in made:
        args = made["args"]
    given, fun = args if isinstance(args, tuple) else (args,), made["fun"]
    return Nonlinear(lambda x: fun(x, *given), 0.0, 0.0 if kind == "eq" else np.inf)


def rows_of(constraints: Any) -> list:
    """The constraints of a minimizer, one or several, as objects with `of`, `lb` and `ub`.

    >>> [c.ub for c in rows_of({"type": "eq", "fun": lambda x: x[0] - 1.0})]
    [array([0.])]
    """
    if isinstance(constraints, dict | Linear | Nonlinear):
        constraints = (constraints,)
    made = []
    for c in constraints:
        if isinstance(c, dict):
            made.append(_of_dict(c))
        elif isinstance(c, Linear | Nonlinear):
            made.append(c)
        else:
            unsupported(
                "a constraint that is no dict, LinearConstraint or NonlinearConstraint",
                "pass bounds as bounds=",
            )
    return made


def numbers_of(made: Any) -> tuple[int, ...]:
    """The status of a result of SciPy's, and its counts of evaluations, steps and gradients.

    >>> numbers_of(optimize.OptimizeResult(status=1, nfev=3))
    (1, 3, 0, 0)
    """
    status, *counts = (made.get(name, 0) for name in ("status", "nfev", "nit", "njev"))
    return int(status), *(int(n) for n in counts)


NUMBERS = (1, 1, 1, 1)


def constrained(
    value: Any, start: Any, constraints: list, bounds: Any, find: Any, *settings: Any
) -> Any:
    """A minimum of `value` under constraints and between bounds, and `numbers_of` the result.

    `find(f, constraints, start, bounds, *settings)` finds it by the library; its constraints are
    keywords of `NonlinearConstraint`, of the equations and of the others.
    """
    n, sizes = start.shape[0], [c.of(start).shape for c in constraints]
    pairs = [*zip(constraints, sizes, strict=True)]
    lower = np.concatenate([np.broadcast_to(c.lb, shape) for c, shape in pairs])
    upper = np.concatenate([np.broadcast_to(c.ub, shape) for c, shape in pairs])
    keep = np.concatenate([np.broadcast_to(c.keep_feasible, shape) for c, shape in pairs])
    count = len(lower)
    stated = lambda x: np.concatenate([c.of(x) for c in constraints])
    if bounds is None:
        rows = stated
    else:
        rows, limit = lambda x: np.concatenate((stated(x), x)), limits(bounds)
        lower = np.concatenate((lower, np.broadcast_to(limit.lb, (n,))))
        upper = np.concatenate((upper, np.broadcast_to(limit.ub, (n,))))
        keep = np.concatenate((keep, np.broadcast_to(limit.keep_feasible, (n,))))
    summed = lambda x, m: np.sum(m * rows(x))
    none, no = np.zeros(len(lower)), np.zeros(len(lower), np.int64)
    functions = ((value, (start,)), (rows, (start,)), (summed, (start, none)))
    like = (start, none, no, no, *NUMBERS)
    x, m, kinds, sides, *counts = by_library(
        _minimum, like, functions, start, lower, upper, keep, count, find, settings
    )
    held = np.where(sides == LOW, lower, np.where(sides == HIGH, upper, 0.0))
    lagrangian = lambda z: value(z[:n]) - np.sum(z[n:] * (rows(z[:n]) - held))
    # of rows that hold nothing the multiplier stays at 0, as an unknown at a bound
    kinds, zero = np.concatenate((np.zeros(n, np.int64), kinds)), np.zeros(1)
    z = at_minimum(lambda z: grad(lagrangian)(z), np.concatenate((x, m)), kinds, zero, zero)
    return z[:n], *counts


def _minimum(
    functions: Sequence[Any], start: np.ndarray, lower: np.ndarray, upper: np.ndarray,
    keep: np.ndarray, count: int, find: Any, settings: tuple,
) -> tuple:  # fmt: skip
    f, rows, summed = functions

    def constraint(which: np.ndarray) -> dict:
        """Some of the rows as keywords of `NonlinearConstraint`."""
        weights = np.zeros(len(lower))

        def bend(x: np.ndarray, v: np.ndarray) -> np.ndarray:
            weights[which] = v
            return summed.hessian(x, weights)

        return {
            "fun": lambda x: rows(x)[which], "lb": lower[which], "ub": upper[which], "hess": bend,
            "jac": lambda x: rows.jacobian(x)[which], "keep_feasible": keep[which],
        }  # fmt: skip

    stated = np.arange(len(lower)) < count
    equal = lower == upper
    parts = [constraint(part & stated) for part in (equal, ~equal) if np.any(part & stated)]
    bounds = None
    if count < len(lower):
        bounds = optimize.Bounds(lower[count:], upper[count:], keep[count:])
    made = find(f, parts, start, bounds, *settings)
    if not made.success:
        raise RuntimeError(f"the minimum was not found: {made.message}")
    x = np.asarray(made.x)
    m, kinds, sides = _held_by(
        x, rows(x), lower, upper, f.gradient(x), rows.jacobian(x),
        lambda m: f.hessian(x) - summed.hessian(x, m),
    )  # fmt: skip
    return x, m, kinds, sides, *numbers_of(made)


def _held_by(
    x: np.ndarray, value: np.ndarray, lower: np.ndarray, upper: np.ndarray, slope: np.ndarray,
    normals: np.ndarray, bend: Any,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """For each row of `lower <= value <= upper` its multiplier, whether that is free, held at 0,
    or undecided, and the side at which the row holds the minimum.

    `bend(m)` are the second derivatives of the Lagrangian for multipliers m.
    """
    room = NEAR * (1.0 + np.max(np.abs(x)))
    length = np.linalg.norm(normals, axis=1)
    below = value - lower <= upper - value
    sign, equal = np.where(below, 1.0, -1.0), lower == upper
    length = np.where(length > 0.0, length, 1.0)
    gap = np.where(below, value - lower, upper - value) / length
    worst = np.max(np.where(equal, np.abs(gap), -gap), initial=0.0)
    if worst > room:
        raise RuntimeError(f"a constraint does not hold where the search ended: by {worst:.3g}")
    units = sign[:, None] * normals / length[:, None]

    def fitted(which: np.ndarray) -> np.ndarray:
        force = np.zeros(len(value))
        force[which] = np.linalg.lstsq(units[which].T, slope, rcond=None)[0]
        return force

    near = equal | (gap <= room)
    force = fitted(near)  # with which each row pushes, along its normal
    matrix = bend(sign * force / length)
    stiff = np.maximum(np.einsum("ij,jk,ik->i", units, matrix, units), 0.0)
    least = np.maximum(room * stiff, NOISE * np.linalg.norm(slope))
    clear = near & ~equal & (force > least)
    holds = equal | clear
    touches = gap <= TOUCHES / NEAR * room
    unclear = near & ~holds & (touches | (force > 0.5 * gap * stiff))
    force = fitted(holds)
    matrix = bend(sign * force / length)
    rest = slope - units.T @ force
    if np.linalg.norm(rest) > NOISE * np.linalg.norm(slope):
        refuse_kink(x, rest, lambda v: matrix @ v)
    kinds = np.where(holds, FREE, LOW)
    kinds[unclear] = UNDECIDED
    if _is_singular(matrix, units[holds]):
        kinds[:] = UNDECIDED
    sides = np.where(holds, np.where(below, LOW, HIGH), FREE)
    return sign * force / length, kinds.astype(np.int64), sides.astype(np.int64)


def _is_singular(matrix: np.ndarray, units: np.ndarray) -> bool:
    """Whether the derivative of a minimum and of its multipliers is not determined."""
    scale = np.max(np.abs(matrix), initial=0.0) or 1.0
    zeros = np.zeros((len(units), len(units)))
    system = np.block([[matrix / scale, units.T], [units, zeros]])
    return np.linalg.matrix_rank(system) < len(system)
