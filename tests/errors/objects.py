"""Classes and their instances that are not followed."""
# ruff: noqa: F841 (programs stop before they use what they assign)

import abc
import inspect
import types
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tests.cases.registry import vec
from tests.errors.programs import program


class Bare:
    """Without a constructor."""

    limit = 2.0


class Third:
    """A place."""

    def __index__(self):
        return 2


@dataclass
class Watched:
    """It wants to know what is set, by the generated `__init__` too."""

    x: float

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)


class Guarded:
    """It wants to know what is read."""

    def __getattribute__(self, name):
        return object.__getattribute__(self, name)


class Other:
    def double(self):
        return 2.0


class Point:
    """With a descriptor and a property that cannot be set."""

    scale = Other().double

    def __init__(self, u):
        self.u = u

    @property
    def double(self):
        return 2.0 * self.u


@dataclass
class Changed:
    """Loses a field."""

    u: float


@dataclass(frozen=True)
class Fixed:
    """Cannot be changed."""

    u: float


class Pair(NamedTuple):
    """Two numbers."""

    a: float
    b: float


class Members(set):
    """A set of the user's."""


@program(0.7)
def class_derived_from_set(x):
    return x * len(Members([1]))  # error: UnsupportedError: instances of Members cannot be made


@program(0.7)
def arguments_for_a_class_without(x):
    return x * Bare(x).limit  # error: UnsupportedError: Bare() takes no arguments


@program(0.7)
def number_of_an_index(x):
    return x * np.float64(Third())  # error: UnsupportedError: a Third cannot be converted


@program(0.7)
def class_that_watches(x):
    w = Watched(x)  # error: UnsupportedError: Watched is a dataclass ... plain class
    return x


@program(0.7)
def class_that_watches_what_is_read(x):
    g = Guarded()  # error: UnsupportedError: Guarded defines __getattribute__ ... plain class
    return x


@program(0.7)
def named_tuple_with_one_number(x):
    return Pair(x).a  # error: UnsupportedError: missing 1 required positional argument: 'b'


@program(0.7)
def dataclass_with_too_many(x):
    return Fixed(x, x).u  # error: UnsupportedError: Fixed() ... positional


class OnOnePath:
    """None on the other."""

    def __new__(cls, u):
        return super().__new__(cls) if u > 1.0 else None


class MadeOutside:
    """The same instance each time."""

    def __new__(cls, u):
        return ONE or super().__new__(cls)

    def __init__(self, u):
        self.u = u


ONE = None
ONE = MadeOutside(1.0)


@program(0.7)
def new_on_one_path(x):
    return OnOnePath(x) is None or x  # error: UnsupportedError: __new__ of OnOnePath returns a


@program(0.7)
def new_of_an_instance_made_outside(x):
    return MadeOutside(x).u  # error: UnsupportedError: made outside, which its __init__


@program(0.7)
def attribute_never_set(x):
    return Point(x).v  # error: UnsupportedError: Point has no attribute 'v'


@program(0.7)
def attribute_of_a_generator(x):
    return (x for _ in range(2)).gi_running  # error: UnsupportedError: an iterator has no attribute


@program(0.7)
def descriptor_read(x):
    return x * Point(x).scale()  # error: UnsupportedError: the descriptor 'scale' of Point


@program(0.7)
def property_set(x):
    p = Point(x)
    p.double = 2.0  # error: UnsupportedError: property 'double' of Point has no setter
    return p.u


@program(0.7)
def frozen_dataclass_set(x):
    f = Fixed(x)
    f.u = 2.0  # error: UnsupportedError: cannot assign to field 'u': Fixed is frozen
    return f.u


@program(0.7)
def order_of_objects(x):
    return x if Point(x) < Point(2.0) else -x  # error: UnsupportedError: '<' not supported between


@program(0.7)
def sum_of_objects(x):
    return (Point(x) + Point(x)).u  # error: UnsupportedError: unsupported operand type(s) for +


@program(0.7)
def which_object(x):
    p = Point(x)
    if x > 0.0:
        r = q = Point(2.0 * x)
    else:
        r, q = p, Point(5.0 * x)
    return x if r is q else -x  # error: UnsupportedError: whether two objects are one


class Scaled:
    """It multiplies numbers from the right."""

    def __rmul__(self, v):
        return v * 2.0


@program(vec(3))
def instance_right_of_an_array(x):
    return np.sum(x * Scaled())  # error: UnsupportedError: for each element ... __array_ufunc__


