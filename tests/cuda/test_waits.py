"""How often a call waits for the device: what reads from it is counted.

Arguments and results are arrays of a device, so that nothing is copied but numbers.
"""

from dataclasses import dataclass, field

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends.cuda.selection import using
from srcgrad.backends.cuda.simulator import Simulator
from tests.cuda import device_programs as programs
from tests.cuda.checks import ORDERS, at, near
from tests.cuda.test_device_arguments import Elsewhere


@dataclass(frozen=True, eq=False)
class Counting(Simulator):
    """Lists the shapes of what is read."""

    reads: list = field(default_factory=list)

    def to_host(self, value):
        self.reads.append(np.shape(value))
        return super().to_host(value)


def there(args):
    return [Elsewhere(a.copy()) if isinstance(a, np.ndarray) else a for a in args]


def back(value):
    if isinstance(value, tuple):
        return tuple(map(back, value))
    return value.a if isinstance(value, Elsewhere) else value


def waits(fn, *args, order="forward"):
    """The result of a call on arrays of a device, and how often it waited."""
    device = Counting(order)
    with using(device):
        out = fn(*there(args))
    return back(out), len(device.reads)


def squared_error(w, x, t):
    return np.mean((x @ w - t) ** 2)


def diffusion(u, c):
    """The time loop is the host's; each step has a sum and stores at both ends."""
    lost = 0.0
    for _ in range(10):
        v = u.copy()
        v[1:-1] = u[1:-1] + c * (u[2:] - 2 * u[1:-1] + u[:-2])
        v[0] = v[1]
        lost += 0.5 * np.sum(u - v) ** 2
        u = v
    return np.sum(u**2) + lost


_r = np.random.default_rng(0)
X, T = _r.random((40, 6)), _r.random(40)
OF = {p.fn.__name__: p for p in programs.PROGRAMS}
STEPS = 4  # of newton() for its argument

# of a value and its gradient: the value is read, and what has failed with it
WAITS = [
    (squared_error, (_r.random(6), X, T), 1),
    (programs.chain, OF["chain"].args, 1),
    (programs.cross_entropy, OF["cross_entropy"].args, 1),
    (programs.mlp, OF["mlp"].args, 1),
    (programs.extrema, OF["extrema"].args, 1),
    (programs.elements, OF["elements"].args, 1),
    (programs.stencil, OF["stencil"].args, 1),
    (programs.clipped, OF["clipped"].args, 1),
    (programs.power, OF["power"].args, 1),
    (diffusion, (_r.random(20), 0.1), 1),
    (programs.newton, OF["newton"].args, STEPS + 1 + 1),
]


NAMES = [fn.__name__ for fn, *_ in WAITS]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("fn", "args", "expected"), WAITS, ids=lambda v: getattr(v, "__name__", "")
)
def test_a_value_and_its_gradient(fn, args, expected, order):
    wrt = tuple(k for k, a in enumerate(args) if np.asarray(a).dtype.kind == "f")
    want = flow.value_and_grad(flow.compile(fn), wrt)(*args)
    got, found = waits(flow.value_and_grad(fn, wrt, target="cuda"), *args, order=order)
    assert found == expected
    assert got[0] == pytest.approx(want[0], rel=1e-12)
    for a, b in zip(got[1], want[1], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-13)


def test_a_gradient_alone_that_cannot_fail_does_not_wait():
    _, found = waits(flow.grad(programs.chain, target="cuda"), *OF["chain"].args)
    assert found == 0


def test_a_training_step_hands_on_what_it_computes():
    def step(w, x, t):
        loss, g = flow.value_and_grad(squared_error)(w, x, t)
        w -= 0.1 / (1.0 + np.sqrt(np.sum(g * g))) * g
        return loss, w

    w = _r.random(6)
    want = flow.compile(step)(w.copy(), X, T)
    got, found = waits(flow.compile(step, target="cuda"), w, X, T)
    near(got, want)
    assert found == 1


def test_a_loop_over_numbers_alone_is_the_hosts():
    def decayed(x):
        s = np.sum(x)
        for k in range(100):
            s = 0.5 * s + k
        return np.sum(x * s)

    got, found = waits(flow.compile(decayed, target="cuda"), X)
    assert got == pytest.approx(decayed(X), rel=1e-12) and found == 2


