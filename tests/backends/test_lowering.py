"""Loops instead of array operations: the lowered text does what the text before did."""

from functools import partial

import numpy as np
import pytest

from srcgrad.backends import python
from srcgrad.ir.nodes import Def, For, atom
from srcgrad.ir.types import Scalar
from srcgrad.ir.walk import walk
from srcgrad.passes.lower import fuse, lower
from tests.backends.backend_programs import Program, agree, random_program
from tests.tools.turns import share

WHOLE = {"view", "transpose", "reshape", "zeros", "empty", "argsort", "dim", "load", "store"}


@pytest.mark.parametrize(
    "passes", [(lower,), (fuse,), (fuse, lower)], ids=["lower", "fuse", "both"]
)
@pytest.mark.parametrize("start", range(0, 400, 40))
def test_random_programs(start, passes):
    for seed in share(range(start, start + 40)):
        make, args = random_program(seed)
        assert agree(make, args, python.build, *passes), f"seed {seed}"


def nests(function):
    """The outermost loops of a function's body."""
    return [s for s in function.body if isinstance(s, For)]


def made(function, op):
    return [s for s in walk(function.body) if isinstance(s, Def) and s.op.name == op]


def chain():
    """A chain of elementwise operations that ends in a sum."""
    p = Program()
    x, y = p.array("x", None, None), p.array("y", None, None)
    t = p.b.exp(p.b.mul(p.b.add(x, 1.0), 2.0))
    return p.returns(p.b.sum(p.b.sub(t, p.b.copy(y)), axes=(0, 1)))


def test_a_chain_is_one_nest_without_a_buffer():
    assert len(nests(lower(chain()))) > 3
    # y has dims of its own: only its copy needs a nest that x does not share
    fused = fuse(chain())
    assert len(nests(fused)) == 2
    assert len(made(fused, "empty")) == 1


def test_a_value_that_is_returned_is_stored():
    def make():
        p = Program()
        x = p.array("x", None)
        y = p.b.mul(x, x)
        return p.returns(y, p.b.sum(p.b.add(y, 1.0), axes=(0,)))

    fused = fuse(make())
    assert len(nests(fused)) == 1 and len(made(fused, "empty")) == 1
    assert agree(make, [np.arange(3.0)], python.build, fuse)


def shifted(store):
    """Reads a view of a buffer and writes through another that overlaps it."""

    def make():
        p = Program()
        x = p.array("x", None)
        n = p.b.sub(x.type.dims[0], 1)
        low = p.b.view(x, 0, n, 1, spec=("s",))
        high = p.b.view(x, 1, n, 1, spec=("s",))
        p.b(store, high, p.b.mul(low, 2.0))
        p.b(store, low, p.b.mul(high, 3.0))
        return p.returns(p.b.sum(x, axes=(0,)))

    return make


@pytest.mark.parametrize("store", ["assign", "add_to"])
@pytest.mark.parametrize("size", [1, 2, 5])
def test_overlapping_views_do_not_share_a_nest(store, size):
    assert agree(shifted(store), [np.arange(1.0, size + 1)], python.build, fuse)


def test_parameters_that_are_stored_to_may_share_a_nest():
    """They share no memory: that is a fact of every function."""

    def make():
        p = Program()
        x, y = p.array("x", None), p.array("y", None)
        y.type = x.type
        p.b.assign(x, p.b.mul(y, 2.0))
        p.b.assign(y, p.b.add(x, 1.0))
        return p.returns(x)

    assert len(nests(fuse(make()))) == 1
    assert agree(make, [np.arange(3.0), np.ones(3)], python.build, fuse)


def sums_into_views(count, reads=False, dtype="f64"):
    """The adjoint of a stencil: additions through views of one buffer, twice each."""

    def make():
        p = Program()
        x, g = p.array("x", None), p.array("g", None)
        n = g.type.dims[0]
        views = [p.b.view(x, k, n, 1, spec=("s",)) for k in range(count)]
        for factor in (1.0, 2.0):
            for k, view in enumerate(views):
                old = p.b.add(views[0], 1.0) if reads and k == 1 else g
                p.b.add_to(view, p.b.cast(p.b.mul(old, factor + k), Scalar(dtype)))
        return p.returns(x)

    return make


OVERLAPPING = partial(fuse, overlapping=True)


def test_sums_into_overlapping_views_may_pass_each_other():
    """Additions commute, so those through one view share a nest."""
    make = sums_into_views(2)
    assert len(nests(fuse(make()))) == 2
    assert agree(make, [np.zeros(7), np.arange(5.0)], python.build, fuse)


@pytest.mark.parametrize(("count", "expected"), [(2, 1), (3, 1), (4, 2), (7, 5)])
def test_sums_into_a_few_overlapping_views_share_a_nest(count, expected):
    make = sums_into_views(count)
    assert len(nests(OVERLAPPING(make()))) == expected
    assert agree(make, [np.zeros(12), np.arange(5.0)], python.build, OVERLAPPING)


@pytest.mark.parametrize("options", [{"reads": True}, {"dtype": "f32"}])
def test_sums_that_do_not_commute_in_a_trip_stay_apart(options):
    make = sums_into_views(2, **options)
    assert len(nests(OVERLAPPING(make()))) > 1
    assert agree(make, [np.zeros(7), np.arange(5.0)], python.build, OVERLAPPING)


def test_a_check_stays_before_what_it_guards():
    def make():
        p = Program()
        x, y = p.array("x", None), p.array("y", None)
        z = p.b.mul(x, 2.0)
        p.b.indices(p.b.iota(3), x.type.dims[0], axis=0)
        return p.returns(p.b.add(z, y))

    for sizes in ((3, 3), (2, 3), (3, 2)):
        assert agree(make, [np.ones(n) for n in sizes], python.build, fuse)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (2, 3)])
@pytest.mark.parametrize("axes", [(0,), (1,), (0, 1)])
@pytest.mark.parametrize("op", ["max", "min", "argmax", "sum", "any", "all"])
def test_reductions_of_empty_axes(op, axes, shape):
    def make():
        p = Program()
        return p.returns(p.b(op, p.array("x", None, None), axes=axes))

    x = np.arange(6.0)[: shape[0] * shape[1]].reshape(shape)
    assert agree(make, [x], python.build, fuse)


def test_a_length_that_turns_out_to_be_one_broadcasts():
    def make():
        p = Program()
        x, stop = p.array("x", None, None), p.scalar("stop", atom(1).type)
        b = p.b
        rows = b.trips(0, b.slice_stop(stop, x.type.dims[0], 1), 1)
        part = b.view(x, 0, rows, 1, spec=("s", ":"))
        total = b.add(x, part)
        return p.returns(total, b.sum_to(total, rows, x.type.dims[1]))

    for stop in (1, 3, 2):
        assert agree(make, [np.arange(6.0).reshape(3, 2), stop], python.build, fuse)


def test_searches():
    def make():
        p = Program()
        a, v = p.array("a", None), p.array("v", None, None)
        return p.returns(p.b.searchsorted(a, v, side="left"), p.b.searchsorted(a, v, side="right"))

    assert agree(
        make,
        [np.array([0.0, 1.0, 1.0, 2.0]), np.array([[1.0, 3.0], [-1.0, 0.5]])],
        python.build,
        lower,
    )
