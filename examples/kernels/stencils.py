"""Stencils on grids, updated in place (definitions: PolyBench/C 4.2)."""

import numpy as np

from examples.kernels.table import Kernel, positive


def jacobi_1d(steps, a, b):
    """Means of three neighbours, from one buffer to the other and back (PolyBench jacobi-1d)."""
    for _ in range(steps):
        b[1:-1] = 0.33333 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.33333 * (b[:-2] + b[1:-1] + b[2:])


def jacobi_2d(steps, a, b):
    """Means of five neighbours, from one buffer to the other and back (PolyBench jacobi-2d)."""
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.2 * (
            a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1]
        )
        a[1:-1, 1:-1] = 0.2 * (
            b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1]
        )


def spread_heat(old, new):
    """One explicit step of the heat equation in the interior."""
    inner = old[1:-1, 1:-1, 1:-1]
    new[1:-1, 1:-1, 1:-1] = inner + 0.125 * (
        (old[2:, 1:-1, 1:-1] - 2.0 * inner + old[:-2, 1:-1, 1:-1])
        + (old[1:-1, 2:, 1:-1] - 2.0 * inner + old[1:-1, :-2, 1:-1])
        + (old[1:-1, 1:-1, 2:] - 2.0 * inner + old[1:-1, 1:-1, :-2])
    )


def heat_3d(steps, a, b):
    """The heat equation in a box, two buffers (PolyBench heat-3d)."""
    for _ in range(steps):
        spread_heat(a, b)
        spread_heat(b, a)


def seidel_2d(steps, a):
    """Gauss and Seidel's nine-point mean: what is whole is a row, the rest a recurrence."""
    n = a.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            a[i, 1:-1] += (
                a[i - 1, :-2]
                + a[i - 1, 1:-1]
                + a[i - 1, 2:]
                + a[i, 2:]
                + a[i + 1, :-2]
                + a[i + 1, 1:-1]
                + a[i + 1, 2:]
            )
            for j in range(1, n - 1):
                a[i, j] += a[i, j - 1]
                a[i, j] /= 9.0


def fdtd_2d(ex, ey, hz, source):
    """Maxwell's equations in two dimensions by finite differences in time (PolyBench fdtd-2d)."""
    for t in range(len(source)):
        ey[0, :] = source[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


def adi(steps, u):
    """Heat conduction by alternating directions, implicit in one at a time (PolyBench adi)."""
    n = u.shape[0]
    v = np.empty_like(u)
    p = np.empty_like(u)
    q = np.empty_like(u)
    dx = dy = 1.0 / n
    dt = 1.0 / steps
    mul1 = 2.0 * dt / dx**2
    mul2 = 1.0 * dt / dy**2
    a = c = -mul1 / 2.0
    b = 1.0 + mul1
    d = f = -mul2 / 2.0
    e = 1.0 + mul2
    for _ in range(steps):
        v[0, 1:-1] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = v[0, 1:-1]
        for j in range(1, n - 1):
            pivot = a * p[1:-1, j - 1] + b
            right = -d * u[j, :-2] + (1.0 + 2.0 * d) * u[j, 1:-1] - f * u[j, 2:]
            p[1:-1, j] = -c / pivot
            q[1:-1, j] = (right - a * q[1:-1, j - 1]) / pivot
        v[-1, 1:-1] = 1.0
        for j in range(n - 2, 0, -1):
            v[j, 1:-1] = p[1:-1, j] * v[j + 1, 1:-1] + q[1:-1, j]
        u[1:-1, 0] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = u[1:-1, 0]
        for j in range(1, n - 1):
            pivot = d * p[1:-1, j - 1] + e
            right = -a * v[:-2, j] + (1.0 + 2.0 * a) * v[1:-1, j] - c * v[2:, j]
            p[1:-1, j] = -f / pivot
            q[1:-1, j] = (right - d * q[1:-1, j - 1]) / pivot
        u[1:-1, -1] = 1.0
        for j in range(n - 2, 0, -1):
            u[1:-1, j] = p[1:-1, j] * u[1:-1, j + 1] + q[1:-1, j]


def waves(n, m, steps):
    return positive(n, m), positive(n, m, seed=1), positive(n, m, seed=2), positive(steps, seed=3)


KERNELS = [
    Kernel(
        jacobi_1d, lambda t, n: (t, positive(n), positive(n, seed=1)), (3, 7), (400, 8000), (1,)
    ),
    Kernel(
        jacobi_2d, lambda t, n: (t, positive(n, n), positive(n, n, seed=1)), (2, 5), (40, 250), (1,)
    ),
    Kernel(
        heat_3d,
        lambda t, n: (t, positive(n, n, n), positive(n, n, n, seed=1)),
        (2, 4),
        (20, 50),
        (1, 2),
    ),
    Kernel(seidel_2d, lambda t, n: (t, positive(n, n)), (2, 5), (10, 250), (1,)),
    Kernel(fdtd_2d, waves, (4, 5, 3), (200, 220, 60), (0, 1, 2)),
    Kernel(adi, lambda t, n: (t, positive(n, n)), (2, 5), (20, 150), (1,)),
]
