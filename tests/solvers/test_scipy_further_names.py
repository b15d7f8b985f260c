"""Further roots and integrals of SciPy: its values, and derivatives against differences."""

import inspect

import numpy as np
import pytest
from scipy import integrate, optimize

import srcgrad as flow
from srcgrad.frontend.formulas import scipy_integrate
from srcgrad.solvers import scipy_optimize, scipy_quad


def cubic(x, k):
    return x**3 + x - k


def brenth(k):
    return optimize.brenth(cubic, 0.0, 3.0, (k,))


def ridder(k):
    return optimize.ridder(cubic, -1.0 * k, 3.0, args=(k,), xtol=1e-13)


def toms748(k):
    return optimize.toms748(lambda x: cubic(x, k), 0.0, 3.0, k=2)


def dblquad(k):
    f = lambda y, x, p: x**p * y + np.sin(k * y)
    return integrate.dblquad(f, 0.0, k, lambda x: x * k, lambda x: 2.0 * x + k, (k,))[0]


def dblquad_of_numbers(k):
    return integrate.dblquad(lambda y, x: np.exp(-k * x * y), 0, 1, 0.5, 2)[0]


def fixed_quad(k):
    return integrate.fixed_quad(lambda x, p: x**p, 0.5, k, (k,), n=7)[0]


def romb(k):
    return np.sum(integrate.romb(np.outer(np.arange(1.0, 4.0), np.arange(9.0) ** k), dx=0.3 * k))


def romb_along_another_axis(k):
    return integrate.romb(np.outer(np.arange(17.0) ** k, np.arange(3.0)), axis=0)[1]


FUNCTIONS = (
    brenth, ridder, toms748, dblquad, dblquad_of_numbers, fixed_quad, romb, romb_along_another_axis,
)  # fmt: skip


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_values_and_derivatives(f, target):
    k, h = 1.7, 1e-5
    value, slope = flow.value_and_grad(f, target=target)(k)
    np.testing.assert_allclose(value, f(k), rtol=1e-12)
    np.testing.assert_allclose(slope, (f(k + h) - f(k - h)) / (2 * h), rtol=1e-7)


def test_second_derivatives():
    for f in (ridder, dblquad_of_numbers, romb):
        slope, h = flow.grad(flow.compile(f, target="python")), 1e-5
        want = (slope(1.7 + h) - slope(1.7 - h)) / (2 * h)
        np.testing.assert_allclose(flow.grad(slope)(1.7), want, rtol=1e-5)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (scipy_optimize.brenth, optimize.brenth), (scipy_optimize.ridder, optimize.ridder),
        (scipy_optimize.toms748, optimize.toms748), (scipy_quad.dblquad, integrate.dblquad),
        (scipy_integrate.fixed_quad, integrate.fixed_quad),
        (scipy_integrate.romb, integrate.romb),
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_signatures_are_those_of_scipy(ours, theirs):
    mine, known = (inspect.signature(f).parameters for f in (ours, theirs))
    assert [*mine] == [*known]
    assert [p.default for p in mine.values()] == [p.default for p in known.values()]


def test_refused():
    with pytest.raises(NotImplementedError, match="ridder with full_output"):
        flow.grad(lambda k: optimize.ridder(cubic, 0.0, 3.0, (k,), full_output=True)[0])(1.7)
    with pytest.raises(ValueError, match="different signs"):
        flow.grad(lambda k: optimize.ridder(cubic, 2.0, 3.0, (k,)))(1.7)
    with pytest.raises(ValueError, match="one plus a non-negative power of 2"):
        flow.grad(lambda k: integrate.romb(np.arange(4.0) ** k))(1.7)
    with pytest.raises(ValueError, match="finite limits"):
        flow.grad(lambda k: integrate.fixed_quad(lambda x: x * k, 0.0, np.inf)[0])(1.7)
