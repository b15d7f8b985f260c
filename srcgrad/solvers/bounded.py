"""Minima between bounds: those at which a slope is zero, those that a bound holds, and neither.

An unknown is held by a bound where the slope there is clearly not zero: it moves with the bound,
and the gradient by the others stays zero. Where the slope at a bound is about zero, the unknown
leaves the bound to one side: there is no derivative, and the system of its rule is singular.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import optimize

from srcgrad.frontend.formulas.registry import stands_for
from srcgrad.frontend.handlers.registry import follows_as
from srcgrad.solvers.implicit import at_root

NEAR = 1e-3  # the relative distance of a minimum from that of its parabola
AT_BOUND = 1e-9  # the relative distance from a bound that is rounding
FREE, LOW, HIGH, UNDECIDED = 0.0, -1.0, 1.0, 2.0


@stands_for(optimize.Bounds)
class Limits:
    """Lower and upper bounds of unknowns.

    >>> Limits(0.0, [1.0, 2.0]).ub
    array([1., 2.])
    """

    def __init__(self, lb: Any = -np.inf, ub: Any = np.inf, keep_feasible: Any = False):
        self.lb = np.atleast_1d(np.asarray(lb)) * 1.0
        self.ub = np.atleast_1d(np.asarray(ub)) * 1.0
        self.keep_feasible = keep_feasible


follows_as(optimize.Bounds, Limits, lb="lb", ub="ub", keep_feasible="keep_feasible")


def limits(bounds: Any) -> Limits:
    """Bounds of a minimizer: SciPy's object, or pairs in which None is no bound.

    >>> made = limits([(0.0, None), (None, 1.0)])
    >>> made.lb.tolist(), made.ub.tolist()
    ([0.0, -inf], [inf, 1.0])
    """
    if isinstance(bounds, Limits):
        return bounds
    low = np.array([-np.inf if pair[0] is None else pair[0] * 1.0 for pair in bounds])
    high = np.array([np.inf if pair[1] is None else pair[1] * 1.0 for pair in bounds])
    return Limits(low, high)


def ends(bounds: Any, like: Any) -> tuple[Any, Any]:
    """The lower and the upper bounds of least squares, given as two or as SciPy's object.

    >>> ends((0.0, [1.0, 2.0]), np.zeros(2))
    (array([0., 0.]), array([1., 2.]))
    """
    if bounds is None:
        low, high = -np.inf, np.inf
    elif isinstance(bounds, Limits):
        low, high = bounds.lb, bounds.ub
    else:
        low, high = bounds
    return np.asarray(low) + np.zeros_like(like), np.asarray(high) + np.zeros_like(like)


def at_minimum(slope: Callable, x: Any, kinds: Any, low: Any, high: Any) -> Any:
    """A minimum x between bounds as a function of these and of what its slope captures."""
    kinds = kinds.astype(int)  # has no derivative, and no warning says so
    held = np.where(kinds == LOW, low, np.where(kinds == HIGH, high, 0.0))

    def residual(v: Any) -> Any:
        free = np.where(kinds == FREE, slope(v), 0.0 * v)
        return np.where((kinds == LOW) | (kinds == HIGH), v - held, free)

    return at_root(residual, x)


def kinds_of(
    x: np.ndarray, low: Any, high: Any, slope: np.ndarray, product: Callable, near: float = NEAR
) -> np.ndarray:
    """For each unknown, whether it is free, held by a bound, or undecided; a point that is no
    minimum raises RuntimeError.

    `product(v)` is the product of the second derivatives with a vector.
    """
    low, high = np.broadcast_to(low, x.shape), np.broadcast_to(high, x.shape)
    size = 1.0 + np.abs(x)
    at_low, at_high = x - low <= AT_BOUND * size, high - x <= AT_BOUND * size
    kinds = np.where(at_low, LOW, np.where(at_high, HIGH, FREE))
    room = near * size
    for k in np.flatnonzero(kinds):
        if low[k] == high[k]:
            continue
        unit = np.zeros_like(x)
        unit[k] = 1.0
        outward = -kinds[k] * slope[k]
        least = room[k] * max(product(unit)[k], 0.0)
        if outward < -least:
            raise RuntimeError(
                f"the search ended at the bound {x[k]:.6g}, from which the function decreases"
            )
        if not outward > least:
            kinds[k] = UNDECIDED
    gap = np.minimum(x - low, high - x)
    for k in np.flatnonzero((kinds == FREE) & (gap < room)):
        unit = np.zeros_like(x)
        unit[k] = 1.0
        # methods that stay inside end a little before a bound, to which the slope still leads
        inward = slope[k] if x[k] - low[k] == gap[k] else -slope[k]
        if inward > 0.5 * gap[k] * product(unit)[k]:
            kinds[k] = UNDECIDED
    refuse_kink(x, np.where(kinds == FREE, slope, 0.0), product, near)
    return kinds


def refuse_kink(x: np.ndarray, slope: np.ndarray, product: Callable, near: float = NEAR) -> None:
    """Refuses a minimum where the gradient is not that of a point nearby where it is zero."""
    size, bend = np.linalg.norm(slope), abs(slope @ product(slope))
    if not size**3 <= near * (1.0 + np.max(np.abs(x))) * bend:
        raise RuntimeError(
            f"the gradient is not zero at the minimum that was found, but {size:.3g}: it is at a "
            "kink, or not close enough (pass a smaller tol, or scale the function)"
        )