@program(0.7)
def text_of_an_object(x):
    print(Point(x))  # error: UnsupportedError: the text of a Point ... show its attributes
    return x


@program(0.7)
def attribute_on_one_path(x):
    p = Point(x)
    if x > 1.0:
        p.v = x
    return p.v  # error: AttributeError: 'Point' object has no attribute 'v'


@program(0.7)
def attribute_of_two_kinds(x):
    p = Point(x)
    if x > 0.0:  # error: UnsupportedError: the attribute 'u' of a Point changes kind
        p.u = {None: x}
    else:
        p.u = {"b": x}
    return x


class Abstracted(abc.ABC):
    """It cannot be made."""

    @abc.abstractmethod
    def value(self): ...


class Slotted:
    """With one attribute."""

    __slots__ = ("u",)


class Hashed:
    """It hashes itself."""

    def __hash__(self):
        return 1


@program(0.7)
def abstract_class(x):
    return x * Abstracted().value()  # error: UnsupportedError: Can't instantiate abstract class


@program(0.7)
def attribute_without_a_slot(x):
    held = Slotted()
    held.v = x  # error: UnsupportedError: 'Slotted' object has no attribute 'v'
    return held.v


class Rootless:
    """It asks a base that it does not have."""

    def of_base(self):
        return super().missing  # error: UnsupportedError: 'super' object has no attribute


@program(0.7)
def attribute_of_no_base(x):
    return Rootless().of_base() * x


@program(0.7)
def key_with_a_hash_of_its_own(x):
    key = Hashed()
    table = {key: x}  # error: UnsupportedError: a Hashed has a __hash__ of its own
    return table[key]


@program(0.7)
def field_deleted(x):
    p = Changed(x)
    del p.u  # error: UnsupportedError: 'del' of a field of a dataclass
    return x


@program(0.7)
def attribute_of_a_number_deleted_by_name(x):
    delattr(x, "real")  # error: AttributeError: 'del' of an attribute
    return x


@program(0.7)
def attribute_of_a_name_that_is_no_text(x):
    held = types.SimpleNamespace(a=x)
    delattr(held, 1)  # error: TypeError: the name of an attribute must be known
    return held.a


@program(0.7)
def members_of_a_number(x):
    return x * len(inspect.getmembers(x))  # error: UnsupportedError: the members of a number


@program(0.7)
def names_of_a_function_inside(x):
    def f(y):
        return y * x

    return f(x) * len(dir(f))  # error: UnsupportedError: dir() of a function


class Branched:
    """An attribute that only some paths set."""

    def __init__(self, a):
        self.a = a
        if a > 0.5:
            self.b = a


@program(0.7)
def names_of_a_branch(x):
    return x * len(dir(Branched(x)))  # error: UnsupportedError: whether the Branched has 'b'


@program(0.7)
def members_by_the_run(x):
    big = lambda _: x > 0.5
    found = inspect.getmembers(Branched, big)  # error: UnsupportedError: which members there are
    return x * len(found)


class OfArguments:
    def __init__(self, **given):
        self.__dict__ = given  # error: UnsupportedError: the __dict__ of ... .update(...)


@program(vec(3))
def attributes_that_are_a_dict(x):
    return OfArguments(a=x).a[0]


class LinkedLate(dict):
    def __init__(self, x):
        self.x = x
        self.__dict__ = self  # error: UnsupportedError: gets its items for __dict__ ... afterwards


@program(vec(3))
def attributes_that_are_lost(x):
    return len(LinkedLate(x)) * x[0]


class Linked(dict):
    def __init__(self, *args):
        super().__init__(*args)
        self.__dict__ = self


@program(vec(3))
def attributes_of_unknown_names(x):
    p = Linked()
    p[int(x[0] * 3.0)] = x[1]
    p.w = x[2]  # error: UnsupportedError: keys only the run tells ... self[name]
    return p[3]


class Ranked:
    def __init__(self, u):
        self.u = u

    def __lt__(self, other):
        return self.u < other.u


@program(0.7)
def sorted_by_the_run(x):
    first = sorted([Ranked(x), Ranked(1.0)])[0]  # error: UnsupportedError: order ... only the run
    return first.u


@program([1.0], [1.0])
def arguments_that_may_be_one_list(a, b):
    return a[0] if a is b else 2.0 * b[0]  # error: UnsupportedError: whether two objects are one
