"""Large arrays are computed in ways of their own: the same values, special ones too."""

import math
import subprocess
import sys

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.primitives import elementwise, numpy_fast_paths, reductions, scans

RNG = np.random.default_rng(3)
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e30, -1e30, 1e-40, -1e-40]


def spread(dtype="float32", n=5003):
    """Numbers of all sizes with the special ones among them, in an array that is large."""
    x = RNG.standard_normal(n) * 10.0 ** RNG.uniform(-6, 1, n)
    x[7 : 7 + len(SPECIAL)] = SPECIAL
    return x.astype(dtype)


def units(got, want):
    """The distance in units of the last place of `got`'s dtype."""
    return np.abs(got - want) / np.spacing(np.abs(want).astype(got.dtype))


def test_erf_of_singles():
    x = spread()
    want = np.array([math.erf(v) for v in x])
    known = ~np.isnan(x)
    assert units(numpy_fast_paths.erf_of_singles(x)[known], want[known]).max() < 4.0
    assert np.isnan(numpy_fast_paths.erf_of_singles(x)[~known]).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sigmoid(dtype):
    x = spread(dtype)
    with np.errstate(over="ignore"):
        want = 1.0 / (1.0 + np.exp(-x.astype(np.float64)))
    got = elementwise.sigmoid.impl(x)
    assert got.dtype == x.dtype
    # as exact as an argument within one rounding of x
    rtol = np.finfo(dtype).eps * (4.0 + np.abs(np.nan_to_num(x, posinf=0.0, neginf=0.0)))
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    close = np.abs(got - want) <= rtol * want + np.finfo(dtype).tiny
    assert close[~np.isnan(want)].all()


def test_relu_and_its_gradient():
    x = flow.tensor(spread(), requires_grad=True)
    y = flow.relu(x)
    np.testing.assert_array_equal(y.detach().numpy(), np.maximum(x.detach().numpy(), 0))
    g = RNG.standard_normal(x.shape).astype("float32")
    g[:50] = np.inf  # nothing of it comes through where x is not positive
    y.backward(flow.tensor(g))
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(x.grad.numpy(), np.where(x.detach().numpy() > 0, g, 0))


@pytest.mark.parametrize("density", [0.0, 0.001, 0.4])
def test_selection_by_bits(density):
    c = RNG.random((70, 90)) < density
    a, row = spread(n=6300).reshape(70, 90), spread()[:90]
    for one, other in [
        (a, 0.0),
        (a, -0.0),
        (row, 0.0),
        (a, row),
        (row[0], a),
        (a.astype("float64"), row),
    ]:
        got, want = numpy_fast_paths.where(c, one, other), np.where(c, one, other)
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got, want)
        np.testing.assert_array_equal(np.signbit(got), np.signbit(want))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("axes", [(0,), (1,), (2,), (1, 2), (0, 2), (0, 1, 2)])
@pytest.mark.parametrize("shape", [(7, 50, 30), (3, 1, 5000), (5000, 3, 1)])
def test_sums(dtype, axes, shape):
    x = RNG.random(shape).astype(dtype)
    got = reductions.sum.impl(x, axes)
    assert got.dtype == x.dtype
    want = np.sum(x, axes, np.longdouble)
    np.testing.assert_allclose(got, want, rtol=32 * np.finfo(dtype).eps)
    x[0, 0, :1] = np.inf
    np.testing.assert_array_equal(np.isinf(reductions.sum.impl(x, axes)), np.isinf(x).any(axes))


@pytest.mark.parametrize("shape", [(600_000,), (2, 300_000), (3, 100, 1000), (20, 9000)])
def test_long_sums_are_as_exact_as_short_ones(shape):
    x = RNG.random(shape).astype("float32")
    for axes in (tuple(range(len(shape))), (len(shape) - 1,)):
        got = reductions.sum.impl(x, axes)
        np.testing.assert_allclose(got, np.sum(x, axes, np.float64), rtol=5e-7)


