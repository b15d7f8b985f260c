"""Zeros are not stored where what adds to them may store, and nowhere else."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.passes import gather_additions, known_zeros
from srcgrad.passes.pipeline import without
from tests.passes.pass_programs import after, agree, count, program, text, vec
from tests.passes.with_and_without import anew

module, known_zeros = known_zeros, known_zeros.known_zeros
gather_additions = gather_additions.gather_additions
CALLS = [
    (vec(1, 2, 3, 4, 5, 6), vec(5, 6, 7)), (vec(1, 2, 3, 4), vec()), (vec(1, 2, 3), vec(7)),
    (vec(1, 2), vec(4, 5)), (vec(1), vec(1, 2)), (vec(), vec(1)),
]  # fmt: skip
FIRST = "u: f64[n] = zeros(n, dtype='f64')\n"
ADDS = """
for i in range(0, n):
    a: f64 = load(x, i)
    b: f64 = mul(a, s)
    add_at(u, i, b)
"""
READS = """
for j in range(0, n):
    c: f64 = load(u, j)
    add_at(x, j, c)
"""
ZEROS = """
for k in range(0, n):
    store(u, k, 0.0)
"""


def changed(*parts, params="x: f64[n], y: f64[m]", first="", last="", count_of="add_at"):
    """How many additions have become stores; the results are the same."""
    body = "\n".join("    " + line for p in parts for line in p.strip("\n").splitlines())
    lines = [first or "u: f64[n] = zeros(n, dtype='f64')", "for t in range(0, m):"]
    lines += ["    s: f64 = load(y, t)", body, last or "w: f64[n] = copy(u)"]
    f = program(params, "\n".join(lines), "w," if not last else "")
    new = agree(known_zeros, f, *CALLS)
    if new is not f and count(new, count_of) == count(f, count_of):
        assert text(new) == text(f)
    return count(f, count_of) - count(new, count_of)


def test_from_trip_to_trip():
    assert changed(ADDS, READS, ZEROS) == 1
    assert changed(READS, ADDS, ZEROS) == 0  # what is read has to be zero
    assert changed(ADDS, ADDS, READS, ZEROS) == 1
    assert changed(ADDS, READS) == 0
    assert changed(ADDS, READS, ZEROS, "r: f64 = load(u, t)\nadd_at(y, t, r)") == 0
    assert changed(ADDS, READS, ZEROS, "add_at(u, t, 1.0)") == 0


def test_within_a_trip():
    assert changed(ZEROS, ADDS, READS) == 1
    assert changed(ZEROS, READS, ADDS) == 0
    assert changed(ZEROS, "store(u, t, 1.0)", ADDS, READS) == 0


def test_what_is_not_zero_before_the_first_trip():
    assert changed(ADDS, READS, ZEROS, first="u: f64[n] = copy(x)") == 0
    assert changed(ADDS, READS, ZEROS, first="u: f64[n] = copy(x)\n" + ZEROS.strip()) == 1
    first = "u: f64[n] = zeros(n, dtype='f64')\nadd_to(u, x)"
    assert changed(ADDS, READS, ZEROS, first=first) == 0


def test_other_numbers():
    assert changed(ADDS, READS, ZEROS.replace("0.0", "1.0")) == 0
    assert changed(ADDS, READS, ZEROS.replace("0.0", "-0.0")) == 0


def test_a_sum_that_begins_with_zero():
    adds = ADDS.replace("mul(a, s)", "mul(a, -0.0)")
    assert changed(adds, READS, ZEROS) == 1


@pytest.mark.parametrize(("low", "high"), [(0, "e"), (1, "n"), (1, "e")])
def test_a_loop_over_more_than_the_zeros_is_split(low, high):
    e = "e: int = sub(n, 1)"
    zeros = ZEROS.replace("0, n", f"{low}, {high}")
    assert changed(e, ADDS, READS, zeros) == -1
    assert changed(e, ADDS.replace("0, n", "0, e"), READS, zeros) == (high == "e" and not low)
    sums = """
for i in range(0, n):
    a: f64 = load(x, i)
    b: f64 = load(u, i)
    d: f64 = add({})
    store(u, i, d)
"""
    for args in ("a, b", "b, a"):
        assert changed(e, sums.format(args), READS, zeros, count_of="load") == -3
    assert changed(e, sums.format("b, b"), READS, zeros, count_of="load") == 0
    other = sums.format("a, b") + "    add_at(x, i, b)\n"
    assert changed(e, other, READS, zeros, count_of="load") == 0
    other = sums.format("a, b").replace("u, i)", "u, 0)")
    assert changed(e, other, READS, zeros, count_of="load") == 0


@pytest.mark.parametrize("over", ["range(0, n)", "reversed(range(0, n))"])
def test_the_parts_of_a_loop_run_in_its_order(over):
    adds = f"""
for i in {over}:
    a: f64 = load(x, i)
    add_at(u, i, a)
    b: f64 = load(v, 0)
    d: f64 = mul(b, 0.5)
    h: f64 = add(d, a)
    store(v, 0, h)
