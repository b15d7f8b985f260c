"""Failures in compiled code as the exceptions NumPy would raise, located in the user's source.

The text of an error has one home: the primitive's implementation is run on the operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.backends.cpu.calls import CALLS
from srcgrad.backends.cpu.emit.buffers import ALLOCATIONS
from srcgrad.backends.cpu.failure import Failure
from srcgrad.backends.located import located_error
from srcgrad.ir.nodes import Def, Stmt
from srcgrad.ir.types import Tape, np_dtype
from srcgrad.memory_limit import above_limit
from srcgrad.primitives import callbacks
from srcgrad.primitives.tapes import unable


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
        shape, reason = tuple(operands), ""
        holder = site.args[0] if site.var is None else site.var
        if isinstance(holder.type, Tape) and len(shape) > 1:
            shape, reason = shape[:1], above_limit(shape[1])
        return MemoryError(unable(shape, np_dtype(holder.type.dtype), reason))
    flat = [v for o in operands for v in (o if isinstance(o, tuple) else (o,))]
    try:
        site.op.impl(*flat, **site.params)
    except Exception as error:
        return error
    return RuntimeError(f"'{site.op.name}' failed on {flat}")
