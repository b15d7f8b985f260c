"""Times of nests while their target runs them: they add up, and the program stays what it is."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends import marked
from srcgrad.backends.backend import backend_of
from srcgrad.backends.marked import call_time, nest_times
from srcgrad.ir.nodes import For, While
from srcgrad.ir.walk import walk
from srcgrad.passes import run as run_passes
from tests.checks.comparing import close


def short_and_long(x, y):
    first = np.sum(np.exp(x) * x)
    return first + np.sum(np.exp(np.sin(y) + np.cos(y)))


def relaxed(u, steps):
    for _ in range(steps):
        u = 0.5 * (np.roll(u, 1) + np.sin(u))
    return np.sum(u * u)


X, Y = np.linspace(0.0, 1.0, 10), np.linspace(0.0, 1.0, 100_000)
PROGRAMS = {
    "two nests": (short_and_long, (X, Y)),
    "a loop of nests": (relaxed, (np.linspace(0.0, 1.0, 5_000), 20)),
}


class Lowered:
    """A gradient lowered for a target, with what its function takes."""

    def __init__(self, name, target="cpu"):
        f, self.args = PROGRAMS[name]
        made = flow.value_and_grad(f, target=target)
        arguments = made._bind(self.args, {})
        entry, _ = made._entry_for(arguments, list({(n,): v for n, v in arguments.items()}.items()))
        self.options, self.backend = made.options, backend_of(target)
        self.function = run_passes(entry.program.function, self.backend.pipeline(self.options))
        self.run = entry.run

    def inputs(self):
        return [np.array(v) if isinstance(v, np.ndarray) else v for v in self.args]

    def times(self, trips, whole=60.0):
        """The times; they are given whatever a busy machine makes of them."""
        return nest_times(self.function, self.backend, self.options, self.inputs, trips, whole, 1.0)


def test_the_long_nest_takes_the_time():
    made = Lowered("two nests")
    times, whole = made.times(lambda s: None), call_time(made.run, made.inputs, 1.0)
    assert 0.1 * whole < sum(times.seconds.values()) < 10 * whole
    dearest = max(times.seconds, key=lambda s: times.seconds[s])
    assert isinstance(dearest, For) and "np.sin(y)" in "".join(
        s.loc.text for s in walk(dearest.body) if s.loc
    )
    assert set(times.runs.values()) == {1}


def test_nests_in_a_loop_are_told_apart():
    made = Lowered("a loop of nests")
    times = made.times(lambda s: 20)
    inner = [s for s, n in times.runs.items() if n == 20]
    assert inner and all(isinstance(s, For | While) or s.op for s in inner)
    outer = [s for s in made.function.body if isinstance(s, For) and s not in times.seconds]
    assert len(outer) == 2, "the loop and its reverse have the times of their nests"


def test_a_loop_of_unknown_trips_is_one_nest():
    times = Lowered("a loop of nests").times(lambda s: None)
    assert set(times.runs.values()) == {1}


def test_times_that_do_not_add_up_are_not_given():
    assert Lowered("two nests").times(lambda s: None, whole=0.0) is None


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("target", ["cpu", "loops"])
def test_marks_change_no_result(name, target):
    made = Lowered(name, target)
    marks = marked._Marks(lambda s: 20)
    body = marks.body(made.function.body)
    got = {}
    run = made.backend.build(made.function.with_body(body), made.options).run
    marks.around(lambda *args: got.update(zip("vg", run(*args), strict=True)))(*made.inputs())
    want, grad = made.run(*made.inputs())
    close(got["v"], want, 1e-15, "value")
    close(got["g"], grad, 1e-15, "gradient")
    assert sum(marks.runs) > len(marks.runs) - 1
