"""Conversions to NumPy's numbers of what is no number: values and exceptions as in plain Python."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from tests.frontend.as_python import agrees, raises_alike, slope_agrees


class Constants:
    gain = 2.0


CONSTANTS = Constants()


class Doubled:
    def __init__(self, v):
        self.v = v

    def __float__(self):
        return 2.0 * self.v


class Seven:
    def __int__(self):
        return 7


class Cell:
    """Makes numbers of all its attributes that it can make numbers of."""

    ready = False

    def __init__(self, current, constants):
        self.current = current
        self.constants = constants
        self.name = "cell"
        self.ready = True

    def __setattr__(self, key, value):
        try:  # noqa: SIM105 (the program of the test)
            value = np.float64(value)
        except (TypeError, ValueError):
            pass
        super().__setattr__(key, value)
        if self.ready:
            self.__dict__.update(power=self.current * self.constants.gain)


def as_float(v):
    try:
        return np.float64(v)
    except TypeError:
        return -1.0
    except ValueError:
        return -2.0


def as_integer(v):
    try:
        return np.int64(v)
    except TypeError:
        return -1
    except ValueError:
        return -2


def no_numbers(x):
    given = (CONSTANTS, Constants(), {}, {"a": x}, set(), len, as_float, Constants, slice(1))
    return x * sum([as_float(v) + as_integer(v) for v in given])


def texts(x):
    return x * (as_float("1.5") + as_float("a") + as_integer("4") + as_integer("1.5"))


def exact_numbers(x):
    return x * (as_float(Decimal("1.5")) + as_float(Fraction(1, 4)) + as_integer(Fraction(7, 2)))


def nothing(x):
    return x * np.isnan(as_float(None)) + as_integer(None)


def own_methods(x):
    return as_float(Doubled(x)) * as_integer(Seven()) + as_integer(Doubled(x)) + as_float(Seven())


def of_ranges(x):
    return np.sum(x * np.float64(range(3)) * np.int64(range(1, 4)))


def attributes(x):
    cell = Cell(x, CONSTANTS)
    return cell.current * cell.power


PROGRAMS = (no_numbers, texts, exact_numbers, nothing, own_methods, of_ranges, attributes)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_python(f):
    for x in (1.5, -0.7):
        agrees(f, x)
        slope_agrees(f, x)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int32, np.uint64])
@pytest.mark.parametrize("v", [CONSTANTS, {}, len], ids=["instance", "dict", "function"])
def test_raises_as_python(kind, v):
    raises_alike(lambda x: x * kind(v), 1.5)
