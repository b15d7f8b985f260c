"""Corners of Python and NumPy: order of evaluation, scopes, exits of loops, views that overlap."""

import operator

import numpy as np

from tests.cases.registry import case, mat, signed, vec


# ---- order of evaluation, scopes ----
@case(vec(4))
def right_side_changes_the_target(x):
    """`y[0] += f(y)` reads y[0] before the call stores to it."""

    def stored(y):
        y[0] = 10.0
        return y[1]

    y = x * 1.0
    y[0] += stored(y)
    return y[0] * x[0]


@case(vec(4))
def nonlocal_changed_between_operands(x):
    t = x[0]

    def changed():
        nonlocal t
        t = x[1] * 3.0
        return t

    t += changed()
    return t * changed() + t


@case(vec(4))
def chained_comparison_with_effects(x):
    """The third operand is evaluated only if the first comparison holds."""
    seen = np.zeros(1)

    def noted(v):
        seen[0] = seen[0] + v
        return v

    s = 0.0
    for i in range(3):
        if noted(x[i]) < noted(x[i + 1]) < noted(1.2):
            s += x[i] ** 2
    return s + seen[0] * x[0]


@case(vec(5), 5)
def walrus_in_a_comprehension(x, n):
    """Its target belongs to the function, the loop variable to the comprehension."""
    i, last = 2, 0.0
    ys = [(last := last * 0.5 + x[i]) for i in range(n)]
    return ys[-1] * last + sum(ys) * x[i]


@case(0.7)
def closure_sees_what_is_bound_later(x):
    k = 2.0

    def scaled(v):
        return v * k

    first = scaled(x)
    k = 3.0 * x
    return first + scaled(x)


@case(vec(3))
def default_evaluated_once(x):
    y = x[0]

    def scaled(v, k=y * 2.0):
        return v * k

    y = x[1]
    return scaled(y) * y


@case(vec(3))
def mutable_default_of_an_inner_function(x):
    def running(v, total=[0.0]):  # noqa: B006 (such a default is tested)
        total[0] += v
        return total[0]

    return running(x[0]) * running(x[1]) + running(x[2])


@case(vec(4))
def inner_functions_share_containers(x):
    total, count = [0.0], {"n": 0}

    def add(v, times=2):
        for _ in range(times):
            total[0] += v
            count["n"] += 1
        return total

    same = add(x[0])
    add(x[1], times=count["n"])
    same[0] *= 2.0
    return total[0] * count["n"]


@case(vec(3))
def mutual_recursion(x):
    def even(k, v):
        return v if k == 0 else odd(k - 1, v * x[0])

    def odd(k, v):
        return v * 2.0 if k == 0 else even(k - 1, v + x[1])

    return even(5, x[2])


# ---- loops and their exits ----
@case(vec(6), 4)
def for_else_with_nested_breaks(x, n):
    s = 0.0
    for i in range(n):
        for j in range(n):
            if x[j] * (i + 1) > 2.5:
                s += x[j]
                break
            s += x[i] * x[j]
        else:
            s *= x[0]
            continue
        if s > 5.0:
            break
        s += 1.0
    else:
        s *= 2.0
    return s


@case(vec(6))
def while_else_with_nested_breaks(x):
    i, s = 0, x[0]
    while s < 20.0:
        i += 1
        j = 0
        while j < 3:
            s = s + x[j] * x[i % 6]
            if s > 10.0:
                break
            j += 1
        else:
            continue
        break
    else:
        s = -s
    return s * i


@case(mat(3, 4))
def early_returns_of_nested_loops(a):
    s = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            s += a[i, j] ** 2
            if s > 4.0:
                return s * a[i, 0]
        if s > 3.5:
            return -s
    return s


@case(vec(4), 3)
@case(vec(4), 0)
def variable_of_an_empty_loop(x, n):
    i = 2
    for i in range(n):  # noqa: B007 (as it is written)
        pass
    return x[i] ** 2


@case(vec(4))
def array_changed_while_it_is_iterated(x):
    s = 0.0
    for i, v in enumerate(x):
        s += v * v
        if i < 3:
            x[i + 1] += v
    return s


@case(mat(3, 3))
def rows_changed_while_they_are_iterated(a):
    s = 0.0
    for row in a:
        row *= 2.0
        a[2] += row
        s += row.sum() ** 2
    return s


@case(vec(8))
def strides_that_double(x):
    y = x.copy()
    step = 1
    while step < 8:
        for i in range(0, 8, 2 * step):
            for j in range(step):
                u, v = y[i + j], y[i + j + step] * 0.5
                y[i + j], y[i + j + step] = u + v, u - v
        step *= 2
    return np.sum(y**3)


# ---- containers ----
@case(vec(3))
def dict_of_arrays_swapped_in_a_loop(x):
    d = {"a": x, "b": x * 2.0}
    for _ in range(2):
        d["a"], d["b"] = d["b"], d["a"] + 1.0
        for v in d.values():
            v *= 1.1
    return np.sum(d["a"] * d["b"]) + x[0]