@pytest.mark.parametrize("tied", [False, True])
def test_what_is_true_is_counted(tied):
    c = np.zeros((40, 200), bool)
    c[np.arange(30), np.arange(30)] = True
    c[3, 50] = tied
    for axes in ((0,), (1,), (0, 1)):
        np.testing.assert_array_equal(numpy_fast_paths.counted(c, axes), np.count_nonzero(c, axes))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shift", [0.0, 30.0, -30.0, 400.0, -400.0])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_softmax_needs_no_maximum_where_sums_are_moderate(axis, shift, dtype):
    x = (RNG.standard_normal((80, 70)) * 3 + shift).astype(dtype)
    wide = x.astype(np.longdouble)
    e = np.exp(wide - wide.max(axis, keepdims=True))
    want = e / e.sum(axis, keepdims=True)
    eps = np.finfo(dtype).eps
    np.testing.assert_allclose(scans.softmax.impl(x, axes=(axis,)), want, rtol=20 * eps)
    got = scans.log_softmax.impl(x, axes=(axis,))
    np.testing.assert_allclose(got, np.log(want), rtol=8 * eps, atol=8 * eps)


def test_softmax_of_special_values():
    x = np.zeros((80, 70), "float32")
    x[1], x[2, 3], x[3, 4], x[4, 5] = -np.inf, np.inf, np.nan, -np.inf
    with np.errstate(invalid="ignore"):
        y = scans.softmax.impl(x, axes=(1,))
    assert np.isnan(y[1:4]).all()
    assert y[4, 5] == 0.0
    np.testing.assert_allclose(np.delete(y, [1, 2, 3], 0).sum(1), 1.0, rtol=1e-6)


@pytest.mark.parametrize(
    "f",
    [
        flow.relu, flow.sigmoid, flow.erf, lambda x: x.sum(), lambda x: x.sum(1), lambda x: x + 1,
        lambda x: x.max(1)[0], lambda x: flow.cat([x, x]), lambda x: flow.softmax(x, 1),
        lambda x: x.T, lambda x: x.reshape(-1), lambda x: x.expand(2, 80, 70),
    ],
)  # fmt: skip
def test_a_gradient_is_nobody_elses(f):
    x = flow.tensor(RNG.random((80, 70)).astype("float32"), requires_grad=True)
    y = f(x)
    seed = flow.ones_like(y).detach()
    y.backward(seed)
    a = x.grad.numpy()
    assert a.dtype == np.float32
    assert a.flags.writeable
    assert a.flags.c_contiguous
    assert not np.shares_memory(a, seed.numpy())
    assert not np.shares_memory(a, x.detach().numpy())


@pytest.mark.parametrize("full", [(64, 100), (3, 50, 40), (5001, 2), (2, 9000), (40, 20, 10)])
@pytest.mark.parametrize("leading", [0, 1, 2])
def test_rows_side_by_side(full, leading):
    a = RNG.random(full).astype("float32")
    row = RNG.random(full[leading:]).astype("float32")
    kept = row.reshape((1,) * leading + row.shape)
    column = a[..., :1].copy()
    for one, other in [
        (a, row), (row, a), (a, row.astype("float64")), (a[..., ::-1], row), (a, kept), (kept, a),
        (a, column), (a, kept[None]),
    ]:  # fmt: skip
        got = numpy_fast_paths.of_rows(np.subtract, one, other)
        assert got.dtype == np.subtract(one, other).dtype
        np.testing.assert_array_equal(got, np.subtract(one, other))


def test_the_user_decides_about_freed_memory(monkeypatch):
    from srcgrad.eager import memory

    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "1000000")
    assert not memory.keep_freed()
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_")
    monkeypatch.setattr("sys.platform", "darwin")
    assert not memory.keep_freed()


def test_no_warning_of_a_row_of_zeros():
    code = "import srcgrad as flow; flow.ones(64, 100) / flow.zeros(100)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert not done.stderr
