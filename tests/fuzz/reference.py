"""Directional derivatives of a function that is only evaluated, and whether it has one there.

Central differences of fourth order at falling step sizes; the pair of neighbouring steps that
agrees best gives the number and its error.  Where no pair agrees, or the one-sided quotients of a
small step differ (a kink or a jump in the point itself), there is no derivative to compare with.
Nothing here knows about programs or about srcgrad.
"""

from collections.abc import Callable
from dataclasses import dataclass

STEPS = (3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5)
GOOD = 1e-9  # agreement at which no smaller step is tried
ENOUGH = 1e-6  # worse than this and the point is not resolved
ONE_SIDED_STEP, ONE_SIDED_GAP = 1e-5, 2e-7


class NotSmooth(Exception):
    """No derivative can be read off the function's values at this point."""


class Kink(NotSmooth):
    """The one-sided derivatives exist and differ."""


@dataclass(frozen=True)
class Slope:
    value: float
    error: float  # how far two step sizes are apart

    def differs(self, other: float, value_scale: float = 1.0) -> bool:
        """Whether `other` is not this derivative, the differences' own error considered."""
        allowed = 20 * self.error + 1e-7 * max(abs(self.value), 1e-2) + 1e-10 * value_scale
        return not abs(other - self.value) <= allowed


def slope(phi: Callable[[float], float]) -> Slope:
    """The derivative of `phi` at 0; raises NotSmooth or Kink where there is none."""
    centre = phi(0.0)
    best = _best_pair(phi)
    scale = max(1.0, abs(best.value), abs(centre))
    if not best.error <= ENOUGH * scale:
        kind = Kink if _two_sided(phi, centre, scale) else NotSmooth
        raise kind(f"difference quotients do not settle (they differ by {best.error:.1e})")
    gap = abs(_one_sided(phi, centre, ONE_SIDED_STEP) - _one_sided(phi, centre, -ONE_SIDED_STEP))
    if not gap <= ONE_SIDED_GAP * scale:
        raise Kink(f"left and right derivative differ by {gap:.1e}")
    return best


def _two_sided(phi: Callable[[float], float], centre: float, scale: float) -> bool:
    """Whether both one-sided derivatives exist: no jump, no infinite slope."""
    small, large = ONE_SIDED_STEP, 10 * ONE_SIDED_STEP
    gaps = [
        abs(_one_sided(phi, centre, sign * small) - _one_sided(phi, centre, sign * large))
        for sign in (1, -1)
    ]
    return max(gaps) <= 1e-4 * scale


def _best_pair(phi: Callable[[float], float]) -> Slope:
    best = Slope(float("nan"), float("inf"))
    last = None
    for step in STEPS:
        now = _central(phi, step)
        if last is not None and abs(now - last) < best.error:
            best = Slope(now, abs(now - last))
        if best.error <= GOOD * max(1.0, abs(now)):
            break
        last = now
    return best


def _central(phi: Callable[[float], float], h: float) -> float:
    return (8 * (phi(h) - phi(-h)) - (phi(2 * h) - phi(-2 * h))) / (12 * h)


def _one_sided(phi: Callable[[float], float], centre: float, h: float) -> float:
    return (4 * phi(h) - phi(2 * h) - 3 * centre) / (2 * h)
