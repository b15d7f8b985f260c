"""Columns that are walked again and again: random nests do the same with them kept aside."""

import random

import numpy as np
import pytest

from srcgrad.backends import python
from srcgrad.ir.nodes import Def, For
from srcgrad.ir.types import INT
from srcgrad.ir.walk import walk
from srcgrad.passes.hoist_allocations import hoist_allocations
from srcgrad.passes.pack_columns import pack_columns
from tests.backends.backend_programs import Program, agree
from tests.tools.turns import share

WIDTH = 3


class Draw:
    """Two loops over rows that load, add and store in columns of a few arrays."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.p = Program()
        self.b = self.p.b
        self.x, self.y = self.p.array("x", None, WIDTH), self.p.array("y", None, WIDTH)
        self.y.type = self.x.type
        self.n = self.x.type.dims[0]
        self.trips = self.p.scalar("trips", INT)
        self.t = self.b.zeros(self.n, WIDTH, dtype="f64", name="t")
        self.flipped = self.b.transpose(self.t, perm=(1, 0))
        for _ in range(self.random.randint(1, 2)):
            self.p.loop(0, self.trips, self.outer, self.random.random() < 0.5)
        self.function = self.p.returns(self.b.copy(self.t), self.b.load(self.y, 0, 0))

    def outer(self, i):
        if self.random.random() < 0.3:
            self.p.loop(0, self.trips, self.middle, self.random.random() < 0.5)
        else:
            self.middle(i)

    def middle(self, i):
        if self.random.random() < 0.3:
            self.touch([self.b.mod(i, self.n)], [0.5])
        for _ in range(self.random.randint(1, 2)):
            start = self.random.choice([0, 0, 1])
            self.p.loop(start, self.n, lambda j: self.trip(i, j), self.random.random() < 0.5)
        if self.random.random() < 0.1:
            self.b.index(i, self.n, axis=0)

    def trip(self, i, j):
        values = [0.5]
        for _ in range(self.random.randint(2, 6)):
            self.touch([j, j, j, self.b.mod(i, self.n)], values)

    def touch(self, rows, values):
        array = self.random.choice([self.x, self.x, self.y, self.t, self.flipped])
        row, column = self.random.choice(rows), self.random.randrange(WIDTH)
        place = (column, row) if array is self.flipped else (row, column)
        match self.random.choice(["load", "load", "load", "add_at", "add_at", "store"]):
            case "load":
                values.append(self.b.load(array, *place))
                values.append(self.b.mul(values[-1], self.random.choice(values)))
            case op:
                if op == "store" and self.random.random() < 0.5:
                    return
                self.b(op, array, *place, self.b.mul(self.random.choice(values), 0.25))


def loaded(function):
    return [s.args[0] for s in walk(function.body) if isinstance(s, Def) and s.op.name == "load"]


@pytest.mark.parametrize(
    "steps", [(pack_columns,), (pack_columns, hoist_allocations)], ids=["alone", "reuse"]
)
def test_random_nests(steps):
    numbers = np.random.default_rng(0)
    for seed in share(range(200)):
        n = seed % 4
        args = [np.round(numbers.normal(size=(n, WIDTH)) / 4, 2) for _ in "xy"]
        args.append(seed // 4 % 3 if n else 0)
        with np.errstate(all="ignore"):
            assert agree(lambda s=seed: Draw(s).function, args, python.build, *steps), seed


def test_the_random_nests_show_what_it_does():
    changed = sum(
        len(loaded(pack_columns(Draw(s).function))) != len(loaded(Draw(s).function))
        for s in range(200)
    )
    assert changed >= 20


def nest(outer, place, op="load"):
    """A loop in a loop that touches one column of `x`."""

    def make():
        p = Program()
        x, y, k = p.array("x", None, 3), p.array("y", None), p.scalar("k", INT)
        n = y.type.dims[0]

        def inner(j):
            if op == "load":
                p.b.add_at(y, j, p.b.load(x, *place(j)))
            else:
                p.b.add_at(x, *place(j), p.b.load(y, j))

        p.loop(0, outer(k), lambda i: p.loop(0, n, inner))
        return p.returns(p.b.load(y, 0))

    return make


def test_a_column_that_no_trip_walks_is_left_alone():
    """The outer loop has no trips, so the column need not exist."""
    for op in ("load", "add_at"):
        make = nest(lambda k: k, lambda j: (j, 2), op)
        assert len([s for s in pack_columns(make()).body if isinstance(s, For)]) == 1
        for k, rows in ((0, 1), (3, 4)):
            args = [np.ones((rows, 3)), np.arange(4.0), k]
            assert agree(make, args, python.build, pack_columns)


@pytest.mark.parametrize(
    "outer, place", [(lambda k: 4, lambda j: (j, 2)), (lambda k: k, lambda j: (2, j))]
)
def test_a_short_loop_and_a_row_stay_as_they_are(outer, place):
    made = pack_columns(nest(outer, place)())
    assert not any(isinstance(s, Def) and s.op.name == "empty" for s in walk(made.body))
