"""Classes with a `__new__` in Python."""

import copy

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import agrees, raises_alike, slope_agrees


class Pair:
    """Immutable: its parts are set where it is made."""

    __slots__ = ("_a", "_b")

    def __new__(cls, a, b=2.0):
        made = super().__new__(cls)
        made._a, made._b = a, b
        return made

    @property
    def parts(self):
        return self._a, self._b

    def turned(self):
        return Pair.__new__(type(self), self._b, self._a)


class Unit(Pair):
    """Made by class methods; another signature than its base's."""

    __slots__ = ()

    def __new__(cls):
        return super().__new__(cls, 1.0, 0.0)

    @classmethod
    def of_angle(cls, t):
        return super().__new__(cls, np.cos(t), np.sin(t))

    def power(self, k):
        a, b = self.parts
        return super().__new__(Unit, k * a, k * b)


class Both:
    """`__init__` gets what `__new__` got."""

    count = 0.0

    def __new__(cls, *args, **named):
        made = object.__new__(cls)
        made.count = float(len(args) + len(named))
        return made

    def __init__(self, u, scale=1.0):
        self.u = u * scale * self.count


class Elsewhere:
    """Makes something else, which gets no `__init__`."""

    def __new__(cls, u):
        return Pair(u, 3.0) if cls is Elsewhere else super().__new__(cls)

    def __init__(self, u):
        self.u = u


class Below(Elsewhere):
    pass


def parts_of(x):
    p, q = Pair(x), Pair(b=x, a=3.0).turned()
    return (*p.parts, *q.parts, type(q) is Pair, isinstance(Unit(), Pair), *Unit().parts)


def unit(x):
    u = Unit.of_angle(x)
    a, b = u.power(x).turned().parts
    return a + 2.0 * b, type(u.turned()) is Unit, u.parts


def initialized(x):
    b = Both(x, scale=3.0)
    return b.u, b.count, Both(x).u, Both.count


def made_elsewhere(x):
    e, b = Elsewhere(x), Below(x)
    return type(e) is Pair, e.parts, type(b) is Below, b.u


@pytest.mark.parametrize("f", [parts_of, unit, initialized, made_elsewhere])
def test_instances_are_those_of_python(f):
    agrees(f, 0.7)


def test_slopes():
    slope_agrees(lambda x: unit(x)[0], 0.7)
    slope_agrees(lambda x: initialized(x)[0] * made_elsewhere(x)[3], 0.7)


def test_instances_are_made_in_loops_and_branches():
    def f(x):
        total = 0.0
        for k in range(len(x)):
            made = Pair(x[k], k) if x[k] > 0.5 else Pair(k * x[k])
            total += made.parts[0] * made.turned().parts[0]
        return total

    x = np.array([0.3, 0.7, 1.1])
    wanted = np.array([2.0 * 0.0, 1.0, 2.0])
    for target in ("python", "cpu"):
        value, slope = flow.value_and_grad(f, target=target)(x)
        assert np.isclose(value, f(x))
        np.testing.assert_allclose(slope, wanted)


class Told:
    def __new__(cls, u):
        return super().__new__(cls, u)


class Bare:
    def __new__(cls):
        return super().__new__(cls)


def test_arguments_are_counted_as_by_python():
    raises_alike(lambda x: Told(x) is None or x, 0.7)
    raises_alike(lambda x: Bare(x) is None or x, 0.7)
    raises_alike(lambda x: Both() is None or x, 0.7)


class Shared:
    """One instance for all."""

    one = None

    def __new__(cls):
        if cls.one is None:
            cls.one = super().__new__(cls)
        return cls.one


def test_one_instance_for_all():
    def f(x):
        a, b = Shared(), Shared()
        a.u = x
        return b.u * x if a is b else x

    assert flow.grad(f, target="python")(3.0) == 6.0
    assert Shared.one is None


KNOWN = {}


class Known:
    """Made outside, and found again."""

    def __new__(cls, name):
        return KNOWN.get(name) or super().__new__(cls)


class KnownWithInit(Known):
    def __init__(self, name):
        self.u = len(name)


KNOWN["a"], KNOWN["aa"] = Known("a"), KnownWithInit("aa")
KNOWN["a"].u = 3.0


def test_an_instance_that_was_made_outside():
    agrees(lambda x: Known("a").u * x, 0.7)
    agrees(lambda x: KnownWithInit("bcd").u * x, 0.7)


class OfLists(list):
    def __new__(cls, u):
        return super().__new__(cls)


def test_classes_of_built_in_ones_are_refused():
    for f in (lambda x: OfLists(x), lambda x: object.__new__(OfLists)):
        with pytest.raises(flow.UnsupportedError, match="OfLists"):
            flow.compile(lambda x, f=f: f(x) is None or x, target="python")(1.0)


def test_a_copy_is_refused():
    """It calls `__new__` with other arguments."""
    with pytest.raises(flow.UnsupportedError, match="a copy of a Bare"):
        flow.compile(lambda x: copy.copy(Bare()) is None or x, target="python")(1.0)


def test_a_class_that_is_made_inside():
    def f(x):
        class Local:
            def __new__(cls, u):
                made = object.__new__(cls)
                made.u = u * u
                return made

        return Local(x).u

    agrees(f, 1.5)
    slope_agrees(f, 1.5)


def test_another_new_is_noticed():
    f = flow.compile(lambda x: Pair(x).parts[0], target="python")
    assert f(2.0) == 2.0
    before = Pair.__new__
    try:
        Pair.__new__ = staticmethod(lambda cls, a: before(cls, 10.0 * a))
        assert f(2.0) == 20.0
    finally:
        Pair.__new__ = staticmethod(before)
