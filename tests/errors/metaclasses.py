"""Classes made by metaclasses, and protocols: what is refused of them."""

from typing import Protocol, runtime_checkable

from tests.errors.programs import program


class Bare:
    """Without anything."""


class Point:
    """With a number."""

    def __init__(self, u):
        self.u = u


class Meta(type):
    """A metaclass of the user's, which makes instances."""

    def __call__(cls, *given):
        return super().__call__(*given)


class Made(metaclass=Meta):
    """Made by it."""


class Answers(type):
    """A metaclass of the user's, which answers isinstance()."""

    def __instancecheck__(cls, value):
        return value.u > 1.0


class Positive(metaclass=Answers):
    """Whose instances are positive."""


class Shown(Protocol):
    """A protocol that is for type checkers alone."""

    limit: float


@runtime_checkable
class Limited(Protocol):
    """A protocol with data."""

    limit: float


@program(0.7)
def class_of_a_metaclass(x):
    return x if Made() else -x  # error: UnsupportedError: the metaclass of Made defines __call__


@program(0.7)
def answer_of_a_metaclass_that_the_run_decides(x):
    return x if isinstance(Point(x), Positive) else -x  # error: UnsupportedError: only at run time


@program(0.7)
def protocol_without_checks_at_run_time(x):
    return x if isinstance(Bare(), Shown) else -x  # error: TypeError: without @runtime_checkable


@program(0.7)
def subclass_of_a_protocol_with_data(x):
    return x if issubclass(Bare, Limited) else -x  # error: TypeError: non-method members


class Metres(float):
    """A number of a class of the user's."""


@program(0.7)
def class_of_a_number(x):
    return x * isinstance(x, Metres)  # error: UnsupportedError: whether a number is a Metres
