"""The arguments of a call on a device, and its results in the caller's kind of array.

NumPy's arrays are copied over; those that a program stores to come back, if it succeeds, and
results become NumPy's arrays. If an argument is an array of a device, results stay there, as
arrays of the library of the first such argument.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np

from srcgrad.backends.cuda.device import Device
from srcgrad.backends.gpu_arrays import is_on_device, made_like
from srcgrad.backends.progress import LOG


class Arguments:
    """The arguments of one call: `values` are those of the device, numbers unchanged."""

    def __init__(self, device: Device, given: Sequence[Any]):
        self.device, self.given = device, given
        self.values = [device.array(a) if _is_array(a) else a for a in given]
        self.like = next((a for a in given if is_on_device(a)), None)
        if any(isinstance(a, np.ndarray) for a in given):
            _say_once()

    def leave(self, results: Iterable[Any], stored: Iterable[int] = ()) -> tuple:
        """The results for the caller; the arguments at `stored` were stored to."""
        for k in stored:
            if isinstance(self.given[k], np.ndarray):
                np.copyto(self.given[k], self.device.to_host(self.values[k]))
        results = list(results)
        roots = Counter(id(_root(r)) for r in results if _is_array(r))
        copies: dict[int, np.ndarray] = {}  # the memory that several results are parts of
        return tuple([self._result(r, roots, copies) for r in results])

    def _result(self, value: Any, roots: Counter[int], copies: dict[int, np.ndarray]) -> Any:
        if not _is_array(value):
            return value
        for given, taken in zip(self.given, self.values, strict=True):
            if value is taken:
                return given
        if self.like is not None:
            return made_like(value, self.like)
        root = _root(value)
        if roots[id(root)] == 1:
            return self.device.to_host(value)
        if id(root) not in copies:
            copies[id(root)] = self._memory(root)
        return _part(value, root, copies[id(root)])

    def _memory(self, root: Any) -> np.ndarray:
        """A copy of an array without gaps, with its axes in their order in memory."""
        axes = sorted(range(root.ndim), key=lambda k: -root.strides[k])
        return np.ascontiguousarray(self.device.to_host(root.transpose(axes)))


def _root(value: Any) -> Any:
    """The array that a view is a part of."""
    while _is_array(value.base):
        value = value.base
    return value


def _part(value: Any, root: Any, memory: np.ndarray) -> np.ndarray:
    """The same part of a copy of the root's memory."""
    start = _address(value) - _address(root)
    return np.ndarray(value.shape, value.dtype, memory, start, value.strides)


def _address(value: Any) -> int:
    return value.data.ptr if hasattr(value.data, "ptr") else value.__array_interface__["data"][0]


def _is_array(value: Any) -> bool:
    return hasattr(value, "shape") and not isinstance(value, np.generic)


@cache
def _say_once() -> None:
    LOG.info("NumPy arrays are copied to the GPU and back at each call; CuPy's arrays stay there")
