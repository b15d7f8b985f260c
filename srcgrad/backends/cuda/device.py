"""The interface of a device to the programs that run on it: a GPU, or the simulator.

A kernel is a text that names neither: plain functions of Python with `cuda`, `math`, `np` and
`libdevice` in scope, of which one is the kernel and the others are device functions. Never looks at
the program that a kernel was made from.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Protocol

import numpy as np

from srcgrad.errors import Location
from srcgrad.ir.types import Type

Extent = int | tuple[int, ...]  # of a grid or a block: up to three axes, x first


@dataclass(frozen=True)
class KernelText:
    """A kernel and the device functions it calls, as a module without imports or decorators."""

    name: str  # of the kernel's function
    source: str
    parameters: tuple[Type, ...]  # scalars and arrays, in the order of the kernel's parameters
    fastmath: bool = False
    location: Location | None = None  # the user's line that it runs

    def run_in(self, scope: dict[str, Any], tree: ast.Module | None = None) -> None:
        """Defines the functions in a scope; `tree`: those of a changed text instead."""
        file = f"<kernel {self.name}>"
        linecache.cache[file] = (len(self.source), None, self.source.splitlines(True), file)
        exec(compile(tree or self.source, file, "exec"), scope)


class Kernel(Protocol):
    """A kernel that can be launched; the call returns before it has run."""

    def __call__(self, blocks: Extent, threads: Extent, args: Sequence[Any]) -> None: ...


class Device(Protocol):
    """A device that runs kernels, and its arrays."""

    @property
    def xp(self) -> ModuleType:
        """CuPy or NumPy: allocation, products and views of whole arrays."""
        ...

    def load(self, kernels: Sequence[KernelText], keep: bool = True) -> Mapping[str, Kernel]:
        """The kernels of a program by their names, compiled together; `keep`: on disk as well."""
        ...

    def array(self, value: Any) -> Any:
        """An argument as an array of `xp`: of the host, a copy; of the device, the same memory."""
        ...

    def to_host(self, value: Any) -> np.ndarray:
        """A copy of a device array; waits for the kernels that write it."""
        ...
