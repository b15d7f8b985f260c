"""Stores to attributes of captured instances."""

import abc
import functools

import numpy as np
import pytest

import srcgrad as flow

X = np.array([0.3, 0.7, 1.1])


class Filter(abc.ABC):
    order = 0

    @abc.abstractmethod
    def step(self, v): ...

    def run(self, x):
        self.trace = np.zeros(len(x))
        for k, v in enumerate(x):
            self.trace[k] = self.step(v)
        self.order += 1
        return self.trace


class Leaky(Filter):
    """A filter with a state, a property that is set and one that is computed once."""

    def __init__(self):
        self.state, self.last, self.items, self._rate = 0.5, None, [1.0, 2.0], 0.9

    @property
    def rate(self):
        return 2.0 * self._rate

    @rate.setter
    def rate(self, value):
        self._rate = value / 2.0

    @functools.cached_property
    def bound(self):
        return 3.0

    def step(self, v):
        self.state = self.state * self.rate + v * v
        return self.state


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self):
        self.a = 1.5


class Bank:
    def __init__(self):
        self.first, self.others = Leaky(), [Leaky(), Leaky()]

    def step(self, x):
        self.first.state = x[0]
        for k, each in enumerate(self.others):
            each.state = each.state * x[k]
        return self.first.step(x[2]) + self.others[0].state + 2.0 * self.others[1].state


LEAKY, SLOTTED, BANK = Leaky(), Slotted(), Bank()
INSTANCES = (LEAKY, BANK.first, *BANK.others)


def begin():
    for each in INSTANCES:
        vars(each).clear()
        each.__init__()
    SLOTTED.a = 1.5
    if hasattr(SLOTTED, "b"):
        del SLOTTED.b
    Leaky.order = 0


@pytest.fixture(autouse=True)
def begun():
    begin()


def state():
    slots = [getattr(SLOTTED, name, None) for name in "ab"]
    return repr([*map(vars, INSTANCES), slots, Leaky.order])


def in_a_loop(x):
    return np.sum(LEAKY.run(x) ** 2) * LEAKY.order + LEAKY.trace[1]


def none_before(x):
    total = x[0] if LEAKY.last is None else np.sum(LEAKY.last)
    LEAKY.last = 2.0 * x
    return total + np.sum(LEAKY.last**2)


def on_one_path_over_the_class(x):
    for v in x:
        if v > 0.5:
            LEAKY.order = 5
    return np.sum(x) * LEAKY.order + Leaky.order


def on_some_paths_over_a_changed_class(x):
    Leaky.order = 3
    before = LEAKY.order
    for v in x:
        if v > 1.0:
            LEAKY.order = LEAKY.order + 1
    return np.sum(x * x) * (LEAKY.order + before)


def by_a_setter_and_setattr(x):
    LEAKY.rate = x[0] * 3.0
    setattr(LEAKY, "made_here", x * LEAKY.rate)  # noqa: B010 (the call is what is tested)
    return np.sum(LEAKY.made_here) + LEAKY._rate * hasattr(LEAKY, "made_here")


def slots(x):
    SLOTTED.b = x[0]
    if x[1] > 0.1:
        SLOTTED.a = SLOTTED.b * x[2]
    return SLOTTED.a * SLOTTED.b + hasattr(SLOTTED, "b")


def instances_in_instances(x):
    return BANK.step(x)


def array_changed_afterwards(x):
    LEAKY.last = x
    LEAKY.last[0] = 5.0
    return np.sum(LEAKY.last * x)


def caught(x):
    try:
        LEAKY.state = x[0]
        y = x[9]
    except IndexError:
        y = LEAKY.state * 2.0
    return y


def until_it_is_large(x):
    n = 0
    while LEAKY.state < 10.0:
        LEAKY.state = LEAKY.state * (1.5 + x[0])
        n += 1
    return LEAKY.state * n


def new_list(x):
    LEAKY.items = [x[0], x[1]]
    LEAKY.items.append(x[2])
    return LEAKY.items[2] * LEAKY.items[0]


def in_a_function_inside(x):
    def add(v):
        LEAKY.state = LEAKY.state + v * v
        return LEAKY.state

    return sum([add(v) for v in x]) + sum(map(add, x))


PROGRAMS = (
    in_a_loop, none_before, on_one_path_over_the_class, on_some_paths_over_a_changed_class,
    by_a_setter_and_setattr, slots, instances_in_instances, array_changed_afterwards, caught,
    until_it_is_large, new_list, in_a_function_inside,
)  # fmt: skip
of_each_program = pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
on_each_target = pytest.mark.parametrize("target", ["python", "cpu"])


@on_each_target
@of_each_program
def test_attributes_after_calls(f, target):
    """Those of plain Python, after each of three calls."""
    plain = []
    for _ in range(3):
        plain.append((f(X.copy()), state()))
    begin()
    compiled = flow.compile(f, target=target)
    for value, attributes in plain:
        assert compiled(X.copy()) == pytest.approx(value)
        assert state() == attributes


@on_each_target
@of_each_program
def test_a_transform_leaves_attributes_as_they_were(f, target):
    before = state()
    g = flow.grad(flow.compile(f, target=target))(X)
    assert state() == before

    def at(x):
        begin()
        return f(x)

    steps = 1e-6 * np.eye(3)
    differences = [(at(X + s) - at(X - s)) / 2e-6 for s in steps]
    assert g == pytest.approx(differences, rel=1e-6, abs=1e-8)


class Alike(Leaky):
    """Equal to any other, and hashed like it."""

    def __eq__(self, other):
        return isinstance(other, Alike)

    def __hash__(self):
        return 1


@on_each_target
def test_the_instance_that_is_given_is_stored_to(target):
    def f(x, each):
        return each.step(x[0])

    compiled = flow.compile(f, target=target)
    one, other = Alike(), Alike()
    assert compiled(X, one) == one.state == pytest.approx(0.99)
    assert other.state == 0.5
    assert compiled(X, other) == other.state == pytest.approx(0.99)
    assert compiled(X, one) == one.state == pytest.approx(0.99 * 1.8 + 0.09)


@on_each_target
def test_functions_made_anew_store_to_their_own_instance(target):
    def made(each):
        return flow.compile(lambda x: each.step(x[0]) * x[1], target=target)

    for _ in range(3):
        each = Leaky()
        f = made(each)
        assert f(X) == pytest.approx(0.99 * 0.7)
        assert each.state == pytest.approx(0.99)
        assert flow.grad(f)(X) == pytest.approx([0.6 * 0.7, 0.99 * 1.8 + 0.09, 0.0])
        assert each.state == pytest.approx(0.99)


class Recorder:
    def run(self, x):
        self.positive = []
        for v in x:
            if v > 0.5:
                self.positive.append(v * v)
        self.scaled = lambda v: v * x[0]
        return np.sum(np.array(self.positive)) + self.scaled(2.0)


@on_each_target
def test_values_that_cannot_come_out(target):
    """A transform, which binds nothing, is not concerned; a plain call is refused."""
    recorder = Recorder()
    f = flow.compile(lambda x: recorder.run(x), target=target)
    assert flow.grad(f)(X) == pytest.approx([2.0, 1.4, 2.2])
    with pytest.raises(flow.errors.ReturnTypeError, match="'scaled' is set to a function"):
        f(X)
    assert not vars(recorder)
