"""One call of a program on a device: its kernels there, failures, and reads of the host.

Every read waits for the device. Each fetches the record of failures too, and raises one: the host
never continues with values that a kernel has not computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.backends.cuda import checks
from srcgrad.backends.cuda.device import Device
from srcgrad.backends.cuda.device import Kernel as Loaded
from srcgrad.ir.nodes import Def
from srcgrad.ir.types import np_dtype


class Number:
    """A number in the device's memory: an array without axes. The host reads it once at most."""

    __slots__ = ("cell", "known")

    def __init__(self, cell: Any):
        self.cell = cell
        self.known: Any = None


@dataclass(frozen=True)
class Run:
    """One call: its device, its kernels there, and its record of failures, if any can fail."""

    device: Device
    kernels: Mapping[str, Loaded]
    sites: Sequence[Def]
    memory: tuple[Any, ...]  # of the record: integers, then floats
    record: tuple[Any, ...]  # its two parts, as passed to kernels

    def check(self) -> None:
        """Raises the failure of a kernel, if there is one."""
        self.fetched(())

    def fetched(self, arrays: Iterable[Any]) -> list[np.ndarray]:
        """Copies of small arrays by one read, unless a kernel has failed."""
        whole = [*self.memory, *arrays]
        found = self._copied(whole) if whole else []
        for m in found[: len(self.memory)]:
            failed = checks.error(self.sites, *_parts(m))
            if failed is not None:
                raise failed
        return found[len(self.memory) :]

    def _copied(self, arrays: list[Any]) -> list[np.ndarray]:
        if len(arrays) == 1:
            return [self.device.to_host(arrays[0])]
        flat = [a.reshape(-1).view(np.uint8) for a in arrays]
        there = self.device.to_host(self.device.xp.concatenate(flat))
        ends = np.cumsum([len(a) for a in flat])
        pieces = zip(arrays, np.split(there, ends[:-1]), strict=True)
        return [piece.view(a.dtype).reshape(a.shape) for a, piece in pieces]

    def values(self, found: Sequence[Any]) -> list[Any]:
        """Results with the host's numbers in place of the device's, by one read at most."""
        unknown = {id(n): n for n in found if isinstance(n, Number) and n.known is None}
        cells = [n.cell for n in unknown.values()]
        for n, value in zip(unknown.values(), self.fetched(cells), strict=True):
            n.known = value[()]
        return [n.known if isinstance(n, Number) else n for n in found]

    def cell(self, value: Any, dtype: str) -> Any:
        """The cell where a kernel reads a number: the host's in a first trip, or if none ran."""
        if isinstance(value, Number):
            return value.cell
        return self.device.xp.full((), value, np_dtype(dtype))


def _parts(memory: Any) -> tuple[Any, Any]:
    first = checks.MOST + 1
    return memory[:first], memory[first:].view(np.float64)


RUN: ContextVar[Run] = ContextVar("the call of a cuda program that is running")


def begun(device: Device, kernels: Mapping[str, Loaded], sites: Sequence[Def]) -> Run:
    if not sites:
        return Run(device, kernels, sites, (), ())
    memory = device.xp.zeros(2 * checks.MOST + 1, np.int64)
    return Run(device, kernels, sites, (memory,), _parts(memory))
