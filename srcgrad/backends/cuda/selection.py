"""The device that programs run on: the one of `using` within its block, else the current GPU."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from srcgrad.backends.cuda.device import Device
from srcgrad.backends.cuda.gpu import current_gpu

_CHOSEN: ContextVar[Device | None] = ContextVar("device", default=None)


def current() -> Device:
    """The device of this context; an error that names what is missing if there is none."""
    return _CHOSEN.get() or current_gpu()


@contextmanager
def using(device: Device) -> Iterator[None]:
    """Runs programs on this device within the block."""
    token = _CHOSEN.set(device)
    try:
        yield
    finally:
        _CHOSEN.reset(token)
