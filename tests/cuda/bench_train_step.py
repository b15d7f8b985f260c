"""A training step of a multilayer perceptron: srcgrad against PyTorch on one GPU.

    python -m tests.cuda.bench_train_step [--batch 1024] [--width 1024]

784 inputs, two hidden layers, ten outputs, cross-entropy, gradient descent, float32. Losses after
the same steps from the same weights are printed beside the times.
"""

import argparse
from collections.abc import Callable

import numpy as np

import srcgrad as flow
from tests.cuda.timing import milliseconds, require_gpu

RATE = np.float32(1e-3)


def loss(parameters, x, labels):
    (w1, b1), (w2, b2), (w3, b3) = parameters
    h = np.maximum(x @ w1 + b1, 0.0)
    h = np.maximum(h @ w2 + b2, 0.0)
    z = h @ w3 + b3
    z = z - np.max(z, axis=1)[:, None]
    lse = np.log(np.sum(np.exp(z), axis=1))
    return np.mean(lse - z[np.arange(len(labels)), labels])


def data(batch: int, width: int) -> tuple:
    r = np.random.default_rng(0)
    sizes = ((784, width), (width, width), (width, 10))
    parameters = [
        ((r.standard_normal(s) / np.sqrt(s[0])).astype(np.float32), np.zeros(s[1], np.float32))
        for s in sizes
    ]
    x = r.standard_normal((batch, 784), np.float32)
    return parameters, x, r.integers(0, 10, batch)


def of_srcgrad(parameters, x, labels) -> Callable:
    import cupy

    held = [tuple(cupy.array(a) for a in layer) for layer in parameters]
    there, classes = cupy.asarray(x), cupy.asarray(labels)
    gradient = flow.value_and_grad(loss, target="cuda")

    def step():
        value, grads = gradient(held, there, classes)
        for layer, by in zip(held, grads, strict=True):
            for a, g in zip(layer, by, strict=True):
                a -= RATE * g
        return value

    return step


def of_torch(parameters, x, labels, compiled: bool) -> Callable:
    import torch

    if not torch.cuda.is_available():
        raise ImportError("it has no GPU")
    torch.backends.cuda.matmul.allow_tf32 = False
    held = [
        torch.tensor(a, device="cuda", requires_grad=True) for layer in parameters for a in layer
    ]
    there, classes = torch.as_tensor(x, device="cuda"), torch.as_tensor(labels, device="cuda")

    def of_weights(x, labels):
        w1, b1, w2, b2, w3, b3 = held
        h = torch.relu(torch.relu(x @ w1 + b1) @ w2 + b2)
        return torch.nn.functional.cross_entropy(h @ w3 + b3, labels)

    of_weights = torch.compile(of_weights) if compiled else of_weights
    optimizer = torch.optim.SGD(held, float(RATE))

    def step():
        optimizer.zero_grad()
        value = of_weights(there, classes)
        value.backward()
        optimizer.step()
        return value

    return step


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--width", type=int, default=1024)
    given = parser.parse_args()
    require_gpu()
    made = data(given.batch, given.width)
    for name, make in (
        ("srcgrad", of_srcgrad),
        ("torch", lambda *a: of_torch(*a, compiled=False)),
        ("torch.compile", lambda *a: of_torch(*a, compiled=True)),
    ):
        try:
            step = make(*made)
        except ImportError as missing:
            print(f"{name}: left out, {missing}")
            continue
        took = milliseconds(step)
        print(f"{name}: {took:.2f} ms a step, loss {float(step()):.6f}")


if __name__ == "__main__":
    main()
