"""Newton's method and secants from starts in arrays: SciPy's roots, derivatives of each."""

import numpy as np
import pytest
from scipy import optimize

import srcgrad as flow

A = np.array([8.0, 27.0, 5.0])
START = np.array([1.0, 2.0, 3.0])


def cubic(x, a):
    return x**3 - a


def slope_of_cubic(x, a):
    return 3 * x * x


def by_secants(a):
    return optimize.newton(cubic, START, args=(a,))


def by_newton(a):
    return optimize.newton(cubic, START, slope_of_cubic, (a,), tol=1e-12)


def of_a_column(a):
    found = optimize.newton(lambda x: x**3 - a.reshape(3, 1), np.ones((3, 1)))
    return found.reshape(3)


def from_given_starts(a):
    return optimize.newton(lambda x: cubic(x, a), 1.0 + 0.1 * a)


def one_by_one(a):
    return np.concatenate([optimize.newton(cubic, START[:1], args=(v,)) for v in a])


def from_integers(a):
    return optimize.newton(cubic, [1, 2, 3], args=(a,))


PROGRAMS = [by_secants, by_newton, of_a_column, from_given_starts, one_by_one, from_integers]


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("find", PROGRAMS, ids=lambda f: f.__name__)
def test_roots_and_their_derivatives(find, target):
    weights = np.array([1.0, -2.0, 0.5])

    def f(a):
        return np.sum(np.sin(find(a)) * weights)

    for a in (A, A * 1.1):
        kept = a.copy()
        value, slope = flow.value_and_grad(f, target=target)(a)
        np.testing.assert_allclose(value, f(a), rtol=1e-13)
        root = np.cbrt(a)
        want = np.cos(root) * weights / (3 * root**2)
        np.testing.assert_allclose(slope, want, rtol=1e-6)
        assert np.array_equal(a, kept)
    np.testing.assert_allclose(flow.jvp(f, (A,), (np.ones(3),))[1], np.sum(flow.grad(f)(A)))


def test_they_are_scipys_roots_and_their_kind():
    for find in (by_secants, by_newton, from_integers, of_a_column):
        found = flow.compile(find, target="python")(A)
        assert np.array_equal(found, find(A)) and found.dtype == np.float64
    f = lambda a: optimize.newton(cubic, START.astype(np.float32), args=(a,))
    found = flow.compile(f, target="python")(A)
    assert found.dtype == f(A).dtype
    np.testing.assert_allclose(found, f(A), rtol=1e-7)


def test_the_second_derivative():
    second = flow.hessian(lambda a: np.sum(by_newton(a)))(A)
    np.testing.assert_allclose(second, np.diag(-2 / 9 * A ** (-5 / 3)), atol=1e-9)


@pytest.mark.filterwarnings("ignore:some:RuntimeWarning")
def test_what_has_not_converged_raises():
    def some(a):
        return optimize.newton(lambda x: x**2 + np.array([-1.0, 1.0]) * a, np.array([1.1, 0.3]))

    def none(a):
        return optimize.newton(cubic, START, args=(a,), maxiter=1)

    for f, a in ((some, np.ones(2)), (none, A)):
        with pytest.raises(RuntimeError, match="onverge"):
            flow.compile(f, target="python")(a)
    with pytest.raises(ValueError, match="greater than 0"):
        flow.compile(lambda a: optimize.newton(cubic, START, args=(a,), maxiter=0))(A)


def test_a_function_that_reads_the_other_numbers():
    def f(a):
        found = optimize.newton(lambda x: x + 0.05 * np.sum(x) - a, START, tol=1e-13, maxiter=200)
        return np.sum(found * np.array([1.0, -2.0, 0.5]))

    value, slope = flow.value_and_grad(f, target="python")(A)
    matrix = np.eye(3) + 0.05
    np.testing.assert_allclose(value, f(A), rtol=1e-13)
    np.testing.assert_allclose(slope, np.linalg.solve(matrix.T, [1.0, -2.0, 0.5]), rtol=1e-8)
