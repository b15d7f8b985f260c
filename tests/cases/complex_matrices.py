"""Decompositions, factored systems and equations of complex matrices, by NumPy and scipy.linalg."""

import numpy as np
import scipy.linalg
from scipy.linalg import cho_factor, cho_solve, lu_factor, lu_solve, solve_triangular

from tests.cases.complex_numbers import zmat, zvec
from tests.cases.registry import case, mat, vec

SQUARE = zmat(3, 3) + 3.0 * np.eye(3)


def parts(z):
    """A real number of each complex one, of both of its parts."""
    return 2.0 * z.real - z.imag


def positive(a):
    return a @ a.conj().T + 0.5 * np.eye(len(a))


@case(zmat(4, 3))
@case(zmat(3, 4))
def complex_orthogonal_triangular(a):
    q, r = np.linalg.qr(a)
    wide = np.linalg.qr(a.T, mode="r")
    return np.sum(q[:, 0] * np.arange(len(q))).real + np.sum(r.imag**2) + np.abs(wide[0, 1])


@case(zmat(8, 3).reshape(2, 4, 3))
def complex_orthogonal_triangular_of_a_stack(a):
    q, r = np.linalg.qr(a)
    return np.sum(q.real**3, axis=-1) + np.sum(r.real * r.imag)


@case(SQUARE, zvec(3))
@case(SQUARE, vec(6).reshape(3, 2))
def complex_triangular_systems(a, b):
    low = solve_triangular(a, b, lower=True) + solve_triangular(a, b, lower=True, trans="T")
    high = solve_triangular(a, b, trans="C") * solve_triangular(a, b, trans=2, unit_diagonal=True)
    return parts(low * high + solve_triangular(a.real, b))


@case(SQUARE, zvec(3))
@case(SQUARE, zmat(3, 2, 1))
def complex_systems_with_structure(a, b):
    x = scipy.linalg.solve(a, b) + scipy.linalg.solve(a, b, assume_a="sym")
    x += scipy.linalg.solve(a, b, lower=True, assume_a="her")
    x += scipy.linalg.solve(positive(a), b, assume_a="pos")
    x += scipy.linalg.solve(a, b, assume_a="upper triangular")
    return parts(x * np.sum(scipy.linalg.inv(a)) + scipy.linalg.det(a))


@case(SQUARE, zvec(3))
def complex_cholesky_factors(a, b):
    a = positive(a)
    upper, lower = scipy.linalg.cholesky(a), np.linalg.cholesky(a)
    c, low = cho_factor(a, lower=True)
    x = cho_solve((c, low), b) + cho_solve(cho_factor(a), b)
    return parts(np.sum(upper**2) * x + np.diag(lower) + np.sum(lower[1:].imag, axis=1)[0])


@case(SQUARE[[2, 0, 1]], zvec(3))
def complex_lu_factors(a, b):
    both, pivots = lu_factor(a)
    x = lu_solve((both, pivots), b) * lu_solve((both, pivots), b, trans=2)
    x += lu_solve((both, pivots), b, trans=1)
    p, low, up = scipy.linalg.lu(a)
    return parts(x + np.sum(both * np.arange(9.0).reshape(3, 3)) + p @ low @ up[:, 1])


@case(zmat(3, 3), zmat(3, 3, 1))
def hermitian_pencils(a, b):
    w, v = scipy.linalg.eigh(a, positive(b))
    return np.sum(np.abs(v) ** 2, axis=0) * w + scipy.linalg.eigvalsh(a, positive(b), lower=False)


@case(zmat(4, 3), zvec(4))
def complex_rectangles(a, b):
    x, _, _, s = scipy.linalg.lstsq(a, b)
    _, r = scipy.linalg.qr(a, mode="economic")
    return parts(x * s + r[0] + scipy.linalg.pinv(a) @ b)


@case(zmat(2, 2), zmat(2, 2, 1))
def complex_exponential_along_a_direction(a, e):
    whole, moved = scipy.linalg.expm_frechet(a, e)
    return parts(whole * moved)


@case(SQUARE, zmat(2, 2, 1), zmat(3, 2, 2))
@case(SQUARE, mat(2, 2, 1), zmat(3, 2, 2))
def complex_equations_of_matrices(a, b, q):
    x = scipy.linalg.solve_sylvester(a, b, q)
    square = q @ q.conj().T
    y = scipy.linalg.solve_continuous_lyapunov(a, square)
    z = scipy.linalg.solve_discrete_lyapunov(a * 0.2, square)
    return parts(np.sum(x * x) + y * z)


@case(SQUARE)
def complex_square_roots(a):
    return parts(scipy.linalg.sqrtm(a) ** 2 + scipy.linalg.sqrtm(a.real))
