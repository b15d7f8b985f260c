"""`flow.ops`: MindSpore's functions of tensors, those of `srcgrad.mindspore.ops`."""

from __future__ import annotations

from typing import Any

from srcgrad.mindspore import ops as _ops
from srcgrad.mindspore.ops import (
    HyperMap,
    Map,
    MultitypeFuncGraph,
    assign,
    assign_add,
    assign_sub,
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    clip_by_global_norm,
    clip_by_norm,
    clip_by_value,
    depend,
    log_softmax,
    ones,
    partial,
    select,
    softmax,
    zeros,
)

__all__ = [
    "HyperMap",
    "Map",
    "MultitypeFuncGraph",
    "assign",
    "assign_add",
    "assign_sub",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "depend",
    "log_softmax",
    "ones",
    "partial",
    "select",
    "softmax",
    "zeros",
]


def __getattr__(name: str) -> Any:
    return getattr(_ops, name)


def __dir__() -> list[str]:
    return dir(_ops)
