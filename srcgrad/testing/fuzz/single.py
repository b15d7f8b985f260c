"""The same program in single precision: its type rules, and the gradient to single precision.

Arrays that the program makes are made single too, so that all of it is; the gradient is compared
with that in double precision, which the caller has found to be right.
"""

import re
from typing import Any

import numpy as np

from srcgrad.testing.fuzz.inputs import Point, Reduction, Values, dot, magnitude
from srcgrad.testing.fuzz.source import copied, loaded
from srcgrad.testing.fuzz.stages import demand
from srcgrad.testing.fuzz.subject import Subject
from srcgrad.testing.fuzz.tree import Program

_MADE = re.compile(r"np\.(zeros|ones|empty)\(((?:\([^()]*\)|[^()])*)\)")
NEAR = 2e-3  # relative to the sum of magnitudes


def single_precision(
    program: Program,
    gradient: Values,
    at: Point,
    reduction: Reduction,
    subject: Subject,
    target: str,
) -> None:
    """Raise Mismatch where value, types or gradient in single precision are not right."""
    text = _MADE.sub(r"np.\1(\2, dtype=np.float32)", program.source())
    at = at.single()
    with loaded(text, f"{program.seed} float32") as namespace:
        fn = namespace["f"]
        want = reduction(fn(*copied(at.args)))
        compiled = subject.compile(fn, target=target)
        got = reduction(compiled(*copied(at.args)))
        demand(abs(got - want) <= NEAR * max(1.0, abs(want)), "value", got, want)
        parts = subject.gradient(compiled, at.positions, reduction.adjoints)(*copied(at.args))
    for k, part in zip(at.positions, parts, strict=True):
        kind = np.asarray(at.args[k]).dtype
        demand(np.asarray(part).dtype == kind, "dtype", np.asarray(part).dtype, kind)
    rng = np.random.default_rng(4)
    for _ in range(2):
        d: Any = at.direction(rng)
        got, want = dot(parts, d), dot(gradient, d)
        allowed = NEAR * (1.0 + magnitude(gradient, d))
        demand(abs(got - want) <= allowed, "reverse against double precision", got, want)
