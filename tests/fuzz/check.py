"""One program put to the test: value, mutation, reverse against forward mode and differences.

The outcome is one of: `ok`; `refused`, with the message; `discarded`, where plain Python fails,
overflows or has no derivative at the point (decided before srcgrad is asked anything); `wrong`, a
number that differs; `crashed`, any other exception.  A stage says at which question it happened.
"""

import signal
import threading
import traceback
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.fuzz.aliased import shared_arguments
from tests.fuzz.census import constructs
from tests.fuzz.chunks import in_chunks
from tests.fuzz.inputs import Point, Values, dot, magnitude, point
from tests.fuzz.results import parts, same, same_memory
from tests.fuzz.routes import by_other_routes, routes
from tests.fuzz.second import second_order
from tests.fuzz.single import single_precision
from tests.fuzz.source import copied, loaded, on_copies
from tests.fuzz.stages import Mismatch, Unusable, demand
from tests.fuzz.subject import Subject
from tests.fuzz.tree import Program
from tests.fuzz.trial import Trial

PARALLEL = ("none", "orders", "threads")
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
    single: bool = False  # in single precision too
    shared: bool = False  # arguments that share memory too
    passes: str = "none"  # other routes through the compiler: "none", "sampled", "all"
    parallel: str = "none"  # loops in chunks: "none", "orders", and on "threads"

    @property
    def first(self) -> str:
        """The target of the first route; `all` begins with the reference backend."""
        return "python" if self.target == "all" else self.target

    @property
    def others(self) -> tuple[str, ...]:
        return ("loops", "cpu") if self.target == "all" else ()


def check(program: Program, subject: Subject, how: Check | None = None) -> Outcome:
    """Run one program through every question; the first that fails is the outcome."""
    how = how or Check()
    with np.errstate(all="ignore"), _device(how.first):
        try:
            with loaded(program.source(), str(program.seed)) as namespace:
                try:
                    trial = Trial.of(program, namespace["f"])
                except Unusable as error:
                    if "try" in constructs(program) and isinstance(error.__cause__, RAISED):
                        return _raising(program, namespace["f"], error.__cause__, subject, how)
                    raise
                return _questions(trial, subject, how)
        # A shrunk program may have a `break` whose loop is gone.
        except (Unusable, SyntaxError) as error:
            return Outcome("discarded", "plain Python", str(error))


# What programs raise, and compiled code does too wherever it stands; errors of floats it does not
# raise outside of a `try`.
RAISED = (LookupError, np.linalg.LinAlgError, AttributeError)


def _raising(
    program: Program, fn: Any, raised: BaseException, subject: Subject, how: Check
) -> Outcome:
    """The question that is left where plain Python raises: whether compiled code does, the same."""
    try:
        with _limited(how.limit):
            subject.compile(fn, target=how.first)(*copied(point(program).args))
    except subject.fault as error:
        return _crashed("exception", error)
    except subject.refusal as error:
        return Outcome("refused", "exception", str(error))
    except type(raised):
        return Outcome("discarded", "plain Python", f"raises {type(raised).__name__}, and so here")
    except Exception as error:
        return Outcome("wrong", "exception", f"{raised!r} in Python, {error!r} here")
    return Outcome("wrong", "exception", f"{raised!r} in Python, nothing here")


def _device(target: str) -> AbstractContextManager[None]:
    """What programs for a device run on: the simulated one."""
    if target != "cuda":
        return nullcontext()
    from srcgrad.backends.cuda.selection import using
    from srcgrad.backends.cuda.simulator import Simulator

    return using(Simulator())


def _questions(trial: Trial, subject: Subject, how: Check) -> Outcome:
    stage, at, reduction = "value", trial.at, trial.reduction
    try:
        with _limited(how.limit), ExitStack() as sharing:
            sharing.enter_context(subject.shared())
            compiled = subject.compile(trial.fn, target=how.first)
            _value(compiled, trial)
            stage = "gradient"
            gradient = _gradient(subject.gradient(compiled, at.positions, reduction.adjoints), at)
            if trial.kink:
                stage = "kink"
                _at_a_kink(compiled, gradient, trial, subject, how)
                return Outcome("discarded", "plain Python", trial.kink)
            stage = "differences"
            _against_differences(gradient, trial)
            stage = "forward"
            _against_forward(compiled, gradient, trial, subject)
            stage = "second order"
            if how.order > 1:
                second_order(compiled, gradient, trial, subject, how.first)
            stage = "float32"
            if how.single:
                single_precision(compiled, trial, subject, how.first)
            sharing.close()  # what follows changes how programs are made
            stage = "shared arguments"
            if how.shared:
                shared_arguments(compiled, trial, subject)
            stage = "routes"
            if how.passes != "none" or how.others:
                chosen = routes(how.passes, how.others, trial.program.seed)
                by_other_routes(gradient, trial, subject, chosen)
            stage = "chunks"
            if how.parallel != "none":
                in_chunks(gradient, trial, subject, how.parallel == "threads")
    except Mismatch as error:
        return Outcome("wrong", f"{stage}, {error.what}", str(error))
    except Unusable as error:
        return Outcome("discarded", stage, str(error))
    except subject.fault as error:
        return _crashed(stage, error)
    except subject.refusal as error:
        return Outcome("refused", stage, str(error))
    except Exception as error:
        where = getattr(error, "location", None)
        if where and isinstance(error, subject.misfit) and not trial.runs(where.line):
            return Outcome("refused", stage, str(error))
        return _crashed(stage, error)
    return Outcome("ok")


