"""Recurrent cells and layers, with PyTorch's arguments and names of parameters. No derivative."""

from __future__ import annotations

import math
from typing import Any

from srcgrad.eager import create
from srcgrad.eager.functions.recurrences import (
    gru_step,
    lstm_step,
    lstm_steps,
    rnn_step,
    rnn_steps,
)
from srcgrad.eager.functions.shapes import cat, squeeze, stack, transpose, unsqueeze
from srcgrad.errors import ArgumentValueError, TensorError
from srcgrad.nn import functional
from srcgrad.nn.module import Module
from srcgrad.nn.parameter import Parameter, drawn


class _Cell(Module):
    """The weights of one step, for a number of gates."""

    input_size: int
    hidden_size: int
    bias: bool
    weight_ih: Parameter
    weight_hh: Parameter

    gates: int = 1

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        width = 1.0 / math.sqrt(hidden_size) if hidden_size else 0.0
        rows = self.gates * hidden_size
        self.weight_ih = drawn(width, (rows, input_size), dtype, device)
        self.weight_hh = drawn(width, (rows, hidden_size), dtype, device)
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, drawn(width, (rows,), dtype, device) if bias else None)

    def _weights(self) -> Any:
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh

    def _start(self, input: Any) -> Any:
        """A state of zeros for an input."""
        return create.zeros((*tuple(input.shape)[:-1], self.hidden_size), dtype=input.dtype)

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else ", bias=False")


