"""Polynomials whose highest coefficients are 0: NumPy's length, and no derivative by those."""

import numpy as np
import pytest
from numpy.polynomial import chebyshev, polynomial

import srcgrad as flow

FIRST = [lambda c: np.polymul(c, [1.0, 2.0]), lambda c: np.polymul([0.0, 3.0], c)]
LAST = [
    lambda c: polynomial.polymul(c, [1.0, 2.0]), lambda c: polynomial.polyadd([1, 2, 0, 0], c),
    lambda c: chebyshev.chebmul(c, [0.0, 2.0]), lambda c: polynomial.polytrim(c),
]  # fmt: skip


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", [*FIRST, *LAST])
def test_a_coefficient_that_is_dropped(f, target):
    dropped = 0 if f in FIRST else 2
    c = np.array([2.0, 1.0, 3.0])
    c[dropped] = 0.0
    loss = lambda c: np.sum(f(c) ** 2)
    compiled = flow.compile(f, target=target)
    np.testing.assert_array_equal(compiled(c), f(c))
    assert compiled(c).shape == f(c).shape
    got = flow.grad(flow.compile(loss, target=target))(c)
    assert np.isnan(got[dropped])
    # the others: by differences that leave it 0
    for k in {0, 1, 2} - {dropped}:
        step = 1e-6 * np.eye(3)[k]
        want = (loss(c + step) - loss(c - step)) / 2e-6
        np.testing.assert_allclose(got[k], want, rtol=1e-6)
    c[dropped] = 0.5
    flow.testing.gradcheck(loss, (c,), target=target)


def test_nothing_is_lost_where_the_result_does_not_reach_the_loss():
    loss = lambda c: np.polymul(c, [1.0, 2.0])[-1] * 0.0
    np.testing.assert_array_equal(flow.grad(loss)(np.array([0.0, 1.0, 2.0])), 0.0)


def test_all_zeros():
    for f in (*FIRST, *LAST):
        for c in (np.zeros(3), np.zeros(1), np.zeros(3, np.int64)):
            got = flow.compile(f, target="python")(c)
            assert got.dtype == f(c).dtype
            np.testing.assert_array_equal(got, f(c))
