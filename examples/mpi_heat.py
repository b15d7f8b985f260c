"""Where the heat came from: a 2-D plate divided among the ranks of MPI, and its source found.

Each rank has some rows of the plate, exchanges one row with its neighbours in every step, and
differentiates its part (pip install 'srcgrad[mpi]'). The source is found from the temperatures at
the end, by gradients of the whole simulation and SciPy's L-BFGS-B, which runs on every rank with
the same numbers. `main` returns 0 if it is found.
Run it: mpiexec -n 2 python examples/mpi_heat.py
"""

import sys

import numpy as np
from scipy.optimize import minimize

import srcgrad as flow
from srcgrad import distributed


@flow.compile
def mismatch(source, rows, columns, wanted, steps):
    """The squared difference of this rank's temperatures at the end from the measured ones."""
    heat = source[2] * np.exp(-8.0 * ((rows - source[0]) ** 2 + (columns - source[1]) ** 2))
    n, m = np.shape(heat)
    u = np.zeros((n, m))
    for _ in range(steps):
        v = distributed.halo_exchange(u)
        w = np.zeros((n, m + 2))
        w[:, 1:-1] = u
        u = u + 0.2 * (v[2:] + v[:-2] + w[:, 2:] + w[:, :-2] - 4.0 * u) + 0.01 * heat
    return np.sum((u - wanted) ** 2)


def temperatures(source, rows, columns, steps):
    """The whole plate at the end, on one rank and in plain NumPy: the measurement."""
    heat = source[2] * np.exp(-8.0 * ((rows - source[0]) ** 2 + (columns - source[1]) ** 2))
    n, m = np.shape(heat)
    u = np.zeros((n, m))
    for _ in range(steps):
        v = np.pad(u, 1)
        around = v[2:, 1:-1] + v[:-2, 1:-1] + v[1:-1, 2:] + v[1:-1, :-2]
        u = u + 0.2 * (around - 4.0 * u) + 0.01 * heat
    return u


def main(size: int = 48, steps: int = 60) -> int:
    rows, columns = np.meshgrid(*[np.linspace(-1.0, 1.0, size)] * 2, indexing="ij")
    truth = np.array([0.3, -0.4, 5.0])
    wanted = temperatures(truth, rows, columns, steps)
    mine = distributed.shard((rows, columns, wanted))
    step = distributed.value_and_grad(mismatch)  # the sum over the ranks
    start = np.array([0.0, 0.0, 1.0])
    found = minimize(step, start, (*mine, steps), "L-BFGS-B", jac=True, options={"ftol": 1e-14})
    error = float(np.max(np.abs(found.x - truth)))
    if distributed.rank() == 0:
        print(f"{distributed.size()} ranks, {found.nfev} simulations and gradients")
        print(f"source at ({found.x[0]:.4f}, {found.x[1]:.4f}), strength {found.x[2]:.4f}")
        print(f"largest error {error:.1e}")
    return int(error > 1e-3)


if __name__ == "__main__":
    sys.exit(main())
