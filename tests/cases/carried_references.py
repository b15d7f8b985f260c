"""Arrays made inside loops and carried by them; buffers that live longer than one iteration."""

import numpy as np

from tests.cases.registry import case, mat, vec


@case(vec(5), 4, 0.1)
@case(vec(5), 0, 0.1)
def rebound_each_trip(x, n, dt):
    u = x.copy()
    for _ in range(n):
        u = u + dt * np.sin(u) * x
    return np.sum(u * u)


@case(vec(5), 4)
def allocated_in_loop(x, n):
    s = 0.0
    for _ in range(n):
        w = x * 2.0
        w[0] = w[1] * s
        w[2] = w[0] * w[2]
        s += np.sum(w * w) * 0.01
    return s


@case(vec(5), 4)
def scratch_overwritten(x, n):
    w = np.zeros(3)
    s = 0.0
    for t in range(n):
        w[0] = x[t]
        w[1] = w[0] * x[t + 1]
        w[2] = w[1] * w[0]
        s += w[2] * w[1]
    return s


@case(vec(5), 4)
def previous_kept(x, n):
    u = x.copy()
    old = np.zeros_like(x)
    for _ in range(n):
        new = 1.5 * u - 0.6 * old * u
        old = u
        u = new
    return np.sum(u * old)


@case(mat(3, 3), 4)
def matrix_power(a, n):
    p = np.eye(3)
    for _ in range(n):
        p = 0.5 * p @ a
    return np.trace(p) + p[0, 2]


@case(vec(4), 6)
def fibonacci_arrays(x, n):
    a, b = x, np.sin(x)
    for _ in range(n):
        a, b = b, 0.5 * (a + b * x)
    return np.sum(a * b)


@case(vec(4), 3, 2)
def allocated_in_nest(x, n, m):
    s = 0.0
    for i in range(n):
        row = x * (i + 1)
        for j in range(m):
            part = row * row * 0.1
            part[j] += s
            row = part + x
            s += row[j + 1]
    return s


@case(vec(4), 1.9)
def allocated_in_while(x, limit):
    u = x
    size = np.sum(u)
    while size > limit:
        v = np.tanh(u)
        v[0] *= 0.5
        u = v * x
        size = np.sum(u)
    return np.sum(u * u) + size


@case(vec(4), 5)
def copied_when_better(x, n):
    best = x.copy()
    y = x.copy()
    for k in range(n):
        y = np.sin(y * (1.3 + 0.1 * k)) + 0.2
        if np.sum(y) > np.sum(best):
            best = y.copy()
        y[k % 4] = best[0] * 0.9
    return np.sum(best * best)


@case(vec(4), 5)
def referenced_when_better(x, n):
    """`best` is another name for the buffer that the next trip overwrites."""
    best = x * 0.5
    y = x.copy()
    for k in range(n):
        y[k % 4] = y[(k + 1) % 4] * 1.2
        if y[0] > 1.0:
            best = y
    best[1] *= x[0]
    return np.sum(best * y)


@case(vec(6), 3)
def history_of_views(x, n):
    table = np.zeros((4, 6))
    table[0] = x
    for k in range(n):
        current, following = table[k], table[k + 1]
        following[:] = current * 0.9
        following[1:] += current[:-1] * current[1:] * 0.1
    return np.sum(table**2)


@case(vec(4), 5)
def carried_matrix_row(x, n):
    a = np.outer(x, x)
    row = a[0]
    for k in range(n):
        row = row * 0.5 + a[k % 4]
        a[(k + 1) % 4] = row
    return np.sum(a) * row[2]
