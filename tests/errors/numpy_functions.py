"""Arguments that functions of NumPy, `math` and SciPy do not take."""

import math

import numpy as np
import scipy.special

from tests.cases.registry import mat, vec
from tests.errors.programs import program


# ---- making arrays ----
@program(0.7)
def array_of_a_range_of_floats(x):
    return x * np.sum(np.zeros(2.5))  # error: UnsupportedError: a shape is made of integers


@program(0.7)
def negative_constant_length(x):
    return x * np.sum(np.ones(-2))  # error: UnsupportedError: negative dimensions are not allowed


@program(vec(3))
def ragged_list(x):
    y = np.array([[x[0], x[1]], [x[2]]])  # error: UnsupportedError: must match exactly: 2
    return np.sum(y)


@program(vec(3))
def array_of_arrays_of_two_ranks(x):
    return np.sum(np.array([x, x[0]]))  # error: UnsupportedError: have different shapes


@program(mat(2, 2))
def item_of_many(x):
    return np.ones((2, 2)).item() * x[0, 0]  # error: UnsupportedError: array of size 1 to a Python


@program(vec(3))
def dtype_that_is_none(x):
    return np.sum(x.astype("text"))  # error: UnsupportedError: dtype 'text' is not supported


# ---- elementwise ----
@program(vec(3))
def math_of_an_array(x):
    return math.sin(x)  # error: UnsupportedError: math.sin takes a number ... use np.sin


@program(vec(3))
def sine_of_a_text(x):
    return np.sum(x * np.sin(len))  # error: UnsupportedError: does not take


@program(vec(3))
def out_that_is_no_array(x):
    return np.sum(np.sin(x, out=2.0))  # error: UnsupportedError: out= takes an array


@program(vec(3), np.arange(3))
def out_of_integers(x, k):
    np.sin(x, out=k)  # error: TypeError: Cannot cast ufunc 'sin' output ... .astype
    return np.sum(x)


@program(vec(3))
def gamma_function_of_a_mask(x):
    y = scipy.special.gammaln(x > 1.0)  # error: UnsupportedError: of booleans ... .astype(float)
    return np.sum(y)


# ---- conversions ----
@program(vec(3))
def array_of_a_text(x):
    np.array("text")  # error: UnsupportedError: a string cannot be made an array
    return np.sum(x)


@program(vec(3))
def positive_of_a_mask(x):
    return np.sum(x[+(x > 0)])  # error: UnsupportedError: numpy boolean positive is not supported
