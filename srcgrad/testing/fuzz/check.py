"""One program put to the test: value, mutation, reverse against forward mode and differences.

The outcome is one of: `ok`; `refused`, with the message; `discarded`, where plain Python fails,
overflows or has no derivative at the point (decided before srcgrad is asked anything); `wrong`, a
number that differs; `crashed`, any other exception.  A stage says at which question it happened.
"""

import signal
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.testing.fuzz.inputs import Point, Values, dot, magnitude, point
from srcgrad.testing.fuzz.reference import NotSmooth, Slope, slope
from srcgrad.testing.fuzz.second import second_order
from srcgrad.testing.fuzz.source import copied, loaded, on_copies
from srcgrad.testing.fuzz.stages import Mismatch, Unusable, demand
from srcgrad.testing.fuzz.subject import Subject
from srcgrad.testing.fuzz.tree import Program

OVERFLOW = 1e6  # values beyond this make differences worthless
KINDS = ("ok", "refused", "discarded", "wrong", "crashed")


@dataclass(frozen=True)
class Outcome:
    kind: str
    stage: str = ""
    detail: str = ""

    def like(self, other: "Outcome") -> bool:
        """Whether both are the same failure; of a crash, the same exception."""
        if (self.kind, self.stage) != (other.kind, other.stage):
            return False
        return self.kind != "crashed" or self.detail.split(":")[0] == other.detail.split(":")[0]


@dataclass(frozen=True)
class Check:
    """How programs are checked."""

    target: str = "python"
    order: int = 1
    limit: float = 120.0  # seconds per program, where the system has timers


def check(program: Program, subject: Subject, how: Check | None = None) -> Outcome:
    """Run one program through every question; the first that fails is the outcome."""
    how = how or Check()
    at = point(program)
    with np.errstate(all="ignore"):
        try:
            with loaded(program.source(), str(program.seed)) as namespace:
                plain = Plain.of(namespace["f"], at, program.seed)
                return _questions(namespace["f"], plain, at, subject, how)
        # A shrunk program may have a `break` whose loop is gone.
        except (Unusable, SyntaxError) as error:
            return Outcome("discarded", "plain Python", str(error))


@dataclass(frozen=True)
class Plain:
    """What plain Python says about a program."""

    value: float
    after: Values  # the arguments after the call
    directions: tuple[Values, ...]
    slopes: tuple[Slope, ...]

    @staticmethod
    def of(fn: Any, at: Point, seed: int) -> "Plain":
        rng = np.random.default_rng([seed, 1])
        after = copied(at.args)
        try:
            value = float(fn(*after))
            if not abs(value) < OVERFLOW:
                raise Unusable(f"the value is {value}")
            directions = tuple(at.direction(rng) for _ in range(2))
            slopes = tuple(slope(at.along(fn, d)) for d in directions)
        except (Unusable, NotSmooth) as error:
            raise Unusable(str(error)) from None
        except Exception as error:  # a shrunk program may read a name that is gone
            raise Unusable(f"{type(error).__name__}: {error}") from None
        return Plain(value, after, directions, slopes)


def _questions(fn: Any, plain: Plain, at: Point, subject: Subject, how: Check) -> Outcome:
    stage = "value"
    try:
        with _limited(how.limit):
            compiled = subject.compile(fn, target=how.target)
            _value(compiled, plain, at)
            stage = "gradient"
            gradient = _gradient(subject.grad(compiled, grad_position=at.positions), at)
            stage = "differences"
            _against_differences(gradient, plain)
            stage = "forward"
            _against_forward(compiled, gradient, plain, at, subject)
            stage = "second order"
            if how.order > 1:
                second_order(compiled, gradient, at, subject, how.target)
    except Mismatch as error:
        return Outcome("wrong", f"{stage}, {error.what}", str(error))
    except Unusable as error:
        return Outcome("discarded", stage, str(error))
    except subject.refusal as error:
        return Outcome("refused", stage, str(error))
    except Exception as error:
        return Outcome("crashed", stage, f"{type(error).__name__}: {error}\n{_where(error)}")
    return Outcome("ok")


def _value(compiled: Any, plain: Plain, at: Point) -> None:
    """The value is Python's, and the arguments are mutated as Python mutates them."""
    # A value is as well conditioned as its slopes are small.
    tolerance = 1e-12 * max([1.0, abs(plain.value), *(abs(s.value) for s in plain.slopes)])
    for what in ("first call", "second call"):
        args = copied(at.args)
        value = float(compiled(*args))
        demand(abs(value - plain.value) <= tolerance, what, value, plain.value)
        for got, want in zip(args, plain.after, strict=True):
            same = np.allclose(got, want, rtol=0, atol=10 * tolerance, equal_nan=True)
            demand(same, "mutation of the arguments", got, want)


def _gradient(derivative: Any, at: Point) -> Values:
    """The gradient, asked for twice, of arguments that must stay as they are."""
    args = copied(at.args)
    first, second = derivative(*args), derivative(*args)
    for got, want in zip(args, at.args, strict=True):
        demand(np.array_equal(got, want), "arguments after grad", got, want)
    for one, two in zip(first, second, strict=True):
        demand(np.array_equal(one, two, equal_nan=True), "second call", two, one)
        demand(not np.shares_memory(one, two), "memory of two results", one, two)
    for part, k in zip(first, at.positions, strict=True):
        demand(
            np.shape(part) == np.shape(at.args[k]), "shape", np.shape(part), np.shape(at.args[k])
        )
    return tuple(np.array(part) for part in first)


def _against_differences(gradient: Values, plain: Plain) -> None:
    for direction, want in zip(plain.directions, plain.slopes, strict=True):
        got = dot(gradient, direction)
        demand(not want.differs(got, abs(plain.value)), "reverse", got, want)


def _against_forward(
    compiled: Any, gradient: Values, plain: Plain, at: Point, subject: Subject
) -> None:
    for direction, want in zip(plain.directions, plain.slopes, strict=True):
        jvp = on_copies(lambda *args, d=direction: subject.jvp(compiled, args, at.tangents(d)))
        value, rate = map(float, jvp(*at.args))
        scale = max(1.0, abs(plain.value))
        demand(abs(value - plain.value) <= 1e-11 * scale, "value", value, plain.value)
        demand(not want.differs(rate, scale), "rate", rate, want)
        allowed = 1e-10 * magnitude(gradient, direction) + 1e-12 * scale
        reverse = dot(gradient, direction)
        demand(abs(rate - reverse) <= allowed, "reverse against forward", reverse, rate)


def _where(error: Exception) -> str:
    """The innermost frames of a crash."""
    return "".join(traceback.format_tb(error.__traceback__)[-3:])


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in a program that does not come back, where signals can do that."""
    main = threading.current_thread() is threading.main_thread()
    if not main or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: Any) -> None:
        raise TimeoutError(f"no answer after {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
