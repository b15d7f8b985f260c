"""A training step (forward, backward, Adam) compiled, in eager mode, and in PyTorch's.

    OMP_NUM_THREADS=1 python -m tests.benchmarks.train_step

Batches of 64, float32, one thread; medians of rounds in which all run in turn.
"""

import time
from collections.abc import Callable

import numpy as np
import torch

import srcgrad as flow
from srcgrad import nn, optim

ROUNDS, CALLS = 30, 20


def mlp(n: object, dense: object) -> list:
    return [n.Flatten(), dense(64, 128), n.ReLU(), dense(128, 64), n.ReLU(), dense(64, 10)]


def cells(name: str) -> nn.Cell:
    if name == "MLP 64-128-64-10":
        return nn.SequentialCell(*mlp(nn, nn.Dense))
    return nn.SequentialCell(
        nn.Conv2d(1, 16, 3, has_bias=True), nn.ReLU(), nn.MaxPool2d(2, 2),
        nn.Conv2d(16, 32, 3, has_bias=True), nn.ReLU(), nn.MaxPool2d(2, 2),
        nn.Flatten(), nn.Dense(128, 10),
    )  # fmt: skip


def theirs(name: str) -> torch.nn.Module:
    n = torch.nn
    if name == "MLP 64-128-64-10":
        return n.Sequential(*mlp(n, n.Linear))
    return n.Sequential(
        n.Conv2d(1, 16, 3, padding=1), n.ReLU(), n.MaxPool2d(2), n.Conv2d(16, 32, 3, padding=1),
        n.ReLU(), n.MaxPool2d(2), n.Flatten(), n.Linear(128, 10),
    )  # fmt: skip


def compiled(name: str, x: np.ndarray, y: np.ndarray) -> Callable[[], None]:
    net, loss_fn = cells(name), nn.CrossEntropyLoss()
    optimizer = nn.Adam(net.trainable_params(), 1e-3)

    def forward(x, y):
        return loss_fn(net(x), y)

    value_and_grad = flow.value_and_grad(forward, None, optimizer.parameters)

    @flow.compile
    def step(x, y):
        loss, grads = value_and_grad(x, y)
        optimizer(grads)
        return loss

    a, b = flow.tensor(x), flow.tensor(y)
    return lambda: step(a, b)


def taped(name: str, x: np.ndarray, y: np.ndarray) -> Callable[[], None]:
    net, loss_fn = cells(name), nn.CrossEntropyLoss()
    optimizer = optim.Adam(net.trainable_params(), 1e-3)
    a, b = flow.tensor(x), flow.tensor(y)

    def step() -> None:
        optimizer.zero_grad(set_to_none=True)
        loss_fn(net(a), b).backward()
        optimizer.step()

    return step


def of_pytorch(name: str, x: np.ndarray, y: np.ndarray) -> Callable[[], None]:
    net, loss_fn = theirs(name), torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(net.parameters(), 1e-3)
    a, b = torch.tensor(x), torch.tensor(y)

    def step() -> None:
        optimizer.zero_grad()
        loss_fn(net(a), b).backward()
        optimizer.step()

    return step


def main() -> None:
    torch.set_num_threads(1)
    generator = np.random.default_rng(0)
    x = generator.normal(size=(64, 1, 8, 8)).astype(np.float32)
    y = generator.integers(0, 10, 64)
    print("| network | compiled, us | eager, us | PyTorch, us | eager / compiled |")
    for name in ("MLP 64-128-64-10", "convolutional"):
        steps = [make(name, x, y) for make in (compiled, taped, of_pytorch)]
        for step in steps:
            for _ in range(5):
                step()
        times: list[list[float]] = [[] for _ in steps]
        for _ in range(ROUNDS):
            for step, found in zip(steps, times, strict=True):
                start = time.perf_counter()
                for _ in range(CALLS):
                    step()
                found.append((time.perf_counter() - start) / CALLS * 1e6)
        a, b, c = (float(np.median(t)) for t in times)
        print(f"| {name} | {a:.0f} | {b:.0f} | {c:.0f} | {b / a:.1f} |")


if __name__ == "__main__":
    main()
