"""Arrays that a loop carries have one buffer each: where that is right, and where not."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.ir.nodes import Loop
from srcgrad.ir.walk import walk
from srcgrad.passes import without
from srcgrad.passes.carried_arrays import carried_arrays
from srcgrad.passes.own_buffers import carried
from srcgrad.testing import check_grads
from tests.passes.pass_programs import agree, count, program, vec

X, Y = vec(1, 2, 3, 4), vec(5, 6, 7)


def left(f, *calls):
    """How many arrays loops carry after the pass, which leaves the results as they were."""
    new = agree(carried_arrays, f, *calls)
    return sum(len(carried(s)) for s in walk(new.body) if isinstance(s, Loop))


STEP = """
for t in range(0, m):
    v: f64[n] = copy(u1)
    a: f64 = load(u1, 0)
    store(v, 1, a)
    store(v, 0, 2.0)
"""


def stepped(head, loop, returns="u1,", params="x: f64[n], y: f64[m]"):
    return program(params, head.strip("\n") + loop.rstrip("\n"), returns)


@pytest.mark.parametrize("trips", [0, 1, 4])
@pytest.mark.parametrize("init", ["copy(x)", "zeros(n, dtype='f64')"])
def test_a_buffer_of_its_own(init, trips):
    f = stepped(f"u: f64[n] = {init}\nu1: f64[n] = u", STEP + "    u1 = v")
    assert left(f, (X, np.ones(trips))) == 0
    assert count(carried_arrays(f), "copy") == count(f, "copy")


@pytest.mark.parametrize("trips", [0, 1, 4])
def test_the_beginning_has_another_name(trips):
    """A parameter, or an array that is read again, is copied before the loop."""
    f = stepped("u1: f64[n] = x", STEP + "    u1 = v")
    assert left(f, (X, np.ones(trips))) == 0
    head = "u: f64[n] = copy(x)\nu1: f64[n] = u"
    f = stepped(head, STEP + "    b: f64 = load(u, 1)\n    store(v, 2, b)\n    u1 = v", "u1, u")
    assert left(f, (X, np.ones(trips))) == 0


def test_arrays_that_change_places():
    head = "u: f64[n] = copy(x)\np: f64[n] = sin(x)\nu1: f64[n] = u\np1: f64[n] = p"
    loop = STEP + "    b: f64 = load(p1, 1)\n    store(v, 2, b)\n"
    for ends in ("u1, p1 = v, u1", "u1, p1 = v, v", "u1, p1 = p1, v"):
        f = stepped(head, loop + f"    {ends}", "u1, p1")
        assert left(f, (X, Y), (X, Y[:1]), (X, Y[:0])) == 0


def test_what_a_branch_chooses_is_copied():
    choice = """
    c: bool = gt(a, 1.5)
    w: f64[n]
    if c:
        w = v
    else:
        w = u1
    u1 = w
"""
    f = stepped("u: f64[n] = copy(x)\nu1: f64[n] = u", STEP + choice.strip("\n"))
    assert left(f, (X, Y), (Y, Y)) == 0


def test_stores_to_what_is_carried():
    """The array at the beginning of a trip changes within it: it is no value."""
    f = stepped("u: f64[n] = copy(x)\nu1: f64[n] = u", STEP + "    store(u1, 3, 9.0)\n    u1 = v")
    assert left(f, (X, Y)) == 1


@pytest.mark.parametrize(("ends", "many"), [("v, u1", 0), ("v, v", 2)])
def test_stores_after_the_loop(ends, many):
    """They tell whether two results are one buffer."""
    head = "u: f64[n] = copy(x)\np: f64[n] = sin(x)\nu1: f64[n] = u\np1: f64[n] = p"
    loop = STEP + f"    u1, p1 = {ends}\nstore(u1, 2, 8.0)"
    f = stepped(head, loop, "u1, p1")
    assert left(f, (X, Y), (X, Y[:0])) == many


def test_stores_to_the_beginning_after_the_loop():
    head = "u: f64[n] = copy(x)\nu1: f64[n] = u"
    f = stepped(head, STEP + "    u1 = v\nstore(u, 2, 8.0)")
    assert left(f, (X, Y), (X, Y[:0])) == 1


def test_stores_between_two_runs_of_the_loop():
    inner = STEP.replace("\n", "\n    ") + "    u1 = v\n"
    head = "u: f64[n] = copy(x)\nfor k in range(0, 3):\n    u1: f64[n] = u"
    f = stepped(head, inner.rstrip() + "\n    store(u, 2, 8.0)", "u,")
    assert left(f, (X, Y)) == 1


def test_a_loop_in_a_loop():
    inner = STEP.replace("\n", "\n    ") + "    u1 = v\n"
    head = "u: f64[n] = copy(x)\nw: f64[n] = u\nfor k in range(0, 3):\n    u1: f64[n] = w"
    f = stepped(head, inner.rstrip() + "\n    w = u1", "w,")
    assert left(f, (X, Y), (X, Y[:0])) == 0


def test_a_while():
    def f(x):
        u, s = x.copy(), 0.0
        while s < 3.0:
            v = u.copy()
            v[1:] = np.sin(u[:-1])
            s += 1.0 + v[0] ** 2
            u = v
        return np.sum(u * u)

    check(f, X * 0.1)


# ---- gradients ----
def check(f, *args, lists=0):
    """The gradient against the one without the pass and differences; the lists that are left."""
    g = flow.grad(f, argnums=0, target="python")
    got = g(*args)
    with without("carried_arrays", "unrolled_rotations"):
        want = flow.grad(f, argnums=0, target="python")(*args)
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-14)
    check_grads(f, args, target="python")
    check_grads(lambda *args: flow.grad(f, argnums=0)(*args), args, target="python")
    assert g.ir("adjoint", *args).count("ref_put(") == lists


def rolled(x, c, trips):
    u = x.copy()
    p = x * 2.0
    for _ in range(trips):
        q = u.copy()
        q[1:-1] = 2.0 * u[1:-1] - p[1:-1] + c * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * u[1:-1]
        p = u
        u = q
    return np.sum(u * p)


@pytest.mark.parametrize("trips", [0, 1, 5])
def test_waves(trips):
    check(rolled, np.sin(np.arange(6.0)), 0.3, trips)
