"""Functions that a host program calls: launches, and memory of the current device.

The number of blocks of a launch follows from lengths alone, and partial results are combined in
order: sums do not depend on how a device schedules threads. Only atomic additions do. Nothing here
waits for the device but `read` and the load of an element that the host needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import prod
from typing import Any

import numpy as np

from srcgrad.backends.cuda import library
from srcgrad.backends.cuda.block_kernel import BlockKernel
from srcgrad.backends.cuda.expressions import THREADS
from srcgrad.backends.cuda.finish import finish_name
from srcgrad.backends.cuda.kernel import Kernel
from srcgrad.backends.cuda.ordered import Addition, adding_name
from srcgrad.backends.cuda.run import RUN, Number, Run
from srcgrad.backends.cuda.schedule import Carried
from srcgrad.backends.cuda.shapes import blocks_of, shape
from srcgrad.ir.nodes import Var
from srcgrad.ir.types import np_dtype
from srcgrad.operation import Primitive
from srcgrad.primitives import memory, tapes
from srcgrad.primitives.tapes import GrowingArray, growing


# ---- launches ----
def launcher(k: Kernel, wide: BlockKernel | None) -> Callable[..., tuple]:
    """The function that the host's text calls for a nest: returns its trips' combined results."""
    grid, carried = len(k.launch.grid), k.launch.carried
    place_of_reads = 2 * grid + len(carried)
    place_of_sizes = place_of_reads + len(k.reads)
    place_of_counts = place_of_sizes + len(k.stored)
    place_of_lengths = place_of_counts + len(k.launch.ordered)

    def launch(*args: Any) -> tuple:
        run = RUN.get()
        starts, stops = args[0 : 2 * grid : 2], args[1 : 2 * grid : 2]
        trips = [max(int(b) - int(a), 0) for a, b in zip(starts, stops, strict=True)]
        inits = args[2 * grid : place_of_reads]
        total = prod(trips)
        if total == 0:
            return inits
        sizes = [tuple(map(int, size)) for size in args[place_of_sizes:place_of_counts]]
        form = shape(k, wide, total, sizes, args[place_of_lengths:])
        bounds = [int(v) for pair in zip(starts, trips, strict=True) for v in pair]
        given = [i for i, c in zip(inits, carried, strict=True) if c.first is None]
        given += args[place_of_reads:place_of_sizes]
        passed = [_passed(run, k, v, a) for v, a in zip(k.given, given, strict=True)]
        xp = run.device.xp
        stored = zip(form.rows, k.stored, strict=True)
        rows = [xp.empty(size, np_dtype(v.type.dtype)) for size, v in stored]
        parts = [xp.empty(form.blocks, np_dtype(c.param.type.dtype)) for c in k.sums]
        made = [_cell(run, v) for v in k.launch.numbers]
        record = run.record if k.can_fail else ()
        counts = zip(args[place_of_counts:place_of_lengths], k.launch.ordered, strict=True)
        left = [_left(xp, total, int(n), a) for (n,), a in counts]
        outs = [*rows, *parts, *made, *(v for pair in left for v in pair), *record]
        run.kernels[form.kernel.name](form.blocks, form.threads, [*bounds, *passed, *outs])
        for a, pair in zip(k.launch.ordered, left, strict=True):
            _add(run, k, pair, a, passed[k.given.index(a.target)])
        return (*_ends(run, k, inits, parts), *map(Number, made))

    return launch


# ---- additions in order ----
def _left(xp: Any, trips: int, count: int, a: Addition) -> tuple[Any, Any]:
    """Memory for the summands of trips, and their places; initially none."""
    return xp.full((trips, count), -1, np.int64), xp.empty((trips, count), np_dtype(a.dtype))


def _add(run: Run, k: Kernel, left: tuple[Any, Any], a: Addition, x: Any) -> None:
    """Adds the summands of trips to an array."""
    places, values = (part.reshape(-1) for part in left)
    if places.size:
        order = run.device.xp.argsort(places, kind="stable")
        record = run.record[:1] if k.can_fail else ()
        kernel = run.kernels[adding_name(a.target.type, k.can_fail)]
        kernel(blocks_of(places.size), THREADS, [order, places, values, x, *record])


# ---- numbers ----
def _cell(run: Run, v: Var) -> Any:
    return run.device.xp.empty((), np_dtype(v.type.dtype))


def _passed(run: Run, k: Kernel, v: Var, a: Any) -> Any:
    """An argument of a kernel in the form of its parameter."""
    if v in k.cells:
        return run.cell(a, v.type.dtype)
    return a.data if isinstance(a, GrowingArray) else a


def _ends(run: Run, k: Kernel, inits: Sequence[Any], parts: Sequence[Any]) -> Iterable[Any]:
    """The final values of what trips carry: partial results are combined on the device."""
    sums = [_cell(run, c.param) for c in k.sums]
    if sums:
        before = [i for i, c in zip(inits, k.launch.carried, strict=True) if c.op is not None]
        before = [_before(run, k, c, i) for c, i in zip(k.sums, before, strict=True)]
        args = [a for one in zip(before, parts, sums, strict=True) for a in one]
        run.kernels[finish_name(k)](1, THREADS, args)
    made = map(Number, sums)
    return [i if c.op is None else next(made) for i, c in zip(inits, k.launch.carried, strict=True)]


def _before(run: Run, k: Kernel, c: Carried, init: Any) -> Any:
    return run.cell(init, c.param.type.dtype) if c.init in k.on_device else init


# ---- memory ----
def _zeros(*dims: int, dtype: str) -> Any:
    return RUN.get().device.xp.zeros(dims, np_dtype(dtype))


def _empty(*dims: int, dtype: str) -> Any:
    return RUN.get().device.xp.empty(dims, np_dtype(dtype))


def _load(x: Any, *at: int) -> Any:
    return RUN.get().fetched([x[(*at, ...)]])[0][()]


def _tape(size: int, dtype: str, scratch: bool = False) -> GrowingArray:
    return growing(size, dtype, RUN.get().device.xp.zeros)


def _tape_like(tape: GrowingArray) -> GrowingArray:
    return growing(len(tape.data), tape.data.dtype, RUN.get().device.xp.zeros)


# ---- queries of the host to the device ----
def read(value: Any) -> Any:
    """A number as a value of the host."""
    (number,) = RUN.get().values([value])
    return number


def look() -> None:
    """Raises failures of kernels, before the host does something irreversible."""
    RUN.get().check()


def library_call(op: Primitive) -> Callable[..., Any]:
    """An operation on whole arrays by the device's library; a number of it stays there."""

    def call(*args: Any, **params: Any) -> Any:
        return library.called(op, RUN.get().device.xp, *args, **params)

    return call


def number(found: Any, dtype: str) -> Number:
    """A number that an operation of the library returned."""
    return Number(RUN.get().device.xp.asarray(found, np_dtype(dtype)))


# operations with two versions: one of the host's and one of the device's
PLACED: dict[Any, Callable[..., Any]] = {
    memory.zeros: _zeros, memory.empty: _empty, memory.load: _load, tapes.tape: _tape,
    tapes.tape_like: _tape_like,
}  # fmt: skip
# by their names in the host's text
ASKING: dict[str, Callable[..., Any]] = {"read": read, "look": look, "number": number}
