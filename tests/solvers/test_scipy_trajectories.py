"""Initial value problems of `scipy.integrate` inside compiled code, on the real library."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import integrate

import srcgrad as flow
from srcgrad.errors import SrcgradError, UnsupportedError
from tests.tools.memo import shared
from tests.tools.turns import share

TIMES = np.array([0.5, 1.0, 2.0])
TIGHT = {"rtol": 1e-10, "atol": 1e-12}
WEIGHTS = np.arange(1.0, 7.0).reshape(2, 3)


def spring(t, y, k, d, force):
    return [y[1], -k * y[0] - d * y[1] + force * np.sin(3.0 * t)]


def captured(y0, k, p):
    def rhs(t, y):
        return spring(t, y, k, p["d"], np.sum(p["w"]))

    sol = integrate.solve_ivp(rhs, (0.0, 2.0), y0, t_eval=TIMES, **TIGHT)
    return np.sum(np.sin(sol.y) * WEIGHTS) if sol.success else 0.0


def passed(y0, k, p):
    args = (k, p["d"], np.sum(p["w"]))
    sol = integrate.solve_ivp(spring, [0, 2], y0, "DOP853", TIMES, args=args, **TIGHT)
    return np.sum(np.sin(sol.y) * WEIGHTS)


def stiffly(y0, k, p):
    sol = integrate.solve_ivp(
        lambda t, y: np.array(spring(t, y, k, p["d"], np.sum(p["w"]))), (0.0, 2.0), y0,
        method="Radau", t_eval=TIMES, rtol=1e-7, atol=1e-9,
    )  # fmt: skip
    return np.sum(np.sin(sol.y) * WEIGHTS)


def by_lsoda(y0, k, p):
    sol = integrate.solve_ivp(
        lambda t, y: spring(t, y, k, p["d"], np.sum(p["w"])), (0.0, 2.0), y0, method="LSODA",
        t_eval=TIMES, rtol=1e-10, atol=np.array([1e-12, 1e-11]),
    )  # fmt: skip
    return np.sum(np.sin(sol.y) * WEIGHTS)


def by_odeint(y0, k, p):
    times = np.concatenate((np.zeros(1), TIMES))
    y = integrate.odeint(
        lambda y, t: spring(t, y, k, p["d"], np.sum(p["w"])), y0, times, rtol=1e-10, atol=1e-12
    )
    return np.sum(np.sin(y[1:].T) * WEIGHTS)


def time_first(y0, k, p):
    times = np.concatenate((np.zeros(1), TIMES))
    args = (k, p["d"], np.sum(p["w"]))
    y = integrate.odeint(spring, y0, times, args, tfirst=True, rtol=1e-10, atol=1e-12)
    return np.sum(np.sin(y[1:].T) * WEIGHTS)


ALL = [captured, passed, stiffly, by_lsoda, by_odeint, time_first]
ARGS = (np.array([1.0, 0.5]), 2.0, {"d": 0.1, "w": np.array([0.2, 0.3]), "n": 3})
ALONG = (np.array([0.3, -0.2]), 0.7, {"d": 1.0, "w": np.array([-0.5, 0.25])})


def moved(h):
    p, d = ARGS[2], ALONG[2]
    shifted = {"d": p["d"] + h * d["d"], "w": p["w"] + h * d["w"], "n": 3}
    return ARGS[0] + h * ALONG[0], ARGS[1] + h * ALONG[1], shifted


def first_difference(h=1e-4):
    return (captured(*moved(h)) - captured(*moved(-h))) / (2.0 * h)


def second_difference(h=3e-3):
    return (captured(*moved(h)) - 2.0 * captured(*ARGS) + captured(*moved(-h))) / h**2


def product(gradient):
    return (gradient[0] @ ALONG[0] + gradient[1] * ALONG[1] + gradient[2]["d"] * ALONG[2]["d"]
            + gradient[2]["w"] @ ALONG[2]["w"])  # fmt: skip


DIRECTIONS = (ALONG[0], ALONG[1], {**ALONG[2], "n": None})
EACH = [(f, "python") for f in ALL] + [(captured, "cpu")]


@pytest.mark.parametrize(("f", "target"), share(EACH))
@shared
def test_trajectories(f, target):
    compiled = flow.compile(f, target=target)
    assert_allclose(compiled(*ARGS), f(*ARGS), rtol=1e-6 if f is stiffly else 1e-8)
    along = product(flow.grad(compiled, (0, 1, 2))(*ARGS))
    assert_allclose(along, first_difference(), rtol=1e-5 if f is stiffly else 1e-6)
    assert_allclose(flow.jvp(compiled, ARGS, DIRECTIONS)[1], along, rtol=1e-9)
    assert np.array_equal(ARGS[0], [1.0, 0.5]) and np.array_equal(TIMES, [0.5, 1.0, 2.0])


def test_second_derivatives():
    made = flow.hvp(flow.compile(captured, target="cpu"), (0, 1, 2))(*ARGS, DIRECTIONS)
    assert_allclose(product(made), second_difference(), rtol=1e-4)


def decay(k):
    """exp(-k), whose third derivative by k is -exp(-k)."""
    return integrate.solve_ivp(lambda t, y: -k * y, (0, 1), [1], t_eval=[1], rtol=1e-7).y[0, 0]


def test_orders_up_to_the_third():
    h = decay
    for order in range(1, 4):
        h = (lambda f: lambda k: flow.jvp(f, (k,), (1.0,))[1])(h)
        made = flow.compile(h, target="python")(0.7)
        assert_allclose(made, (-1.0) ** order * np.exp(-0.7), rtol=1e-5)
    with pytest.raises(UnsupportedError, match="a derivative of solve_ivp above the order 3"):
        flow.jvp(flow.compile(h, target="python"), (0.7,), (1.0,))


# ---- times ----
def at_times(t, start, k):
    sol = integrate.solve_ivp(
        lambda t, y: -k * t * y, (start, 3.0), np.ones(1), t_eval=t, **TIGHT
    )  # exp(k (start^2 - t^2) / 2)
    return np.sum(sol.y[0] ** 2 + sol.t)


def by_lsoda_at(t, start, k):
    times = np.concatenate((np.array([start]), t))
    y = integrate.odeint(lambda y, t: -k * t * y, 1.0, times, rtol=1e-10, atol=1e-12)
    return np.sum(y[:, 0] ** 2 + times) - 1.0 - start


@pytest.mark.parametrize("f", [at_times, by_lsoda_at])
def test_derivatives_by_the_times(f):
    t, start, k = np.array([0.7, 1.5]), 0.2, 0.8
    value, by_all = flow.value_and_grad(flow.compile(f, target="python"), (0, 1, 2))(t, start, k)
    squares = np.exp(k * (start**2 - t**2))
    assert_allclose(value, np.sum(squares + t), rtol=1e-8)
    assert_allclose(by_all[0], 1.0 - 2.0 * k * t * squares, rtol=1e-7)
    assert_allclose(by_all[1], np.sum(2.0 * k * start * squares), rtol=1e-7)
    assert_allclose(by_all[2], np.sum((start**2 - t**2) * squares), rtol=1e-7)
    forward = flow.jvp(flow.compile(f, target="python"), (t, start, k), (None, 1.0, None))[1]
    assert_allclose(forward, by_all[1], rtol=1e-9)


def test_second_derivatives_by_the_times_are_refused():
    f = flow.compile(at_times, target="python")
    with pytest.raises(UnsupportedError, match="by which a derivative is taken"):
        flow.hvp(f, (0, 2))(np.array([0.7, 1.5]), 0.2, 0.8, (np.ones(2), 1.0))
    bent = flow.hvp(f, 2)(np.array([0.7, 1.5]), 0.2, 0.8, 1.0)
    t = np.array([0.7, 1.5])
    assert_allclose(bent, np.sum((0.04 - t**2) ** 2 * np.exp(0.8 * (0.04 - t**2))), rtol=1e-7)


@pytest.mark.parametrize("method", share(["RK45", "BDF", "RK23"]))
def test_without_times_the_steps_are_scipys(method):
    def f(k, end):
        sol = integrate.solve_ivp(lambda t, y: -k * y, (0.0, end), [1.0, 2.0], method, rtol=1e-8,
                                  atol=1e-10)  # fmt: skip
        return sol.y[1, -1], sol.t, sol.y

    compiled = flow.compile(f, target="python")
    (last, t, y), (want, times, states) = compiled(0.7, 1.5), f(0.7, 1.5)
    assert len(t) == len(times) and y.shape == states.shape
    if method != "BDF":  # which has our Jacobian
        assert_allclose(t, times, rtol=1e-9)
        assert_allclose(y, states, rtol=1e-9)
    assert_allclose(last, want, rtol=1e-6)
    ends = flow.grad(flow.compile(lambda k, end: f(k, end)[0], target="python"), (0, 1))(0.7, 1.5)
    assert_allclose(ends, [-1.5 * last, -0.7 * last], rtol=1e-6)


def test_a_stiff_problem_is_differentiated_stably():
    """Robertson's; the adjoint equations with recomputed states would overflow backwards."""

    def f(k):
        def rhs(t, y):
            a, b, c = k[0] * y[0], k[1] * y[1] ** 2, k[2] * y[1] * y[2]
            return [-a + c, a - b - c, b]

        sol = integrate.solve_ivp(rhs, (0.0, 40.0), [1.0, 0.0, 0.0], "BDF", [40.0], rtol=1e-7,
                                  atol=1e-12)  # fmt: skip
        return sol.y[2, 0]

    k = np.array([0.04, 3e7, 1e4])
    g = flow.compile(f, target="cpu")
    made = flow.grad(g)(k) * k
    steps = [(g(k * (1 + h)) - g(k * (1 - h))) / 2e-3 for h in 1e-3 * np.eye(3)]
    assert_allclose(made, steps, rtol=1e-4)


