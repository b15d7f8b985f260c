"""Failures in compiled code as the exceptions NumPy would raise, located in the user's source.

The text of an error has one home: the primitive's implementation is run on the operands.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.backends.cpu.calls import CALLS
from srcgrad.backends.cpu.emit.buffers import ALLOCATIONS
from srcgrad.backends.cpu.failure import Failure
from srcgrad.backends.located import located_error
from srcgrad.ir.nodes import Def, Stmt
from srcgrad.ir.types import np_dtype
from srcgrad.primitives import callbacks

UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def error_of(failure: Failure, sites: Sequence[Stmt]) -> BaseException:
    """The exception for a failure at one of a function's sites."""
    number, *operands = failure.args or callbacks.raised()
    site = sites[number]
    assert isinstance(site, Def)
    if failure.args:
        return located_error(_as_numpy(site, operands), site)
    (error,) = operands  # by a function of Python's: the user's own exceptions stay unchanged
    if site.op in CALLS and isinstance(error, np.linalg.LinAlgError):
        return located_error(error, site)
    return error


def _as_numpy(site: Def, operands: list[Any]) -> Exception:
    call = CALLS.get(site.op)
    if call is not None and call.error:
        text = call.error if isinstance(call.error, str) else call.error(*operands)
        return np.linalg.LinAlgError(text)
    if site.op in ALLOCATIONS:
        if any(n < 0 for n in operands):
            return ValueError("negative dimensions are not allowed")
        return MemoryError(_no_room(site, tuple(operands)))
    flat = [v for o in operands for v in (o if isinstance(o, tuple) else (o,))]
    try:
        site.op.impl(*flat, **site.params)
    except Exception as error:
        return error
    return RuntimeError(f"'{site.op.name}' failed on {flat}")


def _no_room(site: Def, shape: tuple[int, ...]) -> str:
    """NumPy's text for missing memory, without another attempt, which might exhaust it."""
    holder: Any = site.args[0] if site.var is None else site.var
    dtype = np_dtype(holder.type.dtype)
    size, unit = float(math.prod(shape) * dtype.itemsize), 0
    while size >= 1024 and unit < len(UNITS) - 1:
        size, unit = size / 1024, unit + 1
    many = f"{size:#.3g} {UNITS[unit]}"
    return f"Unable to allocate {many} for an array with shape {shape} and data type {dtype}"
