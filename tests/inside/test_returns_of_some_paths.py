"""Functions inside that return a number of one kind on the paths that a call takes."""

import numpy as np
import pytest
from scipy.optimize import root_scalar

import srcgrad as flow
from tests.frontend.as_python import TARGETS


def none_on_others(x):
    def inner(v):
        if v > 0.0:
            return v * v * x

    return flow.grad(inner)(x)


def complex_on_others(x):
    def inner(v):
        return np.real_if_close(x * v * v + 0j * np.minimum(v, 0.0) * 1e-3j)

    return flow.grad(inner)(x)


def in_a_loop(x):
    def inner(v):
        if v > 0.0:
            return v * v * x

    total = 0.0
    for k in range(3):
        total += flow.value_and_grad(inner)(x + k)[1]
    return total


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "f, value, slope",
    [(none_on_others, 4.5, 6.0), (complex_on_others, 4.5, 6.0), (in_a_loop, 22.5, 24.0)],
)
def test_it_is_differentiated_there(f, value, slope, target):
    found = flow.value_and_grad(flow.compile(f, target=target))
    assert found(1.5) == pytest.approx((value, slope))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("f", [none_on_others, in_a_loop])
def test_other_paths_are_refused_as_they_run(f, target):
    compiled = flow.compile(f, target=target)
    compiled(1.5)
    with pytest.raises(flow.UnsupportedError, match="returns None here, which has no derivative"):
        compiled(-2.5)


@pytest.mark.parametrize("target", TARGETS)
def test_a_root_of_what_is_real_where_it_is_close(target):
    def f(x):
        def residual(v):
            return 2.0 * x - v - np.real_if_close(x * np.exp(v) + 0j)

        return root_scalar(residual, bracket=(-5.0, x + 2.0)).root

    value, slope = flow.value_and_grad(flow.compile(f, target=target))(1.2)
    assert value == pytest.approx(f(1.2), abs=1e-9)
    assert slope == pytest.approx((f(1.2 + 1e-5) - f(1.2 - 1e-5)) / 2e-5, rel=1e-5)
