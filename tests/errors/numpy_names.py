"""Library names without a rule: refused by name, never taken for a constant."""

import cmath
import time

import numpy as np
import scipy.special
from numpy.lib.stride_tricks import as_strided

from tests.cases.registry import mat, vec
from tests.errors.programs import program


@program(0.7)
def random_without_generator(x):
    return x * len(np.random.bytes(3))  # error: UnsupportedError: draws random numbers ... outside


@program(0.7)
def clock(x):
    return x * time.time()  # error: UnsupportedError: a reading of the clock


@program(0.7)
def elapsed(x):
    return x if time.time() > 1e9 else 2.0 * x  # error: UnsupportedError: a reading of the clock


@program(0.7)
def class_of_the_clock(x):
    return x * isinstance(time.time(), float)  # error: UnsupportedError: the class of a reading


@program(vec(3))
def unknown_function(x):
    y = np.histogramdd(x)[0]  # error: UnsupportedError: histogramdd
    return np.sum(y)


@program(vec(3))
def unknown_function_of_submodule(x):
    return np.sum(np.polynomial.chebyshev.chebroots(x))  # error: UnsupportedError: chebroots


@program(vec(3))
def bytes_of_array(x):
    return len(x.tobytes()) * x[0]  # error: UnsupportedError: tobytes


@program(0.7)
def unknown_math(x):
    return x if cmath.isclose(x, 1.0) else 0.0  # error: UnsupportedError: isclose


@program(0.7)
def unknown_special_function(x):
    return scipy.special.mathieu_a(1, x)  # error: UnsupportedError: mathieu_a


@program(vec(8))
def store_through_a_reshape(x):
    y = x[::2].reshape(2, 2)  # error: UnsupportedError: or may be one
    y[0] = 3.0
    return np.sum(x)


@program(vec(8))
def store_to_what_was_reshaped(x):
    y = x.copy()
    z = y[::2].reshape(2, 2)  # error: UnsupportedError: or may be one
    s = 0.0
    for i in range(4):
        s += z[0, 0] * z[1, 1]
        y[i] = s
    return s


@program(vec(8))
def store_through_ravel(x):
    y = (x if x[0] > 0.0 else x[::-1]).ravel()  # error: UnsupportedError: or may be one
    y[0] = 3.0
    return np.sum(x)


@program(vec(8))
def store_to_contiguous(x):
    y = np.ascontiguousarray(x[::2])  # error: UnsupportedError: or may be one
    y[0] = 3.0
    return np.sum(x)


@program(vec(6))
def reshape_in_the_order_of_memory(x):
    y = x.reshape((2, 3), order="K")  # error: ValueError: order 'K' is not permitted
    return np.sum(y[0])


def fallback(x):
    return np.histogramdd(x)[0]  # error: UnsupportedError: histogramdd


@program(vec(3))
def unknown_function_in_helper(x):
    s = np.sum(x)
    return s * fallback(x)


@program(vec(3))
def where_without_out(x):
    return np.sum(np.sqrt(x, where=x > 1.0))  # error: UnsupportedError: where= without out=


@program(vec(3))
def weights_of_another_length(x):
    w = np.ones(4)
    return np.average(x, weights=w)  # error: TypeError: shapes of a and weights differ


@program(vec(3))
def weights_that_cancel(x):
    return np.average(x, weights=x - x)  # error: ZeroDivisionError: sum to zero


@program(mat(2, 3))
def weights_without_an_axis(x):
    return np.average(x, weights=x[0])  # error: TypeError: Axis must be specified


@program(vec(4))
def keyword_of_another_mode(x):
    return np.sum(np.pad(x, 1, mode="edge", end_values=1))  # error: UnsupportedError: end_values


@program(vec(4))
def negative_place_to_count(w):
    return np.sum(np.bincount(np.array([0, 1, -1, 2]), w))  # error: ValueError: negative elements


@program(vec(4))
def grid_that_is_a_matrix(x):
    return np.sum(np.r_["r", x])  # error: UnsupportedError: 'r', which make a np.matrix ... atleast


@program(vec(4))
def directive_that_is_none(x):
    return np.sum(np.r_["rows", x])  # error: ValueError: unknown special directive 'rows'


@program(vec(4))
def directive_at_the_end(x):
    return np.sum(np.r_[x, "0,2"])  # error: ValueError: must be the first entry


@program(vec(4))
def directive_of_too_many(x):
    return np.sum(np.r_["0,2,5", x])  # error: ValueError: axes don't match array


@program(vec(4))
def method_that_is_none(x):
    return np.quantile(x, 0.3, method="best")  # error: ValueError: 'best' is no method ... linear


@program(vec(4))
def method_that_is_none_without_nans(x):
    return np.nanquantile(x, 0.3, method="best")  # error: ValueError: 'best' ... use 'linear'


@program(vec(4))
def strides_of_parts(x):
    y = x[::2].strides  # error: UnsupportedError: only of one that is contiguous ... x.copy()
    return x[0] * y[0]


@program(vec(4))
def strides_between_elements(x):
    y = as_strided(x, (2,), (4,))  # error: NotImplementedError: no multiple of the size
    return np.sum(y)


@program(vec(4))
def windows_outside_of_the_array(x):
    y = as_strided(x, (4, 2), x.strides * 2)  # error: NotImplementedError: outside of the array
    return np.sum(y)


@program(vec(4))
def store_to_strided_windows(x):
    y = as_strided(x, (3, 2), (8, 8))  # error: UnsupportedError: is a view ... it is stored to
    y[0] = 1.0
    return np.sum(x)


@program(vec(2))
def too_few_for_parabolas(x):
    return np.sum(np.gradient(x, edge_order=2))  # error: ValueError: too small


@program(vec(3))
def limits_of_an_array(x):
    return np.sum(x) * np.finfo(x).eps  # error: ValueError: as plain Python says


@program(mat(2, 2))
def store_to_a_diagonal_of_a_diagonal(x):
    y = np.multiply.outer(x, x)
    d = np.einsum("ijij->ij", y)  # error: UnsupportedError: stored to ... x[i, i] = ...
    d *= 2.0
    return np.sum(d) + np.sum(y)


@program(mat(3, 3))
def store_through_a_diagonal(x):
    y = x.copy()
    np.einsum("ii->i", y.T)[...] = 2.0  # error: UnsupportedError: stored to ... x[i, i] = ...
    return np.sum(y * x)


@program(mat(3, 3))
def subscript_that_is_no_letter(x):
    return np.sum(np.einsum(x, [0, 52]))  # error: UnsupportedError: subscript ... within [0, 52)


@program(vec(3))
def nothing_to_place(x):
    y = x.copy()
    np.place(y, x > -9.0, [])  # error: ValueError: Cannot insert from an empty array
    return np.sum(y)


@program(vec(3))
def place_by_a_shorter_mask(x):
    y = x.copy()
    np.place(y, x[:2] > 0.0, [1.0])  # error: ValueError: mask and data must be the same size
    return np.sum(y)


@program(mat(2, 3))
def order_of_an_index(x):
    i = np.unravel_index(1, (2, 3), order="A")  # error: ValueError: the order of an index is 'C'
    return x[i]
