"""Linear algebra: what has no derivative, what is not real, what does not fit."""

import numpy as np
import scipy.linalg

from tests.cases.registry import mat, vec
from tests.errors.registry import program


@program(mat(3, 3))
def general_eigenvalues(a):
    w = np.linalg.eigvals(a)  # error: UnsupportedError: general matrix ... use eigh
    return np.sum(np.abs(w))


@program(mat(3, 3))
def general_eigenvectors(a):
    w, _ = np.linalg.eig(a)  # error: UnsupportedError: general matrix ... use eigh
    return np.sum(np.abs(w))


@program(mat(3, 2))
def whole_bases(a):
    _, s, _ = np.linalg.svd(a)  # error: NotImplementedError: not square ... full_matrices=False
    return np.sum(s)


@program(mat(3, 2))
def complete_basis(a):
    _, r = np.linalg.qr(a, mode="complete")  # error: NotImplementedError: more rows ... reduced
    return np.sum(r**2)


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
def matrix_square_root(a):
    return np.sum(scipy.linalg.sqrtm(a))  # error: UnsupportedError: sqrtm ... np.linalg.eigh


@program(mat(3, 3))
def general_eigenvalues_of_scipy(a):
    return np.sum(np.abs(scipy.linalg.eigvals(a)))  # error: UnsupportedError: general matrix


@program(mat(3, 3), vec(3))
def banded_system(a, b):
    return scipy.linalg.solve_banded((1, 1), a, b)  # error: UnsupportedError: np.linalg.solve


@program(mat(3, 2))
def full_basis_of_scipy(a):
    q, r = scipy.linalg.qr(a)  # error: NotImplementedError: more rows ... economic
    return np.sum(q @ r)


@program(mat(3, 2), vec(3))
def residues_of_one_side(a, b):
    x, left, _, _ = scipy.linalg.lstsq(a, b)
    return np.sum(x) + left  # error: UnsupportedError: depends on the rank


@program(vec(8).reshape(2, 2, 2), vec(2))
def triangles_of_a_stack(a, b):
    return scipy.linalg.solve_triangular(a, b)  # error: UnsupportedError: stack


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
