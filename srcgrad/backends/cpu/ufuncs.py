"""The inner loops of NumPy's universal functions, called by symbols of srcgrad.

A loop is a function of C: it takes the addresses of the operands, their number, the steps between
them, and data of its own, and it keeps no state.
"""

from __future__ import annotations

import ctypes

import numpy as np

from srcgrad.errors import CompilerError

LETTERS = {"c64": "F", "c128": "D"}  # NumPy's of dtypes in the signatures of loops


class _Ufunc(ctypes.Structure):
    """The first fields of `PyUFuncObject`, after those of each object (NumPy's C API)."""

    _fields_ = (
        ("nin", ctypes.c_int),
        ("nout", ctypes.c_int),
        ("nargs", ctypes.c_int),
        ("identity", ctypes.c_int),
        ("functions", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.POINTER(ctypes.c_void_p)),
        ("ntypes", ctypes.c_int),
    )


def addresses(name: str, letter: str) -> tuple[int, int]:
    """The loop of a function whose operands and result have one dtype, and the loop's data."""
    ufunc = getattr(np, name)
    head = _Ufunc.from_address(id(ufunc) + object.__basicsize__)
    types = f"{letter * ufunc.nin}->{letter}"
    if (head.nin, head.nout, head.ntypes) != (ufunc.nin, 1, ufunc.ntypes):
        raise CompilerError(
            f"the layout of numpy.{name} is not that of NumPy 2",
            None,
            "install a NumPy that this version of srcgrad names in its requirements",
        )
    k = ufunc.types.index(types)
    return head.functions[k] or 0, (head.data[k] or 0) if head.data else 0
