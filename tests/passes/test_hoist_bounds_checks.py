"""Index checks: proven ones vanish, others are made once; what must raise still raises the same."""

import pytest

from srcgrad.passes.dead_code import eliminate
from srcgrad.passes.hoist_bounds_checks import hoist_bounds_checks
from srcgrad.passes.simplify import simplify
from tests.passes.pass_programs import after, agree, count, program, text, vec

X = vec(1.0, 2.0, 3.0, 4.0)
NONE = vec()


def rows(f):
    return [line for line in text(f).splitlines() if "check_range" in line or "index(" in line]


PROVEN = {
    "the axis itself": ("range(0, n)", "j: int = index(i, n, axis=0)"),
    "a stencil": (
        "range(1, last)",
        "l: int = sub(i, 1)\n    r: int = add(i, 1)\n    a: int = index(l, n, axis=0)\n"
        "    j: int = index(r, n, axis=0)",
    ),
    "downwards": ("reversed(range(0, n))", "j: int = index(i, n, axis=0)"),
    "triangular": (
        "range(0, n)",
        "for h in range(i, n):\n        e: int = sub(h, i)\n        b: int = index(h, n, axis=0)\n"
        "        v1: f64 = load(x, b)\n    for g in range(0, i):\n"
        "        d: int = index(g, n, axis=0)\n        v2: f64 = load(x, d)\n"
        "    j: int = index(i, n, axis=0)",
    ),
    "periodic": (
        "range(0, n)",
        "c: bool = eq(n, 0)\n    if c:\n        fail(kind='ZeroDivisionError', message='zero')\n"
        "    p: int = add(i, 1)\n    q: int = mod(p, n)\n    j: int = index(q, n, axis=0)",
    ),
    "guarded": (
        "range(0, 9)",
        "c: bool = lt(i, n)\n    j: int\n    if c:\n        k: int = index(i, n, axis=0)\n"
        "        j = k\n    else:\n        j = 0",
    ),
    "twice": (
        "range(0, n)",
        "h: int = index(w, n, axis=0)\n    g: int = index(h, n, axis=0)\n"
        "    j: int = index(g, n, axis=0)",
    ),
}


@pytest.mark.parametrize("name", PROVEN)
def test_a_check_that_cannot_fail_vanishes(name):
    span, body = PROVEN[name]
    f = program(
        "x: f64[n], w: int",
        f"last: int = sub(n, 1)\nfor i in {span}:\n    {body}\n    v: f64 = load(x, j)\n"
        "    u: f64 = add(v, 1.0)\n    store(x, j, u)",
    )
    new = agree(hoist_bounds_checks, f, (X, 1), (vec(7.0), 0), (NONE, 0), (X, 9), (X, -1))
    expected = {"twice": 1}.get(name, 0)
    assert count(new, "index", "check_range", "fail") == expected, text(new)


@pytest.mark.parametrize("constant", ["nan", "2j"])
def test_a_constant_that_a_loop_hands_on_may_be_any_number(constant):
    dtype = "c128" if "j" in constant else "f64"
    f = program(
        "x: f64[n], s0: " + dtype,
        f"s: {dtype} = s0\nfor i in range(0, n):\n    j: int = index(i, n, axis=0)\n"
        f"    v: f64 = load(x, j)\n    s = {dtype}({constant})",
        "s, ",
    )
    assert not rows(after(hoist_bounds_checks, f))


def test_lengths_that_become_one_are_broadcast_to_one():
    body = """
m: int = maximum(n, 0)
z: f64[m] = zeros(m, dtype='f64')
d: int = broadcast_dim(n, m)
y: f64[d] = add(x, z)
s: f64 = sum(y, axes=(0,))
"""
    new = agree(hoist_bounds_checks, program("x: f64[n]", body, "s,"), (X,), (NONE,))
    assert count(new, "maximum", "broadcast_dim") == 0


def test_a_length_that_becomes_1_leaves_the_other_one():
    body = """
k: int = minimum(1, 3)
m: int = minimum(1, n)
v: f64[m] = view(x, 0, m, 1, spec=('s',))
z: f64[k] = zeros(k, dtype='f64')
d: int = broadcast_dim(k, m)
y: f64[d] = add(z, v)
e: int = broadcast_dim(m, k)
w: f64[e] = add(y, z)
s: f64 = sum(w, axes=(0,))
"""
    new = agree(hoist_bounds_checks, program("x: f64[n]", body, "s,"), (X,), (NONE,))
    assert count(new, "minimum") == 1 and count(new, "broadcast_dim") == 0


