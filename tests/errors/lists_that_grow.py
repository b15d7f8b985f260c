"""Lists that grow in a loop of the run: what they hold, and uses that are not followed."""

import numpy as np

import srcgrad as flow
from tests.cases.registry import vec
from tests.errors.programs import program


@program(vec(3), 2)
def range_in_a_list_that_grows(x, n):
    values = [1.0]
    for i in range(n):
        values.append(x[i])
    values.append(range(n))  # error: UnsupportedError: of numbers ... allocate an array
    return values[0]


@program(vec(3), 2)
def booleans_and_numbers_in_a_list_that_grows(x, n):
    values = []
    for i in range(n):
        values.append(x[i] > 1.0)
    values.append(x[0])  # error: UnsupportedError: holds booleans and numbers ... one kind
    return values[0] * x[0]


@program(vec(3), 2)
def range_put_into_a_list_that_grows(x, n):
    values = []
    for i in range(n):
        values.append(x[i])
    values[0] = range(n)  # error: UnsupportedError: a range cannot be stored in a list that grows
    return x[0]


@program(vec(3), 2)
def array_of_numbers_and_none(x, n):
    values = []
    for k in range(n + int(x[0])):
        item = x[0] * k if x[0] > 0.5 else None
        values.append(item)  # error: UnsupportedError: must be a list of numbers ... of one kind
    return np.sum(np.array(values))


@program(vec(3), 2)
def list_of_nine_kinds(x, n):
    values = []
    for k in range(n + int(x[0])):
        values.append(x[0] * k)
        values.append(None)
        values.append(np.sin)
        values.append((x[0],))
        values.append((x[0], k))
        values.append([x[0]])
        values.append({"a": x[0]})
        values.append(x * k)
        values.append("text")  # error: UnsupportedError: must be a list of numbers
    return values[0]


@program(vec(3), 2)
def float_index_of_a_list_that_grows(x, n):
    values = []
    for i in range(n):
        values.append(x[i])
    return values[x[0]]  # error: UnsupportedError: takes integer indices only


@program(vec(3).astype(np.float32))
def narrow_and_other_numbers_returned(x):
    values = [0.1]
    for v in x:
        if v > 0.5:
            values.append(v)
    return values  # error: UnsupportedError: narrower ones of NumPy's ... float(...)


def positive(x):
    return [v for v in x if v > 0.0]


@program(np.ones((2, 3)))
def list_that_grows_of_a_batch(x):
    return flow.vmap(positive)(x)  # error: UnsupportedError: differentiated or batched ... np.array


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
    two = [x[1]]
    for i in range(n):
        two.append(x[i])
    either = two[:1] if x[2] > 0.0 else two
    either.append(x[2])  # error: UnsupportedError: which of several containers this changes
    return two[-1]


@program(vec(3), 2)
def one_of_two_lists_of_arrays(x, n):
    one, two = [x], [x * 2.0]
    for i in range(n):
        one.append(x * i)
        two.append(x + i)
    either = one[:] if x[2] > 0.0 else two  # error: UnsupportedError: the value depends on the path
    return np.sum(either[-1])


@program(vec(3), 2)
def arrays_in_lists_of_two_paths(x, n):
    rows = first = [x]
    for i in range(n + int(x[0])):  # error: UnsupportedError: on one path ... can be carried
        new = []
        for j in range(i + 1):
            new.append(rows[0] * x[j])
        rows = new
    return np.sum(rows[-1]) + len(first)


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


@program(vec(3), 0)
def no_array_in_an_array(x, n):
    kept = []
    for k in range(n):
        kept.append(x * k)
    return x[0] + np.sum(np.array(kept))  # error: NotImplementedError: a list without


KEPT = [1.0]


@program(vec(3), [1.0])
def list_of_an_argument_that_some_paths_make_longer(x, kept):
    if x[0] > 100.0:
        kept.append(x[0])  # error: UnsupportedError: list that is not made here ... np.array
    return x[0] * kept[-1]


POINTS, ROWS = [np.ones(2)], []


@program(vec(3), how="call")
def captured_arrays_that_are_moved(x):
    for v in x:
        POINTS.append(x[:2] * v)
        if v > 1.0:
            POINTS.pop(0)  # error: UnsupportedError: no numbers, are moved or replaced ... append
    return x[0]


@program(vec(3), how="call")
def one_row_in_two_lists(x):
    out = []
    for v in x:
        row = [v]
        ROWS.append(row)
        out.append(row)
    return out  # error: UnsupportedError: they would be two after the call ... copy


@program(vec(3))
def integers_and_floats_returned(x):
    out = [0]
    for v in x:
        out.append(float(v))
    return out, np.sum(np.array(out))  # error: UnsupportedError: of integers and floats ... float
