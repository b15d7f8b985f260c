"""Dates that are known when compiling, the members of objects, captured views of dicts."""

import datetime
import inspect
from datetime import date, timedelta

import numpy as np
import pytest
from numpy.testing import assert_allclose

import srcgrad as flow

X = np.array([0.7, 1.3, 0.4])


def gradient(f, *args):
    value, g = flow.value_and_grad(flow.compile(f, target="python"))(X, *args)
    assert_allclose(value, f(X, *args), rtol=1e-12)
    return g


# ---- dates ----
def seasonal(x, day):
    angle = 2.0 * np.pi * (day - date(day.year, 1, 1)).days / 365.25
    return np.sum(x) * np.cos(angle) + x[0] ** 2 * day.timetuple().tm_yday


def since_an_epoch(x, when=datetime.datetime(2017, 5, 3, 12)):
    start = datetime.datetime(year=2015, month=1, day=1) + timedelta(days=1.5)
    return np.sum(x**2) * (when - start).total_seconds() / 86400.0


def by_text(x, text):
    found = datetime.datetime.strptime(text, "%Y-%m-%d")
    return np.sum(x) * found.month * float(found.strftime("%d")) * date.fromordinal(5).day


def days_after(x, n):
    return x[0] * (date(2020, 1, 1) + timedelta(days=n)).day


def months(x, numbers):
    total = 0.0
    for m in numbers:
        total = total + x[1] * date(2021, int(m), 1).isocalendar()[1]
    return total


def test_known_dates():
    day = date(2020, 3, 1)
    slope = np.cos(2.0 * np.pi * 60 / 365.25)
    assert_allclose(gradient(seasonal, day), slope + np.array([2.0 * X[0] * 61, 0.0, 0.0]))
    assert_allclose(gradient(since_an_epoch), 2.0 * X * 852.0)
    assert_allclose(gradient(by_text, "2020-05-03"), [75.0] * 3)
    assert_allclose(gradient(months, [1, 2, 3]), [0.0, 53.0 + 5.0 + 9.0, 0.0])


def test_dates_are_read_at_each_call():
    f = flow.grad(flow.compile(days_after, target="python"))
    assert [f(X, n)[0] for n in (1, 3, 3)] == [2.0, 4.0, 4.0]
    g = flow.grad(flow.compile(seasonal, target="python"))
    for day in (date(2020, 3, 1), date(2021, 7, 9)):
        assert_allclose(g(X, day), gradient(seasonal, day))


def no_date(x):
    return x[0] * date(2020, 13, 1).year


def test_what_is_no_date_raises():
    with pytest.raises(ValueError, match="month must be"):
        flow.grad(flow.compile(no_date, target="python"))(X)


# ---- members ----
class Parameter:
    def __init__(self, low):
        self.low = low


class Model:
    tau, rho, order = Parameter(0.5), Parameter(0.7), 3

    def __init__(self, a):
        self.a = a

    def cor_linear(self, h):
        return h * self.a

    def cor_square(self, h):
        return h**2 * self.a

    @property
    def size(self):
        return self.a * 3.0

    @property
    def parameters(self):
        return {k: v for k, v in inspect.getmembers(type(self)) if isinstance(v, Parameter)}


def by_names(x):
    model, total = Model(x[0]), 0.0
    for name in dir(model):
        if name.startswith("cor_"):
            total = total + np.sum(getattr(model, name)(x))
    for parameter in model.parameters.values():
        total = total + parameter.low * x[1]
    return total


def by_methods(x):
    methods = inspect.getmembers(Model(x[0]), inspect.ismethod)
    return sum(np.sum(f(x)) for name, f in methods if name.startswith("cor_"))


def by_values(x):
    members = inspect.getmembers(Model(x[0]), lambda v: not inspect.isroutine(v))
    return sum(value**2 for name, value in members if name in ("a", "size"))


MODEL = Model(2.0)


def of_a_captured_one(x):
    found = dict(inspect.getmembers(Model, inspect.isfunction))
    total = np.sum(found["cor_square"](MODEL, x))
    return total + 5.0 * x[2] if "later" in dir(MODEL) else total


def test_members_of_instances():
    linear = X.sum() * np.eye(3)[0] + X[0]
    square = (X**2).sum() * np.eye(3)[0] + 2.0 * X * X[0]
    assert_allclose(gradient(by_names), linear + square + np.array([0.0, 1.2, 0.0]))
    assert_allclose(gradient(by_methods), linear + square)
    assert_allclose(gradient(by_values), np.array([20.0 * X[0], 0.0, 0.0]))


def test_members_of_a_captured_object_are_read_at_each_call():
    f = flow.grad(flow.compile(of_a_captured_one, target="python"))
    assert_allclose(f(X), 4.0 * X)
    MODEL.later = 1
    try:
        assert_allclose(f(X), 4.0 * X + np.array([0.0, 0.0, 5.0]))
    finally:
        del MODEL.later


# ---- views of dicts ----
def test_captured_views_of_dicts_are_read_at_each_call():
    table = {"a": 1.0, "b": np.array([1.0, 2.0])}
    keys, values, items = table.keys(), table.values(), table.items()

    def f(x):
        total = sum(np.sum(v * x[0]) for v in values) + sum(np.sum(v) * x[1] for _, v in items)
        return total + sum(x[2] for k in keys if k != "b") * ("c" in keys) * len(keys)

    g = flow.grad(flow.compile(f, target="python"))
    assert_allclose(g(X), [4.0, 4.0, 0.0])
    table["b"][0] = 5.0
    table["a"] = 2.0
    assert_allclose(g(X), [9.0, 9.0, 0.0])
    table["c"] = 1.0
    assert_allclose(g(X), [10.0, 10.0, 6.0])


# ---- strings ----
def with_a_text_for_an_error(x, unit="rad"):
    if x[0] < 0.0:
        raise ValueError("{0} is not in {1}".format_map(unit, 1.0))  # a mistake that is not met
    return np.sum(x) * len("{a}-{b}".format_map({"a": 1, "b": "z"})) * "ab".isascii()


def test_methods_of_strings():
    assert_allclose(gradient(with_a_text_for_an_error), [3.0] * 3)
    with pytest.raises(TypeError, match="format_map"):
        flow.grad(flow.compile(with_a_text_for_an_error, target="python"))(-X)
