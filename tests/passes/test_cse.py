"""Common subexpressions: shared where nothing could have changed, and buffers kept apart."""

import pytest

from srcgrad.passes.cse import cse
from tests.passes.pass_programs import after, agree, count, program, text, vec

X = vec(1.0, 2.0, 3.0)


def test_scalars_are_shared_from_outer_blocks_but_not_from_branches():
    body = """
a: f64 = sin(v)
r: f64
if c:
    b: f64 = sin(v)
    d: f64 = cos(v)
    e: f64 = add(b, d)
    r = e
else:
    g: f64 = cos(v)
    r = g
h: f64 = cos(v)
z: f64 = add(a, h)
"""
    f = program("c: bool, v: f64", body, "r, z,")
    new = agree(cse, f, (True, 0.5), (False, 0.5))
    assert (count(new, "sin"), count(new, "cos")) == (1, 3)


def test_what_depends_on_shared_values_is_shared():
    body = "a: f64 = sin(v)\nb: f64 = sin(v)\nc: f64 = mul(a, 2.0)\nd: f64 = mul(b, 2.0)"
    new = agree(cse, program("v: f64", body, "c, d,"), (0.5,))
    assert text(new) == "a: f64 = sin(v)\nc: f64 = mul(a, 2.0)\nreturn (c, c,)"


def test_weak_and_strong_constants_are_not_the_same():
    body = "a: f64 = mul(v, 2.0)\nb: f64 = mul(v, f64(2.0))"
    assert count(after(cse, program("v: f64", body, "a, b,")), "mul") == 2


def test_reads_of_pure_classes_are_shared_into_loops():
    body = """
a: f64 = load(x, 0)
s: f64 = 0.0
for i in range(0, n):
    b: f64 = load(x, 0)
    s1: f64 = add(s, b)
    s = s1
"""
    new = agree(cse, program("x: f64[n]", body, "a, s,"), (X,))
    assert count(new, "load") == 1


def test_a_store_ends_the_sharing_of_reads():
    body = "a: f64 = load(x, 0)\nstore(x, 0, 9.0)\nb: f64 = load(x, 0)\nc: f64 = load(x, 0)"
    new = agree(cse, program("x: f64[n]", body, "a, b, c,"), (X,))
    assert count(new, "load") == 2


def test_a_store_through_a_view_ends_it_too():
    body = """
u: f64[2] = view(x, 1, 2, 1, spec=('s',))
a: f64 = load(x, 1)
store(u, 0, 9.0)
b: f64 = load(x, 1)
"""
    assert count(agree(cse, program("x: f64[n]", body, "a, b,"), (X,)), "load") == 2


def test_a_store_later_in_a_loop_ends_it_for_the_body():
    body = """
a: f64 = load(x, 0)
s: f64 = 0.0
for i in range(0, n):
    b: f64 = load(x, 0)
    s1: f64 = add(s, b)
    store(x, 0, s1)
    s = s1
c: f64 = load(x, 0)
"""
    new = agree(cse, program("x: f64[n]", body, "a, s, c,"), (X,), (vec(4.0),))
    assert count(new, "load") == 3


def test_a_store_in_a_branch_ends_it_after_the_branch_only():
    body = """
a: f64 = load(x, 0)
r: f64
if c:
    b: f64 = load(x, 0)
    store(x, 0, 9.0)
    r = b
else:
    d: f64 = load(x, 0)
    r = d
e: f64 = load(x, 0)
"""
    new = agree(cse, program("x: f64[n], c: bool", body, "a, r, e,"), (X, True), (X, False))
    assert count(new, "load") == 2


def test_a_store_to_one_argument_changes_no_other():
    body = "a: f64 = load(x, 0)\nstore(z, 0, 9.0)\nb: f64 = load(x, 0)"
    new = agree(cse, program("x: f64[n], z: f64[n]", body, "a, b,"), (X, vec(4.0)))
    assert count(new, "load") == 1


def test_pure_arrays_are_shared():
    body = "a: f64[n] = sin(x)\nb: f64[n] = sin(x)\nc: f64[n] = mul(a, b)"
    new = agree(cse, program("x: f64[n]", body, "c,"), (X,))
    assert text(new) == "a: f64[n] = sin(x)\nc: f64[n] = mul(a, a)\nreturn (c,)"


