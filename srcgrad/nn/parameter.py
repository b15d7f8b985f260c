"""`Parameter`: a leaf tensor that requires grad and is printed as one."""

from __future__ import annotations

from typing import Any

from srcgrad.eager import Tensor
from srcgrad.errors import TensorTypeError


class Parameter(Tensor):
    """A tensor to be trained: shares the memory of `data`, requires grad by default.

    >>> import srcgrad as flow
    >>> flow.nn.Parameter(flow.ones(2))
    Parameter containing:
    tensor([1., 1.], dtype=srcgrad.float32, requires_grad=True)
    """

    srcgrad_weight = True  # it may be one of the weights of a transform
    name: str = "Parameter"  # until a cell gives it the name of an attribute

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        if data is not None and not isinstance(data, Tensor):
            raise TensorTypeError(f"Parameter data must be a Tensor, not {type(data).__name__}")
        self = super().__new__(cls, [])
        if data is not None:
            self._a = data._a
        self.requires_grad = requires_grad
        return self

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()
