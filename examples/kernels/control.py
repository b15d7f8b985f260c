"""Robots, vehicles and orbits: kinematics, rollouts, filters, iterations to a tolerance."""

from dataclasses import dataclass

import numpy as np

from examples.kernels.table import Kernel, definite, positive, signed


def link(theta, d, a, alpha):
    """The transform of a link (Denavit & Hartenberg 1955)."""
    ct, st, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return np.array(
        [
            [ct, -st * ca, st * sa, a * ct],
            [st, ct * ca, -ct * sa, a * st],
            [0, sa, ca, d],
            [0, 0, 0, 1],
        ]
    )


def arm_position(q, table):
    """The place of the hand of an arm with given joint angles."""
    t = np.eye(4)
    for angle, (d, a, alpha) in zip(q, table):
        t = t @ link(angle, d, a, alpha)
    return t[:3, 3]


def inverse_kinematics(q, table, target, damping, steps):
    """Joint angles for a target by damped least squares with a Jacobian by differences."""
    q = q.copy()
    for _ in range(steps):
        here = arm_position(q, table)
        error = target - here
        if np.linalg.norm(error) < 1e-3:
            break
        jacobian = np.empty((3, len(q)))
        for k in range(len(q)):
            moved = q.copy()
            moved[k] += 1e-4
            jacobian[:, k] = (arm_position(moved, table) - here) / 1e-4
        q += jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + damping * np.eye(3), error)
    return q


@dataclass
class Pole:
    """A pole on a cart."""

    cart: float
    mass: float
    length: float
    gravity: float = 9.8


def cart_pole(pole, gains, state, limit, dt, steps):
    """The cost of a linear controller whose force is limited, until the pole falls (Barto 1983)."""
    x, v, theta, omega = state
    cost = 0.0
    for t in range(steps):
        force = min(max(-(gains @ np.array([x, v, theta, omega])), -limit), limit)
        total = pole.cart + pole.mass
        temp = (force + pole.mass * pole.length * omega**2 * np.sin(theta)) / total
        alpha = (pole.gravity * np.sin(theta) - np.cos(theta) * temp) / (
            pole.length * (4 / 3 - pole.mass * np.cos(theta) ** 2 / total)
        )
        acc = temp - pole.mass * pole.length * alpha * np.cos(theta) / total
        x, v = x + dt * v, v + dt * acc
        theta, omega = theta + dt * omega, omega + dt * alpha
        cost += x**2 + 10 * theta**2 + 0.01 * force**2
        if abs(theta) > 1.2:
            return cost + 100.0 * (steps - t) * abs(theta)
    return cost


def riccati(a, b, q, r, horizon):
    """Feedback gains of a linear-quadratic regulator, backwards in time (Bellman)."""
    p = q
    gains = []
    for _ in range(horizon):
        k = np.linalg.solve(r + b.T @ p @ b, b.T @ p @ a)
        p = q + a.T @ p @ (a - b @ k)
        gains.append(k)
    return np.stack(gains[::-1]), p


def rts_smoother(y, f, q, h, r, m0, p0):
    """A Kalman filter forwards and Rauch, Tung and Striebel's smoother backwards (1965)."""
    n, d = len(y), len(m0)
    m, p = np.zeros((n, d)), np.zeros((n, d, d))
    mp, pp = np.zeros((n, d)), np.zeros((n, d, d))
    for t in range(n):
        mp[t] = f @ (m[t - 1] if t > 0 else m0)
        pp[t] = f @ (p[t - 1] if t > 0 else p0) @ f.T + q
        s = h @ pp[t] @ h + r
        gain = pp[t] @ h / s
        m[t] = mp[t] + gain * (y[t] - h @ mp[t])
        p[t] = pp[t] - np.outer(gain, gain) * s
    for t in range(n - 2, -1, -1):
        g = np.linalg.solve(pp[t + 1].T, f @ p[t].T).T
        m[t] += g @ (m[t + 1] - mp[t + 1])
        p[t] += g @ (p[t + 1] - pp[t + 1]) @ g.T
    return m, p


def particle_filter(particles, observed, step_noise, resample_noise, spread):
    """A likelihood by particles with systematic resampling, draws passed in (Gordon 1993)."""
    n = len(particles)
    log_likelihood = 0.0
    for t, y in enumerate(observed):
        particles = 0.9 * particles + 0.5 * np.sin(particles) + step_noise[t]
        w = np.exp(-0.5 * ((y - particles) / spread) ** 2)
        log_likelihood += np.log(np.mean(w)) - np.log(spread)
        w /= w.sum()
        positions = (np.arange(n) + resample_noise[t]) / n
        index = np.minimum(np.searchsorted(np.cumsum(w), positions), n - 1)
        particles = particles[index]
    return log_likelihood


def kepler(mean_anomaly, eccentricity, a):
    """Positions on an ellipse; Kepler's equation by Newton's method for each."""
    out = np.empty((len(mean_anomaly), 2))
    for i, m in enumerate(mean_anomaly):
        e = m if eccentricity < 0.8 else np.pi
        delta = 1.0
        while abs(delta) > 1e-10:
            delta = (e - eccentricity * np.sin(e) - m) / (1 - eccentricity * np.cos(e))
            e -= delta
        out[i] = a * (np.cos(e) - eccentricity), a * np.sqrt(1 - eccentricity**2) * np.sin(e)
    return out


