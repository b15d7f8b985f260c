"""Loops over `flow.checkpointed` that are not split, and wrong arguments of it."""

import numpy as np

import srcgrad as flow
from tests.cases.registry import vec
from tests.errors.programs import program


def grad(f, *args):
    flow.grad(flow.compile(f, target="python"))(*args)


@program(how="plain")
def no_number_of_segments():
    flow.checkpointed(range(3), segments=2.5)  # error, no line: TypeError: an integer, not float


@program(how="plain")
def no_segments():
    flow.checkpointed(range(3), segments=0)  # error, no line: ValueError: there is at least one


@program(vec(3), 2.5)
def segments_of_the_run_that_are_no_integer(x, s):
    for _ in flow.checkpointed(range(3), segments=s):  # error: TypeError: is an integer, not a
        x = x * x
    return np.sum(x)


@program(vec(3))
def schedule_of_an_unrolled_loop(x):
    for scale in flow.checkpointed((1, 2.0)):  # error: UnsupportedError: this one is unrolled
        x = x * scale
    return np.sum(x)


@program(vec(3), 4)
def schedule_that_is_counted(x, n):
    for k, _ in enumerate(flow.checkpointed(range(n))):  # error: UnsupportedError: for ... in flow
        x = x * k
    return np.sum(x)


@program(vec(3), 4)
def schedule_with_another_name(x, n):
    a, b = x.copy(), x * 2.0
    first = a
    for _ in flow.checkpointed(range(n)):  # error: UnsupportedError: another name ... u.copy()
        a[0] = b[1] * 0.5
        a, b = b, a
    return np.sum(a * first)


@program(vec(3), 4)
def schedule_with_arrays_that_become_one(x, n):
    a, b = x.copy(), x * 2.0
    for _ in flow.checkpointed(range(n)):  # error: UnsupportedError: another name
        a[0] = b[1] * 0.5
        b = a
    return np.sum(a * b)


@program(vec(3), 4)
def schedule_with_arrays_that_are_one(x, n):
    a = x.copy()
    b = a
    for _ in flow.checkpointed(range(n)):  # error: UnsupportedError: another name
        a[0] = b[1] * 0.5
        a, b = b, a
    return np.sum(a * b)


@program(vec(3), 4)
def schedule_with_one_of_two_arrays(x, n):
    a, b = x.copy(), x * 2.0
    c = a if x[0] > 0 else b
    for _ in flow.checkpointed(range(n)):  # error: UnsupportedError: may share memory ... u.copy()
        c[0] = a[1] * b[2]
    return np.sum(a * b)


@program(vec(3), 4)
def schedule_with_a_list_that_grows(x, n):
    xs = [x[0]]
    for _ in flow.checkpointed(range(n)):  # error: UnsupportedError: a list that grows
        xs.append(xs[-1] * x[1])
    return xs[-1]


@program(how="plain")
def two_schedules():
    flow.checkpointed(range(3), segments=2, memory=9)  # error, no line: ValueError: two schedules


@program(how="plain")
def no_size_of_memory():
    flow.checkpointed(range(3), memory="much")  # error, no line: ValueError: no size of memory


@program(how="plain")
def no_number_of_bytes():
    flow.checkpointed(range(3), memory=2.5)  # error, no line: TypeError: bytes, not float


@program(how="plain")
def no_memory():
    flow.checkpointed(range(3), memory=0)  # error, no line: ValueError: is positive


@program(vec(3))
def two_schedules_of_a_loop(x):
    for _ in flow.checkpointed(range(3), segments=2, memory=9):  # error: ValueError: give one of
        x = x * x
    return np.sum(x)


@program(vec(3), 4)
def memory_for_arrays_that_grow(x, n):
    for _ in flow.checkpointed(range(n), memory=999):  # error: UnsupportedError: whose length chan
        x = np.concatenate([x, x[:1] * 2.0])
    return np.sum(x)


@program(vec(3), 4)
def test_with_arrays_that_shrink(x, n):
    while flow.checkpointed(n > 0, segments=2):  # error: UnsupportedError: is a `while` carries 'x'
        n -= 1
        x = x[:2] * x[1]
    return np.sum(x)


@program(np.ones((3, 3)), 4)
def test_with_arrays_of_another_length_at_first(x, n):
    y = x
    while flow.checkpointed(n > 0):  # error: UnsupportedError: carries 'y', whose length changes
        n -= 1
        y = x[:2] * x[0]
    return np.sum(y)


@program(vec(3), 4)
def memory_for_trips_of_unknown_length(x, n):
    for _ in flow.checkpointed(range(n), memory=999):  # error: UnsupportedError: say segments=...
        while x[0] > 0.1:
            x = x * np.sin(x)
    return np.sum(x)


@program(vec(3))
def no_segments_of_a_loop(x):
    for _ in flow.checkpointed(range(3), segments=0):  # error: ValueError: there is at least one
        x = x * x
    return np.sum(x)


@program(vec(3))
def no_size_of_memory_for_a_loop(x):
    for _ in flow.checkpointed(range(3), memory="2 GBs"):  # error: ValueError: no size ... "2GB"
        x = x * x
    return np.sum(x)


@program(0.7)
def schedule_in_a_part_of_a_test(x):
    while x > 0.1 and flow.checkpointed(x > 0.2):  # error: UnsupportedError: the whole test
        x = x * x
    return x
