"""`Parameter`: a leaf tensor that requires grad; `Buffer`: a tensor of a module's state."""

from __future__ import annotations

from typing import Any, Self

from srcgrad.eager import Tensor, create
from srcgrad.eager.functions import fills
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

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Self:
        if data is not None and not isinstance(data, Tensor):
            raise TensorTypeError(f"Parameter data must be a Tensor, not {type(data).__name__}")
        self = super().__new__(cls, [])
        if data is not None:
            self._a = data._a
        self.requires_grad = requires_grad
        return self

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()


class Buffer(Tensor):
    """A tensor that is part of a module's state and is not trained; shares the memory of `data`.

    Compiled transforms write to it what the module's calls write: averages, counts.

    >>> import srcgrad as flow
    >>> flow.nn.Buffer(flow.ones(2))
    tensor([1., 1.], dtype=srcgrad.float32)
    """

    srcgrad_parameter = True
    name: str = "buffer"
    persistent: bool

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Self:
        self = super().__new__(cls, [])
        if data is not None:
            self._a = data._a
        self.persistent = persistent
        return self

    @property
    def srcgrad_value(self) -> Any:
        """The value in compiled code: the array, which is stored to also without dims."""
        return self._a

    def __deepcopy__(self, memo: dict[Any, Any]) -> Buffer:
        made = memo[id(self)] = Buffer(self.detach().clone(), persistent=self.persistent)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return _buffer, (self._a, self.persistent)


def _buffer(a: Any, persistent: bool) -> Buffer:
    return Buffer(Tensor(a), persistent=persistent)


def drawn(width: float, shape: Any, dtype: Any = None, device: Any = None) -> Parameter:
    """A Parameter drawn from the uniform distribution on [-width, width]."""
    start = create.empty(*shape, dtype=dtype, device=device)
    return Parameter(fills.uniform_(start, -width, width))
