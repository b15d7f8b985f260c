"""Integers that loops count, as indices: steps, triangles, starts found at run time."""

import numpy as np

from tests.cases.registry import case, mat, vec


@case(vec(10), mat(3, 4))
@case(vec(10), mat(0, 4))
def triangle_with_diagonal(v, x):
    total = 0.0
    for p in range(len(x)):
        z = np.zeros(4)
        at = 0
        for c in range(4):
            for r in range(c, 4):
                z[r] += v[at] * x[p, c]
                at += 1
        total += np.sum(z * z)
    return total


@case(vec(10), vec(5))
@case(vec(1), vec(1))
def triangle_without_diagonal(v, x):
    total, at = 0.0, 0
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            total += np.sin(v[at]) * x[i] * x[j]
            at += 1
    return total


@case(vec(10), vec(5))
def triangle_below(v, x):
    total, at = 0.0, 0
    for i in range(len(x)):
        for j in range(i):
            total += v[at] ** 2 * x[i] * x[j]
            at += 1
    return total


@case(vec(10), vec(4))
def triangle_below_with_diagonal(v, x):
    total, at = 0.0, 0
    for i in range(len(x)):
        for j in range(i + 1):
            total += v[at] ** 2 * x[i] * x[j]
            at += 1
    return total


@case(vec(16), vec(6), 1)
def triangle_that_starts_late(v, x, first):
    total, at = 0.0, first
    for i in range(2, len(x)):
        for j in range(1, i):
            total += v[at] ** 2 * x[i] * x[j]
            at += 1
    return total * v[at]


@case(vec(10), vec(5))
def triangle_of_all_but_the_last(v, x):
    n = len(x)
    total, at = 0.0, 0
    for i in range(n - 1):
        for j in range(i + 1, n):
            total += v[at] ** 2 * x[i] * x[j]
            at += 1
    return total


@case(vec(21), vec(5), 0)
@case(vec(21), vec(5), 2)
def triangle_from_a_given_row(v, x, first):
    total, at = 0.0, 0
    for i in range(first, len(x)):
        for j in range(i, len(x)):
            total += v[at] ** 2 * x[i] * x[j]
            at += 2 if first else 1
    return total


@case(vec(12), vec(6), 1)
@case(vec(12), vec(6), -3)
def trips_that_are_cut_off(v, x, first):
    total, at, back = 0.0, 0, 0
    for i in range(len(x)):
        for j in range(3, i):
            total += v[at] ** 2 * x[j]
            at += 1
        for j in range(i + 2, len(x) - 2):
            total += np.sin(v[back]) * x[j]
            back += 1
        for j in range(first, i - 2):
            total += v[j] * x[i] * v[at]
            back += 1
    return total * v[at]


@case(vec(40), mat(3, 4))
def rectangle(v, x):
    total, at = 0.0, 1
    for i in range(len(x)):
        at += 1
        for j in range(x.shape[1]):
            total += v[at] ** 2 * x[i, j]
            at += 2
        at += 1
    return total * v[at]


@case(vec(40), vec(4))
def two_triangles_in_a_trip(v, x):
    total, at = 0.0, 0
    for i in range(len(x)):
        total += x[i] * v[at] * v[at]
        at += 1
        for j in range(i):
            total += v[at] ** 2 * x[j]
            at += 1
        for j in range(i, len(x)):
            total += v[at] ** 3 * x[j]
            at += 1
    return total


@case(vec(12), np.array([2, 0, 1, 3]))
def lengths_of_rows(v, lengths):
    total, at = 0.0, 0
    for i in range(len(lengths)):
        for _ in range(lengths[i]):
            total += v[at] ** 2 * (i + 1)
            at += 1
    return total


@case(vec(12), vec(4))
def sometimes_counted(v, x):
    total, at = 0.0, 0
    for i in range(len(x)):
        for j in range(i + 1):
            if x[j] > 0.6:
                total += v[at] ** 2 * x[i]
                at += 1
    return total


@case(vec(20), 0.6)
def counted_in_a_while(v, w):
    total, left, at = 0.0, 1.0, 0
    while left > 0.2:
        at += 1
        for _ in range(3):
            total += v[at] ** 2 * left
            at += 1
        left *= w + 0.01 * total / (1.0 + total)
    return total


@case(vec(20), vec(5))
def counted_down(v, x):
    total, at = 0.0, 19
    for i in range(len(x) - 1, -1, -1):
        for j in range(i):
            total += v[at] ** 2 * x[i] * x[j]
            at -= 1
    return total


@case(vec(30), vec(5))
def counters_that_start_from_counters(v, x):
    total, start = 0.0, 0
    for i in range(len(x)):
        at = start
        for j in range(i, len(x)):
            own = at
            for _ in range(2):
                total += v[own] ** 2 * x[i] * x[j]
                own += 3
            at += 1
        start += i
    return total


@case(vec(15), vec(5))
@case(vec(15), vec(0))
def triangle_from_the_last_row(v, x):
    total, at = 0.0, 0
    for i in range(len(x) - 1, -1, -1):
        for j in range(i, len(x)):
            total += v[at] ** 2 * x[i] * x[j]
            at += 1
    return total


@case(vec(15), vec(5))
def triangle_with_both_counted_down(v, x):
    total, at = 0.0, 0
    for i in range(len(x) - 1, 0, -1):
        for j in range(len(x) - 1, i - 1, -1):
            at += 1
            total += np.sin(v[at]) * x[i] * x[j]
    return total


@case(vec(15), vec(5), 1)
def triangle_down_to_a_given_row(v, x, first):
    total, at = 0.0, 0
    for i in range(len(x) - 1, first, -1):
        for j in range(first, i):
            total += v[at] ** 2 * x[i] * x[j]
            at += 1
    return total


@case(vec(20), vec(5))
def rectangle_counted_down(v, x):
    total, at = 0.0, 0
    for i in range(len(x) - 1, -1, -1):
        for _ in range(3, 0, -1):
            total += v[at] ** 2 * x[i]
            at += 1
        at += 1
    return total
