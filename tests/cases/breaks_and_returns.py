"""break, continue, early return, and else clauses of loops."""

import numpy as np

from tests.cases.registry import case, mat, signed, vec


@case(vec(6), tags=("p5",))
@case(np.array([0.2, 1.4, 0.9, 2.2, 0.1]), tags=("p5",))
@case(vec(1), tags=("p5",))
def argmax_with_continue(x):
    best = x[0]
    where = 0
    for i in range(1, len(x)):
        if x[i] <= best:
            continue
        best = x[i]
        where = i
    return best * best + x[where] * x[0]


@case(signed(7), tags=("p5",))
def continue_skips_updates(x):
    s = 1.0
    for i in range(len(x)):
        if x[i] < 0.0:
            continue
        s = s * x[i]
        if i % 2 == 0:
            continue
        s += x[i]
    return s


@case(vec(8), 2.5, tags=("p14",))
@case(vec(8), 0.01, tags=("p14",))
@case(vec(8), 99.0, tags=("p14",))
def break_in_for(x, limit):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i]
        if s > limit:
            break
    return s * x[i] + i * x[0]


@case(vec(8), 2.5, tags=("p14",))
def break_before_increment(x, limit):
    i = 0
    s = 0.0
    while True:
        if s > limit or i >= len(x):
            break
        s += x[i] * (i + 1)
        i += 1
    return s * i


@case(vec(8), 3.0, tags=("p14",))
@case(vec(8), 99.0, tags=("p14",))
def for_else(x, limit):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
        if s > limit:
            break
    else:
        s = s * s
    return s * x[0]


@case(mat(4, 5), 2.2, tags=("p15",))
@case(mat(4, 5, 1), 0.1, tags=("p15",))
@case(mat(1, 1), 9.0, tags=("p15",))
def break_continue_nested(a, limit):
    total = 0.0
    for i in range(a.shape[0]):
        row = 0.0
        for j in range(a.shape[1]):
            if (i + j) % 3 == 1:
                continue
            row += a[i, j] * a[i, j]
            if row > limit:
                break
        total += row * a[i, 0]
        if total > 4.0 * limit:
            break
    return total


@case(vec(6), 5, tags=("p15",))
def break_of_both_loops(x, n):
    s = 0.1
    found = False
    for i in range(n):
        for j in range(n):
            s = s + x[i] * x[j] * 0.3
            if s > 2.0:
                found = True
                break
            if j > i:
                break
            if j == 1:
                continue
            s *= 1.1
        if found:
            break
    return s


@case(vec(4), 3, tags=("p16",))
@case(-vec(4), 3, tags=("p16",))
def return_before_loop(x, n):
    if x[0] < 0.0:
        return x[0] * x[1]
    s = 1.0
    for i in range(n):
        s *= x[i]
    return s


@case(0.7, 0, tags=("p16",))
@case(0.7, 4, tags=("p16",))
def return_guards(x, n):
    if n == 0:
        return np.sin(x)
    if x > 2.0:
        return x * x
    for _ in range(n):
        x = x * x + 0.1
    return x


@case(1.5, 10, tags=("p17",))
@case(1.5, 2, tags=("p17",))
@case(30.0, 10, tags=("p17",))
@case(1.5, 0, tags=("p17",))
def return_inside_loop(x, n):
    s = x
    for i in range(n):
        s = s * x + i
        if s > 20:
            return s
    return s * 2.0 + x


@case(mat(4, 3), 3.0, tags=("p17",))
@case(mat(4, 3), 0.2, tags=("p17",))
@case(mat(4, 3), 99.0, tags=("p17",))
def return_from_nest(a, limit):
    s = 0.0
    for i in range(4):
        for j in range(3):
            s += a[i, j] ** 2
            if s > limit:
                return s * a[i, j]
        s = s * 0.9
    return s - limit * 0.01


@case(vec(5), 1.7, tags=("p17",))
def return_array_early(x, limit):
    y = x.copy()
    for i in range(1, len(x)):
        y[i] = y[i - 1] * x[i] + 0.5
        if y[i] > limit:
            return y * 2.0
    return y


@case(vec(6), tags=("p15", "p17"))
@case(signed(6), tags=("p15", "p17"))
def everything_at_once(x):
    s = 0.5
    for i in range(len(x)):
        if x[i] < -0.5:
            continue
        k = 0
        while k < 4:
            k += 1
            if k == 2:
                continue
            s = s + 0.2 * s * x[i]
            if s > 3.0:
                return s * x[i]
            if s > 2.0:
                break
        s = s * 1.05 + x[0] * 0.1
    return s * s


def first_above(x, limit):
    """A helper with a return inside its loop, followed by its caller."""
    for i in range(len(x)):
        if x[i] > limit:
            return x[i] * x[i]
    return 0.5 * x[0]


@case(vec(6), 1.1, tags=("p17",))
@case(vec(6), 9.0, tags=("p17",))
def early_return_in_helper(x, limit):
    s = 0.0
    for k in range(3):
        s += first_above(x * (1.0 + 0.01 * k), limit) * x[k]
    return s


@case(vec(4), 3)
@case(vec(4), 6)
def name_of_another_kind_after_two_early_returns(x, n):
    for item in [x, 2.0 * x]:
        x = x + item
    if n > 5:
        return 0.5 * x[0]
    if n > 4:
        return x[1]
    s = x[2]
    for item in [x[0], s]:
        s = 0.5 * s + 0.2 * item
    return s * s
