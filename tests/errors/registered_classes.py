"""Instances of registered classes that are not followed."""

import numpy as np

import srcgrad as flow
from tests.errors.programs import program


class Measured:
    """Registered; `seen` is a state that `flatten` does not return."""

    seen = 0

    def __init__(self, u):
        self.u = u


def measured(_, parts):
    made = object.__new__(Measured)
    (made.u,) = parts
    return made


flow.tree.register(Measured, lambda v: ((v.u,), None), measured)
ruled = flow.custom_vjp(lambda v: v.u)
ruled.defvjp(lambda v: (v.u, None), lambda _, g: (Measured(g),))


@program(0.7)
def registered_object_for_a_rule(x):
    return ruled(Measured(x))  # error: UnsupportedError: registered class Measured ... children


SEEN = Measured(2.0)
SEEN.seen = 1


@program(0.7)
def state_that_unflatten_does_not_make(x):
    return x * SEEN.seen  # error: UnsupportedError: does not make 'seen' ... set it there


@program(0.7)
def captured_instance_changed(x):
    SEEN.u = x  # error: UnsupportedError: an instance of a registered class ... make another one
    return SEEN.u


@program(np.ones(3))
def registered_objects_in_a_list(x):
    kept = []
    for v in x:
        if v > 0.0:
            kept.append(Measured(v))
    return kept  # error: UnsupportedError: hold instances of ... a registered class


@program(0.7)
def new_list(x):
    return object.__new__(list)  # error: UnsupportedError: object.__new__() of the class list


@program(0.7)
def unflatten_without_a_structure(x):
    return flow.tree.unflatten([x], [x])[0]  # error: UnsupportedError: takes a structure
