"""Transforms inside compiled functions, of functions that are defined there, and Jacobians."""

import functools
import warnings

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import ArgumentTypeError, UnsupportedError, ZeroGradientWarning

MATRIX = np.arange(6.0).reshape(2, 3) / 5.0


def curve(x):
    return np.sin(MATRIX @ x)


def slope(x):
    return np.cos(MATRIX @ x)[:, None] * MATRIX


@pytest.fixture(params=["python", "cpu"])
def target(request):
    return request.param


@pytest.fixture(params=[flow.jacrev, flow.jacfwd])
def jacobian(request):
    return request.param


def test_closure_reads_what_is_around_it(target):
    @flow.compile(target=target)
    def outer(x):
        inner = lambda y: x * y * y
        return x * flow.grad(inner)(2.0)

    assert outer(3.0) == 36.0
    assert flow.grad(outer)(3.0) == 24.0
    assert flow.grad(flow.grad(outer))(3.0) == 8.0


def test_shared_arguments_are_noticed_at_the_call():
    def moved(y, z):
        y[0] = y[0] * z[1]
        return np.sum(y * z)

    @flow.compile(target="python")
    def outer(x, w):
        return np.sum(flow.grad(moved)(x, w))

    x = np.array([1.0, 2.0])
    assert outer(x, x.copy()) == 4.0
    with pytest.raises(UnsupportedError, match="share memory"):
        flow.grad(outer)(x, x)


def test_has_aux_inside():
    @flow.compile(target="python")
    def outer(x):
        g, others = flow.grad(lambda y: (np.sum(y * x), y * 2.0), has_aux=True)(x)
        return np.sum(g) + np.sum(others[0])

    assert outer(np.ones(3)) == 9.0


def test_a_closure_that_always_raises(target):
    @flow.compile(target=target)
    def outer(x):
        def fails(y):
            raise ValueError("never")

        if x > 1.0:
            return flow.grad(fails)(x)
        return x

    assert outer(0.5) == 0.5
    with pytest.raises(ValueError, match="never"):
        outer(2.0)


def test_captured_parameters_inside():
    w = flow.Parameter(flow.tensor([1.0, 2.0]), name="w")

    @flow.compile(target="python")
    def step(x):
        def loss(y):
            return np.sum(w * y * x)

        return flow.value_and_grad(loss, None, w)(x)

    value, g = step(np.array([3.0, 4.0]))
    assert float(value) == 9.0 + 32.0
    assert g.detach().numpy().tolist() == [9.0, 16.0]


def test_jacobians_of_arrays(jacobian, target):
    x = np.array([0.1, 0.2, 0.3])
    made = jacobian(flow.compile(curve, target=target))(x)
    assert type(made) is np.ndarray
    np.testing.assert_allclose(made, slope(x), rtol=1e-13)


def test_jacobians_of_jacobians(jacobian):
    x = np.array([0.1, 0.2, 0.3])
    second = jacobian(jacobian(flow.compile(curve, target="python")))(x)
    want = -np.sin(MATRIX @ x)[:, None, None] * MATRIX[:, :, None] * MATRIX[:, None, :]
    np.testing.assert_allclose(second, want, rtol=1e-13)


def test_jacobians_are_differentiated(jacobian):
    @flow.compile(target="python")
    def f(x):
        return np.sum(np.sin(jacobian(curve)(x)))

    x = np.array([0.1, 0.2, 0.3])
    second = -np.sin(MATRIX @ x)[:, None, None] * MATRIX[:, :, None] * MATRIX[:, None, :]
    want = np.sum(np.cos(slope(x))[:, :, None] * second, (0, 1))
    np.testing.assert_allclose(flow.grad(f)(x), want, rtol=1e-12)


def test_jacobians_of_several_outputs_by_several_arguments(jacobian):
    @flow.compile(target="python")
    def f(x, y):
        return x * y, np.outer(x, x) * y

    x = np.array([1.0, 2.0, 3.0])
    (xx, xy), (ox, oy) = jacobian(f, (0, 1))(x, 2.0)
    assert xx.tolist() == [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]]
    assert xy.tolist() == [1.0, 2.0, 3.0]
    assert ox.shape == (3, 3, 3)
    assert ox[1, 2].tolist() == [0.0, 6.0, 4.0]
    assert oy.tolist() == np.outer(x, x).tolist()


def test_jacobians_of_and_by_numbers(jacobian):
    cube = flow.compile(lambda x: x**3, target="python")
    assert jacobian(cube)(2.0) == 12.0
    powers = flow.compile(lambda x: np.array([x, x**2]), target="python")
    assert jacobian(powers)(2.0).tolist() == [1.0, 4.0]
    total = flow.compile(lambda x: np.sum(x**2), target="python")
    assert jacobian(total)(np.array([1.0, 2.0])).tolist() == [2.0, 4.0]


def test_jacobians_with_others(jacobian):
    f = flow.compile(lambda x: (x**2, x, x + 1.0), target="python")
    made, others = jacobian(f, has_aux=True)(np.array([1.0, 2.0]))
    assert made.tolist() == [[2.0, 0.0], [0.0, 4.0]]
    assert [o.tolist() for o in others] == [[1.0, 2.0], [2.0, 3.0]]


