"""Eigenvalues, singular values, QR, least squares and what is computed from them.

Vectors are determined up to their sign: the results do not depend on it.
"""

import numpy as np

from tests.cases.complex_numbers import zmat
from tests.cases.registry import case, mat, vec

TALL, WIDE, SQUARE = mat(4, 3) + np.eye(4, 3), mat(2, 4), mat(3, 3) + 2.0 * np.eye(3)
STACK = vec(18).reshape(2, 3, 3) + np.diag([1.0, 2.0, 4.0])


@case(SQUARE)
def symmetric_eigenvalues(a):
    w, v = np.linalg.eigh(a)
    return np.sum(w * np.array([1.0, 2.0, 3.0])) + v[:, 0] ** 2 @ np.array([1.0, -2.0, 3.0])


@case(SQUARE)
def upper_triangle_is_read(a):
    found = np.linalg.eigh(a, UPLO="U")
    sums = found.eigenvectors**4 @ found.eigenvalues
    return sums + np.linalg.eigvalsh(a, "U") * np.linalg.eigvalsh(a)[0]


@case(SQUARE)
def function_of_a_symmetric_matrix(a):
    w, v = np.linalg.eigh(a + a.T)
    return (v * np.exp(-0.3 * w)) @ v.T


@case(STACK)
def eigenvalues_of_a_stack(a):
    w, v = np.linalg.eigh(a)
    return w**2 + np.sum(v**4, axis=1) + np.linalg.eigvalsh(a)


@case(SQUARE)
@case(zmat(3, 3))
def any_eigenvalues(a):
    w, v = np.linalg.eig(a.astype(complex) + 0.3j)
    return np.sum(np.abs(w) ** 2) + w[0].real * np.linalg.eigvals(a + 1j)[1].imag + v[0, 1].real


@case(SQUARE)
def real_eigenvalues(a):
    w, v = np.linalg.eig((a @ a.T + np.eye(3)) @ np.diag(np.array([1.0, 2.0, 4.0])))
    return w @ w + v[0] ** 2 @ np.linalg.eigvals(a @ a.T)


@case(np.stack([SQUARE, SQUARE.T + 0.1]))
def real_eigenvalues_of_a_stack(a):
    w, v = np.linalg.eig(a @ np.swapaxes(a, 1, 2) @ np.diag(np.array([1.0, 2.0, 4.0])))
    return w + np.sum(v**4, axis=1)


@case(zmat(3, 3))
def function_of_any_matrix(a):
    w, v = np.linalg.eig(a)
    root = (v * np.sqrt(w)) @ np.linalg.inv(v)
    return np.sum(np.abs(root @ root - 2.0 * a) ** 2) + root.imag[0, 1]


@case(zmat(6, 3).reshape(2, 3, 3))
def any_eigenvalues_of_a_stack(a):
    w, v = np.linalg.eig(a)
    return np.abs(w) + np.sum(np.abs(v) ** 4, axis=1)


@case(TALL)
@case(WIDE)
@case(SQUARE)
def singular_vectors(a):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    weights = np.arange(1.0, len(s) + 1.0)
    return (u * (weights * np.sqrt(s))) @ vt + u[0, 0] ** 2 * vt[0, 1] ** 2


@case(SQUARE)
def whole_bases_of_a_square_matrix(a):
    found = np.linalg.svd(a)
    return found.U**2 @ found.S + np.sum(found.Vh**2 * np.arange(9.0).reshape(3, 3))


@case(TALL)
@case(WIDE)
def singular_values(a):
    s = np.linalg.svd(a, compute_uv=False)
    return s * np.log(s) + np.linalg.svdvals(a)[0]


@case(STACK)
@case(vec(12).reshape(2, 1, 2, 3))
def singular_values_of_a_stack(a):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return np.sum(u**4, axis=-2) + s + np.sum(vt**4, axis=-1) * np.linalg.svdvals(a)


@case(TALL)
@case(WIDE)
@case(SQUARE)
def orthogonal_triangular(a):
    q, r = np.linalg.qr(a)
    return (
        np.sum(q[:, 0] ** 2 * np.arange(len(q))) + np.abs(r) @ np.ones(a.shape[1]) + (q @ r)[0, 1]
    )


@case(TALL)
@case(WIDE)
def triangle_alone(a):
    r = np.linalg.qr(a, mode="r")
    return r.T @ r * 0.5 + np.linalg.qr(a[:2], mode="complete").R[0, 0] ** 2


@case(TALL, 3)
@case(WIDE, 2)
@case(SQUARE, 3)
def orthogonal_triangular_in_branches(a, n):
    """The rule decides by lengths that only the branch has."""
    total = 0.0
    for i in range(n):
        if a[0, 0] * i < 5.0:
            q, r = np.linalg.qr(a * (i + 1.0) + i)
            total = total + q[1, 0] * np.sum(np.abs(r))
            a = a + 0.1 * q @ r
    return total


@case(STACK)
def orthogonal_triangular_of_a_stack(a):
    q, r = np.linalg.qr(a)
    return np.sum(q**4, axis=-1) + np.sum(r**2, axis=-1)


