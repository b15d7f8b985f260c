"""The inner loops of NumPy's universal functions, called by symbols of srcgrad.

A loop is a function of C: it takes the addresses of the operands, their number, the steps between
them, and data of its own, and it keeps no state. That of a Fourier transform takes the lengths and
the steps of its axis as well, and reports missing memory as an exception.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from srcgrad.errors import CompilerError

LETTERS = {"c64": "F", "c128": "D"}  # NumPy's of dtypes in the signatures of loops
FLOATS = {"F": "f", "D": "d"}
# of an operand, a factor and a result, by their kinds
TRANSFORMS = {"fft": "cf->c", "ifft": "cf->c", "irfft": "cf->f",
              "rfft_n_even": "ff->c", "rfft_n_odd": "ff->c"}  # fmt: skip


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
    return _addresses(ufunc, f"{letter * ufunc.nin}->{letter}")


def addresses_of_transform(name: str, letter: str) -> tuple[int, int]:
    """The loop of a Fourier transform, by the letter of its complex numbers."""
    from numpy.fft import _pocketfft_umath as loops  # type: ignore[attr-defined]  (without stubs)

    types = TRANSFORMS[name].replace("c", letter).replace("f", FLOATS[letter])
    return _addresses(getattr(loops, name), types)


def _addresses(ufunc: Any, types: str) -> tuple[int, int]:
    head = _Ufunc.from_address(id(ufunc) + object.__basicsize__)
    if (head.nin, head.nout, head.ntypes) != (ufunc.nin, 1, ufunc.ntypes):
        raise CompilerError(
            f"the layout of NumPy's {ufunc.__name__} is not that of NumPy 2",
            None,
            "install a NumPy that this version of srcgrad names in its requirements",
        )
    k = ufunc.types.index(types)
    loop = head.functions[k] or 0
    # a loop without data does not look at it; a symbol needs an address
    return loop, (head.data[k] if head.data else None) or loop
