"""Captured containers that are changed: of modules, of functions around, by several names."""

import pickle

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.test_changed_captures import Model, Step, by_a_helper, on_each_target, state

X = np.array([0.3, 0.7, 1.1])
LOG = []
CACHE = {}


@pytest.fixture(autouse=True)
def begun():
    LOG.clear()
    CACHE.clear()
    Model.shared.clear()


# ---- other places ----
def logged(x):
    LOG.append(np.sum(x))
    return LOG[-1] * x[0]


def table(n):
    if n not in CACHE:
        CACHE[n] = np.arange(float(n))
    return CACHE[n]


def fibonacci(n):
    if n not in CACHE:
        CACHE[n] = n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)
    return CACHE[n]


@on_each_target
def test_containers_of_a_module(target):
    f = flow.compile(logged, target=target)
    assert f(X) == f(X) == pytest.approx(2.1 * 0.3)
    assert pytest.approx([2.1, 2.1]) == LOG
    LOG[:] = [5.0]  # the user changes it between calls
    f(X)
    assert pytest.approx([5.0, 2.1]) == LOG
    assert flow.grad(f)(X) == pytest.approx([2.4, 0.3, 0.3])
    g = flow.compile(lambda x: np.sum(x * table(len(x))) + np.sum(table(2)), target=target)
    assert g(X) == g(X) == pytest.approx(2.9 + 1.0)
    assert list(CACHE) == [3, 2] and CACHE[3].tolist() == [0.0, 1.0, 2.0]
    CACHE.clear()
    h = flow.compile(lambda x: x[0] * fibonacci(12), target=target)
    assert h(X) == pytest.approx(0.3 * 144) and len(CACHE) == 13
    assert h(X) == pytest.approx(0.3 * 144)


def around():
    items, counts = [], {"n": 0}

    def f(x):
        def add(v):
            items.append(v)
            counts["n"] += 1
            return v * len(items)

        return add(x[0]) + add(x[1])

    return f, items, counts


@on_each_target
def test_containers_of_functions_around(target):
    for _ in range(3):
        f, items, counts = around()
        compiled = flow.compile(f, target=target)
        assert compiled(X) == pytest.approx(0.3 + 1.4)
        assert compiled(X) == pytest.approx(0.9 + 2.8)
        assert items == [0.3, 0.7, 0.3, 0.7] and counts == {"n": 4}
        assert flow.grad(f, target=target)(X).tolist() == [5.0, 6.0, 0.0]
        assert len(items) == 4


def kept(v, items=[]):  # noqa: B006 (such a default is tested)
    items.append(v)
    return len(items) * v


@on_each_target
def test_defaults(target):
    (items,) = kept.__defaults__
    items.clear()
    f = flow.compile(lambda x: kept(x[0]) + kept(x[1]), target=target)
    assert f(X) == pytest.approx(0.3 + 1.4)
    assert f(X) == pytest.approx(0.9 + 2.8)
    own = flow.compile(kept, target=target)
    assert own(2.0) == 10.0 and items == [0.3, 0.7, 0.3, 0.7, 2.0]


@on_each_target
def test_each_instance_has_its_own(target):
    one, other = Model(), Model()
    f = flow.compile(lambda x, m: by_a_helper(m, x), target=target)
    plain = [by_a_helper(m, X) for m in (one, other, one)]
    one, other = Model(), Model()
    assert [f(X, m) for m in (one, other, one)] == pytest.approx(plain)
    assert one.counts == {"n": 4} and other.counts == {"n": 2}
    assert other.history == [1.0, 2.0, 0.3, 0.7]


# ---- one object by several names ----
@on_each_target
def test_names_that_come_apart(target):
    m = Model()
    f = flow.compile(lambda x: by_a_helper(m, x) * len(m.alias), target=target)
    assert f(X) == pytest.approx((0.09 + 0.98 * 0.3) * 4)
    m.history = [9.0]  # another object
    assert f(X) == pytest.approx((0.27 + 0.49 * 4 * 0.3) * 4)
    assert m.history == [9.0, 0.3, 0.7] and len(m.alias) == 4
    m.alias = m.history
    f(X)
    assert m.alias is m.history and len(m.history) == 5


@on_each_target
def test_dataclasses_that_become_one(target):
    m = Model()
    m.last_step = Step(5)

    def f(x):
        m.step.number += 1
        return x[0] * m.last_step.number

    compiled = flow.compile(f, target=target)
    assert compiled(X) == 0.3 * 5
    m.step = m.last_step
    assert compiled(X) == pytest.approx(0.3 * 6)
    assert (m.last_step.number, m.step.number) == (6, 6)


def test_one_list_by_two_names_is_one_object():
    m = Model()
    f = flow.compile(lambda x: x[0] if m.alias is m.history else x[1], target="python")
    assert f(X) == X[0]
    m.alias = [*m.history]
    assert f(X) == X[1]


