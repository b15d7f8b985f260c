"""Which method of a class that derives from a built-in one Python's C code asks, and which never.

Each program is tried with instances that are made inside and with captured ones.
"""

import functools
import itertools
import linecache
import math
import operator

import numpy as np
import pytest

from tests.frontend.as_python import agrees


class Iterating(list):
    def __iter__(self):
        return iter([7.0, 8.0])


class Backwards(list):
    def __reversed__(self):
        return iter([1.0])


class Placed(tuple):
    def __getitem__(self, k):
        return 5.0 * k

    def __iter__(self):
        return iter([7.0])


class Short(tuple):
    def __len__(self):
        return 2


class Keyed(dict):
    def __iter__(self):
        return iter(["q"])


class Reflected:
    def __radd__(self, other):
        return 100

    def __rsub__(self, other):
        return 200

    def __rmul__(self, other):
        return 300

    def __rtruediv__(self, other):
        return 400

    def __rpow__(self, other):
        return 500

    def __lt__(self, other):
        return 600

    def __gt__(self, other):
        return 700


class Count(Reflected, int):
    """An int whose class has reflected operators."""


class Angle(Reflected, float):
    """A float whose class has them."""


class Deferring(Angle):
    __array_ufunc__ = None


class Scaled(float):
    def __mul__(self, other):
        return float(self) * 3.0

    def __rmul__(self, other):
        return float(self) * 5.0


class PlainTuple(tuple):
    """A tuple of the user's."""


def backwards(x, iterating, reverse, placed, short, keyed):
    return (
        list(reversed(iterating)), list(reversed(reverse)), list(reversed(placed)),
        list(reversed(short)), [keyed[k] * x for k in reversed(keyed)],
    )  # fmt: skip


BACKWARDS = (
    Iterating([0.5, 2.0]),
    Backwards([0.5, 2.0]),
    Placed((0.5, 2.0)),
    Short((1.0, 2.0, 3.0)),
)
BACKWARDS = (*BACKWARDS, Keyed(a=1.0, b=0.5))


def test_reversed():
    def inside(x):
        return backwards(
            x, Iterating([x, 2.0]), Backwards([x, 2.0]), Placed((x, 2.0)), Short((x, 2.0, 3.0)),
            Keyed(a=x, b=2.0),
        )  # fmt: skip

    agrees(inside, 0.3)
    agrees(lambda x: backwards(x, *BACKWARDS), 0.3)


NUMBERS = {
    "float": "x", "a constant": "2.0", "int": "3", "bool": "True", "complex": "(1j)",
    "float64": "np.float64(x)", "float32": "np.float32(2.0)", "int64": "np.int64(3)",
    "bool of NumPy": "np.bool_(True)",
}  # fmt: skip
OPERATIONS = ("+", "-", "*", "/", "**", "<", ">")


LEFT_OUT = {("complex", "<"), ("complex", ">"), ("bool of NumPy", "-")}


@pytest.mark.parametrize("made", ["Count(2)", "Angle(0.5)", "C", "A"])
def test_a_number_on_the_left(made):
    """Its class computes where it takes the other number, unless that derives from it."""
    pairs = [(n, sign) for n in NUMBERS for sign in OPERATIONS if (n, sign) not in LEFT_OUT]
    made_of = ", ".join(f"{NUMBERS[n]} {sign} w" for n, sign in pairs)
    text = f"def f(x):\n    w = {made}\n    return {made_of}\n"
    names = {"np": np, "Count": Count, "Angle": Angle, "C": Count(2), "A": Angle(0.5)}
    agrees(_of_text(text, names), 0.3)


def _of_text(text, names):
    file = f"<{text}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), names)
    return names["f"]


SCALED, COUNT, DEFERRING = Scaled(0.25), Count(2), Deferring(0.5)


def folded(x, w):
    made = math.prod([w, 2.0]), math.prod([x, w]), math.prod((w, w), start=x), sum([w, 1.0])
    return made, functools.reduce(operator.mul, [x, w, 2.0]), [*itertools.accumulate([x, w])]


def test_products_of_items():
    agrees(lambda x: folded(x, Scaled(x)), 0.3)
    agrees(lambda x: folded(x, SCALED), 0.3)


def test_a_class_that_leaves_nothing_to_numpy():
    agrees(lambda x: np.float64(x) * DEFERRING, 0.3)


PLACE = PlainTuple((0, 1))


def indexed(x, place):
    a, c = np.arange(4.0).reshape(2, 2) * x, np.zeros((2, 2))
    c[place] = x
    return a[place], c, a[PlainTuple((1,))]


def test_a_tuple_as_an_index():
    agrees(lambda x: indexed(x, PlainTuple((0, 1))), 0.3)
    agrees(lambda x: indexed(x, PLACE), 0.3)


class Ranked:
    """Its operator comes before that of an array, in place too: the array is left alone."""

    __array_priority__ = 20.0

    def __radd__(self, other):
        return other + 1.0

    def __rmul__(self, other):
        return other * 3.0


def changed_by(x, v):
    y = x * np.arange(3.0)
    old = y
    y += v
    z = y[:]
    y[1:] *= v
    z *= v
    return y, z, old


def test_an_operator_in_place_of_an_array_is_left_to_an_instance():
    agrees(lambda x: changed_by(x, Ranked()), 0.25)
    agrees(lambda x: changed_by(x, 2.0), 0.25)
