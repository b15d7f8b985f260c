"""Schedules by memory, and of `while`: binomial, and still the bits of the loop as it is."""

from math import comb

import numpy as np
import pytest
from numpy.testing import assert_allclose

import srcgrad as flow
from tests.schedules.loops import LOOPS, in_place, recorded, structures, swapped, values
from tests.schedules.test_segments import U, V, assert_same, plain
from tests.tools.turns import share

# what a trip keeps, or carries, has a length that is known only when it has run
UNKNOWN = ("growing", "inner_while", "nested", "joined_lengths")


def by_memory(f, **options):
    def run(u, k, n, memory):
        return f(lambda r: flow.checkpointed(r, memory=memory), u, k, n)

    return flow.compile(run, **options)


@pytest.mark.parametrize("f", share([f for f in LOOPS if f.__name__ not in UNKNOWN]))
def test_bits_of_the_loop_as_it_is(f):
    want = flow.value_and_grad(plain(f, target="python"), (0, 1))
    got = flow.value_and_grad(by_memory(f, target="python"), (0, 1))
    for n in (0, 14):
        for memory in (1, 900, 10**6):
            assert_same(got(U, 1.3, n, memory), want(U, 1.3, n))


# ---- while ----
def until(u, k, n, segments=None, memory=None):
    t = 0
    while flow.checkpointed(t < n and np.sum(u) < 4.0, segments=segments, memory=memory):
        u = u + 0.02 * k * np.sin(u + t)
        t += 1
    return np.sum(u**2) * t


def left(u, k, n, segments=None, memory=None):
    a, t = u.copy(), 0
    while flow.checkpointed(True, segments=segments, memory=memory):
        a[t % len(a)] *= k
        t += 1
        if t > n:
            break
        if t % 3 == 1:
            continue
        a[0] += 0.1 * a[1] * a[0]
    return np.sum(a**2)


def halved(u, k, n, segments=None, memory=None):
    x, y = u[0] * k, u[1]
    while flow.checkpointed(abs(x) > 1e-3, segments=segments, memory=memory):
        x, y = 0.6 * x * np.cos(y), y + 0.1 * x
    return x + y * n


WHILES = [until, left, halved]


@pytest.mark.parametrize("f", WHILES)
def test_while(f):
    def as_it_is(u, k, n):
        return f(u, k, n)

    whole = (
        flow.compile(lambda u, k, n, s: f(u, k, n, segments=s), target="python"),
        flow.compile(lambda u, k, n, m: f(u, k, n, memory=m), target="python"),
    )
    source = {"checkpointed": lambda test, **_: test}
    bare = type(f)(f.__code__, {**f.__globals__, "flow": type("Plain", (), source)}, f.__name__)
    bare.__defaults__ = f.__defaults__
    for n in (0, 1, 14):
        value = bare(U, 1.3, n)
        h = 1e-6
        high, low = (bare(U + s * V, 1.3, n) for s in (h, -h))
        for g, amounts in zip(whole, ((1, 3, 40), (1, 300, 10**6)), strict=True):
            first = None
            for amount in amounts:
                got, du = flow.value_and_grad(g)(U, 1.3, n, amount)
                assert got == value == as_it_is(U, 1.3, n)
                assert_allclose(du @ V, (high - low) / (2 * h), rtol=2e-6, atol=1e-9)
                first = du if first is None else first
                np.testing.assert_array_equal(du, first)


@pytest.mark.parametrize("f", [in_place, swapped, recorded])
def test_on_the_cpu(f):
    options = {"target": "cpu", "fastmath": False}
    want = flow.value_and_grad(plain(f, **options), (0, 1))
    got = flow.value_and_grad(by_memory(f, **options), (0, 1))
    for memory in (1, 900):
        assert_same(got(U, 1.3, 17, memory), want(U, 1.3, 17))


@pytest.mark.parametrize("f", share([values, in_place, swapped, recorded, structures, until]))
def test_second_order(f):
    if f is until:
        g = flow.compile(lambda u, k, n: until(u, k, n, memory=200), target="python")
        want = flow.jacfwd(flow.jacfwd(g))(U, 1.3, 6)
    else:
        g = flow.compile(
            lambda u, k, n: f(lambda r: flow.checkpointed(r, memory=200), u, k, n), target="python"
        )
        want = flow.jacfwd(flow.grad(plain(f, target="python")))(U, 1.3, 6)
    assert_allclose(flow.jacfwd(flow.grad(g))(U, 1.3, 6), want, rtol=1e-10, atol=1e-11)
    assert_allclose(flow.jacrev(flow.grad(g))(U, 1.3, 6), want, rtol=1e-10, atol=1e-11)


# ---- how often trips run ----
def least(trips, slots):
    """The runs of trips, apart from one each, that reversing them takes with so many slots."""
    runs = 0
    while comb(slots + runs, slots) < trips:
        runs += 1
    return runs * trips - comb(slots + runs, slots + 1)


@pytest.mark.parametrize(
    ("n", "slots"), [(1, 2), (2, 1), (9, 1), (20, 2), (20, 4), (35, 4), (36, 4)]
)
def test_no_schedule_runs_fewer_trips(n, slots, capsys):
    def noisy(x, n, memory):
        t = 0
        while flow.checkpointed(t < n, memory=memory):
            print("trip", t)
            y = np.sin(x)
            z = np.exp(y) * np.cos(x * y)
            x = x * y + np.tanh(z) * np.sin(z * y)
            t += 1
        return x

    state = 16  # bytes: x and t
    flow.grad(flow.compile(noisy, target="python"))(0.3, n, 2 * state * (slots + 1))
    trips = [int(line.split()[1]) for line in capsys.readouterr().out.splitlines()]
    assert len(trips) == n + least(n, slots) + n


def test_memory_may_be_a_text():
    assert flow.checkpointed(range(3), memory="1.5 GiB") == range(3)
    f = flow.compile(lambda u: values(lambda r: flow.checkpointed(r, memory="2GB"), u, 1.3, 9))
    want = flow.compile(lambda u: values(lambda r: r, u, 1.3, 9))
    assert_allclose(flow.grad(f)(U), flow.grad(want)(U), rtol=1e-12)


def repeated(u, memory, n):
    for _ in flow.checkpointed(range(n), memory=memory):
        u = np.sin(u) * 1.1
    return np.sum(u)


def repeated_while(u, segments, n):
    t = 0
    while flow.checkpointed(t < n, segments=segments):
        u = np.sin(u) * 1.1
        t += 1
    return np.sum(u)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_amounts_of_any_integer_type(target):
    u = np.array([0.3, -0.7, 1.1])
    want = flow.grad(flow.compile(repeated, target=target))(u, 900, 7)
    for kind in (np.int8, np.int32, np.uint16):
        found = flow.grad(flow.compile(repeated, target=target))(u, kind(100), 7)
        np.testing.assert_array_equal(found, want)


def test_a_while_has_no_more_slots_than_trips():
    u, f = np.array([0.3, -0.7, 1.1]), flow.grad(flow.compile(repeated_while, target="python"))
    want = f(u, 1, 7)
    for segments in (7, 8, 10**9, 2**62):
        np.testing.assert_array_equal(f(u, segments, 7), want)
