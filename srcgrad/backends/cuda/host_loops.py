"""Compiles loops of the host over numbers and memory of its own, as the cpu target does.

Such a loop launches nothing and calls no library. It becomes a function of the numbers, arrays and
tapes that it reads, which the host's program calls; a tape that grows in it comes back grown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from srcgrad.backends.backend import BuildOptions, Executable
from srcgrad.backends.cpu import build as cpu
from srcgrad.backends.cuda.placement import Placement, is_library
from srcgrad.backends.cuda.schedule import Launch
from srcgrad.ir.nodes import Block, Const, Def, For, Function, Loop, Stmt, While
from srcgrad.ir.types import RefTape, Scalar, is_reference
from srcgrad.ir.walk import blocks, free_variables, walk
from srcgrad.primitives import tapes
from srcgrad.records import record

FEW = 32  # trips of a loop without loops in it: they take as long as a call of compiled code


@record(frozen=True)
class HostLoop:
    """A loop as a function of its own: it returns the loop's results, then the tapes that grow."""

    name: str
    function: Function

    def built(self, options: BuildOptions) -> Executable:
        return cpu.build(self.function, options)


def host_loops(
    function: Function, launches: Mapping[For, Launch], placement: Placement, name: str
) -> dict[Stmt, HostLoop]:
    """The outermost loops of the host in which nothing runs on the device."""
    found = _Loops(launches, placement)
    made = enumerate(found.of(function.body))
    return {s: _made(s, f"{name}_host_{k}") for k, s in made}


def _made(s: Loop, name: str) -> HostLoop:
    grows = {t.args[0] for t in walk((s,)) if isinstance(t, Def) and t.op is tapes.reserve}
    params = tuple(free_variables((s,)))
    grown = tuple(v for v in params if v in grows)
    return HostLoop(name, Function(name, params, (s,), (*s.results, *grown)))


class _Loops:
    def __init__(self, launches: Mapping[For, Launch], placement: Placement):
        self.launches, self.placement = launches, placement

    def of(self, block: Block) -> Iterator[Loop]:
        for s in block:
            if isinstance(s, For) and s in self.launches:
                continue
            if isinstance(s, For | While) and self.is_alone(s):
                if not _is_short(s):
                    yield s
                continue
            for b in blocks(s):
                yield from self.of(b)

    def is_alone(self, s: Loop) -> bool:
        """Whether a loop accesses only numbers and memory that only the host has."""
        if any(t in self.launches or (isinstance(t, Def) and is_library(t)) for t in walk((s,))):
            return False
        held = [v for v in free_variables((s,)) if is_reference(v.type)]
        apart = len({self.placement.classes.of(v) for v in held}) == len(held)
        own = not any(self.placement.is_on_device(v) or isinstance(v.type, RefTape) for v in held)
        return apart and own and all(isinstance(r.type, Scalar) for r in s.results)


def _is_short(s: Loop) -> bool:
    """Whether a loop is known to have few trips, which are short."""
    if not isinstance(s, For) or any(isinstance(t, For | While) for t in walk(s.body)):
        return False
    if not (isinstance(s.start, Const) and isinstance(s.stop, Const)):
        return False
    return s.stop.value - s.start.value <= FEW
