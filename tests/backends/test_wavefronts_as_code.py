"""Tables of recurrences as machine code: along diagonals and row by row."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.passes import without
from srcgrad.passes.wavefronts import sizes

N = sizes.LANES
SHAPES = ((N, N), (N - 1, 2 * N), (2 * N + 3, 3 * N + 1), (3 * N, N - 1), (1, 4 * N))


def time_warping(x, y):
    """The soft dynamic time warping of two series of vectors."""
    r = np.full((len(x) + 1, len(y) + 1), 1e8)
    r[0, 0] = 0.0
    for i in range(1, len(x) + 1):
        for j in range(1, len(y) + 1):
            a, b, c = r[i - 1, j], r[i, j - 1], r[i - 1, j - 1]
            least = min(a, min(b, c))
            total = np.exp(least - a) + np.exp(least - b) + np.exp(least - c)
            r[i, j] = np.sum((x[i - 1] - y[j - 1]) ** 2) + least - np.log(total)
    return r[-1, -1]


def alignment(score, gap):
    """The logarithm of the sum over all alignments of two sequences."""
    h = np.zeros((score.shape[0] + 1, score.shape[1] + 1))
    h[0] = -gap[0] * np.arange(score.shape[1] + 1)
    for i in range(1, score.shape[0] + 1):
        h[i, 0] = -gap[0] * i
        for j in range(1, score.shape[1] + 1):
            moved = np.logaddexp(h[i - 1, j] - gap[0], h[i, j - 1] - gap[0])
            h[i, j] = np.logaddexp(h[i - 1, j - 1] + score[i - 1, j - 1], moved)
    return h[-1, -1]


def relaxed(x, p):
    """A sweep from below, from right to left, whose rows end with a sum."""
    v = x.copy()
    total = np.zeros(x.shape[0])
    for i in range(x.shape[0] - 2, 0, -1):
        s = p[1]
        for j in range(x.shape[1] - 2, 0, -1):
            s = 0.5 * s + np.tanh(v[i + 1, j - 1] * p[0])
            v[i, j] = 0.3 * (v[i, j + 1] + v[i + 1, j] + v[i - 1, j]) + 0.1 * s
        total[i] = s
    return np.sum(v * v) + np.sum(total)


DRAWN = np.random.default_rng(5)
PROGRAMS = {
    "time warping": (
        time_warping,
        lambda n, m: (DRAWN.normal(size=(n, 3)), DRAWN.normal(size=(m, 3))),
    ),
    "alignment": (alignment, lambda n, m: (DRAWN.normal(size=(n, m)), np.array([0.3]))),
    "sweep": (relaxed, lambda n, m: (DRAWN.normal(size=(n + 2, m + 2)), np.array([0.4, 0.2]))),
}


def both_ways(make, args):
    """The results row by row and along diagonals, each on arguments of its own."""
    with without("wavefronts"):
        plain = make()(*(np.copy(a) for a in args))
    return plain, make()(*(np.copy(a) for a in args))


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_are_the_same_bits(name, dtype):
    fn, draw = PROGRAMS[name]
    for shape in SHAPES:
        args = [a.astype(dtype) for a in draw(*shape)]
        plain, fronts = both_ways(lambda: flow.compile(fn, fastmath=False), args)
        assert fronts == plain


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_are_those_row_by_row(name):
    fn, draw = PROGRAMS[name]
    for shape in SHAPES:
        (value, grads), (value1, grads1) = both_ways(
            lambda: flow.value_and_grad(fn, (0, 1)), draw(*shape)
        )
        assert value1 == pytest.approx(value, rel=1e-12)
        for one, other in zip(grads1, grads, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", PROGRAMS)
def test_diagonals_are_made(name):
    fn, draw = PROGRAMS[name]
    compiled = flow.compile(fn)
    compiled(*draw(2 * N, 2 * N))
    assert "for step in" in compiled.source("numba")
