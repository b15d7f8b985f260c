"""Six programs on arrays as scientists write them, and what each is called with."""

import numpy as np


def stencil(u, steps):
    """Diffusion with a sink, stepped in place."""
    u = 1.0 * u
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            u[i] = u[i] + 0.2 * (u[i - 1] - 2.0 * u[i] + u[i + 1]) - 0.1 * u[i] * u[i]
    return np.sum(u * u)


def settle(source, tolerance):
    """The heat of a rod, relaxed until it no longer changes."""
    u = np.zeros_like(source)
    change = np.inf
    while change > tolerance:
        change = 0.0
        for i in range(1, len(u) - 1):
            new = 0.5 * (u[i - 1] + u[i + 1] + source[i])
            change = max(change, abs(new - u[i]))
            u[i] = new
    return np.sum(u)


def network(w, v, x, y):
    """Cross entropy of a network with one hidden layer."""
    z = np.tanh(x @ w) @ v
    z = z - np.amax(z, axis=1, keepdims=True)
    return np.sum(np.log(np.sum(np.exp(z), axis=1)) - np.sum(z * y, axis=1))


def recurrence(x, a):
    """A recurrent unit over a long sequence."""
    h, total = 0.0, 0.0
    for i in range(len(x)):
        h = np.tanh(a * h + x[i])
        total = total + h * h
    return total


def mixture(means, log_widths, x):
    """The log-likelihood of a mixture of Gaussians with equal weights."""
    total = 0.0
    for i in range(len(x)):
        density = 0.0
        for k in range(len(means)):
            d = (x[i] - means[k]) / np.exp(log_widths[k])
            density = density + np.exp(-0.5 * np.sum(d * d) - np.sum(log_widths[k]))
        total = total + np.log(density)
    return total


def solve(a, b):
    """Forward substitution."""
    x = 1.0 * b
    for i in range(len(b)):
        for j in range(i):
            x[i] = x[i] - a[i, j] * x[j]
        x[i] = x[i] / a[i, i]
    return np.sum(x * x)


def calls():
    """Each program's name, its arguments, and how many of them are differentiated."""
    draw = np.random.default_rng(0)
    normal = draw.standard_normal
    labels = np.eye(10)[draw.integers(0, 10, 256)]
    lower = np.tril(normal((200, 200))) / 200 + np.eye(200)
    return {
        "stencil": ((draw.random(2000), 20), 1),
        "settle": ((draw.random(40), 1e-6), 1),
        "network": ((0.1 * normal((64, 32)), normal((32, 10)), normal((256, 64)), labels), 2),
        "recurrence": ((normal(20_000), 0.7), 1),
        "mixture": ((normal((4, 8)), 0.1 * normal((4, 8)), normal((500, 8))), 2),
        "solve": ((lower, normal(200)), 2),
    }
