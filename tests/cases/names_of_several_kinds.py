"""Names that are a number on one path and an array on another, or arrays of two ranks or dtypes."""

import numpy as np

from tests.cases.registry import case, mat, vec


@case(vec(4), 0)
@case(vec(4), 1)
@case(vec(4), 3)
def summed_from_zero(x, n):
    s = 0
    for i in range(n):
        s = s + x * i
    return np.sum(s * s) * 1.0


@case(mat(3, 4))
def rows_summed_from_zero(a):
    s = 0.0
    for row in a:
        s = s + np.sin(row)
    return np.sum(s * s)


@case(vec(4))
def summed_by_a_while(x):
    s, i = 0.0, 0
    while i < 4:
        if x[i] > -9.0:
            s += x * x[i]
        i += 1
    return np.sum(np.cos(s))


@case(vec(4), 3)
def stored_to_after_the_first_trip(x, n):
    s = 0
    for _ in range(n):
        s = s + x
        s[0] *= 2.0
        s[1:] += s[:-1]
    return np.sum(s * s)


@case(vec(4), 1)
@case(vec(4), 4)
def number_by_a_branch(x, n):
    s = 1.5
    if n > 2:
        s = np.exp(x)
    t = s * x
    return np.sum(t * s)


@case(vec(4), 1)
@case(vec(4), 4)
def number_by_an_expression(x, n):
    s = 0.5 if n > 2 else x * x
    return np.sum(s * x)


def scaled(x, n):
    if n > 2:
        return 2.0
    return x * x


@case(vec(4), 1)
@case(vec(4), 4)
def number_returned_by_a_helper(x, n):
    s = scaled(x, n)
    if n > 0:
        s = s + 1.0
    return np.sum(s * x)


@case(vec(4), 4)
def rank_lost_in_a_loop(x, n):
    s = x
    for i in range(n):
        s = np.sum(s * s) if i == 1 else s * 1.1
    return np.sum(s * x)


@case(vec(4), 0)
@case(vec(4), 3)
def rank_gained_in_a_loop(x, n):
    s = x
    for i in range(n):
        if i > 0:
            s = s[0]
        s = np.outer(x, s) * 0.3
    return np.sum(s * s)


@case(vec(4), 0)
@case(vec(4), 3)
def integers_that_become_floats(x, n):
    s = np.ones(4, dtype=int)
    for _ in range(n):
        s = s * x
    return np.sum(s * x)


@case(vec(4), 0)
@case(vec(4), 3)
def recurrence_of_coefficients(x, n):
    c0, c1 = 0, 1
    for i in range(n):
        c0, c1 = c1 * x, c0 + x * i
    return np.sum(c0 + c1 * x)


@case(vec(4), 4)
def two_names_in_turns(x, n):
    a = b = 0
    for i in range(n):
        if i % 2:
            a = a + x
        else:
            b = b + x * x
    return np.sum(a * b + x)


@case(vec(4), 4)
def test_of_the_rank(x, n):
    s = 0.0
    for _ in range(n):
        if np.ndim(s) == 0:
            s = x.copy()
        else:
            s[0] += s[1] * x[2]
    return np.sum(s * s)


@case(vec(4), 4)
def fed_back_through_another_name(x, n):
    y, s = x, 0
    for _ in range(n):
        y = np.sin(s + x)
        s = y
        s = s * 1.5
    return np.sum(y) + np.sum(s * s)


@case(vec(4), 3)
def nested_loops_of_a_sum(x, n):
    total = 0.0
    for i in range(n):
        part = 0
        for j in range(i):
            part = part + x * j
        total = total + part * x
    return np.sum(total)


@case(vec(4), 3)
def absent_at_first(x, n):
    s = None
    for i in range(n):
        s = x * x if s is None else s + x * i
    return np.sum(s)


@case(vec(4), 1)
@case(vec(4), 3)
def function_by_a_branch(x, n):
    f = np.sin if n > 2 else np.cos
    return np.sum(f(x) * x)


def reduction_of(n):
    if n > 2:
        return "sum"
    return "mean" if n > 0 else "largest"


@case(vec(4), 0)
@case(vec(4), 1)
@case(vec(4), 3)
def string_that_chooses(x, n):
    kind = reduction_of(n)
    weight = {"sum": 1.0, "mean": 2.0, "largest": 3.0}[kind]
    if kind == "sum":
        y = np.sum(x * x)
    elif kind == "mean":
        y = np.mean(x * x)
    else:
        y = np.max(x * x)
    return y * weight


@case(vec(4), 4)
def function_that_changes_in_a_loop(x, n):
    act, s = np.sin, 0.0
    for i in range(n):
        s += act(x[i] * s + x[i])
        if i == 1:
            act = np.cos
    return s


@case(vec(4), 1)
@case(vec(4), 3)
def length_known_on_one_path(x, n):
    s = 0.5
    if n > 1:
        s = x[:n] * 2.0
    y = 1.0
    if n > 2:
        y = np.sum(s) + x[: n - 1]
    return np.sum(s) * np.sum(y * y)


@case(np.array([0.3, 0.7, 1.1]), 0.3, 2)
@case(np.array([0.3, 0.7, 1.1]), 0.8, 3)
def conditions_that_are_repeated(x, c, n):
    y, found = None, False
    if 2.0 * c - 1.0 > 0.0:
        y, found = x * c, True
    rows = []
    for v in x:
        k = 0 if n == 3 else x * c
        r = k[1] if n != 3 else k
        rows.append([v, r, np.sqrt(r + 1.0)])
    first = np.sum(y) if 2.0 * c - 1.0 > 0.0 else x[0]
    return np.sum(np.array(rows)) + first + (np.sum(y * x) if found else x[1])


@case(vec(3), np.array([1.0, 20.0]), wrt=(0,))
@case(vec(3), np.zeros(2), wrt=(0,))
def added_in_place_by_paths_of_its_rank(x, w):
    """A sum of rank 1 and an item of rank 2, which do not fit, never meet."""
    y = x[1:] if np.all(w == 0.0) else np.outer(x, x)
    total = 0
    for v in w:
        if v > 10.0:
            total += 2.0 * y * (v + 1.0)
        else:
            total += y * (v + 1.0)
    return np.sum(total * total)


@case(vec(3), 1.0, wrt=(0,))
@case(vec(3), -1.0, wrt=(0,))
def sums_that_fit_on_the_path_that_is_taken(x, sign):
    y = x[:2] if sign > 0.0 else np.outer(x[:2], x)
    kept = np.ones(2) if sign > 0.0 else np.ones((2, 3))
    return np.sum(kept * y + (y if sign > 0.0 else kept)[0])
