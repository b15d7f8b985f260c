"""Recurrent cells with MindSpore's arguments: one step of an Elman network, a GRU, an LSTM."""

from __future__ import annotations

import math
from typing import Any

from srcgrad.eager.functions.recurrences import gru_step, lstm_step, rnn_step
from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.mindspore.nn.cell import Cell
from srcgrad.mindspore.nn.initializer import initial
from srcgrad.mindspore.parameter import Parameter
from srcgrad.nn import recurrent


class _Recurrent(Cell):
    """Two linear maps, of the input and of the state, for a number of gates."""

    input_size: int
    hidden_size: int
    has_bias: bool

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
    """A state that persists where its gate is open: Cho et al. 2014.

    >>> import srcgrad as flow
    >>> import srcgrad.mindspore as ms
    >>> ms.nn.GRUCell(2, 3)(flow.ones(1, 2), flow.zeros(1, 3)).shape
    srcgrad.Size([1, 3])
    """

    gates = 3

    def construct(self, x: Any, hx: Any) -> Any:
        return gru_step(x, hx, self.weights())


class LSTMCell(_Recurrent):
    """(state, memory) from an input and both: Hochreiter and Schmidhuber 1997, forget gates.

    >>> import srcgrad as flow
    >>> import srcgrad.mindspore as ms
    >>> state = flow.zeros(1, 3), flow.zeros(1, 3)
    >>> h, c = ms.nn.LSTMCell(2, 3)(flow.ones(1, 2), state)
    >>> h.shape
    srcgrad.Size([1, 3])
    """

    gates = 4

    def construct(self, x: Any, hx: Any) -> Any:
        return lstm_step(x, hx, self.weights())


# ---- sequences: the layers of `srcgrad.nn` as cells ----
class _Sequences(Cell):
    """Layers of steps over sequences, with MindSpore's arguments."""

    layers: Any  # the class of `srcgrad.nn` whose `forward` runs the steps

    def _make(
        self, input_size: int, hidden_size: int, num_layers: int, has_bias: bool,
        batch_first: bool, dropout: float, bidirectional: bool, dtype: Any, **options: Any,
    ) -> None:  # fmt: skip
        for name, given in (("has_bias", has_bias), ("batch_first", batch_first)):
            if not isinstance(given, bool):
                raise ArgumentTypeError(f"For '{type(self).__name__}', the '{name}' must be bool")
        self.layers.__init__(
            self, input_size, hidden_size, num_layers=num_layers, bias=has_bias,
            batch_first=batch_first, dropout=float(dropout), bidirectional=bidirectional,
            dtype=dtype, **options,
        )  # fmt: skip
        self.__dict__.update(training=False, _auto_prefix=True)
        for name, p in self._parameters.items():
            self._parameters[name] = None if p is None else Parameter(p.detach(), name=name)

    def construct(self, x: Any, hx: Any = None, seq_length: Any = None) -> Any:
        if seq_length is not None:
            raise ArgumentValueError(
                "sequences of several lengths are not supported: run each by itself, or mask what "
                "follows their ends"
            )
        return self.layers.forward(self, x, hx)


class RNN(_Sequences, recurrent.RNN):
    """The steps of an Elman network over sequences: (states of all steps, last states).

    >>> import srcgrad as flow
    >>> states, last = flow.mindspore.nn.RNN(3, 2)(flow.ones(5, 4, 3))
    >>> states.shape, last.shape
    (srcgrad.Size([5, 4, 2]), srcgrad.Size([1, 4, 2]))
    """

    layers = recurrent.RNN

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = "tanh",
        has_bias: bool = True, batch_first: bool = False, dropout: float = 0.0,
        bidirectional: bool = False, dtype: Any = None,
    ) -> None:  # fmt: skip
        self._make(
            input_size, hidden_size, num_layers, has_bias, batch_first, dropout, bidirectional,
            dtype, nonlinearity=nonlinearity,
        )  # fmt: skip


class _Gated(_Sequences):
    """Layers whose steps have no choice of a nonlinearity."""

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, has_bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        self._make(
            input_size, hidden_size, num_layers, has_bias, batch_first, dropout, bidirectional,
            dtype,
        )  # fmt: skip


class GRU(_Gated, recurrent.GRU):
    """The steps of a gated recurrent unit over sequences: (states of all steps, last states).

    >>> import srcgrad as flow
    >>> import srcgrad.mindspore as ms
    >>> outputs, state = ms.nn.GRU(2, 3)(flow.ones(5, 1, 2))
    >>> outputs.shape
    srcgrad.Size([5, 1, 3])
    """

    layers = recurrent.GRU


class LSTM(_Gated, recurrent.LSTM):
    """The steps of a long short-term memory: (states of all steps, (last states, memories)).

    >>> import srcgrad as flow
    >>> states, (last, memory) = flow.mindspore.nn.LSTM(3, 2)(flow.ones(5, 4, 3))
    >>> states.shape, memory.shape
    (srcgrad.Size([5, 4, 2]), srcgrad.Size([1, 4, 2]))
    """

    layers = recurrent.LSTM
