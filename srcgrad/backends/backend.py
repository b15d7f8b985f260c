"""Backends: the passes that a target needs, and how it makes an `Executable` of an IR function.

`BACKENDS` lists the targets. A backend is imported when it is first used. Never decides which
program is built.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from importlib import import_module
from typing import Any, Protocol

from srcgrad.errors import ArgumentValueError, Location
from srcgrad.ir.nodes import Function
from srcgrad.ir.text import Printed
from srcgrad.passes.pipeline import Pass
from srcgrad.records import record

# target -> the module whose `BACKEND` it is
BACKENDS = {
    "cpu": "srcgrad.backends.cpu.build",
    "cuda": "srcgrad.backends.cuda.build",
    "loops": "srcgrad.backends.loops",
    "python": "srcgrad.backends.python",
}


@record(frozen=True)
class BuildOptions:
    """The user's choices about how a program is built; a target ignores those it has no use for."""

    cache: bool = True  # whether compiled code is cached on disk
    fastmath: bool | None = None  # see backends/cpu/fastmath.py
    parallel: bool = False  # whether loops run on several cores: passes/loops_in_chunks.py
    # whether equal calls give equal bits: backends/cuda/ordered.py (they always do on the others)
    deterministic: bool = False

    @property
    def strict(self) -> bool:
        """Whether sums keep the order of the program."""
        return self.fastmath is False


@record(frozen=True, eq=False)
class Executable:
    """A function that can be called: `run` takes the IR's parameters and returns a tuple."""

    run: Callable[..., tuple]
    print_source: Callable[[], Printed]  # prints the program as text for reading
    # compiles as a first call does; returns whether the cache had the code. None: no compiler
    compile: Callable[[], bool] | None = None
    # prints the text that the compiler reads
    print_compiled: Callable[[], Noted] | None = None
    print_assembly: Callable[[], str] | None = None  # what the compiler makes of it

    @cached_property
    def source(self) -> str:
        """The program as text for reading, printed when it is first read."""
        return self.print_source().text

    def __call__(self, *args: Any) -> tuple:
        return self.run(*args)


class Noted(Protocol):
    """A text with the user's line of each of its lines."""

    @property
    def text(self) -> str: ...

    def shown(self) -> str:
        """The text with the user's lines as comments."""
        ...

    def location(self, line: int) -> Location | None:
        """The user's line for a line of the text, counted from 0."""
        ...


class Backend(Protocol):
    """The interface of a target; values and bodies given here are defaults."""

    name: str
    compiler: str = ""  # the compiler of its machine code, shown by `explain`

    def pipeline(self, options: BuildOptions) -> tuple[Pass, ...]:
        """The passes to run on the differentiated program before `build`."""
        return ()

    def build(self, function: Function, options: BuildOptions) -> Executable:
        """An executable of a function that has been through the pipeline."""
        ...

    def settings(self, options: BuildOptions) -> dict[str, str]:
        """The options that affect this target, by name, as `explain` shows them."""
        return {}


def backend_of(target: str) -> Backend:
    """The backend of a target."""
    return import_module(BACKENDS[checked_target(target)]).BACKEND


def checked_target(target: str) -> str:
    """The target's name, if there is such a target; the error lists those that there are."""
    if target not in BACKENDS:
        raise ArgumentValueError(f"target must be one of {', '.join(BACKENDS)}, not {target!r}")
    return target