def vincenty(lat1, lon1, lat2, lon2):
    """The distance of two points on the ellipsoid, iterated to convergence (Vincenty 1975)."""
    a, f = 6378.137, 1 / 298.257223563
    b = (1 - f) * a
    u1, u2 = np.arctan((1 - f) * np.tan(lat1)), np.arctan((1 - f) * np.tan(lat2))
    difference = lon2 - lon1
    lam = difference
    for _ in range(100):
        sin_sigma = np.hypot(
            np.cos(u2) * np.sin(lam),
            np.cos(u1) * np.sin(u2) - np.sin(u1) * np.cos(u2) * np.cos(lam),
        )
        if sin_sigma == 0:
            return 0.0
        cos_sigma = np.sin(u1) * np.sin(u2) + np.cos(u1) * np.cos(u2) * np.cos(lam)
        sigma = np.arctan2(sin_sigma, cos_sigma)
        sin_alpha = np.cos(u1) * np.cos(u2) * np.sin(lam) / sin_sigma
        cos2_alpha = 1 - sin_alpha**2
        cos_2m = cos_sigma - 2 * np.sin(u1) * np.sin(u2) / cos2_alpha if cos2_alpha != 0 else 0.0
        c = f / 16 * cos2_alpha * (4 + f * (4 - 3 * cos2_alpha))
        previous = lam
        lam = difference + (1 - c) * f * sin_alpha * (
            sigma + c * sin_sigma * (cos_2m + c * cos_sigma * (2 * cos_2m**2 - 1))
        )
        if abs(lam - previous) < 1e-12:
            break
    uu = cos2_alpha * (a**2 - b**2) / b**2
    k1 = (np.sqrt(1 + uu) - 1) / (np.sqrt(1 + uu) + 1)
    big_a, big_b = (1 + k1**2 / 4) / (1 - k1), k1 * (1 - 3 * k1**2 / 8)
    delta = (
        big_b
        * sin_sigma
        * (
            cos_2m
            + big_b
            / 4
            * (
                cos_sigma * (2 * cos_2m**2 - 1)
                - big_b / 6 * cos_2m * (4 * sin_sigma**2 - 3) * (4 * cos_2m**2 - 3)
            )
        )
    )
    return b * big_a * (sigma - delta)


def garch(returns, omega, alpha, beta):
    """The negative log likelihood of GARCH(1, 1) (Bollerslev 1986)."""
    variance = np.var(returns)
    total = 0.0
    for r in returns:
        total += 0.5 * (np.log(2 * np.pi * variance) + r**2 / variance)
        variance = omega + alpha * r**2 + beta * variance
    return total


def holt_winters(series, period, alpha, beta, gamma):
    """Squared one-step errors of smoothing with trend and additive seasons (Winters 1960)."""
    level = series[:period].mean()
    trend = (series[period : 2 * period].mean() - level) / period
    seasons = list(series[:period] - level)
    error = 0.0
    for t in range(period, len(series)):
        season = seasons[t % period]
        error += (series[t] - level - trend - season) ** 2
        last = level
        level = alpha * (series[t] - season) + (1 - alpha) * (level + trend)
        trend = beta * (level - last) + (1 - beta) * trend
        seasons[t % period] = gamma * (series[t] - level) + (1 - gamma) * season
    return error / (len(series) - period)


def joints(n):
    q = 0.3 * signed(n)
    table = np.stack((0.2 * positive(n, seed=1), positive(n, seed=2), signed(n, seed=3)), axis=1)
    return q, table, arm_position(q + 0.2, table)


def regulated(n, m, horizon):
    return np.eye(n) + 0.1 * signed(n, n), signed(n, m, seed=1), np.eye(n), definite(m), horizon


def smoothed(n, d):
    move = np.eye(d) + 0.1 * signed(d, d)
    return signed(n), move, 0.1 * definite(d), positive(d), 0.3, np.zeros(d), np.eye(d)


KERNELS = [
    Kernel(
        inverse_kinematics, lambda n, t: (*joints(n), 0.01, t), (3, 3), (7, 100), wrt=(0, 1, 2, 3)
    ),
    Kernel(
        cart_pole,
        lambda t: (
            Pole(1.0, 0.1, 0.5),
            np.array([-0.5, -1.0, -20.0, -3.0]),
            np.array([0.1, 0.0, 0.2, 0.0]),
            8.0,
            0.02,
            t,
        ),
        (5,),
        (100000,),
        wrt=(0, 1, 2, 3),
    ),
    Kernel(riccati, regulated, (3, 2, 2), (12, 4, 100), wrt=(0, 1, 2, 3)),
    Kernel(rts_smoother, smoothed, (3, 2), (200, 4), wrt=(0, 1, 2, 3, 4)),
    Kernel(
        particle_filter,
        lambda n, t: (signed(n), signed(t), signed(t, n, seed=1), positive(t) - 0.5, 0.8),
        (5, 3),
        (2000, 50),
        wrt=(0, 1, 4),
    ),
    Kernel(kepler, lambda n: (np.linspace(0.1, 6.0, n), 0.6, 1.3), (4,), (20000,)),
    Kernel(vincenty, lambda: (0.9, 0.1, 0.7, 0.4), (), ()),
    Kernel(garch, lambda n: (0.5 * signed(n), 0.05, 0.1, 0.8), (6,), (100000,)),
    Kernel(holt_winters, lambda n, p: (positive(n), p, 0.3, 0.1, 0.2), (9, 3), (50_000, 12)),
]
