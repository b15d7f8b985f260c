"""The same or overlapping memory passed twice: NumPy's value, one gradient per position."""

import numpy as np
import pytest

import srcgrad as flow
from tests.cases.registry import vec


def product(x, y):
    return np.sum(x * x * y)


def overwritten(x, y):
    x[1:] *= y[:-1]
    return np.sum(x * y)


@pytest.fixture(params=["python", "cpu"])
def target(request: pytest.FixtureRequest) -> str:
    return request.param


def test_each_position_has_its_own_gradient(target: str):
    x = vec(4)
    fn = flow.compile(product, target=target)
    by_x, by_y = flow.grad(fn, grad_position=(0, 1))(x, x)
    assert np.allclose(by_x, 2.0 * x * x, rtol=1e-14)
    assert np.allclose(by_y, x * x, rtol=1e-14)


def test_overlapping_views_that_are_only_read(target: str):
    x = vec(5)
    fn = flow.compile(product, target=target)
    by_x, by_y = flow.grad(fn, grad_position=(0, 1))(x[1:], x[:-1])
    assert np.allclose(by_x, 2.0 * x[1:] * x[:-1], rtol=1e-14)
    assert np.allclose(by_y, x[1:] ** 2, rtol=1e-14)


def test_value_of_overlapping_arrays_that_are_stored_to(target: str):
    got, want = vec(5), vec(5)
    value = flow.compile(overwritten, target=target)(got[1:], got[:-1])
    assert np.isclose(value, overwritten(want[1:], want[:-1]), rtol=1e-14)
    assert np.allclose(got, want, rtol=1e-14)


def test_stored_to_and_differentiated_twice_is_refused(target: str):
    x = vec(4)
    before = x.copy()
    fn = flow.compile(overwritten, target=target)
    with pytest.raises(flow.errors.SrcgradError, match="memory"):
        flow.grad(fn, grad_position=(0, 1))(x, x)
    assert np.array_equal(x, before)


def test_a_call_after_an_aliased_one_is_not_confused(target: str):
    """The signature of the first call must not decide the second."""
    fn = flow.compile(overwritten, target=target)
    shared = vec(4)
    fn(shared, shared)
    x, y = vec(4), vec(4, 1)
    want_x, want_y = x.copy(), y.copy()
    assert np.isclose(fn(x, y), overwritten(want_x, want_y), rtol=1e-14)
    assert np.allclose(x, want_x, rtol=1e-14)
