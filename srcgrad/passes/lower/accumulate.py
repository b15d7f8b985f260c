"""Accumulators of reductions: their dtype, their initial value, how they combine.

NaN wins in an extremum because it does in `maximum` and `minimum`.
"""

from __future__ import annotations

import numpy as np

from srcgrad.ir.nodes import Const
from srcgrad.ir.types import FLOAT, INT, Scalar, is_float, np_dtype
from srcgrad.passes.lower.step import REDUCTIONS, Step
from srcgrad.primitives import elementwise, reductions


def accumulator(step: Step) -> Scalar:
    """The type of an accumulator; float64 for sums of narrow floats, which would lose digits.

    A product of float16 is accumulated in float32, as in NumPy.
    """
    assert step.statement.var is not None
    dtype = step.statement.var.type.dtype
    if dtype in ("f16", "f32") and REDUCTIONS[step.op] is elementwise.add:
        return FLOAT
    if dtype == "f16" and REDUCTIONS[step.op] is elementwise.mul:
        return Scalar("f32")
    return INT if step.op is reductions.count_nonzero else Scalar(dtype)


def start(step: Step, dtype: str) -> Const:
    """The value that changes nothing when combined."""
    type = Scalar(dtype)
    match REDUCTIONS[step.op]:
        case elementwise.add | elementwise.mul as op:
            nothing = int(op is elementwise.mul)
            return Const(float(nothing) if is_float(dtype) else nothing, type)
        case elementwise.logical_or | elementwise.logical_and as op:
            return Const(op is elementwise.logical_and, type)
        case op:
            low = op is elementwise.maximum
    if is_float(dtype):
        return Const(-np.inf if low else np.inf, type)
    if dtype == "bool":
        return Const(not low, type)
    info = np.iinfo(np_dtype(dtype))
    return Const(int(info.min if low else info.max), type)
