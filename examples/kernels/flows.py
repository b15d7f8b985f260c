"""Incompressible flow by explicit steps and a relaxed pressure (Barba & Forsyth, CFD Python)."""

import numpy as np

from examples.kernels.table import Kernel, signed


def divergence_source(rho, dt, dx, dy, u, v, b):
    """Store in the interior of `b` what drives the pressure."""
    ux = (u[1:-1, 2:] - u[1:-1, 0:-2]) / (2 * dx)
    vy = (v[2:, 1:-1] - v[0:-2, 1:-1]) / (2 * dy)
    uy = (u[2:, 1:-1] - u[0:-2, 1:-1]) / (2 * dy)
    vx = (v[1:-1, 2:] - v[1:-1, 0:-2]) / (2 * dx)
    b[1:-1, 1:-1] = rho * (1 / dt * (ux + vy) - ux**2 - 2 * uy * vx - vy**2)


def relax_pressure(sweeps, p, dx, dy, b):
    """Jacobi's iteration for the pressure, walls included, in place."""
    pn = np.empty_like(p)
    for _ in range(sweeps):
        pn[:] = p.copy()
        p[1:-1, 1:-1] = (
            (pn[1:-1, 2:] + pn[1:-1, 0:-2]) * dy**2 + (pn[2:, 1:-1] + pn[0:-2, 1:-1]) * dx**2
        ) / (2 * (dx**2 + dy**2)) - dx**2 * dy**2 / (2 * (dx**2 + dy**2)) * b[1:-1, 1:-1]
        p[:, -1] = p[:, -2]  # dp/dx = 0
        p[0, :] = p[1, :]  # dp/dy = 0
        p[:, 0] = p[:, 1]
        p[-1, :] = 0  # p = 0 at the lid


def cavity_flow(steps, sweeps, u, v, p, lid, rho, nu):
    """A square cavity whose lid moves: velocities and pressure stepped in place."""
    n = u.shape[0]
    dx = dy = 2 / (n - 1)
    dt = 0.1 / n**2
    un = np.empty_like(u)
    vn = np.empty_like(v)
    b = np.zeros((n, n))
    for _ in range(steps):
        un[:] = u.copy()
        vn[:] = v.copy()
        divergence_source(rho, dt, dx, dy, u, v, b)
        relax_pressure(sweeps, p, dx, dy, b)
        u[1:-1, 1:-1] = (
            un[1:-1, 1:-1]
            - un[1:-1, 1:-1] * dt / dx * (un[1:-1, 1:-1] - un[1:-1, 0:-2])
            - vn[1:-1, 1:-1] * dt / dy * (un[1:-1, 1:-1] - un[0:-2, 1:-1])
            - dt / (2 * rho * dx) * (p[1:-1, 2:] - p[1:-1, 0:-2])
            + nu
            * (
                dt / dx**2 * (un[1:-1, 2:] - 2 * un[1:-1, 1:-1] + un[1:-1, 0:-2])
                + dt / dy**2 * (un[2:, 1:-1] - 2 * un[1:-1, 1:-1] + un[0:-2, 1:-1])
            )
        )
        v[1:-1, 1:-1] = (
            vn[1:-1, 1:-1]
            - un[1:-1, 1:-1] * dt / dx * (vn[1:-1, 1:-1] - vn[1:-1, 0:-2])
            - vn[1:-1, 1:-1] * dt / dy * (vn[1:-1, 1:-1] - vn[0:-2, 1:-1])
            - dt / (2 * rho * dy) * (p[2:, 1:-1] - p[0:-2, 1:-1])
            + nu
            * (
                dt / dx**2 * (vn[1:-1, 2:] - 2 * vn[1:-1, 1:-1] + vn[1:-1, 0:-2])
                + dt / dy**2 * (vn[2:, 1:-1] - 2 * vn[1:-1, 1:-1] + vn[0:-2, 1:-1])
            )
        )
        u[0, :] = 0
        u[:, 0] = 0
        u[:, -1] = 0
        u[-1, :] = lid
        v[0, :] = v[-1, :] = 0
        v[:, 0] = v[:, -1] = 0


def around(field):
    """A field continued by one column on either side, periodic in x."""
    return np.hstack((field[:, -1:], field, field[:, :1]))


def channel_flow(sweeps, u, v, p, force, rho, nu):
    """A driven channel, periodic along it, stepped until the flow hardly changes."""
    n = u.shape[0]
    dx = dy = 2 / (n - 1)
    dt = 0.01
    change = 1.0
    steps = 0
    while change > 0.05:
        un = around(u)
        vn = around(v)
        ux = (un[1:-1, 2:] - un[1:-1, :-2]) / (2 * dx)
        vy = (vn[2:, 1:-1] - vn[:-2, 1:-1]) / (2 * dy)
        uy = (un[2:, 1:-1] - un[:-2, 1:-1]) / (2 * dy)
        vx = (vn[1:-1, 2:] - vn[1:-1, :-2]) / (2 * dx)
        b = rho * ((ux + vy) / dt - ux**2 - 2 * uy * vx - vy**2)
        for _ in range(sweeps):
            pn = around(p)
            p[1:-1, :] = (
                (pn[1:-1, 2:] + pn[1:-1, :-2]) * dy**2
                + (pn[2:, 1:-1] + pn[:-2, 1:-1]) * dx**2
                - dx**2 * dy**2 * b
            ) / (2 * (dx**2 + dy**2))
            p[-1, :] = p[-2, :]
            p[0, :] = p[1, :]
        pn = around(p)
        before = np.sum(u)
        for field, old, px, drive in (
            (u, un, (pn[1:-1, 2:] - pn[1:-1, :-2]) / dx, force),
            (v, vn, (pn[2:, 1:-1] - pn[:-2, 1:-1]) / dy, 0.0),
        ):
            field[1:-1, :] = (
                old[1:-1, 1:-1]
                - un[1:-1, 1:-1] * dt / dx * (old[1:-1, 1:-1] - old[1:-1, :-2])
                - vn[1:-1, 1:-1] * dt / dy * (old[1:-1, 1:-1] - old[:-2, 1:-1])
                - dt / (2 * rho) * px
                + nu * dt / dx**2 * (old[1:-1, 2:] - 2 * old[1:-1, 1:-1] + old[1:-1, :-2])
                + nu * dt / dy**2 * (old[2:, 1:-1] - 2 * old[1:-1, 1:-1] + old[:-2, 1:-1])
                + drive * dt
            )
        u[0, :] = u[-1, :] = v[0, :] = v[-1, :] = 0
        change = (np.sum(u) - before) / np.sum(u)
        steps += 1
    return steps, u, v


def fields(n):
    return tuple(0.1 * signed(n, n, seed=k) for k in range(3))


KERNELS = [
    Kernel(
        cavity_flow,
        lambda t, s, n: (t, s, *fields(n), 1.0, 1.0, 0.1),
        (2, 2, 5),
        (20, 10, 61),
        (2, 3, 4),
    ),
    Kernel(
        channel_flow,
        lambda s, n: (s, *(abs(f) for f in fields(n)), 1.0, 1.0, 0.1),
        (2, 5),
        (10, 41),
    ),
]
