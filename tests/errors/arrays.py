"""Shapes, axes and arguments that NumPy's functions do not take."""

import math

import numpy as np

from tests.cases.registry import mat, vec
from tests.errors.programs import program


# ---- axes and shapes ----
@program(vec(3))
def axis_out_of_bounds(x):
    return np.sum(x, axis=1)  # error: UnsupportedError: axis 1 is out of bounds for array of dim


@program(mat(2, 3))
def axis_given_twice(x):
    return np.sum(x, axis=(0, 0))  # error: UnsupportedError: duplicate value in 'axis'


@program(vec(6))
def two_unknown_lengths(x):
    return np.sum(x.reshape(-1, -1))  # error: UnsupportedError: only specify one unknown dimension


@program(vec(6))
def shape_with_a_float(x):
    return np.sum(x.reshape(2.5, 2))  # error: UnsupportedError: a shape is made of integers


@program(0.7)
def constant_reshape_that_does_not_fit(x):
    y = np.ones((2, 3)).reshape(4, 2)  # error: ValueError: cannot reshape array of size 6
    return x * np.sum(y)


@program(mat(2, 3))
def axes_that_do_not_match(x):
    return np.sum(np.transpose(x, (0, 0, 1)))  # error: UnsupportedError: axes don't match array


@program(0.7)
def squeeze_of_a_longer_axis(x):
    y = np.ones((2, 3)).squeeze(0)  # error: UnsupportedError: select an axis to squeeze
    return x * np.sum(y)


@program(vec(3), 1)
def squeeze_of_a_length_that_happens_to_be_one(x, k):
    z = np.ones((k + 1, k + 1, k))
    y = z.squeeze() * x[0]  # error: ValueError: name the axis, squeeze(axis=...)
    return np.sum(y)


@program(vec(3))
def split_into_thousands_of_parts(x):
    parts = np.array_split(x, 2000)  # error: UnsupportedError: equal parts are the rows of
    return np.sum(parts[0])


@program(vec(3))
def mean_in_integers(x):
    return np.sum(x) * np.mean(x, dtype=int)  # error: UnsupportedError: mean computed in i64


@program(vec(3))
def concatenated_into_an_array(x):
    np.concatenate([x, x], 0, np.ones(6))  # error: UnsupportedError: concatenate with out=
    return x[0]


@program(vec(3))
def copied_in_another_way(x):
    np.copyto(x, x, "unsafe")  # error: UnsupportedError: copyto with casting='unsafe'
    return x[0]


@program(vec(3))
def scale_with_bases(x):
    return np.sum(np.logspace(0.0, 1.0, 4, base=x))  # error: UnsupportedError: an array as its base


@program(mat(2, 3))
def item_of_too_few_indices(x):
    return x.reshape(1, 2, 3).item(0, 1)  # error: UnsupportedError: incorrect number of indices


@program(vec(3))
def vecdot_of_a_number(x):
    return np.vecdot(x, x[0])  # error: UnsupportedError: vecdot takes arrays


@program(0.7)
def diagonal_matrix_of_a_number(x):
    return np.sum(np.diag(x))  # error: UnsupportedError: diag takes a vector or a matrix


@program(vec(3))
def reciprocal_of_integers(x):
    return x * np.reciprocal(np.arange(1, 4))  # error: UnsupportedError: reciprocal of integers


@program(vec(3))
def integers_added_to_booleans(x):
    y = x > 0.5
    y += 1  # error: UnsupportedError: the result of 'add' is i64
    return x * y


@program(1.0)
def complex_range(x):
    return np.sum(np.arange(x + 1j))  # error: UnsupportedError: arange of complex numbers


@program(vec(3))
def mask_of_another_length(x):
    x[np.array([True])] *= 2.0  # error: IndexError: boolean index did not match
    return np.sum(x)


