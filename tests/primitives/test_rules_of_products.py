"""Products along an axis: right to second order with any number of zeros, however computed."""

import itertools

import numpy as np
import pytest

import srcgrad as flow

TARGETS = pytest.mark.parametrize("target", ["python", "loops", "cpu"])
FACTORS = [
    np.array(x)
    for x in ([], [3.0], [0.0], [2.0, 3.0, 5.0], [0.0, 3.0, 5.0], [2.0, 0.0, 0.0, 5.0], [0.0] * 3)
]


def others(x, *left_out):
    return np.prod([v for k, v in enumerate(x) if k not in left_out])


def hessian(x):
    n = len(x)
    made = np.zeros((n, n))
    for i, j in itertools.permutations(range(n), 2):
        made[i, j] = others(x, i, j)
    return made


@TARGETS
@pytest.mark.parametrize("x", FACTORS, ids=str)
def test_compiled(x, target):
    def product(x):
        return np.prod(x)

    compiled = flow.compile(product, target=target)
    gradient = flow.grad(compiled)
    assert compiled(x) == np.prod(x)
    np.testing.assert_array_equal(gradient(x), [others(x, k) for k in range(len(x))])
    if len(x):
        np.testing.assert_array_equal(flow.jacfwd(gradient)(x), hessian(x))
        np.testing.assert_array_equal(flow.jacrev(gradient)(x), hessian(x))
        np.testing.assert_array_equal(flow.jacfwd(compiled)(x), gradient(x))


@pytest.mark.parametrize("x", FACTORS[1:], ids=str)
def test_tensors(x):
    t = flow.tensor(x, requires_grad=True)
    (g,) = flow.autograd.grad(t.prod(), t, create_graph=True)
    np.testing.assert_array_equal(g.detach().numpy(), [others(x, k) for k in range(len(x))])
    for k in range(len(x)):
        (row,) = flow.autograd.grad(g[k], t, retain_graph=True)
        np.testing.assert_array_equal(row.numpy(), hessian(x)[k])


@TARGETS
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 2)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_along_any_axes(axis, dtype, target):
    x = np.arange(24.0).reshape(2, 3, 4)[:, ::-1].astype(dtype) / 8

    def products(x):
        return np.real(np.sum(np.prod(x, axis=axis)))

    compiled = flow.compile(products, target=target)
    step = np.random.default_rng(0).normal(size=x.shape).astype(dtype)
    got = np.real(np.sum(flow.grad(compiled)(x) * step))
    h = 1e-6
    wide = x.astype("complex128" if dtype == "complex128" else "float64")
    want = (products(wide + h * step) - products(wide - h * step)) / (2 * h)
    np.testing.assert_allclose(got, want, rtol=1e-4 if dtype == "float32" else 1e-6)
    assert flow.grad(compiled)(x).dtype == dtype


@TARGETS
@pytest.mark.parametrize("x", FACTORS[1:], ids=str)
def test_running_products(x, target):
    def last_two(x, w):
        return np.sum(np.cumprod(x) * w)

    n = len(x)
    w = np.arange(1.0, n + 1)
    gradient = flow.grad(flow.compile(last_two, target=target))
    want = [sum(w[i] * others(x[: i + 1], k) for i in range(k, n)) for k in range(n)]
    np.testing.assert_array_equal(gradient(x, w), want)
    second = sum(w[i] * np.pad(hessian(x[: i + 1]), (0, n - i - 1)) for i in range(n))
    np.testing.assert_array_equal(flow.jacfwd(gradient)(x, w), second)


@TARGETS
def test_a_product_that_nobody_reads_has_the_gradient_zero(target):
    def first(x):
        return np.prod(x, axis=1)[0]

    x = np.array([[2.0, 3.0, 4.0], [np.inf, np.nan, 0.0]])
    got = flow.grad(flow.compile(first, target=target))(x)
    np.testing.assert_array_equal(got, [[12.0, 8.0, 6.0], [0.0, 0.0, 0.0]])
