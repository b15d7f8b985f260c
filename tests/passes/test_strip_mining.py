"""Strips of trips: the same numbers, and only where no trip needs another one."""

from functools import partial

import numpy as np
import pytest

from srcgrad.ir.nodes import For
from srcgrad.ir.walk import walk
from srcgrad.passes.strips import candidates, sizes, strip_mining, tapes
from srcgrad.passes.verdicts import Independent
from tests.passes.pass_programs import after, agree, count, outcome, program, text

COUNTS = (0, 1, 2, 3, 4, 7, 11)
IN_ORDER = partial(strip_mining, in_order=True)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Strips of three trips, so that short arrays have several."""
    for name, value in (("LANES", 3), ("TILE", 2), ("FEW", 1), ("SHORT", 8)):
        monkeypatch.setattr(sizes, name, value)


def whole(*shape):
    """Small whole numbers: their sums are exact in any order."""
    k = np.arange(1, int(np.prod(shape)) + 1)
    return ((k * 7) % 5 - 2.0).reshape(shape)


def lanes(f):
    """The number of loops over lanes."""
    return sum(isinstance(s, For) and s.index.name == "lane" for s in walk(f.body))


def same(f, *calls, run=strip_mining):
    """The function in strips, having given the same."""
    new = agree(run, f, *calls)
    assert lanes(new), "no loop was rewritten"
    return new


def stays(f, run=strip_mining):
    assert text(after(run, f)) == text(f)


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
def differs(f, *every):
    new = after(strip_mining, f)
    return any(outcome(new, args) != outcome(f, args) for args in every)


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
