"""Fourier transforms of the standard: NumPy's functions on tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.array_api.examples import documented
from srcgrad.eager import create, dtypes
from srcgrad.eager.protocols import by_numpy
from srcgrad.eager.tensor import Tensor
from srcgrad.namespace import publish

_Made = Callable[..., Tensor]


def _along_one(name: str) -> _Made:
    def function(
        x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: str = "backward"
    ) -> Tensor:
        return by_numpy(getattr(np.fft, name), x, n, axis, norm)

    return _named(function, name)


def _along_several(name: str) -> _Made:
    def function(x: Tensor, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Any:
        if axes is None and s is not None:
            axes = tuple(range(-len(s), 0))
        return by_numpy(getattr(np.fft, name), x, s, axes, norm)

    return _named(function, name)


def _shift(name: str) -> _Made:
    def function(x: Tensor, /, *, axes: Any = None) -> Tensor:
        return by_numpy(getattr(np.fft, name), x, axes)

    return _named(function, name)


def _frequencies(name: str) -> _Made:
    def function(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Tensor:
        kind = dtypes.get_default_dtype() if dtype is None else dtypes.to_dtype(dtype)
        return create.finished(getattr(np.fft, name)(n, d).astype(kind.np), False, device)

    return _named(function, name, "a number of samples")


def _named(function: _Made, name: str, operand: str = "a tensor") -> _Made:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = documented(name, f"`np.fft.{name}` of {operand}.")
    return function


fft: _Made = _along_one("fft")
ifft: _Made = _along_one("ifft")
rfft: _Made = _along_one("rfft")
irfft: _Made = _along_one("irfft")
hfft: _Made = _along_one("hfft")
ihfft: _Made = _along_one("ihfft")
fftn: _Made = _along_several("fftn")
ifftn: _Made = _along_several("ifftn")
rfftn: _Made = _along_several("rfftn")
irfftn: _Made = _along_several("irfftn")
fftshift: _Made = _shift("fftshift")
ifftshift: _Made = _shift("ifftshift")
fftfreq: _Made = _frequencies("fftfreq")
rfftfreq: _Made = _frequencies("rfftfreq")

__all__ = [
    "fft", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifftn", "ifftshift", "ihfft", "irfft",
    "irfftn", "rfft", "rfftfreq", "rfftn",
]  # fmt: skip
publish(globals())
