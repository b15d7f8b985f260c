"""Arrays of other libraries that lie on a GPU: what they are like, and results of their kind.

Asks by two protocols, DLPack and `__cuda_array_interface__`; imports no library. Never copies.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.errors import ArgumentValueError

if TYPE_CHECKING:
    from srcgrad.backends.cuda.device import Device

GPUS = (2, 13)  # DLPack's numbers of memory of a GPU, and of memory that it shares with the host


def is_on_device(value: Any) -> bool:
    """Whether a value is an array whose memory is a GPU's."""
    cls = type(value)
    if hasattr(cls, "__dlpack_device__"):
        return value.__dlpack_device__()[0] in GPUS
    return hasattr(cls, "__cuda_array_interface__")


@dataclass(frozen=True)
class Layout:
    """What is known of an array without reading it."""

    dtype: np.dtype
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None  # in bytes; None: C order
    address: int

    @property
    def contiguous(self) -> bool:
        if self.strides is None or 0 in self.shape:
            return True
        expected = self.dtype.itemsize
        for n, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if n != 1 and stride != expected:
                return False
            expected *= n
        return True

    @property
    def extent(self) -> tuple[int, int]:
        """The addresses of the first byte and of the one behind the last."""
        size = self.dtype.itemsize
        if 0 in self.shape:
            return self.address, self.address
        if self.strides is None:
            return self.address, self.address + size * int(np.prod(self.shape))
        ends = [(n - 1) * s for n, s in zip(self.shape, self.strides, strict=True)]
        low, high = sum(min(e, 0) for e in ends), sum(max(e, 0) for e in ends)
        return self.address + low, self.address + high + size

    def stand_in(self) -> np.ndarray:
        """An array of the host that is like this one; its memory is never touched."""
        if self.contiguous:
            return np.empty(self.shape, self.dtype)
        return np.empty((*self.shape, 2), self.dtype)[..., 0]


def layout_of(value: Any) -> Layout:
    """The layout of an array that is on a GPU."""
    if not hasattr(value, "__cuda_array_interface__"):
        value = _current().array(value)
    told = value.__cuda_array_interface__
    return Layout(np.dtype(told["typestr"]), told["shape"], told.get("strides"), told["data"][0])


def may_share(a: Any, b: Any) -> bool:
    """Whether two arrays on GPUs may have memory in common."""
    (start, stop), (low, high) = layout_of(a).extent, layout_of(b).extent
    return start < high and low < stop


def made_like(value: Any, like: Any) -> Any:
    """An array of the device as one of the library of another array, in the same memory.

    A library that takes no others' arrays gets CuPy's.
    """
    if type(value) is type(like):
        return value
    told = getattr(like, "__array_namespace__", None)
    library = told() if told else sys.modules.get(type(like).__module__.partition(".")[0])
    take = getattr(library, "from_dlpack", None)
    return take(value) if take else value


def on_device(value: Any, like: Any, what: str, whose: str) -> Any:
    """A cotangent or tangent for an array of the device, in C order; None is zero."""
    device, wanted = _current(), layout_of(like)
    if value is None:
        return device.xp.zeros(wanted.shape, wanted.dtype)
    taken = device.array(np.asarray(value) if not is_on_device(value) else value)
    if taken.shape != wanted.shape:
        text = f"{what} has the shape {taken.shape}, {whose} has {wanted.shape}"
        raise ArgumentValueError(text, None, "None stands for zero")
    return device.xp.array(taken, wanted.dtype, order="C")


def _current() -> Device:
    from srcgrad.backends.cuda.selection import current  # what it loads is needed by few

    return current()
