"""Targets: the passes that each needs, and how it makes an `Executable` of an IR function.

The table of targets is `BACKENDS`. A backend is imported when it is first used. Never decides
which program is built.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from importlib import import_module
from typing import Any, Protocol

from srcgrad.errors import ArgumentValueError
from srcgrad.ir.nodes import Function
from srcgrad.passes.pipeline import Pass
from srcgrad.records import record

# each module holds its `BACKEND`
BACKENDS = {
    "cpu": "srcgrad.backends.cpu.build",
    "cuda": "srcgrad.backends.cuda.build",
    "loops": "srcgrad.backends.loops",
    "python": "srcgrad.backends.python",
}


@record(frozen=True)
class BuildOptions:
    """The user's choices about how a program is built, for all targets."""

    cache: bool = True  # cache compiled code on disk
    fastmath: bool | None = None  # see backends/cpu/fastmath.py
    parallel: bool = False  # see passes/loops_in_chunks.py
    deterministic: bool = False  # see backends/cuda/ordered.py; other targets always are

    @property
    def strict(self) -> bool:
        """Whether sums keep the order of the program."""
        return self.fastmath is False


@record(frozen=True, eq=False)
class Executable:
    """An IR function made to run: `run` takes its parameters by position and returns a tuple."""

    run: Callable[..., tuple]
    printed: Callable[[], str]  # the text of what runs, for reading
    # compiles like a first call, and returns whether the cache had it; None: nothing is compiled
    compile: Callable[[], bool] | None = None
    emitted: Callable[[], str] | None = None  # the text that is compiled, with the source lines

    @cached_property
    def source(self) -> str:
        """The text of what runs, printed on demand."""
        return self.printed()

    def __call__(self, *args: Any) -> tuple:
        return self.run(*args)


class Backend(Protocol):
    """A target of `compile`. Attributes with a value here are defaults of subclasses."""

    name: str
    compiler: str = ""  # the compiler of machine code, for `explain`

    def pipeline(self, options: BuildOptions) -> tuple[Pass, ...]:
        """The passes between the program, after all differentiation, and `build`."""
        return ()

    def build(self, function: Function, options: BuildOptions) -> Executable:
        """An executable of the function, which has been through the pipeline."""
        ...

    def settings(self, options: BuildOptions) -> dict[str, str]:
        """The options that `explain` shows, by name: those that have an effect here."""
        return {}


def backend_of(target: str) -> Backend:
    """The backend of this name."""
    return import_module(BACKENDS[checked_target(target)]).BACKEND


def checked_target(target: str) -> str:
    """The name of a target, or a refusal that lists them."""
    if target not in BACKENDS:
        raise ArgumentValueError(f"target must be one of {', '.join(BACKENDS)}, not {target!r}")
    return target
