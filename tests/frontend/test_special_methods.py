"""Operators and other special methods of users' classes: who is asked, in which order, and when."""

import enum
import functools
from dataclasses import InitVar, dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import TARGETS, agrees, raises_alike, slope_agrees


class Left:
    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        return "Left.add", self.v, other.v

    def __radd__(self, other):
        return "Left.radd", self.v, other.v


class Overriding(Left):
    def __radd__(self, other):
        return "Overriding.radd", self.v, other.v


class Inheriting(Left):
    pass


class Declining:
    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        return NotImplemented

    def __lt__(self, other):
        return NotImplemented

    def __eq__(self, other):
        return NotImplemented


class Mirrored:
    def __init__(self, v):
        self.v = v

    def __radd__(self, other):
        return "radd", self.v

    def __gt__(self, other):
        return "gt", self.v


class Equal:
    def __init__(self, v):
        self.v = v

    def __eq__(self, other):
        return self.v == other.v


class Holder:
    def __init__(self, v):
        self.v = v
        self.flag = False

    def __bool__(self):
        return self.v > 1.0

    def __len__(self):
        return 3

    def __contains__(self, other):
        return other * self.v

    def __iadd__(self, other):
        self.v = self.v + other
        return self

    def __getitem__(self, k):
        return self.v * k

    def __setitem__(self, k, v):
        self.v = k * v

    def __neg__(self):
        return -self.v

    def __abs__(self):
        return abs(self.v)

    def __float__(self):
        return self.v * 1.0

    def __rpow__(self, n):
        return n**self.v

    def __divmod__(self, n):
        return self.v, n

    def __round__(self, digits=0):
        return self.v + digits

    def __str__(self):
        return f"<{self.v}>"


class Tagged(Holder):
    def __format__(self, spec):
        return f"{spec}:{self.v}"


@dataclass
class Part:
    a: float
    b: float = field(default=0.0, compare=False)
    c: float = field(default=1.0, repr=False)

    def __post_init__(self):
        self.extra = self.a * 2.0


@dataclass(frozen=True, order=True)
class Ordered:
    a: float
    b: float


class Named(NamedTuple):
    a: float
    b: float = 5.0


def test_an_overriding_subclass_on_the_right_is_asked_first():
    agrees(lambda x: Left(x) + Overriding(1.0), 2.0)
    agrees(lambda x: Left(x) + Inheriting(1.0), 2.0)
    agrees(lambda x: Overriding(x) + Left(1.0), 2.0)


def test_what_is_not_implemented_falls_through_to_the_other_side():
    agrees(lambda x: Declining(x) + Mirrored(1.0), 2.0)
    agrees(lambda x: Declining(x) < Mirrored(1.0), 2.0)
    raises_alike(lambda x: Declining(x) + Declining(x), 2.0)
    raises_alike(lambda x: Declining(x) < Declining(x), 2.0)
    raises_alike(lambda x: Declining(x) + 1.0, 2.0)
    raises_alike(lambda x: -Declining(x), 2.0)


def equalities(x):
    a, b, c = Declining(x), Declining(x), Equal(x)
    return (
        a == a, a == b, a != b, a == 1.0, c != Equal(1.0), c == Equal(1.0),
        Equal(1.0) in [c], [c] == [Equal(1.0)],
    )  # fmt: skip


@pytest.mark.parametrize("x", [1.0, 2.0])
def test_equality_is_identity_unless_it_is_defined(x):
    agrees(equalities, x)


def operations(x):
    held = Holder(x)
    other = held
    held += x
    held[2.0] = x
    held[3.0] += 1.0
    numbers = held[1.0], -held, abs(held), float(held), 2.0**held, divmod(held, 3.0)
    return other.v, numbers, round(held), round(held, 2), len(held), bool(held), x in held


@pytest.mark.parametrize("x", [0.0, 0.4, 2.0])
def test_builtins_ask_the_class(x):
    agrees(operations, x)


def test_gradients_go_through_the_methods():
    slope_agrees(lambda x: 2.0 ** Holder(x) + Holder(x * x)[3.0] + abs(Holder(-x)), 1.3)


