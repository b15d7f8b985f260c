"""Passes that change the order of additions: random loops do the same before and after."""

import random

import numpy as np
import pytest

from srcgrad.backends import python
from srcgrad.ir.nodes import Def, For
from srcgrad.ir.parse import parse
from srcgrad.ir.types import INT
from srcgrad.ir.walk import walk
from srcgrad.passes.ascending_loops import ascending_loops
from srcgrad.passes.elide_copies import elide_copies
from srcgrad.passes.gather_additions import gather_additions
from srcgrad.passes.hoist_allocations import hoist_allocations
from srcgrad.passes.loop_fission import loop_fission
from srcgrad.passes.promote_accumulators import promote_accumulators
from srcgrad.primitives import REGISTRY
from tests.backends.backend_programs import Program, agree
from tests.tools.turns import share

PASSES = {
    p.__name__: p for p in (
        ascending_loops, elide_copies, gather_additions, hoist_allocations, loop_fission,
        promote_accumulators,
    )
}  # fmt: skip
MARGIN = 2


class Draw:
    """A program of loops over a few buffers that load, store and add near the trip's place."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.p = Program()
        b = self.b = self.p.b
        self.x, self.y = self.p.array("x", None), self.p.array("y", None)
        self.n = self.x.type.dims[0]
        self.y.type = self.x.type
        made = self.random.choice(["zeros", "zeros", "copy"])
        self.t = b.copy(self.x) if made == "copy" else b.zeros(self.n, dtype="f64", name="t")
        shift = b.view(self.t, 1, b.sub(self.n, 1), 1, spec=("s",), name="shift")
        self.buffers = [self.x, self.y, self.t, self.t, shift]
        for _ in range(self.random.randint(1, 3)):
            self.statement()
        copies = [b.copy(self.t, name="r")]
        if self.random.random() < 0.3:
            b.add_at(self.random.choice([self.t, self.x]), 0, 1.0)
        if self.random.random() < 0.3:
            copies.append(b.copy(self.t))
        self.values = (*copies, b.load(self.y, 0))

    def statement(self):
        if self.random.random() < 0.2:
            self.b.add_to(self.random.choice([self.t, self.y]), self.b.mul(self.x, 0.5))
            return
        whole = self.random.random() < 0.4
        start, stop = (0, self.n) if whole else (MARGIN, self.b.sub(self.n, MARGIN + 1))
        reach = 0 if whole else MARGIN
        reverse = self.random.random() < 0.6

        def outer(i):
            if self.random.random() < 0.3:
                self.p.loop(start, stop, lambda j: self.trip([i, j], reach), reverse)
            else:
                self.trip([i], reach)

        self.p.loop(start, stop, outer, reverse)

    def stencil(self, i, reach):
        """What the reverse of a stencil is: reads of one buffer, additions to another."""
        v = self.b.load(self.x, i)
        for _ in range(self.random.randint(2, 4)):
            v = self.b.mul(v, self.random.choice([0.5, v]))
            self.b.add_at(self.t, self.b.add(i, self.random.randint(-reach, reach)), v)

    def trip(self, indices, reach):
        if self.random.random() < 0.3:
            self.stencil(indices[-1], reach)
            return
        values = [0.5]
        if self.random.random() < 0.2:
            values.append(self.b.load(self.b.zeros(self.n, dtype="f64"), indices[-1]))
        for _ in range(self.random.randint(1, 6)):
            buffer = self.random.choice(self.buffers)
            if self.random.random() < 0.25:
                buffer, at = self.random.choice(self.buffers[:3]), self.random.choice([0, 1])
            else:
                shifted = buffer is self.buffers[-1]
                low, high = (0 if shifted else -reach, reach - 1 if shifted else reach)
                at = self.b.add(
                    self.random.choice(indices), self.random.randint(low, max(low, high))
                )
                if shifted and reach == 0:
                    continue
            match self.random.choice(["load", "load", "store", "add_at", "add_at", "add_at"]):
                case "load":
                    values.append(self.b.load(buffer, at))
                    values.append(self.b.mul(values[-1], self.random.choice(values)))
                case op:
                    value = self.random.choice(values)
                    if op == "store":  # values stay small
                        value = self.b.mul(value, 0.25)
                    self.b(op, buffer, at, value)

    def program(self):
        return self.p.returns(*self.values)


@pytest.mark.parametrize("name", [*PASSES, "all"])
def test_random_loops(name):
    steps = list(PASSES.values()) if name == "all" else [PASSES[name]]
    numbers = np.random.default_rng(0)
    for seed in share(range(150)):
        args = [np.round(numbers.normal(size=7) / 4, 2) for _ in "xy"]
        with np.errstate(all="ignore"):
            assert agree(lambda s=seed: Draw(s).program(), args, python.build, *steps), seed


@pytest.mark.parametrize("name", PASSES)
def test_the_random_loops_show_what_a_pass_does(name):
    """Some of them change."""

    def shape(f):
        return [
            s.op.name if isinstance(s, Def) else getattr(s, "reverse", "") for s in walk(f.body)
        ]

    changed = 0
    for seed in range(150):
        before = Draw(seed).program()
        changed += shape(PASSES[name](Draw(seed).program())) != shape(before)
    assert changed >= 5


def test_a_place_that_no_trip_visits_is_left_alone():
    """The loop has no trips, so the place need not exist."""

    def make():
        p = Program()
        x, g, k = p.array("x", None), p.array("g", None), p.scalar("k", INT)
        p.loop(0, x.type.dims[0], lambda i: p.b.add_at(g, k, p.b.load(x, i)))
        return p.returns(p.b.load(g, 0))

    assert agree(make, [np.zeros(0), np.ones(2), 9], python.build, promote_accumulators)
    assert agree(make, [np.ones(3), np.ones(2), 1], python.build, promote_accumulators)


def test_an_exception_shows_no_sums_of_later_trips():
    def make():
        p = Program()
        x, g = p.array("x", None), p.array("g", None)

        def body(i):
            p.b.add_at(g, 0, p.b.load(x, i))
            p.b.index(i, 2, axis=0)

        p.loop(0, x.type.dims[0], body)
        return p.returns(p.b.load(g, 0))

    assert agree(make, [np.ones(4), np.ones(2)], python.build, promote_accumulators)


RUNNING_SUM = """
def f(x: f64[n], y: f64[m]):
    n: int = dim(x, axis=0)
    m: int = dim(y, axis=0)
    s: f64 = f64(0.0)
    c: int = 0
    for i in reversed(range(0, n)):
        v: f64 = load(x, i)
        s1: f64 = add(s, v)
        k: int = add(c, 1)
        j: int = add(i, 1)
        w: f64 = cast(SEEN, dtype='f64')
        add_at(y, j, v)
        add_at(y, i, w)
        s, c = s1, k
    return (s,)
