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
