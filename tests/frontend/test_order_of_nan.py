"""`max` and `min` of numbers: next to a NaN their order decides, as Python has it."""

import itertools
import math

import numpy as np
import pytest

import srcgrad as flow

NAN = math.nan


def greatest(a, b, c):
    return max(a, b, c)


def least(a, b, c):
    return min(a, b, c)


def beyond_a_constant(a, b, c):
    return max(1.5, a) + 2.0 * max(b, 1.5) + 3.0 * min(1.5, c)


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("function", [greatest, least, beyond_a_constant])
def test_values_are_those_of_python(function, target):
    compiled = flow.compile(function, target=target)
    for values in itertools.product((1.0, 2.0, NAN), repeat=3):
        np.testing.assert_equal(compiled(*values), function(*values))


@pytest.mark.parametrize("function", [greatest, least])
def test_the_derivative_is_that_of_what_is_chosen(function):
    gradient = flow.grad(flow.compile(function, target="python"), (0, 1, 2))
    for values in itertools.permutations((1.0, 2.0, NAN)):
        chosen = function(*values)
        if not math.isnan(chosen):
            assert list(gradient(*values)) == [float(v == chosen) for v in values]


def test_numpys_maximum_is_nan():
    f = flow.compile(lambda a, b: np.maximum(a, b), target="python")
    assert math.isnan(f(1.0, NAN)) and math.isnan(f(NAN, 1.0))


n, i = math.nan, math.inf
OF_COMPLEX = [
    [1 + 2j, 1 + 3j, 0], [1 + 3j, 1 + 3j], [n, 1], [1, complex(n, 0)], [complex(1, n), n],
    [complex(1, -i), complex(0, -i), complex(1, -i)], [complex(0, -i), complex(1, -i)],
    [complex(1, n), 2 + 1j], [i, complex(i, 1)], [complex(-i, n), complex(-i, 2), -i],
]  # fmt: skip


@pytest.mark.parametrize("values", OF_COMPLEX)
def test_complex_numbers(values):
    z = np.array(values, complex)

    @flow.compile(target="python")
    def places(z):
        finite = np.nan_to_num(z, nan=0.5), np.nan_to_num(z[0], posinf=3.0)
        return np.argmax(z), np.argmin(z), *finite

    for got, want in zip(places(z), places.function(z), strict=True):
        np.testing.assert_array_equal(got, want)
