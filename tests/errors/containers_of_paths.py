"""Containers that are not alike on each path of a program, and one that Python does not make."""

import ctypes

from tests.cases.registry import vec
from tests.errors.programs import program


@program(vec(3))
def shared_list_changed(x):
    a = [x[0]]
    c = a if x[0] > 0.0 else [x[1]]
    c.append(x[2])  # error: UnsupportedError: which of several containers ... make a copy
    return a[0] * len(c)


@program(vec(3), 2)
def conflict_in_a_loop(x, n):
    y = {None: x[0]}
    for i in range(n):  # error: UnsupportedError: y changes kind in a loop
        if x[i] > 1.0:
            y = {"b": x[i]}
        else:
            y = {None: x[i]}
    return y[None]


@program(vec(3), 2)
def two_kinds_returned_from_a_loop(x, n):
    for i in range(n):
        if x[i] > 100.0:
            return {None: x[0]}
        if x[i] > 10.0:
            return {"b": x[i]}  # error: UnsupportedError: the returns of ... do not fit together
    return {None: x[0]}


@program(0.7)
def lists_of_two_lengths_returned(x):
    def pair():
        if x > 0.5:
            return [(x, x), x, x]
        return [(x, x), x]  # error: UnsupportedError: a list of 3 items ... another list, of 2

    return pair()[0]


@program(0.7)
def lists_returned_that_differ_inside(x):
    def pair():
        if x > 0.5:
            return [1.0, [x, {"a": x}]]
        return [x, [2.0, {"b": x}]]  # error: UnsupportedError: fit together: at [1][1] it is a dict

    return pair()[0]


NUMBERS_OF_C = (ctypes.c_double * 3)()


@program(vec(3))
def store_to_an_array_of_ctypes(x):
    NUMBERS_OF_C[0] = x[0]  # error: UnsupportedError: items of a c_double_Array_3 are not stored to
    return x[0]


class Held:
    def __init__(self, v):
        self.v = v


@program(vec(3))
def made_on_a_path_under_two_names(x):
    first = Held(x[0])
    one, other = first, first
    if x[1] > 0.0:
        other = Held(x[2])
        one = other
    one.v = one.v * 3.0  # error: UnsupportedError: which of several containers this changes
    return first.v + one.v + other.v


@program(vec(3), 2)
def made_in_trips_under_two_names(x, n):
    first = Held(x[0])
    one, other = first, first
    for i in range(n):
        other, one = one, Held(one.v + x[i])
        other.v = other.v * 1.5  # error: UnsupportedError: which of several containers
    return first.v + one.v + other.v
