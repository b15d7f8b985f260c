"""Instances of np.poly1d, windows and trimmed arrays."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from tests.cases.registry import vec
from tests.errors.programs import program


@program(np.poly1d([1.0, 2.0]), vec(3), how="call")
def polynomial_as_an_argument(p, x):  # error, no line: TypeError: 'p' is a poly1d ... p.coeffs
    return p(x)


@program(vec(3), how="call")
def polynomial_that_is_returned(x):
    return np.poly1d(x)  # error: TypeError: returns a poly1d ... p.coeffs


@program(np.array([0.0, 1.0]))
def leading_coefficient_that_is_dropped(x):
    return np.poly1d(x)(2.0)  # error: NotImplementedError: a leading coefficient of 0


@program(np.array([[1.0, 2.0]]))
def polynomial_of_a_matrix(x):
    return np.poly1d(x)(2.0)  # error: ValueError: Polynomial must be 1d only.


@program(vec(3))
def polynomial_at_a_polynomial(x):
    return np.polyval(x, np.poly1d([1.0, 2.0]))(1.0)  # error: UnsupportedError: at a polynomial


@program(vec(3))
def windows_to_store_to(x):
    y = sliding_window_view(x, 2, writeable=True)  # error: UnsupportedError: writeable=True
    return np.sum(y)


@program(vec(3))
def rows_in_a_list_that_are_trimmed(x):
    return np.trim_zeros([[0.0, x[0]]])  # error: TypeError: list indices must be
