"""Captured lists that loops of the run make longer or change: values, state and gradients."""

import copy

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.frontend.formulas.longer_lists import METHODS, OPERATORS, LongerList
from tests.frontend.test_changed_captures import on_each_target

X = np.array([0.3, 0.7, 1.1])


class Model:
    def __init__(self):
        self.history, self.alias = [4.0, 5.0], None
        self.rows, self.points, self.steps = [{"k": 0, "v": 0.5}], [np.ones(3)], []


def histories(m, x, n):
    for k in range(n):
        x = x - 0.1 * np.cos(x)
        m.history.append(float(np.sum(x * x)))
        m.rows.append({"k": k, "v": float(x[0])})
        m.points.append(x.copy())
        m.steps.append((k, x[1], "up" if x[0] > 0.2 else "down"))
    return np.sum(x)


def until_it_settles(m, x, n):
    y, k = x[0], 0
    while k < 2 * n:
        y = y - 0.3 * np.sin(y)
        m.history.append(float(y * y))
        if len(m.history) > 3 and abs(m.history[-1] - m.history[-2]) < 1e-3:
            break
        k += 1
    return y * len(m.history)


def items_before(m, x, n):
    y = x[0]
    for k in range(n):
        y = y + m.history[-2] * x[1]
        m.history.append(float(y))
        if k == 1:
            m.history += [float(x[2]), 1.0]
    return y * (2.0 if m.history else 1.0)


def on_some_trips(m, x, n):
    for k in range(n):
        if k * x[0] > 0.5:
            m.history.extend([float(x[0] * k), 2.0])
    return x[1] * len(m.history)


def read_in_the_loop(m, x, n):
    y = x[0]
    for _ in range(n):
        m.history.append(float(y * x[1]))
        y = y + np.mean(m.history[-3:]) * x[2] + max(m.history)
    return y + sum(m.history) + m.history[0]


def taken_out_in_the_loop(m, x, n):
    y = x[0]
    for k in range(n):
        m.history.append(float(x[0] * k))
        if len(m.history) > 3:
            y = y + m.history.pop(0)
    m.history.reverse()
    m.history[0] = float(y)
    return y * m.history[-1]


def by_another_name(m, x, n):
    m.alias = m.history
    held = m.alias
    for k in range(n):
        held.append(float(x[0] * k))
    m.kept = (m.history, x[1])
    return x[1] * len(m.alias)


def objects_read(m, x, n):
    y = x[0]
    for k in range(n):
        m.rows.append({"k": k, "v": float(x[0] * k)})
        y = y + m.rows[-1]["v"] * x[1]
    return y + sum(r["v"] for r in m.rows)


def integers(m, x, n):
    for k in range(n):
        m.steps.append(k * k)
    return x[0] * sum(m.steps)


PROGRAMS = (
    histories, until_it_settles, items_before, on_some_trips, read_in_the_loop,
    taken_out_in_the_loop, by_another_name, objects_read, integers,
)  # fmt: skip
of_each_program = pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)


def text(m):
    return repr({n: v for n, v in vars(m).items() if n != "kept"})


@on_each_target
@of_each_program
def test_lists_after_calls(f, target):
    """Those of plain Python, items and classes alike, in the same objects."""
    m, plain = Model(), Model()
    compiled = flow.compile(lambda x, n: f(m, x, n), target=target)
    held = m.history, m.rows, m.points, m.steps, m.rows[0], m.points[0]
    for k, n in enumerate((3, 0, 1, 2)):
        assert compiled(X + 0.3 * k, n) == pytest.approx(f(plain, X + 0.3 * k, n))
        np.testing.assert_equal(_rounded(vars(m)), _rounded(vars(plain)))
        assert (m.alias is m.history) == (plain.alias is plain.history)
        m.history.append(0.5 * k)
        plain.history.append(0.5 * k)
    now = m.history, m.rows, m.points, m.steps, m.rows[0], m.points[0]
    assert all(a is b for a, b in zip(held, now, strict=True))
    before = text(m)
    g = flow.grad(compiled)(X, 3)
    assert text(m) == before

    def at(x):
        return f(copy.deepcopy(m), x, 3)

    steps = 1e-6 * np.eye(3)
    differences = [(at(X + s) - at(X - s)) / 2e-6 for s in steps]
    assert g == pytest.approx(differences, rel=1e-6, abs=1e-7)


def _rounded(v):
    """A value with the class of each number beside it, rounded."""
    if isinstance(v, dict):
        return {k: _rounded(x) for k, x in v.items()}
    if isinstance(v, list | tuple):
        return [type(v).__name__, *map(_rounded, v)]
    if isinstance(v, np.ndarray):
        return "array", np.round(v, 10)
    return type(v).__name__, float(f"{v:.10g}") if isinstance(v, float) else v


@pytest.mark.parametrize("f", PROGRAMS[:6], ids=lambda f: f.__name__)
def test_one_program_for_all_lengths(f):
    m = Model()
    compiled = flow.compile(lambda x, n: f(m, x, n), target="python")
    for _ in range(3):
        compiled(X, 3)
    built = [e for each in compiled._entries.values() for e in each]
    for n in (5, 1, 4):
        compiled(X, n)
    assert built == [e for each in compiled._entries.values() for e in each]


def test_items_of_another_class():
    """A list of floats gets an integer between calls: the next call has a program for both."""
    m, plain = Model(), Model()
    compiled = flow.compile(lambda x, n: read_in_the_loop(m, x, n), target="python")
    for _ in range(3):
        assert compiled(X, 2) == pytest.approx(read_in_the_loop(plain, X, 2))
        assert m.history == pytest.approx(plain.history)
        m.history[1] = plain.history[1] = np.float64(2.5)


def moved(m, x, n):
    y = x[0]
    for _ in range(n):
        m.points.append(x * y)
        if len(m.points) > 2:
            y = y + m.points.pop(0)[1]
    return y


def test_objects_that_would_be_others():
    m = Model()
    with pytest.raises(flow.UnsupportedError, match="'points', which are no numbers, are moved"):
        flow.compile(lambda x, n: moved(m, x, n), target="python")(X, 3)
    assert len(m.points) == 1

    def way_out(x, n):
        points = list(m.points)
        y = x[0]
        for _ in range(n):
            points.append(x * y)
            if len(points) > 2:
                y = y + points.pop(0)[1]
        return y

    assert flow.compile(way_out, target="python")(X, 3) == pytest.approx(moved(Model(), X, 3))


def test_a_few_trips_are_unrolled_where_a_list_that_grows_is_refused():
    def f(m, x):
        for k in range(3):
            m.points.append(np.ones((2,) * (k + 1)) * x[k])
        return np.sum(m.points[-1] * m.points[1])

    m, plain = Model(), Model()
    assert flow.compile(lambda x: f(m, x), target="python")(X) == pytest.approx(f(plain, X))
    assert [p.ndim for p in m.points] == [1, 1, 2, 3]


def test_everything_else_of_a_list_reads_it():
    known = {*OPERATORS, *METHODS, "append", "extend", "__iadd__", "__getitem__", "__len__"}
    of_objects = {
        "__new__", "__init__", "__getattribute__", "__sizeof__", "__class_getitem__",
    }  # fmt: skip
    own = {name for name, v in vars(list).items() if callable(v) or name == "__class_getitem__"}
    assert own - known - of_objects == set()
    assert all(name in vars(LongerList) for name in known)
