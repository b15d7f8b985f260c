"""Linear algebra: what has no derivative, what is not real, what does not fit."""

import numpy as np
import scipy.linalg

from tests.cases.complex_numbers import zmat
from tests.cases.registry import mat, vec
from tests.errors.programs import program


@program(vec(8), 2)
def cross_of_slices_of_two(x, n):
    return np.cross(x[:n], x[1 : n + 1])  # error: ValueError: of length 2 ... a[0] * b[1]


TURN = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


@program(TURN)
def complex_eigenvalues_of_a_real_matrix(a):
    return np.max(np.linalg.eigvals(a))  # error: UnsupportedError: complex numbers have no order


@program(mat(3, 2))
def raw_reflectors(a):
    h, _ = np.linalg.qr(a, mode="raw")  # error: UnsupportedError: mode='raw' ... reduced
    return np.sum(h)


@program(mat(3, 3))
def hermitian_svd(a):
    s = np.linalg.svd(a + a.T, compute_uv=False, hermitian=True)  # error: UnsupportedError: eigh
    return np.sum(s)


@program(mat(3, 2))
def eigenvalues_of_a_rectangle(a):
    return np.linalg.eigvalsh(a)[0]  # error: ValueError: must be square: 3 against 2


@program(mat(3, 3))
def unknown_triangle(a):
    return np.linalg.eigvalsh(a, "X")[0]  # error: UnsupportedError: UPLO


@program(vec(3))
def singular_values_of_a_vector(a):
    return np.linalg.svdvals(a)[0]  # error: UnsupportedError: takes a matrix


@program(mat(3, 2), vec(4))
def least_squares_of_another_length(a, b):
    return np.linalg.lstsq(a, b)[0]  # error: ValueError: not aligned


@program(mat(3, 2))
def unknown_norm(a):
    return np.linalg.norm(a, 3)  # error: UnsupportedError: Invalid norm order 3 for matrices


@program(vec(3))
def nuclear_norm_of_a_vector(a):
    return np.linalg.norm(a, "nuc")  # error: UnsupportedError: Invalid norm order 'nuc' for vectors


@program(vec(8).reshape(2, 2, 2))
def norm_of_three_axes(a):
    return np.linalg.norm(a, 1)  # error: UnsupportedError: Improper number of dimensions


@program(mat(3, 3))
def matrix_logarithm(a):
    return np.sum(scipy.linalg.signm(a))  # error: UnsupportedError: signm ... np.linalg.eigh


@program(mat(3, 3))
def left_eigenvectors_of_scipy(a):
    w, left = scipy.linalg.eig(a, left=True, right=False)  # error: UnsupportedError: right
    return np.sum(np.abs(w)) + np.sum(np.abs(left))


@program(mat(3, 3))
def eigenvalues_of_two_matrices(a):
    w = scipy.linalg.eigvals(a, a + 1.0)  # error: UnsupportedError: two matrices ... solve(b, a)
    return np.sum(np.abs(w))


@program(vec(8).reshape(2, 2, 2), vec(2))
def triangles_of_a_stack(a, b):
    return scipy.linalg.solve_triangular(a, b)  # error: UnsupportedError: stack


@program(mat(3, 3), vec(4))
def triangle_with_more_rows_on_the_right(a, b):
    x, _ = scipy.linalg.lapack.dtrtrs(a, b)  # error: UnsupportedError: fewer rows ... len(a)
    return np.sum(x)


@program(vec(3))
def factor_of_a_vector_by_lapack(x):
    c, _ = scipy.linalg.lapack.dpotrf(x)  # error: UnsupportedError: LAPACK's routines take matrices
    return np.sum(c)


@program(mat(2, 2))
def unknown_argument_of_scipy(a):
    return scipy.linalg.pinv(a, atol=1e-3)  # error: UnsupportedError: unexpected keyword ... atol


@program(mat(2, 3), mat(3, 2))
def einsum_of_unequal_axes(a, b):
    return np.sum(np.einsum("ij,ij->i", a, b))  # error: ValueError: not aligned


@program(mat(2, 3))
def einsum_with_too_few_letters(a):
    return np.sum(np.einsum("i->i", a))  # error: UnsupportedError: do not fit the operands


@program(mat(2, 3))
def einsum_into_an_unknown_axis(a):
    return np.sum(np.einsum("ij->ik", a))  # error: UnsupportedError: of the result


@program(mat(2, 3))
def einsum_that_loses_its_ellipsis(a):
    return np.sum(np.einsum("...j->j", a))  # error: UnsupportedError: needs one in the result


