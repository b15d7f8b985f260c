"""The backend `cuda`: loops with independent trips become kernels, the host runs the rest.

`schedule` chooses the loops, `kernel` writes their texts, `host` the program around them. Never
compiles: the device does, when a program is first run on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from srcgrad import interrupts
from srcgrad.backends import python
from srcgrad.backends.backend import Backend, BuildOptions, Executable
from srcgrad.backends.cpu.readonly import Stores
from srcgrad.backends.cpu.refusals import refuse
from srcgrad.backends.cuda import checks, launching, library
from srcgrad.backends.cuda.arrays import Arguments
from srcgrad.backends.cuda.block_kernel import BlockKernel
from srcgrad.backends.cuda.device import Device
from srcgrad.backends.cuda.device import Kernel as Loaded
from srcgrad.backends.cuda.expressions import is_written
from srcgrad.backends.cuda.finish import finishing
from srcgrad.backends.cuda.host import host_text
from srcgrad.backends.cuda.host_loops import host_loops
from srcgrad.backends.cuda.kernel import Kernel
from srcgrad.backends.cuda.number_kernels import with_number_kernels
from srcgrad.backends.cuda.numbers import Numbers
from srcgrad.backends.cuda.ordered import adding
from srcgrad.backends.cuda.placement import Placement, is_library
from srcgrad.backends.cuda.run import RUN, begun
from srcgrad.backends.cuda.schedule import Schedule
from srcgrad.backends.cuda.selection import current
from srcgrad.backends.cuda.spread import by_block
from srcgrad.ir.alias import alias_classes
from srcgrad.ir.nodes import Block, Def, Function
from srcgrad.ir.text import Printed, identifier, stacked
from srcgrad.ir.types import Array
from srcgrad.ir.walk import blocks
from srcgrad.passes.pipeline import Pass, lowering_for_devices


class Cuda(Backend):
    name = "cuda"

    def pipeline(self, options: BuildOptions) -> tuple[Pass, ...]:
        return lowering_for_devices(frozenset(library.LIBRARY), options.strict)

    def build(self, function: Function, options: BuildOptions) -> Executable:
        program = Program(function, options)
        return Executable(program.run, program.printed)


BACKEND: Backend = Cuda()


def schedule_of(function: Function, options: BuildOptions) -> Schedule:
    """The loops of a lowered function that become kernels."""
    return Schedule(function, _in_kernels, options.deterministic)


class Program:
    """A function as kernels and the host's program around them."""

    def __init__(self, function: Function, options: BuildOptions):
        refuse(function, halves=False)
        self.function = function
        schedule = schedule_of(function, options)
        placement = Placement(function, schedule)
        placement.refuse_loops(function.body)
        self._refuse_library(function.body, schedule)
        numbers = Numbers(function, placement, _in_kernels)
        body, launches = with_number_kernels(function, numbers)
        can_fail = any(launch.raises for launch in launches.values())
        name = identifier(function.name)
        kernels = {
            s: Kernel(f"{name}_{k}", launch, can_fail, numbers.on_device)
            for k, (s, launch) in enumerate(launches.items())
        }
        self.sites: list[Def] = []
        wide = {
            s: BlockKernel(
                f"{k.name}_blocks", layout.launch, can_fail, k.on_device, layout,
                schedule.classes, k,
            )
            for s, k in kernels.items()
            if (layout := by_block(schedule, k.launch, k.on_device)) is not None
        }  # fmt: skip
        fastmath = bool(options.fastmath)
        texts = [*kernels.values(), *wide.values()]
        modules = [k.printed(self.sites) for k in texts]
        self.texts = [k.text(m, fastmath) for k, m in zip(texts, modules, strict=True)]
        finished = [finishing(k, fastmath) for k in kernels.values() if k.sums]
        finished += [adding(a.target.type, can_fail) for k in launches.values() for a in k.ordered]
        finished = list({t.name: t for t in finished}.values())
        self.texts += finished
        loops = host_loops(body, launches, placement, name)
        self.host = host_text(body, kernels, wide, numbers, loops)
        self.shown = [*modules, *(Printed(t.name, t.source, ()) for t in finished), self.host]
        scope = python.namespace() | launching.ASKING
        scope |= {f"device_{op.name}": f for op, f in launching.PLACED.items()}
        scope |= {op.name: launching.library_call(op) for op in library.LIBRARY}
        scope |= {k.name: launching.launcher(k, wide.get(s)) for s, k in kernels.items()}
        scope |= {k.name: k.built(options).run for k in loops.values()}
        self.call = python.running(function, self.host, scope)
        self.loaded: dict[Device, Mapping[str, Loaded]] = {}
        self.keep = options.cache
        self.written, self.stores = _written(function), Stores(function)

    def _refuse_library(self, block: Block, schedule: Schedule) -> None:
        for s in block:
            if isinstance(s, Def) and is_library(s):
                library.refuse(s)
            for b in blocks(s) if s not in schedule.launches else ():
                self._refuse_library(b, schedule)

    def printed(self) -> Printed:
        return stacked(self.host.name, self.shown)

    def run(self, *args: Any) -> tuple:
        self.stores.refuse(args)
        device = current()
        state = begun(device, self.kernels_on(device), self.sites)
        token = RUN.set(state)
        try:
            given = Arguments(device, args)
            try:
                out = self.call(*given.values)
            except BaseException:
                state.check()  # the first failure
                raise
            return given.leave(state.values(out), self.written)
        finally:
            RUN.reset(token)

    def kernels_on(self, device: Device) -> Mapping[str, Loaded]:
        """The kernels, compiled when a device first runs them."""
        if device not in self.loaded:
            with interrupts.held():
                self.loaded[device] = device.load(self.texts, self.keep)
        return self.loaded[device]


def _written(function: Function) -> list[int]:
    """The positions of the arrays that a function stores to."""
    classes = alias_classes(function)
    return [
        k
        for k, p in enumerate(function.params)
        if isinstance(p.type, Array) and classes.of(p) in classes.written
    ]


def _in_kernels(s: Def) -> bool:
    """Whether a statement can be written in a kernel, and so can its check."""
    if checks.may_fail(s) and not checks.can_check(s):
        return False
    return s.var is None or is_written(s)
