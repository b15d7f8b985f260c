"""`flow.autograd`: backward passes on tensors, modes, and functions with their own derivative."""

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


def Variable(data: Tensor, requires_grad: bool = False) -> Tensor:
    """The tensor itself, detached: the old spelling of a tensor that requires grad."""
    return data.detach().requires_grad_(requires_grad)


__all__ = [
    "Function", "Variable", "backward", "enable_grad", "grad", "inference_mode",
    "is_grad_enabled", "no_grad", "set_grad_enabled",
]  # fmt: skip
