"""A GPU as a device: CuPy's arrays, kernels loaded and launched by cuda.core.

Kernels are put on CuPy's current stream, after CuPy's own work; only a copy to the host waits for
them. The only module that imports CuPy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from srcgrad.backends.cuda.device import Extent, Kernel, KernelText
from srcgrad.backends.cuda.launch import argument_words
from srcgrad.backends.cuda.machine import machine
from srcgrad.backends.cuda.modules import machine_code
from srcgrad.errors import DeviceError
from srcgrad.ir.types import Type


@dataclass(frozen=True)
class Gpu:
    """The device of this number."""

    index: int
    capability: tuple[int, int]
    xp: ModuleType

    def load(self, kernels: Sequence[KernelText], keep: bool = True) -> Mapping[str, Kernel]:
        if not kernels:
            return {}
        module = _loaded(machine_code(kernels, self.capability, keep))
        stream = self.xp.cuda.get_current_stream
        return {k.name: Launch(module.get_kernel(k.name), k.parameters, stream) for k in kernels}

    def array(self, value: Any) -> Any:
        taken = self._taken(value)
        if taken.device.id != self.index:
            raise DeviceError(
                f"an array is on GPU {taken.device.id}, the current device is {self.index}",
                None,
                f"call inside: with flow.cuda.device({taken.device.id})",
            )
        return taken

    def _taken(self, value: Any) -> Any:
        if isinstance(value, self.xp.ndarray):
            return value
        if isinstance(value, np.ndarray):
            return self.xp.asarray(value)
        # of another library: its stream is waited for on the device, not on the host
        if hasattr(value, "__dlpack__"):
            return self.xp.from_dlpack(value)
        return self.xp.asarray(value)

    def to_host(self, value: Any) -> np.ndarray:
        return self.xp.asnumpy(value)


@cache
def gpu(index: int) -> Gpu:
    """The device of this number, which must exist."""
    machine().check()
    cupy = import_module("cupy")
    digits = cupy.cuda.Device(index).compute_capability
    return Gpu(index, (int(digits[:-1]), int(digits[-1])), cupy)


def current_gpu() -> Gpu:
    """CuPy's current device, its context bound to this thread: a new thread has none."""
    machine().check()
    device = import_module("cupy").cuda.Device()
    device.use()
    return gpu(device.id)


@dataclass(frozen=True)
class Launch:
    """A loaded kernel: its parameters, and the stream that is current when it is launched."""

    kernel: Any
    parameters: tuple[Type, ...]
    stream: Callable[[], Any]

    def __call__(self, blocks: Extent, threads: Extent, args: Sequence[Any]) -> None:
        words = argument_words(self.parameters, args)
        _core().launch(self.stream(), _configuration(blocks, threads), self.kernel, *words)


@cache
def _core() -> ModuleType:
    return import_module("cuda.core")


@lru_cache(maxsize=512)
def _configuration(blocks: Extent, threads: Extent) -> Any:
    return _core().LaunchConfig(grid=blocks, block=threads)


@lru_cache(maxsize=512)
def _loaded(code: bytes) -> Any:
    """A cubin loaded in the process; its kernels keep it loaded."""
    return _core().ObjectCode.from_cubin(code)
