"""Loops that the cpu's pipeline joins: those between which elements flow."""

from unittest.mock import patch

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.passes import without
from srcgrad.passes.dead_code import eliminate
from srcgrad.passes.dependence import Dependence
from srcgrad.passes.join_loops import join_flows
from srcgrad.passes.pipeline import JOIN_FLOWS, lowering
from tests.cases import Case, sample
from tests.fuzz.chunks import bits
from tests.fuzz.joined import joined, loops
from tests.passes.pass_programs import agree, count
from tests.passes.test_join_loops import (
    DOUBLED,
    MAP,
    OTHER,
    PROGRAMS,
    SQUARED,
    SUMS,
    calls,
    each,
    nest,
    outermost,
    rows,
    vectors,
)
from tests.tools.turns import share

ROW = each("w: f64 = load(t, a)\np: f64 = add(w, w)\nstore(u, a, p)", index="a")


def test_an_element_is_handed_on_within_a_trip():
    new = agree(lambda f: eliminate(join_flows(f)), vectors(SQUARED + DOUBLED), *calls(1))
    assert outermost(new) == 1 and count(new, "load") == 1


@pytest.mark.parametrize("second", [OTHER, SUMS], ids=["a map", "sums of rows"])
def test_nests_are_joined_on_both_axes(second):
    new = agree(join_flows, rows(MAP, second), *calls(2))
    assert outermost(new) == 1 and loops(new) == 2


def test_what_only_reads_the_same_stays_apart():
    other = each("w: f64 = load(x, j)\np: f64 = add(w, w)\nstore(u, j, p)", index="j")
    f = vectors(SQUARED + other)
    assert join_flows(f) is f


def test_a_vector_stays_out_of_the_trips_of_a_nest():
    """Its loop is vectorised; in a trip of the other one it would be a single element."""
    assert outermost(agree(join_flows, rows(MAP + SUMS, ROW), *calls(2))) == 2
    assert outermost(agree(join_flows, rows(ROW, nest(
        "r: f64 = load(u, i)\nstore(z, i, j, r)"
    )), *calls(2))) == 2  # fmt: skip


@pytest.mark.parametrize(
    ("first", "second", "left"),
    [
        ("erf", "exp", 2), ("exp", "erf", 2), ("erf", "neg", 1), ("erf", "erf", 1),
        ("exp", "tanh", 1),
    ],
)  # fmt: skip
def test_a_function_without_vectors_stays_out_of_a_loop_of_one_that_has_some(first, second, left):
    """LLVM calls `erf` for one number at a time, and vectorises no loop that does."""
    made = each(f"v: f64 = load(x, i)\nt1: f64 = {first}(v)\nstore(t, i, t1)")
    read = each(f"w: f64 = load(t, j)\np: f64 = {second}(w)\nstore(u, j, p)", index="j")
    assert outermost(agree(join_flows, vectors(made + read), *calls(1))) == left


def test_additions_to_neighbours_stay_apart():
    """A trip would wait for what the one before it added; each loop alone is vectorised."""
    at = each("w: f64 = load(t, j)\nadd_at(y, j, w)", index="j")
    assert outermost(agree(join_flows, vectors(SQUARED + at), *calls(1))) == 1
    shifted = each(
        "g: int = add(j, 1)\nw: f64 = load(t, j)\nadd_at(a, j, w)\nadd_at(a, g, w)", index="j"
    )
    longer = "q: int = add(n, 1)\na: f64[q] = zeros(q, dtype='f64')\n"
    f = vectors(longer + SQUARED + shifted, "a,")
    assert outermost(agree(join_flows, f, *calls(1))) == 2


@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda f: f.__name__)
def test_a_verdict_on_two_loops_is_that_on_the_joined_one(fn):
    """It is made of what was found for each: only what both touch is looked at again."""
    seen = []
    found = Dependence.of_joined

    def compared(self, loop, *parts):
        got, whole = found(self, loop, *parts), self.of(loop)
        seen.append(type(got) is type(whole) and (
            not hasattr(got, "combined")
            or (got.combined, sorted(map(id, got.shared)), got.distance)
            == (whole.combined, sorted(map(id, whole.shared)), whole.distance)
        ))  # fmt: skip
        return got

    positions, args = PROGRAMS[fn]
    with patch.object(Dependence, "of_joined", compared), joined():
        flow.value_and_grad(flow.compile(fn, target="loops"), positions)(*args)
    assert seen and all(seen)


def test_chunks_are_of_loops_as_they_are():
    assert JOIN_FLOWS in lowering() and JOIN_FLOWS not in lowering(in_chunks=True)


@pytest.mark.parametrize("case", share(sample(40)), ids=lambda c: c.id)
def test_cases(case: Case):
    def run():
        case.reset()
        with np.errstate(all="ignore"):
            args = case.arguments()
            fn = flow.compile(case.fn, target="loops", fastmath=False)
            grad = flow.value_and_grad(fn, grad_position=case.position)
            return bits((grad(*args), args))

    with without("join_flows"):
        apart = run()
    assert run() == apart
