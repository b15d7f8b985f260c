"""Gradients of extrema of data, and of adjoints, that are not finite: JAX gives the same."""

import numpy as np
import pytest

import srcgrad as flow

nan, inf = np.nan, np.inf


def largest(x):
    return np.max(x)


def smallest(x):
    return np.min(x)


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", [largest, smallest])
def test_data_with_nan_has_no_gradient(f, target):
    assert np.isnan(flow.grad(flow.compile(f, target=target))(np.array([1.0, nan, 3.0]))).all()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize(("adjoint", "want"), [(inf, [nan, inf, nan]), (nan, [nan, nan, nan])])
def test_the_adjoint_is_multiplied_by_ones_and_zeros(adjoint, want, target):
    _, pull = flow.vjp(flow.compile(largest, target=target), np.array([1.0, 4.0, 2.0]))
    np.testing.assert_array_equal(pull(adjoint)[0], want)
