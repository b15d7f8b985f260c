"""Functions of scipy.linalg: triangular and factored systems, exponentials, structured matrices."""

import numpy as np
import scipy.linalg
from scipy.linalg import cho_factor, cho_solve, expm, lu_factor, lu_solve, solve_triangular

from tests.cases.registry import case, mat, signed, vec

SQUARE = mat(3, 3) + 3.0 * np.eye(3)
# rows that partial pivoting exchanges
SHUFFLED = SQUARE[[2, 0, 1]]


@case(SQUARE, vec(3))
@case(SQUARE, mat(3, 2, 1))
def triangular_systems(a, b):
    low = solve_triangular(a, b, lower=True) + solve_triangular(a, b, lower=True, trans="T")
    high = solve_triangular(a, b) * solve_triangular(a, b, trans=1, check_finite=False)
    return low * high + solve_triangular(a * 0.2, b, lower=True, unit_diagonal=True)


@case(SQUARE, vec(3))
@case(SQUARE, mat(3, 2, 1))
def systems_with_structure(a, b):
    x = scipy.linalg.solve(a, b) + scipy.linalg.solve(a, b, transposed=True)
    x += scipy.linalg.solve(a, b, assume_a="sym") * scipy.linalg.solve(a, b, True, assume_a="pos")
    x += scipy.linalg.solve(a, b, assume_a="lower triangular", overwrite_a=False)
    return x * np.sum(scipy.linalg.inv(a)) + scipy.linalg.det(a)


@case(SQUARE, vec(3))
def cholesky_factors(a, b):
    upper, lower = scipy.linalg.cholesky(a), scipy.linalg.cholesky(a, lower=True)
    c, low = cho_factor(a, lower=True)
    x = cho_solve((c, low), b) + cho_solve(cho_factor(a), b)
    return np.sum(upper**2) * x + np.diag(lower) + c[0]


@case(SHUFFLED, vec(3))
@case(SHUFFLED, mat(3, 2, 1))
def lu_factors(a, b):
    both, pivots = lu_factor(a)
    x = lu_solve((both, pivots), b) * lu_solve((both, pivots), b, trans=1)
    return x + np.sum(both * np.arange(9.0).reshape(3, 3)) * pivots[0]


@case(SHUFFLED)
def lu_parts(a):
    p, low, up = scipy.linalg.lu(a)
    permuted, _ = scipy.linalg.lu(a, permute_l=True)
    order, _, _ = scipy.linalg.lu(a, p_indices=True)
    return p @ low**2 @ up + permuted[order[0]] * up[0, 1]


@case(mat(3, 3) - 0.8)
@case(4.0 * mat(3, 3))
def matrix_exponential(a):
    return expm(a * 0.5) * np.arange(9.0).reshape(3, 3)


@case(mat(2, 2), 0.7)
def linear_system_of_odes(a, t):
    return expm(a * t) @ np.array([1.0, -1.0])


@case(vec(8).reshape(2, 2, 2))
def exponentials_of_a_stack(a):
    return expm(a)


@case(mat(2, 2), mat(2, 2, 1))
def exponential_along_a_direction(a, e):
    whole, moved = scipy.linalg.expm_frechet(a, e)
    return whole * moved + scipy.linalg.expm_frechet(a, e, compute_expm=False)


@case(SQUARE, mat(3, 3, 1) * 0.2 + np.eye(3))
def symmetric_pencils(a, b):
    w, v = scipy.linalg.eigh(a, b)
    upper = scipy.linalg.eigh(a, lower=False, subset_by_index=[1, 2], eigvals_only=True)
    return np.sum(v**2, axis=0) * w + upper[0] * scipy.linalg.eigvalsh(a, b)


@case(mat(4, 3), vec(4))
def rectangles(a, b):
    q, r = scipy.linalg.qr(a, mode="economic")
    wide = scipy.linalg.qr(a.T)[1] ** 2
    u, s, vt = scipy.linalg.svd(a, full_matrices=False)
    x = scipy.linalg.lstsq(a, b)[0] + scipy.linalg.pinv(a) @ b
    return np.sum(q[:, 0] ** 4) * r[0] ** 2 + x + u[0] ** 2 * s * vt[0] ** 2 + np.sum(wide)


@case(mat(3, 2))
def values_and_norms(a):
    s = scipy.linalg.svdvals(a) + scipy.linalg.svd(a, compute_uv=False)
    (r,) = scipy.linalg.qr(a[:2], mode="r")
    return s * scipy.linalg.norm(a, "fro") + scipy.linalg.norm(a, 1, axis=0) * r[0, 0] ** 2


@case(signed(3), vec(4, 1))
def structured_matrices(c, r):
    both = scipy.linalg.toeplitz(c, r) * scipy.linalg.hankel(c, r)
    own = scipy.linalg.toeplitz(c) @ scipy.linalg.hankel(c) * scipy.linalg.circulant(c)
    return np.sum(both**2) + own


@case(mat(2, 3), vec(2, 1), 0.7)
def blocks(a, b, x):
    whole = scipy.linalg.block_diag(a, b, x)
    return whole @ whole.T + np.sum(scipy.linalg.khatri_rao(a, a[::-1]) ** 2)
