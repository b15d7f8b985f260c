"""Fourier transforms of the standard: NumPy's functions on tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager import create, dtypes
from srcgrad.eager.protocols import by_numpy
from srcgrad.eager.tensor import Tensor
from srcgrad.namespace import publish


def _along_one(name: str) -> Callable[..., Tensor]:
    def function(
        x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: str = "backward"
    ) -> Tensor:
        return by_numpy(getattr(np.fft, name), x, n, axis, norm)

    return _named(function, name)


def _along_several(name: str) -> Callable[..., Tensor]:
    def function(x: Tensor, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Any:
        if axes is None and s is not None:
            axes = tuple(range(-len(s), 0))
        return by_numpy(getattr(np.fft, name), x, s, axes, norm)

    return _named(function, name)


def _shift(name: str) -> Callable[..., Tensor]:
    def function(x: Tensor, /, *, axes: Any = None) -> Tensor:
        return by_numpy(getattr(np.fft, name), x, axes)

    return _named(function, name)


def _frequencies(name: str) -> Callable[..., Tensor]:
    def function(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Tensor:
        kind = dtypes.get_default_dtype() if dtype is None else dtypes.to_dtype(dtype)
        return create.finished(getattr(np.fft, name)(n, d).astype(kind.np), False, device)

    return _named(function, name)


def _named(function: Callable[..., Tensor], name: str) -> Callable[..., Tensor]:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`np.fft.{name}` of a tensor."
    return function


fft, ifft, rfft, irfft, hfft, ihfft = map(
    _along_one, ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
)
fftn, ifftn, rfftn, irfftn = map(_along_several, ("fftn", "ifftn", "rfftn", "irfftn"))
fftshift, ifftshift = map(_shift, ("fftshift", "ifftshift"))
fftfreq, rfftfreq = map(_frequencies, ("fftfreq", "rfftfreq"))

__all__ = [
    "fft", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifftn", "ifftshift", "ihfft", "irfft",
    "irfftn", "rfft", "rfftfreq", "rfftn",
]  # fmt: skip
publish(globals())
