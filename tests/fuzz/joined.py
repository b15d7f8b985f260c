"""Programs as a device gets them, neighbouring loops joined, run by the backend `loops`.

What is between the passes for a device and its kernels, without kernels: exact, and quick enough
for many programs.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from unittest.mock import patch

from srcgrad.backends.backend import BuildOptions
from srcgrad.backends.loops import Loops
from srcgrad.ir.nodes import For, Function
from srcgrad.ir.walk import walk
from srcgrad.passes.pipeline import JOIN_LOOPS, Pass, lowering_for_devices
from srcgrad.transforms import reuse


class Joined:
    """What the passes for a device have made."""

    def __init__(self) -> None:
        self.joined = 0  # loops that are part of another one
        self.made: list[Function] = []

    def pipeline(self, backend: Loops, options: BuildOptions) -> tuple[Pass, ...]:
        *passes, last = lowering_for_devices(frozenset(), options.strict)
        counted = (self.counted(p) if p.name == JOIN_LOOPS.name else p for p in passes)
        return (*counted, replace(last, run=lambda f: self.keep(last.run(f))))

    def counted(self, step: Pass) -> Pass:
        def run(function: Function) -> Function:
            new = step.run(function)
            self.joined += loops(function) - loops(new)
            return new

        return replace(step, run=run)

    def keep(self, function: Function) -> Function:
        self.made.append(function)
        return function

    @property
    def outermost(self) -> int:
        """How many loops of the last program are in no other one."""
        return sum(isinstance(s, For) for s in self.made[-1].body)


def loops(function: Function) -> int:
    return sum(isinstance(s, For) for s in walk(function.body))


@contextmanager
def joined() -> Iterator[Joined]:
    """Compile for `loops` in the body with the passes for a device."""
    counts = Joined()
    reuse.forget()
    with patch.object(Loops, "pipeline", lambda *args: counts.pipeline(*args)):
        yield counts
    reuse.forget()
