"""Loops whose body has to know the number of the trip: each is unrolled where it stands."""

from dataclasses import dataclass, field

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import agrees, slope_agrees

COEFFICIENTS = [[0.5, 1, -0.25], (2, 0.125, 1.5), [1, 0.75, 3]]
FUNCTIONS = [np.sin, np.cos, np.tanh]


def series(x, which=0):
    total = 0.0
    for i in range(3):
        total += COEFFICIENTS[which][i] * x**i
    return total


def called_again(x):
    return series(x) * series(x + 1, 1) - series(2 * x, 2)


def run_elsewhere(x, numbers):
    """The same loop runs over an array first, and over a list after it."""
    total = 0.0
    for a in (numbers, [x, 2, x * x]):
        for i in range(3):
            total += a[i] * (i + 1)
    return total


def changed_before(x):
    held, named, powers = [x], {"last": 0.0}, np.ones(4)
    for i in range(3):
        held.append(x * i)
        held[0] = held[0] + 1.0
        named["last"] = named["last"] + held[-1]
        powers[i + 1] = powers[i] * x
        named[i] = FUNCTIONS[i](x)
    return held, named, powers


def in_a_nest(x):
    total = 0.0
    for i in range(3):
        for j in range(3):
            for k in range(i + 1):
                total += COEFFICIENTS[j][k] * x ** (i - j) * FUNCTIONS[i](x)
    return total


def by_the_outer_loop_alone(x, v):
    total = 0.0
    for i in range(3):
        for j in range(len(v)):
            total += FUNCTIONS[i](v[j]) * x
    return total


def countdown(x):
    total = x
    for i in range(2, -1, -1):
        total = total * FUNCTIONS[i](x) + i
    return total


def left_by_the_run(x):
    total, k = 0.0, -1
    for k in range(3):
        if total > 0.4:
            break
        if x * k > 0.5:
            continue
        total += FUNCTIONS[k](x)
    else:
        total += 100.0
    return total, k


def deeper(x, depth):
    """The loop is entered again while it runs, and only the outer one's number is needed."""
    total = 0.0
    for i in range(2):
        total += FUNCTIONS[i](x) if depth == 0 else deeper(x + i, depth - 1)
    return total


def outer_number_within(x, depth=1, f=None):
    total = 0.0
    for i in range(2):
        if depth:
            total += outer_number_within(x, depth - 1, FUNCTIONS[i])
        else:
            total += f(x) * (i + 1)
    return total


def in_a_while(x):
    n = 0
    while x < 10.0:
        for i in range(3):
            x = x + abs(COEFFICIENTS[n % 3 * 0][i])
        n += 1
    return x * n


def on_a_path(x):
    if x > 0.4:
        for i in range(3):
            x = x * COEFFICIENTS[i][0]
    else:
        for i in range(3):
            x = x - COEFFICIENTS[i][1]
    return x


def caught(x):
    total = 0.0
    for i in range(5):
        try:
            total += FUNCTIONS[i](x)
        except IndexError:
            total += 1.0
    return total


def taken_in_turn(x):
    """An iterator has run on where the loop that must be unrolled is found."""
    items, total = iter([x, 2.0, 3.0]), 0.0
    for i in range(3):
        total += next(items) * FUNCTIONS[i](x)
    return total


def taken_by_a_helper(x):
    items = iter([x, 2.0, x * x])
    held, total = {"items": items}, 0.0

    def take():
        return next(held["items"])

    for i in range(3):
        total += COEFFICIENTS[0][i] * take()
    return total


def refused_as_a_loop(x):
    items, total = iter([x, 2.0, 3.0]), 0.0
    for _ in range(3):
        total += next(items) * x
    return total


def refused_in_a_nest(x):
    total = 0.0
    for i in range(2):
        texts = iter(["a", "bb", "ccc"])
        for _ in range(3):
            total += len(next(texts)) * x**i
    return total


@dataclass
class Holder:
    values: list = field(default_factory=lambda: [FUNCTIONS[i](0.5) for i in range(3)])


def instances(x):
    made = []
    for i in range(3):
        h = Holder()
        h.values[i] = FUNCTIONS[i](x)
        made.append(h)
    return [h.values for h in made]


def printed(x):
    for i in range(3):
        print("trip", i)
        x = x * COEFFICIENTS[i][1]
    return x


PROGRAMS = {
    f.__name__: f
    for f in (
        series, called_again, changed_before, in_a_nest, countdown, left_by_the_run, in_a_while,
        on_a_path, caught, instances, printed, outer_number_within,
    )
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("x", [0.3, 0.9])
def test_programs(name, x):
    agrees(PROGRAMS[name], x)


@pytest.mark.parametrize("f", [taken_in_turn, taken_by_a_helper])
def test_iterators_begin_again(f):
    agrees(f, 0.3)


@pytest.mark.parametrize("f", [refused_as_a_loop, refused_in_a_nest])
def test_few_trips_are_unrolled_if_refused(f):
    agrees(f, 0.3)


@pytest.mark.parametrize("name", [n for n in PROGRAMS if n not in ("changed_before", "instances")])
def test_slopes(name):
    slope_agrees(lambda x: np.sum(PROGRAMS[name](x)), 0.3)


def test_of_arrays():
    v = np.array([0.2, 0.7, 1.1])
    agrees(run_elsewhere, 0.3, v)
    agrees(by_the_outer_loop_alone, 0.3, v)
    agrees(deeper, 0.3, 2)


@pytest.mark.parametrize("name", [n for n, f in PROGRAMS.items() if f.__code__.co_argcount == 1])
def test_tracing_begins_once(name):
    f = flow.compile(PROGRAMS[name], target="python")
    f(0.3)
    assert "(begun" not in str(f.explain())