def test_a_while_knows_its_condition():
    body = """
k: int = 0
s: f64 = 0.0
while True:
    c: bool = lt(k, n)
    d: bool = lt(s, 5.0)
    e: bool = logical_and(c, d)
    if not e: break
    j: int = index(k, n, axis=0)
    v: f64 = load(x, j)
    s1: f64 = add(s, v)
    k1: int = add(k, 1)
    k, s = k1, s1
"""
    new = agree(hoist_bounds_checks, program("x: f64[n]", body, "k, s,"), (X,), (NONE,))
    assert count(new, "index") == 0


LOOP = """
for i in {span}:
    {offset}
    j: int = index({place}, n, axis=0)
    v: f64 = load(x, j)
    u: f64 = add(v, 1.0)
    store(x, j, u)
"""
ONE = "p: int = add(i, 0)"
# (span, offset, place), whether it may move
MOVED = {
    "upwards": (("range(0, k)", ONE, "i"), True),
    "from elsewhere": (("range(2, k)", "p: int = sub(i, 1)", "p"), True),
    "by something fixed": (("range(1, k)", "p: int = add(i, n)", "p"), True),
    "downwards": (("reversed(range(0, k))", ONE, "i"), True),
    "perhaps negative": (("range(0, k)", "p: int = sub(i, 1)", "p"), False),
    "from anywhere": (("range(k, n)", ONE, "i"), False),
    "twice as fast": (("range(0, k)", "p: int = mul(i, 2)", "p"), False),
    "backwards": (("range(0, k)", "p: int = sub(9, i)", "p"), False),
}


@pytest.mark.parametrize("name", MOVED)
def test_a_check_that_may_fail_is_made_once(name):
    (span, offset, place), moves = MOVED[name]
    f = program("x: f64[n], k: int", LOOP.format(span=span, offset=offset, place=place))
    new = agree(
        hoist_bounds_checks, f, *((x, k) for x in (X, NONE, vec(1.0)) for k in range(-6, 12))
    )
    assert (count(new, "index"), count(new, "check_range")) == ((0, 1) if moves else (1, 0))


def test_a_fixed_check_is_made_before_the_loop_if_the_loop_runs():
    body = "for i in range(0, k):\n    j: int = index(w, n, axis=0)\n    add_at(x, j, 1.0)"
    f = program("x: f64[n], k: int, w: int", body)
    new = agree(
        hoist_bounds_checks, f, *((X, k, w) for k in (-1, 0, 1, 3) for w in (-5, -4, -1, 0, 3, 4))
    )
    lines = text(new).splitlines()
    (check,) = (k for k, line in enumerate(lines) if "index(w, n, axis=0)" in line)
    assert check < lines.index("for i in range(0, k):")


def test_checks_of_a_nest_move_out_of_it():
    body = """
for i in range(0, k):
    for h in range(0, w):
        a: int = index(i, n, axis=0)
        b: int = index(h, m, axis=0)
        v: f64 = load(x, a)
        add_at(y, b, v)
"""
    f = program("x: f64[n], y: f64[m], k: int, w: int", body)
    calls = [(X, vec(1.0, 2.0), k, w) for k in (-1, 0, 3, 4, 5) for w in (-1, 0, 1, 2, 3)]
    new = agree(hoist_bounds_checks, f, *[c for c in calls if c[2] < 5 or c[3] < 3])
    assert count(new, "check_range") == 2 and count(new, "index") == 0
    lines = text(after(eliminate, new)).splitlines()
    first = next(k for k, line in enumerate(lines) if line.startswith("for"))
    assert not any("check_range" in line for line in lines[first:])


def test_a_triangular_nest_checks_its_longest_row():
    body = """
for i in range(0, k):
    for h in range(0, i):
        b: int = index(h, n, axis=0)
        add_at(x, b, 1.0)
"""
    f = program("x: f64[n], k: int", body)
    new = agree(hoist_bounds_checks, f, *((X, k) for k in range(-1, 8)), (NONE, 1), (NONE, 2))
    assert rows(new) and not any(line.startswith("        ") for line in rows(new))


def test_a_triangular_nest_from_the_diagonal():
    body = """
for i in range(0, k):
    for h in range(i, w):
        b: int = index(h, n, axis=0)
        add_at(x, b, 1.0)
"""
    f = program("x: f64[n], k: int, w: int", body)
    new = agree(hoist_bounds_checks, f, *((X, k, w) for k in range(-1, 8) for w in range(-1, 8)))
    assert rows(new) and not any(line.startswith("        ") for line in rows(new))


