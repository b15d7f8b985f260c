"""Strips of trips that touch arrays at a distance, or tapes: tiles and layouts."""

import numpy as np
import pytest

from srcgrad.passes.strips import candidates, tapes
from tests.passes.pass_programs import program, text
from tests.passes.strips import COUNTS, differs, same, shorten, stays, whole


@pytest.fixture(autouse=True)
def short_strips(monkeypatch):
    shorten(monkeypatch)


# ---- memory that lanes touch at a distance ----
ROWS = "x: f64[n, m], y: f64[n, m]"


def rows(body, *, down=False):
    order = "reversed(range(0, m))" if down else "range(0, m)"
    return program(
        f"{ROWS}, out: f64[n]",
        f"""
m: int = dim(x, axis=1)
for i in range(0, n):
    s: f64 = f64(1.0)
    for t in {order}:
        v: f64 = load(x, i, t)
        p: f64 = mul(s, v)
        s1: f64 = sub(p, v)
        {body}
        s = s1
    store(out, i, s)
""",
    )


def of_rows(*more):
    sizes_ = [(n, m) for n in (2, 3, 7) for m in (1, 2, 3, 5)]
    return [(whole(n, m), whole(n, m), np.zeros(n), *more) for n, m in sizes_]


@pytest.mark.parametrize("down", [False, True])
@pytest.mark.parametrize("body", ["store(y, i, t, s)", "add_at(y, i, t, s)"])
def test_rows_pass_through_tiles(body, down):
    f = rows(body, down=down)
    f = same(f, *of_rows())
    assert text(f).count("empty(2, 3") == 2


def test_an_array_that_is_read_and_stored_to_has_no_tile():
    f = same(
        rows("store(y, i, t, s)\n        w: f64 = load(y, i, 0)\n        store(x, i, 0, w)"),
        *of_rows(),
    )
    assert "empty(2, 3" not in text(f)


def test_a_store_under_a_condition_has_no_tile():
    body = "c: bool = gt(s, 0.0)\n        if c:\n            store(y, i, 0, s)"
    stays(rows(body))  # nor is it vectorised


# ---- tapes ----
SWEEPS = """
size: int = mul(n, {row})
saved: tape[f64] = tape(size, dtype='f64')
for i in range(0, n):
    a: f64 = load(x, i)
    first: int = mul(i, {row})
    s: f64 = a
    for t in range(0, k):
        at: int = add(first, t)
        store(saved, at, s)
        q: f64 = mul(s, s)
        s1: f64 = sub(q, a)
        s = s1
    store(x, i, s)
for i1 in reversed(range(0, {stop})):
    first1: int = mul(i1, {row})
    g: f64 = f64(1.0)
    for t1 in reversed(range(0, k)):
        at1: int = add(first1, t1)
        old: f64 = load(saved, at1)
        h: f64 = mul(g, old)
        g1: f64 = sub(h, old)
        g = g1
    store(y, i1, g)
"""


def sweeps(row="k", stop="n"):
    return program("x: f64[n], y: f64[m], k: int", SWEEPS.format(row=row, stop=stop))


def test_tapes_are_laid_out_for_strips():
    every = [(whole(n), np.zeros(n), k) for n in COUNTS for k in (0, 1, 4)]
    f = same(sweeps(), *every)
    assert "empty(2, 3" not in text(f)
    assert "mul(t1, 3)" in text(f) or "mul(t2, 3)" in text(f) or ", 3)" in text(f)


@pytest.mark.parametrize(
    "f",
    [sweeps(stop="m"), sweeps(row="5")],
    ids=["loops over other ranges", "rows that are not known to be long enough"],
)
def test_tapes_that_stay_as_they_are(f):
    new = same(f, *((whole(n), np.zeros(n), k) for n in COUNTS for k in (1, 4)))
    assert "empty(2, 3" in text(new)


BRANCH = """
    b: f64 = load(x, i1)
    c: bool = gt(b, 0.0)
    if c:
        kept: f64 = load(saved, first1)
        add_at(y, i1, kept)
"""
LOOP = """
    for j in range(0, k):
        at2: int = add(first1, j)
        kept: f64 = load(saved, at2)
        add_at(y, i1, kept)
"""


@pytest.mark.parametrize("more", [BRANCH, LOOP])
def test_tapes_that_branches_and_other_loops_read(more):
    f = program("x: f64[n], y: f64[m], k: int", SWEEPS.format(row="k", stop="n") + more)
    same(f, *((whole(n), np.zeros(n), k) for n in COUNTS for k in (1, 4)))


# ---- what would be noticed ----
def test_a_tape_laid_out_for_strips_of_another_loop_is_noticed(monkeypatch):
    monkeypatch.setattr(tapes, "_are_alike", lambda rows, accesses, facts: True)
    assert differs(sweeps(stop="m"), (whole(7), np.zeros(4), 4))


def test_a_tile_for_what_the_trip_stores_to_is_noticed(monkeypatch):
    body = "store(x, i, 0, s)"
    f = same(rows(body, down=True), *of_rows())
    assert "empty(2, 3" not in text(f)
    monkeypatch.setattr(
        candidates.Uniform, "stored", property(lambda self: set(), lambda *_: None), raising=False
    )
    assert differs(rows(body, down=True), *of_rows())
