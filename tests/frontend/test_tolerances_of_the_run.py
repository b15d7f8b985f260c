"""`np.isclose` and `np.allclose` with tolerances that only the run tells, and `np.geterr`."""

import warnings

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import TARGETS, agrees

X = np.array([1.0, 1.0001, 1.5, np.nan])


def near_zero(x, atol):
    return 2.0 * x if np.isclose(x, 0.0, atol=atol) else x


def scaled(x, rtol):
    y = x * np.isclose(x, 1.0, rtol=rtol, equal_nan=True)
    return y * 3.0 if np.allclose(y, x, rtol=0.0, atol=2.0 * rtol) else y


def settings(x):
    old = np.geterr()
    return x * (2.0 if old["under"] == "ignore" else 1.0), old["invalid"], np.seterr(all="ignore")


def test_values():
    for tolerance in (1e-3, 10.0):
        agrees(near_zero, 1.0, tolerance)
        agrees(scaled, X[:3], tolerance)
        agrees(scaled, X, tolerance)
    agrees(settings, 2.0)


@pytest.mark.parametrize("target", TARGETS)
def test_derivatives(target):
    f = flow.compile(near_zero, target=target)
    assert [flow.grad(f)(1.0, tolerance) for tolerance in (1e-3, 10.0)] == [1.0, 2.0]
    assert flow.jvp(f, (1.0, 10.0), (1.0, 0.0)) == (2.0, 2.0)


@pytest.mark.parametrize("target", TARGETS)
def test_a_tolerance_that_is_not_finite_warns(target):
    for f in (near_zero, flow.compile(near_zero, target=target)):
        with np.errstate(invalid="warn"), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert f(1.0, np.inf) == 2.0
        assert "atol: inf" in str(caught[0].message)
