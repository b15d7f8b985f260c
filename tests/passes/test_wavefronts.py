"""Nests along their diagonals: the same bits, and only where no trip runs too early."""

import re
from itertools import product

import numpy as np
import pytest

from srcgrad.passes.wavefronts import sizes, wavefronts
from srcgrad.passes.wavefronts.skew import _Skew
from tests.passes.pass_programs import after, agree, outcome, program, text
from tests.tools.strips import loops_over_lanes

LANES = 3
UP, DOWN = "range(1, bottom)", "reversed(range(1, bottom))"
ALONG, BACK = "range(1, edge)", "reversed(range(1, edge))"


@pytest.fixture(autouse=True)
def few_lanes(monkeypatch):
    monkeypatch.setattr(sizes, "LANES", LANES)


def tables():
    drawn = np.random.default_rng(7)
    for n, m in product((1, 2, 4, 5, 8, 12), (1, 3, 4, 5, 10)):
        yield drawn.normal(size=(n, m)) * 0.3, drawn.normal(size=max(n, m))


def nest(trip, before="", after="", outer=UP, inner=ALONG, carried=""):
    """A table x that is computed in place, and a vector y that its trips may read and change.

    `carried`: the assignments of the inner loop's values, for its first and its next trips.
    """
    first, _, following = carried.partition(";")
    lines = ["m: int = dim(x, axis=1)", "k: int = dim(y, axis=0)"]
    lines += ["edge: int = sub(m, 1)", "bottom: int = sub(n, 1)"]
    lines += [f"for i in {outer}:", "    up: int = sub(i, 1)", "    down: int = add(i, 1)"]
    lines += [f"    {line}" for line in (*before.splitlines(), *first.splitlines()) if line]
    lines += [f"    for j in {inner}:"]
    lines += ["        left: int = sub(j, 1)", "        right: int = add(j, 1)"]
    lines += [f"        {line}" for line in (*trip.splitlines(), following.strip()) if line]
    lines += [f"    {line}" for line in after.splitlines() if line]
    return program("x: f64[n, m], y: f64[k]", "\n".join(lines))


def of(*places, more=""):
    """A trip that stores a function of the elements at these places."""
    lines = [f"v{k}: f64 = load(x, {place})" for k, place in enumerate(places)]
    lines += [*more.splitlines(), "s0: f64 = tanh(v0)"]
    for k in range(1, len(places)):
        lines += [f"p{k}: f64 = mul(s{k - 1}, 0.7)", f"s{k}: f64 = add(p{k}, v{k})"]
    return "\n".join((*lines, f"store(x, i, j, s{len(places) - 1})"))


def same(f, steps=1):
    """The function with each lane so many steps after the one before it, which gives the same."""
    new = agree(wavefronts, f, *tables())
    assert loops_over_lanes(new), "no nest was rewritten"
    (late,) = re.findall(r"last: int = add\(steps, (\d+)\)", text(new))
    assert int(late) == steps * (LANES - 1)
    return new


def stays(f):
    assert text(after(wavefronts, f)) == text(f)


# ---- what is rewritten ----
def test_elements_above_and_to_the_left():
    same(nest(of("up, j", "i, left", "up, left")))


@pytest.mark.parametrize(
    ("outer", "inner", "places"),
    [
        (DOWN, BACK, ("down, j", "i, right", "down, right")),
        (DOWN, ALONG, ("down, j", "i, left", "down, left")),
        (UP, BACK, ("up, j", "i, right", "up, right")),
    ],
)
def test_loops_that_run_the_other_way(outer, inner, places):
    same(nest(of(*places), outer=outer, inner=inner))


@pytest.mark.parametrize(
    ("place", "steps"), [("up, left", 1), ("up, j", 1), ("up, right", 2), ("down, left", 2)]
)
def test_steps_that_a_lane_waits(place, steps):
    same(nest(of("i, left", place)), steps)


@pytest.mark.parametrize(("place", "steps"), [("0, j", 2), ("up, right", 3)])
def test_stores_to_other_rows(place, steps):
    same(nest(of("up, j", "i, left").replace("x, i, j,", f"x, {place},")), steps)


