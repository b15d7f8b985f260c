"""Branches: overwritten conditions, ternaries, masks, what is not taken must not matter."""

import math

import numpy as np

from tests.cases.registry import case, mat, signed, vec


@case(0.7, 0.4, tags=("p22",))
@case(-0.7, 0.4, tags=("p22",))
def condition_overwritten(x, y):
    c = x
    if c > 0.0:
        c = -c * y
        y = y * 2.0
    else:
        c = c * c
    if c > 0.0:
        y = y * x
    return c * y


@case(signed(5), tags=("p22",))
def flag_overwritten_in_loop(x):
    positive = x[0] > 0.0
    s = 1.0
    for i in range(5):
        if positive:
            s = s * x[i]
            positive = x[i] > 0.8
        else:
            s = s + x[i] ** 2
            positive = i % 2 == 0
    return s


@case(1.3, True, tags=("p32",))
@case(1.3, False, tags=("p32",))
def constant_on_one_side(x, flag):
    y = x if flag else 2.0
    return y * y + x


@case(vec(3), 0.8, tags=("p32",))
@case(vec(3), -0.8, tags=("p32",))
def argument_on_one_side(x, a):
    if a > 0.0:
        y = x
    else:
        y = np.zeros_like(x)
    return np.sum(y * x) * a


@case(mat(5, 5), tags=("p34",))
@case(mat(5, 4, 1) - 1.0, tags=("p34",))
def three_way_stencil(u):
    n, m = u.shape
    out = np.zeros((n, m))
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            gradient = u[i + 1, j] - u[i - 1, j]
            if gradient > 0.2:
                out[i, j] = u[i, j] - u[i - 1, j]
            elif gradient < -0.2:
                out[i, j] = u[i + 1, j] - u[i, j]
            else:
                out[i, j] = 0.5 * (u[i, j + 1] - u[i, j - 1]) * u[i, j]
    return np.sum(out * out)


@case(mat(4, 5), np.arange(20).reshape(4, 5) % 3, tags=("p34",))
def three_way_mask(u, mask):
    s = 0.0
    for i in range(1, 3):
        for j in range(1, 4):
            if mask[i, j] == 0:
                s += u[i, j] * u[i, j + 1]
            elif mask[i, j - 1] == 1:
                s += u[i - 1, j] ** 2
                u[i, j] = s
            else:
                u[i + 1, j] -= u[i, j] * s
    return s + u[2, 3] * u[3, 2]


@case(signed(6), tags=("p38",))
def log_where_positive(x):
    return np.sum(np.where(x > 0, np.log(np.where(x > 0, x, 1.0)), 0.0) * x)


@case(-1.3, tags=("p38",))
@case(0.4, tags=("p38",))
def untaken_branch_is_nan(x):
    y = 0.0
    if x > 0.0:
        y = math.log(x) * math.sqrt(x)
    return y + x * x


@case(0.6, 0.3, tags=("p40",))
@case(0.3, 0.6, tags=("p40",))
def conditional_expressions(x, y):
    a = x if x > y else y
    b = x * y if a > 0.5 and y < 1.0 else (y if a < 0.1 else -x)
    return a * b + (x if not x > 1.0 else 0.0)


@case(0.6, 0.3)
@case(-0.6, 1.3)
def boolean_operators(x, y):
    s = x * y
    if x > 0.0 and (y > 1.0 or s > 0.1):
        s += x * x
    if not (x > 0.0) or y > 1.0:
        s *= y
    if 0.0 < x < 1.0:
        s -= np.sin(x)
    return s


@case(0.6, 0)
@case(0.6, 1)
@case(0.6, 2)
@case(0.6, 3)
def elif_chain(x, mode):
    if mode == 0:
        y = np.sin(x)
    elif mode == 1:
        y = x * x
    elif mode == 2:
        y = np.exp(-x)
        y = y * y
    else:
        y = 1.0
    return y * x


@case(0.6, 2)
@case(0.6, 7)
def match_statement(x, mode):
    match mode:
        case 1 | 2:
            y = x * x
        case _:
            y = np.cos(x)
    return y * x


@case(0.6, "cubic")
@case(0.6, "linear")
def static_string(x, kind):
    if kind == "linear":
        return x * 2.0
    return x**3


@case(0.6, None)
@case(0.6, 1.5)
def optional_argument(x, scale):
    if scale is None:
        return x * x
    return x * scale


@case(vec(4), 2)
def bound_in_both_branches(x, k):
    if k > 1:
        a = x[0]
        b = x * 2.0
    else:
        b = x
        a = x[1]
    return np.sum(b) * a


@case(signed(7))
def nested_branches_in_loop(x):
    s, t = 0.5, 1.0
    for i in range(7):
        if x[i] > 0.0:
            if s > t:
                s = s * 0.5 * x[i]
            else:
                s, t = t * x[i], s
        elif i > 3:
            t = t - x[i] * s
        else:
            pass
    return s * t


@case(vec(4), 0)
@case(vec(4), 1)
@case(vec(4), 2)
def array_bound_two_branches_deep(x, n):
    """Where it is not bound its length, a name of the inner branch, does not exist either."""
    if n > 0:
        if n > 1:
            v = np.sin(x[n:])
        s = 0.5
    else:
        s = 1.0
    if n > 1:
        s = s + np.sum(v * v)
    return s * x[0]


@case(vec(3), 0.8)
@case(vec(1), 0.8)
@case(vec(1), -0.8)
def truth_of_an_array_of_one(x, k):
    if len(x) > 1:
        return np.sum(np.exp(-x) / (k + x))
    elif x > k:
        return np.sum(x * x) * k
    return k - x[0]


@case(vec(4), 0.9)
@case(vec(4), 9.0)
def truth_of_what_a_mask_leaves(x, k):
    largest = x[x == np.max(x)]
    while largest < k:
        largest = largest * 1.5 + x[0]
    return largest[0] ** 2 if largest > 2.0 else np.sum(x * largest)


@case(vec(3), 0.5)
def number_that_another_path_indexes(x, k):
    if np.any(x == 0.0):
        return np.sum(k[x != 0.0]) * 2.0
    if k > 100.0:
        k[0] = 2.0
    return np.sum(x) * k


@case(mat(2, 2), 2)
def path_for_other_kinds(x, rows):
    """What fails for these arguments is on the path of others."""
    parts = [1.0, x, x**2]
    if rows == 1:
        total = np.sum(-parts / np.asanyarray(parts))
    else:
        total = np.sum(parts[1] * parts[2])
    return total * len(parts)


def shifted(x, by):
    return x + by


@case(0.7, 3)
@case(-1.3, 2)
def mistakes_on_paths_that_are_not_taken(x, n):
    weights, y = np.ones((2, 2)), x * x
    for i in range(n):
        if y > 100.0 and i == 0:
            y = y * weights(i, 1)
        if y > 200.0:
            y = shifted(y, 1.0, 2.0)
        if y > 300.0:
            y = y + float(weights)
        y = y * np.sin(x)
    return y


def halves(x):
    """None where the run says so."""
    if np.sum(x) > -50.0:
        return x[:2] * 2.0, (x[2], [x[0], x[1]])
    return None, None


@case(vec(3))
def unpacked_and_run_over_where_not_none(x):
    parts, (last, pair) = halves(x)
    y = x * x if last > 0.0 else None
    total = last
    for k, v in enumerate(parts):
        total += v * x[k]
    a, b = pair
    for v, w in zip(y, x, strict=True):
        total += v * w * a
    return total * b
