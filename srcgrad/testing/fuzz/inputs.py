"""The point a program is tested at and the directions it is tested along.

All random, from the program's seed.  Every fifth program gets a strided `x`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.testing.fuzz.source import copied
from srcgrad.testing.fuzz.tree import Program

Values = tuple[Any, ...]


@dataclass(frozen=True)
class Point:
    args: Values  # (x, w, n) or (x, w, n, y)
    positions: tuple[int, ...]  # of the arguments that are differentiated

    def direction(self, rng: np.random.Generator) -> Values:
        """One random number for every number that is differentiated."""
        return tuple(_like(rng, self.args[k]) for k in self.positions)

    def tangents(self, direction: Values) -> Values:
        """The direction as an argument list: the int argument does not move."""
        full: list[Any] = [0 for _ in self.args]
        for k, part in zip(self.positions, direction, strict=True):
            full[k] = part
        return tuple(full)

    def along(self, fn: Callable[..., Any], direction: Values) -> Callable[[float], float]:
        """The function of one number got by walking from the point in a direction."""

        def phi(step: float) -> float:
            args = list(copied(self.args))
            for k, part in zip(self.positions, direction, strict=True):
                args[k] += step * part
            return float(fn(*args))

        return phi


def point(program: Program) -> Point:
    rng = np.random.default_rng(program.seed)
    x, y = rng.random(4) + 0.2, rng.random(4) + 0.2
    if program.seed % 5 == 4:
        x = np.repeat(x, 2)[::2]
    args = (x, 0.613, 3, y) if "y" in program.params else (x, 0.613, 3)
    return Point(args, tuple(k for k in range(len(args)) if k != 2))


def dot(a: Values, b: Values) -> float:
    return sum(_terms(a, b))


def magnitude(a: Values, b: Values) -> float:
    """The sum of the magnitudes of the terms of `dot`: the scale of its rounding error."""
    return sum(map(abs, _terms(a, b)))


def _terms(a: Values, b: Values) -> Iterator[float]:
    for u, v in zip(a, b, strict=True):
        yield from np.ravel(np.asarray(u) * np.asarray(v)).tolist()


def _like(rng: np.random.Generator, value: Any) -> Any:
    return rng.standard_normal(value.shape) if hasattr(value, "shape") else rng.standard_normal()
