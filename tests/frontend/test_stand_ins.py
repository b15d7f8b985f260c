"""Objects that answer every attribute, or pose as others, are told by their class.

Each is an argument, captured, in a container, a field, called, computed with: there is Python's
result, Python's exception or a refusal, never a fault and never another number.
"""

import functools
import importlib
import types
import weakref
from unittest.mock import MagicMock, Mock, create_autospec

import numpy as np
import pytest
import scipy.linalg
import scipy.special

import srcgrad as flow
from srcgrad.errors import CompilerError, SrcgradError


def double(x):
    return x * 2.0


class Answers:
    """Answers every attribute with itself."""

    def __getattr__(self, name):
        return self


class Numbers:
    """Answers every attribute with a number."""

    def __getattr__(self, name):
        return 1.0


class Called(Answers):
    def __call__(self, x):
        return x * 3.0


class Proxy:
    """Delegates to another object and says that it is of its class, as wrapt's proxies do."""

    def __init__(self, of):
        object.__setattr__(self, "_of", of)

    def __getattr__(self, name):
        return getattr(object.__getattribute__(self, "_of"), name)

    @property
    def __class__(self):
        return type(object.__getattribute__(self, "_of"))

    def __call__(self, x):
        return x * -5.0

    def __mul__(self, other):
        return self._of * other

    def __eq__(self, other):
        return self._of == other

    def __hash__(self):
        return hash(self._of)


class Lazy(types.ModuleType):
    """A module that loads what it is asked for, and fails."""

    def __getattr__(self, name):
        raise ImportError(f"no {name}")


class Answering(type):
    def __getattr__(cls, name):
        return 1.0


class OfAnswering(metaclass=Answering):
    pass


OBJECTS = {
    "answers": Answers(), "numbers": Numbers(), "called": Called(), "mock": Mock(),
    "magic": MagicMock(), "like a function": Mock(spec=double), "auto": create_autospec(double),
    "like a transform": Mock(spec=flow.compile(double)),
    "like an array": MagicMock(spec=np.ndarray),
    "proxy of a function": Proxy(double), "proxy of a ufunc": Proxy(np.sin),
    "proxy of a float": Proxy(2.0), "proxy of an array": Proxy(np.ones(2)),
    "proxy of a transform": Proxy(flow.compile(double)), "lazy": Lazy("lazy"),
    "metaclass": OfAnswering(), "class": OfAnswering, "weak": weakref.proxy(double),
}  # fmt: skip


def programs(o):
    """Functions of a number that meet the object."""

    class Holder:
        held = o

    def unused(x):
        _ = o
        return x * x

    def attribute(x):
        _ = o.thing
        return x * x

    def identity(x):
        return x * x if o is not None else x

    def truth(x):
        return x * x if o else x

    def called(x):
        return o(x) + x

    def computed(x):
        return o * x

    def summed(x):
        return np.sum(o) * x

    def asked(x):
        return x * x if isinstance(o, float) else 3.0 * x

    def iterated(x):
        for _ in o:
            x = x + 1.0
        return x

    def indexed(x):
        return o[0] * x

    def transformed(x):
        return flow.grad(o)(x)

    def field(x):
        return x * x if Holder.held is not None else x

    def item(x, given=(o, [o], {"a": o})):
        return x * x * len(given)

    return (unused, attribute, identity, truth, called, computed, summed, asked, iterated, indexed,
            transformed, field, item)  # fmt: skip


def argument(x, o):
    return x * x


def called_argument(x, o):
    return o(x) + x


def result(run):
    """What a call gives: a number, or its exception."""
    try:
        return float(run())
    except Exception as error:
        return error


def same(got, want, label):
    assert not isinstance(got, CompilerError), label
    if isinstance(got, SrcgradError):
        return
    if isinstance(got, Exception):
        assert type(got) is type(want) or isinstance(want, TypeError), (label, got, want)
        return
    assert got == pytest.approx(want), label


