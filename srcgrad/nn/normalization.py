"""Normalisation as modules, with PyTorch's arguments: batches, layers, groups of channels."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager import Tensor, create
from srcgrad.eager.functions.normalizations import moved
from srcgrad.errors import ArgumentValueError
from srcgrad.nn import functional
from srcgrad.nn.module import Module
from srcgrad.nn.parameter import Buffer, Parameter


def _affine(module: Module, shape: Any, weight: bool, bias: bool, dtype: Any, device: Any) -> None:
    """Gives a module a weight of ones and a bias of zeros, each on request."""
    for name, wanted, made in (("weight", weight, create.ones), ("bias", bias, create.zeros)):
        start = Parameter(made(shape, dtype=dtype, device=device)) if wanted else None
        module.register_parameter(name, start)


class _BatchNorm(Module):
    """Channels normalised to mean 0 and variance 1: in training by the batch, else by averages.

    In training, average += momentum * (batch - average), the variance there divided by n - 1;
    a momentum of None makes it the mean of all batches.
    """

    num_features: int
    eps: float
    momentum: float | None
    affine: bool
    track_running_stats: bool

    ranks: tuple[int, ...]

    def __init__(
        self, num_features: int, eps: float = 1e-05, momentum: float | None = 0.1,
        affine: bool = True, track_running_stats: bool = True, device: Any = None,
        dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        _affine(self, (num_features,), affine, affine and bias, dtype, device)
        rows: dict[str, Any] = {"running_mean": None, "running_var": None}
        rows["num_batches_tracked"] = None
        if track_running_stats:
            rows["running_mean"] = create.zeros(num_features, dtype=dtype, device=device)
            rows["running_var"] = create.ones(num_features, dtype=dtype, device=device)
            rows["num_batches_tracked"] = create.tensor(np.int64(0), device=device)
        for name, start in rows.items():
            self.register_buffer(name, None if start is None else Buffer(start))

    def forward(self, input: Tensor) -> Tensor:
        if input.ndim not in self.ranks:
            wanted = " or ".join(f"{n}D" for n in self.ranks)
            raise ArgumentValueError(f"expected {wanted} input (got {input.ndim}D input)")
        batch = self.training or self.running_mean is None
        weight = 0.0 if self.momentum is None else self.momentum
        if self.training and self.num_batches_tracked is not None:
            moved(self.num_batches_tracked, self.num_batches_tracked + 1, 1.0)
            if self.momentum is None:
                weight = 1.0 / float(self.num_batches_tracked)
        kept = not self.training or self.track_running_stats
        return functional.batch_norm(
            input, self.running_mean if kept else None, self.running_var if kept else None,
            self.weight, self.bias, batch, weight, self.eps,
        )  # fmt: skip

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.affine}, track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(_BatchNorm):
    """Batch normalisation of vectors or sequences: (batch, channels) or (batch, channels, length).

    >>> import srcgrad as flow
    >>> norm = flow.nn.BatchNorm1d(1)
    >>> norm(flow.tensor([[1.0], [3.0]])).round().tolist(), norm.running_mean.item()
    ([[-1.0], [1.0]], 0.20000000298023224)
    """

    ranks: tuple[int, ...] = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalisation of images: dims (batch, channels, height, width).

    >>> import srcgrad as flow
    >>> flow.nn.BatchNorm2d(3)(flow.ones(2, 3, 4, 4)).shape
    srcgrad.Size([2, 3, 4, 4])
    """

    ranks: tuple[int, ...] = (4,)


class LayerNorm(Module):
    """`functional.layer_norm` with an initial weight of ones and an initial bias of zeros.

    >>> import srcgrad as flow
    >>> flow.nn.LayerNorm(2)(flow.tensor([[1.0, 3.0]])).round().tolist()
    [[-1.0, 1.0]]
    """

    normalized_shape: tuple[int, ...]
    eps: float

    def __init__(
        self, normalized_shape: Any, eps: float = 1e-05, elementwise_affine: bool = True,
        bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else normalized_shape
        self.normalized_shape, self.eps = tuple(shape), eps
        self.elementwise_affine = elementwise_affine
        _affine(
            self, self.normalized_shape, elementwise_affine, elementwise_affine and bias, dtype,
            device,
        )  # fmt: skip

    def forward(self, input: Tensor) -> Tensor:
        return functional.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, affine={self.elementwise_affine}"


class GroupNorm(Module):
    """`functional.group_norm` with an initial weight of ones and an initial bias of zeros.

    >>> import srcgrad as flow
    >>> flow.nn.GroupNorm(2, 4)(flow.ones(1, 4, 3, 3)).shape
    srcgrad.Size([1, 4, 3, 3])
    """

    num_groups: int
    num_channels: int
    eps: float

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-05, affine: bool = True,
        device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        if num_channels % num_groups:
            raise ArgumentValueError(
                f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})"
            )
        self.num_groups, self.num_channels, self.eps = num_groups, num_channels, eps
        self.affine = affine
        _affine(self, (num_channels,), affine, affine and bias, dtype, device)

    def forward(self, input: Tensor) -> Tensor:
        return functional.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}"
