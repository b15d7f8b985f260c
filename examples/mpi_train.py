"""Handwritten digits, learned on the ranks of MPI: each has its share of every batch.

The step is that of one process, with `distributed.value_and_grad` for `flow.value_and_grad`. As it
is deterministic, the weights have the same bits on any number of ranks (pip install 'srcgrad[mpi]'
scikit-learn). `main` returns 0 if the digits that were held out are read as well as required.
Run it: mpiexec -n 2 python examples/mpi_train.py
"""

import hashlib
import sys

import numpy as np

import srcgrad as flow
from srcgrad import distributed

WANTED = 0.94


def logits(p, x):
    hidden = np.tanh(x @ p["w1"] + p["b1"])
    return hidden @ p["w2"] + p["b2"]


@flow.compile
def cross_entropy(p, x, classes):
    z = logits(p, x)
    z = z - np.max(z, axis=1, keepdims=True)
    of_class = np.take_along_axis(z, classes[:, None], axis=1)[:, 0]
    return np.mean(np.log(np.sum(np.exp(z), axis=1)) - of_class)


def digits():
    """Images in [0, 1] and classes: 1437 to learn from, 360 held out."""
    from sklearn.datasets import load_digits

    images, classes = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(classes))
    images, classes = images[order] / 16.0, classes[order]
    return images[:1437], classes[:1437], images[1437:], classes[1437:]


def main(epochs: int = 20, batch: int = 128) -> int:
    images, classes, held_out, answers = digits()
    rng = np.random.default_rng(distributed.rank())  # broadcast makes all the same
    params = distributed.broadcast({
        "w1": rng.normal(0.0, 0.1, (64, 32)), "b1": np.zeros(32),
        "w2": rng.normal(0.0, 0.1, (32, 10)), "b2": np.zeros(10),
    })  # fmt: skip
    step = distributed.value_and_grad(cross_entropy, reduce="mean", batch=(1, 2), deterministic=16)
    optimizer = flow.optim.Adam(params, lr=0.01)
    shuffle = np.random.default_rng(1)  # the same order on every rank
    loss = np.inf
    for _ in range(epochs):
        order = shuffle.permutation(len(classes))
        for k in range(0, len(order) - batch + 1, batch):
            chosen = order[k : k + batch]
            loss, gradient = step(params, images[chosen], classes[chosen])
            optimizer.step(gradient)
    right = float(np.mean(np.argmax(logits(params, held_out), axis=1) == answers))
    if distributed.rank() == 0:
        bits = hashlib.sha256(params["w1"].tobytes()).hexdigest()[:12]
        print(f"{distributed.size()} ranks: loss {loss:.4f}, {right:.1%} of held-out digits right")
        print(f"the weights' digest is {bits}")
    return int(right < WANTED)


if __name__ == "__main__":
    sys.exit(main())
