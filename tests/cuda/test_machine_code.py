"""Every kernel of the programs, and those of rows, become machine code; nothing runs."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends.cuda.device import Kernel, KernelText
from srcgrad.backends.cuda.selection import using
from srcgrad.backends.cuda.toolchain import cubin
from srcgrad.errors import UnsupportedError
from tests.cuda.device_programs import PROGRAMS, Program
from tests.cuda.row_programs import ADDING, ROWS
from tests.tools.turns import share

pytestmark = pytest.mark.usefixtures("quiet")
CAPABILITIES = ((8, 0), (9, 0))


class Collected(Exception):
    """The kernels of a program are known; it need not run."""


@dataclass(eq=False)
class Collecting:
    """A device that runs nothing."""

    kernels: list[KernelText] = field(default_factory=list)
    xp: Any = np

    def load(self, kernels: Sequence[KernelText], keep: bool = True) -> Mapping[str, Kernel]:
        self.kernels.extend(kernels)
        raise Collected

    def array(self, value: Any) -> Any:
        raise AssertionError("kernels are loaded first")

    to_host = array


def kernels_of(call: Any) -> list[KernelText]:
    """The kernels of the first program that a call runs; none where it is refused."""
    device = Collecting()
    with using(device), contextlib.suppress(Collected, UnsupportedError):
        call()
    return device.kernels


def compiles(kernels: list[KernelText], capabilities=CAPABILITIES) -> None:
    for capability in capabilities if kernels else ():
        code = cubin(kernels, capability)
        for kernel in kernels:
            assert f".text.{kernel.name}\0".encode() in code


@pytest.mark.parametrize("program", share(PROGRAMS), ids=lambda p: p.fn.__name__)
def test_programs(program: Program):
    gradient = flow.value_and_grad(program.fn, tuple(program.positions), target="cuda")
    kernels = kernels_of(lambda: gradient(*program.args))
    assert kernels
    compiles(kernels)


@pytest.mark.parametrize("program", share([*ROWS, *ADDING]), ids=lambda p: p.fn.__name__)
def test_rows(program: Program):
    gradient = flow.value_and_grad(program.fn, tuple(program.positions), target="cuda")
    kernels = kernels_of(lambda: gradient(*program.args))
    by_blocks = [k for k in kernels if k.name.endswith("_blocks")]
    assert by_blocks and all("syncthreads" in k.source for k in by_blocks)
    compiles(by_blocks)
