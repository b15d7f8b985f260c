"""Ensembles as machine code: with strips and without them, at lengths around those of strips."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.passes import without
from srcgrad.passes.strips import sizes

N = sizes.LANES
COUNTS = (1, N - 1, N, 3 * N + 5)


def oscillator(y, v, rate):
    for _ in range(40):
        k = v + 0.05 * (-rate * y)
        y, v = y + 0.1 * k, v - 0.1 * rate * np.sin(y + 0.05 * k)
    return y, v


def trajectories(y, v, rate):
    return flow.vmap(oscillator, in_axes=(0, 0, None))(y, v, rate)


def paths(z, p):
    total = 0.0
    for i in range(z.shape[0]):
        s, mean = p[0], 0.0
        for t in range(z.shape[1]):
            s += s * (p[1] + p[2] * np.tanh(s) * z[i, t])
            mean += s
        if mean > 5.0:
            total += mean
    return total


def smoothed(z, p):
    out = np.empty_like(z)
    for i in range(z.shape[0]):
        s = z[i, 0]
        for t in range(z.shape[1] - 1, -1, -1):
            s = p[0] * s + p[1] * z[i, t] if s < z[i, t] else 0.5 * s
            out[i, t] = s
    return out


def root(a):
    x = a
    while abs(x * x - a) > 1e-12 * a:
        x = 0.5 * (x + a / x)
    return x


def roots(a):
    return flow.vmap(root)(a)


def on_and_off(make, *args):
    """The results without strips and with them, each on arguments of its own."""
    with without("strip_mining"):
        plain = make()(*(np.copy(a) for a in args))
    return plain, make()(*(np.copy(a) for a in args))


def bits(x):
    return [np.asarray(v).tobytes() for v in (x if isinstance(x, tuple) else (x,))]


DRAWN = np.random.default_rng(3)
PROGRAMS = {
    "trajectories": (trajectories, lambda n: (DRAWN.normal(size=n), DRAWN.normal(size=n), 1.3)),
    "rows": (smoothed, lambda n: (DRAWN.normal(size=(n, sizes.TILE + 9)), np.array([0.9, 0.1]))),
    "roots": (roots, lambda n: (10.0 ** DRAWN.uniform(-9, 9, n),)),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_are_the_same_bits(name):
    fn, draw = PROGRAMS[name]
    for n in COUNTS:
        plain, strips = on_and_off(lambda: flow.compile(fn, fastmath=False), *draw(n))
        assert bits(strips) == bits(plain)


def test_strips_are_made():
    fn, draw = PROGRAMS["trajectories"]
    compiled = flow.compile(fn)
    compiled(*draw(2 * N))
    assert "for strip in" in compiled.source("numba")


@pytest.mark.parametrize("fastmath", [None, False])
def test_gradients_are_those_without_strips(fastmath):
    def make():
        return flow.value_and_grad(flow.compile(paths, fastmath=fastmath), (0, 1))

    for n in COUNTS:
        args = DRAWN.normal(size=(n, sizes.TILE + 7)), np.array([0.5, 0.01, 0.1])
        (value, grads), (value1, grads1) = on_and_off(make, *args)
        assert value1 == pytest.approx(value, rel=1e-13)
        for one, other in zip(grads1, grads, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-13)


def test_a_lane_that_goes_on_for_long_keeps_no_other_one():
    a = np.full(2 * N, 4.0)
    a[5], a[N + 3] = 1e200, 1e-200
    plain, strips = on_and_off(lambda: flow.compile(roots, fastmath=False), a)
    assert bits(strips) == bits(plain)


def test_numbers_that_are_not_finite_stay_in_their_lane():
    y, v = np.linspace(-1.0, 1.0, 2 * N), np.ones(2 * N)
    y[7], v[N + 1] = np.nan, np.inf
    with np.errstate(all="ignore"):
        plain, strips = on_and_off(lambda: flow.compile(trajectories, fastmath=False), y, v, 1.3)
    assert bits(strips) == bits(plain)
    assert np.isnan(strips[0]).sum() == 2