def test_jacobians_without_elements(jacobian):
    f = flow.compile(lambda x: x[1:] ** 2, target="python")
    assert jacobian(f)(np.ones(1)).shape == (0, 1)
    g = flow.compile(lambda x: np.sum(x) * np.ones(2), target="python")
    assert jacobian(g)(np.ones(0)).shape == (2, 0)


def test_jacobians_by_integers_are_refused(jacobian):
    with pytest.raises((ArgumentTypeError, TypeError), match="only floats have gradients"):
        jacobian(flow.compile(lambda x: x * 2, target="python"))(np.array([1, 2]))


def test_float32_stays(jacobian):
    made = jacobian(flow.compile(lambda x: np.sin(x), target="python"))(np.ones(2, np.float32))
    assert made.dtype == np.float32


@pytest.mark.parametrize("of", ["python", "loops", "cpu"])
@pytest.mark.parametrize("lengths", [(2, 3), (4, 3), (2, 2), (2, 1)])
def test_a_length_that_turns_out_to_be_one_broadcasts_inside(of, lengths):
    def area(a, b):
        return np.sum(np.arctan2(a, b) * a)

    @flow.compile(target=of)
    def outer(x, y):
        return flow.value_and_grad(area, grad_position=(0, 1))(x[1:], y)

    x, y = (np.linspace(0.5, 1.5, n) for n in lengths)
    value, grads = outer(x, y)
    want_value, want = flow.value_and_grad(area, grad_position=(0, 1))(x[1:], y)
    np.testing.assert_allclose(value, want_value, rtol=1e-14)
    for g, w in zip(grads, want, strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-14)


def test_a_program_first_called_with_no_elements_serves_others():
    f = flow.grad(lambda x, y: np.sum(x * y))
    for n in (0, 3, 1):
        np.testing.assert_array_equal(f(np.ones(n), np.arange(float(n))), np.arange(float(n)))


class Scaled:
    def __init__(self, factor):
        self.factor = factor

    def total(self, x, axis):
        return self.factor * np.sum(np.sin(x), axis=axis)

    __call__ = total


def total(x, axis):
    if axis == 0:
        x = x + flow.grad(rounded)(x)
    return np.sum(np.sin(x), axis=axis)


def rounded(x):
    return np.sum(np.round(x))


SCALED, PARTIAL = Scaled(2.0), functools.partial(total)
CALLABLES = [np.cumsum, np.sum, functools.partial(np.mean), SCALED, SCALED.total, PARTIAL, total]


@pytest.mark.parametrize("function", CALLABLES, ids=lambda f: type(f).__name__)
@pytest.mark.parametrize("transform", ["jvp", "jacfwd", "jacrev", "grad"])
@pytest.mark.filterwarnings("ignore::srcgrad.errors.ZeroGradientWarning")
def test_an_axis_is_found_to_be_static_inside(function, transform):
    """What a callable has to know of its arguments is found again where it is wrapped anew."""

    def by_jvp(x, axis):
        return flow.jvp(function, (x, axis), (MATRIX, None))[1]

    def by_another(x, axis):
        return getattr(flow, transform)(function)(x, axis)

    inside = flow.compile(by_jvp if transform == "jvp" else by_another, target="python")
    outside = flow.compile(function, target="python")
    for axis in (0, 1):
        if transform == "jvp":
            expected = flow.jvp(outside, (MATRIX, axis), (MATRIX, None))[1]
        else:
            expected = getattr(flow, transform)(outside)(MATRIX, axis)
        np.testing.assert_array_equal(inside(MATRIX, axis), expected)


def test_methods_of_what_is_made_inside():
    def outer(x, axis):
        return np.sum(flow.grad(Scaled(2.0).total)(x, axis)) + np.sum(
            flow.jvp(Scaled(3.0).total, (x, axis), (x, None))[1]
        )

    expected = np.sum(2.0 * np.cos(MATRIX)) + np.sum(3.0 * np.cos(MATRIX) * MATRIX)
    for axis in (0, 1):
        assert np.isclose(flow.compile(outer, target="python")(MATRIX, axis), expected, rtol=1e-14)


@pytest.mark.parametrize("axis", [0, 1])
def test_what_is_begun_anew_warns_of_what_is_left_in_the_end(axis):
    def outer(x, axis):
        return np.sum(flow.jvp(PARTIAL, (x, axis), (x, None))[1])

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        flow.compile(outer, target="python")(MATRIX, axis)
    assert [w.category for w in warned] == [ZeroGradientWarning] * (axis == 0)


@pytest.mark.parametrize("transform", [flow.grad, flow.value_and_grad, flow.compile])
def test_a_decorator_without_a_function_is_refused(transform):
    decorator = flow.compile(target="python")
    with pytest.raises(UnsupportedError, match="cannot be compiled: it is no function"):
        transform(decorator)(MATRIX[0])
