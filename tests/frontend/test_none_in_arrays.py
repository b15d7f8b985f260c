"""None stored to an array: NaN in one of floats or complex numbers, False in one of booleans."""

import numpy as np
import pytest

from tests.frontend.as_python import agrees, raises_alike, slope_agrees

FLOATS = np.array([0.5, 1.5, 2.5])


def element(x):
    x[0] = None
    return x


def masked(x):
    x[np.abs(x) > 1] = None
    return x


def part(x):
    x[1:] = None
    return x


def places(x):
    x[[0, 2]] = None
    return x


def among_numbers(x):
    x[:2] = [x[2], None]
    return x


def filled(x):
    x.fill(None)
    return x


def on_some_paths(x):
    found = None
    for v in x:
        if v > 2.0:
            found = v * v
    x[0] = found
    x[1] = 3.0 * x[1]
    return x


def made(x):
    items = [x[0] * 2.0, None, x[1]]
    return np.array(items, dtype=float), np.full(2, None, dtype=float), np.full_like(x, None)


def real_part(z):
    z.real[0] = None
    return z


@pytest.mark.parametrize("f", [element, masked, part, places, among_numbers, filled, made])
def test_none_is_nan_among_floats(f):
    agrees(f, FLOATS)


@pytest.mark.parametrize("f", [element, masked, part, filled, real_part])
def test_none_is_nan_among_complex_numbers(f):
    agrees(f, FLOATS + 1j)


def test_none_is_false_among_booleans():
    agrees(part, FLOATS > 0)


@pytest.mark.parametrize("last", [2.5, 1.0])
def test_a_number_that_is_none_on_some_paths(last):
    agrees(on_some_paths, np.array([0.5, 1.5, last]))


def test_what_is_not_replaced_has_its_gradient():
    def loss(v):
        x = np.array([v, 2.0 * v, v * v])
        x[x > 2.0] = None
        return np.nansum(x * x)

    slope_agrees(loss, 0.8)
    slope_agrees(loss, 1.2)


@pytest.mark.parametrize("f", [element, part])
def test_integers_have_no_none(f):
    raises_alike(f, np.arange(3))


def test_a_replacement_that_is_left_out():
    def repaired(v, replacement=None):
        x = np.array([v, 2.0 * v])
        if np.any(np.isinf(x)):
            x[np.isinf(x)] = replacement
        return np.sum(x * x)

    slope_agrees(repaired, 0.8)