def texts(x):
    print(
        Holder(x), [Part(x)], Part(x, 2.0), Named(x), f"{Named(1.0)}|{Holder(x)!s}|{Tagged(x):>8}"
    )
    print("%s" % Holder(x), "{} {!r}".format(Holder(x), Ordered(x, 1.0)))  # noqa: UP031, UP032 (each way asks)
    print({"a": Ordered(x, 2.0)}, str(Holder(x)), repr(Part(x)), f"{Ordered(x, 1.0)!r}")
    return x


def test_texts_are_those_of_the_class():
    agrees(texts, 0.5)
    raises_alike(lambda x: f"{Holder(x):>8}", 0.5)


def dataclasses_compared(x):
    return (
        Part(x, 1.0) == Part(1.0, 2.0), Part(x) != Part(x), Part(x) == x,
        Ordered(x, 1.0) < Ordered(1.0, 2.0), Ordered(x, 1.0) >= Ordered(1.0, 1.0),
        (x, 1.0) < (1.0, 2.0), [x, 1.0] >= [x], (x,) <= (x, 1.0),
    )  # fmt: skip


@pytest.mark.parametrize("x", [1.0, 2.0, float("nan")])
def test_dataclasses_and_tuples_compare_by_the_fields_that_count(x):
    agrees(dataclasses_compared, x)


class Wrong:
    def __bool__(self):
        return 1

    def __len__(self):
        return -1


def test_answers_of_another_type_raise():
    raises_alike(lambda x: x if Wrong() else -x, 2.0)
    raises_alike(lambda x: x * len(Wrong()), 2.0)


HELD = Holder(2.0)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x * abs(HELD),
        lambda x: x * -HELD,
        lambda x: x * HELD[3.0],
        lambda x: x if HELD else -x,
        lambda x: x if not HELD else -x,
        lambda x: x * float(HELD),
        lambda x: x if all([HELD]) else -x,
    ],
)
@pytest.mark.parametrize("target", TARGETS)
def test_captured_objects_are_asked_at_each_call(f, target):
    compiled = flow.compile(f, target=target, cache=False)
    for value in (2.0, 0.5, 3.0):
        HELD.v = value
        assert compiled(1.5) == f(1.5)


def test_a_captured_object_is_not_printed_as_its_kind(capfd):
    HELD.v = 2.0

    def f(x):
        print(HELD)
        return x

    flow.compile(f, target="python", cache=False)(1.0)
    assert capfd.readouterr().out == "<2.0>\n"


def test_an_array_asks_element_by_element():
    with pytest.raises(flow.UnsupportedError, match="__radd__ of a Mirrored for each element"):
        flow.compile(lambda x: x + Mirrored(1.0), target="python")(np.ones(2))


@dataclass
class Partly:
    a: float
    twice: InitVar[float]
    k: ClassVar[float] = 4.0

    def __post_init__(self, twice):
        self.b = 2.0 * twice


def test_class_variables_and_arguments_of_init_are_no_fields():
    def f(x):
        part = Partly(x, x * x)
        print(part)
        return part.a * part.b * Partly.k, part == Partly(x, 1.0)

    agrees(f, 1.5)
    gradient = flow.grad(lambda p: p.a * p.a * p.k)(Partly(3.0, 1.0))
    assert (gradient.a, vars(gradient).get("k")) == (24.0, None)


class Colour(enum.Enum):
    RED = 1.0
    BLUE = 2.0


def test_members_of_an_enum():
    def f(x):
        print(Colour.RED, [Colour.BLUE], f"{Colour.RED}")
        return (
            sum(c.value * x for c in Colour), len(Colour), Colour(2.0) is Colour.BLUE,
            Colour["RED"].value * x, {Colour.RED: x}[Colour.RED], Colour.RED == Colour.BLUE,
        )  # fmt: skip

    agrees(f, 1.5)
    raises_alike(lambda x: x * Colour["GREEN"].value, 1.5)
    raises_alike(lambda x: x * Colour(7.0).value, 1.5)


@functools.lru_cache
def kept(n):
    return [0.0] * n


def test_what_a_cache_keeps_is_not_changed():
    def f(x):
        values = kept(2)
        values[0] += x
        return kept(2)[0]

    with pytest.raises(flow.UnsupportedError, match="captures"):
        flow.compile(f, target="python")(1.0)
