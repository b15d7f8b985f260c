"""Dead code: what goes, and above all what stays."""

import pytest

from srcgrad.passes.dead_code import eliminate
from tests.passes.pass_programs import after, agree, count, program, text, vec

X = vec(1.0, 2.0, 3.0)


def test_unread_scalars_and_arrays_go():
    f = program("x: f64[n]", "t: f64[n] = sin(x)\nu: f64 = sum(t, axes=(0,))")
    assert text(agree(eliminate, f, (X,))) == "return ()"


def test_a_store_into_a_buffer_that_nobody_reads_goes():
    f = program(
        "x: f64[n], v: f64", "t: f64[n] = copy(x)\nstore(t, 0, v)\nw: f64 = load(x, 0)", "w,"
    )
    assert count(agree(eliminate, f, (X, 5.0)), "copy", "store") == 0


def test_a_store_after_the_last_read_goes():
    body = "t: f64[n] = copy(x)\nstore(t, 0, v)\nw: f64 = load(t, 0)\nstore(t, 1, v)"
    new = agree(eliminate, program("x: f64[n], v: f64", body, "w,"), (X, 5.0))
    assert count(new, "store") == 1


def test_a_store_through_a_view_is_alive():
    body = """
t: f64[n] = copy(x)
u: f64[2] = view(t, 1, 2, 1, spec=('s',))
store(u, 0, v)
w: f64 = load(t, 1)
"""
    new = agree(eliminate, program("x: f64[n], v: f64", body, "w,"), (X, 5.0))
    assert count(new, "store", "view", "copy") == 3


def test_stores_to_parameters_are_alive():
    body = "u: f64[n] = view(x, spec=(':',))\nstore(u, 0, v)\nadd_to(x, 1.0)"
    new = agree(eliminate, program("x: f64[n], v: f64", body), (X, 5.0))
    assert count(new, "store", "view", "add_to") == 3


def test_stores_to_what_is_returned_are_alive():
    body = "t: f64[n] = copy(x)\nstore(t, 0, v)"
    assert count(agree(eliminate, program("x: f64[n], v: f64", body, "t,"), (X, 5.0)), "store") == 1


def test_a_store_that_the_next_trip_reads_is_alive():
    body = """
t: f64[n] = copy(x)
s: f64 = 0.0
for i in range(0, n):
    w: f64 = load(t, 0)
    s1: f64 = add(s, w)
    store(t, 0, s1)
    s = s1
"""
    new = agree(eliminate, program("x: f64[n]", body, "s,"), (X,), (vec(),))
    assert count(new, "store") == 1


CHECKS = {
    "index": "j: int = index(7, n, axis=0)",
    "division": "q: int = floordiv(k, k)",
    "fail": "c: bool = lt(k, 1)\nif c:\n    fail(k, kind='ValueError', message='k is {}')",
    "print": "show(k, message='{}')",
    "nested": "for i in range(0, n):\n    j: int = index(k, i, axis=0)",
}


@pytest.mark.parametrize("body", CHECKS.values(), ids=CHECKS)
def test_what_may_raise_or_print_stays(body):
    f = program("x: f64[n], k: int", body)
    assert text(agree(eliminate, f, (X, 0), (X, 1))) == text(f)


def test_a_division_by_a_known_number_goes():
    assert text(after(eliminate, program("k: int", "q: int = floordiv(k, 2)"))) == "return ()"


def test_carried_values_that_nobody_reads_go():
    body = """
s: f64 = 0.0
t: f64 = 1.0
for i in range(0, n):
    v: f64 = load(x, i)
    s1: f64 = add(s, v)
    t1: f64 = mul(t, v)
    s, t = s1, t1
"""
    new = agree(eliminate, program("x: f64[n]", body, "s,"), (X,), (vec(),))
    assert count(new, "mul") == 0
    assert "t" not in text(new).split()


def test_branch_results_that_nobody_reads_go():
    body = """
a: f64
b: f64
if c:
    p: f64 = mul(v, 2.0)
    a, b = p, v
else:
    q: f64 = sin(v)
    a, b = v, q
"""
    new = agree(eliminate, program("c: bool, v: f64", body, "a,"), (True, 2.0), (False, 2.0))
    assert count(new, "sin") == 0 and count(new, "mul") == 1


LOOPS = {
    "for": "s: f64 = 0.0\nfor i in range(0, n):\n    s1: f64 = add(s, 1.0)\n    s = s1",
    "while": "k: int = 0\nwhile True:\n    c: bool = lt(k, n)\n    if not c: break\n"
    "    k1: int = add(k, 1)\n    k = k1",
    "if": "if c:\n    s: f64 = sum(x, axes=(0,))",
}


@pytest.mark.parametrize("body", LOOPS.values(), ids=LOOPS)
def test_statements_without_live_contents_go(body):
    assert text(after(eliminate, program("x: f64[n], c: bool", body))) == "return ()"


def test_a_loop_of_stores_keeps_its_trips_and_conditions():
    body = """
k: int = 0
while True:
    c: bool = lt(k, n)
    if not c: break
    store(x, k, 0.0)
    k1: int = add(k, 1)
    k = k1
"""
    f = program("x: f64[n]", body)
    assert text(agree(eliminate, f, (X,), (vec(),))) == text(f)


def test_stores_through_carried_references_are_alive():
    body = """
a: f64[n] = copy(x)
b: f64[n] = copy(x)
p: f64[n] = a
q: f64[n] = b
for i in range(0, n):
    store(p, i, 9.0)
    p, q = q, p
w: f64[n] = add(a, b)
"""
    new = agree(eliminate, program("x: f64[n]", body, "w,"), (X,), (vec(),))
    assert count(new, "store") == 1


def test_the_lengths_of_live_arrays_are_alive():
    body = "k1: int = add(k, 1)\nt: f64[k1] = zeros(k1, dtype='f64')"
    f = program("k: int", body, "t,")
    assert text(agree(eliminate, f, (3,))) == text(f)
