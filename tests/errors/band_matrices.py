"""Systems of scipy.linalg with structure, and equations of matrices: what does not fit or exist."""

import numpy as np
import scipy.linalg
from scipy.linalg import solve_banded, solve_circulant, solveh_banded

from tests.cases.complex_numbers import zmat
from tests.cases.registry import mat, vec
from tests.errors.programs import program


@program(mat(3, 4), vec(4))
def diagonals_that_only_run_time_knows(ab, b):
    x = solve_banded((int(b[0]), 1), ab, b)  # error: UnsupportedError: a number of diagonals
    return np.sum(x)


@program(mat(3, 4), vec(4))
def three_numbers_of_diagonals(ab, b):
    return np.sum(solve_banded((1, 0, 1), ab, b))  # error: UnsupportedError: two numbers


@program(mat(3, 4), vec(4))
def negative_number_of_diagonals(ab, b):
    return np.sum(solve_banded((3, -1), ab, b))  # error: UnsupportedError: is negative


@program(mat(3, 4), vec(4))
def other_number_of_diagonals(ab, b):
    return np.sum(solve_banded((2, 1), ab, b))  # error: ShapeError: l+u+1 (4) ... ab.shape[0] (3)


@program(mat(1, 4), vec(4))
def one_diagonal_of_three(ab, b):
    return np.sum(solve_banded((1, 1), ab, b))  # error: ShapeError: l+u+1 (3) ... ab.shape[0] (1)


@program(mat(3, 4), vec(3))
def band_of_another_length(ab, b):
    return np.sum(solve_banded((1, 1), ab, b))  # error: ShapeError: shapes not aligned


@program(vec(3), vec(3))
def diagonals_in_no_matrix(ab, b):
    return np.sum(solve_banded((0, 0), ab, b))  # error: UnsupportedError: rows of a matrix


@program(mat(3, 4), vec(16).reshape(4, 2, 2))
def stack_on_the_right_of_a_band(ab, b):
    return np.sum(solve_banded((1, 1), ab, b))  # error: UnsupportedError: a vector or a matrix


@program(mat(3, 4).astype(np.float16), vec(4).astype(np.float16))
def band_in_half_precision(ab, b):
    return np.sum(solve_banded((1, 1), ab, b))  # error: UnsupportedError: float16


@program(np.zeros((3, 4)), vec(4))
def singular_band(ab, b):
    return np.sum(solve_banded((1, 1), ab, b))  # error: SingularError: singular matrix


@program(np.zeros((1, 1)), vec(1))
def singular_number(ab, b):
    return np.sum(solve_banded((0, 0), ab, b))  # error: SingularError: singular matrix


@program(mat(2, 4) - 3.0, vec(4))
def indefinite_band(ab, b):
    return np.sum(solveh_banded(ab, b))  # error: SingularError: not positive definite


@program(zmat(2, 3), vec(3))
def complex_definite_band(ab, b):
    return np.sum(np.abs(solveh_banded(ab, b)))  # error: UnsupportedError: complex ... solve_banded


@program(np.ones(3), vec(3))
def singular_circulant(c, b):
    return np.sum(solve_circulant(c, b))  # error: SingularError: near singular


@program(vec(3), vec(3))
def least_squares_of_a_circulant(c, b):
    x = solve_circulant(c, b, singular="lstsq")  # error: UnsupportedError: singular='raise'
    return np.sum(x)


@program(vec(3), mat(2, 3))
def circulant_along_another_axis(c, b):
    return np.sum(solve_circulant(c, b, baxis=1))  # error: UnsupportedError: np.moveaxis


@program(np.eye(2), mat(2, 2))
def common_eigenvalues(a, q):
    x = scipy.linalg.solve_sylvester(a, -a, q)  # error: SingularError: eigenvalue in common
    return np.sum(x)


@program(mat(2, 2), mat(2, 2))
def unknown_method(a, q):
    x = scipy.linalg.solve_discrete_lyapunov(a, q, "best")  # error: UnsupportedError: bilinear
    return np.sum(x)


@program(-np.eye(2))
def imaginary_root(a):
    return np.sum(scipy.linalg.sqrtm(a))  # error: SingularError: no square root of its kind


@program(np.array([[0.0, 1.0], [0.0, 0.0]]))
def no_root(a):
    return np.sum(scipy.linalg.sqrtm(a))  # error: SingularError: no square root of its kind


@program(np.diag([1.0, 0.0]))
def root_of_a_singular_matrix(a):
    return np.sum(scipy.linalg.sqrtm(a))  # error: SingularError: eigenvalue in common


# ---- spectra ----
@program(vec(4))
def spectrum_of_a_vector(ab):
    return scipy.linalg.eigvals_banded(ab)[0]  # error: ValueError: expected a 2-D array


@program(vec(16).reshape(2, 2, 4))
def spectra_of_a_stack_of_bands(ab):
    return scipy.linalg.eigvals_banded(ab)[0, 0]  # error: UnsupportedError: stack of matrices


@program(mat(2, 4))
def room_for_eigenvalues(ab):
    w = scipy.linalg.eig_banded(ab, eigvals_only=True, max_ev=2)  # error: UnsupportedError: max_ev
    return w[0]


@program(mat(3, 1))
def diagonals_of_one_number(ab):
    return scipy.linalg.eigvals_banded(ab)[0]  # error: UnsupportedError: one column ... a_band[-1:]


@program(mat(2, 4))
def unknown_selection(ab):
    w = scipy.linalg.eigvals_banded(ab, select="some")  # error: ValueError: argument for select
    return w[0]


@program(mat(2, 4))
def selection_without_a_range(ab):
    w = scipy.linalg.eigvals_banded(ab, select="v")  # error: ValueError: a 2-element array-like
    return w[0]


@program(mat(2, 4))
def selection_out_of_bounds(ab):
    among = (1, 4)
    w = scipy.linalg.eigvals_banded(ab, select="i", select_range=among)  # error: ValueError: bounds
    return w[0]


@program(vec(4), mat(2, 3))
def two_diagonals_that_are_no_vectors(d, e):
    return scipy.linalg.eigvalsh_tridiagonal(d, e)[0]  # error: UnsupportedError: two vectors


@program(vec(4), 1j * vec(3))
def complex_diagonals(d, e):
    w = scipy.linalg.eigvalsh_tridiagonal(d, e)  # error: TypeError: Only real arrays
    return w[0]


@program(vec(4), vec(4))
def two_diagonals_of_one_length(d, e):
    return scipy.linalg.eigvalsh_tridiagonal(d, e)[0]  # error: ValueError: one more element than e


@program(vec(4), vec(3))
def unknown_driver(d, e):
    w = scipy.linalg.eigvalsh_tridiagonal(d, e, lapack_driver="ev")  # error: ValueError: one of
    return w[0]


@program(vec(4), vec(3))
def driver_that_gives_all(d, e):
    how = {"select": "i", "select_range": (0, 1), "lapack_driver": "stev"}
    return scipy.linalg.eigvalsh_tridiagonal(d, e, **how)[0]  # error: ValueError: can only be used


@program(vec(4), vec(3))
def driver_without_vectors(d, e):
    w = scipy.linalg.eigh_tridiagonal(d, e, lapack_driver="sterf")[0]  # error: ValueError: sterf
    return w[0]
