"""The LLVM options of srcgrad's compilations: set while these run, then restored.

LLVM hoists the test that two arrays do not overlap out of an enclosing loop; where that loop runs
downwards through memory (a reverse sweep over saved rows does) the hoisted test always fails and
the vectorised loop is never taken. Measured on a stencil's adjoint: 7 times slower.

Where a step through memory is known at run time only (`x[j, 0]` of a row-major `x`), LLVM bets on
a step of 1 and vectorises for that case alone. Measured on 64 bodies whose positions are rows of
three, with the pass `pack_columns` off: 3 times slower. The bet pays for arguments that are not
contiguous.

Loop strength reduction looks for the cheapest induction variables of each loop. It is left out: it
took a third of the time of code generation, for code that runs no faster
(docs/decisions/first_calls.md).

Instructions are scheduled before registers are allocated. On some processors (those of AMD) LLVM
schedules them again afterwards, which took up to a quarter of the time of code generation; the
processor itself reorders as much.

No option changes a result.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from srcgrad.ir.nodes import Function
from srcgrad.ir.types import Array

# the releases of LLVM known to have the options: an unknown one would end the process
KNOWN = range(20, 23)
# srcgrad's values, and LLVM's defaults
HOIST = ("-hoist-runtime-checks", "false", "true")
BET = ("-enable-mem-access-versioning", "false", "true")
REDUCTION = ("-disable-lsr", "true", "false")
SCHEDULING = ("-disable-post-ra", "true", "false")


@contextmanager
def options(function: Function) -> Iterator[None]:
    """Sets srcgrad's options of LLVM for what is compiled within the `with` block."""
    import llvmlite.binding as llvm

    if llvm.llvm_version_info[0] not in KNOWN:
        yield
        return
    strided = any(isinstance(p.type, Array) and p.type.layout == "S" for p in function.params)
    chosen = (HOIST, REDUCTION, SCHEDULING, *(() if strided else (BET,)))
    for name, ours, _ in chosen:
        llvm.set_option("srcgrad", f"{name}={ours}")
    try:
        yield
    finally:
        for name, _, default in chosen:
            llvm.set_option("srcgrad", f"{name}={default}")
