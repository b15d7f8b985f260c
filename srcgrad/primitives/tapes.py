"""Primitives on tapes: flat buffers that grow, and sequences of references to arrays."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.memory_limit import above_limit, size_text
from srcgrad.operation import Stated
from srcgrad.primitives.dtypes import dtype_of
from srcgrad.primitives.memory import unwritten, whole
from srcgrad.primitives.registry import linear, nondiff


def unable(shape: tuple[int, ...], dtype: Any, reason: str = "") -> str:
    """NumPy's text for missing memory, with a reason."""
    size = size_text(float(math.prod(shape) * dtype.itemsize))
    text = f"Unable to allocate {size} for an array with shape {shape} and data type {dtype}"
    return f"{text}: {reason}" if reason else text


class GrowingArray:
    """A flat buffer that grows by half; views taken before a growth keep the old memory."""

    def __init__(self, capacity: int, dtype: Any, make: Callable[..., np.ndarray] = np.zeros):
        self.make = make
        self.data = make(max(int(capacity), 1), dtype)

    def reserve(self, size: int) -> None:
        if size > len(self.data):
            new = self.make(max(int(size), len(self.data) * 3 // 2), self.data.dtype)
            new[: len(self.data)] = self.data
            self.data = new

    def __getitem__(self, i: Any) -> Any:
        return self.data[i]

    def __setitem__(self, i: Any, value: Any) -> None:
        self.data[i] = value


def growing(capacity: int, dtype: Any, make: Callable[..., np.ndarray] = np.zeros) -> GrowingArray:
    """A buffer; MemoryError if tapes may not take that much."""
    size, kind = max(int(capacity), 1), dtype_of(dtype)
    reason = above_limit(size * kind.itemsize)
    if reason:
        raise MemoryError(unable((size,), kind, reason))
    return GrowingArray(size, kind, make)


INITIAL_CAPACITY = 16  # slots of a tape that grows
SAVED = "_tape"  # the suffix of the names of tapes on which reverse mode saves values


class References(list[Any]):
    """References to arrays by position."""

    def put(self, position: int, reference: Any) -> None:
        while len(self) <= position:  # places that no path fills have arbitrary contents
            self.append(reference)
        self[position] = reference


def _tape_view(tape: Any, start: Any, *dims: Any) -> Any:
    size = int(np.prod(dims)) if dims else 1
    return tape.data[start : start + size].reshape(dims)


def _tape_view_typing(b: Any, t: Any, start: Any, *dims: Any) -> Stated:
    return t.type.dtype, b.dims(dims), "C"


def _tape_like(t: GrowingArray) -> GrowingArray:
    return growing(len(t.data), t.data.dtype)


def _slots(t: GrowingArray) -> int:
    return len(t.data)


# `scratch`: no trip of a loop reads what another trip stored there
tape = nondiff(
    "tape",
    lambda n, dtype, scratch=False: growing(n, dtype, unwritten),
    typing=lambda b, n, dtype, scratch=False: b.tape_type(dtype),
    fresh=True,
)
tape_like = nondiff(
    "tape_like",
    _tape_like,
    typing=lambda b, t: b.tape_type(t.type.dtype),
    fresh=True,
)
slots = nondiff("slots", _slots, typing=whole)
reserve = nondiff("reserve", lambda t, n: t.reserve(n), effect=True, writes=True)
tape_view = linear("tape_view", _tape_view, typing=_tape_view_typing, view=True)
reftape = nondiff(
    "reftape",
    lambda dtype, ndim: References(),
    typing=lambda b, dtype, ndim: b.reftape_type(dtype, ndim),
    fresh=True,
)
ref_put = nondiff("ref_put", lambda t, p, r: t.put(p, r), effect=True, writes=True, holds=True)


def _ref_get(t: Any, p: Any, *dims: Any) -> Any:
    return t[p]


def _ref_get_typing(b: Any, t: Any, p: Any, *dims: Any) -> Stated:
    return t.type.dtype, b.dims(dims), "S"


ref_get = linear("ref_get", _ref_get, typing=_ref_get_typing, view=True)