"""
    first = f"{FIRST}v: f64[n] = copy(x)\ne: int = sub(n, 1)"
    parts = "q: f64 = load(v, 0)\nadd_at(y, t, q)", READS, ZEROS.replace("0, n", "1, e")
    assert changed(adds, *parts, first=first) == -1


def test_a_view_inside_a_loop(monkeypatch):
    adds = """
for l in range(0, n):
    h: f64[n] = view(u, 0, n, 1, spec=('s',))
    z: f64 = load(x, l)
    add_at(h, l, z)
"""
    some = ZEROS.replace("k", "k1").replace("0, n", "1, e")
    first = f"{FIRST}e: int = sub(n, 1)"
    assert changed(some, adds, ADDS, READS, ZEROS, first=first) == 0
    monkeypatch.setattr(module, "is_reference", lambda type: False)
    with pytest.raises(AssertionError):
        changed(some, adds, ADDS, READS, ZEROS, first=first)


def test_values_that_the_loop_of_zeros_carries():
    zeros = f"r: f64 = s{ZEROS}    r1: f64 = add(r, 2.0)\n    r = r1\nadd_at(y, t, r)"
    assert changed(ADDS, READS, zeros) == 0
    assert changed(zeros, ADDS, READS) == 0


def test_a_sum_whose_old_element_a_branch_reads():
    sums = """
for i in range(0, n):
    a: f64 = load(x, i)
    b: f64 = load(u, i)
    c: f64 = add(a, b)
    q: bool = gt(a, 2.5)
    if q:
        add_at(y, t, b)
    store(u, i, c)
"""
    assert changed(sums, READS, ZEROS, count_of="load") == 0


def test_what_is_stored_anyway():
    stores = ADDS.replace("add_at", "store")
    assert changed(ZEROS, stores, READS, count_of="store") == 1
    assert changed(ZEROS, READS, stores, count_of="store") == 0


def test_a_part_of_the_buffer():
    e = "e: int = sub(n, 1)"
    part = "0, n", "1, e"
    assert changed(e, ADDS.replace(*part), READS, ZEROS.replace(*part)) == 1
    late = "e: int = load(places, t)", "places: i64[n] = cast(x, dtype='i64')"
    assert (
        changed(late[0], ADDS.replace(*part), READS, ZEROS.replace(*part), first=FIRST + late[1])
        == 0
    )
    first = FIRST + e
    assert changed(ADDS.replace(*part), READS, ZEROS.replace(*part), first=first) == 1


TILES = """
more: bool = ge(n, 3)
if more:
    {one}
    for i in range({low}, e):
        a: f64 = load(x, i)
        add_at(u, i, a)
    {other}
else:
    for i1 in range(0, n):
        a1: f64 = load(x, i1)
        add_at(u, i1, a1)
        add_at(u, i1, s)
"""


def tiles(one, other, low=1, bound=3):
    first = "u: f64[n] = zeros(n, dtype='f64')\ne: int = sub(n, 1)"
    parts = TILES.format(one=one, other=other, low=low).replace("ge(n, 3)", f"ge(n, {bound})")
    return changed(parts, READS, ZEROS, first=first)


def test_pieces():
    assert tiles("add_at(u, 0, s)", "add_at(u, e, s)") == 3
    assert (
        tiles("add_at(u, 0, s)\n    add_at(u, 0, s)", "add_at(u, e, s)\n    add_at(u, 0, s)") == 3
    )
    assert tiles("add_at(u, 0, s)", "add_at(u, e, s)", bound=2) == 3
    assert tiles("add_at(u, 0, s)", "add_at(u, 0, s)") == 0  # one is left
    assert tiles("add_at(u, 0, s)", "add_at(u, 1, s)") == 0
    assert tiles("add_at(u, e, s)", "add_at(u, 0, s)") == 3
    assert tiles("add_at(u, 0, s)", "add_at(u, e, s)", low=0) == 0  # one is met twice
    assert tiles("add_at(u, 0, s)", "add_at(u, e, s)", bound=1) == 0  # there may be one element


def test_a_branch_without_additions():
    branch = "q: bool = gt(s, 5.5)\nif q:\n" + "".join(
        f"    {x}\n" for x in ADDS.strip().split("\n")
    )
    assert changed(branch, READS, ZEROS) == 1
    assert changed(branch + "else:\n    add_at(y, t, 2.0)", READS, ZEROS) == 1
    assert changed(branch + "else:\n    add_at(u, t, 2.0)", READS, ZEROS) == 1


def test_zeros_in_branches():
    lines = "".join(f"    {x}\n" for x in ZEROS.strip().split("\n"))
    both = "q: bool = gt(s, 5.5)\nif q:\n" + lines + "else:\n" + lines.replace("k", "k1")
    assert changed(both, ADDS, READS) == 1
    assert changed(ADDS, READS, both) == 1
    one = both.replace("k1, 0.0", "k1, 1.0")
    assert changed(one, ADDS, READS) == 0
    assert changed(ADDS, READS, one) == 0


ONE_STAYS = """
u: f64[n] = zeros(n, dtype='f64')
for t in range(0, m):
    s: f64 = load(y, t)
    q: bool = gt(s, 5.5)
    if q:
        for k in range(0, n):
            store(u, k, 0.0)
    else:
        for k1 in range(0, n):
            a: f64 = load(x, k1)
            add_at(x, k1, a)
            store(u, k1, 0.0)
