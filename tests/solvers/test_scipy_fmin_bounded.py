"""The older minimizers of SciPy with bounds or constraints: its minima and their derivatives."""

import inspect

import numpy as np
import pytest
from scipy import optimize

import srcgrad as flow
from srcgrad.solvers import scipy_fmin, scipy_fmin_bounded

START = np.array([0.0, 1.0])


def bowl(x, k):
    return np.sum((x - k) ** 2) + 0.1 * np.sum(x**4)


def slope(x, k):
    return 2.0 * (x - k) + 0.4 * x**3


def fmin_l_bfgs_b(k):
    x, f, d = optimize.fmin_l_bfgs_b(bowl, START, slope, (k,), factr=10.0, pgtol=1e-9, m=5)
    return np.sum(x) + f + np.sum(d["grad"]) + d["warnflag"]


def l_bfgs_b_of_pairs(k):
    both = lambda x, k: (bowl(x, k), slope(x, k))
    x, f, _ = optimize.fmin_l_bfgs_b(both, START, args=(k,), factr=10.0, pgtol=1e-9)
    return np.sum(x) + f


def l_bfgs_b_without_gradient(k):
    x, f, _ = optimize.fmin_l_bfgs_b(bowl, START, args=(k,), approx_grad=True, factr=10.0)
    return np.sum(x) + f


def fmin_tnc(k):
    x, count, code = optimize.fmin_tnc(bowl, START, slope, (k,), messages=0, xtol=1e-12)
    return np.sum(x) + bowl(x, k) + 0.0 * count + (0.0 if code in (0, 1, 2) else 1.0)


def fmin_slsqp(k):
    x = optimize.fmin_slsqp(bowl, START, fprime=slope, args=(k,), acc=1e-14, iprint=0)
    return np.sum(x) + bowl(x, k)


def fmin_cobyla(k):
    x = optimize.fmin_cobyla(bowl, START, [], (k,), rhoend=1e-9, maxfun=5000)
    return np.sum(x) + bowl(x, k)


def fmin_ncg(k):
    x = optimize.fmin_ncg(bowl, START, slope, args=(k,), avextol=1e-10, disp=False)
    return np.sum(x) + bowl(x, k)


FUNCTIONS = (
    fmin_l_bfgs_b, l_bfgs_b_of_pairs, l_bfgs_b_without_gradient, fmin_tnc, fmin_slsqp,
    fmin_cobyla, fmin_ncg,
)  # fmt: skip


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_minima_and_their_derivatives(f, target):
    k = 1.3
    value, change = flow.value_and_grad(f, target=target)(k)
    np.testing.assert_allclose(value, f(k), atol=3e-7)
    x = float(optimize.brentq(slope, 0.0, 2.0, (k,), xtol=1e-14))
    one = 2.0 / (2.0 + 1.2 * x**2)
    want = 2.0 * (one - 2.0 * (x - k))
    np.testing.assert_allclose(change, want, rtol=1e-6)
    np.testing.assert_allclose(flow.jvp(f, (k,), (1.0,))[1], want, rtol=1e-6)


@pytest.mark.parametrize(
    "name", ["fmin_l_bfgs_b", "fmin_tnc", "fmin_slsqp", "fmin_cobyla", "fmin_ncg"]
)
def test_signatures_are_those_of_scipy(name):
    module = scipy_fmin if name == "fmin_ncg" else scipy_fmin_bounded
    ours = inspect.signature(getattr(module, name)).parameters
    theirs = dict(inspect.signature(getattr(optimize, name)).parameters)
    if name == "fmin_l_bfgs_b":  # SciPy 1.18 has removed the two
        theirs.pop("iprint", None), theirs.pop("disp", None)
    assert [*ours] == [*theirs]
    for key, p in theirs.items():
        assert key == "epsilon" or ours[key].default == p.default


def test_refused():
    with pytest.raises(NotImplementedError, match="fmin_ncg with full_output"):
        flow.grad(lambda k: optimize.fmin_ncg(bowl, START, slope, args=(k,), full_output=1)[0])(1.3)


def test_a_search_that_stops_early_raises():
    with pytest.raises(RuntimeError, match="the minimum was not found"):
        flow.grad(lambda k: optimize.fmin_l_bfgs_b(bowl, START, slope, (k,), maxiter=1)[1])(1.3)
