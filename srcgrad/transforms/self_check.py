"""`SRCGRAD_CHECK=1`: compares the first gradient of each specialization with forward mode.

Forward mode decides, since it is exact: a difference is a GradientError. Finite differences of
the function only warn, since at a kink they differ. Never changes a result, nor the
arguments, nor captured values: everything here runs on copies.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from srcgrad.errors import GradientError, GradientWarning, Location, UnsupportedError
from srcgrad.numeric import is_floating, perturbed, product, rounding, slope
from srcgrad.records import record
from srcgrad.settings import is_on
from srcgrad.transforms.specs import Protected, Tangent
from srcgrad.tree import mapped_by_path, matched, paths, spelled
from srcgrad.tree.random_generators import States, replayed

MOST_ELEMENTS = 64  # of one argument that are checked to locate a wrong gradient
# Tolerances for rounding, relative to the sum of magnitudes of the terms.
NEAR = {np.dtype(np.float64): 1e-8, np.dtype(np.float32): 3e-3, np.dtype(np.float16): 1e-1}


def wanted() -> bool:
    """Whether the environment requests it."""
    return is_on("check")


@record(frozen=True)
class Question:
    """One gradient at its arguments, and the two other ways to compute a derivative."""

    name: str
    leaves: dict[tuple, Any]  # the differentiated arguments, by path
    gradient: dict[tuple, Any]
    rate: Callable[[dict[tuple, Any]], tuple[float, float]]  # along a direction, with magnitudes
    value: Callable[[dict[tuple, Any]], float]  # at other arguments
    near: float
    location: Location | None


def verify(
    compiled: Any, entry: Any, arguments: dict[str, Any], extra: dict, raw: Sequence, states: States
) -> None:
    """Raises GradientError if the results `raw` of a gradient are not those of forward mode.

    `states` are those that the generators which it draws from had before.
    """
    try:
        question = _question(compiled, entry, arguments, extra, raw, states)
        rng = np.random.default_rng(0)
        for path in question.leaves:
            _by_one(question, path, rng)
    except UnsupportedError as error:
        warnings.warn(f"not checked: {error}", GradientWarning, stacklevel=4)


def _by_one(q: Question, path: tuple, rng: np.random.Generator) -> None:
    """Checks one argument, along a direction in which all of its numbers move."""
    moves = {path: _drawn(q.leaves[path], rng)}
    reverse, one = product(q.gradient[path], moves[path])
    forward, other = q.rate(moves)
    if _apart(reverse, forward, one + other, q.near):
        raise _wrong(q, path, reverse, forward)
    expected, uncertain = slope(
        lambda h: q.value({path: perturbed(q.leaves[path], moves[path], h)}),
        noise=rounding(q.leaves) * abs(q.value({})),
    )
    largest = max(abs(forward), abs(expected), q.near)
    if not abs(forward - expected) <= max(1e-5, 10 * q.near) * largest + 10 * uncertain:
        warnings.warn(
            f"the derivative of {q.name}() by {spelled(path)} is {forward:.10g} along a direction "
            f"in forward and in reverse mode, and {expected:.10g} by differences (uncertain by "
            f"{uncertain:.1g}): there may be a kink",
            GradientWarning,
            stacklevel=5,
        )


def _apart(reverse: float, forward: float, scale: float, near: float) -> bool:
    if not np.isfinite(reverse) and not np.isfinite(forward):
        return False
    return not abs(reverse - forward) <= near * scale + near * 1e-4


def _wrong(q: Question, path: tuple, reverse: float, forward: float) -> GradientError:
    """The error, at the checked element with the largest difference."""
    where, worst = "along a random direction", 0.0
    for index, step in _units(q.leaves[path]):
        rate, one = q.rate({path: step})[0], float(np.asarray(q.gradient[path])[index])
        gap = abs(one - rate)
        if not gap <= worst:
            where, worst, reverse, forward = f"at {list(index)}", gap, one, rate
            moves = {path: step}
    expected = float("nan")
    if where.startswith("at"):
        expected = slope(lambda h: q.value({path: perturbed(q.leaves[path], moves[path], h)}))[0]
    if where == "at []":
        where = ""
    place = f"{spelled(path)} is wrong{' ' * bool(where)}{where}"
    return GradientError(
        f"the gradient of {q.name}() by {place}: reverse mode gives {reverse:.10g}, "
        f"forward mode {forward:.10g}, differences {expected:.10g}",
        q.location,
        "an error in srcgrad: please report it",
    )


def _units(value: Any) -> Iterator[tuple[tuple, Any]]:
    """Directions in which one number moves."""
    shape = np.shape(value)
    for n, index in enumerate(np.ndindex(shape)):
        if n == MOST_ELEMENTS:
            return
        step = np.zeros(shape, np.asarray(value).dtype)
        step[index] = 1.0
        yield index, step if isinstance(value, np.ndarray) else type(value)(step)


def _drawn(value: Any, rng: np.random.Generator) -> Any:
    t = rng.choice([-1.0, -0.5, 0.5, 1.0], np.shape(value))
    return t.astype(value.dtype) if isinstance(value, np.ndarray) else type(value)(t)


# ---- the question for a compiled gradient ----
def _question(
    compiled: Any, entry: Any, arguments: dict[str, Any], extra: dict, raw: Sequence, states: States
) -> Question:

    spec, function, options = compiled.spec, compiled.function, compiled.options
    given = {p: v for n, a in arguments.items() for p, v in paths(a, (n,))}
    numbers = {path: k for k, path in entry.program.origins}
    by = {path: given[path] for path in numbers if is_floating(given[path])}
    tangent = type(compiled)(function, Tangent(spec.inner), options)
    primal = type(compiled)(function, Protected(spec.inner), options)

    def along(out: Any, numbers: Any) -> tuple[float, float]:
        """The product of the adjoints with numbers in the places of the floats of an output."""
        pairs = matched(spec.main_of(out), spec.main_of(numbers), _refuse)
        floats = [(v, n) for _, v, n in pairs if is_floating(v)]
        seeds = [extra.get(("seed", k), np.ones_like(v)) for k, (v, _) in enumerate(floats)]
        return product(seeds, [n for _, n in floats])

    def rate(moves: dict[tuple, Any]) -> tuple[float, float]:
        still = {("tangent", *p): _still(v) for p, v in given.items() if is_floating(v)}
        still |= {("tangent", *p): t for p, t in moves.items()}
        with replayed(states):
            out, dots = tangent._run(arguments, still)
        return along(out, dots)

    def value(at: dict[tuple, Any]) -> float:
        with replayed(states):
            out = primal._run(_replaced(arguments, at), {})
        return along(out, out)[0]

    dtypes = {np.asarray(v).dtype for v in given.values() if is_floating(v)}
    near = max((NEAR.get(d, 1e-8) for d in dtypes), default=1e-8)
    code = getattr(function, "__code__", None)
    place = code and Location(code.co_filename, code.co_firstlineno, function=function.__name__)
    gradient = {path: raw[numbers[path]] for path in by}
    return Question(compiled.__name__, by, gradient, rate, value, near, place)


def _refuse(path: tuple, given: Any, like: Any) -> None:
    raise AssertionError(path, given, like)  # both come from one program


def _still(v: Any) -> Any:
    return np.zeros_like(v, order="C") if isinstance(v, np.ndarray) else type(v)(0)


def _replaced(arguments: dict[str, Any], at: dict[tuple, Any]) -> dict[str, Any]:
    """The arguments with other values at some paths."""
    new = {}
    for name, value in arguments.items():
        new[name] = mapped_by_path(value, (name,), at.get)
    return new
