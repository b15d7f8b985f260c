"""Buffers that each trip of a loop makes anew, and those that look as if it did."""

import numpy as np

from tests.cases.registry import case, mat, vec


@case(mat(3, 4), vec(4))
@case(mat(0, 4), vec(4))
def filled_then_read(x, w):
    total = 0.0
    for i in range(len(x)):
        z = np.zeros(4)
        for j in range(4):
            z[j] += x[i, j] * w[j]
            z[j] += x[i, 3 - j]
        for j in range(4):
            total += z[j] * z[j] * w[j]
    return total


@case(mat(3, 4), vec(4))
def read_between_two_stores(x, w):
    total = 0.0
    for i in range(len(x)):
        z = np.zeros(4)
        z[0] = x[i, 0] * w[1]
        total += np.sin(z[0])
        z[0] = z[0] * x[i, 1]
        z[1] = z[0] * z[0]
        z[0] = w[2]
        total += z[0] * z[1]
    return total


@case(mat(3, 4), vec(4))
def read_and_stored_in_one_inner_loop(x, w):
    total = 0.0
    for i in range(len(x)):
        z = x[i] * w
        for j in range(1, 4):
            total += z[j] * z[j - 1]
            z[j] = z[j - 1] * z[j]
    return total


@case(mat(3, 4), vec(4), 1)
@case(mat(3, 4), vec(4), 2)
def one_of_two_of_a_trip(x, w, k):
    total = 0.0
    for i in range(len(x)):
        a = x[i] * w
        b = np.sin(x[i])
        c = a if i == k else b
        total += np.exp(c[0])
        c[0] = c[1] * a[2]
        c[1] *= b[0]
        total += c[0] * c[1] * a[0] * b[1]
    return total


@case(mat(4, 4), vec(4))
def the_next_trip_stores(x, w):
    total = 0.0
    last = w * w
    for i in range(len(x)):
        last[0] = x[i, 0] * x[i, 0]
        total += last[0]
        z = x[i] * w
        total += z[0] * z[0] * z[1]
        last = z
    return total * last[0]


@case(mat(4, 4), vec(4))
def some_later_trip_stores(x, w):
    total = 0.0
    kept = w * w
    for i in range(len(x)):
        kept[0] = x[i, 2] * x[i, 0]
        z = x[i] * w
        z[1] *= z[0]
        if i % 2 == 0:
            kept = z
        total += np.sin(kept[0]) * z[0]
    return total


@case(mat(4, 4), vec(4))
def a_list_keeps_them(x, w):
    rows = [w * w]
    total = 0.0
    for i in range(len(x)):
        rows[i // 2][0] = x[i, 1] * x[i, 0]
        z = x[i] * w
        rows.append(z)
        total += z[0] * z[0] * rows[0][1]
    for i in range(len(x)):
        rows[i][0] *= rows[i][1]
        total += rows[i][0] * rows[i][2]
    return total


@case(vec(4), 0.4)
def buffer_of_a_while(x, w):
    total, left = 0.0, 1.0
    while left > 0.1:
        z = x * left
        z[0] = z[1] * z[2]
        total += z[0] * np.exp(z[0])
        z[0] *= w
        total += z[0] * z[3]
        left *= w + z[0] * 0.01
    return total


@case(mat(3, 4), vec(4))
def view_of_a_trip_s_buffer(x, w):
    total = 0.0
    for i in range(len(x)):
        z = x * w[i]
        row = z[i]
        total += row[0] * row[0]
        z[i, 0] *= row[1]
        row[1] = row[0] * z[0, 2]
        total += np.sum(z * z)
    return total


@case(mat(3, 4), vec(4))
def branches_of_a_trip(x, w):
    total = 0.0
    for i in range(len(x)):
        z = x[i] * w
        if i == 1:
            total += np.exp(z[0])
            z[0] = z[1] * w[0]
        else:
            z[1] = z[0] * z[0]
            z[0] = z[1] * w[1]
        total += z[0] * z[0] * z[1]
        z[0] = 1.0
        total *= z[0] * w[3]
    return total


@case(mat(3, 4), vec(4))
def scattered_in_a_trip(x, w):
    total = 0.0
    for i in range(len(x)):
        z = x[i] * w
        at = np.array([0, 2, 0])
        total += np.sum(z[at] ** 2)
        z[at] = x[i, 1] * z[:3]
        z[1:] += z[:-1]
        total += np.sum(z**3)
        z *= z
        total += np.sum(z)
    return total


@case(mat(3, 4), vec(4), 2)
@case(mat(3, 4), vec(4), 3)
def swapped_in_a_trip(x, w, n):
    total = 0.0
    for i in range(len(x)):
        d = 0.5 * x[i] * w
        e = np.zeros_like(w)
        for j in range(n):
            d, e = e, d
            d[1] = np.sin(x[i, j])
        total += np.sum(d * e * e)
    return total


@case(mat(3, 4), vec(4), 0.2)
@case(mat(3, 4), vec(4), 0.9)
def chosen_in_a_trip(x, w, limit):
    total = 0.0
    for i in range(len(x)):
        d = 0.5 * x[i] * w
        e = np.zeros_like(w)
        for j in range(3):
            d, e = e, d
            d[1] = np.sin(x[i, j])
            if x[i, j] > limit:
                break
            d += 0.1 * w
        total += np.sum(d * e * e)
    return total