@on_each_target
@pytest.mark.parametrize("changed", ["argument", "captured"])
@pytest.mark.parametrize("transform", [flow.compile, flow.grad])
def test_an_argument_that_is_captured(changed, transform, target):
    """It was a silent fault: the captured list did not see the change of the argument."""
    items = [1.0]

    def f(x, given):
        (given if changed == "argument" else items).append(x[0])
        return x[0] * len(items) * len(given)

    g = transform(f, target=target)
    with pytest.raises(flow.errors.ArgumentValueError, match="a container that it captures"):
        g(X, items)
    assert items == [1.0]
    g(X, [1.0, 2.0])


def test_a_captured_list_that_is_stored_under_a_name_stays_one_object():
    m = Model()

    def f(x):
        m.last = m.history
        m.both = {"a": m.history, "b": (m.counts, x[0])}
        return x[0]

    flow.compile(f, target="python")(X)
    assert m.last is m.history is m.both["a"] and m.both["b"][0] is m.counts


def test_items_that_stay_are_the_same_objects():
    arrays, text = [np.ones(2), np.zeros(3)], ["a" * 50]

    def f(x):
        arrays.append(x)
        arrays.insert(0, arrays.pop(1))
        text.insert(0, "b")
        return x[0]

    first, second = arrays
    flow.compile(f, target="cpu")(X)
    assert arrays[0] is second and arrays[1] is first and arrays[2] is X
    assert text == ["b", "a" * 50]


# ---- what leaves everything as it was ----
class Odd(dict):
    pass


@on_each_target
def test_what_raises_or_is_refused_changes_nothing(target):
    m = Model()
    m.odd, m.seen = Odd(a=1.0), {1}
    before = state(m)

    def raising(x):
        m.history.append(x[0])
        m.counts["n"] += 1
        if x[0] > 0.0:
            raise ValueError("no")
        return x[0]

    def with_a_function(x):
        m.history.append(x[0])
        m.history.append(lambda v: v)
        return m.history[-1](x[0])

    def in_a_class_of_dicts(x):
        m.history.append(x[0])
        m.odd["a"] = x[0]
        return x[0]

    def while_it_is_iterated(x):
        for v in m.history:
            m.history.append(v * x[0])
        return x[0]

    def differentiated_inside(x):
        m.history.append(x[0])
        return flow.grad(lambda y: y[0] * len(m.history))(x)[0]

    def other(x):
        return x[0] * len(m.history)

    def that_reads_it(x):
        m.history.append(x[0])
        return flow.grad(other)(x)[0]

    for f, error, text in (
        (raising, ValueError, "no"),
        (with_a_function, flow.errors.ReturnTypeError, r"history\[3\]' is set to a function"),
        (in_a_class_of_dicts, flow.UnsupportedError, "captures cannot be changed"),
        (while_it_is_iterated, flow.UnsupportedError, "changes its length while a loop"),
        (that_reads_it, flow.UnsupportedError, "reads 'history', which is changed"),
    ):
        with pytest.raises(error, match=text):
            flow.compile(f, target=target)(X)
        assert state(m) == before
    assert flow.grad(with_a_function, target=target)(X).tolist() == [1.0, 0.0, 0.0]
    assert state(m) == before
    assert flow.compile(differentiated_inside, target=target)(X) == 3.0
    assert len(m.history) == 3


def test_tensors_are_put_in_with_their_history():
    m = Model()

    def f(x):
        m.history.append(np.sum(x * x))
        m.cache["last"] = 3.0 * x
        return m.history[-1] * 2.0

    compiled = flow.compile(f, target="python")
    for _ in range(2):
        x = flow.tensor([1.0, 2.0], dtype=flow.float64, requires_grad=True)
        total = compiled(x)
        (total + m.history[-1] + m.cache["last"].sum()).backward()
        assert x.grad.tolist() == [9.0, 15.0]
    assert [*map(float, m.history)] == [1.0, 2.0, 5.0, 5.0]


def test_a_gradient_by_tensors_leaves_its_changes_on_the_tape():
    """Where the tape is permitted, as before: a hook that logs is seen to run."""
    m = Model()

    def f(x):
        m.history.append(len(x))
        return (x * x).sum()

    x = flow.tensor([3.0], dtype=flow.float64)
    for mode in (None, flow.GRAPH_MODE):
        flow.set_context(mode=mode)
        assert flow.grad(f)(x).tolist() == [6.0] and m.history == [1.0, 2.0, 1]
    flow.set_context(mode=None)


def test_pickling():
    f = flow.compile(logged, target="python")
    f(X)
    again = pickle.loads(pickle.dumps(f))
    assert again(X) == f(X) and len(LOG) == 3
