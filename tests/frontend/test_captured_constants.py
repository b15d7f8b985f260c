"""Long tables of constants that are captured: one guard for all, and any change is seen."""

import math

import numpy as np
import pytest

import srcgrad as flow

TARGETS = ("python", "cpu")


def rows(n, scale=1.0):
    return [[scale * k, 0.5 * k, 1.0 / (k + 1)] for k in range(n)]


TABLES = [rows(70), rows(5), rows(1)]
PAIRS = tuple((float(k), -float(k)) for k in range(80))


def series(t):
    total = 0.0
    for i in range(len(TABLES)):
        s = 0.0
        for k in range(len(TABLES[i])):
            s += TABLES[i][k][0] * math.cos(TABLES[i][k][1] + TABLES[i][k][2] * t)
        total = total * t + s
    return total


@pytest.fixture
def tables():
    kept = [[list(row) for row in table] for table in TABLES]
    yield TABLES
    TABLES[:] = kept


def guards_of(f):
    return [g for found in f._entries.values() for e in found for g in e.program.guards]


@pytest.mark.parametrize("target", TARGETS)
def test_each_change_is_seen(tables, target):
    f = flow.compile(series, target=target)
    assert math.isclose(f(0.3), series(0.3), rel_tol=1e-13)
    assert len(guards_of(f)) < 20
    changes = [
        lambda: tables[0][60].__setitem__(0, 7.0), lambda: tables[2].append([1.0, 2.0, 3.0]),
        lambda: tables[0].__setitem__(3, [9.0, 0.0, 0.0]),
        lambda: tables[0][60].__setitem__(0, 8.0),
        lambda: tables.append(rows(2, 4.0)), lambda: tables.__setitem__(1, rows(5, 2.0)),
        lambda: tables[0][2].__setitem__(0, np.float64(3.0)), lambda: tables[0].pop(),
    ]  # fmt: skip
    for change in changes:
        change()
        assert math.isclose(f(0.3), series(0.3), rel_tol=1e-13)
        slope = (series(0.3 + 1e-6) - series(0.3 - 1e-6)) / 2e-6
        assert math.isclose(flow.grad(series, target=target)(0.3), slope, rel_tol=1e-6)


def test_numbers_that_keep_changing_become_inputs(tables):
    f = flow.compile(series, target="python")
    built = []
    for k in range(8):
        tables[0][1][0] = float(k)
        assert math.isclose(f(0.3), series(0.3), rel_tol=1e-13)
        built.append(sum(map(len, f._entries.values())))
    assert built[-1] == built[3]


def test_types_and_signs_are_seen(tables):
    f = flow.compile(lambda x: math.copysign(x, TABLES[0][1][0]) + PAIRS[70][1], target="python")
    tables[0][1][0] = 0.0
    assert f(1.0) == -69.0
    tables[0][1][0] = -0.0
    assert f(1.0) == -71.0

    g = flow.compile(lambda x: x * isinstance(TABLES[0][1][0], int), target="python")
    assert g(1.0) == 0.0
    tables[0][1][0] = 1
    assert g(1.0) == 1.0


def test_a_table_that_is_changed_inside(tables):
    def f(x):
        TABLES[0][69][0] = x
        TABLES[1].append([x, x, x])
        return series(x)

    compiled, gradient = flow.compile(f, target="python"), flow.grad(f, target="python")
    before = [[list(row) for row in table] for table in tables]
    gradient(0.3)
    assert tables == before
    got = compiled(0.3)
    assert tables[0][69][0] == 0.3
    assert tables[1][-1] == [0.3, 0.3, 0.3]
    assert math.isclose(got, series(0.3), rel_tol=1e-13)


def test_one_list_by_two_names(tables):
    tables[2] = tables[0]

    def f(x):
        return x if TABLES[2] is TABLES[0] else -x

    compiled = flow.compile(f, target="python")
    assert compiled(1.0) == 1.0
    tables[2] = [list(row) for row in tables[0]]
    assert compiled(1.0) == -1.0
