"""Loop-invariant motion: what moves, and what would be wrong to run for nothing."""

import tracemalloc

import pytest

from srcgrad.passes.hoist import hoist
from tests.passes.pass_programs import after, agree, count, program, text, vec

X = vec(1.0, 2.0, 3.0)
NONE = vec()


def in_loop(f):
    """What the outermost loop still holds, one line each."""
    lines = text(f).splitlines()
    return [line.strip() for line in lines if line.startswith("    ")]


def test_scalars_move_out_of_all_loops():
    body = """
for i in range(0, n):
    a: f64 = sin(v)
    for j in range(0, n):
        b: f64 = mul(a, 2.0)
        k: int = add(i, 1)
        w: f64 = mul(b, 3.0)
        add_at(x, j, w)
"""
    new = agree(hoist, program("x: f64[n], v: f64", body), (X, 0.5), (NONE, 0.5))
    assert in_loop(new) == ["k: int = add(i, 1)", "for j in range(0, n):", "add_at(x, j, w)"]


def test_carried_values_do_not_move():
    body = """
s: f64 = v
for i in range(0, n):
    t: f64 = sin(s)
    s = t
"""
    f = program("x: f64[n], v: f64", body, "s,")
    assert text(agree(hoist, f, (X, 0.5))) == text(f)


WHILE = """
k: int = 0
while True:
    {test}
    c: bool = lt(k, t)
    if not c: break
    {body}
    store(x, k, w)
    k1: int = add(k, 1)
    k = k1
"""


def test_scalars_move_out_of_whiles_but_not_what_may_raise():
    f = program(
        "x: f64[n], m: int, v: f64",
        WHILE.format(
            test="t: int = minimum(m, n)", body="q: int = floordiv(6, m)\n    w: f64 = sin(v)"
        ),
    )
    new = agree(hoist, f, (X, 2, 0.5), (X, 0, 0.5), (NONE, 0, 0.5))
    assert in_loop(new)[0] == "c: bool = lt(k, t)"
    assert "q: int = floordiv(6, m)" in in_loop(new) and "w: f64 = sin(v)" not in in_loop(new)


def test_a_load_moves_only_if_its_place_is_known():
    body = """
j: int = index(k, n, axis=0)
for i in range(0, m):
    a: f64 = load(x, j)
    b: f64 = load(x, k)
    c: f64 = add(a, b)
    store(y, i, c)
"""
    new = agree(hoist, program("x: f64[n], y: f64[m], k: int", body), (X, X, 1), (X, NONE, 1))
    assert in_loop(new)[0] == "b: f64 = load(x, k)"


def test_the_index_of_an_outer_loop_is_a_known_place():
    body = """
for i in range(0, n):
    for j in range(0, m):
        a: f64 = load(x, i)
        add_at(y, j, a)
"""
    new = agree(hoist, program("x: f64[n], y: f64[m]", body), (X, X), (X, NONE), (NONE, X))
    assert in_loop(new) == ["a: f64 = load(x, i)", "for j in range(0, m):", "add_at(y, j, a)"]


def test_a_constant_place_may_lie_outside_an_empty_axis():
    body = "for i in range(0, m):\n    a: f64 = load(x, 0)\n    store(y, i, a)"
    f = program("x: f64[n], y: f64[m]", body)
    assert text(agree(hoist, f, (X, X), (NONE, NONE))) == text(f)


def test_a_loop_that_surely_runs_lets_its_first_loads_go():
    body = "for i in range(0, 3):\n    a: f64 = load(x, k)\n    store(y, i, a)"
    new = agree(hoist, program("x: f64[n], y: f64[m], k: int", body), (X, X, 1))
    assert in_loop(new) == ["store(y, i, a)"]


def test_a_load_of_what_the_loop_stores_stays():
    body = """
u: f64[2] = view(x, 0, 2, 1, spec=('s',))
for i in range(0, 2):
    a: f64 = load(x, 0)
    b: f64 = add(a, 1.0)
    store(u, i, b)
"""
    f = program("x: f64[n]", body)
    assert text(agree(hoist, f, (X,))) == text(f)


def test_array_operations_move_if_no_check_comes_first():
    body = """
for i in range(0, n):
    a: f64[n] = sin(x)
    s: f64 = sum(a, axes=(0,))
    store(y, i, s)
"""
    f = program("x: f64[n], y: f64[m]", body)
    assert in_loop(agree(hoist, f, (X, X), (NONE, X))) == ["store(y, i, s)"]


