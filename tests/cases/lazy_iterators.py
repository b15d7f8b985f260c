"""Iterators compute an item when it is asked for: what a body changes is seen, or is not.

`any` and `all` stop at the first that decides; `product` and `combinations` have read all before.
"""

import itertools
from dataclasses import dataclass

import numpy as np

from tests.cases.registry import case, vec

FEW = np.array([0.211, 0.874, 0.543, 1.1, 0.32])
MANY = np.linspace(0.2, 1.1, 80)[np.random.default_rng(0).permutation(80)]
SOME = MANY[:13]  # of pairs more than are unrolled


@case(FEW)
@case(MANY * 0.3)
def body_that_changes_what_is_read(x):
    total = 0.0
    for v in (u * 2 for u in x):
        x[-1] += 0.1 * v
        total += v
    for v in map(np.sin, x):
        x[-1] += 0.1 * v
        total += v
    for a, b in itertools.starmap(lambda a, b: (a * b, a), zip(x, x, strict=True)):
        x[-1] += 0.1 * b
        total += a
    return total


@case(FEW, 0.3)
@case(MANY, 0.3)
def condition_that_the_body_changes(x, limit):
    total = 0.0
    for v in filter(lambda u: u > limit, x):
        x[-1] *= 0.5
        total += v
    for v in (u * u for u in x if u > limit):
        if v > 1.0:
            break
        limit += 0.011 * v
        if v < 0.25:
            continue
        total += v * limit
    else:
        total *= 2.0
    return total


@case(FEW)
@case(MANY)
def names_bound_late(x):
    k, total = 1.0, 0.0
    for v in (u * k for u in x):
        k = 0.9 * k + 0.01 * v
        total += v
    for i, v in enumerate(u * u for u in x):
        x[-1] += 0.01 * v
        total += v * i
    for a, b in zip((u * u for u in x), x, strict=True):
        x[-1] += 0.01 * a
        total += a * b
    return total


@case(FEW, 0.7)
@case(MANY, 0.7)
def stops_at_the_first(x, limit):
    seen, held = [], np.zeros(2)

    def push(v):
        seen.append(v * v)
        return v > limit

    def hold(v):
        held[0] += v
        return v < limit

    total = 0.0
    if any(push(v) for v in x):
        total += sum(seen)
    if not all(hold(v) for v in x):
        total += held[0] * 3.0
    if any(map(push, x)):
        total += sum(seen)
    return total


@dataclass
class Body:
    """One that counts what it was asked."""

    mass: float
    asked: float = 0.0

    def above(self, limit):
        self.asked += self.mass
        return self.mass > limit


@case(FEW, 0.7)
def methods_that_change_their_owner(x, limit):
    bodies = [Body(v) for v in (x[0], x[1], x[2], x[3])]
    found = any(b.above(limit) for b in bodies)
    return sum(b.asked * (k + 1) for k, b in enumerate(bodies)) + found * x[4]


@case(FEW, 0.7)
def methods_that_change_their_owner_in_a_loop(x, limit):
    bodies = [Body(v) for v in (x[0], x[1], x[2], x[3])]
    found = 0
    for k in range(3):
        found += any(b.above(limit - 0.2 * k) for b in bodies)
    return sum(b.asked * (k + 1) for k, b in enumerate(bodies)) + found * x[4]


@case(FEW, 0.7)
@case(np.array([0.41, 0.92, 0.66]), 0.7)
def walrus_in_any_and_all(x, limit):
    total = 0.0
    if any((t := v) > limit for v in x):
        total += t * 2.0
    small = all((s := v) < limit for v in x if v > 0.3)
    return total + s * s + small


@case(FEW, 0.7)
def targets_that_are_names_outside(x, limit):
    total, v = 0.0, x[0]
    for k in range(3):
        if any((t := v) > limit - 0.1 * k for v in x):
            total += t * v
        total += all((s := v) < limit for v in x[k:]) * s
    return total * v


@case(FEW)
@case(SOME)
def pairs_read_before_the_first(x):
    total = 0.0
    for u, v in itertools.product(x, x):
        x[-1] += 0.0001 * u
        total += u * v
    for u, v in itertools.combinations(x, 2):
        x[0] += 0.0001 * u
        total += u * v
    return total


@case(FEW)
@case(MANY)
def read_before_the_first(x):
    total = 0.0
    for v in itertools.chain(x, x):
        x[1] += 0.001 * v
        total += v * v
    for v in itertools.islice(x, 1, None, 2):
        x[-1] += 0.001 * v
        total += v * v
    return total


def _total(items):
    total = 0.0
    for v in items:
        total += v * v
    return total


@case(FEW)
@case(MANY)
def passed_to_a_helper(x):
    k = 2.0
    squares = _total(v * k for v in x) + _total(v for v in x if v > 0.4)
    nested = sum(v * v for v in (u for u in x if u > 0.4))
    a, b = (v * 2 for v in x[:2])
    return squares + nested + a * b + max(u - v for u in x[:4] for v in x[1:])


@case(np.linspace(0.3, 0.9, 4), 2)
def keys_known_after_all(x, n):
    table = {f"k{n}": x[0], "other": x[1]}
    groups = {}
    for k in range(4):
        groups.setdefault(k % 2, []).append(x[k])
    return table["k2"] * table["other"] + sum(groups[0]) * sum(groups[1])


@case(np.linspace(0.3, 1.7, 7))
@case(np.linspace(0.3, 1.7, 6))
@case(np.linspace(0.3, 1.7, 90))
def one_iterator_in_several_places(x):
    total = 0.0
    for centre, height, width in zip(*[iter(x)] * 3, strict=False):
        total = 0.5 * total + height * np.exp(-((centre / width) ** 2))
    odd = iter(x)
    next(odd)
    return total + sum(map(lambda u, v: u - v * v, odd, odd))


@case(vec(5), 3)
@case(vec(5), 0)
def pairs_of_one_iterator_in_a_loop(x, n):
    total = x[0]
    for k in range(n):
        numbered = enumerate([x[k], 2.0, x[1], x[1] * x[2], x[3]])
        for (i, u), w, (j, v) in zip(numbered, x, numbered, strict=False):
            total += u * v * w * (i - 2 * j)
    return total


@case(vec(5))
def the_last_of_one_iterator_is_filled_up(x):
    items = iter(list(x))
    rows = [u * v for u, v in itertools.zip_longest(items, items, fillvalue=2.5)]
    return rows[0] - rows[1] * rows[2]
