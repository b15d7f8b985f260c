"""Indices, stores, loops over things, lists that grow and patterns that are not followed."""
# ruff: noqa: B007 (programs as users write them)

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
def shared_list_changed(x):
    a, b = [x[0]], [x[1]]
    c = a if x[0] > 0.0 else b
    c.append(x[2])  # error: UnsupportedError: which of several containers ... make a copy
    return a[0] * len(b)


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
        return sum(values) + sum(values)  # error: UnsupportedError: run over twice ... a list

    return both(x[k] for k in range(2))


@program(vec(3))
def list_that_changes_while_it_is_run_over(x):
    values = [x, x]
    for v in values:  # error: UnsupportedError: changes its length while a loop runs over it
        values.append(v)
    return x[0]


@program(np.ones(20_000))
def too_many_items_unpacked(x):
    values = [*x]  # error: UnsupportedError: 20000 items cannot be unpacked ... array operation
    return values[0]


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


# ---- lists that grow ----
@program(vec(3), 2)
def arrays_in_a_list_that_grows(x, n):
    values = [1.0]
    for i in range(n):
        values.append(x[i])
    values.append(x)  # error: UnsupportedError: must be a list of numbers ... allocate an array
    return values[0]


@program(vec(3), 2)
def booleans_and_numbers_in_a_list_that_grows(x, n):
    values = []
    for i in range(n):
        values.append(x[i] > 1.0)
    values.append(x[0])  # error: UnsupportedError: holds booleans and numbers ... one kind
    return values[0] * x[0]


@program(vec(3), 2)
def text_in_a_list_that_grows(x, n):
    values = []
    for i in range(n):
        values.append(x[i])
    values[0] = "a"  # error: UnsupportedError: a string cannot be stored in a list that grows
    return x[0]


@program(vec(3), 2)
def float_index_of_a_list_that_grows(x, n):
    values = []
    for i in range(n):
        values.append(x[i])
    return values[x[0]]  # error: UnsupportedError: takes integer indices only


@program(vec(3), 2)
def list_that_grows_returned(x, n):  # error: UnsupportedError: cannot be returned ... np.array
    values = []
    for i in range(n):
        values.append(x[i])
    return values


@program(vec(3), 2)
def list_of_two_paths_changed(x, n):
    if x[0] > 0.0:
        values = [x[0]]
    else:
        values = [x[1], x[2]]
    for i in range(n):
        values.append(x[i])  # error: UnsupportedError: which of several lists ... list(...)
    return values[-1]


@program(vec(3), 2)
def list_changed_that_another_may_be(x, n):
    one, two = [x[0]], [x[1]]
    for i in range(n):
        two.append(x[i])
    either = one if x[2] > 0.0 else two
    either.append(x[2])  # error: UnsupportedError: which of several containers this changes
    return two[-1]


@program(vec(3), 2)
def one_of_two_lists_of_arrays(x, n):
    one, two = [x], [x * 2.0]
    for i in range(n):
        one.append(x * i)
        two.append(x + i)
    either = one if x[2] > 0.0 else two  # error: UnsupportedError: the value depends on the path
    return np.sum(either[-1])


@program(vec(3), 2)
def arrays_in_lists_of_two_paths(x, n):
    rows = [x]
    for i in range(n + int(x[0])):  # error: UnsupportedError: on one path ... can be carried
        new = []
        for j in range(i + 1):
            new.append(rows[0] * x[j])
        rows = new
    return np.sum(rows[-1])


@program(vec(3))
def list_that_grows_while_a_loop_runs_over_it(x):
    kept = [v for v in x if v > 0.0]
    for k, v in enumerate(kept):  # error: UnsupportedError: changes its length while a loop runs
        if v > 0.6 and k < 5:
            kept.append(v * 0.9)
    return sum(kept)


@program(vec(3), 2)
def arrays_in_order(x, n):
    rows = []
    for i in range(n):
        rows.append(x * i)
    rows.sort()  # error: UnsupportedError: neither numbers nor tuples of numbers
    return np.sum(rows[0])


@program(vec(3))
def key_that_is_an_array(x):
    table = {"a": 1.0}
    table[x] = 2.0  # error: UnsupportedError: a key of a dict must be known
    return table["a"] * x[0]


@program(vec(3))
def key_deleted_that_is_not_there(x):
    table = {"a": x}
    del table["b"]  # error: UnsupportedError: the dict has no key 'b'
    return x[0]


@program(vec(3), 2)
def key_on_one_path(x, n):
    table = {"a": x[0]}
    if n > 1:
        table["b"] = [x[1]]  # error: UnsupportedError: has the key 'b' on one path only ... before
    return table["a"]


@program(vec(3), 2)
def conflict_in_a_loop(x, n):
    y = {"a": x[0]}
    for i in range(n):  # error: UnsupportedError: y changes kind in a loop
        if x[i] > 1.0:
            y = {"b": x[i]}
        else:
            y = {"a": x[i]}
    return y["a"]


@program(vec(3), 2)
def two_kinds_returned_from_a_loop(x, n):
    for i in range(n):
        if x[i] > 100.0:
            return {"a": x[0]}
        if x[i] > 10.0:
            return {"b": x[i]}  # error: UnsupportedError: the returns of ... do not fit together
    return {"a": x[0]}


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


# ---- patterns ----
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
def constant_of_a_higher_rank(x):
    y = np.zeros(2)
    y[:] = np.ones((3, 2))  # error: ValueError: from shape (3,2) into shape (2,)
    return np.sum(y) * x[0]


@program(vec(3))
def list_times_a_number_of_numpy(x):
    return np.sum([x[0], x[1]] * x[2])  # error: TypeError: a list and a number


@program(vec(3))
def list_minus_a_number_of_python(x):
    return np.sum([x[0], x[1]] - 1.0)  # error: TypeError: arithmetic with a list


class Result(dict):
    pass


@program(vec(3))
def dict_of_a_class_returned(x):
    return Result(x=x)  # error: ReturnTypeError: which derives from dict


@program(vec(3))
def attributes_of_a_dict_of_a_class(x):
    result = Result(x=x)
    result.k = 2.0
    return x[0] * vars(result)["k"]  # error: UnsupportedError: __dict__ of a Result


class InReverse(dict):
    def __iter__(self):
        return iter(sorted(self.keys(), reverse=True))


@program(vec(3))
def dict_of_a_class_with_an_iterator(x):
    both = dict(InReverse(a=x, b=2.0))  # error: UnsupportedError: has an __iter__ of its own
    return np.sum(both["a"])
