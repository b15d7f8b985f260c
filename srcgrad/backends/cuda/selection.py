"""Which device programs run on: the one of `using`, within its block."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from srcgrad.backends.cuda.device import Device
from srcgrad.backends.cuda.simulator import Simulator

_CHOSEN: ContextVar[Device | None] = ContextVar("device", default=None)


def current() -> Device:
    """The device of this context: the one of `using`, else the simulator."""
    chosen = _CHOSEN.get()
    if chosen is None:
        return Simulator()
    return chosen


@contextmanager
def using(device: Device) -> Iterator[None]:
    """Run programs on this device within the block."""
    token = _CHOSEN.set(device)
    try:
        yield
    finally:
        _CHOSEN.reset(token)
