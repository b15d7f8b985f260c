"""Recurrences: values and small vectors that each trip makes from the last one's."""

import numpy as np

from tests.cases.registry import case, signed, vec


@case(2.0, 3, tags=("p1",))
@case(1.3, 0, tags=("p1",))
@case(-0.7, 6, tags=("p1",))
def power_by_loop(x, n):
    y = 1.0
    for _ in range(n):
        y = y * x
    return y


@case(vec(4), vec(4, 1), tags=("p2",))
@case(signed(7), vec(7, 1), tags=("p2",))
@case(vec(1), vec(1, 1), tags=("p2",))
def weighted_mean(x, w):
    s = 0.0
    norm = 0.0
    for i in range(len(x)):
        s += w[i] * x[i] * x[i]
        norm += w[i]
    return s / norm


@case(vec(5), tags=("p8",))
@case(signed(4, 2), tags=("p8",))
def multiplied_after_added(x):
    loss = 0.0
    loss += x[0]
    loss += x[1] ** 2
    loss *= x[2]
    loss += x[1] * x[0]
    loss /= x[3]
    return loss


@case(1.3, 2.1, 3, tags=("p18",))
@case(1.3, 2.1, 1, tags=("p18",))
@case(1.3, 2.1, 0, tags=("p18",))
@case(0.4, -1.2, 6, tags=("p18",))
def divisor_in_loop(x, a, n):
    s = 0.0
    for i in range(n):
        s += 1.0 / (x + a * a + i)
        x = x + s
    return s


@case(vec(3), 0.3, 5, tags=("p23",), float32=False)
@case(vec(3), 0.3, 0, tags=("p23",), float32=False)
def rotated_vector(v, angle, n):
    c, s = np.cos(angle), np.sin(angle)
    for _ in range(n):
        v = np.array([c * v[0] - s * v[1], s * v[0] + c * v[1], v[2] + v[0] * v[1]])
    return v[0] * v[1] + v[2]


@case(vec(3), 4, tags=("p23",))
def rebuilt_from_components(v, n):
    x, y, z = v[0], v[1], v[2]
    for _ in range(n):
        x, y, z = 0.5 * (y + z), 0.5 * (x * z), np.sin(x) + y
    return x * y + z * z


@case(vec(6), tags=("p24",))
@case(vec(1), tags=("p24",))
def running_sum(x):
    out = np.zeros(len(x))
    out[0] = x[0]
    for i in range(1, len(x)):
        out[i] = out[i - 1] + x[i]
    return out


@case(signed(6), 0.8, tags=("p24",))
def running_filter(x, a):
    out = np.empty_like(x)
    out[0] = x[0]
    for i in range(1, len(x)):
        out[i] = a * out[i - 1] * np.cos(out[i - 1]) + x[i]
    return np.sum(out * out)


@case(0.5, 40)
def long_chain(x, n):
    for k in range(n):
        x = x + 0.1 * np.sin(3.0 * x + k)
    return x


@case(vec(5), vec(5, 1))
@case(signed(1), vec(1, 1))
def running_sum_weighted(x, w):
    s = 0.0
    loss = 0.0
    for i in range(len(x)):
        s += x[i]
        loss += s * w[i]
    return loss


@case(vec(5), vec(5, 1))
def running_sum_stored(x, w):
    y = np.zeros(len(x))
    s = 0.0
    for i in range(len(x)):
        s += x[i]
        y[i] = s * w[i]
    return np.sum(y * y)
