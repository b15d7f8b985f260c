"""Numbers that are an int on one path and a float on another, or a bool: values are Python's."""

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import TARGETS, agrees, slope_agrees


def chosen(x):
    return 7 if x > 0.0 else 2.5


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("x", [2.0, -2.0])
@pytest.mark.parametrize(
    "f",
    [
        lambda x: chosen(x) // 2,
        lambda x: chosen(x) % 2 * x,
        lambda x: chosen(x) ** 2 + round(chosen(x)),
        lambda x: max(x, 2) + min(chosen(x), 3),
        lambda x: int(chosen(x)) / 2,
    ],
)
def test_values_are_those_of_python(f, x, target):
    assert flow.compile(f, target=target, cache=False)(x) == f(x)


def total(x, n):
    s = 0
    for _ in range(n):
        s += x * x
    return s * x


@pytest.mark.parametrize("n", [0, 3])
def test_a_sum_that_begins_with_an_int(n):
    slope_agrees(total, 1.5, n)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x if isinstance(chosen(x), int) else -x,
        lambda x: x if type(chosen(x) * 2 + 1) is int else -x,
        lambda x: x if f"{chosen(x)}" else -x,
        lambda x: print(-chosen(x)) or x,
        lambda x: x if isinstance(max(x, 2), float) else -x,
        lambda x: x if isinstance(x > 0.0 and x, bool) else -x,
    ],
)
def test_what_tells_the_classes_apart_is_refused(f):
    with pytest.raises(flow.UnsupportedError, match="one class on one path"):
        flow.compile(f, target="python")(2.0)


def test_what_is_a_float_on_every_path_is_one():
    agrees(lambda x: (isinstance(chosen(x) / 2, float), isinstance(chosen(x) * 1.5, float)), 2.0)
    agrees(lambda x: (isinstance(chosen(x) + x, float), type(total(x, 2) + x) is float), -2.0)


def test_an_integer_that_no_float_has_is_not_rounded():
    for f in (
        lambda x: (2**60 + 1 if x > 0.0 else 2.5) - 2**60,
        lambda x: (2.5 if x < 0.0 else 2**60 + 1) - 2**60,
    ):
        compiled = flow.compile(f, target="python")
        assert (compiled(1.0), compiled(-1.0)) == (f(1.0), f(-1.0)) == (1, 2.5 - 2**60)


@pytest.mark.parametrize("x", [2.0, -2.0])
def test_true_and_false_are_objects(x):
    def f(x):
        flag = x > 0.0
        return flag is True, flag is False, flag is not True, flag is None, (x < 1.0) is False

    agrees(f, x)
    agrees(lambda a: ((a[0] > 0.0) is True, (a[0] > 0.0) is not False), np.array([x]))


@pytest.mark.parametrize("flag", [True, False, np.True_, True])
def test_flags_of_the_caller_are_objects(flag):
    agrees(lambda x, flag: x if flag is True else 2 * x if flag is False else 3 * x, 2.0, flag)


def test_sorted_numbers_of_python_stay_such():
    agrees(lambda x: (sorted([x, 1.0], key=lambda v: -v), sorted((x, 3.0))), 2.0)


class Held:
    """Numbers outside: of a name, an item of a dict and of a list, an attribute and a field."""

    def __init__(self):
        self.k = 3


COUNT = 3
TABLE, ROW, HELD = {"k": 3}, [3, 4.0], Held()


def name_replaced(x, given):
    global COUNT
    if x > 0.0:
        COUNT = 2.5
    return x


def items_replaced(x, given):
    if x > 0.0:
        TABLE["k"], given["k"], ROW[0] = 2.5, x, 2.5
    ROW.append(x)
    return x


def attribute_halved(x, given):
    while HELD.k < x:
        HELD.k = HELD.k + 0.5
    TABLE["k"] = max(x, TABLE["k"])
    return x


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("f", [name_replaced, items_replaced, attribute_halved])
@pytest.mark.parametrize("old", [3, True, 0])
def test_a_number_outside_that_stays_is_of_its_class(f, old, target):
    def after(g, x):
        global COUNT
        COUNT = TABLE["k"] = HELD.k = old
        ROW[:] = [old, 4.0]
        given = {"k": old}
        g(x, given)
        held = [COUNT, TABLE["k"], HELD.k, *ROW, given["k"]]
        return [(type(v), v) for v in held]

    compiled = flow.compile(f, target=target)
    for x in (-1.0, 4.5, -0.0):
        assert after(compiled, x) == after(f, x)


def test_bytes_of_numbers_and_of_arrays_of_a_known_size():
    def f(x):
        return np.float32(1).nbytes * x[0], x[0].nbytes, np.ones((2, 3)).nbytes * x[1], x.nbytes

    agrees(f, np.array([1.0, 2.0, 3.0]))
