"""Per-sample gradients of a logistic model on several cores.

    python examples/threads_per_sample.py

Each sample's gradient is a row of the result, so the trips of the loop do not depend on one another
and `parallel=True` runs them on the cores there are. The second function sums over samples: what
all of them add to `w`'s gradient is added up per chunk, in a fixed order, so that one thread and
two give the same bits.
"""

import time

import numpy as np

import srcgrad as flow


def loss_of(w, x, y):
    s = 0.0
    for k in range(len(w)):
        s += w[k] * x[k]
    return np.log(1.0 + np.exp(-y * s))


def per_sample(w, x, y):
    g = np.zeros(x.shape)
    for b in flow.prange(x.shape[0]):
        g[b] = flow.grad(loss_of)(w, x[b], y[b])
    return g


def total(w, x, y):
    loss = 0.0
    for b in flow.prange(x.shape[0]):
        loss += loss_of(w, x[b], y[b])
    return loss


def milliseconds(run, *args):
    run(*args)
    times = []
    for _ in range(10):
        start = time.perf_counter()
        run(*args)
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def main(samples=50_000, features=50):
    rng = np.random.default_rng(0)
    w = rng.normal(size=features) / features
    x = rng.normal(size=(samples, features))
    y = np.where(rng.uniform(size=samples) < 0.5, -1.0, 1.0)
    for name, make in (
        ("per sample", lambda **options: flow.compile(per_sample, **options)),
        ("summed", lambda **options: flow.grad(total, **options)),
    ):
        plain, parallel = make(), make(parallel=True)
        difference = np.max(np.abs(plain(w, x, y) - parallel(w, x, y)))
        one, many = milliseconds(plain, w, x, y), milliseconds(parallel, w, x, y)
        print(f"{name}: {one:.1f} ms, parallel {many:.1f} ms, difference {difference:.1e}")
    rows = flow.compile(per_sample, parallel=True)(w, x, y).sum(axis=0)
    return int(not np.allclose(rows, flow.grad(total, parallel=True)(w, x, y)))


if __name__ == "__main__":
    raise SystemExit(main())
