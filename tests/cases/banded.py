"""Systems of scipy.linalg whose matrix has structure: bands, diagonals; equations of matrices."""

import numpy as np
import scipy.linalg
from scipy.linalg import solve_banded, solveh_banded

from tests.cases.complex_numbers import zmat, zvec
from tests.cases.registry import case, mat, signed, vec

DEFINITE = mat(3, 5) * 0.3 + np.array([[0.0], [0.0], [4.0]])


# the first: pivots exchange rows
@case(signed(15).reshape(3, 5), vec(5))
@case(mat(3, 5), mat(5, 2, 1))
@case(mat(3, 1) + 0.5, vec(1))
def tridiagonal_systems(ab, b):
    return solve_banded((1, 1), ab, b, check_finite=False) ** 2 + solve_banded(
        (1, 1), ab=ab, b=b * b
    )


@case(mat(4, 6), vec(6))
@case(mat(4, 2), mat(2, 3, 1))
def wide_bands(ab, b):
    x = solve_banded((1, 2), ab, b) * solve_banded((3, 0), ab[::-1], b)
    return x + solve_banded((0, 3), ab[::-1] + 1.0, x)


@case(zmat(3, 4), zvec(4))
def complex_bands(ab, b):
    return np.abs(solve_banded((1, 1), ab, b)) ** 2 + solve_banded((2, 0), ab, b).real


@case(vec(6), vec(6, 1), 0.1)
def implicit_heat_steps(u, k, dt):
    for _ in range(3):
        ab = np.zeros((3, len(u)), u.dtype)
        ab[0, 1:] = -dt * k[:-1]
        ab[1] = 1.0 + 2.0 * dt * k
        ab[2, :-1] = -dt * k[1:]
        u = solve_banded((1, 1), ab, u)
    return u


@case(DEFINITE, vec(5))
@case(DEFINITE[:, :3], mat(3, 2, 1))
@case(DEFINITE[:, :2], vec(2))
def definite_bands(ab, b):
    x = solveh_banded(ab, b) * solveh_banded(ab[::-1], b, lower=True)
    return x + solveh_banded(ab[2:], b) + solveh_banded(ab[1:], x, check_finite=False)


@case(signed(15).reshape(3, 5))
@case(mat(2, 4))
@case(mat(1, 3))
@case(mat(3, 2))
@case(zmat(3, 4))
def spectra_of_bands(ab):
    w = scipy.linalg.eigvals_banded(ab) ** 3
    u, v = scipy.linalg.eig_banded(ab, lower=True, check_finite=False)
    u = u * np.sum(np.abs(v[:1]) ** 2 * u, axis=1)
    return w + u * scipy.linalg.eig_banded(ab[::-1], True, eigvals_only=True)


@case(signed(15).reshape(3, 5), 1, 3)
@case(mat(2, 4), 0, 0)
def selected_spectra_of_bands(ab, first, last):
    w = scipy.linalg.eigvals_banded(ab, select="i", select_range=(first, last))
    u, v = scipy.linalg.eig_banded(ab, select="v", select_range=(-0.3, 9.0))
    return np.sum(w**2) + np.sum(u**3) * np.sum(v[0] ** 2 * u)


@case(signed(5), vec(4, 1))
@case(vec(2), vec(1, 1))
@case(vec(1), vec(0))
def spectra_of_two_diagonals(d, e):
    w, v = scipy.linalg.eigh_tridiagonal(d, e)
    largest = scipy.linalg.eigvalsh_tridiagonal(
        d, e, select="i", select_range=(len(d) - 1, len(d) - 1), lapack_driver="stemr"
    )
    above = scipy.linalg.eigh_tridiagonal(d, e, True, "value", (0.1, np.inf))
    return np.sum(w**2 * np.abs(v[-1])) + largest[0] ** 3 + np.sum(above**2)


@case(vec(6))
def ground_state(potential):
    n = len(potential)
    d, e = 2.0 + potential, -np.ones(n - 1)
    w, v = scipy.linalg.eigh_tridiagonal(d, e, select="i", select_range=(0, 1))
    density = v[:, 0] ** 2
    return w[1] - w[0] + np.sum(density * np.arange(n))


@case(vec(4) + np.array([3.0, 0.0, 0.0, 0.0]), vec(4, 1), vec(4, 2))
@case(vec(3) + np.array([3.0, 0.0, 0.0]), vec(3, 1), mat(3, 2, 2))
def constant_diagonals(c, r, b):
    x = scipy.linalg.solve_toeplitz(c, b) + scipy.linalg.solve_toeplitz((c, r), b)
    return x * scipy.linalg.solve_circulant(c, b) + scipy.linalg.solve_circulant(c, x, tol=1e-9)


@case(zvec(3) + np.array([4.0, 0.0, 0.0]), zvec(3))
def complex_diagonals(c, b):
    x = scipy.linalg.solve_toeplitz(c, b) * scipy.linalg.solve_circulant(c, b)
    return x.real + x.imag**2


@case(mat(3, 3), mat(2, 2, 1) + 2.0 * np.eye(2), mat(3, 2, 2))
@case(signed(9).reshape(3, 3), 3.0 * np.eye(1), mat(3, 1))
def sylvester_equations(a, b, q):
    x = scipy.linalg.solve_sylvester(a, b, q)
    return x**2 + scipy.linalg.solve_sylvester(a.T, b, x)


@case(signed(9).reshape(3, 3) + 2.0 * np.eye(3), mat(3, 3, 1))
def lyapunov_equations(a, q):
    x = scipy.linalg.solve_continuous_lyapunov(a, q) + scipy.linalg.solve_lyapunov(a, q + q.T)
    return x * scipy.linalg.solve_discrete_lyapunov(a * 0.2, q)


@case(mat(3, 3) + 2.0 * np.eye(3))
@case(np.array([[1.0, -2.0], [2.0, 1.5]]))
def square_roots(a):
    return scipy.linalg.sqrtm(a) ** 2 + scipy.linalg.sqrtm(a @ a + np.eye(len(a)))
