"""Sets whose members the run decides: what changes one, seen by its other names, and operators."""

from collections import Counter

import numpy as np

from tests.cases.registry import case

X = np.array([0.3, 0.7, 1.1])


@case(X, 5, wrt=(0,))
@case(X, 1, wrt=(0,))
def changed_under_two_names(x, n):
    a, b, c, d = {n, 1, 2}, {n, 1, 2}, {n, 1, 2}, {n, 1, 2}
    others = [a, b, c, d]
    a |= {8}
    b -= {1}
    c &= {1, 7}
    d ^= {1, 3}
    return sum(len(s) * v for s, v in zip(others, [x[0], x[1], x[2], x[0] * x[1]], strict=True))


@case(X, 5, wrt=(0,))
def known_members_changed(x, n):
    a, b = {1, 2, 3}, {1, 2, 3}
    c, d = a, b
    a -= {1}
    b ^= {1, 9}
    return len(c) * x[0] + len(d) * x[1] + (9 in d) * x[2] * n


@case(X, 5, wrt=(0,))
def frozen(x, n):
    a = b = frozenset([n, 1])
    c = d = frozenset([1, 2])
    a |= {7}
    a -= {1}
    c |= {3}
    kinds = isinstance(a, set) + 2 * isinstance(a, frozenset) + 4 * isinstance({n}, frozenset)
    kinds += 8 * isinstance(frozenset([1]), set)
    return len(a) * x[0] + len(b) * x[1] + len(c) * x[2] + len(d) * kinds + (a != b)


@case(X, 5, wrt=(0,))
@case(X, 2, wrt=(0,))
def operators(x, n):
    s, t = {n, 1}, {1, n, 3}
    sizes = [
        len(u) for u in (s | t, s - {1}, s & t, s ^ t, {1, 2} | s, {1, 2} - s, {1, 9} & s, {9} ^ s)
    ]
    order = [s < t, s > t, t > s, s <= t, s != t, {1} <= s, {1, 2} < s, t > {1}]
    order += [frozenset([n]) < s, s < frozenset([1, n])]
    total = sum(k * v for k, v in enumerate(sizes)) + sum(2**k * v for k, v in enumerate(order))
    return total * x[0] * x[1] + (0.0 if s else x[2]) + bool(s - s) * x[2]


@case(X, 5, wrt=(0,))
@case(X, 2, wrt=(0,))
def methods(x, n):
    s = {n, 1}
    u = s.union([3], (4, n))
    s.update([7], {8})
    s.intersection_update({7, 1, n}, [1, 7, 2])
    s.difference_update([1], [6])
    s.symmetric_difference_update([7, 3, 3, 4])
    t = u.intersection([1, n], [n]), u.difference([1], [3]), u.symmetric_difference([1, 9])
    total = len(u) + len(t[0]) + 2 * len(t[1]) + 3 * len(t[2]) + 4 * u.isdisjoint([2, 9])
    return total * x[0] + x[1] * sum(sorted(s)) ** 2


@case(X, 5, wrt=(0,))
def of_itself(x, n):
    s, t, u, v = {n, 1}, {n}, {n, 2}, {n}
    s -= s
    t ^= t
    u &= u
    v |= v
    return len(s) * x[0] + len(t) * x[1] + len(u) * x[2] + len(v) * x[0] ** 2


@case(X, 9, wrt=(0,))
@case(X, 5, wrt=(0,))
@case(X, 0, wrt=(0,))
def changed_in_a_loop(x, n):
    s = set()
    for i in range(n):
        s |= {i % 3}
        if i > 3:
            s -= {0}
        if i > 6:
            s &= {1}
    return len(s) * x[0] ** 2 + (1 in s) * x[1]


@case(X, 9, wrt=(0,))
def counted_items_of_a_generator(x, n):
    counts = Counter(i % 3 for i in range(n))
    counts.update(i % 2 for i in range(n))
    return counts[0] * x[0] + counts[1] * x[1] ** 2 + counts[7] * x[2]
