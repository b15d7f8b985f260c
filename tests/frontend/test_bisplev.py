"""bisplev() on grids, at lines and at places: values, errors and derivatives."""

from typing import Any

import numpy as np
import pytest
from scipy import interpolate as si

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from tests.frontend.test_interpolators import check

_X, _Y = np.meshgrid(np.linspace(0, 3, 7), np.linspace(0, 2, 6), indexing="ij")
TCK = si.bisplrep(_X.ravel(), _Y.ravel(), np.sin(_X * _Y).ravel(), s=0.1)
P, Q = np.array([-0.5, 0.1, 1.2, 2.9, 3.5]), np.array([0.3, 0.4, 1.0])


def surface(x, y):
    return si.bisplev(x, y, TCK)


def slopes(x, y):
    return si.bisplev(x, y, tuple(TCK), 1, dy=2)


PLACES = {
    "vectors": (P, Q),
    "float32": (P.astype(np.float32), Q),
    "integers": (np.arange(3), np.arange(2)),
    "lists": ([0.1, 0.2], [0.3, 0.4]),
    "numbers": (0.5, 1),
    "a row": (0.5, Q),
    "a column": (P, np.array(0.5)),
    "vectors of one": (P[:1], Q[:1]),
}


@pytest.mark.parametrize("kind", PLACES)
def test_values_and_shapes_are_scipys(kind: str):
    x, y = PLACES[kind]
    for f in (surface, slopes):
        for target in ("python", "cpu") if kind == "a row" else ("python",):
            found, expected = flow.compile(f, target=target)(x, y), f(x, y)
            assert np.shape(found) == np.shape(expected) and found.dtype == expected.dtype
            np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_derivatives(target: str):
    def of_coefficients(c, x, y):
        return si.bisplev(x, y, [TCK[0], TCK[1], c, 3, 3]) ** 2

    check(of_coefficients, TCK[2], P, Q, target=target, further=target == "python")
    check(slopes, P[1:4], Q, target=target)


RAISED = [
    (lambda x, y: si.bisplev(x, y, TCK, 3), "must hold"),
    (lambda x, y: si.bisplev(x[::-1], y, TCK), "Invalid input data"),
    (lambda x, y: si.bisplev(x[:0], y, TCK), "Invalid input data"),
    (lambda x, y: si.bisplev(x[:, None], y, TCK), "rank-1"),
]


@pytest.mark.parametrize(("f", "text"), RAISED)
def test_errors_are_scipys(f: Any, text: str):
    with pytest.raises(ValueError, match=text):
        f(P, Q)
    with pytest.raises(ValueError, match=text):
        flow.compile(f, target="python")(P, Q)


def test_a_length_of_the_run_may_not_decide_the_rank():
    f = flow.compile(lambda x, y: si.bisplev(x[x > 1.0], y, TCK), target="python")
    np.testing.assert_allclose(f(P, Q), si.bisplev(P[2:], Q, TCK))
    with pytest.raises(UnsupportedError, match="turns out to have length 1"):
        f(P[:3], Q)
