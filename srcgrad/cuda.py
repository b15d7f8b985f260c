"""GPUs: lists them, selects the current one and waits for it. `target="cuda"` runs there.

Names and meanings are PyTorch's. Without a GPU `is_available()` is False and `device_count()` is 0;
everything else raises an error that says what is missing and how to get it.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any

from srcgrad.backends.cuda.gpu import gpu
from srcgrad.backends.cuda.machine import machine
from srcgrad.errors import DeviceError
from srcgrad.namespace import publish

__all__ = [
    "current_device",
    "device",
    "device_count",
    "empty_cache",
    "get_device_capability",
    "get_device_name",
    "is_available",
    "memory_allocated",
    "set_device",
    "synchronize",
]


def is_available() -> bool:
    """Whether programs run on a GPU here: packages, a driver and a device are there.

    >>> isinstance(is_available(), bool)
    True
    """
    return not machine().problem


def device_count() -> int:
    """The number of GPUs that can be used.

    >>> import srcgrad as flow
    >>> (flow.cuda.device_count() > 0) == flow.cuda.is_available()
    True
    """
    return len(machine().devices) if is_available() else 0


def current_device() -> int:
    """The number of the current GPU, which is CuPy's.

    >>> import srcgrad as flow
    >>> flow.cuda.current_device() >= 0 if flow.cuda.is_available() else True
    True
    """
    return _cupy().cuda.Device().id


def set_device(device: int) -> None:
    """Makes a GPU the current one, for CuPy as well.

    >>> import srcgrad as flow
    >>> if flow.cuda.is_available():
    ...     flow.cuda.set_device(0)
    """
    _device(device).use()


def device(device: int) -> AbstractContextManager[Any]:
    """A block in which this GPU is the current one.

    >>> import srcgrad as flow
    >>> numbers = range(flow.cuda.device_count())
    >>> for k in numbers:
    ...     with flow.cuda.device(k):
    ...         assert flow.cuda.current_device() == k
    """
    return _device(device)


def synchronize(device: int | None = None) -> None:
    """Waits until the GPU has finished all work queued so far.

    >>> import srcgrad as flow
    >>> if flow.cuda.is_available():
    ...     flow.cuda.synchronize()
    """
    with _device(current_device() if device is None else device):
        _cupy().cuda.runtime.deviceSynchronize()


def get_device_name(device: int | None = None) -> str:
    """The driver's name of a GPU.

    >>> import srcgrad as flow
    >>> numbers = range(flow.cuda.device_count())
    >>> all(flow.cuda.get_device_name(k) for k in numbers)
    True
    """
    number = current_device() if device is None else _checked(device)
    return machine().devices[number].rpartition(" (")[0]


def get_device_capability(device: int | None = None) -> tuple[int, int]:
    """The compute capability: (9, 0) is sm_90.

    >>> import srcgrad as flow
    >>> numbers = range(flow.cuda.device_count())
    >>> all(flow.cuda.get_device_capability(k) >= (5, 0) for k in numbers)
    True
    """
    return gpu(current_device() if device is None else _checked(device)).capability


def memory_allocated() -> int:
    """The bytes of CuPy's pool that arrays use.

    >>> import srcgrad as flow
    >>> flow.cuda.memory_allocated() >= 0 if flow.cuda.is_available() else True
    True
    """
    return _cupy().get_default_memory_pool().used_bytes()


def empty_cache() -> None:
    """Frees the memory of CuPy's pool that no array uses.

    >>> import srcgrad as flow
    >>> if flow.cuda.is_available():
    ...     flow.cuda.empty_cache()
    """
    _cupy().get_default_memory_pool().free_all_blocks()


def _cupy() -> Any:
    machine().check()
    return import_module("cupy")


def _device(number: int) -> Any:
    number = _checked(number)
    return import_module("cupy").cuda.Device(number)


def _checked(number: int) -> int:
    machine().check()
    count = device_count()
    if not 0 <= number < count:
        raise DeviceError(f"there is no GPU {number}", None, f"the GPUs here are 0 to {count - 1}")
    return number


publish(globals())
