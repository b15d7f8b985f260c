"""Particles under their mutual forces: gravity, Lennard-Jones, springs."""

import numpy as np

from examples.kernels.table import Kernel, positive, signed


def acceleration(pos, mass, g, softening):
    """Newton's accelerations of all bodies by all others, softened."""
    x = pos[:, 0:1]
    y = pos[:, 1:2]
    z = pos[:, 2:3]
    dx = x.T - x
    dy = y.T - y
    dz = z.T - z
    inv_r3 = dx**2 + dy**2 + dz**2 + softening**2
    inv_r3[inv_r3 > 0] = inv_r3[inv_r3 > 0] ** (-1.5)
    ax = g * (dx * inv_r3) @ mass
    ay = g * (dy * inv_r3) @ mass
    az = g * (dz * inv_r3) @ mass
    return np.hstack((ax, ay, az))


def energy(pos, vel, mass, g):
    """Kinetic and potential energy."""
    kinetic = 0.5 * np.sum(np.sum(mass * vel**2))
    x = pos[:, 0:1]
    y = pos[:, 1:2]
    z = pos[:, 2:3]
    dx = x.T - x
    dy = y.T - y
    dz = z.T - z
    inv_r = np.sqrt(dx**2 + dy**2 + dz**2)
    inv_r[inv_r > 0] = 1.0 / inv_r[inv_r > 0]
    return kinetic, g * np.sum(np.sum(np.triu(-(mass * mass.T) * inv_r, 1)))


def nbody(mass, pos, vel, steps, dt, g, softening):
    """Bodies under gravity by leapfrog in their centre-of-mass frame; their energies in time."""
    vel -= np.mean(mass * vel, axis=0) / np.mean(mass)
    acc = acceleration(pos, mass, g, softening)
    kinetic = np.ndarray(steps + 1, dtype=np.float64)
    potential = np.ndarray(steps + 1, dtype=np.float64)
    kinetic[0], potential[0] = energy(pos, vel, mass, g)
    for i in range(steps):
        vel += acc * dt / 2.0
        pos += vel * dt
        acc = acceleration(pos, mass, g, softening)
        vel += acc * dt / 2.0
        kinetic[i + 1], potential[i + 1] = energy(pos, vel, mass, g)
    return kinetic, potential


def pair_forces(pos, box, cutoff):
    """Lennard-Jones forces and energy in a periodic box, pair by pair, cut off."""
    n, dim = pos.shape
    forces = np.zeros((n, dim))
    potential = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            d = pos[i] - pos[j]
            d -= box * np.round(d / box)
            r2 = np.dot(d, d)
            if r2 >= cutoff**2:
                continue
            s6 = 1.0 / r2**3
            f = 24.0 * (2.0 * s6**2 - s6) / r2 * d
            forces[i] += f
            forces[j] -= f
            potential += 4.0 * (s6**2 - s6)
    return forces, potential


def lennard_jones(pos, vel, box, cutoff, dt, steps):
    """Molecular dynamics by velocity Verlet (Frenkel & Smit, 4.3); total energy at the end."""
    forces, potential = pair_forces(pos, box, cutoff)
    for _ in range(steps):
        vel += 0.5 * dt * forces
        pos += dt * vel
        pos %= box
        forces, potential = pair_forces(pos, box, cutoff)
        vel += 0.5 * dt * forces
    return potential + 0.5 * np.sum(vel**2)


def lennard_jones_energy(pos, box, cutoff):
    """The same energy by arrays of all pairs and a mask."""
    i, j = np.triu_indices(len(pos), 1)
    d = pos[i] - pos[j]
    d -= box * np.round(d / box)
    r2 = np.einsum("ij,ij->i", d, d)
    r2 = r2[r2 < cutoff**2]
    s6 = r2**-3
    return 4.0 * np.sum(s6 * (s6 - 1.0))


def cloth(pos, vel, edges, rest, stiffness, dt, steps):
    """Masses on springs, forces added at both ends of each edge; the ground pushes back."""
    for _ in range(steps):
        a, b = edges[:, 0], edges[:, 1]
        d = pos[b] - pos[a]
        length = np.linalg.norm(d, axis=1, keepdims=True)
        f = stiffness * (length - rest[:, None]) * d / length
        force = np.zeros_like(pos)
        np.add.at(force, a, f)
        np.subtract.at(force, b, f)
        force[:, 1] -= 9.81
        vel += dt * force
        vel *= 0.99
        pos += dt * vel
        below = pos[:, 1] < 0
        vel[below, 1] *= -0.5
        pos[below, 1] = 0.0


def lattice(n, spread):
    side = int(np.ceil(np.sqrt(n)))
    grid = np.stack(np.divmod(np.arange(n), side), axis=1) * 1.2 + 0.3
    return grid + spread * signed(n, 2), 1.2 * side


def gas(n, steps):
    pos, box = lattice(n, 0.05)
    return pos, 0.3 * signed(n, 2, seed=1), box, 2.5, 0.01, steps


def net(n, steps):
    pos, _ = lattice(n, 0.05)
    edges = np.array([(i, i + 1) for i in range(n - 1)] + [(i, i + 2) for i in range(n - 2)])
    return pos, signed(n, 2, seed=1), edges, positive(len(edges)), 3.0, 0.1, steps


KERNELS = [
    Kernel(
        nbody,
        lambda n, t: (
            positive(n, 1),
            signed(n, 3, seed=1),
            signed(n, 3, seed=2),
            t,
            0.01,
            1.0,
            0.1,
        ),
        (3, 2),
        (100, 20),
        wrt=(0, 1, 2),
    ),
    Kernel(lennard_jones, gas, (5, 2), (60, 20), wrt=(0, 1)),
    Kernel(lennard_jones_energy, lambda n: (*lattice(n, 0.05), 2.5), (6,), (500,), wrt=(0,)),
    Kernel(cloth, net, (4, 4), (1000, 50), (0, 1), (0, 1, 3, 4)),
]
