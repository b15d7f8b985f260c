"""Arrays that a loop over time overwrites get a row per step, where nothing else can be seen."""

import pytest

from srcgrad.passes.time_expansion import time_expansion
from tests.passes.pass_programs import agree, count, program, vec

CALLS = [
    (vec(1, 2, 3, 4), vec(5, 6, 7, 8, 9)), (vec(1, 2), vec(5, 6, 7)), (vec(1, 2, 3), vec()),
    (vec(1), vec(1, 2)), (vec(), vec(1, 2, 3)),
]  # fmt: skip
BODY = """
u: f64[n] = copy(x)
rows: int = add(m, 4)
size: int = mul(rows, n)
saved: tape[f64] = tape(size, dtype='f64')
{first}
last: int = sub(n, {high})
wide: int = sub(last, {low})
for t in {forward}:
    start: int = {start}
{before}
    for i in range({low}, last):
        k: int = sub(i, {low})
        at: int = add(start, k)
{read}
        old: f64 = load(u, {place})
        v: f64 = mul(old, 1.5)
        store(saved, at, old)
        {store}
{late}
{after}
{between}
s: f64 = 0.0
for t1 in {backward}:
    start1: int = {start1}
{before1}
    r: f64 = s
    for i1 in {order}:
        k1: int = sub(i1, {low1})
        at1: int = add(start1, k1)
{read1}
        old1: f64 = load(saved, at1)
{mid1}
        store(u, {place1}, {restored})
        a: f64 = mul(r, 0.5)
        c: f64 = add(a, old1)
{late1}
        r = c
{after1}
    s = r
{end_}
"""
PARTS = {
    "before": 4,
    "read": 8,
    "late": 8,
    "after": 4,
    "before1": 4,
    "read1": 8,
    "late1": 8,
    "mid1": 8,
}
PARTS |= {"mid1": 8, "after1": 4, "between": 0, "first": 0, "end_": 0}


def expanded(low=0, high=0, returns="s", **parts):
    """Whether the array has rows; results are the same anyway."""
    made = {"end": "m", "low1": low, "place": "i", "place1": "i1", "store": "store(u, i, v)"}
    made |= {"start": "mul(t, wide)", "start1": "mul(t1, wide)", "restored": "old1"}
    made["order"] = f"reversed(range({low}, last))"
    made |= {name: "" for name in PARTS} | parts
    made = {"forward": f"range(0, {made['end']})", "end1": made["end"]} | made
    made = {"backward": f"reversed(range(0, {made['end1']}))"} | made
    for name, depth in PARTS.items():
        made[name] = "\n".join(" " * depth + line for line in made[name].splitlines())
    body = BODY.format(low=low, high=high, **made)
    lines = "\n".join(line for line in body.splitlines() if line.strip())
    f = program("x: f64[n], y: f64[m]", lines, f"{returns},")
    if low or high:
        calls = [c for c in CALLS if len(c[0]) > 1]  # places below the array are not tried
    else:
        calls = CALLS
    new = agree(time_expansion, f, *calls)
    return count(new, "tape") == 0


def test_every_element():
    assert expanded()
    assert expanded(low=1, high=1)
    assert expanded(order="range(0, last)")


def test_an_addition_in_place():
    assert expanded(store="add_at(u, i, v)")


def test_what_others_read_and_store():
    assert expanded(between="w: f64 = load(u, 0)\nstore(y, 0, w)\nstore(u, 0, 9.0)")
    assert expanded(end_="w: f64[n] = copy(u)", returns="s, w")


ENDS = "store(u, 0, 7.0)"
SEEN = "w{k}: f64 = load(u, 0)\nadd_at(y, t{k}, w{k})"


@pytest.mark.parametrize("part", ["before", "after", "before1", "after1"])
def test_accesses_around_the_nest(part):
    k = "1" if part.endswith("1") else ""
    for low in (0, 1):
        lines = [SEEN.format(k=k), ENDS]
        assert expanded(low, low, **{part: "\n".join(lines)})
        assert expanded(low, low, **{part: lines[0]})


READ = "p{k}: int = sub(last, 1)\nw{k}: f64 = load(u, p{k})\nadd_at(y, t{k}, w{k})"
SAME = "w{k}: f64 = load(u, i{k})\nadd_at(y, t{k}, w{k})"


@pytest.mark.parametrize("k", ["", "1"])
def test_reads_in_the_nest(k):
    for part in ("read" + k, "late" + k):
        assert not expanded(**{part: READ.format(k=k)})
    assert expanded(**{"read" + k: SAME.format(k=k)})
    assert expanded(**{"late" + k: SAME.format(k=k)}) == (k == "1")


