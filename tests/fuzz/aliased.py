"""The same program with arguments that share memory: NumPy's value, its gradient or a refusal.

Each argument has a gradient of its own, as if the others were constants.  That has a meaning only
while nothing that is shared is stored to, and then it is the gradient at copies.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tests.fuzz.inputs import Values
from tests.fuzz.results import parts, same, same_memory
from tests.fuzz.source import copied
from tests.fuzz.stages import demand
from tests.fuzz.subject import Subject
from tests.fuzz.trial import Trial

NEAR = 1e-9


def shared_arguments(compiled: Any, trial: Trial, subject: Subject) -> None:
    """Raise Mismatch where a program is not right on arguments that share memory."""
    for name, make in sharings(trial):
        with_shared(compiled, trial, subject, name, make)


def sharings(trial: Trial) -> Iterator[tuple[str, Callable[[], Values]]]:
    """Ways for the arguments to share memory; each call makes them anew."""
    params, args = trial.program.params, trial.at.args
    memory = np.concatenate([np.ravel(a) for a in args if _is_real(a)])

    def replaced(**arrays: Any) -> Values:
        return tuple(arrays.get(p, a) for p, a in zip(params, copied(args), strict=True))

    def overlapping() -> Values:
        new = memory.copy()
        return replaced(x=new[:4], y=new[1:5])

    def twice() -> Values:
        x = memory[:4].copy()
        return replaced(x=x, y=x)

    def reversed_() -> Values:
        x = memory[:4].copy()
        return replaced(x=x, y=x[::-1])

    def row() -> Values:
        matrix = memory[-12:].reshape(3, 4).copy()
        return replaced(x=matrix[1], A=matrix)

    if "y" in params:
        yield from (("twice", twice), ("overlapping", overlapping), ("reversed", reversed_))
    if "A" in params:
        yield "row", row


def _is_real(value: Any) -> bool:
    return isinstance(value, np.ndarray) and not np.iscomplexobj(value)


def with_shared(
    compiled: Any, trial: Trial, subject: Subject, name: str, make: Callable[[], Values]
) -> None:
    want_args, args = make(), make()
    try:
        want = trial.fn(*want_args)
    except Exception:  # plain Python refuses too: np.dot(..., out=) wants a contiguous array
        return
    if not np.all(np.abs(np.concatenate([np.ravel(p) for p in parts(want)])) < 1e6):
        return
    near = 1e-10 * max(1.0, trial.scale)
    out = compiled(*args)
    same(out, want, near, f"value, {name}")
    same_memory((*parts(out), *args), (*parts(want), *want_args))
    for got, expected in zip(args, want_args, strict=True):
        equal = np.allclose(got, expected, rtol=near, atol=near, equal_nan=True)
        demand(equal, f"mutation, {name}", got, expected)
    _gradient(compiled, trial, subject, name, make)


def _gradient(
    compiled: Any, trial: Trial, subject: Subject, name: str, make: Callable[[], Values]
) -> None:
    derivative = subject.gradient(compiled, trial.at.positions, trial.reduction.adjoints)
    args = make()
    try:
        got = derivative(*args)
    except subject.fault:
        raise
    except subject.refusal:
        return
    for one, other in zip(args, make(), strict=True):
        demand(np.array_equal(one, other), f"arguments after grad, {name}", one, other)
    apart = copied(make())
    at_copies = trial.reduction(trial.fn(*copied(apart)))
    value = trial.reduction(trial.fn(*make()))
    equal = abs(value - at_copies) <= 1e-10 * max(1.0, abs(value))
    demand(equal, f"gradient where a store is shared, {name}", value, at_copies)
    for one, other in zip(got, derivative(*apart), strict=True):
        scale = max(1.0, float(np.max(np.abs(other), initial=0.0)))
        demand(np.allclose(one, other, NEAR, NEAR * scale), f"gradient, {name}", one, other)
