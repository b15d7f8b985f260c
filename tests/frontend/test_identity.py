"""Whether two names hold one array: `is`."""

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import agrees, slope_agrees

X = np.arange(6.0).reshape(2, 3) + 1.0


def items(x):
    a, b, same = x[0], x[0], x
    c = a
    return a is b, a is not b, c is a, np.asarray(a) is c, same is x


def rows(x):
    return [p is q for p in x for q in x]


def other_names_of_a_vector(x):
    v = x[0]
    return np.asarray(v) is v, np.atleast_1d(v) is v, v.squeeze() is v


def same_data(x, y=None):
    """As spectra of one signal with itself are made shorter."""
    return np.sum(x * x) if y is None or y is x else np.sum(x * y)


def spectrum(x):
    return same_data(x[0], x[1]) + same_data(x[0]) + same_data(x, x)


def not_the_callers(x):
    given = x
    x = np.asarray(x)
    if x is given:
        x = x.copy()
    x /= np.sum(x)
    return np.sum(x**2)


@pytest.mark.parametrize(
    "f",
    [items, rows, other_names_of_a_vector, spectrum, not_the_callers],
)
def test_identity_is_pythons(f):
    agrees(f, X)


def test_slopes():
    slope_agrees(lambda s: spectrum(X * s), 0.7)


def test_the_argument_is_left():
    x = X.copy()
    flow.grad(not_the_callers, target="python")(x)
    assert np.array_equal(x, X)


@pytest.mark.parametrize(
    ("f", "reason"),
    [
        (lambda x: x is np.array(x), "whether two arrays are one object"),
        (lambda x: id(x[0]) == id(x[0] + 1.0), "whether two arrays are one object"),
        (lambda x: id(x[0, 0]) == 3, "id.. of a number"),
        (lambda x: x[0].T is x[0], "whether two arrays are one object"),
        (lambda x: np.moveaxis(x[0], 0, 0) is x[0], "whether two arrays are one object"),
        (lambda x: {id(x): 1.0}[id(x)], "Identity"),
    ],
)
def test_refusals(f, reason):
    with pytest.raises(flow.UnsupportedError, match=reason):
        flow.compile(f, target="python")(X)
