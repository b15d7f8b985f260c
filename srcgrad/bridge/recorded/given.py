"""Arrays and numbers between a transform and the function that it runs on the tape.

The transforms work on tensors. One made of an argument, or of a result, that is an array or a
number knows its kind; the function gets it as a recorded value, the caller as what it was.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.bridge.recorded import methods
from srcgrad.bridge.recorded.memory import Memory
from srcgrad.bridge.recorded.values import RecordedNumber, array, is_recorded, raw, tensor_of
from srcgrad.eager.tensor import Tensor

assert methods  # attaches operators and methods
KINDS = (np.float64, np.float32, np.float16)
FLOATS = frozenset(map(np.dtype, KINDS))


class OfArray(Tensor):
    """The tensor of an array or a number: `kind` is its class, of arrays np.ndarray."""

    __slots__ = ("kind",)
    kind: type

    def detach(self) -> OfArray:
        return of_kind(super().detach(), self.kind)


def of_kind(t: Any, kind: type) -> OfArray:
    """The same tensor, of an array or a number."""
    made = object.__new__(OfArray)
    made._a, made._node, made._store, made.kind = t._a, t._node, t._store, kind
    return made


def like(v: Any, g: Any) -> Any:
    """A derivative with the kind of its argument."""
    if g is None or type(v) is not OfArray:
        return g
    return of_kind(g, np.ndarray if g._a.ndim else v.kind)


def lifted(v: Any) -> Any:
    """An argument as a tensor, if it is an array or a number of floats."""
    if type(v) is np.ndarray and v.dtype in FLOATS:
        a = v.copy(order="K")
    elif type(v) is float or (type(v) in KINDS):
        a = np.asarray(v)
    elif is_recorded(v):
        return kept(v)
    else:
        return v.copy() if isinstance(v, np.ndarray) else v
    t = object.__new__(OfArray)
    t._a, t._node, t._store, t.kind = a, None, None, type(v)
    return t


def shown(v: Any) -> Any:
    """An argument of the function: a recorded array or number."""
    if type(v) is not OfArray:
        return v
    if issubclass(v.kind, np.ndarray):
        memory = Memory(v._a, v._node)
        return array(memory, memory.layout)
    if v._node is None:
        return v.kind(v._a[()])
    number = object.__new__(RecordedNumber)
    number._value, number._tensor = v.kind(v._a[()]), v
    return number


def kept(v: Any) -> Any:
    """A part of what the function returns, as a tensor if it is recorded."""
    return of_kind(tensor_of(v), type(raw(v))) if is_recorded(v) else v


def lowered(v: Any) -> Any:
    """A result as the caller gets it."""
    if type(v) is not OfArray:
        return v
    if v._node is not None:  # inside of another function on the tape
        return shown(v)
    return v._a.copy() if issubclass(v.kind, np.ndarray) else v.kind(v._a[()])
