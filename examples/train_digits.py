"""Handwritten digits read by two networks, an MLP and a convolutional one, in compiled steps.

1797 real images of 8 x 8 pixels that scikit-learn brings along (pip install scikit-learn tqdm). A
step is one compiled function: forward, backward and Adam's update. `main` returns 0 if the digits
that were held out are read as well as required.
Run it: python examples/train_digits.py [folder for the pictures]
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import srcgrad as flow
from srcgrad.mindspore import nn

WANTED = 0.97


def perceptron() -> nn.Cell:
    """64-128-64-10."""
    return nn.SequentialCell(
        nn.Flatten(),
        nn.Dense(64, 128, activation="relu"),
        nn.Dense(128, 64, activation="relu"),
        nn.Dense(64, 10),
    )


def convolutional() -> nn.Cell:
    """Two convolutions, each halved in height and width, and a linear map."""
    return nn.SequentialCell(
        nn.Conv2d(1, 16, 3, has_bias=True),
        nn.ReLU(),
        nn.MaxPool2d(2, 2),
        nn.Conv2d(16, 32, 3, has_bias=True),
        nn.ReLU(),
        nn.MaxPool2d(2, 2),
        nn.Flatten(),
        nn.Dense(128, 10),
    )


NETWORKS: dict[str, Callable[[], nn.Cell]] = {"MLP": perceptron, "convolutional": convolutional}


def digits() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Images in [0, 1] and classes: 1437 to learn from, 360 held out."""
    from sklearn.datasets import load_digits

    found: Any = load_digits()
    order = np.random.default_rng(0).permutation(len(found.target))
    images = (found.images / 16.0).astype(np.float32)[order, None]
    classes = found.target.astype(np.int64)[order]
    return images[:1437], classes[:1437], images[1437:], classes[1437:]


def compiled_step(net: nn.Cell) -> Callable[[flow.Tensor, flow.Tensor], flow.Tensor]:
    """From a batch to its loss, the Parameters updated."""
    loss_fn = nn.CrossEntropyLoss()
    optimizer = nn.Adam(net.trainable_params(), learning_rate=2e-3)

    def forward(x, y):
        return loss_fn(net(x), y)

    value_and_grad = flow.value_and_grad(forward, None, optimizer.parameters)

    def step(x, y):
        loss, grads = value_and_grad(x, y)
        optimizer(grads)
        return loss

    return flow.compile(step)


def batches(n: int, epochs: int, size: int = 64):
    """Places of images, shuffled in each epoch."""
    generator = np.random.default_rng(1)
    for _ in range(epochs):
        order = generator.permutation(n)
        yield from (order[k : k + size] for k in range(0, n - size + 1, size))


def trained(net: nn.Cell, images: np.ndarray, classes: np.ndarray, epochs: int) -> list[float]:
    """The loss of every step."""
    from tqdm import tqdm

    step, losses = compiled_step(net.set_train()), []
    for places in tqdm(list(batches(len(classes), epochs)), desc="steps", leave=False):
        loss = step(flow.tensor(images[places]), flow.tensor(classes[places]))
        losses.append(loss.item())
    net.set_train(False)
    return losses


def read(net: nn.Cell, images: np.ndarray) -> np.ndarray:
    """The class of each image."""
    with flow.no_grad():
        return net(flow.tensor(images)).asnumpy().argmax(1)


def pictures(folder: Path, name: str, losses: list[float], images, classes, seen) -> None:
    """The loss over the steps, and the digits that were misread."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axis = plt.subplots()
    axis.semilogy(losses)
    axis.set_xlabel("step")
    axis.set_ylabel("loss")
    figure.savefig(folder / f"{name}_loss.png")
    wrong = np.flatnonzero(seen != classes)[:16]
    figure, axes = plt.subplots(4, 4, squeeze=False)
    for axis in axes.flat:
        axis.axis("off")
    for axis, k in zip(axes.flat, wrong, strict=False):
        axis.imshow(images[k, 0], cmap="gray_r")
        axis.set_title(f"{classes[k]} read as {seen[k]}", fontsize=8)
    figure.savefig(folder / f"{name}_misread.png")
    plt.close("all")


def main(
    epochs: int = 30,
    names: tuple[str, ...] = tuple(NETWORKS),
    wanted: float = WANTED,
    folder: Path | None = None,
) -> int:
    flow.manual_seed(0)
    images, classes, held, answers = digits()
    done = True
    for name in names:
        net = NETWORKS[name]()
        losses = trained(net, images, classes, epochs)
        seen = read(net, held)
        accuracy = float((seen == answers).mean())
        print(f"{name}: loss {losses[0]:.3f} to {losses[-1]:.4f}, {accuracy:.2%} of 360 read")
        if folder is not None:
            pictures(folder, name, losses, held, answers, seen)
        done = done and accuracy >= wanted
    return 0 if done else 1


if __name__ == "__main__":
    raise SystemExit(main(folder=Path(sys.argv[1]) if len(sys.argv) > 1 else None))
