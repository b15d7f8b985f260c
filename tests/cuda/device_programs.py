"""Programs for the target cuda with arguments: what becomes kernels, and what the host does."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg

import srcgrad as flow


def chain(x):
    return np.sum(np.sin(x) * np.exp(-x) + np.tanh(x))


def broadcasting(x, w, b):
    return np.sum((x * w + b) ** 2)


def extrema(x):
    return np.max(x) - np.min(np.cos(x)) + np.max(np.abs(x) * 0.5)


def cross_entropy(w, x, labels):
    z = x @ w
    z = z - np.max(z, axis=1)[:, None]
    lse = np.log(np.sum(np.exp(z), axis=1))
    return -np.mean(z[np.arange(len(labels)), labels] - lse)


def mlp(w1, b1, w2, b2, x, t):
    h = np.tanh(x @ w1 + b1)
    return np.mean((h @ w2 + b2 - t) ** 2)


def stencil(u, c):
    for _ in range(6):
        v = u.copy()
        v[1:-1] = u[1:-1] + c * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = v
    return np.sum(u**2)


def newton(x):
    """A while loop of the host, whose condition is read from the device."""
    y = np.ones_like(x)
    while np.max(np.abs(y * y - x)) > 1e-10:
        y = 0.5 * (y + x / y)
    return np.sum(y)


def option(z, s0, sigma):
    """Monte-Carlo: a path for each thread, forward and in reverse."""
    n, m = z.shape
    total = 0.0
    for i in flow.prange(n):
        s, mean = s0, 0.0
        for k in range(m):
            s *= np.exp(-0.5 * sigma**2 / m + sigma * np.sqrt(1.0 / m) * z[i, k])
            mean += s
        total += max(mean / m - 1.0, 0.0)
    return total / n


def buffers(x, w):
    """Each trip has arrays of its own: a short one, and one as long as an argument."""
    total = 0.0
    for i in flow.prange(len(x)):
        short, long = np.zeros(3), np.empty(len(w))
        for k in range(len(w)):
            long[k] = np.sin(w[k] * x[i])
            short[k % 3] += long[k]
        for k in range(len(w)):
            total += long[k] * short[k % 3]
    return total


def tones(z, w, places):
    """Additions of several trips to one complex number, also in the gradient of a gather."""
    y = np.zeros((2, 4), z.dtype)
    for i in flow.prange(len(z)):
        y[i % 2, places[i]] += z[i] * w[places[i]]
    return np.sum(np.abs(y) ** 2) + np.sum((w[places] * z).imag)


def counted(x, places):
    """A histogram of integers; its numbers scale the additions of floats."""
    counts = np.zeros(4, np.int64)
    for i in range(len(places)):
        counts[places[i]] += 1
    y = np.zeros(4)
    for i in range(len(places)):
        y[places[i]] += np.sin(x[i]) / counts[places[i]]
    return np.sum(y * y)


def histogram(x, places):
    """Additions of several trips to one element."""
    y = np.zeros(7)
    for i in flow.prange(len(x)):
        y[places[i]] += np.sin(x[i])
    return np.sum(y**3)


def neighbours(u):
    """Loops that load from neighbours: their reverse adds to them."""
    n, m = u.shape
    v = np.zeros((n, m))
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            v[i, j] = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] * u[i, j + 1]
    return np.sum(v * u)


def bodies(x, m):
    """All pairs: rows of a thread, sums in it."""
    n = len(m)
    a = np.zeros((n, 2))
    for i in range(n):
        for j in range(n):
            dx, dy = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1]
            r = dx * dx + dy * dy + 0.1
            a[i, 0] += m[j] * dx / r
            a[i, 1] += m[j] * dy / r
    return np.sum(a * a)


def elements(x):
    """Single elements, which the host reads and stores."""
    y = x * 2.0
    y[0] = x[1] * x[2]
    return np.sum(y) * x[3]


def selected(x):
    """Places that the library finds: masks, extrema."""
    y = x[x > 0.4]
    x[x > 0.7] = np.sin(x[x > 0.7])
    return np.sum(y * y) * x[np.argmax(x)] - x[np.argmin(np.abs(x))]


def stored(x, v, places):
    """The last of several stores to a place counts, in the gradient too."""
    y = np.zeros((7, 3))
    y[places] = x
    y[places, 1] = v
    y[:, places[:3]] = v[:3]
    return np.sum(y**3)


def scans(x):
    return np.sum(np.cumsum(x) * x) + np.prod(x) * np.sum(np.cumsum(x[::-1]))


def best_of_rows(x):
    """A search in each trip, which is a thread's."""
    total = 0.0
    for i in flow.prange(len(x)):
        total += x[i, np.argmax(x[i])] * np.sum(np.cumsum(x[i]))
    return total


