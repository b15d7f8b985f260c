"""The memory that recorded arrays are views of: its data, and the history of its contents.

NumPy itself writes the data. A store makes new contents of the old ones, so that whatever views the
memory has, all see it; what was read before keeps the data that it read.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.bridge.recorded.refusals import refuse
from srcgrad.eager.apply import recorded, recording
from srcgrad.eager.tensor import Tensor, make
from srcgrad.primitives import indexing, memory
from srcgrad.records import record


@record(frozen=True)
class Layout:
    """The elements of a memory that an array has, and in which order."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0  # in bytes

    @property
    def repeats(self) -> bool:
        """Whether some elements lie at one place, as in a broadcast array."""
        return any(n > 1 and not s for n, s in zip(self.shape, self.strides, strict=True))


_counted = np.arange(256)


def _numbers(n: int) -> np.ndarray:
    """0, 1, 2, ... up to at least n."""
    global _counted
    if _counted.size < n:
        _counted = np.arange(max(n, 2 * _counted.size))
    return _counted


class Memory:
    """The memory of an array and of all its views."""

    __slots__ = ("_flat", "content", "data", "layout", "lent", "shown", "version")

    def __init__(self, a: np.ndarray, node: Any = None):
        if not np.may_share_memory(a.ravel(order="K"), a):  # it has gaps, or is empty
            a = a.copy(order="K")
        self.data = a.ravel(order="K")
        self.layout = Layout(a.shape, a.strides)
        self.content = make(a, node)  # of the elements in this layout
        self._flat: Tensor | None = None
        self.lent = node is not None  # a node may have saved the data
        self.version = 0  # the number of stores
        self.shown = False  # an array outside of the tape may be a view of the data

    @property
    def recorded(self) -> bool:
        """Whether the contents depend on what is differentiated."""
        return self.content._node is not None

    def view(self, at: Layout, writeable: bool = True) -> np.ndarray:
        """NumPy's array of some of the elements."""
        a = np.ndarray(at.shape, self.data.dtype, self.data, at.offset, at.strides)
        if not writeable:
            a.flags.writeable = False
        return a

    def layout_of(self, a: np.ndarray) -> Layout | None:
        """The layout of an array of NumPy's; None if it is no view of the memory."""
        if a.dtype != self.data.dtype or not np.may_share_memory(a, self.data):
            return None
        return Layout(a.shape, a.strides, a.ctypes.data - self.data.ctypes.data)

    def places(self, at: Layout) -> np.ndarray:
        """The positions of an array's elements."""
        size, numbers = self.data.itemsize, _numbers(self.data.size)
        strides = tuple([s // size * numbers.itemsize for s in at.strides])
        offset = at.offset // size * numbers.itemsize
        return np.ndarray(at.shape, np.intp, numbers, offset, strides)

    # ---- contents ----
    def value(self, at: Layout) -> Tensor:
        """An array's elements as they are now."""
        if at == self.layout:
            self.lent = True
            return self.content
        a = self.view(at).copy()
        if not self.recorded:
            return make(a)
        return recorded(indexing.pick, (self.flat(),), {"index": self.places(at)}, a)

    def flat(self) -> Tensor:
        """All elements in the order of the memory."""
        if self._flat is None:
            whole, n = self.content, self.data.size
            if len(self.layout.shape) != 1:
                whole = recorded(memory.reshape, (whole, n), {}, whole._a.reshape(-1))
            if not self.view(self.layout).flags.c_contiguous:
                order = np.argsort(self.places(self.layout), axis=None)
                whole = recorded(indexing.pick, (whole,), {"index": order}, self.data)
            self._flat = whole
        return self._flat

    # ---- stores ----
    def open(self) -> None:
        """Prepares the data to be written to."""
        if self.shown:
            refuse(
                "it was converted to a plain array before, which would not see this store",
                "convert a copy: np.asarray(x.copy())",
            )
        self.version += 1
        if self.lent:
            self.data, self.lent, self._flat = self.data.copy(), False, None
            self.content = make(self.view(self.layout), self.content._node)

    def store(self, places: Any, value: Tensor) -> None:
        """Gives the contents, after the data was written to, the history of the store."""
        if not recording() or not (self.recorded or value._node is not None):
            return
        surplus = value._a.ndim - np.ndim(places)
        if surplus > 0:  # leading dims of length one
            shape = value._a.shape[surplus:]
            value = recorded(memory.reshape, (value, *shape), {}, value._a.reshape(shape))
        at = places if np.ndim(places) else int(places)
        made = recorded(indexing.patch, (self.flat(), value), {"index": at}, self.data)
        self.content = self._flat = made
        self.layout = Layout(self.data.shape, self.data.strides)
