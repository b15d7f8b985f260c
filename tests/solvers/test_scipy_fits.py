"""`leastsq` and `curve_fit` inside compiled code, on the real library."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import optimize

import srcgrad as flow
from srcgrad.errors import UnsupportedError

X = np.linspace(0.0, 1.0, 8)
Y = np.exp(-1.3 * X) + 0.05 * np.sin(9.0 * X)
SIGMA = 1.0 + X


def parabola(x, a, b, c):
    return a * x**2 + b * x + c


def decay(x, a, b):
    return a * np.exp(-b * x)


def of_parameters(p, c):
    return p[0] * p[1] ** 2 + np.sum(p) + 3.0 * np.sum(c) + np.sqrt(np.diag(c))[1]


def fitted(y, sigma, absolute):
    return of_parameters(*optimize.curve_fit(parabola, X, y, None, sigma, absolute))


def solved(y, sigma, absolute):
    """The fit by the normal equations."""
    basis = np.stack([X**2, X, np.ones(8)], axis=1)
    if sigma is not None and np.ndim(sigma) == 2:
        lower = np.linalg.cholesky(sigma)
        basis, y = np.linalg.solve(lower, basis), np.linalg.solve(lower, y)
    elif sigma is not None:
        basis, y = basis / sigma[:, None], y / sigma
    c = np.linalg.inv(basis.T @ basis)
    p = c @ (basis.T @ y)
    return of_parameters(p, c if absolute else c * np.sum((y - basis @ p) ** 2) / 5.0)


@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.parametrize("sigma", [None, SIGMA, np.diag(SIGMA) + 0.1])
def test_curve_fit_of_a_linear_model(sigma, absolute):
    got = flow.value_and_grad(flow.compile(fitted, target="python"))(Y, sigma, absolute)
    want = flow.value_and_grad(flow.compile(solved, target="python"))(Y, sigma, absolute)
    assert_allclose(got[0], fitted(Y, sigma, absolute), rtol=1e-6)
    assert_allclose(got[0], want[0], rtol=1e-6)
    assert_allclose(got[1], want[1], rtol=1e-5, atol=1e-7)


def by_leastsq(y, start):
    p, why = optimize.leastsq(lambda p, y: decay(X, *p) - y, start, args=(y,), xtol=1e-13)
    return p[0] * p[1] ** 2 + 0.0 * why


def by_curve_fit(y, start):
    return (lambda p: p[0] * p[1] ** 2)(optimize.curve_fit(decay, X, y, start)[0])


@pytest.mark.parametrize("f", [by_leastsq, by_curve_fit])
@pytest.mark.parametrize("target", ["python", "cpu"])
def test_a_model_that_is_not_linear(f, target):
    compiled = flow.compile(f, target=target)
    start = np.array([0.9, 1.2])
    value, gradient = flow.value_and_grad(compiled)(Y, start)
    assert_allclose(value, f(Y, start), rtol=1e-6)
    for k in (0, 5):
        step = 1e-3 * np.eye(8)[k]
        change = (by_leastsq(Y + step, start) - by_leastsq(Y - step, start)) / 2e-3
        assert_allclose(gradient[k], change, rtol=1e-3)
    assert_allclose(flow.jvp(compiled, (Y, start), (np.eye(8)[5], None))[1], gradient[5], rtol=1e-6)
    assert_allclose(flow.grad(compiled, 1)(Y, start), 0.0)


def test_what_has_not_converged_raises():
    f = flow.compile(
        lambda y: optimize.leastsq(lambda p: decay(X, *p) - y, [9.0, -9.0], maxfev=2)[0][0],
        target="python",
    )
    with pytest.raises(RuntimeError, match="leastsq stopped for reason 5"):
        f(Y)


@pytest.mark.parametrize(
    ("f", "said"),
    [
        (lambda y: optimize.leastsq(lambda p: p - y, y, full_output=True)[0][0], "full_output"),
        (lambda y: optimize.curve_fit(decay, X, y, full_output=True)[0][0], "full_output"),
        (lambda y: optimize.curve_fit(decay, X, y, method="dogbox")[0][0], "dogbox"),
        (lambda y: optimize.curve_fit(np.sin, X, y)[0][0], "the number of parameters"),
    ],
)
def test_refusals(f, said):
    with pytest.raises(UnsupportedError, match=said):
        flow.grad(flow.compile(f, target="python"))(Y)
