"""How a guess of parameters spreads: an ensemble of fits, each a task of Dask.

Each member fits the decay of a measured signal to data with noise of its own, by gradients that are
compiled once in each worker (pip install 'srcgrad[dask]'). `main` returns 0 if the mean of the
ensemble is the truth within its spread.
Run it: python examples/dask_ensemble.py
"""

import sys

import numpy as np
from scipy.optimize import minimize

import srcgrad as flow

TIMES = np.linspace(0.0, 4.0, 40)
TRUTH = np.array([2.0, 0.7, 0.3])


def signal(p, t):
    return p[0] * np.exp(-p[1] * t) + p[2]


@flow.compile(target="python")
def misfit(p, t, data):
    return np.sum((signal(p, t) - data) ** 2)


def fitted(seed):
    """The parameters that fit the data of one member."""
    data = signal(TRUTH, TIMES) + np.random.default_rng(seed).normal(0.0, 0.02, len(TIMES))
    step = flow.value_and_grad(misfit)
    return minimize(step, np.ones(3), (TIMES, data), "BFGS", jac=True).x


def main(members: int = 200, workers: int = 2) -> int:
    from dask.distributed import Client

    with Client(n_workers=workers, threads_per_worker=1, dashboard_address=None) as client:
        found = np.array(client.gather(client.map(fitted, range(members))))
    mean, spread = found.mean(axis=0), found.std(axis=0)
    print(f"{members} fits on {workers} workers")
    for name, m, s, true in zip(("amplitude", "rate", "offset"), mean, spread, TRUTH, strict=True):
        print(f"{name:9} {m:.4f} +- {s:.4f}, true {true}")
    return int(np.any(np.abs(mean - TRUTH) > 5.0 * spread / np.sqrt(members) + 0.01 * TRUTH))


if __name__ == "__main__":
    sys.exit(main())