STAYS = {
    "mul": "check_broadcast(n, m, split=1)\n    a: f64[n] = mul(x, y)",
    "cos": "if c:\n        a: f64[n] = cos(x)\n        add_to(x, a)",
    "sin": "a: f64[n] = sin(x)\n    store(a, i, 0.0)",
    "cholesky": "a: f64[n, n] = cholesky(one)",
}


@pytest.mark.parametrize("op", STAYS)
def test_other_array_operations_stay(op):
    body = f"one: f64[n, n] = broadcast_to(1.0, n, n)\nfor i in range(0, n):\n    {STAYS[op]}"
    f = program("x: f64[n], y: f64[m], c: bool", body)
    new = agree(hoist, f, (X, X, True), (NONE, X, True), (X, vec(1.0, 2.0), False))
    assert any(f"= {op}(" in line for line in in_loop(new))


def test_what_is_returned_from_a_loop_is_made_in_every_trip():
    body = """
p: f64[n] = x
q: f64[n] = x
for i in range(0, n):
    t: f64[n] = sin(x)
    p, q = q, t
"""
    f = program("x: f64[n]", body, "p, q,")
    assert text(agree(hoist, f, (X,))) == text(f)


def test_arrays_of_unknown_length_are_not_made_for_nothing():
    body = """
for i in range(0, n):
    t: f64[k] = zeros(k, dtype='f64')
    s: f64 = sum(t, axes=(0,))
    store(x, i, s)
"""
    f = program("x: f64[n], k: int", body)
    assert count(agree(hoist, f, (X, 2), (NONE, -1)), "zeros") == 1
    assert "t: f64[k] = zeros(k, dtype='f64')" in in_loop(agree(hoist, f))


@pytest.mark.parametrize(
    ("line", "use"),
    [
        ("t: f64[n] = sum_to(y, n)", "add_to(w, t)"),
        ("t: f64[n] = mul(x, y)", "add_to(w, t)"),
        ("t: f64[n] = mul(x, z)", "add_to(w, t)"),
        ("t: f64[n] = broadcast_to(z, n)", "add_to(w, t)"),
        ("t: f64[4] = reshape(y, 4)", "add_to(v, t)"),
        ("t: f64 = vecdot(x, z)", "add_at(w, 0, t)"),
    ],
)
def test_shapes_that_another_loop_checks_may_not_fit(line, use):
    """A reverse sweep has no checks: where the forward one had no trip, none has passed."""
    body = f"v: f64[4] = zeros(4, dtype='f64')\nfor i in range(0, k):\n    {line}\n    {use}"
    f = program("x: f64[n], y: f64[m], z: f64[7], w: f64[n], k: int", body, "v,")
    y, z = vec(1.0, 2.0), vec(1, 2, 3, 4, 5, 6, 7)
    assert text(agree(hoist, f, (X, y, z, X, 0))) == text(f)


@pytest.mark.parametrize(
    "line", ["t: f64[n] = mul(x, w)", "t: f64[n] = broadcast_to(a, n)", "t: f64[n] = mul(w, a)"]
)
def test_shapes_that_fit_by_name_let_an_operation_go(line):
    body = f"for i in range(0, k):\n    {line}\n    add_to(y, t)"
    f = program("x: f64[n], w: f64[n], y: f64[n], a: f64, k: int", body)
    new = agree(hoist, f, (X, X, vec(1, 2, 3), 0.5, 2), (X, X, X, 0.5, 0))
    assert in_loop(new) == ["add_to(y, t)"]


def test_shapes_are_compared_without_large_arrays():
    """Of eight names the stand-ins of an array have a thousand million elements."""
    dims = ", ".join("abcdefgh")
    body = f"""
x: f64[{dims}] = zeros({dims}, dtype='f64')
y: f64[{dims}] = zeros({dims}, dtype='f64')
for i in range(0, k):
    t: f64[{dims}] = mul(x, x)
    add_to(y, t)
"""
    f = program(", ".join(f"{n}: int" for n in "abcdefghk"), body)
    tracemalloc.start()
    new = after(hoist, f)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 10_000_000
    assert in_loop(new) == ["add_to(y, t)"]
