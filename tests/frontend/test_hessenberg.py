"""`scipy.linalg.hessenberg`: LAPACK's form with its signs, and derivatives."""

import numpy as np
import pytest
import scipy.linalg
from numpy.testing import assert_allclose

import srcgrad as flow
from tests.frontend.as_python import TARGETS, raises_alike

RNG = np.random.default_rng(3)


def form(a):
    return scipy.linalg.hessenberg(a)


def form_and_vectors(a):
    h, q = scipy.linalg.hessenberg(a, calc_q=True)
    return np.stack([h, q])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("f", [form, form_and_vectors], ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [0, 1, 2, 3, 6])
def test_values_and_derivatives(n, f, target):
    compiled = flow.compile(f, target=target)
    a, d = RNG.standard_normal((2, n, n))
    w = RNG.standard_normal(f(a).shape)
    assert_allclose(compiled(a), f(a), rtol=1e-9, atol=1e-12)
    assert compiled(a).dtype == f(a).dtype
    wanted = np.sum((f(a + 1e-6 * d) - f(a - 1e-6 * d)) / 2e-6 * w)
    (gradient,) = flow.vjp(compiled, a)[1](w)
    assert_allclose(np.sum(gradient * d), wanted, rtol=1e-6, atol=1e-7)
    assert_allclose(np.sum(flow.jvp(compiled, (a,), (d,))[1] * w), np.sum(gradient * d), atol=1e-9)
    z, e = a + 1j * d, d - 1j * a
    assert_allclose(compiled(z), f(z), rtol=1e-9, atol=1e-12)
    wanted = (f(z + 1e-6 * e) - f(z - 1e-6 * e)) / 2e-6
    assert_allclose(flow.jvp(compiled, (z,), (e,))[1], wanted, rtol=1e-6, atol=1e-6)


def test_what_has_the_form_already():
    a = np.triu(RNG.standard_normal((4, 4)), -1)
    for target in TARGETS:
        assert_allclose(flow.compile(form, target=target)(a), form(a), rtol=1e-12)


def test_errors():
    raises_alike(form, np.ones((2, 3)))
    raises_alike(form, np.full((3, 3), np.nan))
    with pytest.raises(flow.UnsupportedError, match="a stack of matrices"):
        flow.compile(form)(np.ones((2, 3, 3)))