def test_in_a_loop_and_in_a_batch():
    def ends(k):
        return integrate.solve_ivp(lambda t, y: -k * y, (0.0, 1.0), [1.0], t_eval=[1.0], **TIGHT).y

    def total(k):
        s = 0.0
        for j in range(len(k)):
            s += ends(k[j])[0, 0]
        return s

    k = np.array([0.5, 1.0])
    made = flow.grad(flow.compile(total, target="python"))(k)
    assert_allclose(made, -np.exp(-k), rtol=1e-8)
    batch = flow.compile(lambda k: np.sum(flow.vmap(ends)(k)), target="python")
    assert_allclose(flow.grad(batch)(k), -np.exp(-k), rtol=1e-8)


# ---- what raises ----
def blowing_up(k):
    return integrate.solve_ivp(lambda t, y: k * y**2, (0.0, 2.0), [1.0], t_eval=[2.0]).y[0, 0]


def too_few_steps(k):
    return integrate.odeint(lambda y, t: -k * y, 1.0, [0.0, 1.0], mxstep=2)[1, 0]


@pytest.mark.parametrize("f", [blowing_up, too_few_steps])
@pytest.mark.filterwarnings("ignore")
def test_what_is_not_solved_raises_at_the_users_line(f):
    with pytest.raises(RuntimeError, match="the problem was not solved") as raised:
        flow.grad(flow.compile(f, target="python"))(1.0)
    assert isinstance(raised.value, SrcgradError)
    assert raised.value.location.line == f.__code__.co_firstlineno + 1


