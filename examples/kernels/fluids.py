"""Fluids by lattices, particles, limiters and characteristics."""

import numpy as np

from examples.kernels.table import Kernel, positive, signed

CX = np.array([0, 0, 1, 1, 1, 0, -1, -1, -1])
CY = np.array([0, 1, 1, 0, -1, -1, -1, 0, 1])
WEIGHTS = np.array([4 / 9, 1 / 9, 1 / 36, 1 / 9, 1 / 36, 1 / 9, 1 / 36, 1 / 9, 1 / 36])
OPPOSITE = [0, 5, 6, 7, 8, 1, 2, 3, 4]


def lattice_boltzmann(f, solid, tau, steps):
    """Flow around a body: streaming, bounce back, relaxation to equilibrium (Succi 2001, D2Q9)."""
    for _ in range(steps):
        for i, cx, cy in zip(range(9), CX, CY):
            f[:, :, i] = np.roll(f[:, :, i], cx, axis=1)
            f[:, :, i] = np.roll(f[:, :, i], cy, axis=0)
        bounced = f[solid, :]
        bounced = bounced[:, OPPOSITE]
        rho = np.sum(f, 2)
        ux = np.sum(f * CX, 2) / rho
        uy = np.sum(f * CY, 2) / rho
        equilibrium = np.zeros(f.shape)
        for i, cx, cy, w in zip(range(9), CX, CY, WEIGHTS):
            along = cx * ux + cy * uy
            equilibrium[:, :, i] = (
                rho * w * (1 + 3 * along + 9 * along**2 / 2 - 3 * (ux**2 + uy**2) / 2)
            )
        f += -(1.0 / tau) * (f - equilibrium)
        f[solid, :] = bounced
    return ux, uy


def minmod(a, b):
    """The smaller slope where both have one sign, else none."""
    return np.where(a * b > 0, np.sign(a) * np.minimum(np.abs(a), np.abs(b)), 0.0)


def limited_advection(q, velocity, dx, dt, steps):
    """A conserved quantity carried along, slopes limited, two ghost cells at each end (LeVeque)."""
    for _ in range(steps):
        q[:2], q[-2:] = q[-4:-2].copy(), q[2:4].copy()
        slope = minmod(q[1:-1] - q[:-2], q[2:] - q[1:-1])
        left = q[1:-2] + 0.5 * (1 - velocity * dt / dx) * slope[:-1]
        right = q[2:-1] - 0.5 * (1 + velocity * dt / dx) * slope[1:]
        flux = np.maximum(velocity, 0) * left + np.minimum(velocity, 0) * right
        q[2:-2] -= dt / dx * np.diff(flux)


def bilinear(field, x, y):
    """A field at points between its nodes, those outside moved to the border."""
    n, m = field.shape
    x = np.clip(x, 0, n - 1.001)
    y = np.clip(y, 0, m - 1.001)
    i, j = np.floor(x).astype(int), np.floor(y).astype(int)
    s, t = x - i, y - j
    return (
        (1 - s) * (1 - t) * field[i, j]
        + s * (1 - t) * field[i + 1, j]
        + (1 - s) * t * field[i, j + 1]
        + s * t * field[i + 1, j + 1]
    )


def stable_fluids(u, v, density, dt, sweeps, steps):
    """Smoke carried backwards along the flow, then made free of divergence (Stam 1999)."""
    n, m = density.shape
    i, j = np.meshgrid(np.arange(n), np.arange(m), indexing="ij")
    for _ in range(steps):
        back_x, back_y = i - dt * u, j - dt * v
        u, v, density = (bilinear(f, back_x, back_y) for f in (u, v, density))
        divergence = np.zeros_like(u)
        divergence[1:-1, 1:-1] = 0.5 * (u[2:, 1:-1] - u[:-2, 1:-1] + v[1:-1, 2:] - v[1:-1, :-2])
        p = np.zeros_like(u)
        for _ in range(sweeps):
            p[1:-1, 1:-1] = 0.25 * (
                p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2] - divergence[1:-1, 1:-1]
            )
        u[1:-1, 1:-1] -= 0.5 * (p[2:, 1:-1] - p[:-2, 1:-1])
        v[1:-1, 1:-1] -= 0.5 * (p[1:-1, 2:] - p[1:-1, :-2])
    return density


def cubic_spline_kernel(r, h):
    """Monaghan's kernel in two dimensions."""
    q = r / h
    w = np.zeros_like(q)
    near = q <= 1
    far = np.logical_and(q > 1, q <= 2)
    w[near] = 1 - 1.5 * q[near] ** 2 + 0.75 * q[near] ** 3
    w[far] = 0.25 * (2 - q[far]) ** 3
    return 10 / (7 * np.pi * h**2) * w


def smoothed_particles(pos, vel, mass, h, k, nu, dt, steps):
    """A polytropic star in the plane by smoothed particles (Monaghan 1992; Mocz' layout)."""
    for _ in range(steps):
        d = pos[:, None, :] - pos[None, :, :]
        r = np.sqrt(np.sum(d**2, axis=-1) + 1e-6)
        rho = mass * cubic_spline_kernel(r, h).sum(axis=1)
        pressure = k * rho**2
        weight = (pressure / rho**2)[:, None] + (pressure / rho**2)[None, :]
        gradient = -2 * d / h**2 * np.exp(-((r / h) ** 2))[..., np.newaxis]
        acc = -mass * np.einsum("ij,ijk->ik", weight, gradient) - 0.5 * pos - nu * vel
        vel += acc * dt
        pos += vel * dt
    return rho


