"""Recorded arrays and numbers: what they hold. Their operators and methods are in `methods`."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.bridge.recorded.memory import Layout, Memory
from srcgrad.eager.apply import recorded
from srcgrad.eager.tensor import Tensor, make
from srcgrad.primitives import elementwise
from srcgrad.tree import leaves, mapped


class RecordedArray:
    """An array of floats on the tape: NumPy's `ndarray` for the program that is run on it."""

    __slots__ = ("__weakref__", "_layout", "_memory", "_writeable")
    _memory: Memory
    _layout: Layout
    _writeable: bool

    @property
    def __class__(self) -> type:
        return np.ndarray


class RecordedNumber:
    """A float on the tape, of Python or of NumPy: immutable, and of the class that it holds."""

    __slots__ = ("_tensor", "_value")
    _value: Any  # a float or a NumPy scalar
    _tensor: Tensor

    @property
    def __class__(self) -> type:
        return type(self._value)


CLASSES = (RecordedArray, RecordedNumber)


def is_recorded(v: Any) -> bool:
    """Whether a value is an array or a number on the tape."""
    return type(v) in CLASSES


def array(memory: Memory, layout: Layout, writeable: bool = True) -> Any:
    """An array of some elements of a memory."""
    v = object.__new__(RecordedArray)
    v._memory, v._layout, v._writeable = memory, layout, writeable
    return v


def wrapped(result: Any, node: Any) -> Any:
    """A floating result of NumPy's with its history: an array or a number; plain without one."""
    if type(result) is np.ndarray:
        memory = Memory(result, node)
        return array(memory, memory.layout)
    if node is None:
        return result
    v = object.__new__(RecordedNumber)
    v._value, v._tensor = result, make(np.asarray(result), node)
    return v


# ---- what they hold ----
def raw(v: Any) -> Any:
    """The array or the number of a recorded value; anything else unchanged."""
    if type(v) is RecordedArray:
        return v._memory.view(v._layout, v._writeable)
    return v._value if type(v) is RecordedNumber else v


def raws(value: Any) -> Any:
    """A structure with arrays and numbers in place of recorded ones."""
    return mapped(value, raw)


def tensor_of(v: Any) -> Tensor:
    """The tensor of a recorded value as it is now."""
    return v._memory.value(v._layout) if type(v) is RecordedArray else v._tensor


def has_history(v: Any) -> bool:
    """Whether a value depends on what is differentiated."""
    if type(v) is RecordedArray:
        return v._memory.recorded
    return type(v) is RecordedNumber


def among(value: Any) -> list[Any]:
    """The recorded values of a structure."""
    return [v for v in leaves(value) if is_recorded(v)]


def cast(t: Tensor, dtype: np.dtype) -> Tensor:
    """The tensor in another floating dtype."""
    if t._a.dtype == dtype:
        return t
    return recorded(elementwise.cast, (t,), {"dtype": dtype.name}, t._a.astype(dtype))


def operand(v: Any, dtype: np.dtype) -> Any:
    """An operand of an elementwise operation: a tensor of its dtype, or a Python number."""
    if is_recorded(v):
        return cast(tensor_of(v), dtype)
    if isinstance(v, np.ndarray):
        return make(v.astype(dtype))  # a copy: the program may store to its own array
    return v.item() if isinstance(v, np.generic) else v
