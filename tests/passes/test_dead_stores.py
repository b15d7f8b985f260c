"""Stores to elements that nothing reads again are dropped, and no others."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.passes import without
from srcgrad.passes.dead_stores import dead_stores
from tests.passes.pass_programs import agree, count, program, vec
from tests.passes.test_scalar_replacement import CASES

X = vec(1, 2, 3, 4, 5)
PARAMS = "x: f64[n], a: f64, k: int"


def stores(body, *args):
    """How many stores are left, of a program that computes `s` from a copy `z` of `x`."""
    f = program(PARAMS, "z: f64[n] = copy(x)\n" + body, "s,")
    return count(agree(dead_stores, f, (X, 0.5, 2), (-X, 0.25, 0), *args), "store")


def sweep(store, *reads, order="reversed(range(0, n))", inner="range(0, i)"):
    """A loop that stores, and then reads in an inner loop."""
    lines = [
        "s: f64 = 0.0",
        f"for i in {order}:",
        f"    {store}",
        "    r: f64 = s",
        f"    for j in {inner}:",
        *(f"        {line}" for line in reads),
        "        t: f64 = add(r, v)",
        "        r = t",
        "    s = r",
    ]
    return "\n".join(lines)


EARLIER = "v: f64 = load(z, j)"


def test_elements_that_only_earlier_trips_read():
    assert stores(sweep("store(z, i, a)", EARLIER)) == 0


@pytest.mark.parametrize(
    "body",
    [
        sweep("store(z, i, a)", EARLIER, order="range(0, n)"),  # read in later trips
        sweep("store(z, i, a)", EARLIER, inner="range(0, n)"),  # read in the same trip
        sweep("store(z, 0, a)", EARLIER),
        sweep("store(z, i, a)", EARLIER) + "\nu: f64 = load(z, k)",  # read after the loop, unused
        sweep("store(z, i, a)", EARLIER)
        .replace("s = r", "s = q")
        .replace("    s = q", "    w: f64 = sum(z, axes=(0,))\n    q: f64 = add(r, w)\n    s = q"),
    ],
)
def test_elements_that_are_read(body):
    assert stores(body) == 1


def test_two_axes():
    f = program(
        "x: f64[n, n1], a: f64",
        """
n1: int = dim(x, axis=1)
check_range(0, n, n1, axis=1)
z: f64[n, n1] = copy(x)
s: f64 = 0.0
for k in reversed(range(0, n)):
    first: int = add(k, 1)
    q: f64 = s
    for i in range(first, n):
        r: f64 = q
        for j in range(first, n):
            store(z, i, j, a)
            v: f64 = load(z, k, j)
            w: f64 = load(z, i, k)
            t: f64 = mul(v, w)
            u: f64 = add(r, t)
            r = u
        q = r
    s = q
""",
        "s,",
    )
    square = np.arange(25.0).reshape(5, 5)
    assert count(agree(dead_stores, f, (square[:4], 0.5)), "store") == 0


def test_what_the_caller_sees():
    f = program("x: f64[n], a: f64", "for i in range(0, n):\n    store(x, i, a)")
    assert count(agree(dead_stores, f, (X, 0.5)), "store") == 1
    f = program(
        "x: f64[n], a: f64", "z: f64[n] = copy(x)\nfor i in range(0, n):\n    store(z, i, a)", "z,"
    )
    assert count(agree(dead_stores, f, (X, 0.5)), "store") == 1


def test_a_buffer_with_another_name():
    body = """
y: f64[n] = copy(x)
c: bool = gt(k, 1)
w: f64[n]
if c:
    w = z
else:
    w = y
s: f64 = 0.0
for i in range(0, n):
    store(z, i, a)
    v: f64 = load(w, i)
    t: f64 = add(s, v)
    s = t
"""
    assert stores(body) == 1


def test_a_while_around_it():
    body = """
s: f64 = 0.0
l: int = 0
while True:
    c: bool = lt(l, k)
    if not c: break
    r: f64 = s
    for i in range(0, n):
        v: f64 = load(z, i)
        t: f64 = add(r, v)
        store(z, i, a)
        r = t
    l1: int = add(l, 1)
    s, l = r, l1
"""
    assert stores(body) == 1


@pytest.mark.parametrize(("f", "args"), CASES[1:], ids=["cholesky", "lu"])
def test_a_factorization_keeps_what_it_needs(f, args):
    """No tape grows with the products: their elements are not read again."""
    g = flow.grad(flow.compile(f, target="python"))
    with without("dead_stores"):
        h = flow.grad(flow.compile(lambda a: f(a), target="python"))
        np.testing.assert_array_equal(g(*args), h(*args))
        before = h.ir("adjoint").count("reserve(")
    assert g.ir("adjoint").count("reserve(") < before
