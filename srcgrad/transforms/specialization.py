"""Represents one specialization (`Entry`) and builds its program for a target.

Never decides which specialization a call uses: see `compiled`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

from srcgrad.backends.backend import BuildOptions, Executable, backend_of
from srcgrad.ir.nodes import Function
from srcgrad.passes import run as run_passes
from srcgrad.passes.pipeline import PIPELINE, STRIP_CUSTOM_RULES
from srcgrad.passes.strip_custom_rules import has_custom_rules
from srcgrad.protocols import states
from srcgrad.records import record
from srcgrad.transforms.kept import kept
from srcgrad.transforms.program import Program
from srcgrad.transforms.signature import key_of
from srcgrad.transforms.stages import Stage, staged
from srcgrad.transforms.stored_inputs import Apart


@record(frozen=True)
class Options(BuildOptions):
    target: str = "cpu"
    tape: bool = False  # whether calls with tensors may use the tape where the compiler refuses


@record(frozen=True)
class Entry:
    """The program compiled for one signature, with all that a call needs to use it."""

    program: Program
    executable: Executable
    hidden: tuple[Callable[[], Any], ...]
    kinds: tuple  # of the captured values
    shapes: bool  # whether their shapes are part of it
    converters: tuple[Callable | None, ...]
    stored: frozenset[int]  # positions of parameters; empty where nothing can overlap
    stages: tuple[Stage, ...]
    restarts: int
    whole: Program  # the program with the rules of users still attached
    options: Options
    tensors: bool  # whether a captured value is one
    apart: Apart  # whether inputs share no memory that is stored to
    extensions: dict[Any, Any] = field(default_factory=dict)  # derived objects of other layers
    quick: set[tuple[type, ...]] = field(default_factory=set)  # kinds of tensors with a fast path

    @cached_property
    def run(self) -> Callable[..., tuple]:
        return self.executable.run

    def fits(self, given: Sequence[tuple[tuple, Any]], captured: Sequence[Any]) -> bool:
        """Whether the entry is for a call with these arguments and captured values, by lengths."""
        lengths = self.program.lengths
        return lengths is None or lengths.fit(given, captured)

    def captured(self) -> list[Any] | None:
        """The current captured values; None if a guard fails or one has another type."""
        if not all([g.holds() for g in self.program.guards]):
            return None
        try:
            values = [fetch() for fetch in self.hidden]
        except (LookupError, AttributeError, ValueError):
            return None
        return values if tuple([kind_of(v, self.shapes) for v in values]) == self.kinds else None


def kind_of(value: Any, shapes: bool) -> Any:
    """The part of a captured value that is specialized on; `shapes`: its shape as well."""
    return (key_of(value), value.shape) if shapes and states(value, "shape") else key_of(value)


# ---- building ----
def built(function: Function, options: Options) -> Executable:
    """An IR function made to run on the chosen target."""
    backend = backend_of(options.target)
    function = settled(function)
    passes = backend.pipeline(options)
    if passes:
        function = staged("lowering", lambda: kept(run_passes, function, passes))
    return backend.build(function, options)


def settled(function: Function) -> Function:
    """The function in the form that is run: it is not differentiated any more."""
    if not has_custom_rules(function):
        return function
    return staged("passes", lambda: kept(run_passes, function, (STRIP_CUSTOM_RULES, *PIPELINE)))
