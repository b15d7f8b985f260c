"""Global minimizers of SciPy: SciPy's minimum, and the derivative of a root of the gradient."""

import inspect

import numpy as np
import pytest
from scipy import optimize

import srcgrad as flow
from srcgrad.solvers import scipy_global

pytestmark = pytest.mark.usefixtures("quiet")
BOUNDS = [(-3.0, 3.0), (-3.0, 3.0)]
W = np.array([1.0, 2.0])
# how close SciPy's minimum is
NEAR = {"brute": 1e-4, "direct": 2e-4, "shgo": 3e-7, "dual_annealing": 3e-7,
        "basinhopping": 3e-7, "differential_evolution": 3e-7}  # fmt: skip


def wavy(x, k):
    """Has some forty minima between the bounds."""
    return np.sum((x - k) ** 2) + 2.0 * np.sum(1.0 - np.cos(5.0 * (x - k * k)))


def basinhopping(k):
    local = {"args": (k,), "options": {"gtol": 1e-9}}
    made = optimize.basinhopping(wavy, np.zeros(2), niter=15, minimizer_kwargs=local, seed=1)
    return W @ made.x + made.fun


def differential_evolution(k):
    made = optimize.differential_evolution(wavy, BOUNDS, (k,), tol=1e-8, seed=1)
    return W @ made.x + made.fun


def dual_annealing(k):
    made = optimize.dual_annealing(wavy, BOUNDS, (k,), maxiter=150, seed=1)
    return W @ made.x + made.fun


def direct(k):
    bounds = optimize.Bounds([-2.9, -3.0], [3.0, 2.9])
    made = optimize.direct(
        wavy, bounds, args=(k,), locally_biased=False, vol_tol=1e-10, maxfun=9000
    )
    return W @ made.x + made.fun


def brute(k):
    x, value, *_ = optimize.brute(wavy, ((-3, 3), slice(-3.0, 3.0, 0.25)), (k,), full_output=1)
    return W @ x + value


def shgo(k):
    made = optimize.shgo(wavy, BOUNDS, (k,), n=60, iters=3)
    return W @ made.x + made.fun


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", [globals()[n] for n in NEAR], ids=[*NEAR])
def test_minima_and_their_derivatives(f, target):
    k, h = 0.7, 1e-3
    value, slope = flow.value_and_grad(f, target=target)(k)
    near = NEAR[f.__name__]
    np.testing.assert_allclose(value, f(k), atol=min(near, 1e-6))

    def exact(k):
        x = optimize.fsolve(lambda x: flow.grad(wavy)(x, k), np.full(2, 0.4), xtol=1e-13)
        return W @ x + wavy(x, k)

    want = (8 * (exact(k + h) - exact(k - h)) - exact(k + 2 * h) + exact(k - 2 * h)) / (12 * h)
    np.testing.assert_allclose(value, exact(k), atol=near)
    np.testing.assert_allclose(slope, want, rtol=max(near, 1e-6))


@pytest.mark.parametrize("name", ["differential_evolution", "dual_annealing", "shgo"])
def test_an_unknown_at_a_bound_moves_with_it(name):
    more = {} if name == "shgo" else {"seed": 1, "maxiter": 60}

    def f(k):
        bounds = [(-1.0, k), (-2.0, 4.0)]
        made = getattr(optimize, name)(lambda x: np.sum((x - 2.0 * k) ** 2), bounds, **more)
        return W @ made.x

    np.testing.assert_allclose(flow.value_and_grad(f)(0.7), (3.5, 5.0), rtol=1e-6)


@pytest.mark.parametrize("name", [*NEAR])
def test_signatures_are_those_of_scipy(name):
    ours = inspect.signature(getattr(scipy_global, name)).parameters
    theirs = inspect.signature(getattr(optimize, name)).parameters
    for key, p in theirs.items():
        assert ours[key].default == p.default and ours[key].kind == p.kind


GRID = (slice(-3.0, 3.0, 0.25), slice(-3.0, 3.0, 8j))  # is read as a captured value


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_grids(target):
    def f(k):
        x = optimize.brute(wavy, GRID, (k,), finish=optimize.minimize)
        grid = optimize.brute(wavy, [(-3.0, 3.0 * k)], k, 9, True, None)
        return W @ x + grid[0] + grid[1] + np.sum(grid[2] ** 2) + np.sum(grid[3])

    value, slope = flow.value_and_grad(f, target=target)(0.7)
    np.testing.assert_allclose(value, f(0.7), rtol=1e-7)
    np.testing.assert_allclose(slope, (f(0.7001) - f(0.6999)) / 2e-4, rtol=1e-6)


def test_a_search_that_stops_early_raises():
    with pytest.raises(RuntimeError, match="the minimum was not found"):
        flow.grad(lambda k: differential_few(k))(0.7)


def differential_few(k):
    return optimize.differential_evolution(wavy, BOUNDS, (k,), maxiter=1, seed=1).fun


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("differential_evolution", {"integrality": [True, False]}),
        ("differential_evolution", {"workers": 2}),
        ("dual_annealing", {"minimizer_kwargs": {"method": "bfgs"}}),
        ("shgo", {"options": {"ftol": 1e-9}}),
        ("basinhopping", {"minimizer_kwargs": {"bounds": BOUNDS}}),
    ],
)
def test_options_that_are_refused(name, options):
    where = np.zeros(2) if name == "basinhopping" else BOUNDS
    with pytest.raises(NotImplementedError, match=f"{name} with "):
        flow.grad(lambda k: getattr(optimize, name)(wavy, where, **options).fun)(0.7)