@program(vec(3))
def inserted_at_a_matrix(x):
    return np.sum(np.insert(x, [[0], [1]], 5.0))  # error: UnsupportedError: insert takes an


@program(vec(3))
def changed_in_turn_at_a_slice(x):
    np.multiply.at(x, slice(0, 2), 2.0)  # error: UnsupportedError: ufunc.at takes arrays of indices
    return np.sum(x)


@program(vec(3))
def joined_in_integers(x):
    return x * np.concatenate([x, x], dtype=int)  # error: UnsupportedError: is not cast to i64


@program(mat(2, 3))
def taken_along_an_axis_that_is_not_there(x):
    return np.take_along_axis(x, np.array([0]), 0)  # error: UnsupportedError: as many axes as the


@program(mat(2, 3))
def put_along_no_axis(x):
    np.put_along_axis(x, np.array([0]), 1.0, None)  # error: UnsupportedError: without an axis
    return np.sum(x)


@program(0.7)
def put_into_a_number(x):
    np.put(x, [0], 1.0)  # error: TypeError: put stores to an array, not to a number
    return x


@program(mat(2, 3))
def search_in_a_matrix(x):
    return np.sum(x) * x.searchsorted(0.5)[0]  # error: ValueError: too deep for desired array


@program(0.7)
def search_in_a_number(x):
    return x * np.searchsorted(x, 0.5)  # error: ValueError: of too small depth for desired array


# ---- joining and splitting ----
@program(0.7)
def concatenation_of_nothing(x):
    return np.sum(np.concatenate([])) * x  # error: ValueError: at least one array


@program(vec(3))
def concatenation_of_a_number(x):
    return np.sum(np.concatenate(len)) * x[0]  # error: UnsupportedError: takes a sequence of arrays


@program(vec(3), mat(2, 3))
def concatenation_of_two_ranks(x, y):
    return np.sum(np.concatenate([x, y]))  # error: UnsupportedError: same number of dimensions


@program(0.7)
def unequal_split(x):
    parts = np.split(np.ones(5), 2)  # error: ValueError: not result in an equal division
    return x * parts[0][0]


# ---- products ----
@program(0.7)
def matrix_product_of_numbers(x):
    return np.matmul(x, x)  # error: UnsupportedError: matmul does not take numbers ... use *


@program(0.7)
def constants_that_are_not_aligned(x):
    y = np.dot(np.ones((2, 3)), np.ones((2, 3)))  # error: UnsupportedError: not aligned
    return x * np.sum(y)


@program(mat(2, 3), np.ones(3) > 0.0)
def product_of_masks(x, m):
    return np.sum(x) * (m @ m)  # error: UnsupportedError: of booleans is not supported ... astype


@program(vec(3))
def determinant_of_a_vector(x):
    return np.linalg.det(x)  # error: UnsupportedError: det takes a matrix


# ---- other functions ----
@program(vec(3))
def select_with_too_few(x):
    return np.sum(np.select([x > 1.0], [x, x]))  # error: UnsupportedError: as many choices as


@program(vec(3), 2)
def array_of_an_iterator(x, n):
    return x[0] * np.ndim(np.array(map(abs, x)))  # error: UnsupportedError: of an iterator


@program(vec(3))
def deleted_by_a_float(x):
    return np.sum(np.delete(x, [0.5]))  # error: UnsupportedError: cannot be an index


@program(vec(3))
def square_of_a_mask(x):
    return np.sum(x[np.square(x > 1.0)])  # error: UnsupportedError: int8 ... .astype(int)


@program(vec(3))
def rounded_mask(x):
    return np.sum(x * np.round(x > 1.0))  # error: UnsupportedError: booleans cannot be rounded


@program(vec(3))
def gamma_of_an_array(x):
    return math.gamma(x)  # error: UnsupportedError: math.gamma takes a number


@program(vec(4))
def cross_product_of_four(x):
    product = np.cross(np.ones(4), np.ones(4))  # error: ValueError: as plain Python says
    return np.sum(product) * x[0]


