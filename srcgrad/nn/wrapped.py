"""Activations and losses as modules: each holds the arguments of a function of `functional`."""

from __future__ import annotations

import inspect
from typing import Any

from srcgrad.errors import TensorTypeError
from srcgrad.nn import functional
from srcgrad.nn.module import Module

_ACTIVATIONS = {
    "ReLU": "relu", "Sigmoid": "sigmoid", "Tanh": "tanh", "ELU": "elu", "CELU": "celu",
    "SELU": "selu", "LeakyReLU": "leaky_relu", "Hardtanh": "hardtanh", "ReLU6": "relu6",
    "Hardsigmoid": "hardsigmoid", "Hardswish": "hardswish", "GELU": "gelu", "SiLU": "silu",
    "Softplus": "softplus", "Mish": "mish", "Softsign": "softsign", "LogSigmoid": "logsigmoid",
    "Threshold": "threshold", "Softmax": "softmax", "LogSoftmax": "log_softmax", "GLU": "glu",
    "Hardshrink": "hardshrink", "Softshrink": "softshrink", "Tanhshrink": "tanhshrink",
}  # fmt: skip
_LOSSES = {
    "MSELoss": "mse_loss", "L1Loss": "l1_loss", "SmoothL1Loss": "smooth_l1_loss",
    "HuberLoss": "huber_loss", "NLLLoss": "nll_loss", "CrossEntropyLoss": "cross_entropy",
    "BCELoss": "binary_cross_entropy", "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
    "KLDivLoss": "kl_div",
}  # fmt: skip


def _module(name: str, function: Any, tensors: int) -> type[Module]:
    """A module whose arguments are the function's after its tensors."""
    try:
        options = list(inspect.signature(function).parameters.values())[tensors:]
    except ValueError:
        options = []
    names = [o.name for o in options if o.name != "inplace"]

    class Wrapped(Module):
        def __init__(self, *args: Any, **params: Any) -> None:
            super().__init__()
            params.pop("inplace", None)
            if len(args) > len(names) or set(params) - set(names):
                raise TensorTypeError(f"{name}() takes the arguments {', '.join(names) or 'none'}")
            self._options = {**dict(zip(names, args, strict=False)), **params}

        def forward(self, *tensors: Any) -> Any:
            return function(*tensors, **self._options)

        def extra_repr(self) -> str:
            return ", ".join(f"{k}={v}" for k, v in self._options.items())

    Wrapped.__name__ = Wrapped.__qualname__ = name
    Wrapped.__doc__ = f"`functional.{function.__name__}` as a module, its options held."
    return Wrapped


CLASSES = {
    **{n: _module(n, functional._ROWS[f], 1) for n, f in _ACTIVATIONS.items()},
    **{n: _module(n, getattr(functional, f), 2) for n, f in _LOSSES.items()},
}
