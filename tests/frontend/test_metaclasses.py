"""Classes made by a metaclass, and those that answer isinstance() themselves."""

import functools
import operator
from typing import Protocol, runtime_checkable

import pytest

from tests.frontend.as_python import agrees, slope_agrees


class Arithmetic(type):
    """Gives its classes operators that compute with the value and keep the unit."""

    def __new__(mcs, name, bases, names):
        made = {op: mcs.operator_of(op) for op in ("__add__", "__mul__")}
        return super().__new__(mcs, name, bases, {**names, **made})

    @staticmethod
    def operator_of(name):
        compute = getattr(operator, name)

        @functools.wraps(compute)
        def of_values(self, other):
            return type(self)(compute(self.value, other), self.unit)

        return of_values


class Measured(metaclass=Arithmetic):
    scale = 2.0

    def __init__(self, value, unit="K"):
        self.value = value
        self.unit = unit


class Warmer(Measured):
    scale = 3.0


MADE = []


class Registered(type):
    """Keeps a list of its classes."""

    def __init__(cls, name, bases, names):
        MADE.append(cls)
        super().__init__(name, bases, names)


class Layer(metaclass=Registered):
    depth = 3.0


class Deep(Layer):
    depth = 4.0

    def __init__(self, x):
        self.x = x


class Answering(type):
    """Finds instances by an attribute."""

    def __instancecheck__(cls, value):
        return hasattr(value, "unit")


class HasUnit(metaclass=Answering):
    pass


class Deriving(type):
    """Answers issubclass() only, which isinstance() does not ask."""

    def __subclasscheck__(cls, other):
        return other is Deep


class Derived(metaclass=Deriving):
    pass


@runtime_checkable
class Valued(Protocol):
    value: float


@runtime_checkable
class Shape(Protocol):
    def area(self): ...


class Square:
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side**2


class Shapeless:
    area = None

    def __init__(self, side):
        self.side = side


class Handed:
    """With a function of its own as its method."""

    def __init__(self, side):
        self.area = lambda: 3.0 * side


def operators(x):
    return (Measured(x) * x + 3.0).value * Measured.scale


def of_a_derived_class(x):
    m = Warmer(x) * 2.0
    return m.value * m.scale if m.unit == "K" else x


def in_a_loop(x):
    m = Measured(x)
    for _ in range(3):
        m = m * x
    return m.value


def registered(x):
    total = 0.0
    for c in MADE:
        total = total + c.depth * Deep(x).x
    return total


def answered(x):
    return x * 3.0 if isinstance(Measured(x), HasUnit) else x


def derived(x):
    y = x * 3.0 if issubclass(Deep, Derived) else x
    return y * 2.0 if isinstance(Deep(x), Derived) or issubclass(Derived, Derived) else y


def not_answered(x):
    return x * 3.0 if isinstance(Deep(x), HasUnit) else x


def one_of_several(x):
    return x * 3.0 if isinstance(x, (HasUnit, float)) else x


def of_the_class_itself(x):
    return x * 3.0 if isinstance(HasUnit(), HasUnit) else x


def has_data(x):
    return x * x if isinstance(Measured(x), Valued) else x


def lacks_data(x):
    return x * x if isinstance(Deep(x), Valued) else x


def has_method(x):
    return x * x if isinstance(Square(x), Shape) and issubclass(Square, Shape) else x


def has_none_for_a_method(x):
    return x * x if isinstance(Shapeless(x), Shape) else x


def has_a_function_of_its_own(x):
    s = Handed(x)
    return s.area() * x if isinstance(s, Shape) else x


PROGRAMS = (
    operators, of_a_derived_class, in_a_loop, registered, answered, not_answered, one_of_several,
    derived, of_the_class_itself, has_data, lacks_data, has_method, has_none_for_a_method,
    has_a_function_of_its_own,
)  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_python(f):
    for x in (1.5, -0.7):
        agrees(f, x)
        slope_agrees(f, x)
