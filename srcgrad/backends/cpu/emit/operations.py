"""The emitter of each operation: one table over all operations of lowered programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.backends.cpu.calls import CALLS
from srcgrad.backends.cpu.emit import (
    buffers,
    external,
    failures,
    fourier,
    halves,
    helpers,
    matrices,
    products,
    views,
)
from srcgrad.backends.cpu.emit.arithmetic import ARITHMETIC
from srcgrad.backends.cpu.emit.comparisons import COMPARISONS
from srcgrad.backends.cpu.emit.conversions import CONVERSIONS
from srcgrad.backends.cpu.emit.functions import FUNCTIONS
from srcgrad.backends.cpu.emit.operands import Emit
from srcgrad.backends.cpu.emit.selections import SELECTIONS
from srcgrad.backends.cpu.emit.special import ERROR_FUNCTIONS, SPECIALS
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.backends.cpu.refusals import NOT_COMPILED
from srcgrad.errors import UnsupportedError
from srcgrad.ir.nodes import Def
from srcgrad.ir.types import Scalar
from srcgrad.primitives import Primitive, arrays, memory, tapes, transforms
from srcgrad.primitives import elementwise as e
from srcgrad.routines.external import extern, extern_of_blas, leaves

# other operations are helpers' (`helpers.py`)
SCALARS: dict[Primitive, Emit] = {
    **ARITHMETIC, **COMPARISONS, **SELECTIONS, **FUNCTIONS, **CONVERSIONS, **SPECIALS,
    **ERROR_FUNCTIONS,
}  # fmt: skip
OPERATIONS: dict[Primitive, Callable[[Writer, Def], Any]] = {
    memory.load: buffers.load,
    memory.store: buffers.store,
    memory.add_at: buffers.add_at,
    memory.dim: buffers.dim,
    tapes.slots: buffers.slots,
    memory.zeros: buffers.array,
    memory.empty: buffers.array,
    tapes.tape: buffers.tape,
    tapes.tape_like: buffers.tape,
    tapes.reserve: buffers.reserve,
    tapes.reftape: buffers.reftape,
    memory.view: views.view,
    memory.transpose: views.transpose,
    memory.reshape: views.reshape,
    tapes.tape_view: views.tape_view,
    tapes.ref_get: views.ref_get,
    tapes.ref_put: views.ref_put,
    memory.index: failures.index,
    memory.trips: failures.trips,
    memory.check_equal: failures.check_equal,
    memory.check_range: failures.check_range,
    memory.check_broadcast: failures.check_broadcast,
    memory.check_assign: failures.check_assign,
    memory.fail: failures.fail,
    extern: external.extern,
    extern_of_blas: external.extern_of_blas,
    leaves: external.leaves,
    **dict.fromkeys(helpers.LIBRARY, helpers.library),
    **dict.fromkeys((arrays.matmul, arrays.matvec, arrays.vecdot), products.product),
    **dict.fromkeys((transforms.fft, transforms.rfft, transforms.irfft), fourier.transform),
    **dict.fromkeys([op for op, c in CALLS.items() if not c.module], matrices.call),
}


def _is_scalar(s: Def) -> bool:
    return s.op in SCALARS or s.op in helpers.SCALAR


def define(w: Writer, s: Def) -> None:
    """The instructions of one definition; an operation without any is refused by name."""
    made = SCALARS.get(s.op)
    if s.op is not e.cast and _is_scalar(s) and any(map(halves.is_half, (s.var, *s.args))):
        value = halves.in_single(w, s, define)
    elif made is not None:
        value = made(w, s)
        if value is None:
            value = helpers.scalar(w, s)
    elif s.op in helpers.SCALAR:
        value = helpers.scalar(w, s)
    elif s.op in OPERATIONS:
        value = OPERATIONS[s.op](w, s)
    else:
        reason = f"'{s.op.name}' has no lowered form on the cpu"
        raise UnsupportedError(reason, s.loc, NOT_COMPILED)
    if s.var is not None:
        assert not isinstance(s.var.type, Scalar) or value is not None
        w.env[s.var] = value