@program(vec(3))
def cross_product_of_two_lengths(x):
    return np.sum(np.cross(x, np.ones(2)))  # error: UnsupportedError: two vectors of length 3


@program(0.7)
def triangle_of_a_number(x):
    return np.sum(np.tril(x))  # error: UnsupportedError: tril takes an array with axes


@program(mat(2, 3))
def any_of_a_matrix(x):
    return np.sum(x) * any(x > 0.0)  # error: UnsupportedError: use np.any for arrays


@program(mat(2, 3))
def distance_of_matrices(x):
    return math.dist(x, x)  # error: UnsupportedError: math.dist takes vectors of real numbers


@program(0.5)
def square_root_of_a_list(x):
    return math.sqrt([x])  # error: UnsupportedError: sqrt() takes a number, not a list


@program(mat(2, 3))
def an_order_of_elements_that_is_not_known(x):
    return np.ravel(x.T * 2.0, order="K")[1]  # error: UnsupportedError: is not known ... order='F'


@program(vec(1))
def truncation_of_an_array(x):
    return x[0] * math.trunc(x)  # error: UnsupportedError: math.trunc takes a number


@program(0.7)
def cross_product_of_numbers(x):
    return np.cross(x, x)  # error: UnsupportedError: axis -1 is out of bounds


@program(vec(3))
def power_of_a_vector_as_a_matrix(x):
    return np.sum(np.linalg.matrix_power(x, 2))  # error: UnsupportedError: takes a matrix


@program(0.7)
def nanmedian_of_a_number(x):
    return np.nansum(x)  # error: UnsupportedError: nansum of a number


@program(vec(3))
def diagonal_of_a_vector_filled(x):
    np.fill_diagonal(x, 2.0)  # error: UnsupportedError: fill_diagonal takes a matrix
    return np.sum(x)


@program(mat(3, 3), np.eye(3))
def mesh_of_a_matrix(x, k):
    return np.sum(x[np.ix_(k, k)])  # error: UnsupportedError: ix_ takes vectors


@program(2.0)
def polynomial_of_a_number(p):
    return np.polyval(p, 2.0)  # error: TypeError: takes coefficients along an axis


@program(vec(3))
def convolution_of_no_mode(x):
    return np.sum(np.convolve(x, x, "none"))  # error: UnsupportedError: the mode 'none' ... 'full'


@program(vec(3))
def einsum_of_the_wrong_rank(x):
    return np.einsum("ij->", x)  # error: UnsupportedError: do not fit the operands


@program(0.7)
def quantile_of_a_number(x):
    return np.quantile(x, 0.5)  # error: UnsupportedError: the quantile of a number


@program(vec(3))
def quantile_of_a_mask(x):
    return np.quantile(x > 1.0, 0.5) * x[0]  # error: UnsupportedError: of booleans ... astype


@program(vec(3))
def quantile_of_complex_numbers(x):
    return np.quantile(x + 1.0j, 0.5)  # error: TypeError: must be an array of real numbers


@program(vec(3))
def quantiles_at_no_places(x):
    return np.sum(np.quantile(x, []))  # error: NotImplementedError: at no places


@program(vec(3))
def quantile_beyond_one(x):
    return np.quantile(x, 1.5)  # error: UnsupportedError: in the range [0, 1]


@program(vec(3), np.ones((2, 2, 2)))
def covariance_of_a_cube(x, c):
    return np.sum(np.cov(c)) * x[0]  # error: UnsupportedError: vectors and matrices


@program(vec(6), mat(2, 3))
def gradient_with_places_of_two_axes(x, places):
    return np.sum(np.gradient(x, places))  # error: UnsupportedError: the places of gradient


@program(vec(6))
def gradient_with_too_many_spacings(x):
    return np.sum(np.gradient(x, 1.0, 2.0))  # error: UnsupportedError: one spacing
