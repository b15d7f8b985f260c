"""The shape of a launch: its layout, its blocks and the arrays of its trips, by lengths alone.

Never looks at a device, so that the order of additions is that of the lengths.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from srcgrad.backends.cuda.block_kernel import BlockKernel
from srcgrad.backends.cuda.expressions import MOST_THREADS, THREADS, WARP
from srcgrad.backends.cuda.kernel import Kernel
from srcgrad.ir.nodes import Var
from srcgrad.ir.types import np_dtype

BLOCKS = 4224  # at most; a thread, or a block, then runs several trips: docs/benchmarks.md
LONG = 32  # trips: the threads of a block share loops that have at least so many
FEW = 2048  # trips: fewer threads than a device has, where each of them runs one
ROOM = 1 << 30  # bytes for the arrays that trips make: beyond one block, fewer run at once

Size = tuple[int, ...]


@dataclass(frozen=True)
class Shape:
    kernel: Kernel
    blocks: int
    threads: int  # of a block
    rows: list[Size]  # of the memory of each array that trips make


def shape(
    k: Kernel, wide: BlockKernel | None, trips: int, sizes: Sequence[Size], lengths: Sequence[int]
) -> Shape:
    """The shape of a nest's launch by its trips; `wide` is its kernel whose trips are blocks."""
    if wide is None:
        return _of_threads(k, trips, sizes)
    known = dict(zip(wide.layout.lengths.reads, map(int, lengths), strict=True))
    longest = wide.layout.lengths.longest(known)
    if longest >= LONG and (wide.layout.coalesced or trips <= FEW):
        return _of_blocks(wide, trips, sizes, longest)
    return _of_threads(k, trips, sizes)


def _of_threads(k: Kernel, trips: int, sizes: Sequence[Size]) -> Shape:
    room = THREADS * sum(map(_bytes, k.stored, sizes))
    blocks = blocks_of(trips, room)
    return Shape(k, blocks, THREADS, _rows(k, sizes, blocks * THREADS))


def _rows(k: Kernel, sizes: Sequence[Size], threads: int) -> list[Size]:
    """The memory of arrays of each thread: elements that neighbours read are side by side."""
    pairs = zip(k.stored, sizes, strict=True)
    return [(threads, *s) if v in k.reshaped else (*s, threads) for v, s in pairs]


def _of_blocks(k: BlockKernel, trips: int, sizes: Sequence[Size], longest: int) -> Shape:
    """A block per trip, with as many threads as its longest loop has trips, within bounds."""
    threads = min(max(1 << (longest - 1).bit_length(), WARP), MOST_THREADS)
    each = [1 if v in k.of_block else threads for v in k.stored]
    room = sum(n * _bytes(v, s) for n, v, s in zip(each, k.stored, sizes, strict=True))
    blocks = _blocks(trips, room)
    rows = _rows(k, sizes, blocks * threads)
    return Shape(k, blocks, threads, [
        (blocks, *s) if v in k.of_block else row
        for v, s, row in zip(k.stored, sizes, rows, strict=True)
    ])  # fmt: skip


def blocks_of(trips: int, room: int = 0) -> int:
    """The number of blocks for trips that threads run, by the bytes of arrays in a block."""
    return _blocks(-(-trips // THREADS), room)


def _bytes(v: Var, size: Size) -> int:
    return prod(size) * np_dtype(v.type.dtype).itemsize


def _blocks(wanted: int, room: int) -> int:
    """The number of blocks, by the bytes of arrays in each."""
    return min(wanted, BLOCKS, max(ROOM // max(room, 1), 1))
