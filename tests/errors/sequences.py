"""Indices, stores, arithmetic with lists and loops over things that are not followed."""
# ruff: noqa: B007 (programs as users write them)

from collections import namedtuple

import numpy as np

from tests.cases.registry import vec
from tests.errors.programs import program


# ---- reading ----
@program(0.7)
def index_of_a_function(x):
    return len[0] * x  # error: UnsupportedError: cannot be indexed


@program(vec(3))
def index_of_a_numpy_number(x):
    return np.sin(x[0])[1]  # error: UnsupportedError: a number cannot be indexed


@program(vec(3), 0)
def index_by_a_run_time_bool(x, n):
    y = x[n > 0, 1:]  # error: UnsupportedError: a boolean scalar as an index ... np.where
    return np.sum(y)


@program(vec(3))
def index_by_a_text(x):
    return x["a"]  # error: UnsupportedError: a string cannot be an index ... integers, slices


@program(vec(3))
def slice_from_a_float(x):
    return np.sum(x[1.5:])  # error: UnsupportedError: slice indices must be integers


@program(vec(3))
def slice_with_a_step_of_zero(x):
    return np.sum(x[::0])  # error: UnsupportedError: slice step cannot be zero


@program(vec(3))
def slice_of_a_list_with_a_step_of_zero(x):
    return [x[0], x[1]][::0][0]  # error: UnsupportedError: slice step cannot be zero


@program(vec(3))
def axis_that_is_a_float(x):
    return np.sum(x, axis=0.5)  # error: UnsupportedError: integer known at compile time, not


# ---- storing ----
@program(vec(3))
def store_to_a_tuple(x):
    pair = (x[0], x[1])
    pair[0] = x[2]  # error: UnsupportedError: 'tuple' object does not support item assignment
    return pair[0]


@program(vec(3))
def change_of_a_tuple(x):
    pair = (x[0], x[1])
    pair[0] += x[2]  # error: UnsupportedError: 'tuple' object does not support item assignment
    return pair[0]


@program(vec(3))
def text_stored(x):
    x[0] = "a"  # error: UnsupportedError: a string cannot be stored in an array
    return x[0]


@program(vec(3))
def complex_stored(x):
    x[0] = 2j  # error: UnsupportedError: a complex value cannot be stored in a real array
    return x[0]


@program(vec(3))
def complex_added_in_place(x):
    x += 2j  # error: UnsupportedError: a complex value cannot be added to a real array
    return x[0]


@program(vec(3), np.arange(3))
def float_stored_in_integers(x, k):
    k *= 1.5  # error: UnsupportedError: is f64 and cannot be stored in place in i64 ... astype
    return np.sum(x * k)


@program(vec(3))
def pair_stored_in_a_place(x):
    x[0] = [1.0, 2.0]  # error: UnsupportedError: setting an array element with a sequence
    return x[0]


@program(vec(3))
def constant_of_another_shape(x):
    y = np.zeros((2, 2))
    y[:] = np.ones((3, 2))  # error: ValueError: from shape (3,2) into shape (2,2)
    return np.sum(y) * x[0]


@program(vec(3))
def constant_of_a_higher_rank(x):
    y = np.zeros(2)
    y[:] = np.ones((3, 2))  # error: ValueError: from shape (3,2) into shape (2,)
    return np.sum(y) * x[0]


# ---- running over things ----
@program(vec(3))
def run_over_a_method(x):
    total = 0.0
    for k, v in {"a": x}.items:  # error: UnsupportedError: call items() to run over it
        total += v[0]
    return total


@program(np.array(0.7))
def run_over_an_array_without_axes(x):
    return sum([v for v in x])  # error: UnsupportedError: iteration over a 0-d array


@program(vec(3))
def run_twice_over_an_iterator(x):
    def both(values):
        return sum(values) + sum(values)  # error: UnsupportedError: run over again ... a list

    return both(x[k] for k in range(2))


@program(vec(3))
def list_that_changes_while_it_is_run_over(x):
    values = [x, x]
    for v in values:  # error: UnsupportedError: changes its length while a loop runs over it
        values.append(v)
    return x[0]


@program(np.ones(20_000))
def too_many_items_unpacked(x):
    first, *rest = x  # error: UnsupportedError: 20000 items cannot be unpacked ... array operation
    return first * rest[0]


@program(vec(3), 2)
def list_that_grows_unpacked(x, n):
    values = []
    for i in range(n):
        values.append(x[i])
    return max(*values, 1.0)  # error: UnsupportedError: the length of a list that grows ... array


@program({1.0, 2.0})
def run_over_a_set(values):
    return sum(v for v in values)  # error: UnsupportedError: order of a set ... sorted


@program(0.7)
def run_over_a_generator(x):
    return x * sum(GENERATOR)  # error: UnsupportedError: a generator cannot be iterated over


GENERATOR = (v for v in (1.0, 2.0))


# ---- arithmetic ----
@program(vec(3))
def list_times_a_number_of_numpy(x):
    return np.sum([x[0], x[1]] * x[2])  # error: TypeError: a list and a number


@program(vec(3))
def list_minus_a_number_of_python(x):
    return np.sum([x[0], x[1]] - 1.0)  # error: TypeError: arithmetic with a list


class Turned(namedtuple("Turned", "x y")):
    def __iter__(self):
        return iter((self.y, self.x))


@program(vec(2))
def named_tuple_that_iterates_anew(x):
    return sum(Turned(x[0], x[1]))  # error: UnsupportedError: Turned defines __iter__ anew


class Longer(namedtuple("Longer", "x y")):
    def __len__(self):
        return 7


@program(vec(2))
def named_tuple_of_another_length(x):
    return x[0] * (Longer(x[0], 2.0) == (1.0, 2.0))  # error: UnsupportedError: defines __len__ anew