def test_elements_that_a_later_trip_stores_to():
    same(nest(of("up, j", "i, left", "i, right", "down, j", "i, j")))


def test_values_that_the_inner_loop_carries():
    trip = of("up, j", more="r: f64 = mul(c, 0.5)\nw: f64 = add(r, v0)\ne: f64 = exp(w)")
    same(nest(trip, carried="c: f64 = f64(1.0); c = e", after="store(y, i, c)"))


def test_values_that_change_places():
    trip = of("up, j", more="r: f64 = mul(c, v0)\nt0: f64 = sin(r)")
    loaded = "h: f64 = load(y, up)"
    both = "c: f64 = f64(1.0)\nd: f64 = h; c, d = d, t0"
    same(nest(trip, before=loaded, carried=both))
    stays(nest(f"{trip}\nadd_at(y, j, r)", before=loaded, carried=both))


def test_statements_before_the_inner_loop():
    before = "h: f64 = load(y, i)\ng: f64 = mul(h, h)\nstore(x, i, 0, g)"
    more = "u: f64 = mul(g, 0.1)\nw: f64 = exp(u)\n"
    same(nest(of("up, j", "i, left", more=more), before=before))
    stays(nest(of("up, j", "i, left", more=f"{more}add_at(y, j, w)"), before=before))


def test_statements_after_the_inner_loop():
    same(nest(of("up, j", "i, left"), after="z: f64 = load(x, i, edge)\nstore(y, i, z)"))


def test_additions_keep_their_order():
    same(nest(of("up, j", "i, left", more="u: f64 = mul(v0, v1)\nadd_at(y, j, u)")))


def test_choices_of_numbers():
    choice = (
        "big: bool = gt(v0, v1)\nq: f64\nif big:\n    q1: f64 = exp(v0)\n    q = q1\n"
        "else:\n    q2: f64 = neg(v1)\n    q = q2\nadd_at(y, j, q)"
    )
    same(nest(of("up, j", "i, left", more=choice)))


def test_sums_over_what_the_nest_leaves_alone():
    """Distances of series with several components, as time warping has them."""
    loop = (
        "sum: f64 = f64(0.0)\nfor l in range(0, k):\n    a: f64 = load(y, l)\n"
        "    b: f64 = mul(a, v0)\n    more: f64 = add(sum, b)\n    sum = more\nd: f64 = exp(sum)"
    )
    same(nest(of("up, j", "i, left", more=loop)))
    stays(nest(of("up, j", "i, left", more=f"{loop}\nadd_at(y, j, d)")))


# ---- what is not ----
@pytest.mark.parametrize(
    "trip",
    [
        of("up, edge", "i, left"),  # the end of the row above
        of("up, 0", "i, left"),
        of("0, 0", "i, left"),
        of("up, j", "i, left").replace("x, i, j,", "x, 0, 0,"),
        of("up, j", "i, left", more="store(x, up, 0, v0)"),
        of("up, j", "i, left", more="store(y, i, v0)\nr: f64 = load(y, left)"),
        of("i, left", more="store(x, i, j, v0)\nr: f64 = load(x, i, j)"),
    ],
)
def test_trips_that_would_run_too_early(trip):
    stays(nest(trip))


def test_vectors_that_the_machine_makes_anyway():
    stays(nest(of("up, j")))  # each row at once
    stays(nest(of("up, j", "i, left").replace("x, i, j,", "x, down, j,")))
    stays(nest(of("i, left")))  # rows side by side: `strip_mining`
    stays(nest(of("up, j", "i, left").replace("tanh", "neg")))  # too little for a diagonal


def test_inner_ranges_that_differ():
    stays(nest(of("up, j", "i, left"), inner="range(1, i)"))


def test_a_weaker_proof_is_noticed(monkeypatch):
    f = nest(of("i, left", "up, right"))
    monkeypatch.setattr(_Skew, "needed", lambda *_: 1)
    new = after(wavefronts, f)
    assert any(outcome(new, args) != outcome(f, args) for args in tables())
