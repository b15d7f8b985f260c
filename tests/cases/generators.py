"""Generators run by turns with what runs over them: stores and names of both are seen by both."""

import itertools
from dataclasses import dataclass

import numpy as np

from tests.cases.registry import case

FEW = np.array([0.7, 1.3, 0.4, 2.1, 1.6])


def windows(x, width):
    for i in range(len(x) - width + 1):
        yield x[i : i + width]


def steps(y, h, n):
    t = 0.0
    for _ in range(n):
        yield t, y
        y = y + h * (np.sin(t) - y * y)
        t += h


def roots(a):
    y = a
    while True:
        y = 0.5 * (y + a / y)
        yield y


def flat(items):
    for item in items:
        if isinstance(item, list | tuple):
            yield from flat(item)
        else:
            yield item


@case(FEW)
@case(np.array([0.3, 0.2]))
def windows_of_an_array(x):
    total = 0.0
    for k, w in enumerate(windows(x, 2), 1):
        if w[0] > 2.0:
            continue
        total += k * np.prod(w)
    else:
        total *= 2.0
    return total


@case(1.3, 7)
@case(1.3, 0)
def steps_of_an_equation(y, n):
    energy, last = 0.0, y
    for t, state in steps(y, 0.1, n):
        energy += state * state * np.exp(-t)
        last = state
    return energy * last


@case(FEW)
def until_it_has_converged(x):
    total = 0.0
    for a in x:
        last = a
        for y in roots(a):
            if abs(y - last) < 1e-9:
                break
            last = y
        else:
            total = 100.0
        total += last * y
    return total


@case(FEW, 1.5)
@case(FEW, 5.0)
def return_from_the_body(x, limit):
    for k, (a, b) in enumerate(windows(x, 2)):
        if a + b > limit:
            return a * b * k + b
    return x[0] * limit


@case(FEW)
def both_change_an_array(x):
    def items():
        for i in range(len(x)):
            yield x[i]
            x[i] *= 0.5

    total = 0.0
    for i, v in enumerate(items()):
        x[-1 - i] += 0.25 * v
        total += v * v
    return total + x.sum()


@case(FEW)
def both_change_names(x):
    scale = 1.0

    def items():
        nonlocal scale
        for v in x:
            yield v * scale
            scale = scale * 0.9 + 0.01 * v

    total = 0.0
    for v in items():
        scale += 0.1 * v
        total += v * scale
    return total + scale


@case(FEW)
def lists_that_both_fill(x):
    seen = []

    def items():
        for v in x:
            if v > 0.5:
                seen.append(v)
                yield v * len(seen)

    kept = []
    for v in items():
        kept.append(v * seen[-1])
    return sum(kept) + sum(seen)


@case(FEW)
def all_items_at_once(x):
    def squares(v):
        for a in v:
            yield a * a

    made = np.array(list(squares(x)))
    total = made.prod() + sum(squares(x)) + max(squares(x)) + sum(v + 1 for v in squares(x))
    total += np.fromiter(squares(x), float).sum() * min(squares(x))
    return total + sum([v * w for v, w in zip(squares(x), x, strict=False)])


@case(FEW)
def a_known_number_of_items(x):
    def terms():
        yield x[0]
        yield x[1] * x[2]
        yield np.sin(x[3])

    a, b, c = terms()
    named = dict(zip("abc", terms(), strict=False))
    return a * b + c + named["b"] * [*terms()][2] + next(terms())


@case(FEW)
def nested_generators(x):
    def even(items):
        for k, v in enumerate(items):
            if k % 2 == 0:
                yield v

    def scaled(items, by):
        for v in items:
            yield v * by

    total = 0.0
    for v in scaled(even(w[0] * w[1] for w in windows(x, 2)), 3.0):
        total += v
    for a in even(x):
        for b in scaled(windows(x, 3), a):
            if b[0] > 3.0:
                break
            total += b.sum()
    return total


