"""Arrays that trips save whole get a row per step, where nothing else can be seen."""

import pytest

from srcgrad.passes.time_expansion import time_expansion
from tests.passes.pass_programs import agree, count, program, vec

CALLS = [
    (vec(1, 2, 3, 4), vec(5, 6, 7, 8, 9)), (vec(1, 2, 3), vec(5, 6)), (vec(1, 2, 3), vec()),
    (vec(1, 2, 3, 4, 5), vec(1)),
]  # fmt: skip
BODY = """
u: f64[n] = copy(x)
wide: int = sub(n, 2)
inner: f64[wide] = view(u, 1, wide, 1, spec=('s',))
left: f64[wide] = view(u, 0, wide, 1, spec=('s',))
size: int = mul(m, n)
saved: tape[f64] = tape(size, dtype='f64')
{first}
for t in {forward}:
{before}
    old: {type} = copy({name})
    start: int = {start}
    row: {type} = tape_view(saved, start, {length})
    assign(row, old)
{read}
    q: f64[wide] = add({operand}, inner)
    q1: f64[wide] = mul(q, 0.25)
    {store}
{after}
{between}
s: f64 = 0.0
for t1 in {backward}:
{before1}
    start1: int = {start1}
    old1: {type} = tape_view(saved, start1, {length1})
    {restore}
    p: f64[wide] = mul({operand1}, inner)
    c: f64 = sum(p, axes=(0,))
    h: f64 = mul(s, 0.5)
    d: f64 = add(h, c)
{after1}
    s = d
{end_}
"""
WHOLE = {"type": "f64[n]", "name": "u", "length": "n"}
INNER = {"type": "f64[wide]", "name": "inner", "length": "wide"}
DEPTH = {"before": 4, "read": 4, "after": 4, "before1": 4, "after1": 4}
DEPTH |= {"first": 0, "between": 0, "end_": 0}


def expanded(kind=INNER, returns="s", **parts):
    """Whether the array has rows; results are the same anyway."""
    made = {name: "" for name in DEPTH} | {"end": "m", "operand": "left", "operand1": "left"}
    made |= {"store": "assign(inner, q1)", "restore": f"assign({kind['name']}, old1)"} | kind
    made |= {"start": f"mul(t, {kind['length']})", "start1": f"mul(t1, {kind['length']})"}
    made |= {"length1": kind["length"]} | parts
    made = {"forward": f"range(0, {made['end']})", "end1": made["end"]} | made
    made = {"backward": f"reversed(range(0, {made['end1']}))"} | made
    for name, depth in DEPTH.items():
        made[name] = "\n".join(" " * depth + line for line in made[name].splitlines())
    lines = "\n".join(line for line in BODY.format(**made).splitlines() if line.strip())
    f = program("x: f64[n], y: f64[m]", lines, f"{returns},")
    return count(agree(time_expansion, f, *CALLS), "tape") == 0


@pytest.mark.parametrize("kind", [WHOLE, INNER])
def test_what_is_restored(kind):
    assert expanded(kind)
    assert expanded(kind, store="add_to(inner, q1)")
    assert expanded(kind, store="store(u, 0, 3.0)")  # all of the row is copied first
    assert expanded(kind, store="add_to(inner, 0.5)")
    assert expanded(kind, between="store(u, 0, 3.0)\nstore(u, 1, 2.0)")
    assert expanded(kind, end_="w: f64[n] = copy(u)", returns="s, w")


PART = "part: f64[wide] = view(old1, 1, wide, 1, spec=('s',))"


def test_what_is_only_read():
    part = {"restore": PART, "operand1": "part"}
    of_copy = "left1: f64[wide] = view(old, 0, wide, 1, spec=('s',))"
    assert expanded(WHOLE, **part)
    assert expanded(WHOLE, **part, read=of_copy, operand="left1")
    assert expanded(WHOLE, **part, after1="w: f64 = load(u, 0)\nadd_at(y, t1, w)")
    assert expanded(WHOLE, **part, after1="store(u, 0, 7.0)")
    assert expanded(INNER, restore="", operand1="old1")
    assert expanded(INNER, restore="", operand1="old1", operand="old")


SEEN = "w{k}: f64 = load(u, 0)\nadd_at(y, t{k}, w{k})"


@pytest.mark.parametrize("kind", [WHOLE, INNER])
@pytest.mark.parametrize("part", ["before", "after", "before1", "after1"])
def test_accesses_around_the_step(kind, part):
    k = "1" if part.endswith("1") else ""
    seen = SEEN.format(k=k)
    assert expanded(kind, **{part: seen})
    assert expanded(kind, **{part: f"{seen}\nstore(u, 0, 7.0)"})
    assert expanded(kind, **{part: "store(u, 1, 7.0)"})