def test_a_number_of_both_sides():
    """Before the first trip, and where no kernel runs, a number is the host's."""

    def f(x, n, m):
        s, most = 2.0, 0.5
        for k in range(n):
            s = s + np.sum(x[:m]) * k
            most = max(most, np.max(x) - 0.9)
        if m > 3:
            s = s / most
        return np.sum(x * s) + s, most

    for n, m in ((0, 2), (3, 0), (4, 5)):
        got, found = waits(flow.compile(f, target="cuda"), X[0], n, m)
        near(got, flow.compile(f)(X[0], n, m))
        assert found == 1


def test_a_place_that_a_number_says():
    def best(x, places):
        k = np.argmax(x)
        y = x * 1.0
        y[places[0]] = x[k] * x[places[k]]
        return y

    x, places = np.array([0.1, 0.9, 0.3]), np.array([2, -1, 0])
    got, found = waits(flow.compile(best, target="cuda"), x, places)
    assert found == 1 and got.tolist() == best(x, places).tolist()


# ---- failures ----
def failing(fn, *args):
    """What a call raises, and what it leaves of its arguments."""
    given = there(args)
    with using(Counting()), pytest.raises(Exception) as found:
        fn(*given)
    return found.value, back(tuple(given))


def test_a_failure_that_nothing_reads_is_raised():
    def f(x, places):
        y = np.zeros(4)
        y[0] = x[places[1]] * 2.0
        return y

    x, places = np.arange(3.0), np.array([0, 3])
    error, _ = failing(flow.compile(f, target="cuda"), x, places)
    with pytest.raises(IndexError) as want:
        flow.compile(f)(x, places)
    assert type(error) is type(want.value) and str(error) == str(want.value)
    assert error.location.line == at(f, "x[places[1]]")


def test_an_assertion_about_a_number():
    def f(x):
        s = np.sum(x)
        assert s > 0, f"the sum is {s}"
        return x / s

    fn = flow.compile(f, target="cuda")
    got, found = waits(fn, np.ones(4))
    assert found == 1 and got.tolist() == [0.25] * 4
    error, _ = failing(fn, -np.ones(4))
    assert isinstance(error, AssertionError) and "the sum is -4.0" in str(error)
    assert error.location.line == at(f, "assert")


def stores_an_element(x, places, y, order):
    s = np.sum(x[places])
    y[0] = 1.0
    return s


def stores_a_sum(x, places, y, order):
    s = np.sum(x[places])
    y[1] = s
    return s


def stores_at_places(x, places, y, order):
    s = np.sum(x[places])
    y[order] = x
    return s


@pytest.mark.parametrize("f", [stores_an_element, stores_a_sum, stores_at_places])
def test_a_failure_before_a_store_leaves_the_argument(f):
    args = np.ones(3), np.array([0, 7, 1]), np.zeros(3), np.array([2, 0, 1])
    error, left = failing(flow.compile(f, target="cuda"), *args)
    assert isinstance(error, IndexError) and error.location.line == at(f, "x[places]")
    assert not left[2].any()


def test_a_failure_before_a_print(capsys):
    def f(x, places):
        s = np.sum(x[places])
        print("summed")
        return s

    error, _ = failing(flow.compile(f, target="cuda"), np.ones(3), np.array([0, 7, 1]))
    assert isinstance(error, IndexError) and not capsys.readouterr().out


def test_a_failure_before_one_of_the_host():
    def f(x, places, n):
        s = np.sum(x[places])
        return s + x[n]

    error, _ = failing(flow.compile(f, target="cuda"), np.ones(3), np.array([0, 7, 1]), 5)
    assert "index 7" in str(error)


def test_a_failure_before_the_library_fails():
    def f(a, places):
        s = np.sum(a[places])
        return np.linalg.solve(a - a, a[0]) * s

    error, _ = failing(flow.compile(f, target="cuda"), np.eye(3), np.array([0, 7, 1]))
    assert isinstance(error, IndexError)
