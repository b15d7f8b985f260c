"""Library names without a rule: refused by name, never taken for a constant."""

import math
import random
import time

import numpy as np
import scipy.special

from tests.cases.registry import vec
from tests.errors.registry import program


@program(vec(3))
def random_without_generator(x):
    noise = np.random.rand(3)  # error: UnsupportedError: random ... default_rng
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
    y = np.unwrap(x)  # error: UnsupportedError: unwrap
    return np.sum(y)


@program(vec(3))
def unknown_function_of_submodule(x):
    return np.sum(np.polynomial.chebyshev.chebval(0.3, x))  # error: UnsupportedError: chebval


@program(vec(3))
def bytes_of_array(x):
    return len(x.tobytes()) * x[0]  # error: UnsupportedError: tobytes


@program(0.7)
def unknown_math(x):
    return math.nextafter(x, 1.0)  # error: UnsupportedError: nextafter


@program(0.7)
def unknown_special_function(x):
    return scipy.special.pbdv(1.0, x)[0]  # error: UnsupportedError: pbdv


@program(vec(3))
def vectorised(x):
    f = np.vectorize(lambda v: v * v)  # error: UnsupportedError: vectorize
    return np.sum(f(x))


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
def reshape_in_column_order(x):
    y = x.reshape((2, 3), order="F")  # error: UnsupportedError: order
    return np.sum(y[0])


def fallback(x):
    return np.unwrap(x)[0]  # error: UnsupportedError: unwrap


@program(vec(3))
def unknown_function_in_helper(x):
    s = np.sum(x)
    return s * fallback(x)


@program(vec(3))
def join_with_a_directive(x):
    return np.sum(np.r_["0,2", x])  # error: UnsupportedError: with a string
