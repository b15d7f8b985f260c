"""The reference backend with a clock: runs and trips are exact, errors those of the program."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends.clocked import timing
from srcgrad.ir.nodes import Def, For, While
from srcgrad.ir.walk import walk


def halves(x, steps):
    total = 0.0
    for i in range(steps):
        v = x[i]
        while v > 1.0:
            v = 0.5 * v
        total += v * v
    return total


X = np.array([5.0, 0.5, 3.0])  # 3, 0 and 2 trips


@pytest.fixture(scope="module")
def function():
    return flow.value_and_grad(halves, target="python")._program({"x": X, "steps": 3})[0].function


def inputs():
    return [X.copy(), 3]


def test_runs_and_trips_are_counted(function):
    made = timing(function, inputs, 60.0)
    assert made is not None
    forward = [s for s in walk(function.body) if s.loc is not None and not s.loc.role]
    whiles = [s for s in forward if isinstance(s, While)]
    fors = [s for s in forward if isinstance(s, For)]
    assert [made.trips[s] for s in fors] == [3] and [made.runs[s] for s in fors] == [1]
    assert [made.trips[s] for s in whiles] == [5] and [made.runs[s] for s in whiles] == [3]
    halving = [s for s in forward if isinstance(s, Def) and s.loc.text.strip() == "v = 0.5 * v"]
    assert halving and all(made.runs[s] == 5 for s in halving)
    squared = [s for s in forward if s.loc.text.strip() == "total += v * v"]
    assert squared and all(made.runs[s] == 3 for s in squared)


def test_every_statement_that_runs_takes_time(function):
    made = timing(function, inputs, 60.0)
    assert all(t > 0 for s, t in made.seconds.items() if isinstance(s, Def) and made.runs[s])
    assert made.total == sum(made.seconds.values()) < 1.0


def test_slow_statements_are_told_from_fast_ones():
    def f(x):
        y = x + 1.0
        return np.sum(y @ y)

    x = np.ones((300, 300))
    function = flow.compile(f, target="python")._program({"x": x})[0].function
    seconds = timing(function, lambda: [x], 60.0).seconds
    product = max(seconds, key=lambda s: seconds[s])
    assert product.op.name == "matmul"


def test_tapes_are_measured(function):
    found = {v.type.dtype: size for v, size in timing(function, inputs, 60.0).bytes.items()}
    assert found.keys() == {"f64", "i64"} and found["i64"] == 3 * 8, "the trips of each while"
    assert found["f64"] % 8 == 0 and found["f64"] >= 3 * 8


def test_a_long_run_is_given_up(function):
    assert timing(function, inputs, 0.0) is None


def test_there_are_several_runs_on_inputs_of_their_own(function):
    asked = []
    timing(function, lambda: asked.append(1) or inputs(), 60.0, 3)
    assert len(asked) == 3


def test_errors_are_those_of_the_program(function):
    with pytest.raises(IndexError, match="index 3 is out of bounds") as caught:
        timing(function, lambda: [X, 4], 60.0)
    assert "x[i]" in str(caught.value)