@case([vec(3), vec(3, 1)], 2)
def list_of_arrays_changed_in_a_loop(arrays, n):
    for k in range(n):
        for a in arrays:
            a *= 1.5
            a[k] += a[k + 1]
        arrays[0] = arrays[0] * arrays[1]
    return np.sum(arrays[0] * arrays[1])


@case(vec(2))
def list_multiplied_holds_one_array(x):
    rows = [np.zeros(2)] * 2
    rows[0][0] = x[0]
    rows[1] += x[1]
    return sum(np.sum(r) for r in rows) * rows[0][1]


@case(mat(3, 3), 3)
def list_of_views(a, n):
    rows = [a[i] for i in range(3)]
    for i in range(n):
        rows[0][i] += rows[2][i] * rows[1][0]
    rows[0], rows[1] = rows[1], rows[0]
    rows[1] *= 2.0
    return np.sum(a * a) + np.sum(rows[0])


@case(vec(4))
def unzipped(x):
    pairs = [(x[0], x[1]), (x[2], x[3])]
    left, right = zip(*pairs, strict=True)
    return sum(map(operator.mul, left, right)) + left[1] * right[0] ** 2


# ---- views, masks, places ----
@case(vec(6))
def reversed_onto_itself(a):
    a[:] = a[::-1]
    a[::2] *= a[1::2]
    a[::-1][1:] -= a[:-1]
    return np.sum(a**2)


@case(mat(3, 3))
def transposed_onto_itself(a):
    a.T[0] += a[1]
    a[...] = a.T
    a.T[1:, 0] = a[0, 1:] * 2.0
    return np.sum(a**2 * a[0])


@case(vec(4))
def halves_swapped_through_views(x):
    """Not a swap: the second half is overwritten before it is read."""
    a, b = x[:2], x[2:]
    a[:], b[:] = b, a
    return x @ np.arange(4.0) * x[0]


@case(vec(6), 3)
def view_moved_on_in_a_loop(x, n):
    v, s = x, 0.0
    for _ in range(n):
        v = v[1:]
        v[0] *= 2.0
        s += np.sum(v)
    return s * x[1]


@case(vec(6), 3)
@case(vec(6), 2)
def view_on_one_path_copy_on_the_other(x, n):
    v = x[1:] if n > 2 else x[1:].copy()
    v[0] = v[1] * 3.0
    return np.sum(x * x)


@case(vec(5), np.array([0, 1, 1, 4, -1]))
def places_repeated_in_a_store(x, places):
    """The last store to a place counts; `np.add.at` adds each."""
    y = np.zeros(5)
    y[places] = x
    y[places] += x * 2.0
    np.add.at(y, places, x**2)
    return np.sum(y * y)


@case(mat(3, 4), np.array([True, False, True]))
def rows_chosen_by_a_mask(a, chosen):
    a[chosen] *= a[1]
    b = a[chosen, 1:]
    a[~chosen, 0] = 3.0
    return np.sum(b) * np.sum(a[chosen]) + np.prod(a[:, 0])


@case(vec(6))
def inverse_permutation(x):
    order = np.argsort(x)
    y = np.empty_like(x)
    y[order] = np.arange(6.0) * x[order]
    back = np.argsort(order)
    return y @ x + np.sum(x[order][back] * x) + x[order[::-1]][0]


@case(vec(4))
def output_over_its_own_input(a):
    np.add(a[:-1], a[1:], out=a[1:])
    return np.sum(a * a)


# ---- numbers ----
@case(signed(3) * 5.0, -2.0)
def floor_division_and_remainder_of_floats(x, b):
    return np.sum(x // b * x + x % b * x) + (-x[0]) % 2.5 + divmod(x[1], 3.0)[1]


@case(vec(3), 7, -2)
def integer_arithmetic_rounds_down(x, a, b):
    return x[0] * (a // b) + x[1] * (a % b) + x[2] * (-a // 2) + x[0] * (-a % 3) + x[1] * (~a << 2)


@case(np.array([0.5, -1.5, 2.0]), 3)
def powers_of_loop_variables(x, n):
    s = 0.0
    for i in range(n):
        s += x[1] ** i * x[0] + x[i] ** n + 2.0**-i * x[2]
    return s


@case(vec(4), 3)
def loop_variable_deleted(x, n):
    s = 0.0
    for i in range(n):
        t = x[i]
        s += t * t
        del t
    del i
    return s * x[0]


class Weighed:
    def __init__(self, value):
        self.value = value

    def __getitem__(self, k):
        return self.value * (k + 1)

    def __setitem__(self, k, value):
        self.value = value * (k + 1)


@case(vec(3))
def item_of_an_object_changed_in_place(x):
    w = Weighed(x[0])
    w[1] = x[1]
    w[0] += x[2]
    w[2] *= 2.0
    return w.value * w[1]
