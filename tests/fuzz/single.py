"""The same program in single precision: its type rules, and derivatives to single precision.

Arrays that the program makes are made single too, so that all of it is.  Values are compared with
plain Python in single precision, derivatives with those of the program in double precision at the
same point, which the caller has found to be right.
"""

import re
from typing import Any

import numpy as np

from tests.fuzz.inputs import Point, Values, dot, magnitude, rounded
from tests.fuzz.results import same
from tests.fuzz.source import copied, loaded, on_copies
from tests.fuzz.stages import Unusable, demand
from tests.fuzz.subject import Subject
from tests.fuzz.trial import Trial

_MADE = re.compile(r"np\.(zeros|ones|empty)\(((?:\([^()]*\)|[^()])*)\)")
# The bound. One operation is off by at most u = 2**-24 of its result, a number at the end of a
# chain of T operations by T u of the magnitudes that met in it. A loop here makes at most 4 trips
# and at most 4 are nested, so that a chain passes some 256 times through a body of 10 to 20
# operations, and as often on the way back: T is below 2**13. The values that a gradient reads are
# off as much, times the curvature (2 to 4: values and slopes are of order one). T times that is
# 2**15, in units of the sum of magnitudes, at least 1.
NEAR = 2.0**15 * 2.0**-24


def single_precision(compiled: Any, trial: Trial, subject: Subject, target: str) -> None:
    """Raise Mismatch where values, types or derivatives in single precision are not right."""
    text = _MADE.sub(r"np.\1(\2, dtype=np.float32)", trial.program.source())
    at, reduction = trial.at.single(), trial.reduction
    with loaded(text, f"{trial.program.seed} float32") as namespace:
        fn = namespace["f"]
        want = fn(*copied(at.args))
        double = reduction(trial.fn(*copied(at.double().args)))
        if not abs(reduction(want) - double) <= NEAR * (1.0 + reduction.magnitude(want)):
            raise Unusable("plain Python takes another path in single precision")
        one = subject.compile(fn, target=target)
        # Where a Python number meets one of NumPy's at a join, the dtype of what is computed with
        # it depends on the path in plain Python, but not in compiled code.
        same(one(*copied(at.args)), want, NEAR, dtypes=False)
        rough = _gradient(one, at, trial, subject)
        exact = _gradient(compiled, at.double(), trial, subject)
        for k, part in zip(at.positions, rough, strict=True):
            kinds = np.asarray(part).dtype, np.asarray(at.args[k]).dtype
            demand(kinds[0] == kinds[1], "dtype", *kinds)
        for direction in trial.directions:
            _along(one, rough, exact, at, direction, trial, subject)


def _gradient(fn: Any, at: Point, trial: Trial, subject: Subject) -> Values:
    derivative = subject.gradient(fn, at.positions, trial.reduction.adjoints)
    return tuple(np.array(part) for part in derivative(*copied(at.args)))


def _along(
    one: Any,
    rough: Values,
    exact: Values,
    at: Point,
    direction: Values,
    trial: Trial,
    subject: Subject,
) -> None:
    got, want = dot(rough, direction), dot(exact, direction)
    scale = trial.scale + magnitude(exact, direction)
    demand(abs(got - want) <= NEAR * scale, "reverse against double precision", got, want)
    moved = at.tangents(tuple(map(_single, direction)))
    out_dot = on_copies(lambda *args: subject.jvp(one, args, moved)[1])(*at.args)
    rate, scale = trial.reduction(out_dot), scale + trial.reduction.magnitude(out_dot)
    demand(abs(rate - got) <= NEAR * scale, "reverse against forward", got, rate)


def _single(part: Any) -> Any:
    return rounded(part) if np.ndim(part) else part
