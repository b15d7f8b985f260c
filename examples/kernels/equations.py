"""Differential equations: adaptive steps, implicit steps, inverse problems."""

import numpy as np

from examples.kernels.table import Kernel, positive, signed

# Dormand and Prince (1980): stages, fifth-order weights, and their difference to fourth order
NODES = np.array([0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1])
STAGES = np.array(
    [
        [0, 0, 0, 0, 0],
        [1 / 5, 0, 0, 0, 0],
        [3 / 40, 9 / 40, 0, 0, 0],
        [44 / 45, -56 / 15, 32 / 9, 0, 0],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
    ]
)
WEIGHTS = np.array([35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84])
ERRORS = np.array([-71 / 57600, 0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40])


def predator_prey(t, y, rates):
    """Lotka and Volterra's equations."""
    a, b, c, d = rates
    return np.array([a * y[0] - b * y[0] * y[1], -c * y[1] + d * y[0] * y[1]])


def runge_kutta_45(y, rates, t_end, rtol, atol):
    """Dormand and Prince's method with accepted and rejected steps; state and counts at the end."""
    t = 0.0
    h = 0.1
    k = np.empty((7, len(y)))
    k[0] = predator_prey(t, y, rates)
    accepted = rejected = 0
    while t < t_end:
        h = min(h, t_end - t)
        for s in range(1, 6):
            k[s] = predator_prey(t + NODES[s] * h, y + h * (k[:s].T @ STAGES[s, :s]), rates)
        y_new = y + h * (k[:-1].T @ WEIGHTS)
        k[-1] = predator_prey(t + h, y_new, rates)
        scale = atol + np.maximum(np.abs(y), np.abs(y_new)) * rtol
        error = np.sqrt(np.mean((h * (k.T @ ERRORS) / scale) ** 2))
        if error < 1:
            t += h
            y = y_new
            k[0] = k[-1]
            accepted += 1
            h *= min(10, 0.9 * error**-0.2)
        else:
            rejected += 1
            h *= max(0.2, 0.9 * error**-0.2)
    return y, accepted, rejected


def tridiagonal(lower, diagonal, upper, right):
    """Thomas' algorithm; `diagonal` and `right` are overwritten, the solution is `right`."""
    n = len(right)
    for i in range(1, n):
        w = lower[i - 1] / diagonal[i - 1]
        diagonal[i] -= w * upper[i - 1]
        right[i] -= w * right[i - 1]
    right[-1] /= diagonal[-1]
    for i in range(n - 2, -1, -1):
        right[i] = (right[i] - upper[i] * right[i + 1]) / diagonal[i]


def heat_misfit(log_conductivity, u, observed, sensors, dt, steps):
    """Conductivities from temperatures: Crank and Nicolson's scheme, squared misfit at sensors."""
    k = np.exp(log_conductivity)
    n = len(u)
    dx = 1.0 / (n - 1)
    misfit = 0.0
    for t in range(steps):
        flux = k * np.diff(u) / dx
        right = u[1:-1] + 0.5 * dt * np.diff(flux) / dx
        off = -0.5 * dt / dx**2 * k[1:-1]
        diagonal = 1.0 + 0.5 * dt / dx**2 * (k[:-1] + k[1:])
        tridiagonal(off, diagonal, off, right)
        u[1:-1] = right
        misfit += np.sum((u[sensors] - observed[t]) ** 2)
    return misfit + 1e-3 * np.sum(np.diff(log_conductivity) ** 2)


def lorenz_twin(state, parameters, observed, every, dt):
    """Lorenz' system by Runge and Kutta's classical method; misfit to sparse observations."""
    sigma, rho, beta = parameters

    def slope(s):
        x, y, z = s
        return np.array([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])

    cost = 0.0
    for target in observed:
        for _ in range(every):
            k1 = slope(state)
            k2 = slope(state + dt / 2 * k1)
            k3 = slope(state + dt / 2 * k2)
            k4 = slope(state + dt * k3)
            state = state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        cost += np.sum((state - target) ** 2)
    return cost


def shallow_water(h, u, v, g, dt, steps):
    """Shallow water on a staggered periodic grid, forward and backward; energy at the end."""
    for _ in range(steps):
        u -= g * dt * (np.roll(h, -1, axis=1) - h)
        v -= g * dt * (np.roll(h, -1, axis=0) - h)
        hu = u * (h + np.roll(h, -1, axis=1)) / 2
        hv = v * (h + np.roll(h, -1, axis=0)) / 2
        h -= dt * (hu - np.roll(hu, 1, axis=1) + hv - np.roll(hv, 1, axis=0))
    return np.sum(h * (u**2 + v**2)) / 2 + g * np.sum(h**2) / 2