@case(FEW)
def of_itself(x):
    return sum(v * v for v in flat([x[0], [x[1], (x[2], x[3])], x[4]]))


@case(FEW)
def any_and_all_stop(x):
    asked = [0.0]

    def large():
        for v in x:
            asked[0] += v
            yield v > 1.0

    found = any(large())
    every = all(large())
    return asked[0] * (2.0 if found else 1.0) + (x[0] if every else x[1])


@case(FEW, 3)
def with_another_sequence(x, n):
    total = 0.0
    for w, c in zip(windows(x, 2), [0.5, 1.5, 2.5], strict=False):
        total += c * w[0] * w[1]
    for c, w in zip(x[:n], windows(x, 2), strict=False):
        total += c * w[1]
    for v in map(np.sum, windows(x, n)):
        total *= v
    return total


@case(FEW)
def in_a_branch(x):
    if x[0] > 0.5:
        items = windows(x, 2)
        total = 0.0
        for w in items:
            total += w[0] * w[1]
    else:
        total = sum(w[0] for w in windows(x, 3))
    return total


@case(FEW)
def what_is_returned_ends_it(x):
    def until(limit):
        total = 0.0
        for v in x:
            total += v
            if total > limit:
                return
            yield total

    for _ in until(0.1):
        return x[0]
    last = 1.0
    for total in until(3.0):
        last = total * last
    return last


@case(FEW)
def its_last_clause(x):
    count = 0.0

    def items():
        nonlocal count
        try:
            for v in x:
                yield v * v
        finally:
            count = 2.0

    total = 0.0
    for v in items():
        total += v * v
    return total * count


@dataclass
class Grid:
    nodes: np.ndarray

    def __iter__(self):
        for i in range(len(self.nodes) - 1):
            yield self.nodes[i], self.nodes[i + 1]

    def cells(self):
        yield from (b - a for a, b in self)


@case(FEW)
def iterator_of_an_instance(x):
    grid = Grid(x * x)
    total = 0.0
    for a, b in grid:
        total += a * b
    lengths = list(grid.cells())
    return total + sum(lengths) * lengths[0] + sum(a for a, _ in grid)


@case(FEW)
def names_of_the_body(x):
    for w in windows(x, 2):
        first = w[0]
        if first > 1.0:
            late = first * w[1]
    return first * late


@case(FEW)
@case(np.array([0.3, 0.9]))
def in_a_name(x):
    scale = 1.0
    squares = (scale * v * v for v in x)
    sines, large = map(np.sin, x), filter(lambda v: v > 0.5, x)
    scale = 2.0
    total = sum(squares)
    for v in sines:
        x[-1] *= 0.9
        total += v * x[-1]
    return total * max(large)


@case(FEW)
def by_its_numbers(x):
    pairs = itertools.product(x[:2], x)
    weights = (a * b for a, b in itertools.product(x[:2], x))
    total = 0.0
    for (a, b), w in zip(pairs, weights, strict=False):
        total += a * w - b
    doubled = (2.0 * v for v in x)
    return total * sum(u * v for u, v in zip(doubled, map(np.sin, x), strict=True))


@case(FEW)
def of_known_items(x):
    named = ((name, k * x) for k, name in enumerate(("a", "b", "c")))
    table = dict(named)
    first, second = (v * v for v in (x, table["c"]))
    return np.sum(first * second * table["b"])


@case(FEW, 0.9)
def numbered_of_those_that_pass(x, limit):
    total = 0.0
    for k, v in enumerate(v for v in x if v > limit):
        total += k * v
    for u, v in zip((v for v in x if v > limit), x, strict=False):
        total += u * v
    for v in filter(lambda v: v < 2.0, filter(lambda v: v > limit, x)):
        total += v * v
    return total


@case(FEW)
def a_list_that_grows_before_it_is_read(x):
    values = [x[0], x[1]]
    doubled = (2.0 * v for v in values)
    values.append(x[2] * x[3])
    return sum(doubled)
