"""Roots, fixed points and initial value problems: against closed forms and differences."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import srcgrad as flow
from srcgrad.testing import check_grads

A = np.array([[3.0, 1.0], [0.5, 2.0]])
B = np.array([1.0, 2.0])
TIMES = np.array([0.0, 0.4, 1.3])
TARGETS = pytest.mark.parametrize("target", ["python", "cpu"])


def cube_root(x, a):
    return x * x * x - a


def system(x, a, b):
    return a @ x + 0.1 * x**3 - b


ROOT, SYSTEM = flow.implicit_root(cube_root), flow.implicit_root(system)


@TARGETS
def test_scalar_root(target):
    f = flow.compile(lambda a: ROOT(1.0, a), target=target)
    assert_allclose(f(8.0), 2.0, rtol=1e-14)
    assert_allclose(flow.grad(f)(8.0), 1.0 / 12.0, rtol=1e-14)
    assert_allclose(flow.jvp(f, (8.0,), (1.0,))[1], 1.0 / 12.0, rtol=1e-14)
    assert_allclose(flow.grad(flow.grad(f))(8.0), -2.0 / 9.0 * 8.0 ** (-5.0 / 3.0), rtol=1e-13)


def test_vector_root():
    f = flow.compile(lambda a, b: np.sum(SYSTEM(np.zeros(2), a, b) ** 2), target="python")
    check_grads(f, (A, B))
    g = flow.grad(f, (0, 1))
    _, forward = flow.jvp(f, (A, B), (B * A, B))
    assert_allclose(forward, np.sum(g(A, B)[0] * B * A) + np.sum(g(A, B)[1] * B), rtol=1e-12)


def test_the_start_has_no_derivative():
    f = flow.compile(lambda x, a: ROOT(x, a), target="python")
    assert flow.grad(f)(1.0, 8.0) == 0.0


def test_roots_in_loops_and_of_matrices():
    def f(a, n):
        x = np.ones((2, 2))
        for _ in range(n):
            x = ELEMENTWISE(x, a * x)
        return np.sum(x)

    # x_k = (a x_(k-1)) ** (1/3), from 1: x_2 = a ** (1/3 + 1/9)
    a = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert_allclose(f(a, 2), np.sum(a ** (4.0 / 9.0)), rtol=1e-10)
    got = flow.grad(flow.compile(f, target="python"))(a, 2)
    assert_allclose(got, 4.0 / 9.0 * a ** (-5.0 / 9.0), rtol=1e-9)


ELEMENTWISE = flow.implicit_root(cube_root)


def bisection(x0, a):
    low, high = 0.0, 10.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        if middle * middle * middle < a:
            low = middle
        else:
            high = middle
    return low


def test_a_solver_of_ones_own_is_not_differentiated():
    root = flow.implicit_root(cube_root, bisection)
    assert_allclose(flow.grad(lambda a: root(0.0, a))(8.0), 1.0 / 12.0, rtol=1e-12)


@TARGETS
def test_an_opaque_solver(target):
    def brent(x0, a):
        from scipy.optimize import brentq

        return brentq(lambda x: float(x**3 - a), 0.0, 10.0, xtol=1e-14)

    root = flow.implicit_root(cube_root, flow.opaque(brent, float))
    f = flow.compile(lambda a: root(0.0, a), target=target)
    assert_allclose(flow.grad(f)(8.0), 1.0 / 12.0, rtol=1e-12)
    assert_allclose(flow.grad(flow.grad(f))(8.0), -1.0 / 144.0, rtol=1e-12)


def test_roots_in_plain_python():
    assert_allclose(ROOT(1.0, 8.0), 2.0)
    assert_allclose(system(SYSTEM(np.zeros(2), A, B), A, B), 0.0, atol=1e-12)


WEIGHT = flow.Parameter(np.array([2.0]))


def test_what_the_residual_captures_is_not_left_out():
    """The opaque solver reads the Parameter unseen: the derivative by it would be zero."""
    solver = flow.opaque(lambda x, a: a / WEIGHT.detach().numpy(), lambda x, a: a)
    root = flow.implicit_root(lambda x, a: x * WEIGHT - a, solver)
    f = flow.grad(lambda a: np.sum(root(a, a)), None, WEIGHT)
    with pytest.raises(flow.SrcgradError, match="depends on"):
        f(np.array([3.0]))
    with pytest.raises(RuntimeError, match="depends on a tensor"):
        root(np.array([3.0]), np.array([3.0]))


@TARGETS
def test_fixed_point(target):
    point = flow.fixed_point(lambda x, a: np.cos(a * x))
    f = flow.compile(lambda a: point(0.5, a), target=target)
    x = f(1.0)
    assert_allclose(x, np.cos(x), rtol=1e-9)
    slope = -np.sin(x) * x / (1.0 + np.sin(x))
    assert_allclose(flow.grad(f)(1.0), slope, rtol=1e-9)
    with pytest.raises(RuntimeError, match="no fixed point"):
        flow.fixed_point(lambda x: 2.0 * x, maxiter=20)(1.0)


# ---- initial value problems ----
def decay(y, t, k):
    return -k * y


def populations(y, t, p, c):
    eaten = p["b"] * y[0] * y[1]
    return np.array([p["a"] * y[0] - eaten, -c * y[1] + eaten * np.cos(t)])


def weighted(y0, t, a, b, c, adjoint=True):
    ys = flow.odeint(populations, y0, t, {"a": a, "b": b, "n": 3}, c, adjoint=adjoint)
    return np.sum(ys**2 * np.array([1.0, 2.0]))


POINT = (np.array([1.0, 0.5]), TIMES, 1.0, 0.7, 0.9)


@TARGETS
def test_decay(target):
    f = flow.compile(lambda k, t: np.sum(flow.odeint(decay, 2.0, t, k)), target=target)
    t = np.array([0.0, 1.0, 2.0])
    y = 2.0 * np.exp(-0.5 * t)
    assert_allclose(f(0.5, t), np.sum(y), rtol=1e-7)
    dk, dt = flow.grad(f, (0, 1))(0.5, t)
    assert_allclose(dk, -np.sum(t * y), rtol=1e-6)
    # a later start of the same value raises what follows
    assert_allclose(dt, [0.5 * np.sum(y[1:]), -0.5 * y[1], -0.5 * y[2]], rtol=1e-6)


@pytest.mark.parametrize("adjoint", [True, False])
def test_all_derivatives_of_a_system(adjoint):
    f = flow.compile(lambda *a: weighted(*a, adjoint=adjoint), target="python")
    grads = flow.grad(f, (0, 1, 2, 3, 4))(*POINT)
    step = 1e-5
    for k, g in enumerate(grads):
        value = np.asarray(POINT[k], float)
        for place in np.ndindex(value.shape):
            unit = np.zeros_like(value)
            unit[place] = step
            sides = [
                weighted(*POINT[:k], (value + s * unit)[()], *POINT[k + 1 :]) for s in (1.0, -1.0)
            ]
            # tolerance: the solutions' own, 1e-8, over the step
            want = (sides[0] - sides[1]) / (2.0 * step)
            assert_allclose(np.asarray(g)[place], want, rtol=1e-5, atol=1e-5)
    assert [type(g) for g in grads] == [np.ndarray, np.ndarray, float, float, float]


def test_steps_and_adjoint_equations_agree():
    adjoint = flow.grad(flow.compile(weighted, target="python"), (0, 2, 4))(*POINT)
    steps = flow.compile(lambda *a: weighted(*a, adjoint=False), target="python")
    for a, b in zip(adjoint, flow.grad(steps, (0, 2, 4))(*POINT), strict=True):
        assert_allclose(a, b, rtol=1e-6)
    tangents = (np.array([1.0, -1.0]), np.zeros(3), 0.0, 0.0, 0.5)
    forward = flow.jvp(steps, POINT, tangents)[1]
    assert_allclose(forward, adjoint[0] @ tangents[0] + 0.5 * adjoint[2], rtol=1e-6)


def test_second_derivatives_of_a_solution():
    """y(1) = exp(-k): its second derivative is y itself."""
    last = flow.compile(lambda k: flow.odeint(decay, 1.0, TIMES / 1.3, k)[2], target="python")
    assert_allclose(flow.grad(flow.grad(last))(0.5), np.exp(-0.5), rtol=1e-5)


def test_backwards_in_time_and_of_matrices():
    def turning(y, t, w):
        return w @ y

    w, t = np.array([[0.0, 1.0], [-1.0, 0.0]]), np.array([1.0, 0.3, 0.0])
    f = flow.compile(lambda y: flow.odeint(turning, y, t, w)[2], target="python")
    c, s = np.cos(1.0), np.sin(1.0)
    assert_allclose(f(np.eye(2)), [[c, -s], [s, c]], rtol=1e-6)
    g = flow.grad(lambda y: np.sum(f(y) * np.array([[1.0, 2.0], [3.0, 4.0]])))(np.eye(2))
    assert_allclose(g, np.array([[c, s], [-s, c]]) @ [[1.0, 2.0], [3.0, 4.0]], rtol=1e-6)


def test_against_scipy():
    from scipy.integrate import solve_ivp

    y0, t, a, b, c = POINT
    want = solve_ivp(
        lambda t, y: populations(y, t, {"a": a, "b": b}, c), (t[0], t[-1]), y0, "DOP853", t,
        rtol=1e-11, atol=1e-11,
    )  # fmt: skip
    got = flow.odeint(populations, y0, t, {"a": a, "b": b}, c)
    assert_allclose(got, want.y.T, rtol=1e-6)


@pytest.mark.parametrize("adjoint", [True, False])
def test_lists_and_integers(adjoint):
    def turning(y, t, w):
        return [y[1], -w * y[0]]

    def f(w):
        return flow.odeint(turning, [1, 0], [0, 1], w, adjoint=adjoint)[1, 0]

    assert_allclose(f(4.0), np.cos(2.0), rtol=1e-6)
    got = flow.grad(flow.compile(f, target="python"))(4.0)
    assert_allclose(got, -np.sin(2.0) / 4.0, rtol=1e-6)
    assert_allclose(flow.odeint(decay, 1, np.arange(3), 0.5), np.exp([0.0, -0.5, -1.0]), rtol=1e-7)


def test_too_many_steps():
    with pytest.raises(RuntimeError, match="more than 3 steps"):
        flow.odeint(decay, 1.0, np.array([0.0, 50.0]), 1.0, mxstep=3)
    f = flow.compile(lambda k: flow.odeint(decay, 1.0, TIMES, k, mxstep=3)[1], target="python")
    with pytest.raises(RuntimeError, match="more than 3 steps"):
        f(50.0)


def test_a_solution_that_blows_up_is_an_error():
    with pytest.raises(RuntimeError, match=r"small enough|more than"), np.errstate(all="ignore"):
        flow.odeint(lambda y, t: y * y, 1.0, np.array([0.0, 2.0]))
