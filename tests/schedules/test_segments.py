"""Loops over `flow.checkpointed`: the derivatives of the loop as it is, to the last bit."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from tests.schedules.loops import LOOPS, made_in_the_trip, recorded, values
from tests.tools.turns import in_one_of, share

U, V = np.array([0.3, -0.7, 1.1, 0.4, 0.9]), np.array([1.0, -2.0, 0.5, 3.0, 0.1])


def plain(f, **options):
    return flow.compile(lambda u, k, n: f(lambda r: r, u, k, n), **options)


def by_segments(f, **options):
    def run(u, k, n, segments):
        return f(lambda r: flow.checkpointed(r, segments=segments), u, k, n)

    return flow.compile(run, **options)


def by_the_root(f, **options):
    return flow.compile(lambda u, k, n: f(flow.checkpointed, u, k, n), **options)


def assert_same(got, want):
    for x, y in zip(got[1], want[1], strict=True):
        np.testing.assert_array_equal(x, y)
    assert got[0] == want[0]


@pytest.mark.parametrize("f", LOOPS, ids=lambda f: f.__name__)
def test_bits_of_the_loop_as_it_is(f):
    want = flow.value_and_grad(plain(f, target="python"), (0, 1))
    got = flow.value_and_grad(by_segments(f, target="python"), (0, 1))
    for n in (0, 1, 13):
        for segments in (1, 4, 50):
            assert_same(got(U, 1.3, n, segments), want(U, 1.3, n))
    got = flow.value_and_grad(by_the_root(f, target="python"), (0, 1))
    assert_same(got(U, 1.3, 11), want(U, 1.3, 11))


@pytest.mark.parametrize("f", share(LOOPS))
def test_reverse_forward_and_differences(f):
    g = by_the_root(f, target="python")
    du, dk = flow.grad(g, (0, 1))(U, 1.3, 9)
    slope = du @ V + 0.4 * dk
    value, dot = flow.jvp(g, (U, 1.3, 9), (V, 0.4, 0))
    assert_allclose(slope, dot, rtol=1e-11)
    h = 1e-6
    high, low = (f(lambda r: r, U + s * V, 1.3 + 0.4 * s, 9) for s in (h, -h))
    assert_allclose(slope, (high - low) / (2 * h), rtol=1e-6)
    assert value == f(flow.checkpointed, U, 1.3, 9)  # plain Python runs it unchanged


@pytest.mark.parametrize("f", [values, recorded, made_in_the_trip])
def test_on_the_cpu(f):
    options = {"target": "cpu", "fastmath": False}
    want = flow.value_and_grad(plain(f, **options), (0, 1))
    got = flow.value_and_grad(by_segments(f, **options), (0, 1))
    for n, segments in ((0, 3), (17, 1), (17, 5)):
        assert_same(got(U, 1.3, n, segments), want(U, 1.3, n))


@pytest.mark.parametrize("f", [f for f in LOOPS if in_one_of(f.__name__, 6)])
def test_second_order(f):
    want = flow.jacfwd(flow.grad(plain(f, target="python")))(U, 1.3, 6)
    g = by_the_root(f, target="python")
    assert_allclose(flow.jacfwd(flow.grad(g))(U, 1.3, 6), want, rtol=1e-10, atol=1e-11)
    of_tangent = flow.compile(lambda u, k, n: flow.jvp(g, (u, k, n), (V, 0.0, 0))[1])
    assert_allclose(flow.grad(of_tangent)(U, 1.3, 6), want @ V, rtol=1e-10, atol=1e-11)
    try:
        got = flow.jacrev(flow.grad(g))(U, 1.3, 6)
    except UnsupportedError as e:
        assert "use forward mode around it" in str(e)
    else:
        assert_allclose(got, want, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("f", [f for f in LOOPS if in_one_of(f.__name__, 6)])
def test_many_at_once(f):
    rows = np.stack([U, V, 2.0 * U])
    g = by_the_root(f, target="python")

    def losses(u, k):
        return np.sum(flow.vmap(g, in_axes=(0, None, None))(u, k, 5) ** 2)

    made = flow.grad(flow.compile(losses, target="python"), (0, 1))(rows, 1.3)
    each = [flow.value_and_grad(plain(f, target="python"), (0, 1))(u, 1.3, 5) for u in rows]
    assert_allclose(made[0], [2.0 * y * du for y, (du, _) in each], rtol=1e-11)
    assert_allclose(made[1], sum(2.0 * y * dk for y, (_, dk) in each), rtol=1e-11)


# ---- what is kept, and what runs again ----
def tapes(f, *args):
    """The names of tapes, and what `explain` says of their size."""
    text = flow.grad(f).explain(*args)
    return re.findall(r"^  (\w+) +f64 +.*?(grows|\S.* slots)", str(text), re.M)


def test_kept_are_the_beginnings():
    kept = dict(tapes(by_segments(values), U, 1.3, 100, 10))
    assert not any("n * len(u)" in size for size in kept.values())
    assert any("n * len(u)" in size for _, size in tapes(plain(values), U, 1.3, 100))


def test_each_trip_runs_twice(capsys):
    def noisy(u, n):
        for t in flow.checkpointed(range(n), segments=3):
            print("trip", t)
            u = u * np.sin(u)
        return np.sum(u)

    flow.grad(flow.compile(noisy, target="python"))(U, 5)
    trips = [int(line.split()[1]) for line in capsys.readouterr().out.splitlines()]
    assert trips == [0, 1, 2, 3, 4, 4, 2, 3, 0, 1]


def test_kinds_of_numbers():
    def f(part, u, z, n):
        w, flags, counts = z * 1j, u > 0, np.zeros(len(u), np.int32)
        for t in part(range(n)):
            flags = ~flags
            counts[t % len(counts)] += 1
            u = np.where(flags, u * np.float32(0.9), u + np.float32(0.1))
            w = w * np.exp(0.1j * u * counts)
        return np.sum(np.abs(w) ** 2 + w.real) + np.sum(u)

    single, z = U.astype(np.float32), V.astype(np.complex64)
    want = flow.value_and_grad(plain(f, target="python"), (0, 1))(single, z, 7)
    got = flow.value_and_grad(by_segments(f, target="python"), (0, 1))(single, z, 7, 3)
    assert_same(got, want)
    assert got[1][0].dtype == np.float32 and got[1][1].dtype == np.complex64


def test_the_argument_stays():
    def f(u, n):
        for t in flow.checkpointed(range(n)):
            u[t % len(u)] *= 1.5 + u[0]
        return np.sum(u**2)

    u = U.copy()
    got = flow.grad(flow.compile(f, target="python"))(u, 12)
    np.testing.assert_array_equal(u, U)
    high, low = (f(U + h * V, 12) for h in (1e-6, -1e-6))
    assert_allclose(got @ V, (high - low) / 2e-6, rtol=1e-6)


def test_an_initial_value_that_is_read_later():
    def f(part, u, k, n):
        start = u
        for _ in part(range(n)):
            new = np.empty_like(u)
            new[:-1], new[-1] = u[1:] * k, u[0]
            u = new
        return np.sum((u - start) ** 2)

    want = flow.value_and_grad(plain(f, target="python"), (0, 1))(U, 1.3, 7)
    assert_same(flow.value_and_grad(by_segments(f, target="python"), (0, 1))(U, 1.3, 7, 3), want)
