"""Sparse Hessians: star colorings, both halves, patterns that are given."""

import pickle

import numpy as np
import pytest
from scipy import optimize

import srcgrad as flow
from srcgrad.errors import ArgumentValueError
from srcgrad.sparse.coloring import colors_of_columns, colors_of_symmetric


def drawn(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    n = rng.integers(1, 15)
    flags = rng.random((n, n)) < rng.uniform(0.0, 0.5)
    return flags | flags.T


@pytest.mark.parametrize("seed", range(60))
def test_star_colorings(seed):
    """Neighbours differ, and no path of four vertices has two colors."""
    flags = drawn(seed)
    colors = colors_of_symmetric(*np.nonzero(flags), len(flags))
    near = [np.flatnonzero(row & (np.arange(len(row)) != k)) for k, row in enumerate(flags)]
    for b, others in enumerate(near):
        for c in others:
            assert colors[b] != colors[c]
            for a in near[b]:
                for d in near[c]:
                    if a != c and d != b:
                        assert not (colors[a] == colors[c] and colors[b] == colors[d])


def arrow(x):
    return x[0] * np.sum(np.sin(x[1:])) + np.sum(x**3)


def band(x):
    return np.sum(x[1:] ** 2 * x[:-1]) + np.sum(np.cos(x[2:] * x[:-2]))


def grid(u):
    return np.sum(u[1:] ** 2 * u[:-1]) + np.sum(np.sin(u[:, 1:] * u[:, :-1]))


def blocks(x):
    s = 0.0
    for k in range(0, len(x) - 2, 3):
        s += np.exp(0.1 * x[k] * x[k + 1] * x[k + 2])
    return s


def clipped(x):
    return np.sum(np.where(x[1:] > 0.5, x[1:] * x[:-1], x[1:] ** 2))


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize(
    ("fn", "x", "products"),
    [
        (arrow, np.linspace(0.1, 1.0, 12), 2),
        (band, np.linspace(0.1, 1.0, 12), None),
        (grid, np.linspace(0.1, 1.0, 20).reshape(4, 5), None),
        (blocks, np.linspace(0.1, 1.0, 12), 3),
        (clipped, np.linspace(0.1, 1.0, 12), None),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_the_values_are_those_of_the_dense_one(fn, x, products, target):
    compiled = flow.compile(fn, target=target)
    hess = flow.sparse_hessian(compiled)
    made = hess(x)
    dense = flow.hessian(compiled)(x).reshape(x.size, x.size)
    np.testing.assert_allclose(made.toarray(), dense, rtol=1e-12, atol=1e-14)
    assert (made != made.T).nnz == 0
    rows, columns = hess.plan.pattern.nonzero()
    assert hess.plan.products <= colors_of_columns(rows, columns, x.size).max() + 1
    assert products in (None, hess.plan.products)


def test_several_arguments_and_structures():
    def f(p, k, q):
        return np.sum(p["a"] * q[:2] ** 2) + k * p["b"] * q[2] ** 3

    fn = flow.compile(f, target="python")
    p, q = {"a": np.array([1.0, 2.0]), "b": 0.5}, np.array([0.3, 0.2, 0.1])
    made = flow.sparse_hessian(fn, (0, 2))(p, 2.0, q).toarray()

    def flat(v):
        return fn({"a": v[:2], "b": v[2]}, 2.0, v[3:])

    point = np.concatenate([p["a"], [p["b"]], q])
    whole = flow.hessian(flow.compile(flat, target="python"))(point)
    np.testing.assert_allclose(made, whole, rtol=1e-12)
    swapped = flow.sparse_hessian(fn, (2, 0))(p, 2.0, q).toarray()
    order = [3, 4, 5, 0, 1, 2]
    np.testing.assert_allclose(swapped, whole[np.ix_(order, order)], rtol=1e-12)


def test_patterns_that_are_given():
    x = np.linspace(0.1, 1.0, 6)
    fn = flow.compile(band, target="python")
    upper = np.triu(np.ones((6, 6)))
    hess = flow.sparse_hessian(fn, sparsity=upper)
    np.testing.assert_allclose(hess(x).toarray(), flow.hessian(fn)(x), rtol=1e-12)
    again = flow.sparse_hessian(fn, sparsity=hess.plan)
    np.testing.assert_array_equal(again(x).toarray(), hess(x).toarray())
    with pytest.raises(ArgumentValueError, match="a Hessian is square"):
        flow.sparse_hessian(fn, sparsity=np.ones((6, 5)))


def test_it_can_be_pickled():
    hess = flow.sparse_hessian(arrow)
    x = np.linspace(0.1, 1.0, 5)
    made = hess(x)
    loaded = pickle.loads(pickle.dumps(hess))
    np.testing.assert_array_equal(loaded(x).toarray(), made.toarray())
    assert loaded.plan.products == 2


def test_trust_constr_takes_it():
    def f(x):
        return np.sum((x[1:] - x[:-1] ** 2) ** 2) + np.sum((1.0 - x) ** 2)

    fn = flow.compile(f, target="python")
    found = optimize.minimize(
        fn, np.zeros(6), jac=flow.grad(fn), hess=flow.sparse_hessian(fn), method="trust-constr",
        options={"gtol": 1e-10},
    )  # fmt: skip
    np.testing.assert_allclose(found.x, 1.0, atol=1e-6)
