"""Library names without a rule: refused by name, never taken for a constant."""

import math
import random
import time

import numpy as np
import scipy.special

from tests.cases.registry import mat, vec
from tests.errors.programs import program


@program(vec(3))
def random_without_generator(x):
    noise = np.random.rand(3)  # error: UnsupportedError: draws random numbers ... outside
    return np.sum(x * noise)


@program(vec(3))
def random_normal(x):
    return np.sum(x * np.random.normal(size=3))  # error: UnsupportedError: random


@program(0.7)
def random_module(x):
    return x * random.random()  # error: UnsupportedError: random


@program(0.7)
def clock(x):
    return x * time.time()  # error: UnsupportedError: time


@program(vec(3))
def unknown_function(x):
    y = np.spacing(x)  # error: UnsupportedError: spacing
    return np.sum(y)


@program(vec(3))
def unknown_function_of_submodule(x):
    return np.sum(np.polynomial.chebyshev.chebroots(x))  # error: UnsupportedError: chebroots


@program(vec(3))
def bytes_of_array(x):
    return len(x.tobytes()) * x[0]  # error: UnsupportedError: tobytes


@program(0.7)
def unknown_math(x):
    return math.nextafter(x, 1.0)  # error: UnsupportedError: nextafter


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
def reshape_without_a_copy(x):
    y = np.reshape(x, (2, 3), copy=False)  # error: UnsupportedError: copy=False
    return np.sum(y[0])


@program(vec(6))
def reshape_in_the_order_of_memory(x):
    y = x.reshape((2, 3), order="K")  # error: ValueError: order 'K' is not permitted
    return np.sum(y[0])


def fallback(x):
    return np.spacing(x)[0]  # error: UnsupportedError: spacing


@program(vec(3))
def unknown_function_in_helper(x):
    s = np.sum(x)
    return s * fallback(x)


@program(vec(3))
def zeros_of_polynomial(x):
    return np.sum(np.roots(x).real)  # error: UnsupportedError: roots


@program(vec(3))
def parts_of_floating_numbers(x):
    return np.sum(np.frexp(x)[0])  # error: UnsupportedError: frexp


@program(vec(3))
def where_without_out(x):
    return np.sum(np.sqrt(x, where=x > 1.0))  # error: UnsupportedError: where= without out=


@program(vec(3))
def unknown_method_of_quantile(x):
    return np.quantile(x, 0.3, method="inverted_cdf")  # error: UnsupportedError: inverted_cdf


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
def mode_of_padding(x):
    return np.sum(np.pad(x, 1, mode="reflect", reflect_type="odd"))  # error: UnsupportedError: odd


@program(vec(4))
def keyword_of_another_mode(x):
    return np.sum(np.pad(x, 1, mode="edge", end_values=1))  # error: UnsupportedError: end_values


@program(vec(4))
def negative_place_to_count(w):
    return np.sum(np.bincount(np.array([0, 1, -1, 2]), w))  # error: ValueError: negative elements


@program(vec(2))
def too_few_for_parabolas(x):
    return np.sum(np.gradient(x, edge_order=2))  # error: ValueError: too small


@program(vec(4))
def grid_of_strings(x):
    return np.sum(np.r_["0,2", x])  # error: UnsupportedError: string


@program(vec(4))
def places_of_reduceat(x):
    return np.sum(np.add.reduceat(x, [2, 0]))  # error: NotImplementedError: do not increase


@program(vec(4))
def distinct_rows(x):
    return np.sum(np.unique(x, axis=0))  # error: UnsupportedError: along an axis


@program(vec(3))
def limits_of_an_array(x):
    return np.sum(x) * np.finfo(x).eps  # error: ValueError: as plain Python says


@program(mat(3, 3))
def store_through_a_diagonal(x):
    y = x.copy()
    np.einsum("ii->i", y)[...] = 2.0  # error: UnsupportedError: stored to ... x[i, i] = ...
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


@program(2.0)
def emath_of_what_becomes_complex(x):
    return np.emath.sqrt(-x).real  # error: UnsupportedError: outside of its domain ... astype
