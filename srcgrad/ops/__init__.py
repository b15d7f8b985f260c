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
    cast,
    clip_by_global_norm,
    clip_by_norm,
    clip_by_value,
    concat,
    cumsum,
    dense,
    depend,
    expand_dims,
    gather,
    leaky_relu,
    log_softmax,
    mean,
    one_hot,
    ones,
    partial,
    select,
    smooth_l1_loss,
    softmax,
    split,
    squeeze,
    stack,
    std,
    transpose,
    var,
    zeros,
)

__all__ = [
    "HyperMap", "Map", "MultitypeFuncGraph", "assign", "assign_add", "assign_sub",
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cast", "clip_by_global_norm",
    "clip_by_norm", "clip_by_value", "concat", "cumsum", "dense", "depend", "expand_dims",
    "gather", "leaky_relu", "log_softmax", "mean", "one_hot", "ones", "partial", "select",
    "smooth_l1_loss", "softmax", "split", "squeeze", "stack", "std", "transpose", "var",
    "zeros",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    return getattr(_ops, name)


def __dir__() -> list[str]:
    return dir(_ops)
