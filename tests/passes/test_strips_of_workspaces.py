"""Strips of trips that make buffers, name rows of tapes, or check what all of them would."""

import numpy as np
import pytest

from srcgrad.passes.strips import candidates, sizes, tapes
from srcgrad.passes.strips.lanes import Lanes
from tests.passes.pass_programs import program, text
from tests.passes.strips import COUNTS, differs, same, shorten, stays, whole


@pytest.fixture(autouse=True)
def short_strips(monkeypatch):
    shorten(monkeypatch)


PARAMS = "x: f64[n], y: f64[m], z: f64[n]"
CALLS = [(whole(n), whole(m), np.zeros(n)) for n in COUNTS for m in (1, 2, 4)]
TRIP = """
{head}for i in range(0, n):
    a: f64 = load(x, i)
    t: f64[m] = {made}
{fill}    s: f64 = f64(0.5)
    for j in range(0, m):
{check}        b: f64 = load(t, j)
        p: f64 = mul(s, b)
        s1: f64 = sub(p, a)
        s = s1
{more}    store(z, i, s)
"""
FILL = """\
    for k in range(0, m):
        v: f64 = load(y, k)
        w: f64 = mul(v, a)
        {store}(t, k, w)
"""


def trips(made="zeros(m, dtype='f64')", fill="store", more="", check="", head=""):
    filled = FILL.format(store=fill) if fill else ""
    inner = "".join(f"    {line}\n" for line in more.splitlines())
    body = TRIP.format(made=made, fill=filled, more=inner, check=check, head=head)
    return program(PARAMS, body)


@pytest.mark.parametrize("fill", ["store", "add_at", ""])
def test_buffers_of_trips_have_an_axis_of_lanes(fill):
    f = same(trips(fill=fill), *CALLS)
    assert "empty(m, 3, dtype='f64')" in text(f)


def test_buffers_that_are_filled():
    same(trips(made="empty(m, dtype='f64')"), *CALLS)


@pytest.mark.parametrize(
    "more",
    [
        "for l in range(0, m):\n    c: f64 = load(t, l)\n    add_at(y, l, c)",
        "for l in range(0, m):\n    c: f64 = mul(s, 2.0)\n    add_at(y, l, c)\n    add_at(y, 0, a)",
    ],
)
def test_what_all_trips_add_to_is_added_to_once_in_a_strip(more):
    # the trips only read what they add to where they read nothing of it
    f = trips(made="zeros(m, dtype='f64')", fill="", more=more)
    new = same(f, *CALLS)
    assert text(new).count("sum") > text(f).count("sum")


@pytest.mark.parametrize(
    "made",
    [
        "copy(y)",  # made of an array
        "zeros(m, dtype='f64')\n    q: bool = gt(a, 0.0)\n    if q:\n        store(t, 0, a)",
        "zeros(m, dtype='f64')\n    r: f64.strided[m] = view(t, 0, m, 1, spec=('s',))",
    ],
)
def test_memory_that_lanes_cannot_have(made):
    stays(trips(made=made, fill=""))


def test_a_length_that_a_trip_computes():
    made = "zeros(k1, dtype='f64')"
    body = TRIP.format(made=made, fill="", more="", check="", head="").replace(
        "    t: f64[m]", "    k1: int = add(m, i)\n    t: f64[k1]"
    )
    stays(program(PARAMS, body))


def test_too_large_for_the_cache(monkeypatch):
    monkeypatch.setattr(sizes, "OWN", 2)
    f = same(trips(), *CALLS)
    assert "le(m, 2)" in text(f)


# ---- rows of tapes ----
ROWS = """
size: int = mul(n, m)
saved: tape[f64] = tape(size, dtype='f64')
for i in range(0, n):
    a: f64 = load(x, i)
    at: int = mul(i, m)
    row: f64[m] = tape_view(saved, at, m)
    s: f64 = f64(0.5)
    for j in range(0, m):
        v: f64 = load(y, j)
        p: f64 = mul(s, v)
        s1: f64 = sub(p, a)
        store(row, j, s1)
        s = s1
    store(z, i, s)
for i1 in reversed(range(0, {stop})):
    at1: int = mul(i1, m)
    row1: f64[m] = tape_view(saved, at1, m)
    g: f64 = f64(1.0)
    for j1 in reversed(range(0, m)):
        b: f64 = load(row1, j1)
        h: f64 = mul(g, b)
        g1: f64 = sub(h, b)
        g = g1
    add_at(z, i1, g)
"""


