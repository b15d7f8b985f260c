"""One step of recurrent networks, and the steps of a sequence. All composed; no derivative.

Weights have PyTorch's and MindSpore's layout: the rows of all gates below one another.
"""

from __future__ import annotations

from typing import Any

from srcgrad.eager.functions import layers
from srcgrad.eager.functions.activations import relu, sigmoid, tanh
from srcgrad.eager.functions.pointwise import add, mul, sub
from srcgrad.eager.functions.shapes import stack

Weights = tuple[Any, Any, Any, Any]  # of the input, of the state, and the biases of both


def rnn_step(x: Any, h: Any, weights: Weights, nonlinearity: str = "tanh") -> Any:
    """tanh, or relu, of W x + b + U h + c.

    >>> import srcgrad as flow
    >>> rnn_step(flow.ones(1, 1), flow.zeros(1, 1), (flow.ones(1, 1), flow.ones(1, 1), None, None))
    tensor([[0.7616]], dtype=srcgrad.float32)
    """
    w, u, b, c = weights
    both = add(layers.linear(x, w, b), layers.linear(h, u, c))
    return tanh(both) if nonlinearity == "tanh" else relu(both)


def gru_step(x: Any, h: Any, weights: Weights) -> Any:
    """A state that persists where its gate is open: Cho et al. 2014."""
    w, u, b, c = weights
    n = h.shape[-1]
    of_input, of_state = layers.linear(x, w, b), layers.linear(h, u, c)
    reset = sigmoid(add(_gate(of_input, 0, n), _gate(of_state, 0, n)))
    keep = sigmoid(add(_gate(of_input, 1, n), _gate(of_state, 1, n)))
    new = tanh(add(_gate(of_input, 2, n), mul(reset, _gate(of_state, 2, n))))
    return add(new, mul(keep, sub(h, new)))


def lstm_step(x: Any, state: tuple[Any, Any], weights: Weights) -> tuple[Any, Any]:
    """(state, memory): Hochreiter and Schmidhuber 1997, with a forget gate."""
    h, c = state
    w, u, b, d = weights
    n = c.shape[-1]
    both = add(layers.linear(x, w, b), layers.linear(h, u, d))
    write, forget = sigmoid(_gate(both, 0, n)), sigmoid(_gate(both, 1, n))
    new, read = tanh(_gate(both, 2, n)), sigmoid(_gate(both, 3, n))
    c = add(mul(forget, c), mul(write, new))
    return mul(read, tanh(c)), c


def _gate(values: Any, k: int, n: Any) -> Any:
    """The columns of the k-th gate."""
    return values[..., k * n : (k + 1) * n]


def rnn_steps(xs: Any, h: Any, weights: Weights, kind: str, backwards: bool = False) -> Any:
    """The states after each step of a sequence along dim 0, and the last one."""
    n = xs.shape[0]
    states = []
    for t in range(n):
        x = xs[n - 1 - t] if backwards else xs[t]
        h = gru_step(x, h, weights) if kind == "gru" else rnn_step(x, h, weights, kind)
        states.append(h)
    made = stack(states)
    return (made.flip(0) if backwards else made), h


def lstm_steps(xs: Any, h: Any, c: Any, weights: Weights, backwards: bool = False) -> Any:
    """The states after each step of a sequence along dim 0, and the last state and memory."""
    n = xs.shape[0]
    states = []
    for t in range(n):
        x = xs[n - 1 - t] if backwards else xs[t]
        h, c = lstm_step(x, (h, c), weights)
        states.append(h)
    made = stack(states)
    return (made.flip(0) if backwards else made), h, c
