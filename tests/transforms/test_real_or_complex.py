"""Derivatives of results that are real on some paths and complex on others: of the real ones."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import ArgumentTypeError, UnsupportedError

TARGETS = ("python", "cpu")


def logarithms(x):
    return (np.emath.log(x) * 2.0).sum()


def root(x):
    return np.emath.sqrt(x) * 3.0


def root_and_sign(x):
    return np.emath.sqrt(x) * 3.0, x > 0


def rounded_root(x):
    if x > 5.0:
        return np.zeros(3)
    return np.emath.sqrt(x) * 3.0


@pytest.mark.parametrize("target", TARGETS)
def test_gradient_of_the_real_result(target):
    x = np.array([1.0, 2.0, 4.0])
    np.testing.assert_allclose(flow.grad(logarithms, target=target)(x), 2 / x)
    value, g = flow.value_and_grad(root, target=target)(4.0)
    assert value == 6.0 and type(value) is np.float64 and g == 0.75
    np.testing.assert_allclose(flow.jacobian(flow.compile(root, target=target))(4.0), 0.75)
    np.testing.assert_allclose(flow.hessian(flow.compile(root, target=target))(4.0), -3 / 32)


@pytest.mark.parametrize("target", TARGETS)
def test_with_further_outputs(target):
    g, sign = flow.grad(root_and_sign, has_aux=True, target=target)(4.0)
    assert g == 0.75 and sign


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("derivative", [flow.grad, flow.value_and_grad, flow.jacobian])
def test_a_complex_result_has_no_gradient(target, derivative):
    of = derivative(flow.compile(root, target=target))
    for _ in range(2):
        with pytest.raises(ArgumentTypeError, match="returns a complex number here") as raised:
            of(-4.0)
        assert raised.value.location.text.strip() == "return np.emath.sqrt(x) * 3.0"
        assert "return its .real" in raised.value.way_out
    of(4.0)  # the same program


@pytest.mark.parametrize("target", TARGETS)
def test_the_ways_out_hold_on_both_paths(target):
    for x, slope in ((4.0, 0.25), (-4.0, 0.0)):
        assert flow.grad(lambda x: np.emath.sqrt(x).real, target=target)(x) == slope
    for x, slope in ((4.0, 0.0), (-4.0, -0.25)):
        assert flow.grad(lambda x: np.emath.sqrt(x).imag, target=target)(x) == slope
    for x, slope in ((4.0, 1.0), (-4.0, -1.0)):
        np.testing.assert_allclose(
            flow.grad(lambda x: abs(np.emath.sqrt(x)) ** 2, target=target)(x), slope
        )


@pytest.mark.parametrize("target", TARGETS)
def test_three_kinds_of_results(target):
    of = flow.grad(rounded_root, target=target)
    assert of(4.0) == 0.75
    assert of(9.0) == 0.0
    with pytest.raises(ArgumentTypeError, match="complex number here"):
        of(-4.0)


@pytest.mark.parametrize("target", TARGETS)
def test_forward_mode_has_both(target):
    out, tangent = flow.jvp(flow.compile(root, target=target), (-4.0,), (1.0,))
    assert out == 6j
    np.testing.assert_allclose(tangent, -0.75j)


@pytest.mark.parametrize("target", TARGETS)
def test_functions_of_tensors(target):
    of = flow.compile(root, target=target)
    x = flow.tensor(4.0, requires_grad=True)
    y = of(x)
    y.backward()
    assert y.item() == 6.0 and x.grad.item() == 0.75
    with pytest.raises(UnsupportedError, match="complex numbers, which have no gradient"):
        of(flow.tensor(-4.0, requires_grad=True))
    assert of(flow.tensor(-4.0)).item() == 6j


@pytest.mark.parametrize("target", TARGETS)
def test_batches_have_real_items(target):
    of = flow.vmap(flow.compile(root, target=target))
    np.testing.assert_allclose(of(np.array([1.0, 4.0])), [3.0, 6.0])
    with pytest.raises(UnsupportedError, match=r"f64.*c128|c128.*f64"):
        of(np.array([1.0, -4.0]))


def sum_of_roots(x):
    total = 0.0
    for v in x:
        total += np.emath.sqrt(v)
    return total


@pytest.mark.parametrize("target", TARGETS)
def test_a_sum_that_begins_with_a_real_number(target):
    x = np.array([1.0, 4.0])
    of = flow.grad(sum_of_roots, target=target)
    np.testing.assert_allclose(of(x), [0.5, 0.25])
    assert type(flow.compile(sum_of_roots, target=target)(x)) is np.float64
    assert flow.compile(sum_of_roots, target=target)(-x) == 3j
    with pytest.raises(ArgumentTypeError, match="complex number here"):
        of(-x)
