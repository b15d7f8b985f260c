"""The kernel that combines the partial results of a launch's blocks, and the initial values.

One block: each thread takes every so many partial results in order, then the threads' values go
through the tree of a block. So a sum depends on the number of blocks only.
"""

from __future__ import annotations

from collections.abc import Iterator

from srcgrad.backends.cpu.text.expressions import named_dtype
from srcgrad.backends.cuda.device import KernelText
from srcgrad.backends.cuda.expressions import THREADS, block_function, called_by, combined
from srcgrad.backends.cuda.kernel import Kernel
from srcgrad.backends.cuda.schedule import Carried
from srcgrad.ir.types import Array, Type


def finish_name(k: Kernel) -> str:
    """The name of the kernel: launches with the same combinations share it."""
    return "_".join(["finish", *(_operation(c) + "_cell" * _is_there(k, c) for c in k.sums)])


def finishing(k: Kernel, fastmath: bool) -> KernelText:
    """The kernel of the values a launch combines: initial value, partial results, sum of each."""
    trees = dict(block_function(c.op, c.param) for c in k.sums if c.op is not None)
    lines = [
        f"def {finish_name(k)}({', '.join(_names(len(k.sums)))}):",
        "    place = cuda.threadIdx.x",
        *(line for n, c in enumerate(k.sums) for line in _of_one(n, c, _is_there(k, c))),
    ]
    body = "\n".join(lines) + "\n"
    texts = [*called_by(body + "".join(trees.values())), *trees.values(), body]
    return KernelText(finish_name(k), "\n\n".join(texts), tuple(_parameters(k)), fastmath)


def _is_there(k: Kernel, c: Carried) -> bool:
    """Whether the initial value is on the device."""
    return c.init in k.on_device


def _operation(c: Carried) -> str:
    assert c.op is not None
    return f"{c.op.name}_{c.param.type.dtype}"


def _names(sums: int) -> Iterator[str]:
    for n in range(sums):
        yield from (f"init{n}", f"parts{n}", f"sum{n}")


def _parameters(k: Kernel) -> Iterator[Type]:
    for c, parts in zip(k.sums, k.partials, strict=True):
        cell = Array(c.param.type.dtype, ())
        yield from (cell if _is_there(k, c) else c.param.type, parts.type, cell)


def _of_one(n: int, c: Carried, there: bool) -> list[str]:
    assert c.op is not None
    init = f"init{n}[()]" if there else f"init{n}"
    first = init if c.first is None else f"{named_dtype(c.param.type.dtype)}({c.first})"
    return [
        f"    value{n} = {first}",
        f"    at{n} = place",
        f"    while at{n} < parts{n}.size:",
        f"        value{n} = {combined(c.op, c.param, f'value{n}', f'parts{n}[at{n}]')}",
        f"        at{n} += {THREADS}",
        f"    value{n} = {block_function(c.op, c.param)[0]}(value{n})",
        "    if place == 0:",
        f"        sum{n}[()] = {combined(c.op, c.param, init, f'value{n}')}",
    ]
