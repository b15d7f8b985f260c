"""Simplification: exact, or not done."""

import pytest

from srcgrad.passes.simplify import simplify
from tests.passes.pass_programs import agree, count, outcome, program, text, vec

X = vec(1.0, 2.0, 3.0)


def test_constants_fold_through_what_they_feed():
    body = "a: int = add(2, 3)\nb: int = mul(a, 2)\nc: bool = lt(b, 11)\nd: f64 = mul(v, 1.0)"
    assert (
        text(agree(simplify, program("v: f64", body, "b, c, d,"), (2.0,)))
        == "return (10, True, v,)"
    )


def test_adding_zero_to_a_float_stays():
    new = agree(simplify, program("v: f64", "w: f64 = add(v, 0.0)", "w,"), (-0.0,))
    assert count(new, "add") == 1


def test_an_array_operation_is_never_its_operand():
    f = program("x: f64[n]", "t: f64[n] = mul(x, 1.0)\nstore(t, 0, 5.0)", "t,")
    assert count(agree(simplify, f, (X,)), "mul") == 1


def test_what_never_changes_is_not_carried():
    body = """
a: f64 = v
b: f64 = v
k: int = 3
for i in range(0, n):
    b1: f64 = add(b, a)
    a, b, k = a, b1, 3
"""
    new = agree(simplify, program("x: f64[n], v: f64", body, "a, b, k,"), (X, 2.0), (vec(), 2.0))
    assert text(new).splitlines()[-1] == "return (v, b, 3,)"
    assert "b = b1" in text(new)


def test_nested_loops_carry_less_too():
    body = """
a: f64 = v
for i in range(0, n):
    b: f64 = a
    for j in range(0, n):
        b = b
    a = b
"""
    new = agree(simplify, program("x: f64[n], v: f64", body, "a,"), (X, 2.0))
    assert text(new).splitlines()[-1] == "return (v,)"
    assert "=" not in text(new)


def test_a_permutation_of_references_stays():
    body = """
p: f64[n] = x
q: f64[n] = z
for i in range(0, n):
    store(p, i, 9.0)
    p, q = q, p
"""
    f = program("x: f64[n], z: f64[n]", body, "p,")
    assert text(agree(simplify, f, (X, X + 1))) == text(f)


def test_equal_results_vanish_and_lengths_follow():
    body = """
r: f64[k]
k: int
w: f64
if c:
    t: f64[n] = sin(x)
    r, k, w = t, n, v
else:
    u: f64[n] = cos(x)
    r, k, w = u, n, v
z: f64[k] = mul(r, w)
"""
    new = agree(simplify, program("x: f64[n], c: bool, v: f64", body, "z,"), (X, True, 2.0))
    assert "r: f64[n]" in text(new) and "z: f64[n] = mul(r, v)" in text(new)


def test_a_known_branch_is_replaced_by_its_block():
    body = """
c: bool = lt(1, 2)
r: f64
if c:
    store(x, 0, 7.0)
    t: f64 = load(x, 0)
    r = t
else:
    fail(kind='ValueError', message='no')
    r = 0.0
"""
    new = agree(simplify, program("x: f64[n]", body, "r,"), (X,))
    assert text(new) == "store(x, 0, 7.0)\nt: f64 = load(x, 0)\nreturn (t,)"


def test_a_condition_is_known_inside_its_branches_and_nowhere_else():
    body = """
r: f64
if c:
    s: f64
    if c:
        a: f64 = sin(v)
        s = a
    else:
        b: f64 = cos(v)
        s = b
    r = s
else:
    w: f64 = where(c, v, 2.0)
    r = w
t: f64
if c:
    d: f64 = exp(v)
    t = d
else:
    e: f64 = log(v)
    t = e
z: f64 = where(c, r, t)
"""
    new = agree(simplify, program("c: bool, v: f64", body, "z,"), (True, 0.5), (False, 0.5))
    assert count(new, "cos") == 0
    assert count(new, "sin", "exp", "log") == 3
    assert count(new, "where") == 1


EMPTY = {
    "range(0, 0)": ("s: f64 = v", "for i in range(0, 0):"),
    "range(5, 2)": ("s: f64 = v", "for i in range(5, 2):"),
    "range(n, n)": ("s: f64 = v", "for i in range(n, n):"),
}


@pytest.mark.parametrize("head", EMPTY.values(), ids=EMPTY)
def test_a_loop_without_trips_vanishes(head):
    carry, loop = head
    f = program(
        "x: f64[n], v: f64", f"{carry}\n{loop}\n    s1: f64 = add(s, 1.0)\n    s = s1", "s,"
    )
    assert text(agree(simplify, f, (X, 2.0))) == "return (v,)"


