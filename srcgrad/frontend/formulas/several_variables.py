"""Densities of several variables of scipy.stats.

A covariance without full rank is a point of the manifold of those of its rank: the density is that
on its range, and so is the derivative, which knows of no direction that changes the rank. It is
that of a covariance made as `root @ root.T`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from srcgrad.frontend.formulas.registry import constant, is_static
from srcgrad.frontend.formulas.scipy_linalg import symmetric

LOG_2PI = math.log(2.0 * math.pi)
# eigenvalues up to this part of the largest are 0
SMALL = 1e6 * float(np.finfo(np.float64).eps)
NOT_DEFINITE = (
    "When `allow_singular is False`, the input matrix must be symmetric positive definite."
)


# ---- parameters ----
def of_mean_and_cov(mean: Any, cov: Any) -> tuple[Any, Any]:
    """The mean as a vector and the covariance as a matrix.

    >>> of_mean_and_cov([1.0, 2.0], 3.0)[1].tolist()
    [[3.0, 0.0], [0.0, 3.0]]
    """
    cov = np.asarray(1.0 if cov is None else cov, dtype=np.float64)
    if mean is None:
        mean = np.zeros(cov.shape[0] if cov.ndim == 2 else 1)
    mean = np.asarray(mean, dtype=np.float64)
    if mean.ndim != 1:
        if mean.size != 1:
            raise ValueError(f"Array 'mean' must be a vector of length {mean.size}.")
        mean = np.reshape(mean, (1,))
    n = mean.shape[0]
    if cov.ndim == 0:
        cov = cov * np.eye(n)
    elif cov.ndim == 1:
        cov = np.diag(cov)
    elif cov.ndim > 2:
        raise ValueError("Array 'cov' must be at most two-dimensional")
    if cov.shape[0] != n or cov.shape[1] != n:
        raise ValueError("the mean is as long as the covariance is wide and high")
    if n == 0:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    return mean, cov


def eigenvalues(cov: Any) -> tuple[Any, Any, Any]:
    """Eigenvalues and vectors without a derivative, and up to where a value is 0."""
    s, u = np.linalg.eigh(constant(cov))
    eps = SMALL * np.max(np.abs(s))
    if np.min(s) < -eps:
        raise ValueError("The input matrix must be symmetric positive semidefinite.")
    return s, u, eps


# ---- normal ----
def multivariate_normal_logpdf(
    x: Any, mean: Any = None, cov: Any = 1, allow_singular: Any = False
) -> Any:
    """log f of vectors along the last axis.

    >>> round(float(multivariate_normal_logpdf(np.zeros(2), np.zeros(2), np.eye(2))), 6)
    -1.837877
    """
    mean, cov = of_mean_and_cov(mean, cov)
    x = np.asarray(x, dtype=np.float64)
    n = cov.shape[0]
    of_numbers = n == 1 if is_static(n) else False
    x = np.expand_dims(x, -1) if x.ndim == 0 or (of_numbers and x.ndim == 1) else x
    gap = x - mean
    if gap.shape[-1] != n:
        raise ValueError("the vectors are as long as the covariance is wide")
    rows = np.reshape(gap, (-1, n))
    found = on_range(rows, cov) if allow_singular else regular(rows, definite_root(cov))
    found = np.squeeze(np.reshape(found, gap.shape[:-1]))  # also of one vector in a stack
    return found[()] if found.ndim == 0 else found


def definite_root(cov: Any) -> Any:
    """The Cholesky factor of a covariance, which rounding alone must not make definite."""
    root = np.linalg.cholesky(cov)
    pivots = np.diagonal(root)
    if np.min(pivots) < 0.01 * np.max(pivots):
        s, _, eps = eigenvalues(cov)
        if np.any(s <= eps):
            raise np.linalg.LinAlgError(NOT_DEFINITE)
    return root


def regular(rows: Any, root: Any) -> Any:
    """log f of the rows of a matrix, by the Cholesky factor."""
    z = np.linalg.solve(root, rows.T)
    distance = np.sum(z * z, axis=0)
    return -0.5 * (root.shape[0] * LOG_2PI + distance) - np.sum(np.log(np.diagonal(root)))


def on_range(rows: Any, cov: Any) -> Any:
    """log f of the rows of a matrix, -inf beside the range of the covariance.

    >>> on_range(np.array([[1.0, 1.0], [1.0, 0.0]]), np.ones((2, 2))).round(6).tolist()
    [-1.765512, -inf]
    """
    s, u, eps = eigenvalues(cov)
    beside = np.where(s > eps, 0.0, constant(rows) @ u)
    inside = np.sqrt(np.sum(beside**2, axis=-1)) < 1e3 * eps
    without = np.sum(s <= eps)
    found = regular(rows, np.linalg.cholesky(filled(cov, s, eps)))
    found = found + 0.5 * without * (LOG_2PI + log_largest(s))
    return np.where(inside, found, -np.inf)


def log_largest(s: Any) -> Any:
    """The logarithm of the largest eigenvalue; 0 if all are 0."""
    return np.log(np.where(np.max(s) > 0.0, np.max(s), 1.0))


def filled(cov: Any, s: Any, eps: Any) -> Any:
    """The covariance with the largest eigenvalue in place of each that is 0.

    >>> round(float(np.linalg.det(filled(np.ones((2, 2)), np.array([0.0, 2.0]), 1e-9))), 6)
    4.0
    """
    if np.all(s > eps):
        return cov
    cov = symmetric(cov, True)
    onto = cov @ np.linalg.pinv(cov, SMALL)
    beside = np.eye(cov.shape[0]) - onto
    return onto @ cov @ onto.T + np.exp(log_largest(s)) * beside


def multivariate_normal_pdf(
    x: Any, mean: Any = None, cov: Any = 1, allow_singular: Any = False
) -> Any:
    """f of vectors along the last axis.

    >>> round(float(multivariate_normal_pdf(np.zeros(2), np.zeros(2), np.eye(2))), 6)
    0.159155
    """
    return np.exp(multivariate_normal_logpdf(x, mean, cov, allow_singular))


def multivariate_normal_entropy(mean: Any = None, cov: Any = 1) -> Any:
    """-E[log f], which depends on `cov` alone.

    >>> round(float(multivariate_normal_entropy(None, np.eye(2))), 6)
    2.837877
    """
    cov = of_mean_and_cov(mean, cov)[1]
    s, _, eps = eigenvalues(cov)
    root = np.linalg.cholesky(filled(cov, s, eps))
    volume = np.sum(np.log(np.diagonal(root))) - 0.5 * np.sum(s <= eps) * log_largest(s)
    return 0.5 * np.sum(s > eps) * (LOG_2PI + 1.0) + volume


# ---- compositions ----
def dirichlet_logpdf(x: Any, alpha: Any) -> Any:
    """log f of one composition, or of the columns of a matrix.

    >>> round(float(dirichlet_logpdf(np.array([0.5, 0.5]), np.array([1.0, 1.0]))), 6)
    0.0
    """
    x, alpha = np.asarray(x, dtype=np.float64), np.asarray(alpha, dtype=np.float64)
    if x.shape[0] != alpha.shape[0]:
        raise ValueError("the parameters and the parts of a composition are equally many")
    norm = np.sum(special.gammaln(alpha)) - special.gammaln(np.sum(alpha))
    powers = np.reshape(alpha - 1.0, (-1,) + (1,) * (x.ndim - 1))
    return np.sum(special.xlogy(powers, x), axis=0) - norm


def dirichlet_pdf(x: Any, alpha: Any) -> Any:
    """f of one composition, or of the columns of a matrix.

    >>> round(float(dirichlet_pdf(np.array([0.5, 0.5]), np.array([1.0, 1.0]))), 6)
    1.0
    """
    return np.exp(dirichlet_logpdf(x, alpha))
