"""A line search for the strong Wolfe conditions: Nocedal and Wright, algorithms 3.5 and 3.6."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.records import record

DECREASE, CURVATURE, TRIALS = 1e-4, 0.9, 25


@record(frozen=True)
class Point:
    """A loss with its gradient, and what the closure returned."""

    value: float
    gradient: np.ndarray
    result: Any


def wolfe(
    at: Callable[[np.ndarray], Point], x: np.ndarray, d: np.ndarray, t: float, start: Point,
    least: float,
) -> tuple[float, Point]:  # fmt: skip
    """A step along `d` with less loss and slope, and the loss there; `t` is tried first."""
    slope = float(start.gradient @ d)

    def trial(t: float) -> tuple[float, Point, float]:
        p = at(x + t * d)
        return t, p, float(p.gradient @ d)

    def above(p: Point, t: float) -> bool:
        return not p.value <= start.value + DECREASE * t * slope

    low: tuple[float, Point, float] = (0.0, start, slope)
    high = None
    for k in range(TRIALS):
        now = trial(t)
        if above(now[1], t) or (k and now[1].value >= low[1].value):
            high = now
        elif abs(now[2]) <= -CURVATURE * slope:
            return now[:2]
        elif now[2] >= 0:
            low, high = now, low
        if high is not None:
            break
        low, t = now, 2.0 * t
    for _ in range(TRIALS):
        if high is None or abs(high[0] - low[0]) * np.abs(d).max() < least:
            break
        t = _between(low, high)
        now = trial(t)
        if above(now[1], t) or now[1].value >= low[1].value:
            high = now
            continue
        if abs(now[2]) <= -CURVATURE * slope:
            return now[:2]
        if now[2] * (high[0] - low[0]) >= 0:
            high = low
        low = now
    return low[:2]


def _between(low: tuple[float, Point, float], high: tuple[float, Point, float]) -> float:
    """The minimum of the cubic through both ends with their slopes, kept away from the ends."""
    (a, p, u), (b, q, v) = low, high
    middle = 0.5 * (a + b)
    lean = u + v - 3.0 * (p.value - q.value) / (a - b)
    root = lean * lean - u * v
    if not root >= 0.0:
        return middle
    side = np.copysign(np.sqrt(root), b - a)
    bottom = v - u + 2.0 * side
    if bottom == 0.0:
        return middle
    t = b - (b - a) * (v + side - lean) / bottom
    edge = 0.1 * abs(b - a)
    inside = min(a, b) + edge <= t <= max(a, b) - edge
    return float(t) if inside else middle
