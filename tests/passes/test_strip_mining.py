"""Strips of trips: the same numbers, and only where no trip needs another one."""

from functools import partial

import numpy as np
import pytest

from srcgrad.ir.nodes import For
from srcgrad.ir.walk import walk
from srcgrad.passes.strips import candidates, strip_mining
from srcgrad.passes.verdicts import Independent
from tests.passes.pass_programs import count, program, text
from tests.passes.strips import COUNTS, differs, same, shorten, stays, whole

IN_ORDER = partial(strip_mining, in_order=True)


@pytest.fixture(autouse=True)
def short_strips(monkeypatch):
    shorten(monkeypatch)


# ---- what is rewritten ----
VALUES = """
for i in range(0, n):
    a: f64 = load(x, i)
    s: f64 = a
    for t in range(0, k):
        q: f64 = mul(s, s)
        s1: f64 = sub(q, a)
        s = s1
    store(x, i, s)
"""
calls = [(whole(n), k) for n in COUNTS for k in (0, 1, 5)]


def test_a_recurrence_in_each_trip():
    same(program("x: f64[n], k: int", VALUES), *calls)


def test_trips_that_run_downwards():
    down = VALUES.replace("range(0, n)", "reversed(range(0, n))")
    f = same(program("x: f64[n], k: int", down), *calls)
    assert "for strip in reversed(range(0, strips))" in text(f)


def test_bounds_of_the_trips():
    inner = VALUES.replace("range(0, n)", "range(2, m)").replace("range(0, k)", "range(k, 4)")
    f = program("x: f64[n], y: f64[m], k: int", inner)
    same(f, *((whole(9), whole(m), k) for m in (0, 1, 2, 3, 5, 8) for k in (0, 3, 4, 6)))


def test_values_that_change_places():
    f = program(
        "x: f64[n], k: int",
        """
for i in range(0, n):
    a: f64 = load(x, i)
    s: f64 = a
    u: f64 = f64(1.0)
    v: f64 = f64(2.0)
    for t in range(0, k):
        s, u, v = u, v, s
    w: f64 = sub(s, u)
    store(x, i, w)
""",
    )
    same(f, *calls)


def test_sums_products_and_extrema_of_trips():
    f = program(
        "x: f64[n], k: int",
        """
tot: f64 = f64(5.0)
prod: f64 = f64(2.0)
most: f64 = f64(-1.0)
kept: f64 = f64(3.0)
for i in range(0, n):
    a: f64 = load(x, i)
    s: f64 = a
    tot1: f64 = tot
    for t in range(0, k):
        q: f64 = mul(s, a)
        s1: f64 = sub(q, kept)
        tot2: f64 = add(tot1, s)
        s, tot1 = s1, tot2
    prod1: f64 = mul(prod, a)
    most1: f64 = maximum(most, s)
    tot, prod, most, kept = tot1, prod1, most1, kept
""",
        "tot, prod, most, kept",
    )
    same(f, *calls)
    stays(f, IN_ORDER)


def test_without_sums_the_order_of_additions_does_not_matter():
    same(program("x: f64[n], k: int", VALUES), *calls, run=IN_ORDER)


def test_what_is_the_same_in_all_trips_is_computed_once():
    f = program(
        "x: f64[n], k: int",
        """
for i in range(0, n):
    a: f64 = load(x, i)
    s: f64 = a
    time: f64 = f64(0.0)
    for t in range(0, k):
        wave: f64 = sin(time)
        s1: f64 = mul(s, wave)
        next: f64 = add(time, 0.5)
        s, time = s1, next
    store(x, i, s)
""",
    )
    new = same(f, *calls)
    assert count(new, "sin") == 2  # in the strips, and in the trips that are left
    rows = [s for s in walk(new.body) if isinstance(s, For) and s.index.name == "lane"]
    assert not any("sin" in str(getattr(t, "op", "")) for s in rows for t in walk(s.body))


def test_loops_in_the_recurrence():
    f = program(
        "x: f64[n, m], k: int",
        """
m: int = dim(x, axis=1)
for i in range(0, n):
    s: f64 = f64(1.0)
    for t in range(0, k):
        u: f64 = s
        for j in reversed(range(0, m)):
            v: f64 = load(x, i, j)
            w: f64 = mul(u, v)
            u1: f64 = sub(w, s)
            u = u1
        h: f64 = mul(u, 0.5)
        s = h
    store(x, i, 0, s)
""",
    )
    same(f, *((whole(n, m), k) for n in COUNTS for m in (1, 3) for k in (0, 1, 3)))


