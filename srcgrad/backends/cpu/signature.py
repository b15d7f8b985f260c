"""The Numba types of a function's parameters: the IR's, nothing is inferred from a call."""

from __future__ import annotations

from typing import Any

from srcgrad.errors import UnsupportedError
from srcgrad.ir.nodes import Function
from srcgrad.ir.types import DTYPES, Array, Scalar, Tape, Type

NO_HALF = 'use float32, or target="python"'


def signature(function: Function) -> tuple:
    """One Numba type per parameter."""
    for p in function.params:
        if getattr(p.type, "dtype", "") == "f16":
            raise UnsupportedError(
                f"'{p.name}' is float16, which compiled code does not have", None, NO_HALF
            )
    return tuple(_numba_type(p.type) for p in function.params)


def workspace_type() -> Any:
    """What a function that carves from a workspace takes as its last argument."""
    from numba import types

    return types.Array(types.int64, 1, "C")


def _numba_type(type: Type) -> Any:
    from numba import types

    match type:
        case Scalar(dtype):
            return getattr(types, "boolean" if dtype == "bool" else DTYPES[dtype])
        case Array(dtype, dims, layout):
            scalar = _numba_type(Scalar(dtype))
            return types.Array(scalar, len(dims), "C" if layout == "C" or not dims else "A")
        case Tape(dtype):
            return types.Array(_numba_type(Scalar(dtype)), 1, "C")
    raise UnsupportedError(f"a parameter of type {type} cannot be passed to compiled code")