@pytest.mark.filterwarnings("ignore::srcgrad.errors.ZeroGradientWarning")
@pytest.mark.parametrize("name", OBJECTS)
def test_an_object_is_what_its_class_says(name):
    o = OBJECTS[name]
    for f in programs(o):
        want = result(lambda f=f: f(2.0))
        compiled = flow.compile(f, target="python")
        same(result(lambda f=compiled: f(2.0)), want, (name, f.__name__))
        value = lambda f=compiled: flow.value_and_grad(f)(2.0)[0]
        same(result(value), want, (name, f.__name__, "gradient"))
    for f in (argument, called_argument):
        for given in (o, [o], {"a": o}):
            run = lambda call, f=f, given=given: result(lambda: call(f)(2.0, given))
            want = run(lambda f: f)
            same(run(lambda f: flow.compile(f, target="python")), want, (name, f.__name__))
    want = result(lambda: o(2.0))
    same(result(lambda: flow.compile(o, target="python")(2.0)), want, (name, "itself"))
    same(result(lambda: flow.value_and_grad(o)(2.0)[0]), want, (name, "its gradient"))


def test_a_proxy_is_called_as_python_calls_it():
    """Not what it stands for, whose code it shows."""
    proxy = OBJECTS["proxy of a function"]
    assert flow.value_and_grad(flow.compile(proxy, target="python"))(2.0) == (-10.0, -5.0)
    f = lambda x: proxy(x) * x
    assert flow.value_and_grad(flow.compile(f, target="python"))(2.0) == (-20.0, -20.0)


# ---- functools.wraps, which copies the attributes of a function of srcgrad's ----
def wrapped_around(f):
    @functools.wraps(f)
    def ten_times(x):
        return 10.0 * np.sum(x)

    return ten_times


@pytest.mark.parametrize("f", [
    flow.sin, flow.nn.functional.relu, flow.compile(double, target="python"), flow.vmap(double),
    flow.grad(double), flow.grad(functools.partial(double)), flow.stop_gradient,
    flow.opaque(double, like=lambda x: x), np.sum, np.linalg.norm, scipy.linalg.solve,
], ids=lambda f: getattr(f, "__name__", repr(f)))  # fmt: skip
def test_a_wrapper_is_not_the_function_that_it_wraps(f):
    g = wrapped_around(f)
    assert flow.compile(g, target="python")(2.0) == 20.0
    assert flow.value_and_grad(flow.compile(g, target="python"))(2.0) == (20.0, 10.0)
    inside = flow.compile(lambda x: g(x) * x, target="python")
    assert flow.value_and_grad(inside)(2.0) == (40.0, 40.0)


def test_a_wrapper_takes_what_its_code_takes():
    """Gradients of gradients through the same decorator."""

    def passed_on(f):
        @functools.wraps(f)
        def call(*args, **kwargs):
            return f(*args, **kwargs)

        return call

    def cube(x):
        return x**3

    twice = flow.grad(passed_on(flow.grad(passed_on(flow.compile(cube, target="python")))))
    assert twice(2.0) == 12.0


class Scaled:
    """Equal to every other one, as those are that compare by a name."""

    def __init__(self, by):
        self.by = by

    def __call__(self, x):
        return x * x * self.by

    def __eq__(self, other):
        return isinstance(other, Scaled)

    def __hash__(self):
        return 1


class Unhashable(Scaled):
    __hash__ = None


@pytest.mark.parametrize("cls", [Scaled, Unhashable])
def test_functions_that_are_equal_are_still_two(cls):
    one, other = cls(1.0), cls(10.0)

    def f(x):
        return flow.grad(one)(x) + flow.grad(other)(x) + flow.jacrev(other)(x)

    assert flow.compile(f, target="python")(2.0) == pytest.approx(f(2.0)) == 84.0


class Imported(types.ModuleType):
    """A module that is imported when it is first read, and then answers as the other one."""

    def __getattribute__(self, name):
        module = importlib.import_module(object.__getattribute__(self, "__name__"))

        class Loaded(types.ModuleType):
            __getattribute__ = module.__getattribute__

        object.__setattr__(self, "__class__", Loaded)
        return module.__getattribute__(name)


imported = Imported("scipy.special")


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_a_module_that_is_imported_when_it_is_read(target):
    x = np.array([0.3, 1.2])
    later = Imported("scipy.linalg")

    def f(x):
        return np.sum(imported.expit(x) * later.solve(np.diag(x + 1.0), x))

    def plain(x):
        return np.sum(scipy.special.expit(x) * x / (x + 1.0))

    value, gradient = flow.value_and_grad(f, target=target)(x)
    assert value == pytest.approx(plain(x))
    steps = [(plain(x + e) - plain(x - e)) / 2e-6 for e in 1e-6 * np.eye(2)]
    np.testing.assert_allclose(gradient, steps, rtol=1e-7)
    with pytest.raises(AttributeError, match="has no attribute 'absent'"):
        flow.compile(lambda x: later.absent(x), target="python")(x)
