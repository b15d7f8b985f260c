"""Operators of recorded arrays and numbers: Python's and NumPy's own, on what they hold."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.bridge.recorded.calls import called, check_real, elementwise_call, into, is_float
from srcgrad.bridge.recorded.refusals import refuse
from srcgrad.bridge.recorded.values import (
    RecordedArray,
    RecordedNumber,
    among,
    is_recorded,
    raw,
    raws,
    wrapped,
)
from srcgrad.tree import is_leaf


def _operates(other: Any) -> bool:
    """Whether NumPy's operators take the other operand for an array or a number."""
    if isinstance(other, np.ndarray):
        if type(other) is not np.ndarray and not is_recorded(other):
            refuse(f"a {type(other).__name__} beside an array of the tape", "use a plain array")
        return True
    return isinstance(other, np.generic | int | float | complex | list | tuple)


def _operated(op: Callable, ufunc: Any, a: Any, b: Any) -> Any:
    """The result of an operator, by Python's or NumPy's own."""
    if (not is_leaf(a) and among(a)) or (not is_leaf(b) and among(b)):
        return called(ufunc, (a, b), {})  # a list that holds recorded numbers
    a, b = (
        v if is_leaf(v) or type(raw(w)) is float else np.asarray(v) for v, w in ((a, b), (b, a))
    )
    if ufunc is np.matmul:
        return called(ufunc, (a, b), {})
    result = op(raw(a), raw(b))
    if not is_float(result):
        return result
    if ufunc is np.floor_divide:
        return wrapped(result, None)
    if np.iscomplexobj(result):
        check_real(ufunc, result)
    return elementwise_call(ufunc, (a, b), result)


def _binary(name: str, ufunc: Any) -> None:
    op = getattr(operator, f"__{name}__")

    def forward(self: Any, other: Any) -> Any:
        return _operated(op, ufunc, self, other) if _operates(other) else NotImplemented

    def reflected(self: Any, other: Any) -> Any:
        return _operated(op, ufunc, other, self) if _operates(other) else NotImplemented

    def in_place(self: Any, other: Any) -> Any:
        return into(ufunc, (self, other), {}, self)

    for cls in (RecordedArray, RecordedNumber):
        setattr(cls, f"__{name}__", forward)
        setattr(cls, f"__r{name}__", reflected)
    setattr(RecordedArray, f"__i{name}__", in_place)


for _name, _ufunc in {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide,
    "floordiv": np.floor_divide, "mod": np.remainder, "pow": np.power, "matmul": np.matmul,
}.items():  # fmt: skip
    _binary(_name, _ufunc)


def _comparison(name: str) -> None:
    op = getattr(operator, f"__{name}__")

    def compare(self: Any, other: Any) -> Any:
        return op(raw(self), raws(other))

    setattr(RecordedArray, f"__{name}__", compare)
    setattr(RecordedNumber, f"__{name}__", compare)


for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    _comparison(_name)


def _unary(name: str, ufunc: Any) -> None:
    op = getattr(operator, f"__{name}__")

    def method(self: Any) -> Any:
        return elementwise_call(ufunc, (self,), op(raw(self)))

    setattr(RecordedArray, f"__{name}__", method)
    setattr(RecordedNumber, f"__{name}__", method)


_unary("neg", np.negative)
_unary("abs", np.absolute)