def test_an_array_that_is_stored_to_is_not_shared():
    body = "a: f64[n] = sin(x)\nb: f64[n] = sin(x)\nstore(b, 0, 9.0)\nc: f64[n] = add(a, b)"
    assert count(agree(cse, program("x: f64[n]", body, "c,"), (X,)), "sin") == 2


def test_two_returned_arrays_stay_two_buffers():
    body = "a: f64[n] = sin(x)\nb: f64[n] = sin(x)\nc: f64[n] = sin(x)\nd: f64[n] = mul(c, c)"
    new = agree(cse, program("x: f64[n]", body, "a, b, d,"), (X,))
    assert count(new, "sin") == 2


def test_views_with_the_same_operands_are_one():
    body = """
u: f64[2] = view(x, 0, 2, 1, spec=('s',))
store(u, 0, 9.0)
w: f64[2] = view(x, 0, 2, 1, spec=('s',))
a: f64 = load(w, 0)
"""
    assert count(agree(cse, program("x: f64[n]", body, "a,"), (X,)), "view") == 1


def test_checks_are_made_once():
    body = "j: int = index(k, n, axis=0)\ni: int = index(k, n, axis=0)\na: f64 = load(x, i)"
    f = program("x: f64[n], k: int", body, "a,")
    assert count(agree(cse, f, (X, -1), (X, 3)), "index") == 1


def test_a_broadcast_to_the_dims_that_are_there_is_the_array():
    body = "a: f64[n] = sin(x)\nb: f64[n] = broadcast_to(a, n)\ns: f64 = sum(b, axes=(0,))"
    assert count(agree(cse, program("x: f64[n]", body, "s,"), (X,)), "broadcast_to") == 0


def test_a_broadcast_that_is_returned_or_stored_to_stays():
    returned = "b: f64[n] = broadcast_to(x, n)"
    assert count(agree(cse, program("x: f64[n]", returned, "b,"), (X,)), "broadcast_to") == 1
    stored = "b: f64[n] = broadcast_to(x, n)\nstore(b, 0, v)\ns: f64 = sum(b, axes=(0,))"
    f = program("x: f64[n], v: f64", stored, "s,")
    assert count(agree(cse, f, (X, 0.5)), "broadcast_to") == 1
    changed = "b: f64[n] = broadcast_to(x, n)\nstore(x, 0, v)\ns: f64 = sum(b, axes=(0,))"
    f = program("x: f64[n], v: f64", changed, "s,")
    assert count(agree(cse, f, (X, 0.5)), "broadcast_to") == 1


@pytest.mark.parametrize(
    "made", ["copy(a)", "sum_to(a, n)", "sum(a, axes=())", "broadcast_to(a, n)"]
)
def test_an_array_made_once_more_is_the_array(made):
    """Unless it is stored to, or handed to the caller, or the array is stored to."""
    body = f"a: f64[n] = sin(x)\nb: f64[n] = {made}\nc: f64[n] = exp(b)"
    name = made.split("(")[0]
    assert count(agree(cse, program("x: f64[n]", body, "c,"), (X,)), name) == 0
    for more, returns in (("", "a, b,"), ("store(a, 0, 2.0)", "c, b,"), ("store(b, 0, 2.0)", "c,")):
        f = program("x: f64[n]", f"{body}\n{more}", returns)
        assert count(agree(cse, f, (X,)), name) == 1


def test_a_copy_of_a_strided_array_stays():
    body = (
        "a: f64.strided[n] = view(x, 0, n, 1, spec=('s',))\nb: f64[n] = copy(a)\nc: f64[n] = exp(b)"
    )
    assert count(agree(cse, program("x: f64.strided[n]", body, "c,"), (X,)), "copy") == 1


def test_a_copy_that_a_loop_carries_stays():
    loop = "for i in range(0, n):\n    c: f64[n] = exp(b)\n    b = c"
    body = f"a: f64[n] = sin(x)\nd: f64[n] = copy(a)\nb: f64[n] = d\n{loop}"
    assert count(agree(cse, program("x: f64[n]", body, "b,"), (X,)), "copy") == 1


