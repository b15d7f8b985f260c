"""`srcgrad.mindspore.ops`: functions of tensors by MindSpore's names, and the transforms.

All functions of the table are here too: `ops.sin` is `flow.sin`. `srcgrad.ops` is the same.
"""

from __future__ import annotations

import importlib
from typing import Any

from srcgrad.errors import nearest
from srcgrad.mindspore.ops import operators
from srcgrad.mindspore.ops.assignments import assign, assign_add, assign_sub, depend
from srcgrad.mindspore.ops.clipping import clip_by_global_norm, clip_by_norm, clip_by_value
from srcgrad.mindspore.ops.maps import HyperMap, Map, MultitypeFuncGraph, partial
from srcgrad.mindspore.ops.named import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cast,
    concat,
    cumsum,
    dense,
    expand_dims,
    gather,
    leaky_relu,
    log_softmax,
    mean,
    one_hot,
    ones,
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
from srcgrad.namespace import publish
from srcgrad.tracebacks import entered

_OF_API = (
    "GradOperation", "get_grad", "grad", "jacfwd", "jacrev", "jvp", "linearize", "stop_gradient",
    "value_and_grad", "vjp", "vmap",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in operators.OPERATORS:
        return getattr(operators, name)
    if name in _OF_API:
        return getattr(importlib.import_module("srcgrad.api"), name)
    functional = importlib.import_module("srcgrad.nn.functional")
    if not name.startswith("_") and hasattr(functional, name):
        return getattr(functional, name)
    public = {} if name.startswith("_") else importlib.import_module("srcgrad.eager").PUBLIC
    if name not in public:
        near = "" if name.startswith("_") else nearest(name, __dir__())
        said = (
            f"Did you mean: '{near}'?" if near else "The functions of flow and NumPy are followed"
        )
        raise AttributeError(f"module 'srcgrad.ops' has no attribute {name!r}. {said}", name=name)
    return public[name]


def __dir__() -> list[str]:
    functional = importlib.import_module("srcgrad.nn.functional").__all__
    public = importlib.import_module("srcgrad.eager").PUBLIC
    return sorted({*__all__, *operators.OPERATORS, *_OF_API, *functional, *public})


__all__ = [
    "HyperMap",
    "Map",
    "MultitypeFuncGraph",
    "assign",
    "assign_add",
    "assign_sub",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cast",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "concat",
    "cumsum",
    "dense",
    "depend",
    "expand_dims",
    "gather",
    "leaky_relu",
    "log_softmax",
    "mean",
    "one_hot",
    "ones",
    "partial",
    "select",
    "smooth_l1_loss",
    "softmax",
    "split",
    "squeeze",
    "stack",
    "std",
    "transpose",
    "var",
    "zeros",
]
publish(globals())
entered({n: getattr(operators, n) for n in operators.OPERATORS}, __name__)