def particle_in_cell(x, v, charge, n, length, dt, steps):
    """Charged particles on a periodic line: deposit, solve for the field, interpolate, push."""
    dx = length / n
    energy = np.zeros(steps)
    for t in range(steps):
        cell = np.floor(x / dx).astype(int)
        right = x / dx - cell
        left = 1 - right
        density = np.zeros(n)
        np.add.at(density, cell % n, charge * left / dx)
        np.add.at(density, (cell + 1) % n, charge * right / dx)
        density -= density.mean()
        field = np.cumsum(density) * dx
        field -= np.mean(field)
        force = left * field[cell % n] + right * field[(cell + 1) % n]
        v += charge * force * dt
        x += v * dt
        x = np.mod(x, length)
        energy[t] = 0.5 * np.sum(field**2) * dx + 0.5 * np.sum(v**2)
    return energy


def acoustic_inversion(speed, source, receivers, observed, dt, dx):
    """The misfit of a shot: waves with absorbing margins and receivers (Tarantola 1984)."""
    n, m = speed.shape
    old = np.zeros((n, m))
    now = np.zeros((n, m))
    damping = np.ones((n, m))
    for k in range(3):
        damping[k, :] *= 0.8 + 0.05 * k
        damping[:, k] *= 0.8 + 0.05 * k
        damping[-1 - k, :] *= 0.8 + 0.05 * k
        damping[:, -1 - k] *= 0.8 + 0.05 * k
    courant = (speed * dt / dx) ** 2
    misfit = 0.0
    for t, amplitude in enumerate(source):
        laplace = np.zeros_like(now)
        laplace[1:-1, 1:-1] = (
            now[2:, 1:-1] + now[:-2, 1:-1] + now[1:-1, 2:] + now[1:-1, :-2] - 4 * now[1:-1, 1:-1]
        )
        new = damping * (2 * now - damping * old + courant * laplace)
        new[n // 2, m // 2] += dt**2 * amplitude
        old, now = now, new
        misfit += 0.5 * np.sum((now[1, receivers] - observed[t]) ** 2)
    return misfit


def eikonal(slowness, start, sweeps):
    """First arrivals from a point by fast sweeping in four directions (Zhao 2005)."""
    n, m = slowness.shape
    t = np.full((n, m), 1e10)
    t[start] = 0.0
    for sweep in range(sweeps):
        rows = range(n) if sweep % 2 == 0 else range(n - 1, -1, -1)
        columns = range(m) if sweep % 4 < 2 else range(m - 1, -1, -1)
        for i in rows:
            for j in columns:
                a = min(t[max(i - 1, 0), j], t[min(i + 1, n - 1), j])
                b = min(t[i, max(j - 1, 0)], t[i, min(j + 1, m - 1)])
                s = slowness[i, j]
                if abs(a - b) >= s:
                    new = min(a, b) + s
                else:
                    new = 0.5 * (a + b + np.sqrt(2 * s**2 - (a - b) ** 2))
                t[i, j] = min(t[i, j], new)
    return t


def around_cylinder(n, m, steps):
    solid = np.zeros((n, m), dtype=bool)
    solid[1 : n // 2, 2] = True
    return 1 + 0.1 * positive(n, m, 9), solid, 0.6, steps


def charges(p):
    return 4 * positive(p), signed(p, seed=1), positive(p, seed=2) / p


def shot(n, m, steps):
    receivers = np.arange(1, m - 1, 2)
    return (
        positive(n, m),
        signed(steps, seed=1),
        receivers,
        0.01 * signed(steps, len(receivers), seed=2),
        0.3,
        1.0,
    )


KERNELS = [
    Kernel(lattice_boltzmann, around_cylinder, (4, 5, 2), (50, 120, 20), wrt=(0, 2)),
    Kernel(
        limited_advection,
        lambda n, t: (signed(n), 0.7, 0.1, 0.05, t),
        (9, 3),
        (4000, 200),
        (0,),
        (0, 1),
    ),
    Kernel(
        stable_fluids,
        lambda n, m, s, t: (signed(n, m), signed(n, m, seed=1), positive(n, m), 0.3, s, t),
        (5, 4, 2, 2),
        (80, 80, 20, 10),
        wrt=(0, 1, 2),
    ),
    Kernel(
        smoothed_particles,
        lambda n, t: (signed(n, 2), signed(n, 2, seed=1), 0.3, 0.8, 0.1, 0.5, 0.04, t),
        (4, 2),
        (100, 20),
        wrt=(0, 1, 2),
    ),
    Kernel(
        particle_in_cell,
        lambda p, n, t: (
            positive(p) * 4,
            signed(p, seed=1),
            positive(p, seed=2) / p,
            n,
            8.0,
            0.1,
            t,
        ),
        (6, 4, 3),
        (10000, 100, 20),
        wrt=(0, 1, 2),
    ),
    Kernel(acoustic_inversion, shot, (8, 9, 4), (120, 120, 60), wrt=(0, 1, 3)),
    Kernel(eikonal, lambda n, m: (positive(n, m), (1, 2), 4), (4, 5), (150, 150)),
]