@program(vec(3), np.array([True, False, True]))
def einsum_of_booleans(x, mask):
    return np.sum(np.einsum("i,i->i", mask, mask) * x)  # error: UnsupportedError: booleans


@program(vec(3))
def diagonal_of_a_vector(x):
    return np.sum(np.trace(x))  # error: UnsupportedError: at least two axes


# ---- arguments of decompositions and solvers ----
@program(mat(2, 2).astype(np.float16))
def decomposition_of_half_precision(a):
    return np.sum(np.linalg.qr(a)[1])  # error: UnsupportedError: qr of float16 ... np.float32


@program(mat(3, 2), vec(1))
def bounds_of_pinv(a, r):
    return np.sum(np.linalg.pinv(a, r))  # error: UnsupportedError: array of bounds ... one number


@program(mat(3, 2))
def least_squares_of_a_number(a):
    return np.sum(np.linalg.lstsq(a, 2.0)[0])  # error: UnsupportedError: a vector or a matrix


@program(mat(3, 3))
def two_bounds_of_the_rank(a):
    n = np.linalg.matrix_rank(a, 0.1, rtol=0.1)  # error: UnsupportedError: can't be both set
    return np.sum(a) * n


@program(mat(3, 3), vec(1))
def bounds_of_the_rank(a, r):
    n = np.linalg.matrix_rank(a, r)  # error: UnsupportedError: an array of bounds ... one number
    return np.sum(a) * n


@program(0.7)
def nuclear_norm_of_a_number(x):
    return np.linalg.norm(x, "nuc", (0, 1))  # error: UnsupportedError: axis 0 is out of bounds


@program(mat(3, 3))
def system_without_a_right_side(a):
    return np.sum(np.linalg.solve(a, 2.0))  # error: UnsupportedError: solve takes a vector or a


@program(vec(8).reshape(2, 2, 2))
def inverse_over_no_axes(a):
    b = np.linalg.tensorinv(a, 0)  # error: UnsupportedError: tensorinv takes a positive ind
    return np.sum(b)


@program(mat(3, 2))
def outer_product_of_matrices(a):
    return np.sum(np.linalg.outer(a, a))  # error: UnsupportedError: two vectors ... np.outer


# ---- arguments of SciPy's ----
@program(mat(3, 3), vec(3))
def unknown_side_of_a_triangle(a, b):
    x = scipy.linalg.solve_triangular(a, b, trans=3)  # error: UnsupportedError: trans must be 0
    return np.sum(x)


@program(zmat(3, 3), vec(3))
def transposed_complex_system(a, b):
    x = scipy.linalg.solve(a, b, transposed=True)  # error: NotImplementedError: pass a.T
    return np.sum(np.abs(x))


@program(mat(3, 3))
def triangle_without_a_right_side(a):
    x = scipy.linalg.solve_triangular(a, 2.0)  # error: UnsupportedError: a vector or a matrix
    return np.sum(x)


@program(mat(3, 3), vec(3))
def system_that_is_banded(a, b):
    x = scipy.linalg.solve(a, b, assume_a="banded")  # error: UnsupportedError: assume_a='banded'
    return np.sum(x)


@program(mat(3, 3))
def pivoted_qr(a):
    q, r, p = scipy.linalg.qr(a, pivoting=True)  # error: UnsupportedError: qr with pivoting
    return np.sum(q @ r) * p[0]


@program(mat(3, 3))
def raw_reflectors_of_scipy(a):
    h, _ = scipy.linalg.qr(a, mode="raw")  # error: UnsupportedError: mode='raw' ... economic
    return np.sum(h)


@program(mat(3, 3))
def another_generalized_problem(a):
    w = scipy.linalg.eigvalsh(a, a, type=2)  # error: UnsupportedError: another type than 1
    return np.sum(w)


@program(mat(2, 2))
def matrix_as_a_column(a):
    return np.sum(scipy.linalg.toeplitz(a))  # error: UnsupportedError: toeplitz takes vectors


@program(vec(2))
def blocks_of_nothing(x):
    return np.sum(x) * np.sum(scipy.linalg.block_diag())  # error: UnsupportedError: of nothing


@program(vec(8).reshape(2, 2, 2))
def blocks_of_stacks(a):
    return np.sum(scipy.linalg.block_diag(a, a))  # error: UnsupportedError: block_diag takes


@program(mat(2, 3), vec(3))
def khatri_rao_of_a_vector(a, b):
    return np.sum(scipy.linalg.khatri_rao(a, b))  # error: UnsupportedError: two matrices
