"""Grids and tables: stencils, dynamic programming, solvers that sweep in place."""

import math

import numpy as np

from tests.cases.registry import case, mat, signed, vec

WAVE = 0.5 + 0.3 * np.sin(np.linspace(0.0, 6.0, 12))


@case(WAVE, 0.05, 0.1, 0.02, 6)
@case(WAVE, 0.05, 0.1, 0.02, 0)
@case(WAVE, 0.05, 0.1, 0.02, 1)
def burgers(u, nu, dx, dt, steps):
    """Viscous Burgers, upwind, two buffers that swap."""
    new = u.copy()
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            if u[i] > 0.0:
                advection = u[i] * (u[i] - u[i - 1]) / dx
            else:
                advection = u[i] * (u[i + 1] - u[i]) / dx
            diffusion = nu * (u[i + 1] - 2.0 * u[i] + u[i - 1]) / (dx * dx)
            new[i] = u[i] + dt * (0.1 * diffusion - advection)
        new[0] = new[-2]
        new[-1] = new[1]
        u, new = new, u
    return np.sum(u * u)


@case(mat(5, 5), mat(5, 5, 1), 4)
def gauss_seidel(u, f, sweeps):
    """In place: each store is read by the next point."""
    n, m = u.shape
    for _ in range(sweeps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - f[i, j])
    return np.sum(u * u * f)


@case(mat(6, 5), 0.15, 3)
def heat_by_slices(u, alpha, steps):
    for _ in range(steps):
        laplace = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * u[1:-1, 1:-1]
        u[1:-1, 1:-1] += alpha * laplace * u[1:-1, 1:-1]
        u[0] = u[1]
        u[:, -1] = 0.5 * (u[:, -2] + u[:, 0])
    return np.mean(u**2)


@case(vec(8), vec(8, 1), 0.4, 5)
def wave_equation(u, speed, courant, steps):
    previous, current = u.copy(), u.copy()
    for _ in range(steps):
        following = 2.0 * current - previous
        following[1:-1] += (
            courant * speed[1:-1] * (current[2:] - 2.0 * current[1:-1] + current[:-2])
        )
        following[0] = following[-1] = 0.0
        previous, current = current, following
    return np.sum(current * current)


@case(vec(5), vec(4, 1), 0.3)
def soft_dtw(x, y, gamma):
    n, m = len(x), len(y)
    r = np.full((n + 1, m + 1), 1e3)
    r[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            a, b, c = -r[i - 1, j - 1] / gamma, -r[i - 1, j] / gamma, -r[i, j - 1] / gamma
            top = max(a, b, c)
            s = np.exp(a - top) + np.exp(b - top) + np.exp(c - top)
            r[i, j] = (x[i - 1] - y[j - 1]) ** 2 - gamma * (np.log(s) + top)
    return r[n, m]


@case(100.0, 105.0, 0.03, 0.25, 8)
def binomial_option(spot, strike, rate, volatility, n):
    """American put on a binomial tree, rolled back in place."""
    dt = 1.0 / n
    up = math.exp(volatility * math.sqrt(dt))
    p = (math.exp(rate * dt) - 1.0 / up) / (up - 1.0 / up)
    discount = math.exp(-rate * dt)
    value = np.empty(n + 1)
    for i in range(n + 1):
        value[i] = max(strike - spot * up ** (2 * i - n), 0.0)
    for step in range(n - 1, -1, -1):
        for i in range(step + 1):
            keep = discount * (p * value[i + 1] + (1.0 - p) * value[i])
            value[i] = max(keep, strike - spot * up ** (2 * i - step))
    return value[0]


@case(mat(4, 4), signed(9, 3).reshape(3, 3))
def convolution_2d(image, kernel):
    out = np.zeros((2, 2))
    for i in range(2):
        for j in range(2):
            for p in range(3):
                for q in range(3):
                    out[i, j] += image[i + p, j + q] * kernel[p, q]
            if out[i, j] < 0.0:
                out[i, j] *= 0.1
    return np.sum(out**2)


@case(vec(6), signed(5, 1) * 0.2, signed(6, 2))
def thomas_solver(diagonal, off, right):
    """A symmetric tridiagonal system, eliminated in place."""
    n = len(diagonal)
    for i in range(1, n):
        w = off[i - 1] / diagonal[i - 1]
        diagonal[i] -= w * off[i - 1]
        right[i] -= w * right[i - 1]
    right[-1] /= diagonal[-1]
    for i in range(n - 2, -1, -1):
        right[i] = (right[i] - off[i] * right[i + 1]) / diagonal[i]
    return right


@case(WAVE, 0.1, 5)
@case(WAVE[:3], 0.1, 4)
def burgers_copied_back(u, nu, steps):
    """The boundary changes after each copy, and what it was is read."""
    new, seen = u.copy(), 0.0
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            new[i] = u[i] - 0.1 * u[i] * (u[i] - u[i - 1]) + nu * (u[i + 1] - 2.0 * u[i] + u[i - 1])
        seen += u[0] * new[-1]
        for i in range(1, len(u) - 1):
            u[i] = new[i]
        u[0] = u[-2]
        u[-1] *= 0.9
    return np.sum(u * u) + seen


@case(mat(5, 6), mat(5, 6, 1), 0.03, 5)
def reaction_and_diffusion(u, v, feed, steps):
    """Two arrays on two axes, in place after their changes are known."""
    n, m = u.shape
    du, dv = np.zeros((n, m)), np.zeros((n, m))
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                r = u[i, j] * v[i, j] * v[i, j]
                du[i, j] = u[i - 1, j] + u[i, j + 1] - 2.0 * u[i, j] - r + feed * (1.0 - u[i, j])
                dv[i, j] = v[i + 1, j] + v[i, j - 1] - 2.0 * v[i, j] + r
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                u[i, j] += 0.1 * du[i, j]
                v[i, j] = v[i, j] + 0.1 * dv[i, j]
    return np.sum(u * v)


@case(WAVE, 0.1, 5)
@case(WAVE[:3], 0.1, 4)
@case(WAVE[:2], 0.1, 3)
def burgers_of_slices(u, nu, steps):
    """The reverse sweep reads rows of what the copy was; the boundary is set after."""
    seen = 0.0
    for k in range(steps):
        u[0] = 1.0 + 0.1 * k
        old = u.copy()
        u[1:-1] -= 0.1 * old[1:-1] * (old[1:-1] - old[:-2]) - nu * (old[2:] - 2 * old[1:-1])
        u[-1] = u[-2]
        seen += old[0] * u[1]
    return np.sum(u * u) + seen


@case(mat(5, 6), mat(5, 6, 1), 0.03, 5)
def reaction_of_slices(u, v, feed, steps):
    """Two updates of one array in a trip, and one of another between them."""
    for _ in range(steps):
        u += 0.1 * u * (1.0 - u) * v
        v[1:-1, 1:-1] += 0.1 * v[1:-1, 1:-1] * (u[2:, 1:-1] - u[1:-1, :-2])
        u[1:, :-1] = u[1:, :-1] * v[:-1, 1:] - feed * u[:-1, :-1]
    return np.sum(u * v)
