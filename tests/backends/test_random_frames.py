"""Random nests of loops and branches that make small buffers: on the stack as in Python."""

import random

import numpy as np
import pytest

from srcgrad.backends import python
from srcgrad.backends.backend import BuildOptions
from srcgrad.backends.cpu.build import build
from srcgrad.ir.check import check
from srcgrad.ir.nodes import For, If, Var, While, atom
from srcgrad.ir.types import FLOAT, INT
from srcgrad.passes.lower import lower
from tests.backends.backend_programs import Program
from tests.tools.turns import share

DEPTH, LENGTH = 3, 8
SHAPES = ((5,), (3, 6), (6, 3), (2, 2))


class Draw:
    """One random program of buffers, elements and numbers; the same seed draws the same one."""

    def __init__(self, seed):
        self.random, self.program = random.Random(seed), Program()
        self.b, self.x = self.program.b, self.program.scalar("x")
        self.numbers, self.buffers = [self.x], []

    def number(self):
        return self.random.choice(self.numbers)

    def function(self):
        self.block(DEPTH)
        return self.program.returns(self.summary(), *self.numbers[-3:])

    def summary(self):
        """A number that depends on all buffers that are known."""
        total = self.b.mul(self.numbers[-1], 0.5)
        for x in self.buffers:
            total = self.b.add(total, self.b.mul(self.b.load(x, *self.at(x)), 0.25))
        return total

    # ---- blocks ----
    def block(self, depth):
        """Statements; what they bind is unknown behind the block."""
        for _ in range(self.random.randint(4, LENGTH)):
            moves = [self.buffer] * 3 + [self.element] * 4 + [self.store] * 2
            moves += [self.copied, self.product]
            if depth:
                moves += [self.counted, self.chosen, self.repeated]
            move = self.random.choice(moves)
            move(depth - 1) if move.__name__ in ("counted", "chosen", "repeated") else move()

    def inside(self, depth):
        """A block, and a number that it ends with."""
        known = len(self.numbers), len(self.buffers)
        with self.b.block() as out:
            self.block(depth)
            last = self.summary()
        del self.numbers[known[0] :], self.buffers[known[1] :]
        return out, last

    def counted(self, depth):
        i, old, out = Var("i", INT), Var("old", FLOAT), Var("out", FLOAT)
        first = self.number()
        self.numbers.append(old)
        body, last = self.inside(depth)
        self.numbers.remove(old)
        trips = atom(self.random.randint(0, 3))
        loop = (tuple(body), (last,), (out,), self.random.random() < 0.3)
        self.b.append(For(i, atom(0), trips, (old,), (first,), *loop))
        self.numbers.append(out)

    def chosen(self, depth):
        out, test = Var("out", FLOAT), self.b.gt(self.number(), self.random.uniform(-1, 1))
        (then, a), (other, c) = self.inside(depth), self.inside(depth)
        self.b.append(If(test, tuple(then), tuple(other), (a,), (c,), (out,)))
        self.numbers.append(out)

    def repeated(self, depth):
        """A `while` whose test makes buffers that its body reads."""
        k, old, out, end = Var("k", INT), Var("old", FLOAT), Var("out", FLOAT), Var("end", INT)
        first, known = self.number(), (len(self.numbers), len(self.buffers))
        self.numbers.append(old)
        with self.b.block() as test:
            self.block(0)
            more = self.b.lt(k, self.random.randint(0, 3))
        with self.b.block() as body:
            self.block(depth)
            last, after = self.summary(), self.b.add(k, 1)
        del self.numbers[known[0] :], self.buffers[known[1] :]
        joins = (old, k), (first, atom(0)), tuple(body), (last, after), (out, end)
        self.b.append(While(tuple(test), more, *joins))
        self.numbers.append(out)

    # ---- statements ----
    def buffer(self):
        shape = self.random.choice(SHAPES)
        made = self.b.zeros(*shape, dtype="f64")
        self.buffers.append(made)
        for at in np.ndindex(*shape):
            self.b.store(made, *at, self.b.mul(self.number(), 0.125 * (1 + sum(at))))

    def some(self):
        if not self.buffers:
            self.buffer()
        return self.random.choice(self.buffers)

    def at(self, x):
        return [self.random.randrange(n) for n in x.type.dims]

    def store(self):
        x = self.some()
        self.b(self.random.choice(["store", "add_at"]), x, *self.at(x), self.number())

    def element(self):
        x = self.some()
        read = self.b.load(x, *self.at(x))
        self.numbers.append(self.b.add(self.b.mul(read, 0.5), self.number()))

    def copied(self):
        self.buffers.append(self.b(self.random.choice(["copy", "neg"]), self.some()))

    def product(self):
        x = self.some()
        if x.type.ndim == 2:
            self.buffers.append(self.b.matmul(self.b.transpose(x, perm=(1, 0)), x))


def disagree(seed):
    """Whether python and cpu give different numbers."""
    args = (np.random.default_rng(seed).uniform(-2, 2),)
    made = [Draw(seed).function() for _ in range(2)]
    check(made[0])
    want = python.build(made[0])(*args)
    got = build(lower(made[1]), BuildOptions(cache=False))(*args)
    return not np.allclose(got, want, rtol=1e-12, atol=0, equal_nan=True)


@pytest.mark.parametrize("way", ["", "guarded"])
def test_random_nests(way, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CPU", way)
    assert [seed for seed in share(range(12)) if disagree(seed)] == []


@pytest.mark.full
@pytest.mark.parametrize("way", ["", "guarded"])
def test_many_random_nests(way, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CPU", way)
    assert [seed for seed in range(100, 500) if disagree(seed)] == []
