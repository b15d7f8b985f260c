"""Per-sample gradients of a small network on several cores: their norms, and a clipped mean.

    python examples/threads_per_sample.py

Each sample's gradient is made and used in a trip of its own, so trips do not depend on one another,
and `parallel=True` runs them on the cores there are. What all samples add to the mean is added up
per chunk, in a fixed order: one thread and two give the same bits. The clipped mean is the step of
differentially private training (Abadi et al. 2016) before noise is added.
"""

import time

import numpy as np

import srcgrad as flow


def loss_of(w, v, x, y):
    hidden = np.tanh(w @ x)
    return np.log(1.0 + np.exp(-y * np.sum(v * hidden)))


def norms(w, v, x, y):
    out = np.zeros(x.shape[0])
    for b in flow.prange(x.shape[0]):
        g = flow.grad(loss_of)(w, v, x[b], y[b])
        out[b] = np.sqrt(np.sum(g * g))
    return out


def clipped_mean(w, v, x, y, bound):
    out = np.zeros(w.shape)
    for b in flow.prange(x.shape[0]):
        g = flow.grad(loss_of)(w, v, x[b], y[b])
        out += g * min(1.0, bound / np.sqrt(np.sum(g * g)))
    return out / x.shape[0]


def milliseconds(run, *args):
    run(*args)
    times = []
    for _ in range(10):
        start = time.perf_counter()
        run(*args)
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def main(samples=20_000, features=32, hidden=16):
    rng = np.random.default_rng(0)
    w = rng.normal(size=(hidden, features)) / features
    v = rng.normal(size=hidden)
    x = rng.normal(size=(samples, features))
    y = np.where(rng.uniform(size=samples) < 0.5, -1.0, 1.0)
    for run, args in ((norms, (w, v, x, y)), (clipped_mean, (w, v, x, y, 0.5))):
        plain, parallel = flow.compile(run), flow.compile(run, parallel=True)
        difference = np.max(np.abs(plain(*args) - parallel(*args)))
        one, many = milliseconds(plain, *args), milliseconds(parallel, *args)
        name = run.__name__
        print(f"{name}: {one:.1f} ms, parallel {many:.1f} ms, difference {difference:.1e}")
    whole = flow.grad(lambda w: sum_of_losses(w, v, x, y) / samples)(w)
    unclipped = flow.compile(clipped_mean, parallel=True)(w, v, x, y, np.inf)
    return int(not np.allclose(unclipped, whole))


def sum_of_losses(w, v, x, y):
    return np.sum(np.log(1.0 + np.exp(-y * (np.tanh(x @ w.T) @ v))))


if __name__ == "__main__":
    raise SystemExit(main())