CHECK = "j: int = index(i, n, axis=0)\n    add_at(x, j, 1.0)"
STAYS = {
    "in a branch": "if c:\n        j: int = index(i, n, axis=0)\n        add_at(x, j, 1.0)",
    "beside another error": "d: bool = eq(i, 2)\n    if d:\n"
    f"        fail(kind='ValueError', message='2')\n    {CHECK}",
    "beside a print": f"show(i, message='{{}}')\n    {CHECK}",
    "of a length that varies": "l: int = sub(n, i)\n    j: int = index(i, l, axis=0)\n"
    "    add_at(x, j, 1.0)",
}


@pytest.mark.parametrize("body", STAYS.values(), ids=STAYS)
def test_a_check_stays_where_moving_it_could_be_seen(body):
    f = program("x: f64[n], k: int, c: bool", f"for i in range(0, k):\n    {body}")
    new = agree(
        hoist_bounds_checks, f, *((X, k, c) for k in (0, 2, 4, 5, 6) for c in (True, False))
    )
    assert text(new) == text(f)


def test_a_branch_that_finds_a_place_keeps_both_of_its_values():
    body = """
for i in range(0, k):
    j: int
    if c:
        a: int = index(w, n, axis=0)
        j = a
    else:
        j = 1
    add_at(x, j, 1.0)
"""
    f = program("x: f64[n], k: int, w: int, c: bool", body)
    calls = [(X, k, w, c) for k in (0, 2) for w in (-1, 2, 7) for c in (True, False)]
    agree(hoist_bounds_checks, f, *calls)


def test_a_known_negative_index_is_a_sum_once_the_length_suffices():
    body = "h: int = index(0, n, axis=0)\nj: int = index(-1, n, axis=0)\nv: f64 = load(x, j)"
    new = agree(hoist_bounds_checks, program("x: f64[n]", body, "v,"), (X,), (NONE,))
    assert count(new, "index") == 1 and "j: int = add(n, -1)" in text(new)


def test_narrow_integers_are_left_alone():
    body = """
for i in range(0, n):
    k: i8 = cast(i, dtype='i8')
    j: int = index(k, n, axis=0)
    add_at(x, j, 1.0)
"""
    f = program("x: f64[n]", body)
    assert text(agree(hoist_bounds_checks, f, (X,))) == text(f)


def test_the_range_is_empty_when_the_loop_is():
    f = program("x: f64[n], k: int", LOOP.format(span="range(5, k)", offset=ONE, place="i"))
    agree(hoist_bounds_checks, f, (X, 3), (X, 5), (X, 6), (NONE, 5))


def test_it_simplifies_to_nothing_else():
    f = program("x: f64[n]", LOOP.format(span="range(0, n)", offset=ONE, place="i"))
    new = after(eliminate, after(simplify, after(hoist_bounds_checks, f)))
    assert text(new).splitlines()[1] == "    v: f64 = load(x, i)"


# ---- what is equal to an operand ----
PLACES = """
p: i64[n] = iota(n)
q: i64[n] = indices(p, {}, axis=0)
v: f64[n] = gather(x, q, spec=('a',))
"""


def test_places_that_count_are_not_checked():
    f = program("x: f64[n]", PLACES.format("n"), "v,")
    new = agree(hoist_bounds_checks, f, (X,), (NONE,))
    assert count(new, "indices") == 0


def test_places_are_checked_by_another_length():
    f = program("x: f64[n], k: int", PLACES.format("k"), "v,")
    new = agree(hoist_bounds_checks, f, (X, 4), (X, 3), (NONE, 0))
    assert count(new, "indices") == 1


def test_places_that_are_stored_to_are_an_array_of_their_own():
    body = PLACES.format("n").replace("v: ", "store(p, 0, 2)\nv: ")
    new = agree(hoist_bounds_checks, program("x: f64[n]", body, "v,"), (X,))
    assert count(new, "indices") == 1


def test_the_larger_of_two_is_known():
    body = """
a: int = maximum(n, 0)
b: int = maximum(-1, n)
d: int = maximum(k, 0)
t: f64[a] = zeros(a, dtype='f64')
"""
    f = program("x: f64[n], k: int", body, "a, b, d, t,")
    new = agree(hoist_bounds_checks, f, (X, 3), (NONE, -3))
    assert text(new).splitlines() == [
        "d: int = maximum(k, 0)",
        "t: f64[n] = zeros(n, dtype='f64')",
        "return (n, n, d, t,)",
    ]
