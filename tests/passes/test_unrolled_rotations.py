"""Loops whose buffers take turns run several trips at a time: where that is right."""

import sys

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.ir.nodes import Loop
from srcgrad.ir.walk import walk
from srcgrad.passes import without
from srcgrad.passes.own_buffers import carried
from srcgrad.passes.unrolled_rotations import unrolled_rotations
from srcgrad.testing import check_grads
from tests.passes.pass_programs import agree, program, vec

X, Y = vec(1, 2, 3, 4), vec(5, 6, 7)
BUFFERS = """
u: f64[n] = copy(x)
v: f64[n] = sin(x)
w: f64[n] = cos(x)
u1: f64[n] = u
v1: f64[n] = v
w1: f64[n] = w
s: float = 0.5
for t in {range}:
    a: f64 = load(u1, 1)
    b: f64 = load(x, t)
    c: f64 = mul(a, b)
    store(v1, 1, c)
    d: f64 = load(w1, 2)
    add_at(v1, 2, d)
    s1: float = mul(s, 2.0)
    u1, v1, w1, s = {ends}, s1
"""


def left(text, *calls, returns="u1, v1, w1, s,"):
    """How many arrays loops carry after the pass, which leaves the results as they were."""
    new = agree(unrolled_rotations, program("x: f64[n], y: f64[m]", text, returns), *calls)
    return sum(len(carried(s)) for s in walk(new.body) if isinstance(s, Loop))


ENDS = ["v1, u1, w1", "v1, w1, u1", "w1, u1, v1", "w1, v1, u1"]


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("way", ["{}", "reversed({})"])
@pytest.mark.parametrize("trips", [0, 1, 2, 3, 4])
def test_known_trips(ends, way, trips):
    text = BUFFERS.format(range=way.format(f"range(0, {trips})"), ends=ends)
    assert left(text, (X, Y)) == 0


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("way", ["{}", "reversed({})"])
def test_trips_that_the_run_knows(ends, way):
    text = BUFFERS.format(range=way.format("range(1, m)"), ends=ends)
    calls = [(np.arange(1.0, 9.0), np.ones(k)) for k in range(8)]
    assert left(text, *calls) == 0


def test_a_buffer_with_another_name():
    """Elements may not change places in a buffer that is read by another name."""
    text = BUFFERS.format(range="range(0, m)", ends="v1, u1, w1")
    assert left(text + "e: f64 = load(u, 1)", (X, Y), (X, Y[:2]), returns="u1, v1, w1, e,") == 3
    known = BUFFERS.format(range="range(0, 3)", ends="v1, u1, w1")
    assert left(known + "e: f64 = load(u, 1)", (X, Y), returns="u1, v1, w1, e,") == 0


def test_a_weaker_proof_is_noticed(monkeypatch):
    text = BUFFERS.format(range="range(0, m)", ends="v1, u1, w1") + "e: f64 = load(u, 1)"
    monkeypatch.setattr(sys.modules[unrolled_rotations.__module__], "begins_alone", lambda *_: True)
    with pytest.raises(AssertionError):
        left(text, (X, Y), (X, Y[:2]), returns="u1, v1, w1, e,")


def test_a_buffer_from_outside_a_loop():
    """The next trip of the loop around begins with the names, not with the elements."""
    lines = BUFFERS.strip("\n").splitlines()
    inner = ["    " + line for line in lines[3:]]
    text = "\n".join([*lines[:3], "for k in range(0, 3):", *inner]).format(
        range="range(0, m)", ends="v1, u1, w1"
    )
    assert left(text, (X, Y), (X, Y[:2]), returns="u, v, w,") == 3


def test_one_buffer_by_two_names():
    text = BUFFERS.format(range="range(0, 3)", ends="v1, u1, w1").replace(
        "v1: f64[n] = v", "v1: f64[n] = u"
    )
    assert left(text, (X, Y)) == 0
    unknown = text.replace("range(0, 3)", "range(0, m)")
    assert left(unknown, (X, Y), (X, Y[:2])) == 3


def test_nothing_is_unrolled_where_nothing_is_stored():
    text = BUFFERS.format(range="range(0, 3)", ends="v1, u1, w1")
    text = "\n".join(t for t in text.splitlines() if "store" not in t and "_at" not in t)
    assert left(text, (X, Y)) == 3


WHILE = """
u: f64[n] = copy(x)
v: f64[n] = sin(x)
u1: f64[n] = u
v1: f64[n] = v
s: f64 = 0.0
while True:
    e: f64 = load(u1, 0)
    o: f64 = add(s, e)
    r: bool = lt(o, 9.0)
    if not r: break
    b: f64 = load(u1, 1)
    store(v1, 1, 7.0)
    store(v1, 0, b)
    s1: f64 = add(s, 1.0)
    u1, v1, s = v1, u1, s1
"""


def test_a_while():
    assert left(WHILE, (X, Y), (Y, Y), (X * 9, Y), returns="u1, v1, s,") == 0
    read = WHILE + "f: f64 = load(u, 1)"
    assert left(read, (X, Y), (Y, Y), (X * 9, Y), returns="u1, v1, f,") == 2


def test_a_long_loop(monkeypatch):
    monkeypatch.setattr(sys.modules[unrolled_rotations.__module__], "STATEMENTS", 0)
    for ends in ENDS:
        text = BUFFERS.format(range="range(0, m)", ends=ends)
        assert left(text, *[(X, Y[:k]) for k in range(4)]) == 0


# ---- gradients ----
def until(x, trips):
    u, v = x.copy(), np.sin(x)
    n = x.shape[0]
    for _ in range(trips):
        change = 0.0
        for i in range(1, n - 1):
            v[i] = u[i] - 0.2 * u[i] * (u[i] - u[i - 1]) + 0.1 * u[i + 1]
            change += (v[i] - u[i]) ** 2
        u, v = v, u
        if change < 0.02:
            break
    return np.sum(u * u) + np.sum(v)


def swapped(x, trips):
    u = x.copy()
    v = np.sin(x)
    n = x.shape[0]
    for t in range(trips):
        for i in range(1, n - 1):
            v[i] = u[i] - 0.2 * u[i] * (u[i] - u[i - 1]) + 0.1 * x[t % n] * u[i + 1]
        u, v = v, u
    return np.sum(u * u) + np.sum(v)


def three(x, trips):
    n = x.shape[0]
    p, u, q = x.copy(), np.sin(x), np.cos(x)
    for _ in range(trips):
        for i in range(1, n - 1):
            q[i] = 2.0 * u[i] - p[i] + 0.3 * u[i] * (u[i + 1] - 2.0 * u[i] + u[i - 1])
        p, u, q = u, q, p
    return np.sum(u * u) + np.sum(p * q)


@pytest.mark.parametrize("f", [swapped, three, until])
@pytest.mark.parametrize("trips", [0, 1, 5])
@pytest.mark.parametrize("known", [True, False])
def test_gradients(f, trips, known):
    x = np.sin(np.arange(6.0))
    args = (x,) if known else (x, trips)
    h = (lambda x: f(x, trips)) if known else f
    got = flow.grad(h, argnums=0, target="python")(*args)
    with without("unrolled_rotations"):
        want = flow.grad(h, argnums=0, target="python")(*args)
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-14)
    check_grads(h, args, target="python")
    check_grads(lambda *args: flow.grad(h, argnums=0)(*args), args, target="python")
