"""Minima between bounds, least squares with bounds and linear programs: values and derivatives."""

import numpy as np
import pytest
from scipy import optimize

import srcgrad as flow

A = np.array([[2.0, 0.3, 0.1], [0.2, 3.0, 0.4], [0.3, 0.1, 1.7], [0.5, -1.0, 0.2]])
W = np.array([1.0, 2.0, 3.0])
K = np.array([0.7, 1.3, -0.4])


def bowl(x, k):
    return np.sum((x - k) ** 2) + 0.1 * np.sum(x**4) + 0.3 * x[0] * x[1]


def bounds_of(k):
    return [(0.0, None), (None, 0.5 + 0.1 * k[0]), (k[2] + 0.2, 5.0)]


def by(method, **options):
    def f(k):
        made = optimize.minimize(
            bowl, np.zeros(3), (k,), method, bounds=bounds_of(k), options=options
        )
        return W @ made.x + made.fun

    f.__name__ = method
    return f


def fmin_l_bfgs_b(k):
    x, f, _ = optimize.fmin_l_bfgs_b(
        bowl, np.zeros(3), None, (k,), True, bounds_of(k), factr=10.0, pgtol=1e-9
    )
    return W @ x + f


def fmin_tnc(k):
    x = optimize.fmin_tnc(
        bowl, np.zeros(3), None, (k,), True, bounds_of(k), messages=0, ftol=1e-15
    )[0]
    return W @ x


def fmin_slsqp(k):
    return W @ optimize.fmin_slsqp(
        bowl, np.zeros(3), bounds=bounds_of(k), args=(k,), acc=1e-15, iprint=0
    )


def nnls(k):
    x, rest = optimize.nnls(A * (1.0 + 0.1 * k[0]), np.append(k, 1.0))
    return W @ x + rest


def lsq_linear(k):
    made = optimize.lsq_linear(A, np.append(k, 1.0))
    return W @ made.x + made.cost + made.fun[0]


def bvls(k):
    made = optimize.lsq_linear(A, np.append(k, 1.0), (-0.1 * k[0], 0.3), "bvls")
    return W @ made.x + made.cost


def trf_between_bounds(k):
    low = np.array([-1.0, -2.0, -0.05 * k[1]])
    return W @ optimize.lsq_linear(A, np.append(k, 1.0), (low, 2.0), tol=1e-14).x


def linprog(k):
    made = optimize.linprog(
        np.array([-1.0, -2.0, 0.1]) + 0.1 * k, [[1.0, 1.0 + k[0], 0.0], [0.0, 1.0, k[1]]],
        [3.0 + k[2], 2.0], np.array([[1.0, 1.0, 1.0]]), 2.0 + k[:1],
    )  # fmt: skip
    return W @ made.x + made.fun + np.sum(made.slack) + np.sum(made.con)


def linprog_with_bounds(k):
    made = optimize.linprog(
        [-1.0, -2.0], [[1.0, k[0]]], [k[1]], bounds=[(0, None), (None, 0.5 * k[0])]
    )
    return made.x[0] ** 2 + made.x[1] + made.fun


def exact(k):
    """The minimum of the bowl: the first unknown is free, the others are at their bounds."""
    last = (0.5 + 0.1 * k[0], k[2] + 0.2)
    first = optimize.brentq(lambda v: 2 * (v - k[0]) + 0.4 * v**3 + 0.3 * last[0], 0, 2, xtol=1e-15)
    return np.array([first, *last])


def the_minimum(k):
    return W @ exact(k)


def minimum_and_value(k):
    return W @ exact(k) + bowl(exact(k), k)


FUNCTIONS = (nnls, lsq_linear, bvls, trf_between_bounds, linprog, linprog_with_bounds)
# SciPy's own minima are too rough for differences
ROUGH = (
    (fmin_tnc, the_minimum), (fmin_slsqp, the_minimum), (by("TNC", ftol=1e-15), minimum_and_value),
    (by("SLSQP", ftol=1e-15), minimum_and_value), (fmin_l_bfgs_b, minimum_and_value),
    (by("Nelder-Mead", xatol=1e-9, fatol=1e-13), minimum_and_value),
    (by("L-BFGS-B", ftol=1e-15, gtol=1e-9), minimum_and_value),
)  # fmt: skip


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize(
    ("f", "same"), (*((f, f) for f in FUNCTIONS), *ROUGH), ids=lambda f: f.__name__
)
def test_values_and_derivatives(f, same, target):
    value, slope = flow.value_and_grad(f, target=target)(K)
    np.testing.assert_allclose(value, f(K), rtol=2e-6)
    h, units = 1e-4, np.eye(3)
    want = [(same(K + h * e) - same(K - h * e)) / (2 * h) for e in units]
    np.testing.assert_allclose(slope, want, rtol=1e-6, atol=1e-7)
    forward = flow.jvp(flow.compile(f, target=target), (K,), (W,))[1]
    np.testing.assert_allclose(forward, slope @ W, rtol=1e-7)


def test_an_unknown_moves_with_its_bound():
    x = lambda k: optimize.minimize(bowl, np.zeros(3), (k,), bounds=bounds_of(k)).x
    slopes = flow.jacobian(x)(K)
    np.testing.assert_allclose(slopes[1:], [[0.1, 0.0, 0.0], [0.0, 0.0, 1.0]], atol=1e-12)


