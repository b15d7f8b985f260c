"""Descriptors of the user's classes: attributes that are computed, kept, checked or converted."""

import functools
from typing import Any

from tests.cases.registry import case, vec


class Kept:
    """Computed once, then an attribute of the instance."""

    def __init__(self, method):
        self.method = method
        functools.update_wrapper(self, method)

    def __get__(self, instance, owner=None) -> Any:
        if instance is None:
            return self
        value = self.method(instance)
        instance.__dict__[self.__name__] = value
        return value


class Checked:
    """Stored under another name, in other units; counts what is stored."""

    def __init__(self, factor):
        self.factor = factor

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner=None) -> Any:
        return self if instance is None else getattr(instance, self.name) * self.factor

    def __set__(self, instance, value):
        if value < -100.0:
            raise ValueError("too small")
        setattr(instance, self.name, value)
        instance.stores = instance.stores + 1

    def __delete__(self, instance):
        setattr(instance, self.name, 0.5)


class Body:
    mass = Checked(2.0)
    speed = Checked(0.5)

    def __init__(self, mass, speed):
        self.stores = 0
        self.mass = mass
        self.speed = speed

    @Kept
    def energy(self):
        return 0.5 * self.mass * self.speed**2

    @functools.cached_property
    def momentum(self):
        return self.mass * self.speed


class Heavy(Body):
    def __init__(self, mass, speed):
        super().__init__(mass, speed)
        self.mass *= 3.0


OUTSIDE = Body(1.5, 2.5)


@case(vec(3))
def descriptors(x):
    one, two = Body(x[0], x[1]), Heavy(x[1], x[2])
    before = one.energy + two.momentum
    one.mass = x[2]
    after = one.energy * one.mass + two.energy
    for v in x:
        two.speed = two.speed + v
    del one.speed
    return (
        before * after + two.speed * two.stores + OUTSIDE.energy * OUTSIDE.mass * one.speed * x[0]
    )


@case(vec(3))
def descriptor_in_a_branch(x):
    body = Body(x[0], x[1])
    if x[2] > 0.1:
        body.mass = body.mass * x[2]
    return body.energy + body.mass * body.stores + body.momentum