def test_a_store_in_one_branch_does_not_end_it_in_the_other():
    body = """
a: f64 = load(x, 0)
r: f64
if c:
    store(x, 0, 9.0)
    b: f64 = load(x, 0)
    r = b
else:
    d: f64 = load(x, 0)
    store(x, 0, 8.0)
    e: f64 = load(x, 0)
    f: f64 = add(d, e)
    r = f
g: f64 = load(x, 0)
"""
    new = agree(cse, program("x: f64[n], c: bool", body, "a, r, g,"), (X, True), (X, False))
    assert count(new, "load") == 4


# ---- branches ----
SIDES = """
{r}: f64
if c:
    {a}: f64 = sin(v)
    {b}: f64 = mul({a}, v)
    {r} = {b}
else:
    {d}: f64
    if e:
        {a}2: f64 = cos(v)
        {d} = {a}2
    else:
        {d} = {other}
    {r} = {d}
"""
BRANCHES = "c: bool, e: bool, v: f64, x: f64[n]"
CALLS = [(c, e, 0.5, X) for c in (True, False) for e in (True, False)]


def sides(k, other="v"):
    return SIDES.format(r=f"r{k}", a=f"a{k}", b=f"b{k}", d=f"d{k}", other=other)


def branches(body, returns="r0, r1,"):
    """How many branches stand at the top of a program, after the pass."""
    new = agree(cse, program(BRANCHES, body, returns), *CALLS)
    return sum(line.startswith("if ") for line in text(new).splitlines())


def test_branches_that_compute_the_same_are_shared():
    assert branches(sides(0) + sides(1)) == 1


def test_and_what_depends_on_them():
    body = sides(0) + "s: f64 = sin(r0)\n" + sides(1) + "t: f64 = sin(r1)"
    new = agree(cse, program(BRANCHES, body, "s, t,"), *CALLS)
    assert text(new).endswith("return (s, s,)")


@pytest.mark.parametrize(
    "other",
    [
        sides(1, other="2.0"),
        sides(1).replace("sin", "cos"),
        sides(1).replace("if c:", "if e:"),
        sides(1).replace("mul(a1, v)", "mul(v, a1)"),
        sides(1).replace("r1 = b1", "r1 = a1"),
    ],
)
def test_branches_that_differ_are_not(other):
    assert branches(sides(0) + other) == 2


def test_a_store_between_keeps_branches_apart():
    one = sides(0).replace("sin(v)", "load(x, 0)")
    two = sides(1).replace("sin(v)", "load(x, 0)")
    assert branches(one + "store(x, 1, v)\n" + two) == 2
    assert branches(one + two) == 1


def test_branches_that_store_are_not_shared():
    one, two = (sides(k).replace("    r", "    add_at(x, 0, v)\n    r", 1) for k in (0, 1))
    assert branches(one + two, "r0, r1, x,") == 2


BUFFERS = """
{r}: f64[n]
if c:
    {a}: f64[n] = neg(x)
    {r} = {a}
else:
    {b}: f64[n] = sin(x)
    {r} = {b}
"""


def buffers(k):
    return BUFFERS.format(r=f"r{k}", a=f"a{k}", b=f"b{k}")


def test_arrays_of_branches_that_are_both_returned_stay_two():
    assert branches(buffers(0) + buffers(1)) == 2


def test_arrays_of_branches_are_shared_unless_one_is_stored_to():
    both = buffers(0) + buffers(1) + "{}t: f64[n] = mul(r0, r1)"
    assert branches(both.format(""), "t,") == 1
    assert branches(both.format("store(r1, 0, v)\n"), "t,") == 2


def test_branches_with_loops_are_not_shared():
    body = """
{r}: f64
if c:
    {s}: f64 = 0.0
    for {i} in range(0, 3):
        {q}: f64 = add({s}, v)
        {s} = {q}
    {r} = {s}
else:
    {r} = v
"""
    both = "".join(body.format(r=f"r{k}", s=f"s{k}", i=f"i{k}", q=f"q{k}") for k in (0, 1))
    assert branches(both) == 2
