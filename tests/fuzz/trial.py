"""A program at a point, and all that plain Python says about it there.

This is the ground truth of every question; no transform is asked for anything here.
"""

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.fuzz.inputs import Point, Reduction, Values, point
from tests.fuzz.reference import Kink, NotSmooth, Slope, slope
from tests.fuzz.source import copied
from tests.fuzz.stages import Unusable
from tests.fuzz.tree import Program

OVERFLOW = 1e6  # values beyond this make differences worthless


@dataclass(frozen=True)
class Trial:
    program: Program
    fn: Any
    at: Point
    reduction: Reduction
    out: Any  # what the program returns
    value: float  # ... reduced to one number
    after: Values  # the arguments after the call
    directions: tuple[Values, ...]
    slopes: tuple[Slope, ...]  # none at a kink
    kink: str = ""

    @staticmethod
    def of(program: Program, fn: Any) -> "Trial":
        """Raises Unusable where the program fails, overflows or has no derivative."""
        try:
            return _trial(program, fn, point(program))
        except (Unusable, NotSmooth) as error:
            raise Unusable(str(error)) from None
        except Exception as error:  # a shrunk program may read a name that is gone
            raise Unusable(f"{type(error).__name__}: {error}") from error

    def runs(self, line: int) -> bool:
        """Whether plain Python comes to a line of the program."""
        seen = set()

        def trace(frame: Any, event: str, _: Any) -> Any:
            if frame.f_code.co_filename == self.fn.__code__.co_filename:
                seen.add(frame.f_lineno)
                return trace
            return None

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            self.fn(*copied(self.at.args))
        finally:
            sys.settrace(before)
        return line in seen

    @property
    def scale(self) -> float:
        """The size of the numbers at hand: what rounding is relative to."""
        return max(1.0, abs(self.value))


def _trial(program: Program, fn: Any, at: Point) -> Trial:
    rng = np.random.default_rng([program.seed, 1])
    after = copied(at.args)
    out = fn(*after)
    reduction = Reduction.of(program, out)
    value = reduction(out)
    if not abs(value) < OVERFLOW:
        raise Unusable(f"the value is {value}")
    directions = tuple(at.direction(rng) for _ in range(2))
    slopes, kink = (), ""
    try:
        slopes = tuple(slope(at.along(reduction.after(fn), d)) for d in directions)
    except Kink as error:
        kink = str(error)
    return Trial(program, fn, at, reduction, out, value, after, directions, slopes, kink)
