"""`flow.autograd`: backward passes on tensors, grad modes, gradient checks, custom functions."""

import importlib
from typing import TYPE_CHECKING, Any

from srcgrad.eager import Tensor
from srcgrad.eager.engine import backward, grad
from srcgrad.eager.function import Function
from srcgrad.eager.mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
)
from srcgrad.namespace import publish
from srcgrad.tracebacks import entered

if TYPE_CHECKING:
    from srcgrad.autograd import functional, graph
    from srcgrad.autograd.anomaly import detect_anomaly, is_anomaly_enabled, set_detect_anomaly
    from srcgrad.autograd.checks import GradcheckError, gradcheck, gradgradcheck

_HOMES = {  # imported at first use
    "GradcheckError": "checks", "detect_anomaly": "anomaly", "gradcheck": "checks",
    "gradgradcheck": "checks", "is_anomaly_enabled": "anomaly", "set_detect_anomaly": "anomaly",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(importlib.import_module(f"srcgrad.autograd.{_HOMES[name]}"), name)
        value = entered({name: value}, __name__).get(name, value)  # a class stays the same object
    elif name in ("functional", "graph"):
        value = importlib.import_module(f"srcgrad.autograd.{name}")
    else:
        raise AttributeError(f"module 'srcgrad.autograd' has no attribute {name!r}")
    globals()[name] = value
    return value


def Variable(data: Tensor, requires_grad: bool = False) -> Tensor:
    """The data detached, requiring grad on request: the old spelling of `requires_grad_`.

    >>> import srcgrad as flow
    >>> flow.autograd.Variable(flow.tensor([1.0]), requires_grad=True).requires_grad
    True
    """
    return data.detach().requires_grad_(requires_grad)


__all__ = [
    "Function", "GradcheckError", "Variable", "backward", "detect_anomaly", "enable_grad",
    "functional", "grad", "gradcheck", "gradgradcheck", "graph", "inference_mode",
    "is_anomaly_enabled", "is_grad_enabled", "no_grad", "set_detect_anomaly", "set_grad_enabled",
]  # fmt: skip
publish(globals())
