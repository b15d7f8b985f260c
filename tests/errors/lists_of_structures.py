"""Lists that grow by structures where a list in Python holds the item itself, or others."""

from dataclasses import dataclass

import numpy as np

from tests.cases.registry import vec
from tests.errors.programs import program


@dataclass
class Peak:
    place: int
    height: float


def pairs(x):
    rows = []
    for k, v in enumerate(x):
        if v > 0.0:
            rows.append((k, v))
    return rows


def peaks(x):
    found = []
    for k, v in enumerate(x):
        if v > 0.0:
            found.append(Peak(k, v))
    return found


@program(vec(3))
def item_changed_after_it_is_appended(x):
    rows = []
    for v in x:
        row = [v, 0.0]
        if v > 0.0:
            rows.append(row)
        row[1] = v * v  # error: UnsupportedError: only known at run time ... make a copy
    return sum(a * b for a, b in rows)


@program(vec(3))
def one_item_appended_again_and_again(x):
    rows, row = [], [0.0, 0.0]
    for v in x:
        row[0] = v  # error: UnsupportedError: only known at run time ... make a copy
        if v > 0.0:
            rows.append(row)
    return sum(a + b for a, b in rows)


@program(vec(3))
def item_changed_in_its_list(x):
    found = peaks(x)
    found[0].height = 2.0  # error: UnsupportedError: only known at run time ... make a copy
    return sum(p.height for p in found)


@program(vec(3))
def items_of_several_structures(x):
    rows = pairs(x)
    rows.append((1, x[0], range(3)))  # error: UnsupportedError: a tuple in a list that grows
    return rows[0][1]


@program(vec(3))
def items_of_nine_strings(x):
    rows = []
    for v in x:
        if v > 0.5:
            rows.append(("high", v))
    for name in "abcdefgh":
        rows.append((name, x[0]))  # error: UnsupportedError: a tuple in a list that grows
    return rows[0][1]


@program(vec(3))
def strings_and_a_range_in_a_place(x):
    rows = []
    for v in x:
        if v > 0.5:
            rows.append(("high", v))
    rows.append((range(3), x[0]))  # error: UnsupportedError: a tuple in a list that grows
    return rows[0][1]


@program(vec(3))
def array_of_texts_and_numbers(x):
    rows = []
    for v in x:
        if v > 0.5:
            rows.append(("high" if v > 1.0 else "low", v))
    return np.array(rows).size * x  # error: UnsupportedError: an array of a string


@program(vec(3))
def array_of_objects(x):
    return np.array(peaks(x)).size * x  # error: UnsupportedError: an array of a Peak


@program(vec(3))
def columns_of_objects(x):
    rows = []
    for v in x:
        if v > 0.0:
            rows.append({"a": v})
    names = [*zip(*rows, strict=True)]  # error: UnsupportedError: zip(*items) of a dict
    return x * len(names)


@program(vec(3))
def sum_of_pairs(x):
    return sum(pairs(x))  # error: UnsupportedError: sum() adds numbers


@program(vec(3))
def pairs_in_order(x):
    rows = [(row, x) for row in pairs(x)]
    return sorted(rows)[0][0][1]  # error: UnsupportedError: neither numbers nor ... give a key


@program(vec(3))
def the_same_item(x):
    rows = pairs(x)
    first = rows[0]
    return x if first is rows[0] else -x  # error: UnsupportedError: whether two objects are one
