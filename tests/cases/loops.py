"""Counted loops: products, nests, steps, zero trips, the loop variable afterwards."""

import numpy as np

from tests.cases.registry import case, mat, signed, vec


@case(vec(5), 5, tags=("p1",))
@case(vec(5), 1, tags=("p1",))
@case(vec(5), 0, tags=("p1",))
@case(signed(6, 3), 4, tags=("p1",))
@case(np.array([0.0, 1.5, -2.0]), 3, tags=("p1",))
def product(x, n):
    p = 1.0
    for i in range(n):
        p *= x[i]
    return p


@case(vec(4), 3, tags=("p3",))
@case(vec(4), 0, tags=("p3",))
def used_only_after(x, n):
    scale = np.sin(x[0]) * x[1]
    s = 1.0
    for i in range(n):
        s = s * x[i] + 0.5
    return s * scale


@case(1.2, vec(3), 4, tags=("p3",))
def defined_before_two_loops(a, x, n):
    c = a * a
    s = 0.0
    for i in range(3):
        s += x[i] * a
    for _ in range(n):
        s = np.tanh(s)
    return s * c


@case(1.1, 3, 4, tags=("p4",))
@case(0.9, 3, 0, tags=("p4",))
@case(0.8, 0, 3, tags=("p4",))
@case(1.05, 1, 1, tags=("p4",))
def nested_state(x, n, m):
    s = x
    for i in range(n):
        for j in range(m):
            s = s * x + 0.1 * (i + j)
        s = np.sin(s) + x
    return s


@case(0.7, 5, tags=("p4",))
def triangular_nest(x, n):
    s = 1.0
    for i in range(n):
        for j in range(i):
            for k in range(j, i):
                s = s + 0.01 * s * x * (k + 1)
    return s


@case(mat(3, 4), tags=("p4",))
def row_products(a):
    total = 0.0
    for i in range(a.shape[0]):
        p = 1.0
        for j in range(a.shape[1]):
            p = p * a[i, j]
        total += p * p
    return total


@case(vec(9), 1, 9, 2, tags=("p21",))
@case(vec(9), 8, -1, -1, tags=("p21",))
@case(vec(9), 7, 0, -3, tags=("p21",))
@case(vec(9), 3, 3, 1, tags=("p21",))
@case(vec(9), 0, 9, 4, tags=("p21",))
def stepped(x, start, stop, step):
    s = 1.0
    for i in range(start, stop, step):
        s = s * x[i] + x[i - 1]
    return s


@case(vec(6), 4, tags=("p21",))
@case(vec(6), 1, tags=("p21",))
def loop_variable_after(x, n):
    s = 0.0
    for i in range(n):
        s += x[i] * x[i]
    return s * x[i] + i


@case(vec(6), 4, tags=("p21",))
@case(vec(6), 0, tags=("p21",))
def loop_variable_rebound(x, n):
    s = 0.0
    i = 5
    for i in range(n):
        s += x[i] * x[i]
        i = i * 2
        s *= 1.0 + 0.1 * i
    return s * x[i % 6]


@case(vec(4), 3)
def unrolled_over_tuple(x, n):
    s = 0.0
    for k in (0, 2, 3):
        for _ in range(n):
            s = 0.5 * s * x[k] + x[k]
    return s


@case(vec(4))
@case(mat(3, 2))
@case(vec(0))
def loop_over_rows(x):
    s = 0.0
    for row in x:
        s = s + np.sum(row * row) * (1.0 + 0.1 * s)
    return s


@case(vec(5), 3)
@case(vec(5), 0)
def retyped_accumulator(x, n):
    s = 0
    for i in range(n):
        s += x[i] * x[i + 1]
    return s + x[4]


@case(vec(3), 3)
@case(vec(4), 1)
def tuples_that_grow(x, n):
    out, powers = (), (x[0],)
    for row in np.array([x, x * x]).T:
        out = (*out, np.sum(row))
    for i in range(n):
        for _ in range(2):
            powers += (powers[-1] * x[i],)
    return out[0] * out[-1] + sum(powers) * len(powers)
