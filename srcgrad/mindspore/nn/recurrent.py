"""Recurrent cells with MindSpore's arguments: one step of an Elman network, a GRU, an LSTM."""

from __future__ import annotations

import math
from typing import Any

from srcgrad.eager.functions.recurrences import gru_step, lstm_step, rnn_step
from srcgrad.errors import ArgumentValueError
from srcgrad.mindspore.nn.cell import Cell
from srcgrad.mindspore.nn.initializer import initial
from srcgrad.mindspore.parameter import Parameter


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

    def weights(self) -> Any:
        """The weights of a step."""
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}, has_bias={self.has_bias}"


class RNNCell(_Recurrent):
    """tanh, or relu, of W x + b + U h + c.

    >>> import srcgrad as flow
    >>> flow.mindspore.nn.RNNCell(3, 2)(flow.ones(5, 3), flow.zeros(5, 2)).shape
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
        return rnn_step(x, hx, self.weights(), self.nonlinearity)


class GRUCell(_Recurrent):
    """A state that persists where its gate is open: Cho et al. 2014."""

    gates = 3

    def construct(self, x: Any, hx: Any) -> Any:
        return gru_step(x, hx, self.weights())


class LSTMCell(_Recurrent):
    """(state, memory) from an input and both: Hochreiter and Schmidhuber 1997, forget gates."""

    gates = 4

    def construct(self, x: Any, hx: Any) -> Any:
        return lstm_step(x, hx, self.weights())
