"""The same or overlapping memory passed twice: NumPy's value, one gradient per position."""

import contextlib

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


# ---- tensors: the tape takes what the compiler refuses ----
def caught(x, y):
    with contextlib.suppress(IndexError):
        x[1:] *= y[:-1]
    return (x * y).sum()


def read_and_caught(x, y):
    try:
        return (x * x * y).sum()
    except IndexError:
        return x.sum()


@pytest.mark.parametrize("fn", [overwritten, caught])
@pytest.mark.parametrize("transform", [flow.grad, flow.value_and_grad, flow.jacrev])
def test_tensors_stored_to_and_given_twice_are_refused(fn, transform):
    """The tape differentiates by copies, which share no memory: another function's gradient."""
    x = flow.tensor([1.0, 2.0, 3.0])
    for args in ((x, x), (x[1:], x[:-1])):
        with pytest.raises(flow.SrcgradError, match=r"two arguments of \w+\(\) share memory"):
            transform(fn, (0, 1))(*args)
    assert x.tolist() == [1.0, 2.0, 3.0]
    y = x.clone()
    assert transform(fn, (0, 1))(x, y) is not None and x.tolist() == y.tolist() == [1.0, 2.0, 3.0]


def test_vjp_of_tensors_stored_to_and_given_twice_is_refused(target: str):
    x = flow.tensor([1.0, 2.0, 3.0])
    with pytest.raises(flow.SrcgradError, match="share memory"):
        flow.vjp(flow.compile(overwritten, target=target), x, x)


def test_tensors_given_twice_that_are_only_read_on_the_tape():
    x = flow.tensor([1.0, 2.0])
    by_x, by_y = flow.grad(read_and_caught, (0, 1))(x, x)
    assert by_x.tolist() == [2.0, 8.0] and by_y.tolist() == [1.0, 4.0]


def test_an_array_beside_tensors_is_as_it_was_on_the_tape():
    def f(x, table):
        with contextlib.suppress(IndexError):
            table[0] = 7.0
        return (x * flow.tensor(table)).sum()

    table = np.array([1.0, 2.0], np.float32)
    assert flow.grad(f)(flow.tensor([1.0, 1.0]), table).tolist() == [7.0, 2.0]
    assert table.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("transform", ["vjp", "jvp"])
def test_complex_directions_of_real_tensors_are_refused(transform):
    x, v = flow.tensor([1.0, 2.0]), np.array([1j, 1.0])
    for given in (v, flow.tensor(v)):
        with pytest.raises(TypeError, match="is of complex numbers"):
            if transform == "vjp":
                flow.vjp(lambda x: x * x, x)[1](given)
            else:
                flow.jvp(lambda x: x * x, (x,), (given,))