@pytest.mark.parametrize(("f", "said"), [
    (lambda k: integrate.solve_ivp(spring, (0, 1), [k], dense_output=True).y[0, 0], "dense_output"),
    (lambda k: integrate.solve_ivp(spring, (0, 1), [k], events=[spring]).y[0, 0], "events"),
    (lambda k: integrate.solve_ivp(spring, (0, 1), [k], seed=1).y[0, 0], "solve_ivp with seed"),
    (lambda k: integrate.odeint(spring, k, [0.0, 1.0], full_output=True)[0][0], "full_output"),
])  # fmt: skip
def test_what_is_not_there_is_refused(f, said):
    with pytest.raises(UnsupportedError, match=said):
        flow.grad(flow.compile(f, target="python"))(1.0)


def at_no_time(a):
    y = integrate.solve_ivp(lambda t, y: -a * y, (0.0, 1.0), [a], t_eval=[]).y
    return np.sum(y) + a * y.shape[0]


def in_an_empty_span(a):
    found = integrate.solve_ivp(lambda t, y: -a * y, (0.5, 0.5), [a * a])
    return found.y[0, -1] * len(found.t)


def at_one_time(a):
    return integrate.odeint(lambda y, t: -a * y, [a * a], [0.5])[0, 0]


def at_one_time_twice(a):
    return np.sum(integrate.odeint(lambda y, t: a + 0.0 * y, [a], [0.0, 1.0, 1.0]))


