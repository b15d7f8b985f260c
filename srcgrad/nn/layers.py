"""Layers: a linear map, embedding, dropout, reshaping, with PyTorch's arguments. No derivative."""

from __future__ import annotations

import math
from typing import Any

from srcgrad.eager import Tensor, create
from srcgrad.eager.functions.layers import padded_row
from srcgrad.errors import ArgumentValueError
from srcgrad.nn import functional
from srcgrad.nn.module import Module
from srcgrad.nn.parameter import Parameter, drawn


class Linear(Module):
    """x @ weight.T + bias; drawn from a uniform distribution of width 1 / sqrt(in_features).

    >>> import srcgrad as flow
    >>> flow.nn.Linear(3, 2)(flow.ones(5, 3)).shape
    srcgrad.Size([5, 2])
    """

    in_features: int
    out_features: int

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        width = 1.0 / math.sqrt(in_features) if in_features else 0.0
        self.weight: Parameter = drawn(width, (out_features, in_features), dtype, device)
        if bias:
            self.bias: Parameter = drawn(width, (out_features,), dtype, device)
        else:
            self.register_parameter("bias", None)

    def forward(self, input: Tensor) -> Tensor:
        return functional.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class Embedding(Module):
    """Rows of a matrix at integer indices, drawn from the normal distribution.

    The row `padding_idx` is zero at first and gets no gradient.

    >>> import srcgrad as flow
    >>> flow.nn.Embedding(5, 3)(flow.tensor([1, 4])).shape
    srcgrad.Size([2, 3])
    """

    num_embeddings: int
    embedding_dim: int
    max_norm: float | None
    norm_type: float
    scale_grad_by_freq: bool
    sparse: bool
    padding_idx: int | None
    weight: Parameter

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None,
        max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False,
        sparse: bool = False, _weight: Tensor | None = None, _freeze: bool = False,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        start = _weight
        if start is None:
            start = create.randn(num_embeddings, embedding_dim, dtype=dtype, device=device)
        elif tuple(start.shape) != (num_embeddings, embedding_dim):
            raise ArgumentValueError("Shape of weight does not match num_embeddings, embedding_dim")
        if padding_idx is not None:
            padding_idx = padded_row(padding_idx, num_embeddings)
            if _weight is None:
                start.select(0, padding_idx).zero_()
        self.padding_idx, self.weight = padding_idx, Parameter(start, not _freeze)

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None
    ) -> Embedding:
        """An embedding of given rows, which are not trained unless `freeze` is false."""
        n, width = embeddings.shape
        return cls(n, width, padding_idx, _weight=embeddings, _freeze=freeze)

    def forward(self, input: Tensor) -> Tensor:
        return functional.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type,
            self.scale_grad_by_freq, self.sparse,
        )  # fmt: skip

    def extra_repr(self) -> str:
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"


class PReLU(Module):
    """x above zero, a learnt multiple of it below: one, or one for each index of dim 1.

    >>> import srcgrad as flow
    >>> flow.nn.PReLU()(flow.tensor([-1.0, 2.0])).tolist()
    [-0.25, 2.0]
    """

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        start = create.full((num_parameters,), init, dtype=dtype, device=device)
        self.weight: Parameter = Parameter(start)

    def forward(self, input: Tensor) -> Tensor:
        return functional.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class Dropout(Module):
    """Drops elements with probability p in training, nothing otherwise.

    >>> import srcgrad as flow
    >>> flow.nn.Dropout(0.5).eval()(flow.tensor([1.0, 2.0]))
    tensor([1., 2.], dtype=srcgrad.float32)
    """

    p: float
    inplace: bool

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ArgumentValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        return functional.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Flatten(Module):
    """The dims from `start_dim` to `end_dim` merged into one.

    >>> import srcgrad as flow
    >>> flow.nn.Flatten()(flow.ones(2, 3, 4)).shape
    srcgrad.Size([2, 12])
    """

    start_dim: int
    end_dim: int

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)


class Identity(Module):
    """The input itself.

    >>> import srcgrad as flow
    >>> flow.nn.Identity()(flow.tensor([1.0]))
    tensor([1.], dtype=srcgrad.float32)
    """

    def __init__(self, *args: Any, **params: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        return input