def test_branches_of_numbers():
    f = program(
        "x: f64[n], k: int",
        """
for i in range(0, n):
    a: f64 = load(x, i)
    s: f64 = a
    for t in range(0, k):
        c: bool = gt(s, 1.0)
        r: f64
        if c:
            u: f64 = mul(s, 0.5)
            r = u
        else:
            v: f64 = sub(a, s)
            r = v
        s = r
    d: bool = lt(s, a)
    if d:
        store(x, i, s)
""",
    )
    same(f, *calls)


# ---- while ----
def roots():
    return program(
        "x: f64[n]",
        """
for i in range(0, n):
    a: f64 = load(x, i)
    s: f64 = a
    trips: int = i64(0)
    while True:
        c: bool = gt(s, 1.0)
        if not c: break
        x1: f64 = mul(s, 0.5)
        trips1: int = add(trips, 1)
        s, trips = x1, trips1
    last: f64 = cast(trips, dtype='f64')
    r: f64 = add(s, last)
    store(x, i, r)
""",
    )


def test_lanes_of_a_while_end_one_by_one():
    same(roots(), *((10.0 ** np.arange(n),) for n in COUNTS), (np.array([1e9, 0.0, 0.0, 2.0]),))


# ---- what stays ----
OTHERS = {
    "a trip needs the one before it": """
s: f64 = f64(1.0)
for i in range(0, n):
    u: f64 = s
    for t in range(0, k):
        q: f64 = mul(u, u)
        u1: f64 = sub(q, 1.0)
        u = u1
    store(x, i, u)
    s = u
""",
    "a trip reads what another one stores": """
for i in range(1, n):
    j: int = sub(i, 1)
    a: f64 = load(x, j)
    s: f64 = a
    for t in range(0, k):
        q: f64 = mul(s, s)
        s1: f64 = sub(q, a)
        s = s1
    store(x, i, s)
""",
    "a trip may raise": """
for i in range(0, n):
    a: f64 = load(x, i)
    j: int = index(k, n, axis=0)
    s: f64 = a
    for t in range(0, k):
        q: f64 = mul(s, s)
        s1: f64 = sub(q, a)
        s = s1
    store(x, i, s)
""",
    "loops of other lengths in other trips": VALUES.replace("range(0, k)", "range(0, i)"),
    "no recurrence": """
for i in range(0, n):
    a: f64 = load(x, i)
    s: f64 = f64(0.0)
    for t in range(0, k):
        s1: f64 = add(s, a)
        s = s1
    store(x, i, s)
""",
    "a short recurrence": VALUES.replace("range(0, k)", "range(0, 2)"),
    "a function without a vector form": VALUES.replace("mul(s, s)", "arctan(s)"),
}  # fmt: skip


@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS)
def test_loops_that_stay(body):
    stays(program("x: f64[n], k: int", body))


def test_a_loop_is_rewritten_once():
    body = "for j in range(0, 2):" + VALUES.replace("\n", "\n    ")
    f = same(program("x: f64[n], k: int", body), *calls)
    assert text(f).count("for strip in") == 1


# ---- what would be noticed ----
def test_a_proof_that_is_too_weak_is_noticed(monkeypatch):
    monkeypatch.setattr(
        candidates.Dependence, "of", lambda self, s: Independent((None,) * len(s.params))
    )
    f = program("x: f64[n], k: int", OTHERS["a trip reads what another one stores"])
    assert differs(f, *calls)


def test_sums_that_are_no_single_statement_are_not_taken_apart(monkeypatch):
    """Each trip loads a neighbour's sum, waits for its recurrence, and stores the sum."""
    f = program(
        "x: f64[n], y: f64[m], k: int",
        """
for i in range(1, n):
    a: f64 = load(x, i)
    j: int = floordiv(i, 2)
    old: f64 = load(y, j)
    s: f64 = a
    for t in range(0, k):
        q: f64 = mul(s, s)
        s1: f64 = sub(q, a)
        s = s1
    new: f64 = add(old, s)
    store(y, j, new)
""",
    )
    stays(f)
    monkeypatch.setattr(candidates.Candidates, "may_interleave", lambda self, s, found: True)
    assert differs(f, *((whole(n), whole(n), 3) for n in COUNTS))