@case(TALL)
@case(WIDE)
@case(STACK)
def pseudoinverse(a):
    return np.linalg.pinv(a) + np.linalg.pinv(a * 2.0, rtol=None)


@case(np.outer(vec(3), vec(4, 1)))
def pseudoinverse_of_low_rank(a):
    """Differentiable among the matrices of its rank."""
    return np.linalg.pinv(np.outer(a[:, 0], a[0]), rcond=1e-5)


@case(TALL, vec(4))
@case(TALL, mat(4, 2, 1))
@case(WIDE, vec(2))
@case(SQUARE, mat(3, 2, 1))
def least_squares(a, b):
    x, left, rank, s = np.linalg.lstsq(a, b, rcond=None)
    return np.sum(x * x) * rank + np.sum(left**2) + np.sum(s)


@case(mat(5, 2), vec(5), vec(5, 2))
def weighted_line_fit(a, b, w):
    x = np.linalg.lstsq(a * w[:, None], b * w)[0]
    return x[0] * np.sum((a @ x - b) ** 2)


@case(TALL, 1e-3)
@case(STACK, 1e-3)
def ranks(a, tol):
    return np.sum(a) * np.linalg.matrix_rank(a) + np.linalg.matrix_rank(a * 1e-6, tol=tol)


@case(SQUARE)
def condition_numbers(a):
    ordinary = np.linalg.cond(a) + np.linalg.cond(a, 2) * np.linalg.cond(a, -2)
    return ordinary + np.linalg.cond(a, 1) + np.linalg.cond(a, np.inf) + np.linalg.cond(a, "fro")


@case(STACK)
def condition_numbers_of_a_stack(a):
    return np.linalg.cond(a) + np.linalg.cond(a, -1)


@case(TALL)
@case(WIDE)
def matrix_norms(a):
    sums = np.linalg.norm(a, 1) + np.linalg.norm(a, -1) * np.linalg.norm(a, np.inf)
    values = np.linalg.norm(a, 2) + np.linalg.norm(a, -2) * np.linalg.norm(a, "nuc")
    return sums + values + np.linalg.norm(a, "fro") + np.linalg.norm(a, -np.inf, keepdims=True)


@case(vec(24).reshape(2, 3, 4))
def norms_along_two_axes(a):
    sums = np.linalg.norm(a, 1, axis=(2, 0)) + np.linalg.norm(a, np.inf, axis=(-1, 0))
    values = np.linalg.norm(a, 2, axis=(0, 2)) + np.linalg.norm(a, "nuc", axis=(2, 0))
    kept = np.linalg.norm(a, -2, axis=(0, 1), keepdims=True)
    return (
        sums * values + np.sum(kept) + np.linalg.norm(a, "fro", axis=(0, 1), keepdims=True)[0, 0, 1]
    )


@case(mat(3, 4), 3.5)
def vector_norms(a, p):
    rows = (
        np.linalg.norm(a, p, axis=1) + np.linalg.norm(a, 3, axis=-1) + np.linalg.norm(a, 0, axis=1)
    )
    whole = np.linalg.vector_norm(a) + np.linalg.vector_norm(a, ord=1, axis=(0, 1))
    return rows * whole + np.linalg.norm(a, -np.inf, axis=1, keepdims=True)[1, 0]


@case(vec(16).reshape(2, 2, 4) + np.eye(4).reshape(2, 2, 4), mat(2, 2, 1))
def tensor_solves(a, b):
    x = np.linalg.tensorsolve(a, b)
    moved = np.linalg.tensorsolve(np.moveaxis(a, 2, 0), b, axes=(0,))
    return x * moved + np.linalg.tensorinv(a)[0, 0, 1]


@case(STACK, mat(2, 3, 1))
@case(STACK, vec(3, 1))
@case(SQUARE, vec(12, 1).reshape(2, 3, 2))
def solves_of_stacks(a, b):
    right = b[..., None] if b.ndim == 2 else b
    return np.linalg.solve(a, right) ** 2


@case(STACK)
def inverses_of_a_stack(a):
    sign, log = np.linalg.slogdet(a)
    return np.sum(np.linalg.inv(a) ** 2, axis=(1, 2)) + np.linalg.det(a) + sign * log


@case(STACK)
def cholesky_of_a_stack(a):
    b = a @ np.swapaxes(a, 1, 2)
    return np.linalg.cholesky(b) ** 2 + np.linalg.cholesky(b, upper=True)


@case(mat(6, 3))
def principal_components(x):
    """Shares of the variance, and the distance from a plane."""
    centred = x - np.mean(x, axis=0)
    _, s, vt = np.linalg.svd(centred, full_matrices=False)
    plane = centred @ vt[:2].T
    return s**2 / np.sum(s**2) + np.sum((plane @ vt[:2] - centred) ** 2)


@case(np.array([1.0, 0.3, 0.7]))
@case(np.array([1.0, 3.3, -0.7]))
def eigenvalues_that_are_stored_to(p):
    w = np.roots(p)
    outside = np.abs(w) > 1.0
    w[outside] = 1.0 / w[outside]
    return np.sum(np.abs(w) ** 2)
