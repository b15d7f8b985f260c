"""while loops: trip counts that depend on the data and on what is differentiated."""

import math

import numpy as np

from tests.cases.registry import case, vec


@case(0.0, 1.03, 0.125, tags=("p19",))
@case(0.5, 0.4, 0.1, tags=("p19",))
@case(0.2, 1.0, 0.7, tags=("p19",))
def riemann_sum(x, upper, h):
    s = 0.0
    while x <= upper:
        s += h * np.exp(-x * x)
        x += h
    return s


@case(0.3, 0.9, tags=("p19",))
def step_from_parameter(a, b):
    x = a * 0.1
    h = 0.07 + 0.01 * b
    s = 0.0
    while x <= 1.0:
        s += np.sin(x) * h * b
        x += h
        h *= 1.05
    return s + x


@case(vec(6), 3.1, tags=("p20",))
@case(vec(6), 0.1, tags=("p20",))
def walrus_in_header(x, limit):
    i = 0
    s = 0.0
    while (s := s + x[i] * x[i]) < limit and i < 5:
        i += 1
        s *= 1.1
    return s * x[i]


@case(2.0, tags=("p20",))
def walrus_newton(a):
    x = a
    while abs(step := (x * x - a) / (2.0 * x)) > 1e-3:
        x = x - step
    return x + step


@case(vec(4), 2.0)
def while_in_while(x, limit):
    s = 1.0
    k = 0
    while s < 40.0:
        t = x[k % 4]
        while t < limit:
            t = t * 1.3 + 0.1 * s
            s = s + t * t
        k += 1
        s = s * 1.1
    return s * x[0]


@case(0.7, 1.4)
@case(0.2, 0.9)
def fixed_point(a, x):
    for _ in range(100):
        new = np.cos(a * x)
        if abs(new - x) < 1e-6:
            break
        x = new
    return x


@case(3.0)
@case(0.5)
def newton_cube_root(a):
    x = 1.0
    residual = x**3 - a
    while math.fabs(residual) > 1e-10:
        x = x - residual / (3.0 * x * x)
        residual = x**3 - a
    return x


@case(9.0, 4.2)
def zero_or_more_trips(x, y):
    while x < 1.0:
        x = x * 2.0
    while y > 1.0:
        y = y / 2.5
    return x * y


@case(vec(5), 0)
@case(vec(5), 3)
def while_with_counter(x, n):
    i = 0
    s = 1.0
    while i < n:
        s = s * x[i] + x[i + 1]
        i += 1
    return s * x[i]


@case(vec(5), tags=("p26",))
def while_not_flag(x):
    done = False
    i, s = 0, 0.0
    while not done:
        s += x[i] * x[i]
        i += 1
        done = s > 2.0 or i == 5
    return s * i


@case(1.7, 0.4)
def while_else(x, y):
    while x > 0.5:
        x = x * 0.6 * (1.0 + 0.1 * y)
    else:
        x = x + y * y
    return x * y


@case(vec(3), 1e-3, wrt=(0,))
def array_iteration(x, tolerance):
    """The array changes until it stops changing; the norm decides."""
    y = np.ones(3)
    change = 1.0
    while change > tolerance:
        new = 0.5 * (y + x / y)
        change = np.sum((new - y) ** 2)
        y = new
    return np.sum(y * x)


@case(0.31, 2.9)
def bisection(low, high):
    """Only the bracket's ends carry a derivative: every midpoint is a mean of them."""
    for _ in range(8):
        middle = 0.5 * (low + high)
        if middle * middle < 2.0:
            low = middle
        else:
            high = middle
    return low * high
