"""What is certain to fail whatever the values: refused before anything runs."""

import numpy as np

from tests.cases.registry import vec
from tests.errors.programs import program


class Opaque:
    """A class without the attribute that is read."""

    weight = 2.0


@program(vec(3))
def too_many_indices(x):
    return x[0, 1]  # error: UnsupportedError: too many indices


@program(vec(3))
def unpacked_into_two(x):
    a, b = x  # error: UnsupportedError: 3 values cannot be unpacked into 2 names
    return a * b


@program({"a": 0.7})
def key_missing(p):
    return p["a"] * p["b"]  # error: UnsupportedError: no key 'b'


@program(vec(3))
def misspelt_function(x):
    return np.sum(np.expp(x))  # error: UnsupportedError: expp


@program(vec(3))
def unknown_method(x):
    y = x.newbyteorder()  # error: UnsupportedError: newbyteorder
    return np.sum(y)


@program(vec(3))
def unknown_keyword(x):
    return np.sum(x, wherever=2)  # error: UnsupportedError: wherever


@program(0.7)
def attribute_missing(x):
    return x * Opaque.factor  # error: UnsupportedError: factor


@program(vec(3))
def two_ellipses(x):
    return np.sum(x[..., ...])  # error: IndexError: a single ellipsis
