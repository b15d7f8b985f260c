"""Densities of several variables of scipy.stats, also of covariances without full rank."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

import srcgrad as flow

NORMAL = stats.multivariate_normal
DRAW = np.random.default_rng(3)
ROOT, LOW = DRAW.normal(size=(3, 3)), DRAW.normal(size=(3, 2))
M, X, XS = DRAW.normal(size=3), DRAW.normal(size=3), DRAW.normal(size=(4, 3))
FULL, SINGULAR = ROOT @ ROOT.T, LOW @ LOW.T
WITHIN = M + DRAW.normal(size=(4, 2)) @ LOW.T


def density(x, m, c):
    return NORMAL.pdf(x, mean=m, cov=c, allow_singular=True)


def logarithm(x, m, c):
    return NORMAL.logpdf(x, m, c, allow_singular=True)


def of_full_rank(x, m, c):
    return NORMAL.logpdf(x, m, c)


def frozen(x, m, c):
    return NORMAL(m, c, allow_singular=True).logpdf(x)


def entropy(x, m, c):
    return NORMAL.entropy(m, c) + 0.0 * np.sum(x)


ARGUMENTS = [
    (X, M, FULL), (XS, M, FULL), (X, M, SINGULAR), (WITHIN, M, SINGULAR), (WITHIN[0], M, SINGULAR),
    (X, M, 2.0), (X, M, np.array([1.0, 2.0, 3.0])), (X, M, np.array([1.0, 0.0, 3.0])),
    (0.5, 0.0, 2.0), (X, 0.3, 2.0), (XS, 0.3, 2.0), (X, None, FULL), (0.5, None, 1.0),
    (M, M, np.zeros((3, 3))), (M + np.array([1.0, 2.0, 0.0]), M, np.diag([1.0, 1.0, 0.0])),
    (M + X, M, np.outer(X, X)), (X[:1], M[:1], FULL[:1, :1]),
    # these raise
    (X, M, -FULL), (X[:2], M, FULL), (X, M[:2], FULL), (X, None, np.ones(3)), (X, M[None], FULL),
    (X, M, FULL[None]), (X[:0], M[:0], FULL[:0, :0]),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("f", [density, logarithm, of_full_rank, frozen, entropy])
def test_values_are_scipys(f: Callable[..., Any]):
    compiled = flow.compile(f, target="python")
    for args in ARGUMENTS:
        try:
            want = f(*args)
        except ValueError as error:
            with pytest.raises(type(error)):
                compiled(*args)
        else:
            np.testing.assert_allclose(compiled(*args), want, rtol=1e-7)


def on_the_range(root, m, z):
    return NORMAL.logpdf(m + root @ z, m, root @ root.T, allow_singular=True)


def along_the_range(root, m, x):
    return NORMAL.logpdf(x, x - root @ m[:2], root @ root.T, allow_singular=True)


def of_the_root(root):
    return NORMAL.entropy(cov=root @ root.T)


def differences(f: Callable[..., Any], args: tuple, k: int) -> np.ndarray:
    made = np.zeros_like(args[k])
    for at in np.ndindex(made.shape):
        low, high = [a.copy() for a in args], [a.copy() for a in args]
        low[k][at] -= 1e-6
        high[k][at] += 1e-6
        made[at] = (f(*high) - f(*low)) / 2e-6
    return made


FLAT = np.eye(3)[:, :2].copy()  # the eigenvalues that are not 0 are equal
ON_RANGES = [
    (on_the_range, (LOW, M, X[:2])), (on_the_range, (ROOT, M, X)), (on_the_range, (FLAT, M, X[:2])),
    (along_the_range, (LOW, M, X)), (of_the_root, (LOW,)), (of_the_root, (ROOT,)),
    (on_the_range, (LOW[:, :1].copy(), M, X[:1])),
]  # fmt: skip


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize(("f", "args"), ON_RANGES)
def test_derivatives_along_ranges(f: Callable[..., Any], args: tuple, target: str):
    for k in range(len(args)):
        found = flow.grad(f, k, target=target)(*args)
        np.testing.assert_allclose(found, differences(f, args, k), 1e-6, 1e-6)


@pytest.mark.parametrize("root", [LOW, FLAT, ROOT])
def test_second_derivatives_along_ranges(root: np.ndarray):
    def f(v):
        w = v.reshape(root.shape)
        return NORMAL.logpdf(w @ np.ones(w.shape[1]), np.zeros(3), w @ w.T, allow_singular=True)

    gradient, v = flow.grad(f), root.ravel()
    step = 1e-5 * np.eye(v.size)
    want = [(gradient(v + e) - gradient(v - e)) / 2e-5 for e in step]
    np.testing.assert_allclose(flow.hessian(f)(v), want, atol=1e-5)


def test_no_derivative_leads_to_another_rank():
    def of_cov(c):
        return NORMAL.logpdf(np.zeros(3), np.zeros(3), c, allow_singular=True)

    found = flow.grad(of_cov)(np.diag([1.0, 2.0, 0.0]))
    np.testing.assert_allclose(found, np.diag([-0.5, -0.25, 0.0]), atol=1e-12)


# ---- made outside ----
PRIOR = NORMAL(M, FULL)
PLANE = NORMAL(np.zeros(3), np.diag([1.0, 2.0, 0.0]), allow_singular=True)
NUMBERS = NORMAL(0.5, 2.0)
PARTS = stats.dirichlet([1.0, 2.0, 3.0])


def of_priors(x):
    y = PRIOR.logpdf(x) + PRIOR.pdf(x) * PRIOR.entropy() + np.sum(PRIOR.mean * x)
    y += PLANE.logpdf(x * np.array([1.0, 1.0, 0.0])) + np.sum(NUMBERS.logpdf(x))
    return y + PARTS.logpdf(x**2 / np.sum(x**2)) * PARTS.pdf(np.ones(3) / 3.0)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_distributions_that_are_captured(target: str):
    value, gradient = flow.value_and_grad(of_priors, target=target)(X)
    assert value == pytest.approx(of_priors(X))
    np.testing.assert_allclose(gradient, differences(of_priors, (X,), 0), atol=1e-6)
