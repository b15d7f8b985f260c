"""Patterns that are not matched."""

from tests.cases.registry import vec
from tests.errors.programs import program


@program(0.7, 1)
def run_time_value_matched_with_true(x, n):
    match x > 0.0:
        case True:  # error: UnsupportedError: matched with True or False ... use if
            return x
    return -x


@program(vec(3))
def array_matched_with_a_number(x):
    match x:
        case 1.0:  # error: UnsupportedError: an array cannot be matched ... use if
            return x[0]
    return x[1]


@program(0.7, 0.3)
def alternatives_that_bind(x, y):
    match (x, y):
        case (1.0, v) | (v, 2.0):  # error: UnsupportedError: alternatives that bind ... use if
            return v
    return x


@program(vec(3), 2)
def list_that_grows_matched(x, n):
    values = []
    for i in range(n):
        values.append(x[i])
    match values:
        case [a, b]:  # error: UnsupportedError: that grows at run time cannot be matched ... if
            return a * b
    return x[0]


@program(0.7)
def function_in_a_class_pattern(x):
    match x:
        case abs():  # error: UnsupportedError: a class pattern names a class
            return x
    return -x


@program(vec(3))
def range_matched(x):
    match range(2):
        case [a, b]:  # error: UnsupportedError: a range cannot be matched by its items ... use if
            return x[a] * x[b]
    return x[0]


@program(vec(3))
def dict_of_the_run_matched(x):
    table = {}
    for k, v in enumerate(x):
        if v > 0.0:
            table[k] = v
    match table:
        case {0: v}:  # error: UnsupportedError: a dict cannot be matched by its items ... use if
            return v
    return x[0]