class RNNCell(_Cell):
    """tanh, or relu, of W x + b + U h + c: one step of an Elman network.

    >>> import srcgrad as flow
    >>> flow.nn.RNNCell(3, 2)(flow.ones(5, 3)).shape
    srcgrad.Size([5, 2])
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh",
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity: str = _known(nonlinearity)

    def forward(self, input: Any, hx: Any = None) -> Any:
        h = self._start(input) if hx is None else hx
        return rnn_step(input, h, self._weights(), self.nonlinearity)


class GRUCell(_Cell):
    """One step of a gated recurrent unit: Cho et al. 2014.

    >>> import srcgrad as flow
    >>> flow.nn.GRUCell(2, 3)(flow.ones(1, 2)).shape
    srcgrad.Size([1, 3])
    """

    gates: int = 3

    def forward(self, input: Any, hx: Any = None) -> Any:
        return gru_step(input, self._start(input) if hx is None else hx, self._weights())


class LSTMCell(_Cell):
    """One step of a long short-term memory: (state, memory) from an input and both.

    >>> import srcgrad as flow
    >>> h, c = flow.nn.LSTMCell(2, 3)(flow.ones(1, 2))
    >>> h.shape
    srcgrad.Size([1, 3])
    """

    gates: int = 4

    def forward(self, input: Any, hx: Any = None) -> Any:
        state = (self._start(input), self._start(input)) if hx is None else hx
        return lstm_step(input, state, self._weights())


def _known(nonlinearity: str) -> str:
    if nonlinearity not in ("tanh", "relu"):
        raise ArgumentValueError(
            f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'."
        )
    return nonlinearity


# ---- sequences ----
class _Layers(Module):
    """The weights of layers of steps, forwards and, if `bidirectional`, backwards."""

    input_size: int
    hidden_size: int
    num_layers: int
    bias: bool
    batch_first: bool
    dropout: float
    bidirectional: bool

    gates: int = 1

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if not 0.0 <= dropout <= 1.0:
            raise ArgumentValueError("dropout should be a number in range [0, 1]")
        if hidden_size <= 0 or num_layers <= 0:
            raise ArgumentValueError("hidden_size and num_layers must be greater than zero")
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional, self._drops = bidirectional, dropout > 0.0
        width, rows = 1.0 / math.sqrt(hidden_size), self.gates * hidden_size
        names = []
        for layer in range(num_layers):
            below = hidden_size * (1 + bidirectional) if layer else input_size
            for end in ("", "_reverse") if bidirectional else ("",):
                shapes = {"weight_ih": (rows, below), "weight_hh": (rows, hidden_size)}
                shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)} if bias else {}
                for name, shape in shapes.items():
                    made = drawn(width, shape, dtype, device)
                    self.register_parameter(f"{name}_l{layer}{end}", made)
                names.append(tuple(f"{name}_l{layer}{end}" for name in shapes))
        self._names = tuple(names)

    def _weights(self, k: int) -> Any:
        """The weights of the k-th layer and direction."""
        found = [getattr(self, name) for name in self._names[k]]
        return (*found, None, None) if len(found) == 2 else tuple(found)

    def _arranged(self, input: Any) -> Any:
        """The input as (length, batch, features)."""
        if input.ndim not in (2, 3):
            raise ArgumentValueError(
                f"{type(self).__name__}: Expected input to be 2D or 3D, got {input.ndim}D instead"
            )
        if input.shape[-1] != self.input_size:
            raise TensorError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got "
                f"{input.shape[-1]}"
            )
        if input.ndim == 2:
            return unsqueeze(input, 1)
        return transpose(input, 0, 1) if self.batch_first else input

    def _starts(self, xs: Any, hx: Any, alone: bool) -> Any:
        """The first states of all layers and directions: (layers * directions, batch, size)."""
        if hx is not None:
            return unsqueeze(hx, 1) if alone else hx
        count = len(self._names)
        return create.zeros((count, xs.shape[1], self.hidden_size), dtype=xs.dtype)

    def _between(self, xs: Any, layer: int) -> Any:
        """The results of one layer as the next one gets them."""
        if self._drops and self.training and layer + 1 < self.num_layers:
            return functional.dropout(xs, self.dropout, self.training)
        return xs

    def _given_back(self, xs: Any, alone: bool) -> Any:
        if alone:
            return squeeze(xs, 1)
        return transpose(xs, 0, 1) if self.batch_first else xs

    def extra_repr(self) -> str:
        shown = [f"{self.input_size}, {self.hidden_size}"]
        rows = [
            ("num_layers", self.num_layers, 1), ("bias", self.bias, True),
            ("batch_first", self.batch_first, False), ("dropout", self.dropout, 0.0),
            ("bidirectional", self.bidirectional, False),
        ]  # fmt: skip
        return ", ".join(shown + [f"{name}={v}" for name, v, usual in rows if v != usual])


class _OneState(_Layers):
    """Layers whose steps have one state: (states of all steps, last states)."""

    kind: str = "tanh"

    def forward(self, input: Any, hx: Any = None) -> Any:
        alone = input.ndim == 2
        xs = self._arranged(input)
        start, last = self._starts(xs, hx, alone), []
        ways = 1 + self.bidirectional
        for layer in range(self.num_layers):
            made = []
            for way in range(ways):
                k = layer * ways + way
                states, h = rnn_steps(xs, start[k], self._weights(k), self.kind, way == 1)
                made.append(states)
                last.append(h)
            xs = self._between(made[0] if ways == 1 else cat(made, -1), layer)
        ends = stack(last)
        return self._given_back(xs, alone), squeeze(ends, 1) if alone else ends


class RNN(_OneState):
    """The steps of an Elman network over sequences: (states of all steps, last states).

    Sequences have the dims (length, batch, features), or (batch, length, features) with
    `batch_first`, or none for the batch.

    >>> import srcgrad as flow
    >>> states, last = flow.nn.RNN(3, 2)(flow.ones(5, 4, 3))
    >>> states.shape, last.shape
    (srcgrad.Size([5, 4, 2]), srcgrad.Size([1, 4, 2]))
    """

    nonlinearity: str
    kind: str

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = "tanh",
        bias: bool = True, batch_first: bool = False, dropout: float = 0.0,
        bidirectional: bool = False, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, device,
            dtype,
        )  # fmt: skip
        self.nonlinearity = self.kind = _known(nonlinearity)


class GRU(_OneState):
    """The steps of a gated recurrent unit over sequences: (states of all steps, last states).

    >>> import srcgrad as flow
    >>> states, last = flow.nn.GRU(3, 2, bidirectional=True)(flow.ones(5, 4, 3))
    >>> states.shape, last.shape
    (srcgrad.Size([5, 4, 4]), srcgrad.Size([2, 4, 2]))
    """

    gates: int = 3
    kind: str = "gru"


class LSTM(_Layers):
    """The steps of a long short-term memory: (states of all steps, (last states, last memories)).

    >>> import srcgrad as flow
    >>> states, (last, memory) = flow.nn.LSTM(3, 2, batch_first=True)(flow.ones(4, 5, 3))
    >>> states.shape, last.shape, memory.shape
    (srcgrad.Size([4, 5, 2]), srcgrad.Size([1, 4, 2]), srcgrad.Size([1, 4, 2]))
    """

    gates: int = 4

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
        proj_size: int = 0, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        if proj_size:
            raise ArgumentValueError(
                "LSTM has no proj_size: put a Linear after it, or write LSTMCell in a loop"
            )
        super().__init__(
            input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, device,
            dtype,
        )  # fmt: skip

    def forward(self, input: Any, hx: Any = None) -> Any:
        alone = input.ndim == 2
        xs = self._arranged(input)
        h0, c0 = (None, None) if hx is None else hx
        start, memories = self._starts(xs, h0, alone), self._starts(xs, c0, alone)
        last, memory, ways = [], [], 1 + self.bidirectional
        for layer in range(self.num_layers):
            made = []
            for way in range(ways):
                k = layer * ways + way
                states, h, c = lstm_steps(xs, start[k], memories[k], self._weights(k), way == 1)
                made.append(states)
                last.append(h)
                memory.append(c)
            xs = self._between(made[0] if ways == 1 else cat(made, -1), layer)
        h, c = stack(last), stack(memory)
        ends = (squeeze(h, 1), squeeze(c, 1)) if alone else (h, c)
        return self._given_back(xs, alone), ends
