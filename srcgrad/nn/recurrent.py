"""Recurrent cells: one step of an Elman network, a GRU, an LSTM, with PyTorch's and MindSpore's
formulae, which agree. The steps of a sequence are a loop over them.
"""

from __future__ import annotations

import math
from typing import Any

from srcgrad.eager.functions.activations import sigmoid, tanh
from srcgrad.eager.functions.pointwise import relu
from srcgrad.errors import ArgumentValueError
from srcgrad.nn import functional
from srcgrad.nn.cell import Cell
from srcgrad.nn.initializer import initial
from srcgrad.nn.named import Parameter


class _Recurrent(Cell):
    """Two linear maps, of the input and of the state, for a number of gates."""

    gates = 1

    def __init__(
        self, input_size: int, hidden_size: int, has_bias: bool = True, dtype: Any = None
    ) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.has_bias = input_size, hidden_size, has_bias
        width, rows = 1.0 / math.sqrt(hidden_size), self.gates * hidden_size
        shapes = {"weight_ih": (rows, input_size), "weight_hh": (rows, hidden_size)}
        shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)} if has_bias else {}
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
            made = initial(None, shapes[name], dtype, width) if name in shapes else None
            self.register_parameter(name, None if made is None else Parameter(made, name=name))

    def of_input(self, x: Any) -> Any:
        return functional.linear(x, self.weight_ih, self.bias_ih)

    def of_state(self, h: Any) -> Any:
        return functional.linear(h, self.weight_hh, self.bias_hh)

    def part(self, values: Any, k: int) -> Any:
        """The rows of the k-th gate."""
        return values[:, k * self.hidden_size : (k + 1) * self.hidden_size]

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}, has_bias={self.has_bias}"


class RNNCell(_Recurrent):
    """tanh, or relu, of W x + b + U h + c.

    >>> import srcgrad as flow
    >>> flow.nn.RNNCell(3, 2)(flow.ones(5, 3), flow.zeros(5, 2)).shape
    srcgrad.Size([5, 2])
    """

    def __init__(
        self, input_size: int, hidden_size: int, has_bias: bool = True, nonlinearity: str = "tanh",
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(input_size, hidden_size, has_bias, dtype)
        if nonlinearity not in ("tanh", "relu"):
            raise ArgumentValueError(
                "For 'RNNCell', the 'nonlinearity' must be in ['tanh', 'relu'], but got "
                f"{nonlinearity}."
            )
        self.nonlinearity = nonlinearity

    def construct(self, x: Any, hx: Any) -> Any:
        both = self.of_input(x) + self.of_state(hx)
        return tanh(both) if self.nonlinearity == "tanh" else relu(both)


class GRUCell(_Recurrent):
    """A state that persists where its gate is open: Cho et al. 2014."""

    gates = 3

    def construct(self, x: Any, hx: Any) -> Any:
        a, b = self.of_input(x), self.of_state(hx)
        reset = sigmoid(self.part(a, 0) + self.part(b, 0))
        keep = sigmoid(self.part(a, 1) + self.part(b, 1))
        new = tanh(self.part(a, 2) + reset * self.part(b, 2))
        return new + keep * (hx - new)


class LSTMCell(_Recurrent):
    """(state, memory) from an input and both: Hochreiter and Schmidhuber 1997, forget gates."""

    gates = 4

    def construct(self, x: Any, hx: Any) -> Any:
        h, c = hx
        both = self.of_input(x) + self.of_state(h)
        write, forget = sigmoid(self.part(both, 0)), sigmoid(self.part(both, 1))
        new, read = tanh(self.part(both, 2)), sigmoid(self.part(both, 3))
        c = forget * c + write * new
        return read * tanh(c), c