def test_a_read_in_a_branch():
    branch = "q: bool = gt(v, 0.0)\nif q:\n    w: f64 = load(u, i)\n    add_at(y, t, w)"
    assert not expanded(late=branch)


@pytest.mark.parametrize("k", ["", "1"])
def test_other_stores_in_the_nest(k):
    assert not expanded(**{"late" + k: "store(u, 0, 7.0)"})


def test_names():
    other = "h: f64[n] = view(u, 0, n, 1, spec=('s',))"
    assert not expanded(first=other, after="store(h, 0, 2.0)")
    assert not expanded(after=f"{other}\n{SEEN.format(k='')}")
    assert expanded(first=other, between="store(h, 0, 2.0)")
    assert not expanded(returns="s, u")


def test_other_ranges():
    assert not expanded(end1="3", end="4", between="store(y, 0, 1.0)")
    assert not expanded(end="2")
    assert expanded(end="4")
    assert not expanded(order="reversed(range(1, last))")
    assert not expanded(high=9, low=1)


def test_other_places_of_the_tape():
    assert not expanded(low1=1, low=0, order="reversed(range(1, last))")
    assert not expanded(between="store(saved, 0, 4.0)")
    assert not expanded(place="k", low=1, high=1)


def test_every_trip_has_its_own_places():
    assert not expanded(start="mul(t, 0)", start1="mul(t1, 0)")
    assert not expanded(start="mul(t, n)", start1="mul(t1, n)", low=1, high=1)


def test_the_order_of_steps():
    assert not expanded(forward="reversed(range(0, m))", backward="range(0, m)")
    assert not expanded(backward="range(0, m)")
    assert not expanded(forward="reversed(range(0, m))")


def test_other_boxes():
    assert not expanded(high=1, read1="p: int = add(i1, 1)", place1="p")


def test_a_value_that_is_not_the_old_one():
    assert not expanded(late="store(u, i, 3.0)")
    assert not expanded(late1="store(u, i1, 3.0)")
    assert not expanded(mid1="b: f64 = mul(old1, 2.0)", restored="b")
    assert not expanded(restored="2.0")
    assert not expanded(mid1="b: f64 = mul(old1, 2.0)\nadd_at(y, t1, b)")


NESTED = """
u: f64[{dims}] = zeros({dims}, dtype='f64')
for a in range(0, n):
    for b in range(0, m):
        c: f64 = load(x, a)
        d: f64 = load(y, b)
        e: f64 = mul(c, d)
        store(u, {ab}, e)
size0: int = mul(n, m)
size: int = mul(size0, 3)
saved: tape[f64] = tape(size, dtype='f64')
for t in range(0, 3):
    start: int = mul(t, size0)
    for i in range(0, n):
        row: int = mul(i, m)
        first: int = add(start, row)
        for j in range(0, m):
            at: int = add(first, j)
            old: f64 = load(u, {ij})
            v: f64 = mul(old, old)
            store(saved, at, old)
            store(u, {ij}, v)
s: f64 = 0.0
for t1 in reversed(range(0, 3)):
    start1: int = mul(t1, size0)
    p: f64 = s
    for i1 in reversed(range(0, n)):
        row1: int = mul(i1, m)
        first1: int = add(start1, row1)
        q: f64 = p
        for j1 in reversed(range(0, m)):
            at1: int = add(first1, j1)
            old1: f64 = load(saved, at1)
            store(u, {ij1}, old1)
            f: f64 = mul(q, 0.5)
            g: f64 = add(f, old1)
            q = g
        p = q
    s = p
"""


def nested(dims, ab, ij, ij1):
    f = program(
        "x: f64[n], y: f64[m]", NESTED.format(dims=dims, ab=ab, ij=ij, ij1=ij1).strip("\n"), "s,"
    )
    return count(agree(time_expansion, f, *CALLS), "tape") == 0


def test_two_axes():
    assert nested("n, m", "a, b", "i, j", "i1, j1")
    assert not nested("n", "a", "i", "i1")  # several times in a step


def test_a_tape_that_is_read_first():
    """No trip has saved anything by then: what would be read is not compared."""
    body = """
u: f64[n] = copy(x)
size: int = mul(n, 3)
saved: tape[f64] = tape(size, dtype='f64')
for t1 in reversed(range(0, 3)):
    start1: int = mul(t1, n)
    for i1 in range(0, n):
        at1: int = add(start1, i1)
        old1: f64 = load(saved, at1)
        store(u, i1, old1)
        store(x, i1, old1)
for t in range(0, 3):
    start: int = mul(t, n)
    for i in range(0, n):
        at: int = add(start, i)
        old: f64 = load(u, i)
        store(saved, at, old)
        store(u, i, 2.0)
"""
    f = program("x: f64[n]", body)
    assert count(time_expansion(f), "tape") == 1
