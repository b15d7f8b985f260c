"""`np.nditer`: an iterator over the elements of arrays as an object with a place.

Elements come in the order of memory; operands whose order is not known are refused without
`order="C"`. An element is an array of rank 0, a view of its operand.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from srcgrad.frontend.formulas.flags import lies_in_c_order
from srcgrad.frontend.formulas.registry import (
    OfTheRun,
    is_array,
    known,
    made_inside,
    stands_for,
    unsupported,
)

TAKEN = ("multi_index", "c_index", "f_index", "zerosize_ok", "refs_ok")
MODES = ("readonly", "readwrite", "writeonly")
IGNORED = ("allocate", "no_broadcast", "nbo", "aligned")


@made_inside("operands: it.operands")
class ArrayIterator:
    """An iterator over several operands of one shape.

    >>> it = ArrayIterator((np.ones(2),), (np.arange(2.0),), (2,), ("c_index",))
    >>> [(float(v), it.index) for v in it], it.finished
    ([(0.0, 0), (1.0, 1)], True)
    """

    def __init__(self, operands: Any, views: Any, shape: Any, flags: Any, first: bool = False):
        self.operands, self._views, self.shape, self._flags = operands, views, shape, flags
        self._axes = range(len(shape)) if first else range(len(shape) - 1, -1, -1)  # fastest first
        self.nop, self.ndim = len(operands), len(shape)
        size: Any = 1
        for n in shape:
            size = size * n
        self.itersize, self._place, self._begun = size, 0, False

    @property
    def finished(self) -> Any:
        return self._place >= self.itersize

    @property
    def multi_index(self) -> Any:
        if "multi_index" not in self._flags:
            raise ValueError("Iterator is not tracking a multi-index")
        return self._at()

    @property
    def index(self) -> Any:
        if "c_index" not in self._flags and "f_index" not in self._flags:
            raise ValueError("Iterator does not have an index")
        k: Any = 0
        at, axes = self._at(), range(self.ndim)
        for axis in axes if "c_index" in self._flags else axes[::-1]:
            k = k * self.shape[axis] + at[axis]
        return k

    @property
    def iterindex(self) -> Any:
        return self._place

    @property
    def value(self) -> Any:
        return self[0] if self.nop == 1 else tuple([self[j] for j in range(self.nop)])

    def _at(self) -> tuple:
        if self._place >= self.itersize:
            raise ValueError("Iterator is past the end")
        rest = self._place
        at = [0] * self.ndim
        for axis in self._axes:
            at[axis], rest = rest % self.shape[axis], rest // self.shape[axis]
        return tuple(at)

    def __len__(self) -> Any:
        return self.nop

    def __getitem__(self, j: Any) -> Any:
        return self._views[known(j)][(*self._at(), ...)]

    def __setitem__(self, j: Any, value: Any) -> None:
        self._views[known(j)][self._at()] = value

    def iternext(self) -> Any:
        self._place = self._place + 1
        return self._place < self.itersize

    def reset(self) -> None:
        self._place, self._begun = 0, False

    def close(self) -> None:
        return None

    def __iter__(self) -> Iterator[Any]:
        if self._begun:
            self._place = self._place + 1
        self._begun = True
        while self._place < self.itersize:
            yield self.value
            self._place = self._place + 1

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *raised: Any) -> None:
        return None


def modes_of(op_flags: Any, operands: list) -> list[str]:
    """How each operand is accessed.

    >>> modes_of(None, [1, None]), modes_of(["readwrite"], [1])
    (['readonly', 'writeonly'], ['readwrite'])
    """
    if op_flags is None:
        return ["writeonly" if v is None else "readonly" for v in operands]
    each = list(op_flags)
    if each and isinstance(each[0], str):
        each = [each] * len(operands)
    if len(each) != len(operands):
        raise ValueError("op_flags must be a tuple or array of per-op flag-tuples")
    out = []
    for flags in each:
        modes = [f for f in flags if f in MODES]
        others = [f for f in flags if f not in (*MODES, *IGNORED)]
        if others:
            return unsupported(f"np.nditer with the flag {others[0]!r} of an operand")
        if len(modes) != 1:
            return unsupported("np.nditer takes one of readonly, readwrite and writeonly")
        out.append(modes[0])
    return out


@stands_for(np.nditer)
def nditer(
    op: OfTheRun, flags: Any = None, op_flags: Any = None, op_dtypes: Any = None, order: Any = "K",
    casting: Any = "safe", op_axes: Any = None, itershape: Any = None, buffersize: Any = 0,
) -> Any:  # fmt: skip
    """An iterator over the elements of arrays.

    >>> [float(a * b) for a, b in nditer([np.arange(2.0), 3.0])]
    [0.0, 3.0]
    """
    flags = () if flags is None else tuple(known(flags))
    others = [f for f in flags if f not in TAKEN]
    if others:
        return unsupported(f"np.nditer with the flag {others[0]!r}", "leave it out")
    if op_dtypes is not None or op_axes is not None or itershape is not None:
        return unsupported("np.nditer takes arrays, flags, op_flags and order here")
    operands = list(op) if isinstance(op, list | tuple) else [op]
    modes = modes_of(known(op_flags), operands)
    given = [None if v is None else np.asarray(v) for v in operands]
    shape = np.broadcast_shapes(*[v.shape for v in given if v is not None])
    if order not in ("C", "F", "K", "A"):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got '{order}')")
    views = []
    for k, v in enumerate(given):
        if v is None:
            kind = np.result_type(*[w for w in given if w is not None])
            given[k] = np.empty(shape, dtype=kind)
            views.append(given[k])
            continue
        if order in ("K", "A") and v.ndim > 0 and not lies_in_c_order(v):
            return unsupported(
                "the order in which np.nditer takes elements of an array that may not be "
                "contiguous", 'pass order="C", or np.ascontiguousarray(x)',
            )  # fmt: skip
        if modes[k] == "readonly":
            views.append(np.broadcast_to(v, shape))
            continue
        if not is_array(operands[k]):
            return unsupported("np.nditer that stores to a value other than an array")
        if v.ndim != len(shape) or any([n != m for n, m in zip(v.shape, shape, strict=True)]):
            raise ValueError("non-broadcastable operand with a shape that is not the broadcast one")
        views.append(v)
    made = ArrayIterator(tuple(given), tuple(views), shape, flags, order == "F")
    if made.itersize == 0 and "zerosize_ok" not in flags:
        raise ValueError("Iteration of zero-sized operands is not enabled")
    return made
