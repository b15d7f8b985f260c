"""Methods that a class gets, or exchanges, between calls: as where a notebook reloads a file."""

import abc
from dataclasses import dataclass

import pytest

import srcgrad as flow


def class_of_numbers():
    """A class, one derived from it, and an instance that functions capture."""

    class Number:
        def __init__(self, a):
            self.a = a

        def __add__(self, other):
            return Number(self.a + getattr(other, "a", other))

        def __eq__(self, other):
            return True

        def __iter__(self):
            return iter([self.a])

        __hash__ = None

    class Derived(Number):
        def total(self, x):
            return super().__add__(x).a

    return Number, Derived


def truth(number, derived, held, x):
    return x if held else -x


def truth_of_one_made(number, derived, held, x):
    return x if number(x) else -x


def unequal(number, derived, held, x):
    return x if number(x) != held else -x


def in_place(number, derived, held, x):
    v = number(x)
    v += 1.0
    return v.a


def mirrored(number, derived, held, x):
    return (number(x) + derived(x)).a


def text(number, derived, held, x):
    return x if f"{held}" == "text" else -x


def membership(number, derived, held, x):
    return x if 7.0 in held else -x


def missing_attribute(number, derived, held, x):
    return getattr(number(x), "b", 2.0) * x


def has(number, derived, held, x):
    return x if hasattr(number(x), "b") else -x


def stored(number, derived, held, x):
    return number(x).a


def of_super(number, derived, held, x):
    return derived(x).total(1.0)


def class_pattern(number, derived, held, x):
    match number(x):
        case number(a=7.0):
            return -x
        case number(v):
            return v
    return 5.0


def double(self, name, value):
    object.__setattr__(self, name, 2.0 * value)


CHANGES = [
    (truth, "__bool__", lambda self: False),
    (truth, "__len__", lambda self: 0),
    (truth_of_one_made, "__bool__", lambda self: False),
    (unequal, "__ne__", lambda self, other: True),
    (in_place, "__iadd__", lambda self, other: type(self)(100.0 * self.a)),
    (text, "__str__", lambda self: "text"),
    (text, "__repr__", lambda self: "text"),
    (text, "__format__", lambda self, spec: "text"),
    (membership, "__contains__", lambda self, v: True),
    (missing_attribute, "__getattr__", lambda self, name: 5.0),
    (missing_attribute, "b", 3.0),
    (has, "b", property(lambda self: 1.0)),
    (has, "__getattr__", lambda self, name: 5.0),
    (stored, "__setattr__", double),
]


def compared_before_and_after(f, change, *held):
    compiled = flow.compile(lambda x: f(*held, x), target="python")
    gradient = flow.grad(compiled)
    for _ in range(2):
        for x in (0.5, 1.5):
            want = (f(*held, x + 1e-6) - f(*held, x - 1e-6)) / 2e-6
            assert compiled(x) == f(*held, x)
            assert gradient(x) == pytest.approx(want)
        change()


@pytest.mark.parametrize(("f", "name", "method"), CHANGES, ids=lambda v: getattr(v, "__name__", v))
def test_first_methods(f, name, method):
    number, derived = class_of_numbers()
    if f is text:
        number.__repr__ = lambda self: "a number"
    held = number(0.25)
    compared_before_and_after(f, lambda: setattr(number, name, method), number, derived, held)


def test_first_mirrored_operator_of_a_derived_class():
    number, derived = class_of_numbers()

    def change():
        derived.__radd__ = lambda self, other: number(100.0 * other.a)

    compared_before_and_after(mirrored, change, number, derived, number(0.25))


def test_a_class_between_the_two_of_super():
    number, _ = class_of_numbers()

    class Between(number):
        pass

    class Derived(Between):
        def total(self, x):
            return super().__add__(x).a

    def change():
        Between.__add__ = lambda self, other: number(100.0 * self.a)

    compared_before_and_after(of_super, change, number, Derived, number(0.25))


def test_names_of_a_class_pattern():
    class Pair:
        __match_args__ = ("a", "b")

        def __init__(self, a):
            self.a, self.b = a, 2.0

    def f(x):
        match Pair(x):
            case Pair(first, second):
                return 10.0 * first + second

    def change():
        Pair.__match_args__ = ("b", "a")

    compared_before_and_after(f, change)


def test_comparisons_that_dataclass_wrote():
    @dataclass
    class Point:
        a: float

    def f(x):
        return x if Point(x) == Point(x) else -x

    def change():
        Point.__eq__ = lambda self, other: False

    compared_before_and_after(f, change)


def test_classes_of_captured_instances():
    class First:
        pass

    class Second:
        pass

    held = First()

    def f(x):
        return (x if isinstance(held, First) else -x) * (2.0 if type(held) is First else 3.0)

    def change():
        held.__class__ = Second

    compared_before_and_after(f, change)


def registry():
    class Interface(abc.ABC):
        @abc.abstractmethod
        def total(self):
            """Nothing by itself."""

    class Member:
        pass

    return Interface, Member


def held_instance(interface, member, held, x):
    return x if isinstance(held, interface) else -x


def made_instance(interface, member, held, x):
    return x if isinstance(member(), interface) else -x


def its_class(interface, member, held, x):
    return x if issubclass(member, interface) else -x


@pytest.mark.parametrize("f", [held_instance, made_instance, its_class])
def test_classes_that_are_registered(f):
    interface, member = registry()
    change = lambda: interface.register(member)
    compared_before_and_after(f, change, interface, member, member())


def test_attributes_that_were_missing():
    number, _ = class_of_numbers()
    held = number(0.25)

    def of_one_held(x):
        try:
            return held.b * x
        except AttributeError:
            return -x

    def of_one_made(x):
        try:
            return number(x).b * x
        except AttributeError:
            return -x

    compared_before_and_after(of_one_held, lambda: setattr(held, "b", 3.0))
    del held.b
    compared_before_and_after(of_one_held, lambda: setattr(number, "b", 5.0))
    del number.b
    compared_before_and_after(of_one_made, lambda: setattr(number, "b", 7.0))


def test_slots_that_are_not_set():
    class Slots:
        __slots__ = ("a", "b")

        def __init__(self, a):
            self.a = a

    def f(x):
        s = Slots(x)
        before = 1.0 if hasattr(s, "b") else 2.0
        if x > 1.0:
            s.b = 3.0
        return x * before * getattr(s, "b", 5.0) * (7.0 if hasattr(s, "b") else 1.0)

    compared_before_and_after(f, lambda: None)

    def missing(self, name):
        return 11.0

    Slots.__getattr__ = missing
    compared_before_and_after(f, lambda: None)


def test_programs_of_instances_stay_for_calls_alike():
    """Guards on methods that are not there hold as long as nothing changes."""
    number, derived = class_of_numbers()
    held = number(0.25)

    def f(x):
        return truth(number, derived, held, x) + in_place(number, derived, held, x)

    compiled = flow.compile(f, target="python")
    compiled(0.5)
    built = [e for each in compiled._entries.values() for e in each]
    compiled(0.75)
    assert built == [e for each in compiled._entries.values() for e in each]
