"""`flow.ops`: MindSpore's functions of tensors, those of `srcgrad.mindspore.ops`."""

from __future__ import annotations

from typing import Any

from srcgrad.mindspore import ops as _ops
from srcgrad.mindspore.ops import *  # noqa: F403  (the names of its `__all__`)


def __getattr__(name: str) -> Any:
    return getattr(_ops, name)


def __dir__() -> list[str]:
    return dir(_ops)
