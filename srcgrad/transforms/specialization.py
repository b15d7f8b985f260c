"""Represents one specialization (`Entry`) and builds its program for a target.

Never decides which specialization a call uses: see `compiled`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from functools import cached_property
from typing import Any

from srcgrad import interrupts
from srcgrad.backends.backend import Backend, BuildOptions, Executable, backend_of
from srcgrad.errors import Location
from srcgrad.frontend.guards import UNREADABLE, Guard, Hidden
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Function
from srcgrad.passes import run as run_passes
from srcgrad.passes import without
from srcgrad.passes.pipeline import CONTRACTIONS, INTERCHANGE, PIPELINE, STRIP_CUSTOM_RULES
from srcgrad.passes.strip_custom_rules import is_settled
from srcgrad.passes.undetermined import counted, lines_of
from srcgrad.primitives.draws import draw
from srcgrad.primitives.messages import send
from srcgrad.protocols import states
from srcgrad.records import record
from srcgrad.transforms.program import Program
from srcgrad.transforms.signature import key_of
from srcgrad.transforms.stage_cache import kept
from srcgrad.transforms.stages import Stage, staged
from srcgrad.transforms.stored_inputs import NoOverlap
from srcgrad.transforms.value_tests import InputKind
from srcgrad.tree.random_generators import holding

UNDETERMINED = (
    "no derivative is determined by vectors of equal eigenvalues or singular values, or by phases "
    "of complex vectors and bases of a rest: NaN in the elements of the gradient in which they "
    "have a part"
)


@record(frozen=True)
class Options(BuildOptions):
    target: str = "cpu"
    # "": never; "tensors": for calls with tensors, where the compiler refuses; "always"
    tape: str = ""


@record(frozen=True)
class Entry:
    """The program compiled for one signature, with all that a call needs to use it."""

    program: Program
    executable: Executable
    inputs: tuple[Guard[InputKind], ...]  # of the captured inputs
    converters: tuple[Callable | None, ...]
    stored: frozenset[int]  # positions of parameters; empty where nothing can overlap
    stages: tuple[Stage, ...]
    restarts: int
    whole: Program  # the program with the rules of users still attached
    options: Options
    tensors: bool  # whether a captured value is one
    apart: NoOverlap
    extensions: dict[Any, Any] = field(default_factory=dict)  # derived objects of other layers
    quick: set[tuple[type, ...]] = field(default_factory=set)  # kinds of tensors with a fast path

    @cached_property
    def run(self) -> Callable[..., tuple]:
        return self.executable.run

    def fits(self, given: Sequence[tuple[tuple, Any]], captured: Sequence[Any]) -> bool:
        """Whether the entry is for a call with these arguments and captured values, by lengths."""
        lengths = self.program.lengths
        return lengths is None or lengths.passes({**dict(given), **dict(enumerate(captured))})

    def captured(self) -> list[Any] | None:
        """The current captured inputs; None if a guard does not hold."""
        try:
            if not all([g.test.passes(g.fetch()) for g in self.program.guards]):
                return None
            values = [g.fetch() for g in self.inputs]
        except UNREADABLE:
            return None
        passed = [g.test.passes(v) for g, v in zip(self.inputs, values, strict=True)]
        return values if all(passed) else None


def guard_of(h: Hidden, shapes: bool) -> Guard[InputKind]:
    """The guard of a captured input as it is now; `shapes`: its shape is part of it."""
    value = h.path.fetch()
    shape = value.shape if shapes and states(value, "shape") else None
    return Guard(h.path, InputKind(key_of(value), type(value), shape), h.name)


# ---- building ----
@contextmanager
def suited(options: Options) -> Generator[None]:
    """Holds signals back, and leaves out passes that do not suit the options, in the `with` block.

    A device runs trips as threads: a product in a loop would be a call for each of them, and
    side by side they read columns as rows.
    """
    left_out = {CONTRACTIONS.name} if options.strict else set[str]()
    if options.target == "cuda":
        left_out = {CONTRACTIONS.name, INTERCHANGE.name}
    with interrupts.held(), without(*left_out):
        yield


def lowered(function: Function, options: Options) -> Function:
    """An IR function with the passes of the cpu target."""
    passes = backend_of("cpu").pipeline(options)
    return run_passes(settled(function), passes)


def built(function: Function, options: Options) -> Executable:
    """An IR function made to run on the chosen target."""
    with interrupts.held():
        backend = backend_of(options.target)
        function = settled(function)
        lines = lines_of(function)
        made = backend.build(lowered_for(backend, function, options), options)
        made = replace(made, run=_warning(made.run, lines)) if lines else made
        draws = draw in contents(function).operations
        return replace(made, run=holding(made.run)) if draws else made


def lowered_for(backend: Backend, function: Function, options: BuildOptions) -> Function:
    """The function that a backend builds of an IR function."""
    function = settled(function)
    if lines_of(function):
        function = counted(function)
    passes = backend.pipeline(options)
    if not passes:
        return function
    return staged("lowering", lambda: kept(run_passes, function, passes))


def _warning(run: Callable[..., tuple], lines: Sequence[Location | None]) -> Callable[..., tuple]:
    """A program that warns, once for each line, of derivatives that were not determined."""

    def warning(*args: Any) -> tuple:
        *out, counts = run(*args)
        for line in itertools.compress(lines, counts.tolist()):
            if line is not None:
                send(UNDETERMINED, "warning", "RuntimeWarning", 0, line.file, line.line)
        return tuple(out)

    return warning


def settled(function: Function) -> Function:
    """The function in the form that is run: it is not differentiated any more."""
    if is_settled(function):
        return function
    return staged("passes", lambda: kept(run_passes, function, (STRIP_CUSTOM_RULES, *PIPELINE)))
