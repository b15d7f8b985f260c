"""A tuple that the run chooses among alike ones, on one path only: not the first of them."""

import math

import numpy as np
import pytest

from tests.frontend.as_python import agrees, slope_agrees

TABLE = {1.0: (1.0, 2.0), 2.0: (3.0, 4.0), 3.0: (5.0, 6.0)}
LISTS = {1.0: [1.0, 2.0], 2.0: [3.0, 4.0], 3.0: [5.0, 6.0]}


def or_none(x):
    found = None
    if x > 0.0:
        found = TABLE[x]
    return x if found is None else found[1]


def in_a_loop(x):
    found = None
    for k in range(3):
        if x > k:
            found = TABLE[k + 1.0]
    return x if found is None else found[1]


def or_text(x):
    found = TABLE[x] if x > 0.0 else "abc"
    return len(found) * x


def or_number(x):
    found = TABLE[x] if x > 0.0 else x
    return found[0] if isinstance(found, tuple) else found


def or_tuple(x):
    if x in TABLE:
        return TABLE[x]
    return x, x


def or_longer(x):
    found = TABLE[x] if x > 0.0 else (x, x, x)
    return found[-1] * len(found)


def caught(x):
    try:
        found = TABLE[x]
    except KeyError:
        found = (x, x)
    return found[1] * x


def or_list(x):
    found = LISTS[x] if x > 0.0 else [x, x]
    return found[0] * x


def of_arrays(x):
    made = {1.0: (np.array([x, 1.0]), 2.0), 2.0: (np.array([x]), 4.0), 3.0: (np.array([x]), 6.0)}
    found = made[x] if x > 0.0 else (np.zeros(2), x)
    return np.sum(found[0]) + found[1]


cache: dict = {(3, 0.25): (5.0, 6.0), (3, 0.5): (7.0, 8.0), (3, 0.75): (9.0, 10.0)}


def cached(x):
    try:
        return cache[(3, x)]
    except KeyError:
        pass
    return math.sin(3 * x), x


PROGRAMS = [or_none, in_a_loop, or_text, or_number, or_tuple, or_longer, caught, or_list, of_arrays]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [1.0, 2.0, 3.0, -1.0])
def test_the_tuple_that_was_chosen(f, x):
    agrees(f, x)


@pytest.mark.parametrize("x", [0.25, 0.75, 0.3])
def test_results_that_were_kept(x):
    agrees(cached, x)


@pytest.mark.parametrize("x", [1.2, 2.3, 3.4, 0.2])
def test_its_slope(x):
    def term(x):
        rows = ((x, 1.0), (2.0 * x * x, 2.0), (3.0 * x**3, 3.0))
        found = None
        for k in range(3):
            if x > k + 0.5:
                found = rows[int(x) - 1]
        return x if found is None else found[0] * found[1]

    slope_agrees(term, x)


def stored_to(x):
    rows = {1.0: [x, 1.0], 2.0: [2.0 * x, 2.0], 3.0: [3.0 * x, 3.0]}
    found = [x, x]
    if x > 0.0:
        found = rows[x]
    found[0] = 7.0
    return rows[1.0][0] + rows[2.0][0] + rows[3.0][0]


def stored_to_before(x):
    rows = {1.0: [x, 1.0], 2.0: [2.0 * x, 2.0], 3.0: [3.0 * x, 3.0]}
    found = [x, x]
    if x > 0.0:
        found = rows[x]
    rows[2.0][0] = 7.0
    return found[0]


@pytest.mark.parametrize("f", [stored_to, stored_to_before])
@pytest.mark.parametrize("x", [2.0, 3.0])
def test_lists_that_change(f, x):
    agrees(f, x)
