"""Stacks of matrices times one matrix or vector: one product, NumPy's values, shapes and errors."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.testing import check_grads


def product(x, w):
    return np.tanh(x @ w)


def stored(x, w):
    y = x @ w
    y[0] = 0.0
    y[:, 1] *= 2
    return np.sum(y * y)


SHAPES = [
    ((2, 3, 4), (4, 5)), ((2, 3, 4), (4,)), ((2, 0, 4), (4, 5)), ((0, 3, 4), (4, 5)),
    ((2, 3, 0), (0, 5)), ((2, 1, 3, 4), (4, 2)), ((1, 1, 1), (1, 1)), ((2, 2, 3, 4), (4,)),
]  # fmt: skip
LAYOUTS = {
    "contiguous": lambda x: x,
    "transposed": lambda x: np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2),
    "reversed": lambda x: x[::-1],
    "a step": lambda x: np.repeat(x, 2, axis=0)[::2],
    "single": lambda x: x.astype(np.float32),
}


def drawn(shape, seed):
    return np.random.default_rng(seed).normal(size=shape)


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shapes", SHAPES)
def test_values(shapes, layout, target):
    x, w = LAYOUTS[layout](drawn(shapes[0], 0)), drawn(shapes[1], 1)
    y, want = flow.compile(product, target=target)(x, w), product(x, w)
    assert (y.shape, y.dtype) == (want.shape, want.dtype)
    np.testing.assert_allclose(y, want, rtol=1e-12 if x.dtype == float else 1e-5)
    if x.size and x.dtype == w.dtype:
        check_grads(product, (x, w), target=target)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_stores_to_the_product(target):
    check_grads(stored, (drawn((2, 3, 4), 0), drawn((4, 5), 1)), target=target)


@pytest.mark.parametrize("shape", [(3, 5), (3,)])
def test_lengths_that_differ(shape):
    with pytest.raises(ValueError, match=r"not aligned: 4 .* != 3"):
        flow.compile(product, target="python")(drawn((2, 3, 4), 0), drawn(shape, 1))


def test_one_product_and_one_for_each_gradient():
    g = flow.grad(flow.compile(stored, target="python"), (0, 1))
    g(drawn((2, 3, 4), 0), drawn((4, 5), 1))
    text = g.ir("adjoint")
    assert text.count("matmul(") == 3
    assert "broadcast_to(w" not in text
