"""Quasi-Newton roots of SciPy: its roots, and the derivative of the implicit function."""

import inspect

import numpy as np
import pytest
from scipy import optimize

import srcgrad as flow
from srcgrad.solvers import scipy_nonlin

NAMES = (
    "anderson", "broyden1", "broyden2", "diagbroyden", "excitingmixing", "linearmixing",
    "newton_krylov",
)  # fmt: skip
START = np.array([[0.0, 0.2, 0.4]])
K = np.array([0.7, 1.3, 0.4])


def _options(name):
    return {"alpha": 0.3} if name in ("excitingmixing", "linearmixing") else {}


def _program(name, **more):
    def f(k):
        root = getattr(optimize, name)
        x = root(lambda x: k - x - 0.1 * x**3, START, f_tol=1e-10, **_options(name), **more)
        return np.sum(np.sin(x) * np.arange(1.0, 4.0))

    return f


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("name", NAMES)
def test_roots_and_their_derivatives(name, target):
    f = _program(name)
    value, slope = flow.value_and_grad(f, target=target)(K)
    np.testing.assert_allclose(value, f(K), rtol=1e-9)
    x = optimize.fsolve(lambda x: K - x - 0.1 * x**3, START[0], xtol=1e-14)
    want = np.cos(x) * np.arange(1.0, 4.0) / (1.0 + 0.3 * x**2)
    np.testing.assert_allclose(slope, want, rtol=1e-8)
    forward = flow.jvp(f, (K,), (np.ones(3),))[1]
    np.testing.assert_allclose(forward, np.sum(want), rtol=1e-8)


@pytest.mark.parametrize("name", ["broyden1", "newton_krylov"])
def test_second_derivatives(name):
    x = optimize.fsolve(lambda x: K - x - 0.1 * x**3, START[0], xtol=1e-14)
    one = 1.0 / (1.0 + 0.3 * x**2)
    want = np.arange(1.0, 4.0) * (-np.sin(x) * one**2 - np.cos(x) * one**3 * 0.6 * x)
    np.testing.assert_allclose(flow.hessian(_program(name))(K), np.diag(want), atol=1e-8)


def test_options_reach_scipy():
    for f in (
        _program("broyden1", reduction_method="svd", max_rank=3),
        _program("anderson", w0=0.02, M=3),
        _program("newton_krylov", method="gmres", inner_maxiter=5, outer_k=4, rdiff=1e-8),
        _program("broyden2", line_search="wolfe", maxiter=50, x_tol=1e-9),
    ):
        np.testing.assert_allclose(flow.compile(f)(K), f(K), rtol=1e-9)
    with pytest.raises(optimize.NoConvergence, match="the root was not found"):
        flow.compile(_program("broyden1", maxiter=1))(K)
    with pytest.raises(ValueError, match="Invalid line search"):
        flow.compile(_program("broyden1", line_search="nope"))(K)


@pytest.mark.parametrize(
    "start", [np.zeros(3), np.zeros(3, np.float32), np.zeros(3, np.float16), [0, 0, 0], 0.5],
    ids=lambda s: str(np.asarray(s).dtype) + str(np.ndim(s)),
)  # fmt: skip
def test_the_root_is_like_the_start(start):
    def f(k):
        return optimize.newton_krylov(lambda x: x + 0.1 * x**3 - k, start)

    want = f(np.float32(0.7))
    found = flow.compile(f)(np.float32(0.7))
    assert (np.asarray(found).dtype, np.shape(found)) == (want.dtype, want.shape)
    np.testing.assert_allclose(found, want, rtol=1e-4)
    slope = flow.grad(lambda k: np.sum(f(k)))(np.float32(0.7))
    np.testing.assert_allclose(slope, np.sum(1.0 / (1.0 + 0.3 * want**2)), rtol=1e-4)


@pytest.mark.parametrize("name", NAMES)
def test_signatures_are_those_of_scipy(name):
    ours = dict(inspect.signature(getattr(scipy_nonlin, name)).parameters)
    theirs = dict(inspect.signature(getattr(optimize, name)).parameters)
    assert theirs.pop("kw").kind is inspect.Parameter.VAR_KEYWORD  # SciPy refuses what is in it
    assert [(n, p.default) for n, p in ours.items()] == [(n, p.default) for n, p in theirs.items()]


def test_refused():
    with pytest.raises(NotImplementedError, match=r"broyden1 with iter[\s\S]*f_tol"):
        flow.grad(_program("broyden1", iter=3))(K)
    with pytest.raises(NotImplementedError, match="anderson with callback"):
        flow.grad(_program("anderson", callback=lambda x, f: None))(K)
    with pytest.raises(NotImplementedError, match="newton_krylov with inner_M"):
        flow.grad(_program("newton_krylov", inner_M=np.eye(3)))(K)
    with pytest.raises(NotImplementedError, match="broyden2 of complex numbers"):
        flow.compile(lambda k: optimize.broyden2(lambda x: x - k, 1.0j))(0.5)
    with pytest.raises(NotImplementedError, match="passes complex numbers"):
        flow.compile(lambda k: optimize.broyden2(lambda x: x - 1j * k, 1.0))(0.5)
