"""Values of the IR while LLVM text is written: names and numbers, as texts.

A scalar is a text; a complex one is a pair of texts, so that every part is a number of its own. An
array or tape is a `Ref`. Never writes an instruction.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from srcgrad.ir.types import is_complex, np_dtype, real_dtype
from srcgrad.records import record

Part = str
Number = str | tuple[str, str]


class NotEmittedError(Exception):
    """Raised for what no lowered program contains today: a fault of srcgrad."""


def not_emitted(what: str) -> NotEmittedError:
    return NotEmittedError(f"{what} is not emitted as LLVM IR")


KINDS = {
    "bool": "i1", "i8": "i8", "i16": "i16", "i32": "i32", "i64": "i64",
    "u8": "i8", "u16": "i16", "u32": "i32", "u64": "i64", "f32": "float", "f64": "double",
    "f16": "i16",  # its bits: `halves.py`
}  # fmt: skip
INTRINSIC = {"float": "f32", "double": "f64"}


@record(frozen=True)
class Ref:
    """A reference to memory: all views of a buffer share its `data`; strides are in bytes."""

    data: str
    dtype: str
    dims: tuple[str, ...]
    strides: tuple[str, ...]
    layout: str = "C"  # or "F": the transpose of a contiguous one; or "A": any
    mi: str = "null"  # Numba's MemInfo, which counts the references; null in the workspace
    off: str = "0"  # bytes from `data` on
    slots: tuple[str, ...] = ()  # of a tape that grows: the places of data with length, of MemInfo
    bounds: tuple[str, str] = ("0", "0")  # guarded: the bytes from `data` that may be accessed


@record(frozen=True)
class List:
    """A growing list of references: a MemInfo that holds it."""

    mi: str
    dtype: str
    ndim: int


def parts_of(dtype: str) -> list[str]:
    """The LLVM types of the parts of a scalar."""
    if is_complex(dtype):
        return [KINDS[real_dtype(dtype)]] * 2
    return [KINDS[dtype]]


def in_memory(kind: str) -> str:
    """The LLVM type that a part has in memory, as an argument and as a result."""
    return "i8" if kind == "i1" else kind


def texts(value: Number) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (value,)


def number(parts: list[str]) -> Number:
    return parts[0] if len(parts) == 1 else (parts[0], parts[1])


def size_of(dtype: str) -> int:
    return np_dtype(dtype).itemsize


def signed(dtype: str) -> bool:
    return dtype[0] == "i"


def literal(value: Any, dtype: str) -> Number:
    """A constant of this dtype."""
    if dtype == "bool":
        return "true" if value else "false"
    if dtype[0] in "iu":
        return str(int(value))
    if is_complex(dtype):
        part = real_dtype(dtype)
        value = complex(np_dtype(dtype).type(value))
        return decimal(value.real, part), decimal(value.imag, part)
    return decimal(value, dtype)


def decimal(value: Any, dtype: str) -> str:
    """A float's literal is the bits of the double that it is; a half's are its own."""
    if dtype == "f16":
        return str(np.float16(value).view(np.uint16))
    as_double = float(np_dtype(dtype).type(value))
    return f"0x{struct.unpack('<Q', struct.pack('<d', as_double))[0]:016X}"


def is_constant(text: str) -> bool:
    return text[0] != "%"