def _crashed(stage: str, error: Exception) -> Outcome:
    """The outcome of an exception, by what caused it if it says so."""
    first = error.__cause__ or error
    detail = f"{type(first).__name__}: {first}\n{_where(error)}"
    return Outcome("crashed", stage, detail if first is error else f"{detail}{error}")


def _value(compiled: Any, trial: Trial) -> None:
    """Results and arguments are Python's after the call: numbers, types, shared memory."""
    # A value is as well conditioned as its slopes are small.
    near = 1e-11 * max([trial.scale, *(abs(s.value) for s in trial.slopes)])
    for call in ("first call", "second call"):
        args = copied(trial.at.args)
        out = compiled(*args)
        same(out, trial.out, near, call)
        for got, want in zip(args, trial.after, strict=True):
            equal = np.allclose(got, want, rtol=0, atol=near, equal_nan=True)
            demand(equal, "mutation of the arguments", got, want)
        same_memory((*parts(out), *args), (*parts(trial.out), *trial.after))


def _gradient(derivative: Any, at: Point) -> Values:
    """The gradient, asked for twice, of arguments that must stay as they are."""
    args = copied(at.args)
    first, second = derivative(*args), derivative(*args)
    for got, want in zip(args, at.args, strict=True):
        demand(np.array_equal(got, want), "arguments after grad", got, want)
    for one, two in zip(first, second, strict=True):
        demand(not np.shares_memory(one, two), "memory of two results", one, two)
        # Not the same bits: on the cpu backend the last one has been seen to differ.
        near = 1e-13 * max(1.0, float(np.max(np.abs(one), initial=0.0)))
        demand(np.allclose(one, two, rtol=0, atol=near, equal_nan=True), "second call", two, one)
    for part, k in zip(first, at.positions, strict=True):
        demand(
            np.shape(part) == np.shape(at.args[k]), "shape", np.shape(part), np.shape(at.args[k])
        )
    return tuple(np.array(part) for part in first)


def _against_differences(gradient: Values, trial: Trial) -> None:
    for direction, want in zip(trial.directions, trial.slopes, strict=True):
        got = dot(gradient, direction)
        demand(not want.differs(got, abs(trial.value)), "reverse", got, want)


def _against_forward(compiled: Any, gradient: Values, trial: Trial, subject: Subject) -> None:
    for direction, want in zip(trial.directions, trial.slopes, strict=True):
        rate, size = _rate(compiled, direction, trial, subject)
        demand(not want.differs(rate, trial.scale), "rate", rate, want)
        _modes_agree(gradient, direction, rate, size, trial)


def _at_a_kink(compiled: Any, gradient: Values, trial: Trial, subject: Subject, how: Check) -> None:
    """Check a gradient at a kink: finite, and the same one-sided choice in both modes.

    Two compiled programs may resolve a tie differently: the modes are compared on the reference
    backend only.
    """
    demand(_finite(gradient), "gradient", gradient, trial.kink)
    for direction in trial.directions if how.first == "python" else ():
        _modes_agree(gradient, direction, *_rate(compiled, direction, trial, subject), trial)
    for target in how.others:
        other = subject.compile(trial.fn, target=target)
        derivative = subject.gradient(other, trial.at.positions, trial.reduction.adjoints)
        got = derivative(*copied(trial.at.args))
        demand(_finite(got), f"gradient, {target}", got, gradient)


def _finite(gradient: Values) -> bool:
    return all(np.all(np.isfinite(part)) for part in gradient)


def _rate(compiled: Any, direction: Values, trial: Trial, subject: Subject) -> tuple[float, float]:
    """Forward mode's derivative along a direction, and the sum of the magnitudes of its terms."""
    at, reduction = trial.at, trial.reduction
    jvp = on_copies(lambda *args: subject.jvp(compiled, args, at.tangents(direction)))
    out, out_dot = jvp(*at.args)
    value = reduction(out)
    demand(abs(value - trial.value) <= 1e-11 * trial.scale, "value", value, trial.value)
    return reduction(out_dot), reduction.magnitude(out_dot)


def _modes_agree(
    gradient: Values, direction: Values, rate: float, size: float, trial: Trial
) -> None:
    """<v, J u> against <J' v, u>: the same sum of products in another order."""
    terms = magnitude(gradient, direction) + size
    reverse = dot(gradient, direction)
    # the floor is for rates that cancel before they enter either sum
    allowed = 1e-10 * terms + 1e-12 * trial.scale
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
