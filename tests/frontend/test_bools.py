"""Python's bools count as integers, NumPy's do not: each keeps the arithmetic of its own."""

import itertools

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.scalars import check

OF_TWO = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y, "floordiv": lambda x, y: x // y, "mod": lambda x, y: x % y,
    "pow": lambda x, y: x**y, "and": lambda x, y: x & y, "or": lambda x, y: x | y,
    "xor": lambda x, y: x ^ y, "shift": lambda x, y: x << y, "sum": lambda x, y: sum([x, y]),
    "equal": lambda x, y: x == y,
    "comparisons": lambda x, y: (x < y) + (y < x), "difference": lambda x, y: (x < y) - (y < x),
    "sum of comparisons": lambda x, y: sum((x < y, y < x, x == y)),
    "a number": lambda x, y: (x < y) * 2.5, "a list": lambda x, y: (x in [y]) + True,
    "any": lambda x, y: any([x < y, y < x]) + all([x == y]), "lists": lambda x, y: ([x] == [y]) + 1,
    "negated": lambda x, y: (not x) + (not (x, y)), "converted": lambda x, y: bool(x) + np.bool_(y),
}  # fmt: skip
OF_ONE = {
    "negative": lambda x: -x, "positive": lambda x: +x, "invert": lambda x: ~x,
    "abs": lambda x: abs(x) + 1, "twice": lambda x: x + x, "parts": lambda x: (x.real, x.imag),
    "isnan": lambda x: np.isnan(x) + 1, "of a comparison": lambda x: (~(x < 2), -(x < 2)),
    "of equality": lambda x: (x == 1) + (x == 1), "numbers": lambda x: (int(x), float(x)),
    "truth": lambda x: (bool(x), np.bool_(x), not x), "product": lambda x: (x < 1) * (x < 2),
    "class": lambda x: isinstance(x < 2, bool),
}  # fmt: skip
BOOLS = [True, False, np.True_, np.False_]
DIVISIONS = ("div", "floordiv", "mod")  # by zero: of NumPy's integers an error in compiled code too


@pytest.mark.parametrize("name", OF_TWO)
def test_of_two(name):
    others = [3, 0, np.int8(3), 1.5, np.float32(0.5), np.int64(-2)]
    pairs = [*itertools.product(BOOLS, BOOLS), *itertools.product(BOOLS, others)]
    for x, y in pairs:
        python = all(type(v) in (bool, int) for v in (x, y))
        if y or python or name not in DIVISIONS:
            check(OF_TWO[name], (x, y), "python")


@pytest.mark.parametrize("name", OF_ONE)
def test_of_one(name):
    for x in (*BOOLS, 1, 1.0, np.float32(1.0), np.int16(3)):
        check(OF_ONE[name], (x,), "python")


@pytest.mark.parametrize("x", [True, np.True_], ids=["Python's", "NumPy's"])
def test_compiled(x):
    def f(x, y, a):
        count = 0
        for v in a:
            count += v > 0.5
        return x + y, x * y, ~x, (x < y) + (a[0] < a[1]), count, x & y, y or x, a[0] < a[1]

    check(f, (x, x, np.array([0.2, 0.9, 1.5])), "cpu")


def test_a_signature_of_each():
    f = flow.compile(lambda x: x + x)
    assert f(True) == 2
    assert f(np.True_) is np.True_


def test_gradient():
    g = lambda x: np.sum(x * (x[0] < x[1])) + (x[0] < x[1]) * x[2] * ((x[1] > 0) + (x[2] > 0))
    assert flow.grad(g)(np.array([1.0, 2.0, 3.0])).tolist() == [1.0, 1.0, 2.0]
