"""Stores to names of the module and of functions around what is compiled."""

import functools
import sys

import numpy as np
import pytest

import srcgrad as flow

TABLE = None
COUNT = 0
MEAN = 1.5
X = np.array([0.3, 0.7, 1.1])


@pytest.fixture(autouse=True)
def begun():
    begin()


def begin():
    globals().update(TABLE=None, COUNT=0, MEAN=1.5)
    globals().pop("MADE", None)
    squares.calls, Counted.made, Counted.scale = 0, 0, 2.0
    vars(kept_in_an_attribute).pop("weights", None)


def weights(n):
    global TABLE, COUNT
    COUNT += 1
    if TABLE is None:
        TABLE = np.arange(float(n)) + 1.0
    return TABLE


def cached(x):
    return np.sum(x * weights(3)) + x[0] * np.sum(weights(3))


def counted_in_a_loop(x):
    global COUNT, MEAN
    for v in x:
        if v > 0.5:
            COUNT += 1
        MEAN = 0.9 * MEAN + 0.1 * v
    return np.sum(x) * COUNT + MEAN


def of_several_kinds(x):
    global MEAN
    for v in x:
        if v > 1.0:
            MEAN = None
    return x[0] if MEAN is None else x[1] * MEAN


def read_in_three_ways(x):
    global MEAN
    MEAN = MEAN + x[0]
    return x[1] * (MEAN + globals()["MEAN"] + sys.modules[__name__].MEAN)


def container(x):
    global TABLE
    TABLE = {"a": [x[0], 2.0], "b": ("text", None, True)}
    return TABLE["a"][0] * x[1]


def bound_first(x):
    global MADE
    MADE = 2.0 * x
    return np.sum(MADE)


def bound_on_one_path(x):
    for v in x:
        if v > 1.0 and "MADE" not in globals():
            global MADE
            MADE = 2.0 * v
    return np.sum(x * x) * (MADE if "MADE" in globals() else x[0])


def bound_on_no_path_taken(x):
    if x[0] > 1.0:
        global MADE
        MADE = None
    return np.sum(x * x)


def caught(x):
    global MEAN
    try:
        MEAN = 3.0
        y = x[7]
    except IndexError:
        y = x[0] * MEAN
    return y


def recursive(v, x):
    global COUNT
    COUNT += 1
    return v if v > 3.05 else x[1] + recursive(v + x[0], x) + recursive(v + x[2], x)


def from_a_recursion(x):
    return recursive(0.1, x) * COUNT


def counted(f):
    @functools.wraps(f)
    def wrapper(*args):
        wrapper.calls += 1
        return f(*args)

    wrapper.calls = 0
    return wrapper


@counted
def squares(x):
    return np.sum(x * x)


def calls_in_an_attribute(x):
    return squares(x) + squares(2.0 * x) * squares.calls


def kept_in_an_attribute(x):
    if not hasattr(kept_in_an_attribute, "weights"):
        kept_in_an_attribute.weights = np.arange(3.0)
    return np.sum(x * kept_in_an_attribute.weights)


def attribute_in_a_loop(x):
    for v in x:
        if v > 0.5:
            squares.calls += 1
    return x[0] * squares.calls


class Counted:
    made = 0
    scale = 2.0

    def __init__(self, x):
        Counted.made += 1
        self.number = self.made
        self.x = x

    @classmethod
    def rescale(cls, by):
        cls.scale = cls.scale * by

    def value(self):
        return self.x * self.scale * self.number


class Derived(Counted):
    pass


OUTSIDE = Derived(0.5)


def attributes_of_a_class(x):
    first, second = Counted(x[0]), Derived(x[1])
    Counted.rescale(1.5)
    total = first.value() + second.value() * Derived.made
    for v in x:
        if v > 0.5:
            total += Derived(v).value()
    return total * OUTSIDE.scale


STATE = "TABLE", "COUNT", "MEAN", "MADE"
PROGRAMS = (
    cached, counted_in_a_loop, of_several_kinds, read_in_three_ways, container, bound_first, caught,
    bound_on_one_path, bound_on_no_path_taken,
    from_a_recursion, calls_in_an_attribute, kept_in_an_attribute, attribute_in_a_loop,
    attributes_of_a_class,
)  # fmt: skip


def state():
    names = [repr(globals().get(name)) for name in STATE]
    names += [Counted.made, Counted.scale, "scale" in vars(Derived)]
    return [*names, squares.calls, repr(getattr(kept_in_an_attribute, "weights", None))]


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_names_after_calls(f, target):
    """Those of plain Python, after each of three calls."""
    plain = []
    for _ in range(3):
        plain.append((f(X), state()))
    begin()
    compiled = flow.compile(f, target=target)
    for value, names in plain:
        assert compiled(X) == pytest.approx(value)
        assert state() == names


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_a_transform_leaves_names_as_they_were(f):
    before = state()
    g = flow.grad(flow.compile(f, target="python"))(X)
    j = flow.jvp(flow.compile(f, target="python"), (X,), (np.ones(3),))[1]
    assert state() == before
    assert j == pytest.approx(np.sum(g))

    def at(x):
        begin()
        return f(x)

    steps = 1e-6 * np.eye(3)
    differences = [(at(X + s) - at(X - s)) / 2e-6 for s in steps]
    assert g == pytest.approx(differences, rel=1e-6, abs=1e-8)


def counting():
    total, calls = 0.0, 0

    def add(v):
        nonlocal total
        total += v

    def f(x):
        nonlocal calls
        calls += 1
        for v in x:
            add(v)
        return np.sum(x) * 2.0 + total * calls

    return f, lambda: (total, calls)


def test_names_of_a_function_around():
    (one, of_one), (other, of_other) = counting(), counting()
    compiled = flow.compile(other, target="python")
    for _ in range(4):
        assert compiled(X) == pytest.approx(one(X))
        assert of_other() == pytest.approx(of_one())
    assert flow.grad(compiled)(X) == pytest.approx(np.full(3, 2.0 + 5.0))
    assert of_other() == pytest.approx(of_one())


@flow.compile(target="python")
def stored_by_a_compiled_function(v):
    global MEAN
    MEAN = MEAN + 1.0
    return v * MEAN


def test_a_compiled_function_inside():
    def outer(x):
        return stored_by_a_compiled_function(x[0]) + stored_by_a_compiled_function(x[1]) * MEAN

    assert flow.compile(outer, target="python")(X) == pytest.approx(0.3 * 2.5 + 0.7 * 3.5 * 3.5)
    assert MEAN == 3.5


def made_or_not(x):
    if "MADE" not in globals():
        return 2.0 * np.sum(x)
    return np.sum(x) * globals()["MADE"]


def made_once(x):
    global MADE
    if "MADE" not in globals():
        MADE = 3.0
    return x[0] * MADE


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_a_name_that_a_module_gets_later(target):
    gradient = flow.grad(made_or_not, target=target)
    assert gradient(X).tolist() == [2.0, 2.0, 2.0]
    globals()["MADE"] = 5.0
    assert gradient(X).tolist() == [5.0, 5.0, 5.0]
    del globals()["MADE"]
    assert gradient(X).tolist() == [2.0, 2.0, 2.0]
    once = flow.compile(made_once, target=target)
    assert once(X) == once(X) == 3.0 * X[0]
    assert globals()["MADE"] == 3.0
