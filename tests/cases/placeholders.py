"""Placeholders until there is a value: None, NaN, empty lists and arrays, numbers for arrays."""

import numpy as np

from tests.cases.registry import case, mat, vec


@case(vec(4), 7.0)
def sum_tested_by_its_while(x, limit):
    s, k = 0.0, 1
    while np.sum(s) < limit and k < 20:
        s = s + np.abs(x)
        k += 1
    return np.sum(s * s)


@case(vec(4), 3)
def four_sums_in_one_statement(x, n):
    a = b = c = d = 0
    for i in range(n):
        w = np.exp(-x * i)
        a, b, c, d = a + w, b + w * w, c + w * x, d + w * i
    return np.sum(a * b + c * d)


@case(vec(4), 1)
@case(vec(4), 3)
def constant_within_an_expression(x, n):
    return np.sum(x * (np.exp(-x) if n < 2 else 1))


@case(vec(4), 3)
def constant_of_a_helper_within_an_expression(x, n):
    def weight(i):
        if i < 2:
            return np.exp(-x * i)
        return 1

    total = 0.0
    for i in range(n):
        total += np.sum(weight(i) * x) + np.sum(weight(i + 1))
    return total


@case(vec(4), 3)
def sum_that_is_returned(x, n):
    s = 0.0
    for i in range(n):
        s = s + x * i
    return s


@case(mat(2, 3), 1)
@case(mat(2, 3), 2)
def rows_or_the_first(a, n):
    q = a if n > 1 else a[0]
    return np.sum(q * a) + q.shape[0]


@case(vec(4), 3)
def list_until_there_is_an_array(x, n):
    out = []
    for i in range(n):
        r = x * (i + 1)
        if len(out) == 0:
            out = r
        else:
            out = np.vstack((out, r))
    return np.sum(out**2)


@case(vec(4), 3)
def appended_to_a_list(x, n):
    out = []
    for i in range(n):
        out = np.append(out, x[i] ** 2)
    return np.sum(out * out)


@case(vec(4), 3)
def none_until_there_is_a_matrix(x, n):
    out = None
    for i in range(n):
        out = x * (i + 1) if out is None else np.vstack((out, x * i))
    return np.sum(out**2)


@case(vec(4))
def index_that_begins_as_nan(x):
    at = np.nan
    for i in range(len(x)):
        if x[i] > 0.5:
            at = i
            break
    return x[at] * 2.0


@case(vec(4))
def places_that_begin_as_none(x):
    best = at = None
    for i in range(len(x)):
        v = x[i] * x[i]
        if best is None or v > best:
            best, at = v, i
    return x[at] * best


@case(np.array([0.7, 1.3, -0.4, 0.9, 0.2, -1.1]))
def stretches_between_signs(x):
    start, total = None, 0.0
    for i in range(len(x)):
        if x[i] > 0.0 and start is None:
            start = i
        elif x[i] <= 0.0 and start is not None:
            total += np.prod(x[start:i])
            start = None
    if start is not None:
        total += np.sum(x[start:])
    return total


@case(vec(4), 0)
@case(vec(4), 3)
def items_and_keys_that_become_arrays(x, n):
    held, pair = {"sum": 0, "old": None}, [0, 0.0]
    for i in range(n):
        if held["old"] is not None:
            pair[0] = pair[0] + x * held["old"]
        held["sum"] = held["sum"] + np.sin(x * i)
        held["old"] = x[i]
        pair[1] += x
    return np.sum(held["sum"] * pair[0] + pair[1])


class Mean:
    def __init__(self):
        self.old, self.total, self.count = None, 0, 0

    def add(self, v):
        if self.old is not None:
            self.total = self.total + self.old * v
        self.total += v
        self.old = v
        self.count += 1

    def value(self):
        if self.count == 0:
            return 0.0
        return self.total / self.count


@case(vec(4), 3)
def attributes_that_become_arrays(x, n):
    mean = Mean()
    for i in range(n):
        mean.add(x * i)
    return np.sum(mean.value())


@case(vec(4), 3)
def tuple_of_sums(x, n):
    s = (0, 0)
    for i in range(n):
        s = (s[0] + x, s[1] + x * x * i)
    return np.sum(s[0] * s[1])


@case(vec(4), 1)
@case(vec(4), 3)
def pair_or_array(x, n):
    r = (x, x[0]) if n > 1 else x
    if isinstance(r, tuple):
        r = r[0] * r[1]
    return np.sum(r)


@case(vec(4), 2.0)
def pair_that_may_be_none(x, b):
    def solved(b):
        if b < 0.0:
            return None, None
        return np.sqrt(b) * x[0], x * b

    r, y = solved(b)
    if r is None:
        return 0.0
    return r + np.sum(y)


@case(vec(4), 3)
def none_behind_a_counter(x, n):
    old, total = None, 0.0
    for i in range(n):
        if i > 0:
            total += old * x[i]
        old = x[i] * 2.0
    return total


@case(vec(4), 3)
def stacked_with_a_sum(x, n):
    a = 0
    for _ in range(n):
        a = a + x
    return np.sum(np.stack([a * x, x])) + sum([np.sum(a) * k for k in range(3)])


@case(vec(4), 0.7)
@case(vec(4), 1.7)
def stores_into_one_of_two_placeholders(x, k):
    squares = cubes = None
    if k > 1.0:
        squares = np.zeros_like(x)
    else:
        cubes = np.ones_like(x)
    for i in range(len(x)):
        if k > 1.0:
            squares[i] = k * x[i] ** 2
            squares[i] *= 2.0
        else:
            cubes[i] += k * x[i] ** 3
    return np.sum(cubes) if squares is None else np.sum(squares)


@case(vec(4), 2)
def product_that_the_first_trip_begins(x, k):
    product = None
    for i in range(len(x)):
        if i == 0:
            product = x[i]
        else:
            product = product * x[i] ** k
    return product


@case(vec(4), 0.5)
def matrix_that_the_first_trip_begins(x, d):
    m00 = m01 = m10 = m11 = None
    for i in range(len(x)):
        c, s = np.cos(x[i] * d), np.sin(x[i])
        if i == 0:
            m00, m01, m10, m11 = c, s / x[i], -s * x[i], c
            continue
        new00 = m00 * c - m01 * s * x[i]
        new01 = m00 * s / x[i] + m01 * c
        m10, m11 = m10 * c - m11 * s * x[i], m10 * s / x[i] + m11 * c
        m00, m01 = new00, new01
    return m00 * m11 - 2.0 * m01 * m10


@case(mat(3, 4), 2.5)
def rows_that_a_trip_begins_and_others_extend(x, limit):
    best, total = None, 0.0
    for i in range(len(x)):
        for j in range(2):
            if best is None:
                best = x[i] * (j + 1)
            elif np.sum(best) < limit:
                best = best + x[i] ** 2
            else:
                total += np.sum(best * x[i])
    return total + np.sum(best)
