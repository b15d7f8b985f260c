"""What a `try` would catch and Python does not raise, or the other way round."""

import cmath

import numpy as np

from tests.cases.registry import vec
from tests.errors.programs import program


@program(vec(3), 2)
def number_of_either_class(x, n):
    t = 0.0
    for v in x[n:]:
        t = t + v
    try:
        return x[0] / t * (1.0 / t)  # error: UnsupportedError: this raises for Python's numbers
    except ZeroDivisionError:
        return x[1]


@program(vec(3), 0.5, 2)
def attribute_of_either_class(x, w, n):
    t = w if n > 1 else x[0]
    try:
        return t.mean() * x[0]  # error: UnsupportedError: a Python number has no attribute 'mean'
    except AttributeError:
        return x[1]


@program(vec(3), 0)
def integer_of_numpy_divided_by_zero(x, n):
    try:
        k = x.argmin() // n  # error: ZeroDivisionError: gives 0 in NumPy
    except ZeroDivisionError:
        k = 1
    return x[k]


@program(vec(3))
def power_of_a_complex_number(x):
    try:
        z = complex(x[0], x[1]) ** -1  # error: UnsupportedError: a power of complex numbers
    except ZeroDivisionError:
        z = 1j
    return z.imag


@program(vec(3))
def function_of_a_complex_number(x):
    try:
        return cmath.log(x[0]).real  # error: UnsupportedError: whether cmath.log() raises
    except ValueError:
        return x[1]


def summed(x, k):
    try:  # error: UnsupportedError: a 'try' inside of 3 others of a
        return x[k] + summed(x, k + 1)
    except IndexError:
        return 0.0


@program(vec(3))
def recursion_that_a_handler_ends(x):
    return summed(x, 0)


@program(vec(3))
def order_of_a_difference(x):
    return np.sum(np.diff(x, n=-1))  # error: ValueError: order must be non-negative but got -1


@program(vec(3))
def axes_twice(x):
    return np.sum(x) * np.transpose(x, (0, 0))[0]  # error: ValueError: axes don't match array


@program(vec(3), -1)
def negative_shift(x, n):
    return x[0] * (1 << n)  # error: ValueError: negative shift count


@program(vec(3), -1)
def repeated_a_negative_number_of_times(x, n):
    return np.sum(np.repeat(x, n))  # error: ValueError: negative dimensions are not allowed


@program(vec(3))
def product_in_place_of_vectors(x):
    x @= x  # error: ValueError: inplace matrix multiplication requires
    return np.sum(x)


@program(np.eye(3))
def product_in_place_of_a_stack(x):
    x @= np.ones((2, 3, 3))  # error: ValueError: output operand requires a reduction
    return np.sum(x)
