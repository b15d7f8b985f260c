"""The older minimizers of SciPy: SciPy's minimum, and the derivative of a root of the gradient."""

import inspect
import warnings

import numpy as np
import pytest
from scipy import optimize

import srcgrad as flow
from srcgrad.solvers import scipy_fmin

START = np.array([0.0, 1.0])


def bowl(x, k):
    return np.sum((x - k) ** 2) + 0.1 * np.sum(x**4)


def fminbound(k):
    return optimize.fminbound(bowl, -3.0, 3.0, (k,), 1e-10)


def brent(k):
    return optimize.brent(bowl, args=(k,))


def golden(k):
    return optimize.golden(bowl, brack=(0.0, 1.0), args=(k,))


def fmin(k):
    return np.sum(optimize.fmin(bowl, START, (k,), disp=False, xtol=1e-9, ftol=1e-12))


def fmin_powell(k):
    return np.sum(optimize.fmin_powell(bowl, START, (k,), disp=0, xtol=1e-9, ftol=1e-12))


def fmin_bfgs(k):
    return np.sum(optimize.fmin_bfgs(bowl, START, args=(k,), disp=False, gtol=1e-9))


def fmin_cg(k):
    slope = lambda x, k: 2.0 * (x - k) + 0.4 * x**3
    return np.sum(optimize.fmin_cg(bowl, START, slope, (k,), disp=0, gtol=1e-7))


NAMES = ("brent", "fmin", "fmin_bfgs", "fmin_cg", "fmin_powell", "fminbound", "golden")


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", [globals()[n] for n in NAMES], ids=NAMES)
def test_minima_and_their_derivatives(f, target):
    k = 1.3
    value, slope = flow.value_and_grad(f, target=target)(k)
    want = f(k)
    np.testing.assert_allclose(value, want, atol=1e-7)
    x = want / (1.0 if f in (fminbound, brent, golden) else 2.0)
    one = 2.0 / (2.0 + 1.2 * x**2)  # of x - k + 0.2 x^3 = 0
    np.testing.assert_allclose(slope, one * want / x, rtol=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_signatures_are_those_of_scipy(name):
    ours = inspect.signature(getattr(scipy_fmin, name)).parameters
    theirs = inspect.signature(getattr(optimize, name)).parameters
    assert [*ours] == [*theirs]
    for key, p in theirs.items():
        assert key == "epsilon" or ours[key].default == p.default


@pytest.mark.parametrize("name", ["fmin", "fmin_cg"])
def test_further_outputs_of_minima(name):
    f = getattr(optimize, name)
    all_of = lambda k: f(bowl, START, args=(k,), disp=0, full_output=True)
    ours, theirs = flow.compile(all_of)(1.3), all_of(1.3)
    np.testing.assert_allclose(ours[0], theirs[0], atol=1e-5)
    np.testing.assert_allclose(ours[1], theirs[1], atol=1e-9)
    assert len(ours) == len(theirs) and ours[-1] == theirs[-1] == 0
    if name == "fmin":
        assert ours[2:4] == theirs[2:4]


@pytest.mark.parametrize("name", ["fmin_bfgs", "fmin_powell"])
def test_further_outputs_are_refused(name):
    with pytest.raises(NotImplementedError, match=f"{name} with full_output"):
        flow.grad(lambda k: getattr(optimize, name)(bowl, START, args=(k,), full_output=1)[0])(1.3)


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", [fminbound, brent, golden])
def test_further_outputs_of_minima_of_numbers(f, target):
    def all_of(k):
        if f is fminbound:
            return optimize.fminbound(bowl, -3.0, 3.0, (k,), 1e-10, full_output=True)
        return optimize.brent(bowl, (k,), full_output=1) if f is brent else in_a_tuple(k)

    def in_a_tuple(k):
        return optimize.golden(bowl, (k,), (0.0, 1.0), full_output=True)

    want = all_of(1.3)
    found = flow.compile(all_of, target=target)(1.3)
    assert len(found) == len(want) and found[2:] == want[2:]
    np.testing.assert_allclose(found[:2], want[:2], rtol=1e-7)
    lowest = flow.grad(lambda k: all_of(k)[1], target=target)(1.3)
    np.testing.assert_allclose(lowest, -2.0 * (want[0] - 1.3), rtol=1e-6)


def test_a_minimum_at_a_bound_has_no_derivative():
    with pytest.raises(RuntimeError, match="at a bound"):
        flow.grad(lambda k: optimize.fminbound(bowl, 2.0, 3.0, (k,)))(1.3)


@pytest.mark.parametrize("f", [fmin, fmin_powell, fminbound])
def test_no_warning_names_a_function_of_the_rule(f):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        flow.grad(flow.compile(lambda k: f(k) * k, target="python"))(1.3)


@pytest.mark.parametrize(
    "solve",
    [
        optimize.fmin, optimize.fmin_powell, optimize.fmin_bfgs, optimize.fmin_cg,
        optimize.fmin_slsqp,
    ],
)  # fmt: skip
def test_a_matrix_to_start_from_is_taken_as_a_vector(solve):
    def f(a):
        return solve(lambda x: np.sum((x - a) ** 2), np.zeros((2, 2)), disp=0)

    found = flow.compile(f, target="python", cache=False)(2.0)
    assert found.shape == (4,)
    np.testing.assert_allclose(found, f(2.0), atol=1e-3)
