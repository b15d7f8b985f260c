"""Points at which a function guards a division or a root, and derivatives along lines through them.

A guard may be exact at first order only: NumPy's `sinc` takes 1e-20 for 0, whose second derivative
is 0. The derivatives here are those of values, by differences; where they do not settle, or are not
linear in the direction, the function is not smooth and nothing is said.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.support.arraylikes import leaves
from tests.support.samples import Sample, inputs
from tests.support.test_array_semantics import weighted
from tests.tools import turns

STEP = 1e-3
Value = Callable[[float], float]


def _odd(v: Any) -> Any:
    return np.where(np.arange(np.size(v)).reshape(np.shape(v)) % 2 == 0, 0.0, v)


def _first(v: Any) -> Any:
    return np.concatenate([v[:1] * 0, v[1:]]) if np.ndim(v) else v


POINTS: dict[str, Callable[[Any], Any]] = {
    "inputs": lambda v: v, "zeros": lambda v: v * 0.0, "ones": lambda v: v * 0.0 + 1.0,
    "equal": lambda v: v * 0.0 + 0.5, "negative": lambda v: -v, "some zero": _odd,
    "first zero": _first, "whole": lambda v: np.round(v * 3),
}  # fmt: skip


@dataclass(frozen=True)
class Line:
    """A sample's arguments at a point and a direction of those that are floats."""

    point: str
    arguments: tuple
    direction: tuple

    def at(self, h: Any) -> tuple:
        pairs = zip(self.arguments, self.direction, strict=True)
        return tuple(v if d is None else v + h * d for v, d in pairs)


def lines(sample: Sample) -> Iterator[tuple[Line, float, float]]:
    """Lines along which a sample is smooth, with its first and second derivative there.

    A run tries every eighth point, another part for each sample.
    """
    f, draw = sample.program(), np.random.default_rng(5)
    given = sample.arguments(inputs())
    floats = [np.asarray(v).dtype.kind == "f" for v in given]
    in_turn = [p for p in POINTS if turns.everything or _in_turn(sample, p)]
    for point, move in ((p, POINTS[p]) for p in in_turn if any(floats)):
        at = tuple(move(v) if d else v for v, d in zip(given, floats, strict=True))
        one, other = (_direction(given, floats, draw) for _ in range(2))
        both = tuple(a if a is None else a + c for a, c in zip(one, other, strict=True))
        found = [_derivatives(f, Line(point, at, d)) for d in (one, other, both)]
        if None not in found and _near(found[0][0] + found[1][0], found[2][0], 1e-3):
            yield Line(point, at, one), *found[0]


def _in_turn(sample: Sample, point: str) -> bool:
    return turns.is_in_turn(sample.line, point, turns.turn())


def _direction(given: tuple, floats: list[bool], draw: Any) -> tuple:
    pairs = zip(given, floats, strict=True)
    return tuple(draw.normal(size=np.shape(v)) if is_float else None for v, is_float in pairs)


def _near(a: float, b: float, tolerance: float) -> bool:
    return abs(a - b) <= tolerance * (1 + abs(b))


def _derivatives(f: Any, line: Line) -> Any:
    """The first and the second derivative at 0; None where the values have none."""
    with np.errstate(all="ignore"):
        try:
            ends = [f(*line.at(h)) for h in (0.0, STEP, -STEP)]
            if len({str([np.shape(p) for p in leaves(v)]) for v in ends}) > 1:
                return None  # a length that depends on the values
            coarse, fine = (_differences(lambda h: float(weighted(f(*line.at(h)))), h)
                            for h in (2 * STEP, STEP))  # fmt: skip
        except Exception:
            return None
    settled = np.isfinite([*coarse, *fine]).all()
    settled = settled and _near(coarse[0], fine[0], 1e-3) and _near(coarse[1], fine[1], 2e-2)
    return tuple((4 * b - a) / 3 for a, b in zip(coarse, fine, strict=True)) if settled else None


def _differences(value: Value, h: float) -> tuple[float, float]:
    up, here, down = value(h), value(0.0), value(-h)
    return (up - down) / (2 * h), (up - 2 * here + down) / h**2
