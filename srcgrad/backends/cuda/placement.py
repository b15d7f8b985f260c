"""Placement of a program's arrays on device or host, and the loops that the host may run.

Arrays that a kernel or the library accesses, or that come in or go out, are on the device. Those
that only the host's own statements access, such as tapes of its numbers, are NumPy's. Single
elements of device arrays are read and stored between launches; a loop that does nothing else is
refused.
"""

from __future__ import annotations

from collections.abc import Iterator

from srcgrad.backends.cuda.schedule import Obstacle, Schedule
from srcgrad.errors import UnsupportedError
from srcgrad.ir.nodes import Block, Def, For, Function, Var, While
from srcgrad.ir.types import is_reference
from srcgrad.ir.walk import blocks, results, uses, walk
from srcgrad.passes.effects import makes_buffer
from srcgrad.passes.places import ELEMENTS
from srcgrad.primitives import memory, tapes

WAY_OUT = (
    "write it with array operations, or as a loop over flow.prange if no trip needs another one, or"
    ' use target="cpu"'
)
# the host's operations on single elements, references and lengths
OWN = ELEMENTS | {
    memory.zeros, memory.empty, memory.dim, tapes.tape, tapes.tape_like, tapes.slots, tapes.reserve,
    tapes.reftape, tapes.ref_put,
}  # fmt: skip


class Placement:
    """The alias classes of a function that are on the device."""

    def __init__(self, function: Function, schedule: Schedule):
        self.schedule, self.classes = schedule, schedule.classes
        self.arguments = [p for p in function.params if is_reference(p.type)]
        found = [*function.params, *function.returns, *self._touched(function.body)]
        self.on_device = {
            self.classes.of(v) for v in found if isinstance(v, Var) and is_reference(v.type)
        }

    def is_on_device(self, v: Var) -> bool:
        return self.classes.of(v) in self.on_device

    def is_of_caller(self, v: Var) -> bool:
        """Whether a reference may be memory of an argument."""
        return any(self.classes.of(p) is self.classes.of(v) for p in self.arguments)

    def _touched(self, block: Block) -> Iterator[Var]:
        """The references that kernels and library calls use."""
        for s in block:
            if s in self.schedule.launches:
                yield from (v for t in walk((s,)) for v in uses(t))
            elif isinstance(s, Def) and is_library(s):
                yield from (*uses(s), *results(s))
            for b in blocks(s) if s not in self.schedule.launches else ():
                yield from self._touched(b)

    # ---- loops of the host ----
    def refuse_loops(self, block: Block, around: For | While | None = None) -> None:
        """Refuses a loop over elements of device arrays in which nothing runs on the device."""
        for s in block:
            if s in self.schedule.launches:
                continue
            if isinstance(s, Def):
                if around is not None and s.op in ELEMENTS and self.is_on_device(s.array):
                    self._refuse(around, s)
                continue
            loop = s if isinstance(s, For | While) else around
            if loop is not None and self.runs_on_device(loop):
                loop = None
            for b in blocks(s):
                self.refuse_loops(b, loop)

    def runs_on_device(self, loop: For | While) -> bool:
        """Whether there are launches or library calls in a loop of the host."""
        inner = walk(loop.test + loop.body if isinstance(loop, While) else loop.body)
        return any(
            s in self.schedule.launches or (isinstance(s, Def) and is_library(s)) for s in inner
        )

    def _refuse(self, loop: For | While, s: Def) -> None:
        found = self.schedule.obstacles.get(loop) if isinstance(loop, For) else None
        found = found or Obstacle("a while loop runs one trip after the other", loop.loc)
        place = found.loc or loop.loc or s.loc
        if found.lacking:
            raise UnsupportedError(found.reason, place, 'use target="cpu"')
        text = "a loop over single elements of arrays, which does not run on the device: "
        raise UnsupportedError(text + found.reason, place, WAY_OUT)


def is_library(s: Def) -> bool:
    """Whether a statement of the host works on whole arrays."""
    arrays = any(is_reference(a.type) for a in s.args) or makes_buffer(s)
    return arrays and s.op not in OWN and not s.op.view