def gray_scott(u, v, feed, kill, steps):
    """Two reacting, diffusing substances in bordered arrays (Pearson 1993)."""
    for _ in range(steps):
        for z in (u, v):
            z[0, :] = z[-2, :]
            z[-1, :] = z[1, :]
            z[:, 0] = z[:, -2]
            z[:, -1] = z[:, 1]
        centre_u, centre_v = u[1:-1, 1:-1], v[1:-1, 1:-1]
        lu = u[:-2, 1:-1] + u[1:-1, :-2] - 4 * centre_u + u[1:-1, 2:] + u[2:, 1:-1]
        lv = v[:-2, 1:-1] + v[1:-1, :-2] - 4 * centre_v + v[1:-1, 2:] + v[2:, 1:-1]
        uvv = centre_u * centre_v * centre_v
        centre_u += 0.1 * lu - uvv + feed * (1 - centre_u)
        centre_v += 0.05 * lv + uvv - (feed + kill) * centre_v


def shock_tube(rho, momentum, energy, courant, t_end):
    """Euler's equations by Rusanov's flux, steps as long as the fastest wave allows (Toro, 10)."""
    gamma = 1.4
    state = np.stack((rho, momentum, energy))
    n = state.shape[1]
    dx = 1.0 / n
    t = 0.0
    while t < t_end:
        density, m, e = state
        velocity = m / density
        pressure = (gamma - 1) * (e - 0.5 * m * velocity)
        speed = np.abs(velocity) + np.sqrt(gamma * pressure / density)
        dt = min(courant * dx / speed.max(), t_end - t)
        flux = np.stack((m, m * velocity + pressure, (e + pressure) * velocity))
        fastest = np.maximum(speed[:-1], speed[1:])
        between = 0.5 * (flux[:, :-1] + flux[:, 1:]) - 0.5 * fastest * (
            state[:, 1:] - state[:, :-1]
        )
        state[:, 1:-1] -= dt / dx * (between[:, 1:] - between[:, :-1])
        t += dt
    return state


def implicit_decay(y, rate, dt, steps):
    """Backward Euler for y' = -rate y**3, each step by Newton's method to a tolerance."""
    for _ in range(steps):
        z = y.copy()
        for _ in range(20):
            residual = z - y + dt * rate * z**3
            z -= residual / (1 + 3 * dt * rate * z**2)
            if np.abs(residual).max() < 1e-12:
                break
        y = z
    return y


def rod(n, steps):
    sensors = np.arange(1, n - 1, 2)
    return 0.3 * signed(n - 1), positive(n, seed=1), positive(steps, len(sensors), seed=2), sensors


def tube(n):
    left = np.arange(n) < n // 2
    rho = np.where(left, 1.0, 0.2) + 0.05 * positive(n)
    return rho, 0.1 * signed(n, seed=1), 2.5 * np.where(left, 1.0, 0.2) + 0.1 * positive(n, seed=2)


RATES = np.array([0.5, 0.03, 0.8, 0.02])
KERNELS = [
    Kernel(
        runge_kutta_45,
        lambda t, digits: (
            np.array([30.0, 4.0]),
            RATES,
            t / 10.0,
            10.0**-digits,
            1e-6,
        ),
        (20, 3),
        (2000, 8),
        wrt=(0, 1),
    ),
    Kernel(heat_misfit, lambda n, t: (*rod(n, t), 0.01, t), (6, 2), (1000, 100), wrt=(0, 1, 2)),
    Kernel(
        lorenz_twin,
        lambda n, m: (signed(3), np.array([10.0, 28.0, 8 / 3]), signed(n, 3, seed=1), m, 0.01),
        (2, 2),
        (100, 25),
        wrt=(0, 1, 2),
    ),
    Kernel(
        shallow_water,
        lambda n, t: (
            1 + 0.1 * signed(n, n),
            signed(n, n, seed=1),
            signed(n, n, seed=2),
            9.8,
            0.01,
            t,
        ),
        (4, 2),
        (150, 30),
        wrt=(0, 1, 2),
    ),
    Kernel(
        gray_scott,
        lambda n, t: (positive(n, n), 0.3 * positive(n, n, seed=1), 0.04, 0.06, t),
        (4, 2),
        (200, 40),
        (0, 1),
    ),
    Kernel(
        shock_tube, lambda n, t: (*tube(n), 0.4, t / 1000.0), (6, 90), (400, 150), wrt=(0, 1, 2)
    ),
    Kernel(
        implicit_decay, lambda n, t: (positive(n), 0.7, 0.1, t), (3, 2), (2000, 100), wrt=(0, 1)
    ),
]
