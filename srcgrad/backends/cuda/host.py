"""The host program: the text of a lowered function with launches in the place of its kernels.

It runs as the reference backend runs a text: checks, lengths and loops around kernels are Python,
with NumPy's numbers; whole arrays are handed to the library of the device.
"""

from __future__ import annotations

from srcgrad.backends.cuda.block_kernel import BlockKernel
from srcgrad.backends.cuda.kernel import Kernel
from srcgrad.backends.cuda.launching import PLACED
from srcgrad.backends.cuda.placement import Placement
from srcgrad.ir.nodes import Def, For, Function, Stmt
from srcgrad.ir.text import Printed, Printer
from srcgrad.primitives import REGISTRY, memory


def host_text(
    f: Function, kernels: dict[For, Kernel], wide: dict[For, BlockKernel], placement: Placement
) -> Printed:
    """The function as the text that the host runs."""
    return _HostPrinter(kernels, wide, placement).printed(f)


class _HostPrinter(Printer):
    def __init__(
        self, kernels: dict[For, Kernel], wide: dict[For, BlockKernel], placement: Placement
    ):
        names = {f"device_{op.name}" for op in PLACED} | {k.name for k in kernels.values()}
        super().__init__({*REGISTRY, *names})
        self.kernels, self.wide, self.placement = kernels, wide, placement

    def statement(self, s: Stmt, depth: int) -> None:
        kernel = self.kernels.get(s) if isinstance(s, For) else None
        if kernel is None:
            super().statement(s, depth)
        else:
            self.line(depth, self.launch(kernel), s, note=True)

    def launch(self, k: Kernel) -> str:
        g = k.launch.grid
        atoms = [a for s in g for a in (s.start, s.stop)]
        atoms += [c.init for c in k.launch.carried]
        sizes = [f"({', '.join(map(self.atom, v.type.dims))},)" for v in k.stored]
        wide = self.wide.get(k.launch.loop)
        lengths = map(self.atom, wide.layout.lengths.reads if wide else ())
        call = f"{k.name}({', '.join([*map(self.atom, (*atoms, *k.reads)), *sizes, *lengths])})"
        results = [self.names[c.result] for c in k.launch.carried]
        return f"{', '.join(results)}, = {call}" if results else call

    def call(self, s: Def) -> str:
        text = super().call(s)
        if s.op not in PLACED:
            return text
        placed = s.array if s.op is memory.load else s.var
        assert placed is not None
        return f"device_{text}" if self.placement.is_on_device(placed) else text
