"""Loops over long constant tables of floats, as series of astronomy have them: they run."""

import math

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import agrees, raises_alike, slope_agrees

DRAW = np.random.default_rng(3)


def rows(n, width):
    return [[float(v) for v in DRAW.uniform(0.2, 2.0, width)] for _ in range(n)]


SERIES = rows(100, 3)
PAIRS = tuple(map(tuple, rows(100, 2)))
NUMBERS = [row[0] for row in rows(100, 1)]
BY_POWER = [rows(n, 3) for n in (300, 100, 3, 1)]
MIXED = [[float(i), i] for i in range(100)]


def unpacked(x):
    total = 0.0
    for a, b, c in SERIES:
        total += a * math.cos(b + c * x)
    return total


def by_number(x):
    total = 0.0
    for i in range(len(BY_POWER)):
        s = 0.0
        for k in range(len(BY_POWER[i])):
            s += BY_POWER[i][k][0] * math.cos(BY_POWER[i][k][1] + BY_POWER[i][k][2] * x)
        total += s * x**i
    return total


def together(x):
    total = 0.0
    for k, ((a, b), c) in enumerate(zip(PAIRS, NUMBERS, strict=True)):
        total += a * math.cos(b * c + x) / (k + 1)
    for row, v in zip(SERIES, np.linspace(0.0, 1.0, 100) * x, strict=True):
        total += row[0] * v + row[-1]
    return total


def neighbours(x):
    total = 0.0
    for k in range(1, len(SERIES)):
        total += SERIES[k][0] * SERIES[k - 1][1] * x + NUMBERS[-k]
    return total


def left_early(x):
    total = 0.0
    for row in SERIES:
        if row[0] > 1.9:
            break
        if row[1] > 1.0:
            continue
        total += row[2] * x
    else:
        total += 100.0
    return total, row


def largest(x):
    best = None
    for row in SERIES:
        if best is None or row[0] > best[0]:
            best = row
    return best[1] * x, best, len(best), isinstance(best, list)


def slices(x):
    total = 0.0
    for row in SERIES[10:90]:
        total = total * 0.5 + sum(row) * x
    for a in reversed(NUMBERS):
        total = total * 0.5 + a * x
    return total


RUNNING = [unpacked, by_number, together, neighbours]


@pytest.mark.parametrize("f", [*RUNNING, left_early, largest, slices])
def test_tables_give_what_python_gives(f):
    agrees(f, 0.7)


@pytest.mark.parametrize("f", RUNNING)
def test_loops_over_tables_run(f):
    assert len(str(flow.compile(f, target="python").ir("primal", 0.7)).splitlines()) < 150


@pytest.mark.parametrize("f", [*RUNNING, slices])
def test_slopes_of_tables(f):
    slope_agrees(f, 0.7)


def identities(x):
    total = 0.0
    for row in SERIES:
        if row is SERIES[-1]:
            total += 1000.0
        if row is not SERIES[3]:
            total += x
    return total


def returned_list(x):
    out = []
    for row in SERIES:
        out.append(row[0] * x)
    return out


def keys(x):
    found = {}
    for k, (a, _) in enumerate(PAIRS):
        found[k] = a * x
    return found[5] + len(found)


def as_indices(x):
    places, total = {0: x, 1: 2.0 * x, 2: 3.0 * x}, 0.0
    for v in NUMBERS:
        total += places[int(v)]
    return total


def integers(x):
    total = 0.0
    for a, k in MIXED:
        total += a * x**k
    return total


def within_try(x):
    total = 0.0
    for v in NUMBERS:
        try:
            total += x / v
        except ZeroDivisionError:
            total += 1.0
    return total


@pytest.mark.parametrize("f", [identities, returned_list, keys, as_indices, integers, within_try])
def test_loops_that_need_the_numbers_are_unrolled(f):
    agrees(f, 0.7)


@pytest.mark.parametrize("n", [80, 120])
def test_a_number_of_terms(n):
    def terms(x, n):
        total = 0.0
        for i in range(n):
            total += NUMBERS[i] * x + PAIRS[i][1]
        return total

    (agrees if n < 100 else raises_alike)(terms, 0.7, n)


def test_a_table_that_changes_between_calls():
    table = rows(80, 2)

    def series(x):
        total = 0.0
        for a, b in table:
            total += a * math.cos(b * x)
        return total

    compiled = flow.compile(series, target="python")
    for change in (
        lambda: None,
        lambda: table[50].__setitem__(1, 3.0),
        lambda: table.append([1.0, 2.0]),
    ):
        change()
        assert compiled(0.3) == pytest.approx(series(0.3), rel=1e-13)


def test_a_table_that_the_function_changes():
    table = rows(80, 2)

    def changed(x):
        table[5][0] = 2.0 * x
        total = 0.0
        for a, b in table:
            total += a * b
        table[5][0] = 1.0
        return total

    agrees(changed, 0.7)