def test_a_while_that_is_never_entered_makes_its_test():
    body = """
k: int = 3
while True:
    j: int = index(k, n, axis=0)
    c: bool = lt(2, 1)
    if not c: break
    k1: int = add(j, 1)
    k = k1
"""
    new = agree(simplify, program("x: f64[n]", body, "k,"), (X,), (vec(1, 2, 3, 4),))
    assert text(new) == "j: int = index(3, n, axis=0)\nreturn (3,)"


def test_a_choice_of_integers_is_a_select():
    body = "r: int\nif c:\n    a: int = add(k, 1)\n    r = a\nelse:\n    r = k"
    new = agree(simplify, program("c: bool, k: int", body, "r,"), (True, 2), (False, 2))
    assert text(new) == "a: int = add(k, 1)\nr: int = where(c, a, k)\nreturn (r,)"


CHOICES = {
    "and": ("d", "False", "r: bool = logical_and(c, d)\nreturn (r,)"),
    "or": ("True", "d", "r: bool = logical_or(c, d)\nreturn (r,)"),
    "not": ("False", "True", "r: bool = logical_not(c)\nreturn (r,)"),
    "itself": ("True", "False", "return (c,)"),
}


@pytest.mark.parametrize("choice", CHOICES.values(), ids=CHOICES)
def test_a_choice_of_flags_is_logic(choice):
    one, other, expected = choice
    f = program("c: bool, d: bool", f"r: bool\nif c:\n    r = {one}\nelse:\n    r = {other}", "r,")
    calls = [(a, b) for a in (True, False) for b in (True, False)]
    assert text(agree(simplify, f, *calls)) == expected


KEPT = {
    "floats": ("r: f64\nif c:\n    r = v\nelse:\n    r = 0.0", "r,"),
    "raises": ("r: int\nif c:\n    q: int = floordiv(1, k)\n    r = q\nelse:\n    r = k", "r,"),
    "an array and its length": (
        "r: f64[p]\np: int\nif c:\n    t: f64[2] = zeros(2, dtype='f64')\n    r, p = t, 2\n"
        "else:\n    u: f64[k] = zeros(k, dtype='f64')\n    r, p = u, k",
        "r,",
    ),
}


@pytest.mark.parametrize("case", KEPT.values(), ids=KEPT)
def test_other_choices_stay_branches(case):
    f = program("c: bool, v: f64, k: int", *case)
    assert text(agree(simplify, f, (True, 2.0, 1), (False, 2.0, 0))) == text(f)


NAN = float("nan")
OUTCOMES = {  # of a comparison inside, where the outer one holds and where it does not
    ("lt", "lt"): "T F", ("lt", "le"): "T ?", ("lt", "gt"): "F ?", ("lt", "ge"): "F ?",
    ("lt", "eq"): "F ?", ("lt", "ne"): "T ?", ("gt", "lt"): "F ?", ("le", "gt"): "F ?",
    ("le", "lt"): "? ?", ("ge", "lt"): "F ?", ("eq", "le"): "T ?", ("eq", "ne"): "F ?",
    ("ne", "eq"): "? ?",
}  # fmt: skip


@pytest.mark.parametrize(("outer", "inner"), OUTCOMES)
@pytest.mark.parametrize("mirrored", [False, True])
def test_a_condition_implies_others(outer, inner, mirrored):
    if mirrored:
        args = "b, a"
        inner_op = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}.get(inner, inner)
    else:
        args, inner_op = "a, b", inner
    body = f"""
c: bool = {outer}(a, b)
r: f64
if c:
    d: bool = {inner_op}({args})
    u: f64
    if d:
        u = p
    else:
        u = q
    r = u
else:
    e: bool = {inner_op}({args})
    w: f64
    if e:
        w = s
    else:
        w = t
    r = w
"""
    calls = [(1.0, 2.0), (2.0, 1.0), (1.0, 1.0), (0.0, -0.0)]
    f = program("a: f64, b: f64, p: f64, q: f64, s: f64, t: f64", body, "r,")
    new = agree(simplify, f, *((*c, 1.0, 2.0, 3.0, 4.0) for c in calls))
    for c in ((NAN, 1.0, 1.0, 2.0, 3.0, 4.0), (1.0, NAN, 1.0, 2.0, 3.0, 4.0)):
        assert outcome(new, c)[0] == outcome(f, c)[0]
    here, there = OUTCOMES[outer, inner].split()
    assert count(new, inner_op) - (inner_op == outer) == (here == "?") + (there == "?")


def test_the_negative_of_a_number_is_compared_as_the_number():
    body = "m: f64 = neg(a)\nk: f64 = neg(m)\nc: bool = lt(m, 0.0)\nd: bool = ge(m, 2.0)"
    f = program("a: f64", body, "c, d, k,")
    calls = [(1.0,), (-2.0,), (-3.0,), (0.0,), (-0.0,)]
    new = text(agree(simplify, f, *calls))
    assert "gt(a, 0.0)" in new and "le(a, -2.0)" in new and "return (c, d, a,)" in new
