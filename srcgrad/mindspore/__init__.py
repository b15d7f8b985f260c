"""`srcgrad.mindspore`: the names of MindSpore, with its arguments and defaults.

    import srcgrad.mindspore as ms
    from srcgrad.mindspore import nn, ops, amp

`ms.grad`, `ms.value_and_grad`, `ms.Tensor`, `ms.Parameter` and the dtypes are those of `srcgrad`;
`nn`, `ops` and `amp` have MindSpore's layers, functions and loss scalers. What `srcgrad.nn` has by
the same name takes PyTorch's arguments. Names are loaded when first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from srcgrad.mindspore import amp, nn, ops
    from srcgrad.mindspore.parameter import Parameter, ParameterTuple

_MODULES = ("amp", "dtype", "nn", "ops")
# names of MindSpore that are not here, and what to write instead
_ELSEWHERE = {
    "Model": "write the loop: loss, grads = ms.value_and_grad(...)(data, label); optimizer(grads)",
    "dataset": "srcgrad.utils.data has DataLoader and TensorDataset, or iterate over arrays",
    "train": "write the loop: loss, grads = ms.value_and_grad(...)(data, label); optimizer(grads)",
    "context": "write ms.set_context(mode=ms.GRAPH_MODE)",
    "export": "write ms.save_checkpoint",
    "ms_function": "write ms.jit",
    "ms_class": "write ms.jit",
    "jit_class": "leave it out: classes are compiled",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"srcgrad.mindspore.{name}")
    if name in _ELSEWHERE:
        raise AttributeError(f"module 'srcgrad.mindspore' has no {name!r}: {_ELSEWHERE[name]}")
    return getattr(importlib.import_module("srcgrad"), name)


def __dir__() -> list[str]:
    own = {*dir(importlib.import_module("srcgrad")), *_MODULES}
    return sorted(own - {*_ELSEWHERE})


__all__ = ["Parameter", "ParameterTuple", "amp", "nn", "ops"]
