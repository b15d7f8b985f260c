"""The point a program is tested at and the directions it is tested along.

All random, from the program's seed.  Every fifth program gets a strided `x`.  What a program with
several results is differentiated as is their product with fixed random numbers (`Reduction`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.fuzz.source import copied
from tests.fuzz.stages import demand
from tests.fuzz.tree import Program

Values = tuple[Any, ...]


@dataclass(frozen=True)
class Point:
    args: Values  # (x, w, n), perhaps y, A and Z after them
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

    def single(self) -> "Point":
        """The nearest point in single precision."""
        return Point(tuple(map(rounded, self.args)), self.positions)

    def double(self) -> "Point":
        """The same point in double precision."""
        return Point(tuple(map(_doubled, self.args)), self.positions)


@dataclass(frozen=True)
class Reduction:
    """Many results to one number: a program's number and arrays, each times its adjoint."""

    adjoints: Values | None  # None: the result is one number

    @staticmethod
    def of(program: Program, out: Any) -> "Reduction":
        """For results such as these."""
        if not program.outputs:
            return Reduction(None)
        rng = np.random.default_rng([program.seed, 3])
        return Reduction(tuple(_like(rng, part) for part in out))

    def __call__(self, out: Any) -> float:
        return dot(*self._pair(out))

    def magnitude(self, out: Any) -> float:
        """The sum of the magnitudes of what is summed."""
        return magnitude(*self._pair(out))

    def after(self, fn: Callable[..., Any]) -> Callable[..., float]:
        return lambda *args: self(fn(*args))

    def _pair(self, out: Any) -> tuple[Values, Values]:
        adjoints = self.adjoints or (1.0,)
        got = out if self.adjoints else (out,)
        shapes = tuple(map(np.shape, got)), tuple(map(np.shape, adjoints))
        demand(shapes[0] == shapes[1], "shape of a result", *shapes)
        return got, adjoints


def point(program: Program) -> Point:
    """The arguments of a program; where it has a matrix, arrays of every layout."""
    rng = np.random.default_rng(program.seed)
    values: dict[str, Any] = {"x": rng.random(4) + 0.2, "w": 0.613, "n": 3}
    values["y"] = rng.random(4) + 0.2
    if program.seed % 5 == 4:
        values["x"] = np.repeat(values["x"], 2)[::2]
    if "A" in program.params:
        values["A"] = rng.random((3, 4)) + 0.2
        for name in "xyA":
            values[name] = laid_out(values[name], LAYOUTS[rng.integers(len(LAYOUTS))])
    if "Z" in program.params:
        values["Z"] = rng.random(4) + 0.2 + 1j * rng.random(4)
    args = tuple(values[name] for name in program.params)
    return Point(args, tuple(k for k in range(len(args)) if k != 2))


LAYOUTS = ("contiguous", "contiguous", "strided", "reversed", "transposed")


def laid_out(array: Any, layout: str) -> Any:
    """The same numbers in memory of another order, with gaps or backwards."""
    match layout:
        case "strided":
            return np.repeat(array, 2, axis=-1)[..., ::2]
        case "reversed":
            return array[::-1].copy()[::-1]
        case "transposed":
            return array.T.copy().T
        case _:
            return array


def dot(a: Values, b: Values) -> float:
    """The product of two vectors of real numbers; a complex number is two of them."""
    return sum(_terms(a, b, lambda u, v: np.real(np.conj(u) * v)))


def magnitude(a: Values, b: Values) -> float:
    """The sum of the magnitudes of the terms of `dot`: the scale of its rounding error."""
    return sum(_terms(a, b, lambda u, v: np.abs(u) * np.abs(v)))


def _terms(a: Values, b: Values, term: Callable[[Any, Any], Any]) -> Iterator[float]:
    for u, v in zip(a, b, strict=True):
        yield from np.ravel(term(np.asarray(u), np.asarray(v))).tolist()


def rounded(value: Any) -> Any:
    if isinstance(value, int):
        return value
    if not hasattr(value, "astype"):
        return float(np.float32(value))
    return value.astype(np.complex64 if np.iscomplexobj(value) else np.float32)


def _doubled(value: Any) -> Any:
    if not hasattr(value, "astype"):
        return value
    return value.astype(np.complex128 if np.iscomplexobj(value) else np.float64)


def _like(rng: np.random.Generator, value: Any) -> Any:
    if np.iscomplexobj(value):
        return rng.standard_normal(np.shape(value)) + 1j * rng.standard_normal(np.shape(value))
    return rng.standard_normal(np.shape(value)) if np.ndim(value) else rng.standard_normal()
