"""What a host program calls: launches, and the memory of the device that is current.

The number of blocks of a launch follows from lengths alone, and partial results are combined in
order: sums do not depend on how a device schedules threads. Only atomic additions do. Reading a
number waits for the device.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from srcgrad.backends.cuda import checks, library
from srcgrad.backends.cuda.block_kernel import BlockKernel
from srcgrad.backends.cuda.device import Device
from srcgrad.backends.cuda.device import Kernel as Loaded
from srcgrad.backends.cuda.kernel import Kernel
from srcgrad.backends.cuda.shapes import shape
from srcgrad.ir.nodes import Def
from srcgrad.ir.types import np_dtype
from srcgrad.operation import Primitive
from srcgrad.primitives import memory, tapes
from srcgrad.primitives.tapes import GrowingArray


@dataclass(frozen=True)
class Run:
    """One call of a program: its device, its kernels there, and its record of failures."""

    device: Device
    kernels: Mapping[str, Loaded]
    sites: Sequence[Def]
    record: tuple[Any, ...]

    def check(self) -> None:
        """Raises what failed in a kernel, if anything did."""
        if self.record:
            failed, operands = map(self.device.to_host, self.record)
            found = checks.error(self.sites, failed, operands)
            if found is not None:
                raise found

    def fetched(self, x: Any) -> np.ndarray:
        """A device array on the host, unless a kernel has failed."""
        self.check()
        return self.device.to_host(x)


RUN: ContextVar[Run] = ContextVar("the call of a cuda program that is running")


def begun(device: Device, kernels: Mapping[str, Loaded], sites: Sequence[Def]) -> Run:
    xp = device.xp
    types = checks.TYPES if sites else ()
    record = tuple(xp.zeros(t.dims, np_dtype(t.dtype)) for t in types)
    return Run(device, kernels, sites, record)


# ---- launches ----
def launcher(k: Kernel, wide: BlockKernel | None) -> Callable[..., tuple]:
    """What the host's text calls for a nest: returns what its trips make together."""
    grid, carried = len(k.launch.grid), k.launch.carried
    place_of_reads = 2 * grid + len(carried)
    place_of_sizes = place_of_reads + len(k.reads)
    place_of_lengths = place_of_sizes + len(k.stored)

    def launch(*args: Any) -> tuple:
        run = RUN.get()
        starts, stops = args[0 : 2 * grid : 2], args[1 : 2 * grid : 2]
        trips = [max(int(b) - int(a), 0) for a, b in zip(starts, stops, strict=True)]
        inits = args[2 * grid : place_of_reads]
        total = prod(trips)
        if total == 0:
            return inits
        sizes = [tuple(map(int, size)) for size in args[place_of_sizes:place_of_lengths]]
        form = shape(k, wide, total, sizes, args[place_of_lengths:])
        bounds = [int(v) for pair in zip(starts, trips, strict=True) for v in pair]
        given = [i for i, c in zip(inits, carried, strict=True) if c.first is None]
        reads = [_plain(a) for a in args[place_of_reads:place_of_sizes]]
        xp = run.device.xp
        made = zip(form.rows, k.stored, strict=True)
        rows = [xp.empty(size, np_dtype(v.type.dtype)) for size, v in made]
        parts = [xp.empty(form.blocks, np_dtype(c.param.type.dtype)) for c in k.sums]
        passed = [*bounds, *given, *reads, *rows, *parts, *(run.record if k.can_fail else ())]
        run.kernels[form.kernel.name](form.blocks, form.threads, passed)
        return tuple(_ends(run, k, inits, parts))

    return launch


def _ends(run: Run, k: Kernel, inits: Sequence[Any], parts: list[Any]) -> Iterable[Any]:
    """What the trips made of what they carry."""
    partial = dict(zip(k.sums, map(run.fetched, parts), strict=True))
    for c, init in zip(k.launch.carried, inits, strict=True):
        yield init if c.op is None else c.op.impl(init, c.op.impl.reduce(partial[c]))


def _plain(a: Any) -> Any:
    return a.data if isinstance(a, GrowingArray) else a


# ---- memory ----
def _zeros(*dims: int, dtype: str) -> Any:
    return RUN.get().device.xp.zeros(dims, np_dtype(dtype))


def _empty(*dims: int, dtype: str) -> Any:
    return RUN.get().device.xp.empty(dims, np_dtype(dtype))


def _load(x: Any, *at: int) -> Any:
    return RUN.get().fetched(x[at])[()]


def _tape(size: int, dtype: str, scratch: bool = False) -> GrowingArray:
    return GrowingArray(size, dtype, RUN.get().device.xp.zeros)


def _tape_like(tape: GrowingArray) -> GrowingArray:
    return GrowingArray(len(tape.data), tape.data.dtype, RUN.get().device.xp.zeros)


def library_call(op: Primitive) -> Callable[..., Any]:
    """An operation on whole arrays by the device's library; a number is read by the host."""

    def call(*args: Any, **params: Any) -> Any:
        run = RUN.get()
        out = library.called(op, run.device.xp, *args, **params)
        return run.fetched(out)[()] if getattr(out, "ndim", 1) == 0 else out

    return call


# what there are two of: one of the host's and one of the device's
PLACED: dict[Any, Callable[..., Any]] = {
    memory.zeros: _zeros, memory.empty: _empty, memory.load: _load, tapes.tape: _tape,
    tapes.tape_like: _tape_like,
}  # fmt: skip
