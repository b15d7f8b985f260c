"""Iterators that Python's builtins and itertools do not make, or that are not followed."""

import functools
import itertools

from tests.cases.registry import vec
from tests.errors.programs import program

LATEST = 0.0


@program(vec(3))
def enumerate_from_a_float(x):
    return sum(k * v for k, v in enumerate(x, 0.5))  # error: UnsupportedError: starts at an integer


@program(vec(3))
def reversed_iterator(x):
    return sum(reversed(v for v in x))  # error: UnsupportedError: cannot be reversed ... a list


@program(vec(3))
def strict_zip_of_lists(x):
    pairs = zip([x[0]], [x[1], x[2]], strict=True)  # error: UnsupportedError: zip() argument 2
    return sum(a * b for a, b in pairs)


@program(vec(3))
def filtered_twice(x):
    once = filter(lambda v: v > 0.1, x)
    return sum(once) + sum(once)  # error: UnsupportedError: an iterator is run over again


@program(vec(4))
def pairs_of_one_map(x):
    items = map(abs, x)
    pairs = zip(items, items, strict=True)  # error: UnsupportedError: which items it has left
    return sum(u * v for u, v in pairs)


@program(vec(4))
def the_rest_after_a_loop(x):
    items = iter(x)
    for v in items:
        if v > 0.5:
            break
    return sum(items) * v  # error: UnsupportedError: an iterator is run over again ... parts of


@program(vec(4))
def made_before_the_loop(x):
    pairs, total = zip(x, x, strict=True), x[0]
    for v in x:
        for a, b in pairs:  # error: UnsupportedError: made outside of this loop ... make a list
            total = total + a * b * v
    return total


@program(vec(4))
def taken_in_each_trip(x):
    items, total = iter(x), x[0]
    while total < 3.0:
        total = total + next(items)  # error: UnsupportedError: made outside of this loop
    return total


@program(vec(4))
def one_iterator_in_two_expressions(x):
    pairs = enumerate(x)
    first = sum(v * k for k, v in pairs)
    return first + sum(v for k, v in pairs)  # error: UnsupportedError: run over again


@program(vec(3))
def zip_of_two_filters(x):
    pairs = zip(filter(abs, x), filter(abs, x), strict=False)  # error: UnsupportedError: followed
    return sum(u * v for u, v in pairs)


@program(vec(3))
def a_list_that_grew_since(x):
    values = [x[0], x[1]]
    pairs = zip(values, values, strict=True)
    values.append(x[2])
    total = 0.0
    for u, v in pairs:  # error: UnsupportedError: a list changes its length ... list(
        total += u * v
    return total


@program(vec(3))
def a_list_that_grew_in_a_loop(x):
    values = []
    for v in x:
        values.append(v)
    numbered = enumerate(values)
    values.append(1.0)
    total = 0.0
    for k, v in numbered:  # error: UnsupportedError: a list changes its length
        total += k * v
    return total


@program(vec(3))
def longest_of_a_filter(x):
    both = itertools.zip_longest(filter(abs, x), x)  # error: UnsupportedError: leaves items out
    return sum(u * v for u, v in both)


@program(vec(3))
def accumulated_while_it_changes(x):
    total = 0.0
    for v in itertools.accumulate(x):  # error: UnsupportedError: read item by item in Python
        x[-1] += v
        total += v
    return total


@program(vec(3))
def sought_in_a_generator(x):
    seen = []
    push = lambda k: seen.append(k) or k
    found = 2 in (push(k) for k in range(4))  # error: UnsupportedError: 'in' takes items
    return x[0] * len(seen) if found else x[1]


@program(vec(3))
def walrus_of_two_loops(x):
    found = any((t := u * v) > 1.0 for u in x for v in x)  # error: UnsupportedError: several loops
    return t if found else x[0]


@program(vec(3))
def islice_of_five(x):
    return sum(itertools.islice(x, 0, 2, 1, 1))  # error: UnsupportedError: 2 to 4 arguments, not 5


@program(vec(3))
def islice_from_behind(x):
    return sum(itertools.islice(x, -1))  # error: UnsupportedError: negative limits ... slice


@program(vec(3))
def repeated_by_a_half(x):
    return sum(itertools.repeat(x[0], 2.5))  # error: UnsupportedError: is an integer, not


@program(0.7)
def isinstance_of_an_iterator(x):
    known = isinstance(zip([x]), zip)  # error: UnsupportedError: isinstance() of an iterator
    return x if known else -x


@program(0.7)
def type_of_an_iterator(x):
    return x if type(map(abs, [x])) is int else -x  # error: UnsupportedError: type() of an iterator


@program(0.7)
def next_of_a_list(x):
    return next([x])  # error: UnsupportedError: 'list' object is not an iterator


@program(vec(3))
def next_within_the_loop(x):
    places = iter(range(len(x)))
    total = 0.0
    for i in places:
        if x[i] > 0.5:
            next(places, None)  # error: UnsupportedError: run over elsewhere ... take x[k]
        total += x[i]
    return total


@program(vec(3))
def accumulated_truth_values(x):
    return sum(itertools.accumulate(x > 0.5))  # error: UnsupportedError: of truth values


@program(0.7)
def reduction_of_nothing(x):
    return functools.reduce(lambda a, b: a * b, []) * x  # error: TypeError: no initial value


@program(vec(4))
def comprehension_that_binds_a_name_of_the_module(x):
    global LATEST
    kept = {k: (LATEST := v) for k, v in enumerate(x) if v > 1.0}  # error: UnsupportedError: known
    return sum(kept.values()) * LATEST


@program(vec(3))
def copies_of_a_generator(x):
    def squares():
        for v in x:
            yield v * v

    a, b = itertools.tee(squares())  # error: UnsupportedError: tee() of a generator
    return sum(a) * sum(b)
