"""Kernels as people write them: time stepping, filters, likelihoods, small simulations."""

import math

import numpy as np

from tests.cases.registry import case, mat, signed, vec


def lorenz_rates(s, sigma, rho, beta):
    return np.array([sigma * (s[1] - s[0]), s[0] * (rho - s[2]) - s[1], s[0] * s[1] - beta * s[2]])


@case(np.array([1.0, 0.7, 1.2]), 10.0, 28.0, 2.6, 12, 0.01, wrt=(0, 1, 2, 3))
def lorenz_rk4(state, sigma, rho, beta, steps, dt):
    for _ in range(steps):
        k1 = lorenz_rates(state, sigma, rho, beta)
        k2 = lorenz_rates(state + 0.5 * dt * k1, sigma, rho, beta)
        k3 = lorenz_rates(state + 0.5 * dt * k2, sigma, rho, beta)
        k4 = lorenz_rates(state + dt * k3, sigma, rho, beta)
        state = state + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return np.sum(state**2)


@case(1.0, 0.5, 0.8, 0.2, 0.05, 30)
def lotka_volterra(prey, predator, birth, death, dt, steps):
    """Symplectic Euler in scalars, with the running cost that a fit would minimise."""
    cost = 0.0
    for k in range(steps):
        prey += dt * (birth * prey - 0.9 * prey * predator)
        predator += dt * (0.6 * prey * predator - death * predator)
        cost += (prey - 1.0 - 0.01 * k) ** 2 + (predator - 0.7) ** 2
    return cost / steps


@case(0.0, 1.0, 0.9, 1.7, 1e-4, wrt=(0, 1, 2, 3))
def adaptive_euler(t, y, end, rate, tolerance):
    """The step is accepted or halved; trip counts are known at run time only."""
    h = 0.2
    while t < end:
        if t + h > end:
            h = end - t
        whole = y + h * (-rate * y + np.sin(t))
        half = y + 0.5 * h * (-rate * y + np.sin(t))
        half = half + 0.5 * h * (-rate * half + np.sin(t + 0.5 * h))
        if abs(half - whole) > tolerance * 30.0:
            h = 0.5 * h
            continue
        y = half
        t = t + h
        h = 1.2 * h
    return y * y


@case(mat(3, 2), signed(6).reshape(3, 2), vec(3), 0.05, 4)
def n_body(x, v, m, dt, steps):
    n = len(m)
    for _ in range(steps):
        a = np.zeros_like(x)
        for i in range(n):
            for j in range(i + 1, n):
                d = x[j] - x[i]
                r2 = d[0] * d[0] + d[1] * d[1] + 0.1
                force = d / (r2 * math.sqrt(r2))
                a[i] += m[j] * force
                a[j] -= m[i] * force
        v += dt * a
        x += dt * v
    energy = 0.0
    for i in range(n):
        energy += 0.5 * m[i] * np.dot(v[i], v[i])
    return energy + np.sum(x)


@case(signed(8), 0.6, 0.2, 1.1)
def garch_likelihood(returns, alpha, beta, omega):
    variance = np.var(returns)
    log_likelihood = 0.0
    for t in range(len(returns)):
        log_likelihood -= 0.5 * (np.log(variance) + returns[t] ** 2 / variance)
        variance = omega + alpha * returns[t] ** 2 + beta * variance
    return log_likelihood


@case(signed(6), mat(3, 3), vec(3), vec(3, 4), 0.5)
def recurrent_network(inputs, w, u, readout, scale):
    h = np.zeros(3)
    loss = 0.0
    for t in range(len(inputs)):
        h = np.tanh(scale * (w @ h) + u * inputs[t])
        error = readout @ h - inputs[t]
        loss += error * error
    return loss / len(inputs)


@case(vec(6), 0.7, 1.3)
def kalman_filter(z, q, r):
    mean, variance, score = 0.0, 1.0, 0.0
    for k in range(len(z)):
        variance += q * q
        innovation = z[k] - mean
        s = variance + r * r
        score += innovation * innovation / s + math.log(s)
        gain = variance / s
        mean += gain * innovation
        variance *= 1.0 - gain
    return score


@case(0.3, 0.9, 20, float32=False)
def ray_march(angle, bend, limit):
    """A ray through a lens until it leaves; an early return on the way."""
    x, y, dx, dy = 0.0, 0.2, math.cos(angle), math.sin(angle)
    for _ in range(limit):
        index = 1.0 + bend * math.exp(-x * x - y * y)
        dx, dy = dx - 0.1 * x * (index - 1.0), dy - 0.1 * y * (index - 1.0)
        length = math.hypot(dx, dy)
        dx, dy = dx / length, dy / length
        x += 0.1 * dx
        y += 0.1 * dy
        if y > 0.75:
            return x + 2.0 * y
    return x * y
