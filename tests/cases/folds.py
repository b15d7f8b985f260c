"""Folds of items of which only the run tells how many there are, and the first of an iterator."""

import functools
import itertools
import operator

import numpy as np

from tests.cases.registry import case, vec


class Scaled:
    def __init__(self, value):
        self.value = value

    def __add__(self, other):
        return Scaled(self.value + 2.0 * other.value)


def large(x, of=lambda v: v):
    out = []
    for k in range(len(x)):
        if x[k] > 0.25:
            out.append(of(x[k] * (k + 1)))
    return out


@case(vec(5))
def reduced_lists(x):
    total = functools.reduce(lambda a, b: a * b + 1.0, large(x))
    total += functools.reduce(operator.add, large(x), 0)
    total += functools.reduce(operator.add, large(x, Scaled)).value
    total += functools.reduce(lambda a, b: a + np.sum(a * b), large(x, lambda v: x * v), x[0])
    pair = functools.reduce(lambda a, b: (a[0] + b, a[1] * b + 1.0), large(x), (0.0, 1.0))
    return total + pair[0] * pair[1] + functools.reduce(lambda a, b: a * b, (v for v in large(x)))


@case(vec(5))
def reduced_without_items(x):
    try:
        return functools.reduce(operator.add, large(0.01 * x))
    except TypeError:
        return functools.reduce(operator.add, large(0.01 * x), x[0]) * x[1]


@case(vec(5))
def accumulated_lists(x):
    total = sum(itertools.accumulate(large(x), operator.mul)) + sum(itertools.accumulate(large(x)))
    for k, v in enumerate(itertools.accumulate(large(x), max, initial=x[0])):
        total += v * k
    return total + list(itertools.accumulate(large(x), lambda a, b: a * b + 1.0))[-1]


@case(vec(4))
@case(vec(1))
def neighbours_by_tee(x):
    first, second = itertools.tee(x)
    next(second, None)
    return sum((b - a) ** 2 for a, b in zip(first, second, strict=False)) + x[0]


@case(vec(4))
@case(vec(2))
@case(vec(3))
def first_of_the_run_or_a_default(x):
    left = iter(x[1:])
    a, b, c = next(left, None), next(left, 2.0), next(left, None)
    total = a * x[0] + b + (0.5 if c is None else c)
    for k, v in enumerate(left):
        total += v * (k + 1)
    rows = iter(np.outer(x, x))
    row = next(rows, None)
    return total + (0.0 if row is None else np.sum(row)) + sum(np.sum(r) for r in rows)
