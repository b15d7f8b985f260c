"""The arguments of a call on a device, and its results in the caller's kind of array.

NumPy's arrays are copied over; what a program stores to comes back, if it succeeds, and results
become NumPy's arrays. Where an argument is an array of a device, results stay there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np

from srcgrad.backends.cuda.device import Device
from srcgrad.backends.progress import LOG


class Arguments:
    """The arguments of one call: `values` are those of the device, numbers as they are."""

    def __init__(self, device: Device, given: Sequence[Any]):
        self.device, self.given = device, given
        self.values = [device.array(a) if _is_array(a) else a for a in given]
        arrays = [a for a in given if _is_array(a)]
        self.on_host = all(isinstance(a, np.ndarray) for a in arrays)
        if arrays and self.on_host:
            _say_once()

    def leave(self, results: Iterable[Any], stored: Iterable[int] = ()) -> tuple:
        """The results for the caller; the arguments at `stored` were stored to."""
        for k in stored:
            if isinstance(self.given[k], np.ndarray):
                np.copyto(self.given[k], self.device.to_host(self.values[k]))
        return tuple([self._result(r) for r in results])

    def _result(self, value: Any) -> Any:
        if not _is_array(value):
            return value
        for given, taken in zip(self.given, self.values, strict=True):
            if value is taken:
                return given
        return self.device.to_host(value) if self.on_host else value


def _is_array(value: Any) -> bool:
    return hasattr(value, "shape") and not isinstance(value, np.generic)


@cache
def _say_once() -> None:
    LOG.info("NumPy arrays are copied to the GPU and back at each call; CuPy's arrays stay there")
