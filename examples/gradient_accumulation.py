"""One large batch in small pieces: gradients are added up, the Parameters updated once.

The sum of the gradients of the pieces is the gradient of the whole batch, so training goes the same
way in a part of the memory. `main` returns 0 if it does.
Run it: python examples/gradient_accumulation.py
"""

import numpy as np

import srcgrad as flow
from srcgrad import nn, ops

PIECES = 4


class Accumulator:
    """Adds gradients up, and gives the optimizer their sum at every `pieces`-th call."""

    def __init__(self, optimizer: nn.Optimizer, pieces: int) -> None:
        self.optimizer, self.pieces, self.calls = optimizer, pieces, 0
        self.sums = optimizer.parameters.clone(prefix="accumulated", init="zeros")
        self.zeros = optimizer.parameters.clone(prefix="zeros", init="zeros")
        self.each = ops.HyperMap()

    def __call__(self, grads) -> None:
        self.each(ops.assign_add, self.sums, grads)
        self.calls += 1
        if self.calls % self.pieces == 0:
            self.optimizer(self.sums)
            self.each(ops.assign, self.sums, self.zeros)


def network() -> nn.Cell:
    flow.manual_seed(0)
    return nn.SequentialCell(nn.Dense(4, 16, activation="tanh"), nn.Dense(16, 1))


def trained(x: np.ndarray, y: np.ndarray, pieces: int, steps: int = 60) -> list[float]:
    """The losses of the steps, each of a number of pieces."""
    net, loss_fn = network(), nn.MSELoss()
    optimizer = nn.Adam(net.trainable_params(), learning_rate=0.02)
    accumulate = Accumulator(optimizer, pieces)

    def forward(x, y):
        return loss_fn(net(x), y) / float(pieces)

    value_and_grad = flow.value_and_grad(forward, None, optimizer.parameters)
    losses = []
    for _ in range(steps):
        loss = 0.0
        for a, b in zip(np.split(x, pieces), np.split(y, pieces), strict=True):
            part, grads = value_and_grad(flow.tensor(a), flow.tensor(b))
            accumulate(grads)
            loss += part.item()
        losses.append(loss)
    return losses


def main() -> int:
    generator = np.random.default_rng(0)
    x = generator.normal(size=(64, 4)).astype(np.float32)
    y = np.sin(x.sum(1, keepdims=True)).astype(np.float32)
    whole, pieces = trained(x, y, 1), trained(x, y, PIECES)
    print(f"whole batch: loss {whole[0]:.4f} to {whole[-1]:.4f}")
    print(f"{PIECES} pieces:    loss {pieces[0]:.4f} to {pieces[-1]:.4f}")
    return 0 if np.allclose(whole, pieces, rtol=1e-3) and whole[-1] < whole[0] / 2 else 1


if __name__ == "__main__":
    raise SystemExit(main())
