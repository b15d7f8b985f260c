"""What tests of the target cuda share: orders of threads, how near results are, users' lines."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srcgrad.backends.cuda.device import Kernel, KernelText
from srcgrad.backends.cuda.simulator import Simulator
from tests.tools.structures import flatten

ORDERS = ("forward", "backward", 0)


def named(parameter: Any) -> str:
    """A name of a parameter of a test: a program's, or an order."""
    return parameter.fn.__name__ if hasattr(parameter, "fn") else str(parameter)


def near(got: Any, want: Any) -> None:
    """Results agree to 1e-12 of the largest number."""
    got, want = flatten(got), flatten(want)
    assert np.max(np.abs(got - want), initial=0.0) <= 1e-12 * np.max(np.abs(want), initial=1.0)


def at(fn: Callable, text: str) -> int:
    """The number of the first line of a function that has this text."""
    lines, first = inspect.getsourcelines(fn)
    return first + next(k for k, line in enumerate(lines) if text in line)


@dataclass(frozen=True, eq=False)
class Watched(Simulator):
    """The simulator with what was launched: names of kernels, blocks, threads of a block."""

    launched: list[tuple[str, Any, Any]] = field(default_factory=list)

    def load(self, kernels: Sequence[KernelText], keep: bool = True) -> Mapping[str, Kernel]:
        found = super().load(kernels, keep)
        return {name: self._watched(name, kernel) for name, kernel in found.items()}

    def _watched(self, name: str, kernel: Kernel) -> Kernel:
        def run(blocks: Any, threads: Any, args: Sequence[Any]) -> None:
            self.launched.append((name, blocks, threads))
            kernel(blocks, threads, args)

        return run
