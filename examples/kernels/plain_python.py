"""Programs without arrays: lists of numbers, tuples, dicts and recursion, as in textbooks."""

import math

from examples.kernels.table import Kernel, positive, signed


def solar_system(bodies, dt, steps):
    """Planets as lists of seven numbers, pair after pair; the energy (Benchmarks Game n-body)."""
    for _ in range(steps):
        for i, body in enumerate(bodies):
            for other in bodies[i + 1 :]:
                dx = body[0] - other[0]
                dy = body[1] - other[1]
                dz = body[2] - other[2]
                mag = dt / (dx * dx + dy * dy + dz * dz) ** 1.5
                body[3] -= dx * other[6] * mag
                body[4] -= dy * other[6] * mag
                body[5] -= dz * other[6] * mag
                other[3] += dx * body[6] * mag
                other[4] += dy * body[6] * mag
                other[5] += dz * body[6] * mag
        for body in bodies:
            for k in range(3):
                body[k] += dt * body[k + 3]
    energy = 0.0
    for i, (x, y, z, vx, vy, vz, m) in enumerate(bodies):
        energy += 0.5 * m * (vx * vx + vy * vy + vz * vz)
        for x2, y2, z2, _, _, _, m2 in bodies[i + 1 :]:
            energy -= m * m2 / math.sqrt((x - x2) ** 2 + (y - y2) ** 2 + (z - z2) ** 2)
    return energy


def adaptive_simpson(f, a, b, tolerance, depth):
    """Simpson's rule on halves until both agree, at most so deep (Kuncir 1962)."""
    c = (a + b) / 2
    whole = (b - a) / 6 * (f(a) + 4 * f(c) + f(b))
    halves = (b - a) / 12 * (f(a) + 4 * f((a + c) / 2) + 2 * f(c) + 4 * f((c + b) / 2) + f(b))
    if depth == 0 or abs(halves - whole) < 15 * tolerance:
        return halves + (halves - whole) / 15
    return adaptive_simpson(f, a, c, tolerance / 2, depth - 1) + adaptive_simpson(
        f, c, b, tolerance / 2, depth - 1
    )


def arc_length(a, b, n):
    """The length of an ellipse's quarter, by `adaptive_simpson` of a closure."""

    def speed(t):
        return math.sqrt((a * math.sin(t)) ** 2 + (b * math.cos(t)) ** 2)

    return adaptive_simpson(speed, 0.0, math.pi / 2, 1e-6, n)


def bisected_rate(payments, price, low, high):
    """The yield of a bond by bisection, one Newton step at the end."""

    def value(rate):
        return sum(p / (1 + rate) ** (k + 1) for k, p in enumerate(payments))

    while high - low > 1e-3:
        middle = 0.5 * (low + high)
        if value(middle) > price:
            low = middle
        else:
            high = middle
    rate = 0.5 * (low + high)
    slope = sum(-(k + 1) * p / (1 + rate) ** (k + 2) for k, p in enumerate(payments))
    return rate - (value(rate) - price) / slope


def hodgkin_huxley(current, steps, dt):
    """A nerve under a current, gates in a dict (Hodgkin & Huxley 1952)."""
    v = -65.0
    gates = {"m": 0.05, "h": 0.6, "n": 0.32}
    spikes = 0
    peak = v
    for step in range(steps):
        rates = {
            "m": (0.1 * (v + 40) / (1 - math.exp(-(v + 40) / 10)), 4 * math.exp(-(v + 65) / 18)),
            "h": (0.07 * math.exp(-(v + 65) / 20), 1 / (1 + math.exp(-(v + 35) / 10))),
            "n": (
                0.01 * (v + 55) / (1 - math.exp(-(v + 55) / 10)),
                0.125 * math.exp(-(v + 65) / 80),
            ),
        }
        for name, (alpha, beta) in rates.items():
            gates[name] += dt * (alpha * (1 - gates[name]) - beta * gates[name])
        ionic = (
            120 * gates["m"] ** 3 * gates["h"] * (v - 50)
            + 36 * gates["n"] ** 4 * (v + 77)
            + 0.3 * (v + 54.387)
        )
        before = v
        v += dt * (current * (step * dt > 1.0) - ionic)
        if before < 0 <= v:
            spikes += 1
        peak = max(peak, v)
    return v + peak, spikes


def lcg_pi(radius, n):
    """Points of a linear congruential generator near a disk, their nearness summed."""
    state = 12345
    total = 0.0
    for _ in range(n):
        state = (1103515245 * state + 12345) % 2**31
        x = state / 2**31
        state = (1103515245 * state + 12345) % 2**31
        y = state / 2**31
        distance = math.hypot(x, y)
        if distance < radius:
            total += (1 - distance / radius) ** 2
    return 12 * total / n


def romberg(a, b, levels):
    """An integral by Richardson's extrapolation of trapezoids, in a list of rows."""

    def f(x):
        return math.exp(-a * x * x) * math.cos(b * x)

    rows = [[0.5 * (f(0.0) + f(1.0))]]
    n = 1
    for k in range(1, levels):
        n *= 2
        middle = sum(f((2 * i + 1) / n) for i in range(n // 2))
        row = [0.5 * rows[-1][0] + middle / n]
        for j in range(k):
            row.append(row[j] + (row[j] - rows[-1][j]) / (4 ** (j + 1) - 1))
        rows.append(row)
    return rows[-1][-1]


def continued_fraction(a, b, x):
    """The incomplete beta function by Lentz's method (DLMF 8.17(v))."""
    tiny = 1e-30
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    h = d
    m = 1
    while m < 200:
        for sign in (1, -1):
            if sign == 1:
                t = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
            else:
                t = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
            d = 1.0 + t * d
            c = 1.0 + t / c
            d = 1.0 / (d if abs(d) > tiny else tiny)
            factor = c * d
            h *= factor
        m += 1
        if abs(factor - 1.0) < 1e-12:
            break
    front = math.exp(a * math.log(x) + b * math.log(1.0 - x))
    front *= math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b))
    return front * h / a


def planets(n):
    numbers = signed(n, 6)
    masses = positive(n, seed=1)
    return [
        [*map(float, 2 * row[:3]), *map(float, row[3:]), float(m)]
        for row, m in zip(numbers, masses)
    ]


KERNELS = [
    Kernel(solar_system, lambda n, t: (planets(n), 0.01, t), (3, 2), (5, 20000), wrt=(0, 1)),
    Kernel(arc_length, lambda n: (1.5, 0.8, n), (2,), (5,)),
    Kernel(bisected_rate, lambda n: ([5.0] * n + [105.0], 97.0, 0.0, 1.0), (3,), (30,), wrt=(0, 1)),
    Kernel(hodgkin_huxley, lambda t: (10.0, t, 0.01), (20,), (50000,)),
    Kernel(lcg_pi, lambda n: (0.9, n), (20,), (100000,)),
    Kernel(romberg, lambda k: (0.7, 2.0, k), (3,), (8,)),
    Kernel(continued_fraction, lambda: (2.3, 1.7, 0.4), (), ()),
]
