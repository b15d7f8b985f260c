"""next() of iterators, and what is left of them."""

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import TARGETS

X = np.sin(np.arange(90.0)) * 2.5 + 0.7


def reversed_array(x):
    left = reversed(x)
    first, s = next(left), 0.0
    for k, v in enumerate(left):
        s = s * 0.9 + v * k
    return s + first * 3.0


def iterator_of_a_reversed_array(x):
    left = iter(reversed(x))
    first, s = next(left), 0.0
    for v in left:
        s = s * 0.9 + v
    return s + first * 3.0


def reversed_range(x):
    left = reversed(range(80))
    first, s = next(left), 0.0
    for k in left:
        s = s * 0.9 + x[k] * first
    return s


def neighbours(x):
    pairs = zip(x, x[1:] * 2.0, strict=False)
    a, b = next(pairs)
    s = a * b
    for u, v in pairs:
        s = s * 0.9 + u * v
    return s


def counted_from_two(x):
    items = enumerate(x, start=2)
    k, v = next(items)
    s = v * k
    for k, v in items:
        s = s * 0.9 + k * v
    return s


def known_items(x):
    items = zip([x[0], x[1], x[2]], [1.0, 2.0, 3.0], strict=True)
    next(items)
    a, b = next(items)
    left = reversed([x[3], x[4], x[5]])
    next(left)
    c, d = left
    u, v = next(items)
    return a * b + c * d * 2.0 + u * v + next(items, (5.0, 0.0))[0]


def in_comprehensions(x):
    items, left = enumerate(x), reversed(x)
    next(items), next(left)
    kept = [k * v for k, v in items if v > 1.0]
    rest = list(left)
    return sum(kept) + rest[0] * 2.0 + rest[-1] * 3.0


PROGRAMS = [f for f in list(globals().values()) if getattr(f, "__module__", "") == __name__]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("f", PROGRAMS)
def test_values_and_slopes_are_those_of_python(f, target):
    along, step = np.cos(np.arange(90.0) ** 2), 1e-6
    assert np.isclose(flow.compile(f, target=target)(X), f(X), rtol=1e-12)
    slope = (f(X + step * along) - f(X - step * along)) / (2.0 * step)
    assert np.isclose(flow.grad(f, target=target)(X) @ along, slope, rtol=1e-5)


@pytest.mark.parametrize("target", TARGETS)
def test_an_iterator_without_items_stops(target):
    def f(x):
        items = zip([x[0]], x, strict=False)
        next(items)
        return next(items)[0]

    with pytest.raises(StopIteration):
        flow.compile(f, target=target)(X)
