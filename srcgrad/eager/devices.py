"""The memory of tensors: the CPU, or a CUDA device, whose arrays are CuPy's.

CuPy is imported when a tensor is first put on a device. NumPy's functions accept its arrays, so
that rules and implementations are those of the CPU. Computes nothing.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from srcgrad.errors import TensorError, TensorTypeError
from srcgrad.primitives.libraries import array_of, is_array, on_device

INSTALL = "pip install 'srcgrad[cuda13]' (or 'srcgrad[cuda12]') on a machine with an NVIDIA GPU"


class device:
    """The CPU or one CUDA device: `device("cpu")`, `device("cuda:1")`, `device("cuda", 1)`.

    It compares equal to the text of the same device. RuntimeError for any other kind of device.

    >>> import srcgrad as flow
    >>> flow.device("cuda:1")
    device(type='cuda', index=1)
    >>> flow.ones(2).device == "cpu"
    True
    """

    __slots__ = ("index", "type")
    __module__ = "srcgrad"
    type: str
    index: int | None

    def __init__(self, type: Any, index: int | None = None):
        if isinstance(type, device):
            type, index = type.type, type.index
        elif isinstance(type, int) and not isinstance(type, bool):
            type, index = "cuda", type
        elif not isinstance(type, str):
            kind = type.__class__.__name__
            raise TensorTypeError(f"device(): argument 'type' must be str or int, not {kind}")
        kind, colon, number = type.partition(":")
        if kind not in ("cpu", "cuda"):
            raise TensorError(
                f"Expected one of cpu, cuda device type at start of device string: {kind}"
            )
        if colon:
            if index is not None:
                raise TensorError(f"device type must not include an index beside an index: {type}")
            if not number.isdecimal():
                raise TensorError(f"Invalid device string: '{type}'")
            index = int(number)
        elif index is not None and index < 0:
            raise TensorError(f"Device index must not be negative: {index}")
        self.type, self.index = kind, index

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        at = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{at})"

    def __eq__(self, other: object) -> bool:
        if isinstance(other, device):
            return (self.type, self.index) == (other.type, other.index)
        return str(self) == other if isinstance(other, str) else NotImplemented

    def __hash__(self) -> int:
        return hash(str(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return device, (self.type, self.index)


CPU = device("cpu")
_default = CPU


def set_default_device(device: Any) -> None:
    """Sets the device of tensors that name none; RuntimeError if it cannot be used.

    >>> import srcgrad as flow
    >>> flow.set_default_device("cpu")
    """
    global _default
    chosen = _device(device)
    moved(np.empty(0), chosen)
    _default = chosen


def get_default_device() -> device:
    """The device of tensors that name none.

    >>> import srcgrad as flow
    >>> flow.get_default_device()
    device(type='cpu')
    """
    return _default


_device = device


# ---- the library of a device ----
@cache
def library() -> Any:
    """CuPy, on a machine where it finds a device; RuntimeError otherwise, with the way out."""
    try:
        cupy = import_module("cupy")
        count = cupy.cuda.runtime.getDeviceCount()
    except ImportError:
        raise TensorError("tensors on a CUDA device need CuPy", None, INSTALL) from None
    except RuntimeError as error:
        raise TensorError(f"no CUDA device can be used: {error}", None, INSTALL) from None
    if not count:
        raise TensorError("there is no CUDA device", None, INSTALL)
    return cupy


def namespace(a: Any) -> Any:
    """The library that makes arrays like `a`: NumPy, or CuPy for memory on a device."""
    return library() if on_device(a) else np


# ---- arrays ----
def is_own(a: Any) -> bool:
    """Whether each element of an array may be written: no two of them share memory."""
    return 0 not in a.strides if on_device(a) else a.flags.writeable


def alike(operands: Any, dtype: Any) -> list[Any]:
    """Arrays of a device, and numbers, which become NumPy's scalars there, in one dtype."""
    return [array_of(a, dtype) if is_array(a) else dtype.type(a) for a in beside(operands)]


def beside(operands: Any) -> Any:
    """The operands; if one is on a device, 0-d arrays of the CPU become scalars."""
    for a in operands:
        if type(a) is not np.ndarray and on_device(a):
            return [a[()] if type(a) is np.ndarray and not a.ndim else a for a in operands]
    return operands


def device_of(a: Any) -> device:
    """The device that an array is on."""
    return device("cuda", int(a.device.id)) if on_device(a) else CPU


def moved(a: Any, to: device) -> Any:
    """The array on a device: itself if it is there, a copy otherwise."""
    if to.type == "cpu":
        return library().asnumpy(a) if on_device(a) else a
    cupy = library()
    index = cupy.cuda.runtime.getDevice() if to.index is None else to.index
    if index >= cupy.cuda.runtime.getDeviceCount():
        raise TensorError(f"CUDA error: invalid device ordinal: there is no {to}")
    if on_device(a) and int(a.device.id) == index:
        return a
    with cupy.cuda.Device(index):
        return cupy.asarray(a)


def placed(a: Any, to: Any) -> Any:
    """The array on the requested device; without one, NumPy's go to the default device."""
    if to is None and (_default is CPU or on_device(a)):
        return a
    return moved(a, _default if to is None else device(to))


def check_one_device(arrays: Any) -> None:
    """Raises RuntimeError for arrays on several devices."""
    found = dict.fromkeys(device_of(a) for a in arrays if is_array(a))
    if len(found) > 1:
        names = " and ".join(map(str, list(found)[:2]))
        raise TensorError(
            "Expected all tensors to be on the same device, but found at least two devices, "
            f"{names}!"
        )
