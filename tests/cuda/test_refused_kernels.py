"""What the target cuda refuses, with its line, the reason and ways out that are followed."""

import numpy as np
import pytest
import scipy.linalg
import scipy.special

import srcgrad as flow
from srcgrad.backends.cuda.selection import using
from srcgrad.backends.cuda.simulator import Simulator
from srcgrad.errors import UnsupportedError
from tests.cuda.checks import ORDERS, at, near
from tests.cuda.device_programs import chain

GENERATOR = np.random.default_rng(0)


def drawn(x):
    return np.sum(x * GENERATOR.normal(size=x.shape))


def scan(x):
    s = 0.0
    for i in range(len(x)):
        s = 0.5 * s + x[i]
    return s


def search(x):
    i = 0
    while x[i] > 0.5:
        i += 1
    return x[i]


def permuted(x):
    places = np.argsort([2.0, 1.0, 3.0])
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[places[i]] = x[i]
    return np.sum(y)


def diffused(u):
    for _ in range(3):
        v = u.copy()
        for i in range(1, len(u) - 1):
            v[i] = u[i] + 0.1 * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        u = v
    return np.sum(u * u)


def swapped(x):
    a, b = x * 1.0, x * 2.0
    for _ in range(3):
        for i in range(len(a)):
            a[i] = a[i] * 0.5 + b[i]
        a, b = b, a
    return np.sum(a * b)


REFUSED = [
    (scan, "s = 0.5", "each trip needs 's' of the one before it"),
    (search, "while", "a while loop runs one trip after the other"),
    (permuted, "y[places[i]]", "trips may touch one element of 'y'"),
    (swapped, "a[i] = ", "trips may reach one array by several names"),
]


@pytest.mark.parametrize(("fn", "line", "reason"), REFUSED)
def test_loops_over_elements_are_refused(fn, line, reason):
    with pytest.raises(UnsupportedError) as found:
        flow.compile(fn, target="cuda")(np.array([0.7, 0.2, 0.9]))
    assert reason in str(found.value) and "flow.prange" in str(found.value)
    assert found.value.location.line in (at(fn, line), at(fn, "for") if fn is scan else 0)


def test_random_draws_are_refused():
    with pytest.raises(UnsupportedError, match="draws no random numbers") as found:
        flow.grad(drawn, target="cuda")(np.ones(3))
    assert found.value.location.line == at(drawn, "GENERATOR")


def grown(u):
    for _ in range(3):
        v = np.concatenate((u, u[:1]))
        for i in range(1, len(u) - 1):
            v[i] = u[i] + 0.1 * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        u = v
    return np.sum(u * u)


def test_the_gradient_of_a_loop_over_elements_in_time_that_makes_arrays_longer_is_refused():
    with pytest.raises(UnsupportedError, match="around it has bound a name anew") as found:
        flow.grad(grown, target="cuda")(np.ones(4))
    assert found.value.location.line == at(grown, "v[i] = ")


def diffused_at_times(u):
    for k in range(3):
        v = u.copy()
        for i in range(1, len(u) - 1):
            v[i] = u[i] + 0.1 * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        if u[0] > 0.3 * k:
            u = v
    return np.sum(u * u)


@pytest.mark.parametrize("fn", [diffused, diffused_at_times])
def test_the_gradient_of_a_loop_over_elements_in_time(fn):
    u = np.array([0.7, 0.2, 0.9, -0.4])
    near(flow.grad(fn, target="cuda")(u), flow.grad(fn, target="python")(u))


def halved(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        s = x[i]
        while s * s > 0.1:
            s = np.sin(s) * 0.5
        y[i] = s
    return np.sum(y)


def test_a_gradient_that_keeps_what_only_the_run_tells_is_refused():
    """The user's line, and no counter of ours."""
    x = np.array([0.7, 0.2, 0.9])
    near(flow.compile(halved, target="cuda")(x), halved(x))
    with pytest.raises(UnsupportedError, match="a number of values that only its run") as found:
        flow.grad(halved, target="cuda")(x)
    assert found.value.location.file == __file__


def test_the_ways_out_of_a_refusal():
    def promised(x, places):
        y = np.zeros(len(x))
        for i in flow.prange(len(x)):
            y[places[i]] = x[i]
        return np.sum(y * np.arange(len(x)))

    x, places = np.array([0.7, 0.2, 0.9]), np.array([1, 0, 2])
    want = promised(x, places)
    assert flow.compile(promised, target="cuda")(x, places) == want
    assert flow.compile(scan, target="cpu")(x) == scan(x)

    def of_arrays(u):
        for _ in range(3):
            v = u.copy()
            v[1:-1] = u[1:-1] + 0.1 * (u[:-2] - 2.0 * u[1:-1] + u[2:])
            u = v
        return np.sum(u * u)

    near(flow.grad(of_arrays, target="cuda")(x), flow.grad(diffused)(x))


def test_with_fastmath_off_sums_are_refused():
    with pytest.raises(UnsupportedError, match="keep the order"):
        flow.compile(chain, target="cuda", fastmath=False)(np.ones(3))


@pytest.mark.parametrize("order", ORDERS)
def test_with_fastmath_off_a_thread_adds_in_order(order):
    def rows(x, y):
        for i in flow.prange(x.shape[0]):
            for j in range(x.shape[1]):
                y[i] += x[i, j]
        return y

    x = np.array([[1e16, 1.0, -1e16, 1.0], [1.0, 1e16, 1.0, -1e16]])
    with using(Simulator(order)):
        got = flow.compile(rows, target="cuda", fastmath=False)(x, np.zeros(2))
    assert got.tolist() == rows(x, np.zeros(2)).tolist()


def test_operations_without_a_device_form_are_refused():
    def root(a):
        return np.sum(scipy.linalg.sqrtm(a))

    with pytest.raises(UnsupportedError, match="cuda has no 'sqrtm'") as found:
        flow.compile(root, target="cuda")(np.eye(3))
    assert found.value.location.line == at(root, "linalg.sqrtm")


def digammas(x):
    return np.sum(scipy.special.digamma(x))


@pytest.mark.parametrize("f", [digammas, lambda x: np.sum(scipy.special.digamma(x))])
def test_functions_without_a_kernel_are_refused(f):
    with pytest.raises(UnsupportedError, match="kernels have no 'digamma'") as found:
        flow.compile(f, target="cuda")(np.ones(3))
    assert found.value.location.line == at(f, "special.digamma")


def test_shared_additions_of_narrow_integers_are_refused():
    def f(z, places):
        y = np.zeros(3, np.int8)
        for i in range(len(z)):
            y[places[i]] += z[i]
        return y

    with pytest.raises(UnsupportedError, match=r"same elements of 'y'.* no atomic addition of i8"):
        flow.compile(f, target="cuda")(np.ones(4, np.int8), np.array([0, 1, 1, 2]))


@pytest.mark.parametrize("f", [lambda x: np.sum(x * x), lambda x: np.sum(x.astype("e"))])
def test_half_precision(f):
    x = np.ones(3, np.float16 if "astype" not in f.__code__.co_names else np.float64)
    with using(Simulator()), pytest.raises(UnsupportedError, match="the target does not have"):
        flow.compile(f, target="cuda")(x)
