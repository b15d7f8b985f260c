"""What runs over an instance whose `__iter__` is a generator, or over arrays together."""

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import agrees, slope_agrees


class Multiples:
    def __init__(self, unit, count):
        self.unit, self.count, self.taken = unit, count, 0

    def __iter__(self):
        for k in range(self.count):
            self.taken += 1
            yield k * self.unit


def enumerated(x, n):
    total = 0.0
    for k, v in enumerate(Multiples(x, n), 1):
        total += v * v / k
    return total


def zipped(x, n):
    items, total = Multiples(x, n), 0.0
    for k, v in zip(range(3), items, strict=False):
        total += k * v * v
    return total + items.taken


def mapped_and_filtered(x, n):
    kept = filter(lambda v: v > 1.0, Multiples(x, n))
    return sum(v * v for v in kept) + sum(map(lambda v: v * x, Multiples(x, n)))


@pytest.mark.parametrize("f", [enumerated, zipped, mapped_and_filtered])
def test_instances_that_are_run_over_by_a_generator(f):
    agrees(f, 0.75, 5)
    slope_agrees(f, 0.75, 5)


X, Y = np.array([1.0, 2.0, 3.0]), np.array([[0.5], [1.5]])


def pairs_by_number(x, y):
    pairs = np.broadcast(x, y)
    out = np.empty(pairs.shape)
    for i, (a, b) in enumerate(pairs):
        out.flat[i] = a * b + i
    return out, pairs.size, pairs.index


def pairs_until(x, y):
    """A second loop takes what the first one left, a third one nothing."""
    pairs, total = np.broadcast(x, y), 0.0
    for a, b in pairs:
        total += a * b
        if total > 3.0:
            break
    taken = pairs.index
    for a, _ in pairs:
        total += 100.0 * a
    for a, _ in pairs:
        total += 1000.0 * a
    pairs.reset()
    for _, b in pairs:
        total += b
    return total, taken, pairs.nd, pairs.numiter


def numbers_together(x, y):
    pairs, total = np.broadcast(2.0, x[0]), 0.0
    for a, b in pairs:
        total += a * b
    return total, pairs.shape, pairs.size, pairs.ndim


@pytest.mark.parametrize("f", [pairs_by_number, pairs_until, numbers_together])
def test_arrays_that_are_run_over_together(f):
    agrees(f, X, Y)


def test_the_slope_of_pairs():
    def loss(v):
        total = 0.0
        for a, b in np.broadcast(v * X, np.sin(v * Y)):
            total += a * b * b
        return total

    slope_agrees(loss, 0.8)


@pytest.mark.parametrize("compiled", [False, True])
def test_arrays_of_other_shapes(compiled):
    def size(x, y):
        return np.broadcast(x, y[:, 0]).size

    with pytest.raises(ValueError, match="broadcast"):
        (flow.compile(size, target="python") if compiled else size)(X, Y)
