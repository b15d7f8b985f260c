"""Integrals over several variables and of arrays: SciPy's values, and derivatives."""

import inspect

import numpy as np
import pytest
from scipy import integrate

import srcgrad as flow
from srcgrad.solvers import scipy_nquad, scipy_quad

W = np.arange(1.0, 7.0).reshape(2, 3)
K = 1.3


def tplquad(k):
    f = lambda z, y, x, p: np.exp(x * y * k) * p * z
    return integrate.tplquad(f, 0.0, k, 0.0, lambda x: x * k, lambda x, y: y, 1, (k,))[0]


def nquad(k):
    f = lambda x, y, z, p: np.exp(x * y) * p * z
    inner, middle = lambda y, z, p: (0.0, y * p), lambda z, p: (0, p)
    return integrate.nquad(f, [inner, middle, (0.0, k)], args=(k,))[0]


def nquad_of_one(k):
    return integrate.nquad(lambda x: np.exp(x * k), [(0.0, k)], opts={"epsabs": 1e-10})[0]


def nquad_with_options(k):
    opts = [{"epsabs": 1e-10, "limit": 60}, lambda: {"epsrel": 1e-9}]
    return integrate.nquad(lambda x, y: np.exp(x * k * y), [(0.0, k), [0, k]], opts=opts)[0]


def quad_and_report(k):
    value, _, d = integrate.quad(lambda x: np.exp(k * x), 0.0, k, full_output=True, limit=20)
    return value + d["neval"] + d["last"] + 0.0 * len(d["alist"])


def complex_quad(k):
    value, error = integrate.quad(lambda x: np.exp(1j * k * x), 0.0, k, complex_func=True)
    return np.abs(value) + value.imag if np.abs(error) < 1e-6 else 0.0


def quad_vec(k):
    return np.sum(W * integrate.quad_vec(lambda x: np.exp(-x * k * W) * x, 0.0, 1.0)[0])


def quad_vec_between(k):
    value, error = integrate.quad_vec(lambda x, p: np.sin(x * p * W), 0.1 * k, k, args=(k,))
    return np.sum(W * value) if error < 1e-6 else 0.0


def quad_vec_to_infinity(k):
    return np.sum(W * integrate.quad_vec(lambda x: np.exp(-x * k * W) * x, 0.0, np.inf)[0])


def quad_vec_of_numbers(k):
    f = lambda x: np.exp(-x * k) * x
    return integrate.quad_vec(f, 0, k, norm="max", quadrature="gk15", points=[0.5])[0]


FUNCTIONS = (
    tplquad, nquad, nquad_of_one, nquad_with_options, quad_and_report, complex_quad, quad_vec,
    quad_vec_between, quad_vec_to_infinity, quad_vec_of_numbers,
)  # fmt: skip


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_values_and_derivatives(f, target):
    h = 1e-4
    value, slope = flow.value_and_grad(f, target=target)(K)
    np.testing.assert_allclose(value, f(K), rtol=1e-12)
    want = (8.0 * (f(K + h) - f(K - h)) - (f(K + 2 * h) - f(K - 2 * h))) / (12 * h)
    np.testing.assert_allclose(slope, want, rtol=1e-7)
    np.testing.assert_allclose(flow.jvp(f, (K,), (1.0,))[1], slope, rtol=1e-9)


@pytest.mark.parametrize(
    "f", [quad_vec, quad_vec_between, quad_vec_of_numbers, nquad_of_one, complex_quad]
)
def test_second_derivatives(f):
    slope, h = flow.grad(flow.compile(f, target="python")), 1e-4
    want = (slope(K + h) - slope(K - h)) / (2 * h)
    np.testing.assert_allclose(flow.grad(slope)(K), want, rtol=1e-6)


def test_third_derivatives_of_arrays():
    """Of the integral of exp(k w x) from 0 to 1, which is (exp(k w) - 1) / (k w)."""
    w, k = np.array([0.5, 2.0]), 0.7
    f = lambda k: integrate.quad_vec(lambda x: np.exp(k * w * x), 0.0, 1.0)[0] @ w
    third = flow.grad(flow.grad(flow.grad(f)))(k)
    want = [integrate.quad(lambda x, w=w: (w * x) ** 3 * np.exp(k * w * x), 0, 1)[0] for w in w]
    np.testing.assert_allclose(third, want @ w, rtol=1e-9)


def test_single_precision_stays():
    g = lambda k: integrate.quad_vec(lambda x: x * k, 0.0, 1.0)[0]
    k = np.ones(3, np.float32)
    assert flow.compile(g)(k).dtype == g(k).dtype == np.float32
    np.testing.assert_allclose(flow.jacobian(g)(k), 0.5 * np.eye(3), rtol=1e-6)


def test_what_is_reported_is_that_of_scipy():
    f = lambda k: integrate.quad(lambda x: np.exp(k * x), 0.0, 1.0, full_output=1, limit=7)
    value, error, report = flow.compile(f)(K)
    want = f(K)
    np.testing.assert_allclose((value, error), want[:2], rtol=1e-12)
    assert list(report) == list(want[2])
    for name in ("alist", "blist", "rlist", "elist", "iord"):
        assert report[name].dtype == want[2][name].dtype and report[name].shape == (7,)
        np.testing.assert_allclose(report[name][:1], want[2][name][:1], rtol=1e-12)
    with pytest.raises(NotImplementedError, match="opaque"):
        flow.grad(lambda k: np.sum(f(k)[2]["rlist"]))(K)


@pytest.mark.parametrize("name", ["nquad", "tplquad", "quad", "quad_vec"])
def test_signatures_are_those_of_scipy(name):
    ours = inspect.signature(getattr(scipy_quad, name, getattr(scipy_nquad, name, None)))
    theirs = inspect.signature(getattr(integrate, name))
    assert [(n, p.default) for n, p in ours.parameters.items()] == [
        (n, p.default) for n, p in theirs.parameters.items()
    ]


def test_refused():
    one = lambda x: x * K
    with pytest.raises(NotImplementedError, match="nquad with full_output"):
        flow.grad(lambda k: integrate.nquad(lambda x: x * k, [(0, 1)], full_output=True)[0])(K)
    with pytest.raises(NotImplementedError, match="nquad with points"):
        flow.grad(lambda k: integrate.nquad(one, [(0, k)], opts={"points": [0.5]})[0])(K)
    with pytest.raises(NotImplementedError, match="full_output and points"):
        flow.grad(lambda k: integrate.quad(one, 0, k, full_output=1, points=[0.5])[0])(K)
    with pytest.raises(NotImplementedError, match="full_output and complex_func"):
        flow.grad(lambda k: integrate.quad(one, 0, k, full_output=1, complex_func=True)[0])(K)
    with pytest.raises(NotImplementedError, match="quad_vec of complex numbers"):
        flow.compile(lambda k: integrate.quad_vec(lambda x: 1j * k, 0.0, 1.0)[0])(K)
    with pytest.raises(NotImplementedError, match="quad_vec with full_output"):
        flow.compile(lambda k: integrate.quad_vec(one, 0.0, k, full_output=True)[0])(K)
    with pytest.raises(RuntimeError, match="the integral was not found"):
        flow.compile(lambda k: integrate.quad_vec(lambda x: abs(x - k) ** -0.5, 0, 2, limit=5)[0])(
            K
        )