"""


@pytest.mark.parametrize("name", ["all", "ascending_loops", "gather_additions", "loop_fission"])
def test_a_running_sum_keeps_its_order(name):
    """A sum that each trip stores is read by it: the trips have to run in their order."""
    steps = list(PASSES.values()) if name == "all" else [PASSES[name]]
    args = [np.arange(20.0), np.zeros(21)]
    for seen in ("s1", "j", "k"):
        text = RUNNING_SUM.replace("SEEN", seen)
        assert agree(lambda t=text: parse(t, REGISTRY), args, python.build, *steps), seen


def test_sums_of_a_nest_move_out_of_all_its_loops():
    p = Program()
    x, g = p.array("x", None, None), p.array("g", 4)
    rows, columns = x.type.dims
    inner = lambda i: lambda j: p.b.add_at(g, 2, p.b.load(x, i, j))
    p.loop(0, rows, lambda i: p.loop(0, columns, inner(i)))
    after = promote_accumulators(p.returns(p.b.load(g, 2)))
    loops = [s for s in walk(after.body) if isinstance(s, For)]
    assert len(loops) == 2 and all(len(s.results) == 1 for s in loops)
    assert not any(
        isinstance(t, Def) and t.op.name == "add_at" for s in loops for t in walk(s.body)
    )


def test_loops_over_tapes():
    """What second derivatives do with the tapes of the first: store, add and load in place."""

    def make():
        p = Program()
        x = p.array("x", None)
        n, b = x.type.dims[0], p.b
        t = b.tape(n, dtype="f64")
        p.loop(0, n, lambda i: b.store(t, i, b.mul(b.load(x, i), 2.0)), reverse=True)
        p.loop(0, n, lambda i: b.add_at(t, i, b.load(x, i)), reverse=True)
        p.loop(0, n, lambda i: b.store(x, i, b.load(t, i)), reverse=True)
        return p.returns(b.load(x, 0))

    assert agree(make, [np.arange(1.0, 5.0)], python.build, *PASSES.values())
    turned = ascending_loops(make())
    assert not any(isinstance(s, For) and s.reverse for s in walk(turned.body))


def returned_views(k):
    """A copy of a buffer and views of it, of which some are returned."""
    p = Program()
    x = p.array("x", None)
    b, n = p.b, x.type.dims[0]
    y = b.zeros(n, 3, dtype="f64")
    b.add_to(y, b.view(x, spec=(":", "n")))
    r = b.copy(y)
    turned = b.transpose(r, perm=(1, 0))
    part = b.view(turned, 1, spec=("i", ":"))
    if k == "stored after":
        b.add_to(y, 1.0)
    if k == "view stored to":
        b.add_to(part, 1.0)
    values = {"both": (turned, part), "copy too": (part, r), "buffer too": (part, y)}
    return p.returns(*values.get(k, (part,)))


@pytest.mark.parametrize("k", ["one", "stored after", "view stored to", "both", "copy too",
                               "buffer too"])  # fmt: skip
def test_a_view_of_a_copy_is_a_view_of_the_buffer(k):
    new = elide_copies(returned_views(k))
    copies = sum(isinstance(s, Def) and s.op.name == "copy" for s in new.body)
    assert copies == (0 if k == "one" else 1)
    assert agree(lambda: returned_views(k), [np.arange(3.0)], python.build, elide_copies)


def reshaped_copy(k):
    """A copy of a buffer, or of a parameter, in another shape, and what else happens to either."""
    p = Program()
    x = p.array("x", None)
    b, n = p.b, x.type.dims[0]
    y = x if k == "a parameter" else b.mul(x, 2.0)
    column = b.reshape(y, n, 1)
    r = b.copy(column)
    if k == "stored after":
        b.add_to(y, 1.0)
    if k == "read after":
        b.add_to(r, 1.0)
        return p.returns(r, b.sum(y, axes=(0,)))
    return p.returns(*{"buffer too": (r, y), "reshape too": (r, column)}.get(k, (r,)))


@pytest.mark.parametrize("k", ["one", "a parameter", "stored after", "read after", "buffer too",
                               "reshape too"])  # fmt: skip
def test_a_copy_in_another_shape_is_the_buffer(k):
    new = elide_copies(reshaped_copy(k))
    copies = sum(isinstance(s, Def) and s.op.name == "copy" for s in new.body)
    assert copies == (0 if k == "one" else 1)
    assert agree(lambda: reshaped_copy(k), [np.arange(3.0)], python.build, elide_copies)
