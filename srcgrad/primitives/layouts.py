"""The memory layout of an array on a device, as the array reports it: no element is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Layout:
    """The facts about an array that are known without reading it."""

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
        """The addresses of the first byte and of the one after the last."""
        size = self.dtype.itemsize
        if 0 in self.shape:
            return self.address, self.address
        if self.strides is None:
            return self.address, self.address + size * int(np.prod(self.shape))
        ends = [(n - 1) * s for n, s in zip(self.shape, self.strides, strict=True)]
        low, high = sum(min(e, 0) for e in ends), sum(max(e, 0) for e in ends)
        return self.address + low, self.address + high + size

    def stand_in(self) -> np.ndarray:
        """An array of the host with the same layout; its memory is never touched."""
        if self.contiguous:
            return np.empty(self.shape, self.dtype)
        return np.empty((*self.shape, 2), self.dtype)[..., 0]


def tells_layout(value: Any) -> bool:
    """Whether an array whose class has `__cuda_array_interface__` has it as well."""
    try:
        return hasattr(value, "__cuda_array_interface__")
    except (RuntimeError, TypeError):  # PyTorch: requires grad, sparse
        return True


def layout_told(value: Any) -> Layout:
    """The layout of an array that has `__cuda_array_interface__`."""
    told = value.__cuda_array_interface__
    return Layout(np.dtype(told["typestr"]), told["shape"], told.get("strides"), told["data"][0])
