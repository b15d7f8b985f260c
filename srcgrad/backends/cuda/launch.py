"""The arguments of a launch as the words that numba-cuda's kernels take.

An array is 5 + 2 ndim words: two owners (none), its size, its item size, its address, the lengths
and the strides in bytes. A complex number is two. Never launches anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from srcgrad.ir.types import Array, Scalar, Type, is_complex, np_dtype, real_dtype


def argument_words(parameters: tuple[Type, ...], args: Sequence[Any]) -> list[Any]:
    """The words of all arguments; Python's integers are words of 64 bits."""
    pairs = zip(parameters, args, strict=True)
    return [word for type_, value in pairs for word in _words(type_, value)]


def _words(type_: Type, value: Any) -> Iterator[Any]:
    match type_:
        case Array():
            return _of_array(type_, value)
        case Scalar():
            return _of_number(type_.dtype, value)
    raise TypeError(f"a kernel has no parameter of type {type_}")


def _of_array(type_: Array, a: Any) -> Iterator[int]:
    # machine code trusts the type: anything else would read other memory
    fits = a.dtype == np_dtype(type_.dtype) and a.ndim == type_.ndim
    if not fits or (type_.layout == "C" and not a.flags.c_contiguous):
        raise TypeError(f"a kernel expects {type_}, not {a.dtype} {a.shape} {a.strides}")
    yield from (0, 0, a.size, a.itemsize, a.data.ptr)
    yield from a.shape
    yield from a.strides


def _of_number(dtype: str, value: Any) -> Iterator[Any]:
    if not is_complex(dtype):
        yield np_dtype(dtype).type(value)
        return
    real = np_dtype(real_dtype(dtype)).type
    yield from (real(value.real), real(value.imag))
