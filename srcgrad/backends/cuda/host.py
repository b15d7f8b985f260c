"""The host program: the text of a lowered function with launches in place of its kernels.

It runs as the reference backend runs a text: checks, lengths and loops around kernels are Python,
with NumPy's numbers; whole arrays are passed to the library of the device. A number that is on the
device is passed on unread, and read where the host computes with it.
"""

from __future__ import annotations

from collections.abc import Mapping

from srcgrad.backends.cuda.block_kernel import BlockKernel
from srcgrad.backends.cuda.host_loops import HostLoop
from srcgrad.backends.cuda.kernel import Kernel
from srcgrad.backends.cuda.launching import ASKING, PLACED
from srcgrad.backends.cuda.numbers import Numbers
from srcgrad.backends.cuda.placement import is_library
from srcgrad.ir.nodes import Atom, Def, For, Function, Stmt, Var
from srcgrad.ir.text import Printed, Printer
from srcgrad.ir.types import Tape
from srcgrad.ir.walk import walk
from srcgrad.primitives import REGISTRY, memory, messages


def host_text(
    f: Function,
    kernels: dict[For, Kernel],
    wide: dict[For, BlockKernel],
    numbers: Numbers,
    loops: Mapping[Stmt, HostLoop],
) -> Printed:
    """The text that the host runs for a function."""
    return _HostPrinter(kernels, wide, numbers, loops).printed(f)


class _HostPrinter(Printer):
    def __init__(
        self,
        kernels: dict[For, Kernel],
        wide: dict[For, BlockKernel],
        numbers: Numbers,
        loops: Mapping[Stmt, HostLoop],
    ):
        names = {f"device_{op.name}" for op in PLACED}
        names |= {k.name for k in (*kernels.values(), *loops.values())}
        super().__init__({*REGISTRY, *names, *ASKING})
        self.loops = loops
        self.kernels, self.wide, self.on_device = kernels, wide, numbers.on_device
        self.placement = numbers.placement

    def operand(self, a: Atom | int) -> str:
        return f"read({self.atom(a)})" if a in self.on_device else self.atom(a)

    def handed(self, v: Var, a: Atom) -> str:
        return self.atom(a) if v in self.on_device else self.operand(a)

    def statement(self, s: Stmt, depth: int) -> None:
        kernel = self.kernels.get(s) if isinstance(s, For) else None
        if kernel is not None:
            self.line(depth, self.launch(kernel), s, note=True)
            return
        if s in self.loops:
            self.compiled(self.loops[s], s, depth)
            return
        if isinstance(s, Def) and self.is_seen(s):
            self.line(depth, "look()", s)
        super().statement(s, depth)

    def compiled(self, loop: HostLoop, s: Stmt, depth: int) -> None:
        """Writes the call of a loop that is compiled."""
        if any(isinstance(t, Def) and self.is_seen(t) for t in walk((s,))):
            self.line(depth, "look()", s)
        given = [self.contents(v) or self.operand(v) for v in loop.function.params]
        made = [self.contents(a) or self.atom(a) for a in loop.function.returns]
        call = f"{loop.name}({', '.join(given)})"
        self.line(depth, f"{', '.join(made)}, = {call}" if made else call, s, note=True)

    def contents(self, a: Atom) -> str:
        """The expression of a tape's data, as compiled code takes it; empty for anything else."""
        return f"{self.atom(a)}.data" if isinstance(a.type, Tape) else ""

    def is_seen(self, s: Def) -> bool:
        """Whether the caller sees the effect of a statement, also if the call fails."""
        stores = is_library(s) and s.op.writes
        return s.op in messages.WRITTEN or (stores and self.placement.is_of_caller(s.array))

    def launch(self, k: Kernel) -> str:
        bounds = [self.operand(a) for s in k.launch.grid for a in (s.start, s.stop)]
        given = [self.atom(a) for a in (*(c.init for c in k.launch.carried), *k.reads)]
        sizes = [f"({', '.join(map(self.operand, v.type.dims))},)" for v in k.stored]
        counts = [f"({a.count(self.operand)},)" for a in k.launch.ordered]
        wide = self.wide.get(k.launch.loop)
        lengths = map(self.operand, wide.layout.lengths.reads if wide else ())
        call = f"{k.name}({', '.join([*bounds, *given, *sizes, *counts, *lengths])})"
        results = [
            self.names[v] for v in (*(c.result for c in k.launch.carried), *k.launch.numbers)
        ]
        return f"{', '.join(results)}, = {call}" if results else call

    def call(self, s: Def) -> str:
        text = super().call(s)
        if s.var is not None and s.var in self.on_device and is_library(s):
            return f"number({text}, {s.var.type.dtype!r})"
        if s.op not in PLACED:
            return text
        placed = s.array if s.op is memory.load else s.var
        assert placed is not None
        return f"device_{text}" if self.placement.is_on_device(placed) else text
