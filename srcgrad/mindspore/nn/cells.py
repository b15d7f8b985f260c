"""Cells: a linear map, cells in sequence, a list of cells. No derivative."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from srcgrad.eager import Tensor
from srcgrad.errors import ArgumentValueError
from srcgrad.mindspore.nn.cell import Cell
from srcgrad.mindspore.nn.initializer import initial
from srcgrad.mindspore.parameter import Parameter
from srcgrad.nn import functional, wrapped
from srcgrad.nn.module import Module


class Dense(Cell):
    """x @ weight.T + bias, then an activation if one is named; the weight has shape (out, in).

    Drawn from a uniform distribution of width 1 / sqrt(in_channels) unless given otherwise.

    >>> import srcgrad as flow
    >>> dense = flow.nn.Dense(3, 2, weight_init="ones", bias_init="zeros")
    >>> dense(flow.ones(1, 3)).detach()
    tensor([[3., 3.]], dtype=srcgrad.float32)
    """

    in_channels: int
    out_channels: int
    has_bias: bool

    def __init__(
        self, in_channels: int, out_channels: int, weight_init: Any = None, bias_init: Any = None,
        has_bias: bool = True, activation: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.in_channels, self.out_channels, self.has_bias = in_channels, out_channels, has_bias
        width = 1.0 / math.sqrt(in_channels) if in_channels else 0.0
        shape = (out_channels, in_channels)
        self.weight: Parameter = Parameter(initial(weight_init, shape, dtype, width), name="weight")
        if has_bias:
            self.bias: Parameter = Parameter(
                initial(bias_init, (out_channels,), dtype, width), name="bias"
            )
        else:
            self.register_parameter("bias", None)
        self.activation: Any = activation_of(activation)

    def construct(self, x: Tensor) -> Tensor:
        out = functional.linear(x, self.weight, self.bias)
        return out if self.activation is None else self.activation(out)

    def extra_repr(self) -> str:
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
            f"has_bias={self.has_bias}"
        )


_ACTIVATIONS = {
    "relu": "ReLU", "relu6": "ReLU6", "sigmoid": "Sigmoid", "tanh": "Tanh", "gelu": "GELU",
    "elu": "ELU", "leakyrelu": "LeakyReLU", "softmax": "Softmax", "logsoftmax": "LogSoftmax",
    "hswish": "Hardswish", "hsigmoid": "Hardsigmoid", "logsigmoid": "LogSigmoid",
    "softplus": "Softplus", "silu": "SiLU", "mish": "Mish",
}  # fmt: skip


def activation_of(activation: Any) -> Any:
    """An activation by its name; a callable or None unchanged."""
    if not isinstance(activation, str):
        return activation
    if activation not in _ACTIVATIONS:
        raise ArgumentValueError(
            f"there is no activation {activation!r}: choose one of {', '.join(_ACTIVATIONS)}"
        )
    make = getattr(wrapped, _ACTIVATIONS[activation])
    return make(-1) if "softmax" in activation else make()


class CellList(Cell):
    """Cells by number, with which the names of their Parameters begin.

    >>> import srcgrad as flow
    >>> import srcgrad.mindspore as ms
    >>> len(ms.nn.CellList([ms.nn.Dense(2, 3), ms.nn.Dense(3, 1)]))
    2
    """

    srcgrad_parts = "_modules"  # the parts that compiled code iterates over

    def __init__(self, *args: Any, auto_prefix: bool = True) -> None:
        super().__init__(auto_prefix)
        given = args[0] if len(args) == 1 and not isinstance(args[0], Module) else args
        items = given.items() if isinstance(given, dict) else enumerate(given)
        for name, cell in items:
            self._insert(str(name), cell)

    def _insert(self, name: str, cell: Module) -> None:
        self._modules[name] = cell
        self._adopt(name, cell)

    def append(self, cell: Module) -> CellList:
        """Adds a cell at the end."""
        self._insert(str(len(self)), cell)
        return self

    def extend(self, cells: Any) -> CellList:
        """Adds cells at the end."""
        for cell in cells:
            self.append(cell)
        return self

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __getitem__(self, k: Any) -> Any:
        made = list(self._modules.values())[k]
        return type(self)(made, auto_prefix=False) if isinstance(k, slice) else made


class SequentialCell(CellList):
    """Cells in sequence: each gets the result of the one before.

    >>> import srcgrad as flow
    >>> net = flow.nn.SequentialCell(flow.nn.Dense(2, 3), flow.nn.ReLU(), flow.nn.Dense(3, 1))
    >>> [p.name for p in net.trainable_params()]
    ['0.weight', '0.bias', '2.weight', '2.bias']
    """

    def construct(self, x: Any) -> Any:
        for cell in self:
            x = cell(x)
        return x