add_at(u, 0, 2.0)
"""


def test_zeros_that_stay_in_one_branch():
    agree(known_zeros, program("x: f64[n], y: f64[m]", ONE_STAYS, "u,"), *CALLS)


def test_a_read_in_the_loop_that_adds():
    adds = ADDS.replace("mul(a, s)", "mul(a, d)").replace(
        "    b:", "    d: f64 = load(u, {})\n    b:"
    )
    for place in ("i", "0", "t"):
        assert changed(adds.format(place), READS, ZEROS) == 0


def test_each_element_once():
    assert changed(ADDS.replace("u, i", "u, t"), READS, ZEROS) == 0
    twice = ADDS + "    add_at(u, i, s)\n"
    assert changed(twice, READS, ZEROS) == 0
    two = "for l in range(0, 2):\n" + "".join(f"    {x}\n" for x in ADDS.strip().split("\n"))
    assert changed(two, READS, ZEROS) == 0


def test_other_names():
    first = "u: f64[n] = zeros(n, dtype='f64')\nh: f64[n] = view(u, 0, n, 1, spec=('s',))"
    assert changed(ADDS.replace("(u", "(h"), READS, ZEROS, first=first) == 1
    assert changed(ADDS, READS, ZEROS, "r: f64 = load(h, t)\nadd_at(y, t, r)", first=first) == 0
    assert changed(ADDS, "add_at(h, t, 2.0)", READS, ZEROS, first=first) == 1
    assert changed("add_at(h, t, 2.0)", ADDS, READS, ZEROS, first=first) == 0


def test_what_the_caller_sees():
    loops = ADDS.replace("mul(a, s)", "mul(a, 2.0)").replace("(u", "(z"), ZEROS.replace("(u", "(z")
    f = program("x: f64[n], y: f64[m], z: f64[n]", "".join(reversed(loops)))
    assert known_zeros(f) is f


STENCIL = """
u: f64[n] = zeros(n, dtype='f64')
v: f64[n] = zeros(n, dtype='f64')
e: int = sub(n, 1)
for l in range(0, n):
    x0: f64 = load(x, l)
    add_at(u, l, x0)
for t in range(0, m):
    for i in range(1, e):
        g: f64 = load(u, i)
        below: int = sub(i, 1)
        above: int = add(i, 1)
        h: f64 = mul(g, 0.5)
        add_at(v, below, h)
        add_at(v, i, g)
        add_at(v, above, h)
        store(u, i, 0.0)
    for j in range(1, e):
        g1: f64 = load(v, j)
        below1: int = sub(j, 1)
        above1: int = add(j, 1)
        h1: f64 = mul(g1, 0.25)
        add_at(u, below1, h1)
        add_at(u, j, g1)
        add_at(u, above1, h1)
        store(v, j, 0.0)
w: f64[n] = copy(u)
w1: f64[n] = copy(v)
"""


def test_two_steps_of_a_stencil():
    f = after(gather_additions, program("x: f64[n], y: f64[m]", STENCIL, "w, w1"))
    new = agree(known_zeros, f, *CALLS[:4])
    assert count(f, "add_at") - count(new, "add_at") == 7  # and once before the trips


def test_each_dtype():
    """The zeros of complex numbers have signs in two parts: their additions stay."""
    body = FIRST + "for t in range(0, m):\n" + "".join(
        "    " + line + "\n"
        for part in ("s: f64 = load(y, t)", ADDS, READS, ZEROS)
        for line in part.strip("\n").splitlines()
    )  # fmt: skip
    for dtype, stores in (("f64", 1), ("f32", 1), ("c128", 0)):
        mine = body.replace("f64", dtype).replace("u, k, 0.0", f"u, k, {dtype}(0.0)")
        f = program(f"x: {dtype}[n], y: {dtype}[m]", mine, "u,")
        kind = {"f64": float, "f32": "float32", "c128": complex}[dtype]
        calls = [tuple(a.astype(kind) for a in args) for args in CALLS]
        new = agree(known_zeros, f, *calls)
        assert count(f, "add_at") - count(new, "add_at") == stores


def smoothed(z, steps):
    """Complex numbers, whose adjoint is zeroed from step to step."""
    z = z.copy()
    for _ in range(steps):
        new = np.zeros(len(z), z.dtype)
        new[1:-1] = z[1:-1] + 0.2 * (z[2:] - 2.0 * z[1:-1] + z[:-2])
        z = new
    return np.sum(z.real**2 + z.imag)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_machine_code_of_each_dtype(dtype):
    z = np.linspace(0.0, 1.0, 9).astype(dtype) * (1 + 2j if dtype == "complex128" else 1)
    found = [flow.grad(anew(smoothed))(z, 4)]
    with without("known_zeros"):
        found.append(flow.grad(anew(smoothed))(z, 4))
    np.testing.assert_array_equal(*found)
