"""The checks of a kernel: a thread that fails records its check, and leaves its trip.

The record is two arrays: of integers (the number of the site plus one, which the first thread to
fail puts there; then operands) and of floats. Later trips and later kernels find it taken and do
nothing. The host makes NumPy's exception of it, at the user's line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from srcgrad.backends.cpu.failure import Failure
from srcgrad.backends.cpu.runtime_errors import error_of
from srcgrad.ir.nodes import Const, Def
from srcgrad.ir.types import Array, is_complex, is_float, np_dtype
from srcgrad.operation import Primitive
from srcgrad.passes.effects import may_raise
from srcgrad.primitives import elementwise, memory

MOST = 8  # operands
RECORD = ("failed", "operands")  # names of the arrays in kernels
TYPES = (Array("i64", (MOST + 1,)), Array("f64", (MOST,)))
Texts = Sequence[str]


def _differ(dims: Texts, split: int, test: str) -> str:
    """Whether some pair of lengths, axis by axis from the last, does not fit by a test."""
    pairs = zip(reversed(dims[:split]), reversed(dims[split:]), strict=False)
    return " or ".join(f"({test.format(m=m, n=n)})" for m, n in pairs) or "False"


def _misfits(dims: Texts, split: int) -> str:
    pairs = list(zip_longest(reversed(dims[:split]), reversed(dims[split:]), fillvalue="1"))
    return " or ".join(f"({n} != 1 and {n} != {m})" for m, n in pairs) or "False"


# the condition of a failure, from the texts of a check's operands
FAILS: dict[Primitive, Callable[[Def, Texts], str]] = {
    memory.index: lambda s, a: f"{a[0]} < -{a[1]} or {a[0]} >= {a[1]}",
    memory.check_range: lambda s, a: (
        f"{a[1]} - {a[0]} >= 0 and not (0 <= {a[0]} <= {a[1]} < {a[2]})"
    ),
    memory.check_equal: lambda s, a: f"{a[0]} != {a[1]}",
    memory.check_broadcast: lambda s, a: _differ(
        a, s.params["split"], "{m} != {n} and {m} != 1 and {n} != 1"
    ),
    memory.check_assign: lambda s, a: _misfits(a, s.params["split"]),
    memory.fail: lambda s, a: "True",
    memory.trips: lambda s, a: f"{a[2]} == 0",
    memory.slice_start: lambda s, a: f"{a[2]} == 0",
    memory.slice_stop: lambda s, a: f"{a[2]} == 0",
    elementwise.pow: lambda s, a: f"{a[1]} < 0",
}


def may_fail(s: Def) -> bool:
    """Whether a thread may fail here; `//` of integers does not: a check before it does."""
    return may_raise(s) and s.op is not elementwise.floordiv


def can_check(s: Def) -> bool:
    """Whether a kernel can do a check, and record its operands."""
    return (
        s.op in FAILS and len(s.args) <= MOST and not any(is_complex(a.type.dtype) for a in s.args)
    )


def written(s: Def, site: int, args: Texts) -> list[str]:
    """The statements of a thread whose check has failed."""
    lines = [f"if cuda.atomic.cas(failed, 0, 0, {site + 1}) == 0:"]
    for k, (a, text) in enumerate(zip(s.args, args, strict=True)):
        if not isinstance(a, Const):
            row = f"operands[{k}]" if is_float(a.type.dtype) else f"failed[{k + 1}]"
            lines.append(f"    {row} = {text}")
    return lines if len(lines) > 1 else [f"cuda.atomic.cas(failed, 0, 0, {site + 1})"]


def error(sites: Sequence[Def], failed: np.ndarray, operands: np.ndarray) -> BaseException | None:
    """The exception of a record; None if nothing failed."""
    if not failed[0]:
        return None
    s = sites[int(failed[0]) - 1]
    return error_of(Failure(int(failed[0]) - 1, *_values(s, failed, operands)), sites)


def _values(s: Def, failed: np.ndarray, operands: np.ndarray) -> list[Any]:
    """The operands as values of the host."""
    out: list[Any] = []
    for k, a in enumerate(s.args):
        if isinstance(a, Const):
            out.append(a.value)
            continue
        given = operands[k] if is_float(a.type.dtype) else failed[k + 1]
        value = np_dtype(a.type.dtype).type(given)
        out.append(value.item() if a.type.weak or a.type.dtype in ("bool", "i64") else value)
    return out