def test_views_that_a_trip_makes():
    view = "h{k}: f64[wide] = view(u, 2, wide, 1, spec=('s',))"
    use = "w{k}: f64 = sum(h{k}, axes=(0,))\nadd_at(y, t{k}, w{k})"
    for part, k in (("before", ""), ("after", ""), ("before1", "1"), ("after1", "1")):
        assert expanded(**{part: f"{view}\n{use}".format(k=k)})
    nested = "for j in range(0, 2):\n    h: f64[wide] = view(u, j, wide, 1, spec=('s',))\n"
    nested += "    w: f64 = sum(h, axes=(0,))\n    add_at(y, t, w)"
    assert expanded(after=nested)
    assert expanded(before=view.format(k=""), after=use.format(k=""))


def test_a_view_from_before_the_step_reads_after_it():
    assert expanded(before="h: f64[n] = view(u, 0, n, 1, spec=('s',))", after="store(h, 1, 7.0)")


def test_what_else_reads_the_saved_row():
    use = "k1: f64 = sum(old1, axes=(0,))\nadd_at(y, t1, k1)"
    assert expanded(WHOLE, after1=use)
    assert expanded(INNER, after1=use)
    assert not expanded(INNER, after1=f"store(u, 1, 7.0)\n{use}")


def test_several_saves_of_a_trip():
    again = """
old2: f64[n] = copy(u)
from2: int = mul(t, n)
row2: f64[n] = tape_view(other, from2, n)
assign(row2, old2)
{store}
"""
    back = """
from3: int = mul(t1, n)
old3: f64[n] = tape_view(other, from3, n)
{restore}
"""
    first = "other: tape[f64] = tape(size, dtype='f64')"
    for kind in (WHOLE, INNER):
        for store in ("assign(left, q1)", "store(u, 0, 7.0)"):
            parts = {"first": first, "after": again.format(store=store)}
            assert expanded(kind, **parts, before1=back.format(restore="assign(u, old3)"))
            assert not expanded(kind, **parts, after1=back.format(restore="assign(u, old3)"))
            use = "w: f64 = sum(old3, axes=(0,))\nadd_at(y, t1, w)"
            assert not expanded(kind, **parts, before1=back.format(restore=use))
            rest = {"restore": "", "operand1": "left"}
            assert expanded(kind, **(parts | rest), before1=back.format(restore=use))
    assert not expanded(first=first, after=again.format(store=""), before1=back.format(restore=""))


def test_a_copy_that_changes():
    assert not expanded(read="store(old, 0, 7.0)")


def test_other_stores_to_the_tape():
    assert not expanded(between="store(saved, 0, 4.0)")
    assert not expanded(read="store(row, 0, 4.0)")
    assert not expanded(after1="store(old1, 0, 4.0)\nw: f64 = load(saved, 0)\nadd_at(y, t1, w)")


def test_other_places_of_the_tape():
    assert not expanded(start="mul(t, 0)", start1="mul(t1, 0)")
    assert not expanded(start="mul(t, n)", start1="mul(t1, n)")
    assert not expanded(start1="mul(t1, 0)")


def test_other_ranges():
    assert not expanded(end="2")
    assert not expanded(end="4", end1="3", between="store(y, 0, 1.0)")
    assert not expanded(forward="reversed(range(0, m))", backward="range(0, m)")
    assert not expanded(backward="range(0, m)")


def test_nothing_is_stored_after_saving():
    assert not expanded(store="", before="assign(inner, 2.0)")


def test_other_names():
    assert not expanded(returns="s, u")


def test_an_array_that_each_trip_makes_has_no_rows():
    f = program(
        "x: f64[n], m: int",
        """
size: int = mul(m, n)
saved: tape[f64] = tape(size, dtype='f64')
for t in range(0, m):
    u: f64[n] = mul(x, 2.0)
    old: f64[n] = copy(u)
    start: int = mul(t, n)
    row: f64[n] = tape_view(saved, start, n)
    assign(row, old)
    w: f64[n] = mul(u, u)
    assign(u, w)
    add_to(x, u)
s: f64 = 0.0
for t1 in reversed(range(0, m)):
    start1: int = mul(t1, n)
    old1: f64[n] = tape_view(saved, start1, n)
    c: f64 = sum(old1, axes=(0,))
    d: f64 = add(s, c)
    s = d
""",
        "s,",
    )
    new = agree(time_expansion, f, (vec(0.25, 0.5, 1.0), 3), (vec(0.5), 0))
    assert count(new, "tape") == 1