def test_second_derivatives():
    slope, h = flow.grad(flow.compile(by("SLSQP", ftol=1e-15), target="python")), 1e-4
    want = [(slope(K + h * e) - slope(K - h * e)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(flow.hessian(by("SLSQP", ftol=1e-15))(K), want, atol=1e-4)


def test_where_a_bound_is_reached_there_is_no_derivative():
    f = lambda k: optimize.minimize(lambda x: np.sum((x - k) ** 2), [1.0], bounds=[(0, None)]).x[0]
    np.testing.assert_allclose(flow.compile(f)(0.0), 0.0, atol=1e-12)
    with pytest.raises(np.linalg.LinAlgError):
        flow.grad(f)(0.0)
    g = lambda k: np.sum(optimize.nnls(np.eye(2), np.array([k, 1.0]))[0])
    assert flow.compile(g)(0.0) == 1.0
    with pytest.raises(np.linalg.LinAlgError):
        flow.grad(g)(0.0)
    assert flow.grad(g)(1.0) == 1.0 and flow.grad(g)(-1.0) == 0.0
    h = lambda k: optimize.linprog([1.0, 1.0 + k], A_eq=[[1.0, 1.0]], b_eq=[1.0]).x[0]
    with pytest.raises(np.linalg.LinAlgError):
        flow.grad(h)(0.0)
    assert flow.grad(h)(0.5) == 0.0
    same = np.array([[1.0, 1.0], [1.0, 1.0]])
    with pytest.raises(np.linalg.LinAlgError):
        flow.grad(lambda k: optimize.lsq_linear(same, k * np.ones(2)).x[0])(1.0)


def test_single_precision_and_integers():
    k = K.astype(np.float32)
    for f in (nnls, bvls):
        np.testing.assert_allclose(flow.compile(f)(k), f(k), rtol=1e-5)
    assert flow.compile(lambda: optimize.nnls(np.eye(2, dtype=int), [1, 2])[0])().tolist() == [1, 2]


def test_refused():
    with pytest.raises(NotImplementedError, match="minimize by bfgs with bounds"):
        flow.grad(by("BFGS"))(K)
    with pytest.raises(NotImplementedError, match="linprog with callback, x0 or integrality"):
        flow.grad(lambda k: optimize.linprog(k, integrality=1).fun)(K)
    with pytest.raises(RuntimeError, match="the linear program was not solved"):
        flow.grad(lambda k: optimize.linprog(-k, bounds=(0, None)).fun)(K)
    with pytest.raises(NotImplementedError, match="nnls of complex numbers"):
        flow.compile(lambda k: optimize.nnls(A, np.append(k, 1j))[0])(K)
    with pytest.raises(ValueError, match="Incompatible dimensions"):
        flow.compile(lambda k: optimize.nnls(A, k)[0])(K)


# ---- fits between bounds ----
TIMES = np.linspace(0.0, 1.0, 9)
SEEN = 2.0 * np.exp(-1.5 * TIMES) + 0.4 + 0.05 * np.sin(20.0 * TIMES)
TIGHT = {"xtol": 1e-13, "ftol": 1e-13, "gtol": 1e-13}


def decay(t, a, b, c):
    return a * np.exp(-b * t) + c


def least_squares(k, start, bounds, **options):
    residuals = lambda p: decay(TIMES, p[0], p[1], p[2]) - k * SEEN
    made = optimize.least_squares(residuals, start, bounds=bounds, **TIGHT, **options)
    return W @ made.x + made.cost


FITS = {
    "held": lambda k: least_squares(k, [1.0, 1.0, 0.0], ([0.0, 0.0, 0.0], [5.0, k, 5.0])),
    "on a corner": lambda k: least_squares(k, [1.0, 0.5, 0.1], (0.0, [k, 0.9, 5.0])),
    "by dogbox with a loss": lambda k: least_squares(
        k, [1.0, 0.5, 0.1], (0.0, [5.0, k, 5.0]), method="dogbox", loss="soft_l1"
    ),
    "free": lambda k: least_squares(k, [1.0, 0.5, 0.1], (-10.0, 10.0)),
    "curve_fit": lambda k: W @ optimize.curve_fit(
        decay, TIMES, k * SEEN, bounds=([0.0, 0.0, -1.0], [np.inf, k, 5.0])
    )[0],
}  # fmt: skip


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", FITS.values(), ids=[*FITS])
def test_fits_between_bounds(f, target):
    k, h = 1.1, 1e-2
    value, slope = flow.value_and_grad(f, target=target)(k)
    np.testing.assert_allclose(value, f(k), rtol=1e-6)
    want = (8 * (f(k + h) - f(k - h)) - f(k + 2 * h) + f(k - 2 * h)) / (12 * h)
    np.testing.assert_allclose(slope, want, rtol=3e-4)


def test_covariances_of_a_fit_between_bounds():
    f = lambda k: optimize.curve_fit(decay, TIMES, k * SEEN, bounds=(-10.0, 10.0))[1]
    np.testing.assert_allclose(flow.compile(f)(1.1), f(1.1), rtol=1e-4)


def test_a_fit_beside_its_bound_has_no_derivative():
    exact = lambda k: optimize.least_squares(lambda p: p - k, [0.5], bounds=(0.0, 1.0)).x[0]
    assert flow.grad(exact)(0.4) == pytest.approx(1.0)
    assert flow.grad(exact)(1.7) == 0.0
    with pytest.raises(np.linalg.LinAlgError):
        flow.grad(exact)(1.0)
