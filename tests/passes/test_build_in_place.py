"""Joins that are built in place: the same numbers, fewer buffers, unless a name could tell."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.ir.parse import parse
from srcgrad.passes import checking, without
from srcgrad.passes.build_in_place import build_in_place
from srcgrad.primitives import REGISTRY
from tests.passes.pass_programs import agree, count, vec

ARGS = 2.0, -3.0, vec(5.0, 7.0)
ROWS = """p: f64[2] = pack(x, y)
r: f64[1, 2] = view(p, spec=('n', ':'))
q: f64[2] = neg(z)
s: f64[1, 2] = view(q, spec=('n', ':'))
m: f64[2, 2] = concatenate(r, s, axis=0)
"""


def built(body, returns):
    """The joins that are left, and the buffers of those that are not."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    source = f"def f(x: f64, y: f64, z: f64[2]):\n{lines}    return ({returns},)\n"
    new = agree(build_in_place, parse(source, REGISTRY), ARGS)
    return count(new, "concatenate", "pack"), count(new, "empty")


def test_rows_of_a_matrix():
    assert built(ROWS, "m") == (0, 1)


def test_a_part_is_read_as_before():
    more = ROWS + "t: f64[2] = sin(p)\nw: f64 = load(r, 0, 1)\nu: f64[2] = mul(q, w)"
    assert built(more, "m, t, u") == (0, 1)


def test_parts_of_parts():
    more = """c: f64[2, 1] = view(q, spec=(':', 'n'))
k: f64[2, 3] = concatenate(c, m, axis=1)
l: f64[3, 3] = concatenate(k, o, axis=0)
h: f64.strided[3] = view(l, 1, spec=(':', 'i'))
g: f64.strided[2] = view(m, 1, spec=(':', 'i'))
e: f64[2] = exp(g)"""
    ones = "o: f64[1, 3] = broadcast_to(1.0, 1, 3)\n"
    assert built(ones + ROWS + more, "e, l") == (0, 1)


def test_the_same_part_twice():
    more = "k: f64[4, 2] = concatenate(m, m, axis=0)"
    assert built(ROWS + more, "k") == (0, 1)
    assert built("q: f64[2] = neg(z)\nk: f64[4] = concatenate(q, q, axis=0)", "k") == (0, 1)


@pytest.mark.parametrize(
    ("body", "returns"),
    [
        ("store(m, 0, 1, y)", "m"),  # the whole changes
        ("k: f64[4, 2] = concatenate(m, m, axis=0)", "k, m"),  # a part is handed out
    ],
)
def test_what_has_a_buffer_of_its_own(body, returns):
    assert built(ROWS + body, returns)[0] >= 1


def test_a_part_that_changes_later():
    body = ROWS + "store(q, 0, x)"
    assert built(body, "m, q") == (0, 1)
    assert built(ROWS + "store(p, 0, y)", "m, p") == (1, 1)


def test_a_part_that_has_to_be_contiguous():
    body = """p: f64[2] = pack(x, y)
c: f64[2, 1] = view(p, spec=(':', 'n'))
b: f64[2, 1] = reshape(p, 2, 1)
m: f64[2, 2] = concatenate(c, b, axis=1)"""
    assert built(body, "m") == (2, 0)


def test_a_part_that_a_branch_hands_on():
    body = """p: f64[2] = pack(x, y)
b: bool = lt(x, y)
v: f64[2]
if b:
    v = p
else:
    v = z
m: f64[4] = concatenate(p, z, axis=0)
u: f64[2] = sin(v)"""
    assert built(body, "m, u") == (2, 0)


def test_a_part_that_a_branch_makes():
    body = """b: bool = lt(x, y)
v: f64[2]
if b:
    c: f64[2] = cos(z)
    v = c
else:
    s: f64[2] = sin(z)
    v = s
q: f64[2] = mul(v, x)
m: f64[4] = concatenate(v, q, axis=0)"""
    assert built(body, "m") == (0, 1)


TAPED = """t: tape[f64] = tape(8, dtype='f64')
for i in range(0, 2):
    a: f64 = load(z, i)
    p: f64[2] = pack(a, y)
    q: f64[4] = concatenate(p, p, axis=0)
    at: int = mul(i, 4)
    s: f64[4] = tape_view(t, at, 4)
    assign(s, q)
    w: f64 = load(q, 2)
    store(z, i, w)
u: f64[8] = tape_view(t, 0, 8)
r: f64[8] = copy(u)"""


def test_a_whole_on_its_tape():
    assert built(TAPED, "r") == (0, 0)


@pytest.mark.parametrize(
    "more",
    [
        "u: f64[8] = tape_view(t, 0, 8)\nstore(u, 1, x)",
        "reserve(t, 9)\nu: f64[8] = tape_view(t, 0, 8)",
    ],
)
def test_a_tape_that_something_else_stores_to(more):
    body = TAPED.replace("u: f64[8] = tape_view(t, 0, 8)", more)
    assert built(body, "r") == (0, 1)


def rotation(w):
    k = np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])
    return np.r_[np.c_[k, w * 2.0], [[0.0, 0.0, 0.0, 1.0]]]


def chain(w, n):
    t = np.eye(4)
    for _ in range(n):
        t = np.dot(t, rotation(w))
        w = t[:3, 3] * 0.1 + w
    return np.sum(t * t) + t[0, 0] * w[1]


@pytest.mark.parametrize("backend", ["python", "cpu"])
def test_gradients_of_a_chain(backend):
    w = vec(0.1, 0.2, -0.3)
    with checking():
        f = flow.compile(chain, target=backend)
        got = flow.value_and_grad(f)(w, 5)
    with without("build_in_place"):
        f = flow.compile(lambda w, n: chain(w, n), target=backend)
        wanted = flow.value_and_grad(f)(w, 5)
    np.testing.assert_allclose(got[0], wanted[0], rtol=1e-14)
    np.testing.assert_allclose(got[1], wanted[1], rtol=1e-13)
