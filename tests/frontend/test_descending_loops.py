"""Loops that count down by one: the loop's own index is the item, in Python's order."""

from itertools import product

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.testing import gradcheck
from tests.tools.turns import share

X = np.array([0.3, 0.7, 1.1, 0.2, 0.9])
BOUNDS = ((4, 0), (4, -1), (2, 0), (0, 3), (3, 3), (3, 2), (-1, -4))


def recurrence(x, first, end):
    s, last = 0.0, -7
    y = x.copy()
    for i in range(first, end, -1):
        s = 0.5 * s + np.sin(y[i]) * i
        y[i - 1] += s * y[i]
        last = i
    return s + np.sum(y) * last


def left_early(x, first, end):
    s = 0.0
    for i in range(first, end, -1):
        if x[i] > 1.0:
            break
        s += x[i] ** 2 * i
    return s


def substitution(x, first, end):
    """Nested, with bounds of the outer index."""
    y = np.zeros(len(x))
    for i in range(len(x) - 1, -1, -1):
        s = x[i]
        for j in range(len(x) - 1, i, -1):
            s -= 0.1 * y[j] * x[j]
        y[i] = s / (1.0 + x[i])
    return np.sum(y) + first * end


@pytest.mark.parametrize(
    ("fn", "bounds"), share([*product([recurrence, left_early, substitution], BOUNDS)])
)
def test_like_python(fn, bounds):
    for target in ("python", "loops", "cpu"):
        compiled = flow.compile(fn, target=target)
        np.testing.assert_allclose(compiled(X, *bounds), fn(X, *bounds), rtol=1e-13)
        gradcheck(compiled, (X, *bounds), order=1 if target == "cpu" else 2)


def doubled(x):
    t = np.zeros(len(x))
    for i in range(len(x) - 1, -1, -1):
        t[i] = 2.0 * x[i]
    return np.sum(t * t)


def test_places_need_no_check():
    compiled = flow.compile(doubled)
    assert compiled(X) == doubled(X)
    assert "reversed(range(n))" in compiled.source("primal", X)
    assert "index(" not in compiled.source("numba", X)


def test_a_place_outside_is_found_as_in_python():
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 5"):
        flow.compile(recurrence)(X, 7, 2)


def test_one_more_than_the_ends_is_an_integer():
    def f(x):
        for _ in range(2**63 - 1, 2**63 - 4, -1):
            x = 1.5 * x
        for _ in range(5, 2**63 - 1, -1):
            x = 0.0
        return x

    assert flow.compile(f, target="python")(1.0) == f(1.0) == 1.5**3


def test_the_last_item_stays_bound():
    def f(x, n):
        i = 100
        for i in range(n, 0, -1):
            x = x * (1.5 + i)
        return x * i

    compiled = flow.compile(f, target="python")
    assert [compiled(1.0, n) for n in (0, 1, 3)] == [f(1.0, n) for n in (0, 1, 3)]


def reversed_sources(x, n):
    s = 0.0
    for i in reversed(range(2, n)):
        s = s * 0.5 + i * x[i % 3]
    for i in reversed(range(n, 1, -1)):
        s = s * 0.5 + i * x[i % 3]
    for v in reversed(x):
        s = s * 0.5 + v * v
    for k, v in enumerate(reversed(x)):
        s = s * 0.5 + v * v * k
    for a, b in zip(reversed(x), x, strict=False):
        s = s * 0.5 + a * b
    for v in filter(lambda v: v > 0.5, reversed(x)):
        s = s * 0.5 + v * v
    for i in filter(lambda i: i % 2 == 0, range(n, 0, -1)):
        s = s * 0.5 + i * s
    for v in map(np.sin, reversed(x)):
        s = s * 0.5 + v * v
    items = [v * i for i, v in zip(range(n, 0, -1), x, strict=False)]
    for v in reversed(items):
        s = s * 0.5 + v
    return s + sum([0.5**i * x[i % 2] for i in range(n, 0, -1)])


@pytest.mark.parametrize("n", [0, 1, 2, 6])
def test_what_is_reversed(n):
    compiled = flow.compile(reversed_sources, target="python")
    np.testing.assert_allclose(compiled(X, n), reversed_sources(X, n), rtol=1e-13)
    gradcheck(compiled, (X, n), order=2)


def test_reversed_is_a_loop_that_counts_down():
    def f(x):
        t = np.zeros(len(x))
        for i in reversed(range(len(x))):
            t[i] = 2.0 * x[i]
        for v in reversed(x):
            t[0] = 0.5 * t[0] + v
        return np.sum(t)

    compiled = flow.compile(f, target="python")
    assert compiled(X) == f(X)
    assert compiled.source("primal", X).count("reversed(range(n))") == 2
