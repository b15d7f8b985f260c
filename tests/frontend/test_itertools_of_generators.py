"""Functions of itertools over generators, and those that an item stops or leaves out."""

import itertools
import operator

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import TARGETS

X = np.array([0.3, 1.7, 2.2, 0.8, 3.1])


def scaled(x, n):
    for i in range(n):
        yield x[i % 5] * i


def powers(v):
    p = 1.0
    while True:
        yield p
        p = p * v


def summed(items):
    s = 0.0
    for k, v in enumerate(items):
        s = s * 0.9 + v * (k + 1)
    return s


def sliced(x, n):
    return (
        summed(itertools.islice(scaled(x, 9), 4)) + summed(itertools.islice(powers(x[0]), 1, 7, 2))
        + summed(itertools.islice(scaled(x, 9), 2, None, 3))
        + summed(itertools.islice(scaled(x, 3), 1, 20)) + summed(itertools.islice(powers(x[1]), 0))
        + summed(itertools.islice(scaled(x, 9), 5, 2)) + sum(itertools.islice(scaled(x, n), 3))
    )  # fmt: skip


def chained(x, n):
    own = summed(itertools.chain(scaled(x, n), x, [x[1], 2.0], scaled(x * x, n)))
    return own + summed(itertools.chain.from_iterable([scaled(x, n), scaled(2.0 * x, n)]))


def pairs(x, n):
    s = sum(a * b for a, b in itertools.pairwise(scaled(x, n)))
    s += sum(a * b for a, b in itertools.pairwise(filter(lambda v: v > 0.5, x)))
    return s + sum(a * b for a, b in itertools.pairwise(map(lambda v: v * v, x)))


def accumulated(x, n):
    s = summed(itertools.accumulate(scaled(x, n)))
    s += summed(itertools.accumulate(scaled(x, n), operator.mul, initial=x[2]))
    s += summed(itertools.accumulate(scaled(x, n), lambda a, b: 0.5 * a + b))
    return s + summed(itertools.accumulate(v * v for v in x))


def rows(x, n):
    for i in range(n):
        yield x * i


def accumulated_arrays(x, n):
    s = 0.0
    for total in itertools.accumulate(rows(x, n)):
        s = s * 0.5 + np.sum(total * x)
    return s


def taken_and_dropped(x, n):
    below = lambda v: v < 2.0
    s = summed(itertools.takewhile(below, powers(x[1])))
    s += summed(itertools.takewhile(below, x)) + summed(itertools.takewhile(below, [x[0], x[4]]))
    s += summed(itertools.dropwhile(below, x)) + summed(itertools.dropwhile(below, scaled(x, n)))
    return s + len(list(itertools.takewhile(below, x)))


def selected(x, n):
    s = summed(itertools.filterfalse(lambda v: v < 2.0, scaled(x, n)))
    s += summed(itertools.filterfalse(None, (v - x[1] for v in x)))
    s += summed(itertools.compress(x, [1, 0, 1, 0, 1])) + summed(itertools.compress(x, x > 1.0))
    return s + summed(itertools.starmap(operator.mul, enumerate(scaled(x, n))))


def one_in_another(x, n):
    s = summed(itertools.takewhile(lambda v: v < 9.0, itertools.islice(powers(x[1]), 4)))
    for k in (0, 1, 2):
        for v in itertools.chain(itertools.islice(powers(x[2]), k), scaled(x, n)):
            s += v * v if v < 8.0 else v
    return s


PROGRAMS = [sliced, chained, pairs, accumulated, accumulated_arrays, taken_and_dropped, selected]
PROGRAMS += [one_in_another]


@pytest.mark.parametrize("n", [0, 1, 6])
@pytest.mark.parametrize("f", PROGRAMS)
def test_values_and_slopes_are_those_of_python(f, n):
    check(f, n, "python")


@pytest.mark.parametrize("f", PROGRAMS)
def test_compiled(f):
    check(f, 6, TARGETS[-1])


def check(f, n, target):
    """With the number as an argument, and as one that only the run tells."""
    along, step = np.cos(np.arange(5.0)), 1e-6
    slope = (f(X + step * along, n) - f(X - step * along, n)) / (2.0 * step)
    for args in ((X, n), (X, np.int64(n))):
        value, gradient = flow.value_and_grad(f, target=target)(*args)
        assert np.isclose(value, f(*args), rtol=1e-12)
        assert np.isclose(gradient @ along, slope, rtol=1e-5, atol=1e-7)


def loud(x, said):
    for i in range(6):
        said[0] = said[0] * 10.0 + 1.0
        yield x[0] * i


@pytest.mark.parametrize(
    "made",
    [
        lambda x, said: itertools.islice(loud(x, said), 1, 4, 2),
        lambda x, said: itertools.islice(loud(x, said), 4, 2),
        lambda x, said: itertools.takewhile(lambda v: v < 0.7, loud(x, said)),
        lambda x, said: itertools.compress(loud(x, said), [0, 1, 1]),
        lambda x, said: itertools.chain(loud(x, said), x),
        lambda x, said: itertools.pairwise(loud(x, said)),
        lambda x, said: itertools.accumulate(loud(x, said)),
    ],
)
def test_items_are_computed_in_turn_with_the_body_of_the_loop(made):
    def f(x, said):
        for _ in made(x, said):
            said[0] = said[0] * 10.0 + 2.0
        return said[0] + x[0]

    ours, python = np.zeros(1), np.zeros(1)
    assert flow.compile(f, target="python")(X, ours) == f(X, python)
    assert ours == python
