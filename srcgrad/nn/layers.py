"""Layers: a linear map, normalisation, embedding, dropout, modules in sequence. No derivative."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from srcgrad.eager import Tensor, create
from srcgrad.eager.functions import fills
from srcgrad.eager.functions.layers import padded_row
from srcgrad.nn import functional
from srcgrad.nn.module import Module
from srcgrad.nn.parameter import Parameter


class Linear(Module):
    """x @ weight.T + bias; drawn from a uniform distribution of width 1 / sqrt(in_features).

    >>> import srcgrad as flow
    >>> flow.nn.Linear(3, 2)(flow.ones(5, 3)).shape
    srcgrad.Size([5, 2])
    """

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        width = 1.0 / math.sqrt(in_features) if in_features else 0.0

        def drawn(*shape: int) -> Parameter:
            return Parameter(
                fills.uniform_(create.empty(*shape, dtype=dtype, device=device), -width, width)
            )

        self.weight = drawn(out_features, in_features)
        if bias:
            self.bias = drawn(out_features)
        else:
            self.register_parameter("bias", None)

    def forward(self, input: Tensor) -> Tensor:
        return functional.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class LayerNorm(Module):
    """`functional.layer_norm` with an initial weight of ones and an initial bias of zeros."""

    def __init__(
        self, normalized_shape: Any, eps: float = 1e-05, elementwise_affine: bool = True
    ) -> None:
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else normalized_shape
        self.normalized_shape, self.eps = tuple(shape), eps
        for name, made in (("weight", create.ones), ("bias", create.zeros)):
            start = Parameter(made(self.normalized_shape)) if elementwise_affine else None
            self.register_parameter(name, start)

    def forward(self, input: Tensor) -> Tensor:
        return functional.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}"


class Embedding(Module):
    """Rows of a matrix at integer indices, drawn from the normal distribution.

    The row `padding_idx` is zero at first and gets no gradient.
    """

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None
    ) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        start = create.randn(num_embeddings, embedding_dim)
        if padding_idx is not None:
            padding_idx = padded_row(padding_idx, num_embeddings)
            start.select(0, padding_idx).zero_()
        self.padding_idx, self.weight = padding_idx, Parameter(start)

    def forward(self, input: Tensor) -> Tensor:
        return functional.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"


class Dropout(Module):
    """Drops elements with probability p in training, nothing otherwise."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        return functional.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Flatten(Module):
    """The dims from `start_dim` to `end_dim` merged into one."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)


class Identity(Module):
    """The input itself."""

    def __init__(self, *args: Any, **params: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        return input


# ---- several modules ----
class ModuleList(Module):
    """Modules by number."""

    srcgrad_parts = "_modules"  # the parts that compiled code iterates over

    def __init__(self, modules: Any = ()) -> None:
        super().__init__()
        for m in modules:
            self.append(m)

    def append(self, module: Module) -> ModuleList:
        """Adds a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def __getitem__(self, k: Any) -> Any:
        made = list(self._modules.values())[k]
        return type(self)(made) if isinstance(k, slice) else made


class Sequential(ModuleList):
    """Modules in sequence: each gets the result of the one before."""

    def __init__(self, *modules: Any) -> None:
        if len(modules) == 1 and not isinstance(modules[0], Module):
            given = modules[0]
            Module.__init__(self)
            items = given.items() if isinstance(given, dict) else enumerate(given)
            for name, m in items:
                self.add_module(str(name), m)
        else:
            super().__init__(modules)

    def forward(self, input: Any) -> Any:
        for m in self:
            input = m(input)
        return input


class ParameterList(Module):
    """Parameters by number."""

    def __init__(self, parameters: Any = ()) -> None:
        super().__init__()
        for p in parameters:
            self.register_parameter(str(len(self)), p if isinstance(p, Parameter) else Parameter(p))

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parameters.values())

    def __getitem__(self, k: int) -> Any:
        return list(self._parameters.values())[k]
