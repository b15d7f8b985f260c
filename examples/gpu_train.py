"""A network trained as in PyTorch, on a GPU if there is one.

    python examples/gpu_train.py

Tensors, modules and optimizers take the device by name; what is computed from them stays there.
"""

import time

import numpy as np

import srcgrad as flow
from srcgrad import nn


def spirals(n, classes=3, seed=0):
    """Points on the arms of a spiral, and the arm of each."""
    rng = np.random.default_rng(seed)
    arm = np.arange(n) % classes
    radius = rng.uniform(0.1, 1.0, n)
    angle = 4.0 * radius + 2.0 * np.pi * arm / classes + 0.05 * rng.standard_normal(n)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1).astype("f4"), arm


def main(points=1500, hidden=64, epochs=100):
    device = flow.device("cuda" if flow.cuda.is_available() else "cpu")
    flow.manual_seed(0)
    points, arms = spirals(points)
    x, y = flow.tensor(points, device=device), flow.tensor(arms, device=device)
    model = nn.Sequential(
        nn.Linear(2, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(), nn.Linear(hidden, 3)
    ).to(device)
    optimizer = flow.optim.Adam(model.parameters(), lr=0.01)
    start = time.perf_counter()
    for epoch in range(epochs):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        if epoch % 25 == 0:
            print(f"epoch {epoch}: loss {loss.item():.3f}")
    share = (model(x).argmax(1) == y).to(flow.float32).mean().item()
    print(f"{share:.1%} right on {device}, {time.perf_counter() - start:.1f} s")
    return int(share < 0.97)


if __name__ == "__main__":
    raise SystemExit(main())
