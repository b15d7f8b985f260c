"""`flow.nn.utils`: clips gradients, flattens parameters. Changes `grad` in place only."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager import Tensor
from srcgrad.eager.mode import no_grad
from srcgrad.eager.tensor import make
from srcgrad.errors import TensorError
from srcgrad.namespace import publish


def _gradients(parameters: Any) -> list[Tensor]:
    params = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    return [p.grad for p in params if p.grad is not None]


def clip_grad_norm_(
    parameters: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:  # fmt: skip
    """Scales the gradients so that their norm, taken together, is at most `max_norm`.

    Returns the norm before. RuntimeError for one that is not finite, on request.

    >>> import srcgrad as flow
    >>> w = flow.nn.Parameter(flow.tensor([3.0, 4.0]))
    >>> (w * w / 2).sum().backward()
    >>> flow.nn.utils.clip_grad_norm_([w], 1.0)
    tensor(5., dtype=srcgrad.float32)
    """
    grads = _gradients(parameters)
    if not grads:
        return make(np.zeros((), np.float32))
    parts = np.array([np.linalg.norm(g._a.ravel(), norm_type) for g in grads])
    total = np.asarray(np.linalg.norm(parts, norm_type), grads[0]._a.dtype)
    if error_if_nonfinite and not np.isfinite(total):
        raise TensorError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, "
            "so it cannot be clipped."
        )
    scale = min(float(max_norm / (total + 1e-6)), 1.0)
    with no_grad():
        for g in grads:
            g.mul_(scale)
    return make(total)


def clip_grad_value_(parameters: Any, clip_value: float, foreach: bool | None = None) -> None:
    """Clamps each element of the gradients to [-clip_value, clip_value].

    >>> import srcgrad as flow
    >>> w = flow.ones(2, requires_grad=True)
    >>> (w * flow.tensor([3.0, -0.5])).sum().backward()
    >>> flow.nn.utils.clip_grad_value_([w], 1.0)
    >>> w.grad
    tensor([ 1.0000, -0.5000], dtype=srcgrad.float32)
    """
    with no_grad():
        for g in _gradients(parameters):
            g.clamp_(-clip_value, clip_value)


def parameters_to_vector(parameters: Any) -> Tensor:
    """The parameters' elements as one vector; gradients flow back.

    >>> import srcgrad as flow
    >>> flow.nn.utils.parameters_to_vector([flow.ones(2), flow.zeros(1)])
    tensor([1., 1., 0.], dtype=srcgrad.float32)
    """
    from srcgrad.eager.functions.shapes import cat, reshape

    return cat([reshape(p, -1) for p in parameters])


def vector_to_parameters(vec: Tensor, parameters: Any) -> None:
    """Writes the elements of a vector into the parameters, in order.

    >>> import srcgrad as flow
    >>> w = flow.zeros(2)
    >>> flow.nn.utils.vector_to_parameters(flow.tensor([1.0, 2.0]), [w])
    >>> w
    tensor([1., 2.], dtype=srcgrad.float32)
    """
    at = 0
    with no_grad():
        for p in parameters:
            p.copy_(vec[at : at + p.numel()].view(p.shape))
            at += p.numel()


__all__ = ["clip_grad_norm_", "clip_grad_value_", "parameters_to_vector", "vector_to_parameters"]
publish(globals())
