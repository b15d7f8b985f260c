"""Where Python raises, compiled code says the same, in the words of the Python that runs.

Texts differ between versions; outside of a `try` that catches them floats do not raise.
"""

import math
from itertools import product

import pytest

from tests.frontend.as_python import raises_alike
from tests.tools.turns import share


def roots_and_logarithms(x, k):
    try:
        if k == 0:
            return math.sqrt(x - 2.0)
        if k == 1:
            return math.log(x - 1.0)
        if k == 2:
            return math.log(k - 2) * x
        if k == 3:
            return math.sqrt(k - 6) * x
        if k == 4:
            return math.log1p(x - 2.0)
        if k == 5:
            return math.log2(x - 1.0)
        return math.exp(x * 1e5)
    except (ValueError, OverflowError):
        raise


def angles_and_powers(x, k):
    try:
        if k == 0:
            return math.atanh(x)
        if k == 1:
            return math.acos(x + 5.0)
        if k == 2:
            return math.sin(x * math.inf)
        if k == 3:
            return math.gamma(x - 1.0)
        if k == 4:
            return math.acosh(x - 1.0)
        if k == 5:
            return math.fmod(x, x - 1.0)
        return math.pow(x - 1.0, -1.0)
    except (ValueError, OverflowError):
        raise


def divisions(x, k):
    try:
        if k == 0:
            return x / (x - 1.0)
        if k == 1:
            return x // (x - 1.0)
        if k == 2:
            return x % (x - 1.0)
        if k == 3:
            return x / (k - 3)
        if k == 4:
            return x * (k / (k - 4))
        if k == 5:
            return x * (k // (k - 5))
        return x * (k % (k - 6))
    except ZeroDivisionError:
        raise


def powers_and_places(x, k):
    try:
        if k == 0:
            return (x - 1.0) ** -1.0
        if k == 1:
            return x * (k - 1) ** -1
        if k == 2:
            return (x * 1e300) ** 2.0
        if k == 3:
            return x * math.log(2.0, x)
        if k == 4:
            return x * [x, 2.0].index(x + 5.0)
        if k == 5:
            return x * [2, 3].index(4)
        return x * (2.0, 3.0).index(x)
    except (ValueError, ZeroDivisionError, OverflowError):
        raise


@pytest.mark.parametrize(
    ("f", "k"), share([*product([roots_and_logarithms, angles_and_powers], range(7))])
)
def test_functions_of_math_outside_their_domain(f, k):
    raises_alike(f, 1.0, k)


@pytest.mark.parametrize(("f", "k"), share([*product([divisions, powers_and_places], range(7))]))
def test_divisions_by_zero_powers_and_what_is_in_no_list(f, k):
    raises_alike(f, 1.0, k)