@pytest.mark.parametrize(
    ("f", "value", "slope"),
    [(at_no_time, 2.0, 1.0), (in_an_empty_span, 8.0, 8.0), (at_one_time, 4.0, 4.0),
     (at_one_time_twice, 10.0, 5.0)],
)  # fmt: skip
def test_spans_without_a_step(f, value, slope):
    assert f is at_no_time or f(2.0) == pytest.approx(value)  # SciPy has a list there
    got = flow.value_and_grad(flow.compile(f, target="python"))(2.0)
    assert_allclose(got, (value, slope), rtol=1e-6)
    assert_allclose(flow.jvp(flow.compile(f, target="python"), (2.0,), (1.0,))[1], slope, rtol=1e-6)


# ---- right-hand sides that switch ----
JUMPS = [
    lambda t, y, a: np.where(t > a, 2.0, -a) * np.ones(1),
    lambda t, y, a: (a if y[0] < 1.0 else 3.0 * a) * np.ones(1),
    lambda t, y, a: a * np.floor(t + a) * np.ones(1),
    lambda t, y, a: a * (y < a),
]
# and the derivative of the solution's closed form at a = 1
CONTINUOUS = [
    (lambda t, y, a: np.maximum(y - a, 0.0) + a, 0.5 * np.exp(1.5)),
    (lambda t, y, a: max(y[0], a) * np.ones(1), 0.5 * np.exp(1.5)),
    (lambda t, y, a: -np.abs(y - a), 1.0 - np.exp(2.0)),
    (lambda t, y, a: np.clip(y, 0.0, a), 2.0 - np.log(2.0)),
    (lambda t, y, a: (a if t < 1.0 else 0.0) - y, np.exp(-1.0) - np.exp(-2.0)),  # a fixed time
]


def at_two(rhs, rtol=1e-3):
    @flow.compile(target="python")
    def f(a):
        fun = lambda t, y: rhs(t, y, a)
        found = integrate.solve_ivp(
            fun, (0.0, 2.0), [0.5], t_eval=[2.0], max_step=0.05, rtol=rtol, atol=1e-3 * rtol
        )
        return found.y[0, 0]

    return f


@pytest.mark.parametrize("rhs", share(JUMPS))
def test_a_derivative_without_the_jump_is_warned_of(rhs):
    f = at_two(rhs)
    f(1.0)
    with pytest.warns(flow.errors.PartialGradientWarning, match="the right-hand side switches"):
        flow.grad(f)(1.0)
    with pytest.warns(flow.errors.PartialGradientWarning, match="the right-hand side switches"):
        flow.jvp(f, (1.0,), (1.0,))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("rhs", "want"), share(CONTINUOUS))
def test_derivatives_of_continuous_right_hand_sides_are_whole(rhs, want):
    assert_allclose(flow.grad(at_two(rhs, 1e-7))(1.0), want, rtol=1e-4)
