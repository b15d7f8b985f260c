"""Calls back to Python: a user's function of which only the types of its results are known.

A call has a `Callback`; the program refers to it by number, and keeps it alive. The results come as
one flat array. A function never sees or keeps the program's own arrays: it is given copies.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from srcgrad import interrupts
from srcgrad.operation import Stated
from srcgrad.primitives.dtypes import Operand, dtype_of
from srcgrad.primitives.registry import nondiff
from srcgrad.records import record

_numbers = itertools.count(1)
_known: WeakValueDictionary[int, Callback] = WeakValueDictionary()
_pending = threading.local()


class Raised(Exception):
    """Carries an exception of a called function through generated code."""

    def __init__(self, original: BaseException):
        super().__init__(str(original))
        self.original = original


@record(eq=False)
class Callback:
    """A function from operands to a list of results, and the results' ranks."""

    name: str
    function: Callable[..., list[Any]]
    ranks: tuple[int, ...]
    by_target: bool = False  # whether it takes the target of the calling code as well
    number: int = field(default_factory=lambda: next(_numbers))

    def __post_init__(self) -> None:
        _known[self.number] = self

    def __repr__(self) -> str:
        return str(self.number)


def fill(
    number: int, out: np.ndarray, dims: Sequence[int], operands: Sequence[Operand], target: str
) -> None:  # fmt: skip
    """Calls a function and stores its results in a flat array, one after the other."""
    back = _known[number]
    given = [np.array(a) if isinstance(a, np.ndarray) else a for a in operands]
    made = back.function(given, target) if back.by_target else back.function(given)
    at, place = 0, 0
    for value, rank in zip(made, back.ranks, strict=True):
        shape = tuple(int(n) for n in dims[at : at + rank])
        at += rank
        size = int(np.prod(shape, dtype=np.int64))
        out[place : place + size] = _checked(back.name, value, shape, out.dtype).reshape(-1)
        place += size


def _checked(name: str, value: Any, shape: tuple[Any, ...], dtype: np.dtype[Any]) -> np.ndarray:
    made = np.zeros(shape, dtype) if value is None else np.asarray(value)
    if made.shape != shape:
        raise ValueError(f"{name}() returned the shape {made.shape}, not {shape} as was said")
    if not np.can_cast(made.dtype, dtype, "same_kind"):
        raise TypeError(f"{name}() returned the dtype {made.dtype}, not {dtype} as was said")
    return made


def filled(
    site: int, number: int, out: np.ndarray, dims: Sequence[int], operands: Sequence[Operand]
) -> bool:
    """`fill` for compiled code: an exception is saved for `raised`."""
    return kept(site, lambda: fill(number, out, dims, operands, "cpu"))


def kept(site: int, run: Callable[[], None]) -> bool:
    """Whether a Python function returns; an exception is saved for `raised`."""
    try:
        interrupts.released(run)
    except BaseException as error:
        _pending.failed = site, error
        return False
    return True


def raised() -> tuple[int, BaseException]:
    """The site of this thread's last failed call, and the exception that it raised."""
    failed = _pending.failed
    del _pending.failed
    return failed


def _call_back(total: Any, *rest: Any, back: Any, dtype: str) -> np.ndarray:
    number = back.number if isinstance(back, Callback) else back
    out = np.empty(int(total), dtype_of(dtype))
    many = sum(_known[number].ranks)
    try:
        fill(number, out, rest[:many], rest[many:], "python")
    except BaseException as error:
        raise Raised(error) from None
    return out


def _call_back_typing(b: Any, total: Any, *rest: Any, back: Any, dtype: str) -> Stated:
    return dtype, b.dims((total,))


call_back = nondiff(
    "call_back",
    _call_back,
    typing=_call_back_typing,
    raises=True,
    decides=True,  # possibly: the function is unknown
)