def spectrum(x):
    y = np.fft.rfft(x * np.hanning(len(x)))
    z = np.fft.fft(np.exp(1j * x))
    return np.sum(np.abs(y) ** 2) + np.sum(z.real * z.imag)


def decomposed(a, b):
    """Solves, determinants, eigenvalues, singular values, orders."""
    s = a @ a.T + 4.0 * np.eye(len(a))
    low = np.linalg.cholesky(s)
    values = np.linalg.eigvalsh(s) * np.linalg.svd(a, compute_uv=False)
    q, r = np.linalg.qr(a)
    solved = np.linalg.solve(s, b) + scipy.linalg.solve_triangular(low, b, lower=True)
    return np.sum(values * np.sort(solved)) + np.linalg.slogdet(s)[1] + np.sum(q * r)


def clipped(w, x, bound):
    """A branch on numbers alone, which is a thread's."""
    y = np.tanh(x @ w)
    norm, scale = np.sqrt(np.sum(y * y)), 1.0
    if norm > bound:
        scale = bound / norm
    return np.sum(y) * scale


def power(a, v):
    """A norm for each step, which the reverse sweep reads again."""
    for _ in range(5):
        v = a @ v
        v = v / np.sqrt(np.sum(v * v))
    return v @ (a @ v)


def batches(w, x):
    """Gradients of samples, and items with trips of their own."""

    def loss(w, v):
        return np.sum(np.tanh(w * v) ** 2)

    def halved(v):
        while v > 0.3:
            v = 0.5 * v
        return v

    grads = flow.vmap(flow.grad(loss), (None, 0))(w, x)
    return np.sum(grads * grads) + np.sum(flow.vmap(halved)(x[:, 0]) ** 2)


@dataclass(frozen=True)
class Program:
    fn: Any
    args: tuple[Any, ...]

    @property
    def positions(self) -> list[int]:
        return [k for k, a in enumerate(self.args) if np.asarray(a).dtype.kind in "fc"]


_r = np.random.default_rng(0)


def _z(n):
    return _r.normal(size=n) + 1j * _r.normal(size=n)


PROGRAMS = [
    Program(chain, (_r.random(300),)),
    Program(broadcasting, (_r.random((5, 7)), _r.random(7), _r.random((5, 1)))),
    Program(extrema, (_r.normal(size=200),)),
    Program(cross_entropy, (_r.random((4, 3)), _r.random((6, 4)), np.array([0, 1, 2, 0, 1, -1]))),
    Program(
        mlp,
        tuple(_r.random(s) for s in ((4, 5), (5,), (5, 2), (2,), (7, 4), (7, 2))),
    ),
    Program(stencil, (_r.random(30), 0.1)),
    Program(newton, (_r.random(20) + 0.5,)),
    Program(option, (_r.normal(size=(150, 4)), 1.0, 0.2)),
    Program(buffers, (_r.random(140), _r.random(5))),
    Program(tones, (_z(40), _z(4), _r.integers(0, 4, 40))),
    Program(counted, (_r.random(40), _r.integers(0, 4, 40))),
    Program(histogram, (_r.random(40), _r.integers(0, 7, 40))),
    Program(neighbours, (_r.random((12, 14)),)),
    Program(bodies, (_r.random((9, 2)), _r.random(9))),
    Program(elements, (_r.random(5),)),
    Program(selected, (_r.random(50),)),
    Program(stored, (_r.random((6, 3)), _r.random(6), np.array([1, 0, 2, 1, 2, 2]))),
    Program(scans, (_r.random(20) + 0.5,)),
    Program(best_of_rows, (_r.random((9, 5)),)),
    Program(spectrum, (_r.random(16),)),
    Program(decomposed, (_r.random((4, 4)), _r.random(4))),
    Program(clipped, (_r.random(4), _r.random((6, 4)), 1.5)),
    Program(batches, (_r.random(4), _r.random((6, 4)))),
    Program(power, (_r.random((5, 5)), _r.random(5))),
]