def test_rows_are_laid_out_for_strips():
    f = same(program(PARAMS, ROWS.format(stop="n")), *CALLS)
    assert text(f).count("tape_view") == 2, "of the trips that are left"


def test_loops_that_would_walk_along_rows_at_a_distance_stay():
    stays(program(PARAMS, ROWS.format(stop="m")))


def test_an_element_of_a_row():
    body = ROWS.format(stop="m").replace("load(row1, j1)", "load(y, j1)")
    first = "    g: f64 = f64(1.0)\n"
    f = program(PARAMS, body.replace(first, "    q0: f64 = load(row1, 0)\n    g: f64 = q0\n"))
    calls = [(whole(n), whole(m), np.zeros(n)) for n in (4, 7, 11) for m in (1, 2, 4)]
    assert text(same(f, *calls)).count("tape_view") == 2


def test_an_element_of_a_row_that_is_laid_out():
    body = ROWS.format(stop="n").replace(
        "    g: f64 = f64(1.0)\n", "    q0: f64 = load(row1, 0)\n    g: f64 = q0\n"
    )
    f = same(program(PARAMS, body), *[c for c in CALLS if len(c[1])])
    assert text(f).count("tape_view") == 2


# ---- checks ----
CHECK = "        check_range({}, j, m, axis=0)\n"


def test_a_check_that_all_trips_make():
    head = "z1: f64[n] = zeros(n, dtype='f64')\n"
    body = TRIP.format(
        made="zeros(m, dtype='f64')", fill=FILL.format(store="store"), more="", head=head,
        check="        j1: int = add(j, 1)\n        check_range(0, j1, m, axis=0)\n",
    ).replace("store(z, i, s)", "store(z1, i, s)")  # fmt: skip
    f = program(PARAMS, body)
    same(f, *CALLS)
    fine = program(PARAMS, body.replace("add(j, 1)", "add(j, 0)"))
    same(fine, *CALLS)


@pytest.mark.parametrize(
    "check",
    [
        "        check_range(0, i, m, axis=0)\n",  # of a trip
        "        q: bool = gt(a, 0.0)\n        if q:\n            check_range(0, j, m, axis=0)\n",
        "        check_range(0, j, m, axis=0)\n",  # after stores that the caller sees
    ],
)
def test_checks_that_stay(check):
    stays(trips(check=check))


# ---- what would be noticed ----
def test_a_buffer_that_is_not_cleared_is_noticed(monkeypatch):
    calls = CALLS[-3:]
    assert not differs(trips(fill="add_at"), *calls)
    monkeypatch.setattr(Lanes, "made", lambda self, s: None)
    assert differs(trips(fill="add_at"), *calls)


def test_tapes_laid_out_by_some_of_their_rows_are_noticed(monkeypatch):
    f = program(PARAMS, ROWS.format(stop="m"))
    call = (whole(7), whole(4), np.zeros(7))
    assert not differs(f, call)
    monkeypatch.setattr(tapes, "_are_alike", lambda rows, accesses, facts: True)
    assert differs(f, call)


def test_checks_of_single_trips_are_noticed(monkeypatch):
    more = "k2: int = mul(i, 3)\ncheck_range(0, k2, n, axis=1)"
    f = trips(made="zeros(m, dtype='f64')\n    check_range(0, i, m, axis=0)", more=more)
    assert not differs(f, (whole(7), whole(4), np.zeros(7)))
    always = lambda self, block, uniform: True
    monkeypatch.setattr(candidates.Candidates, "raises_alike", always)
    assert differs(f, (whole(7), whole(4), np.zeros(7)))
