"""Classes that derive from list, tuple, float and int."""

from typing import NamedTuple

import numpy as np

from tests.errors.programs import program


class Doubled(list):
    def __iter__(self):
        return (2.0 * v for v in list.__iter__(self))


class Angle(float):
    """A number of the user's."""


class Vector(list):
    """A list of the user's."""


class Pair(NamedTuple):
    a: float
    b: float


@program(0.7)
def array_of_a_list_with_an_iterator_of_its_own(x):
    return np.sum(Doubled([x]))  # error: UnsupportedError: defines __iter__ anew ... list(...)


@program(0.7)
def method_of_float_that_is_not_supported(x):
    return x * len(Angle(2.0).hex())  # error: UnsupportedError: 'hex' of float is not supported


@program(0.7)
def list_of_a_class_returned(x):
    return Vector([x])  # error: ReturnTypeError: which derives from list


@program(0.7)
def number_of_a_class_returned(x):
    return Angle(x)  # error: ReturnTypeError: which derives from float ... float(...)


@program(0.7)
def named_tuple_made_by_the_base(x):
    made = tuple.__new__(Pair, (x, x))  # error: UnsupportedError: tuple.__new__() of the class
    return made.a


@program(0.7)
def derived_tuple_as_a_key(x):
    return {Point((1, 2)): x}[Point((1, 2))]  # error: UnsupportedError: a __hash__ of its own


class Point(tuple):
    """A tuple of the user's."""
