"""Products, solves, determinants and factorisations."""

import numpy as np

from tests.cases.registry import case, mat, signed, vec

SQUARE = mat(3, 3) + 3.0 * np.eye(3)
SYMMETRIC = SQUARE + SQUARE.T


@case(vec(3), vec(3, 1))
@case(mat(2, 3), vec(3, 1))
@case(vec(2), mat(2, 3, 1))
@case(mat(2, 3), mat(3, 4, 1))
@case(vec(12).reshape(2, 2, 3), mat(3, 2, 1))
@case(vec(12).reshape(2, 2, 3), vec(12, 1).reshape(2, 3, 2))
@case(mat(2, 0), mat(0, 3))
def matmul(a, b):
    return np.sin(a @ b) + np.matmul(a, b) ** 2


@case(vec(3), vec(3, 1))
@case(mat(2, 3), vec(3, 1))
@case(mat(2, 3), mat(3, 2, 1))
@case(mat(2, 3), 1.3)
def dot(a, b):
    return np.dot(a, b) * 2.0


@case(vec(3), vec(4, 1))
def outer_inner_vdot(a, b):
    p = np.outer(a, b)
    return np.sum(p * p) + np.inner(p, b) @ a + np.vdot(a, a) - np.trace(np.outer(a, a))


@case(mat(2, 3), mat(3, 2, 1))
def einsums(a, b):
    s = np.einsum("ij,jk->ik", a, b)
    t = np.einsum("ij,ji->", a, b)
    return np.sum(s * s) * t + np.einsum("ij->j", a).sum() + np.einsum("ij,ij->i", a, b.T)[0]


@case(mat(2, 3), mat(3, 4, 1), vec(3, 2))
def einsums_in_implicit_order(a, b, c):
    s = np.einsum("ij,jk", a, b) + np.einsum("cb,ba", b.T, a.T)
    return s * np.einsum("i,i", c, c) + np.einsum("i, ij, jk -> k", c[:2], a, b)


@case(vec(12).reshape(2, 2, 3), vec(12, 1).reshape(2, 3, 2), vec(2, 2))
def einsums_along_axes(a, b, c):
    s = np.einsum("bij,bjk->bik", a, b) + np.einsum("bij,bjk,b->ibk", a, b, c)
    t = np.einsum("bij,bji->b", a, b) * np.einsum("bij,b->b", a, c, optimize=True)
    return s * t[:, None, None] + np.einsum("bij,bkl->bk", a, b)[0, 1]


@case(vec(12).reshape(2, 2, 3), mat(3, 3, 1), vec(18, 2).reshape(2, 3, 3))
def einsums_with_ellipsis(a, b, c):
    s = np.einsum("...ij,jk->...ik", a, b) + np.einsum("...j,j...", a, b[:, :2])[..., None]
    t = np.einsum("...ij,...jk->...ik", a, c) + np.einsum("...ij,...jk", a, c[:1])
    return s * t * np.einsum("i...->...", a)[0] + np.einsum("...ii->...i", c).sum()


@case(vec(27).reshape(3, 3, 3), mat(3, 3, 1))
def einsums_of_diagonals(a, b):
    s = np.einsum("iii->i", a) * np.einsum("iij->j", a) + np.einsum("iji->j", a)
    return s * np.einsum("ii", b) + np.einsum("iij,ji->i", a, b) + np.einsum("ij,kij->k", b, a)


@case(mat(2, 3), mat(3, 2, 1), 1.3)
def einsums_by_lists(a, b, x):
    s = np.einsum(a, [0, 1], b, [1, 2], [2, 0]) + np.einsum(a, [0, 1], b, [1, 2]).T
    return s + np.einsum(b, [Ellipsis, 0], [0, Ellipsis])[:, :2] + np.einsum(",ij->ji", x, a)[:2]


@case(vec(24).reshape(2, 3, 4))
def diagonals_of_stacks(a):
    d = np.diagonal(a, 1, 1, 2) * np.linalg.diagonal(a, offset=1)
    t = np.trace(a, axis1=2, axis2=0) + a.trace(-1, 1, 2).sum() + np.linalg.trace(a)[0]
    return d.sum() * t + a.diagonal(axis1=1, axis2=0)[0, 0] * np.matrix_transpose(a)[0, 1, 2]


@case(mat(2, 3), mat(3, 2, 1))
def contractions(a, b):
    return np.tensordot(a, b, axes=1).sum() * np.tensordot(a, b.T, axes=2) + np.kron(a, b)[1, 2]


@case(SQUARE, vec(3))
@case(SQUARE, mat(3, 2))
def solve(a, b):
    x = np.linalg.solve(a, b)
    return np.sum(x * x) * 10.0


@case(SQUARE)
def inverse_and_determinant(a):
    sign, log_det = np.linalg.slogdet(a)
    return np.sum(np.linalg.inv(a) ** 2) + 0.01 * np.linalg.det(a) + sign * log_det


@case(SYMMETRIC)
def cholesky(a):
    factor = np.linalg.cholesky(a)
    return np.sum(factor * np.arange(9.0).reshape(3, 3)) + np.sum(np.log(np.diag(factor)))


@case(mat(4, 2) + np.eye(4, 2), vec(4))
def least_squares_by_normal_equations(a, b):
    x = np.linalg.solve(a.T @ a, a.T @ b)
    residual = b - a @ x
    return residual @ residual + x[0]


@case(mat(3, 3))
def triangles_and_diagonals(a):
    s = np.tril(a) @ np.triu(a, 1) + np.diag(np.diag(a)) * 2.0
    return s + np.diagonal(a, 1).sum() * np.eye(3) - np.trace(a)


@case(vec(3), vec(4, 1))
def names_of_linalg(a, b):
    p = np.linalg.matmul(np.linalg.outer(a, b), np.linalg.outer(b, a))
    return np.linalg.tensordot(p, p.T, axes=1) * np.linalg.trace(p, offset=1)


@case(vec(3), vec(3, 1))
def cross_product(a, b):
    return np.cross(a, b) * np.array([1.0, 2.0, 3.0])


@case(vec(8).reshape(2, 2, 2) + np.eye(2))
def matrix_powers_of_a_stack(a):
    powers = np.linalg.matrix_power(a, 3) + np.linalg.matrix_power(a, -2)
    return powers * np.linalg.matrix_power(a, 0)


@case(mat(3, 3), 3)
def matrix_powers(a, n):
    return np.linalg.matrix_power(a, 3) * 0.1 + np.linalg.multi_dot((a, a.T, a)) * n


@case(SYMMETRIC)
def cholesky_by_loops(a):
    """Cholesky-Banachiewicz in place on the lower triangle."""
    n = a.shape[0]
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= a[i, k] * a[j, k]
            if i == j:
                a[i, i] = np.sqrt(s)
            else:
                a[i, j] = s / a[j, j]
    log_det = 0.0
    for i in range(n):
        log_det += 2.0 * np.log(a[i, i])
    return log_det + a[2, 0] * a[1, 0]


@case(SQUARE, signed(3))
def gaussian_elimination(a, b):
    n = len(b)
    for k in range(n):
        pivot = k + np.argmax(np.abs(a[k:, k]))
        if pivot != k:
            for j in range(n):
                a[k, j], a[pivot, j] = a[pivot, j], a[k, j]
            b[k], b[pivot] = b[pivot], b[k]
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            a[i, k:] -= factor * a[k, k:]
            b[i] -= factor * b[k]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return np.sum(x * x)
