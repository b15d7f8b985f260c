"""`flow.autograd.graph`: shows and replaces the values that nodes save, by hooks of the user's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.eager import mode
from srcgrad.eager.graph import Node
from srcgrad.namespace import publish


class saved_tensors_hooks:
    """Inside, `pack` is called with each tensor that a node saves; `unpack` restores it.

    The result of `pack` is stored instead of the tensor: a file's name, an array of half precision.
    `unpack` must return a tensor of the same shape (TypeError in the backward pass otherwise).
    Compiled functions save their values themselves.

    >>> import srcgrad as flow
    >>> x = flow.tensor([1.0, 2.0], requires_grad=True)
    >>> def pack(t):
    ...     print("kept", t)
    ...     return t.numpy()
    >>> with flow.autograd.graph.saved_tensors_hooks(pack, flow.from_numpy):
    ...     y = x.exp()
    kept tensor([2.7183, 7.3891], dtype=srcgrad.float32)
    >>> y.sum().backward()
    >>> x.grad
    tensor([2.7183, 7.3891], dtype=srcgrad.float32)
    """

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]):
        self._hooks = pack_hook, unpack_hook

    def __enter__(self) -> None:
        mode.save_by((*mode.saving_stack(), self._hooks))

    def __exit__(self, *exc: object) -> None:
        mode.save_by(mode.saving_stack()[:-1])


__all__ = ["Node", "saved_tensors_hooks"]
publish(globals())
