"""Inheritance in compiled code: super(), class methods, slots, abstract classes, attributes."""

import abc
import dataclasses

import srcgrad as flow
from tests.frontend.as_python import agrees, raises_alike, slope_agrees


class Base:
    scale = 3.0

    def __init__(self, v):
        self.inner = v

    @property
    def v(self):
        return self.inner * self.scale

    @v.setter
    def v(self, value):
        self.inner = value + 1.0

    @classmethod
    def make(cls, v):
        return cls(v * 2.0)

    @staticmethod
    def twice(v):
        return v * 2.0

    def name(self):
        return "base"


class Derived(Base):
    scale = 4.0

    def __init__(self, v):
        super().__init__(v)
        self.extra = v

    @property
    def v(self):
        return super().v + 1.0

    @classmethod
    def make(cls, v):
        return super().make(v + 1.0)

    def name(self):
        return "derived of " + super(Derived, self).name()  # noqa: UP008 (what is tested)


class Mixed:
    def name(self):
        return "mixed, " + super().name()


class Both(Mixed, Derived):
    pass


def inherited(x):
    base, derived = Base(x), Derived(x)
    before = base.v
    base.v = x
    derived.scale = 10.0
    return (
        before, base.v, derived.v, Derived.make(x).v, derived.make(x).extra, Both(x).name(),
        Derived.twice(x), derived.twice(x), issubclass(Derived, Base), isinstance(derived, Base),
    )  # fmt: skip


def test_methods_and_properties_are_inherited():
    agrees(inherited, 1.5)
    slope_agrees(lambda x: Derived.make(x * x).v * Both(x).v, 1.5)


class Slotted:
    __slots__ = ("u",)

    def __init__(self, u):
        self.u = u


def slotted(x):
    held = Slotted(x)
    held.u *= 2.0
    return held.u


def not_set(x):
    held = Slotted(x)
    held.w = x
    return held.w


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...

    def double(self):
        return 2.0 * self.area()


class Square(Shape):
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side * self.side


def test_slots_and_abstract_classes():
    agrees(slotted, 1.5)
    raises_alike(not_set, 1.5)
    agrees(lambda x: Square(x).double(), 1.5)
    raises_alike(lambda x: Shape().double() * x, 1.5)
    slope_agrees(lambda x: Square(x).double(), 1.5)


HELD = Base(2.0)


def test_an_attribute_that_appears_is_noticed():
    f = flow.compile(lambda x: x * HELD.late if hasattr(HELD, "late") else -x, target="python")
    g = flow.compile(lambda x: x * getattr(HELD, "late", 7.0), target="python")
    assert (f(2.0), g(2.0)) == (-2.0, 14.0)
    HELD.late = 5.0
    assert (f(2.0), g(2.0)) == (10.0, 10.0)
    del HELD.late
    assert (f(2.0), g(2.0)) == (-2.0, 14.0)


def test_defaults_that_are_replaced_are_noticed():
    def helper(x, *, k=2.0):
        return x * k

    def f(x, a=1.0, *, b=2.0):
        return helper(x) + a * b

    compiled = flow.compile(f, target="python")
    assert compiled(3.0) == f(3.0)
    f.__defaults__ = (5.0,)
    assert compiled(3.0) == f(3.0)
    f.__kwdefaults__["b"] = 7.0
    assert compiled(3.0) == f(3.0)
    f.__kwdefaults__ = {"b": 9.0}
    assert compiled(3.0) == f(3.0)
    for k in (4.0, 6.0):
        helper.__kwdefaults__["k"] = k
        assert compiled(3.0) == f(3.0)


__factor = 3.0
_Weighted__factor = 5.0


def _scaled_outside(self):
    return self.x * __factor


class Weighted:
    def __init__(self, x):
        self.__kept = x
        self.x = x

    def inside(self):
        return self.__kept * __factor

    def replaced(self):
        return 0.0


_scaled_outside.__qualname__ = "Weighted.replaced"  # as what generates methods does
Weighted.replaced = _scaled_outside


def test_private_names_are_mangled_where_python_mangled_them():
    def f(x):
        w = Weighted(x)
        return w.inside() + 10.0 * w.replaced()

    assert f(2.0) == 2.0 * (5.0 + 30.0)
    assert flow.value_and_grad(f, target="python")(2.0) == (f(2.0), 35.0)


_setter_of, _getter_of = object.__setattr__.__get__, Weighted.inside.__get__


@dataclasses.dataclass(frozen=True)
class Frozen:
    """A frozen class whose `__init__` stores as the methods that attrs generates do."""

    x: float
    square: float = 0.0

    def __init__(self, x):
        put = _setter_of(self)
        put("x", x)
        put("square", x * x)


def test_descriptors_are_bound_to_an_instance():
    def f(x):
        return (
            Frozen(x).square + _getter_of(Weighted(x))() + _getter_of(None, Weighted)(Weighted(x))
        )

    assert flow.value_and_grad(f, target="python")(2.0) == (f(2.0), 14.0)
