"""Rounding as Python and NumPy do it, to decimals and to tens."""

import itertools
import math

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.scalars import check

FLOATS = [
    2.675,
    0.5,
    1.5,
    -2.5,
    0.125,
    1.005,
    5.015,
    1e22,
    -0.04,
    1234.5,
    float("inf"),
    float("nan"),
]
INTEGERS = [15, 25, -15, 5, 127, 0, -4]
KINDS = [float, np.float64, np.float32]
OF_INTEGERS = [int, np.int8, np.int64, np.uint8, np.int32]
ROUNDED = [lambda x: round(x), lambda x: np.round(x), lambda x: np.rint(x), lambda x: math.floor(x),
           lambda x: math.ceil(x)]  # fmt: skip
TO = [lambda x, n: round(x, n), lambda x, n: np.round(x, n), lambda x, n: np.array([x, x]).round(n)]


@pytest.mark.parametrize("kind", KINDS)
def test_numbers(kind):
    for x, f in itertools.product([v for v in FLOATS if v != 1e22], ROUNDED):
        check(f, (kind(x),), "python", refused=True)
    for x, f, n in itertools.product(FLOATS, TO, (0, 1, 2, -1, -3)):
        check(f, (kind(x), n), "python")


@pytest.mark.parametrize("kind", OF_INTEGERS)
def test_integers(kind):
    for x in INTEGERS if kind is not np.uint8 else map(abs, INTEGERS):
        for f in ROUNDED[:2]:
            check(f, (kind(x),), "python")
        for f, n in itertools.product(TO, (0, 2, -1, -2, -5)):
            check(f, (kind(x), n), "python")


@pytest.mark.parametrize(
    "x", [2.675, 1.005, np.float64(2.675), 25, np.int8(127), float("inf")], ids=str
)
@pytest.mark.parametrize("n", [2, -1])
def test_compiled(x, n):
    check(lambda x, n: (round(x, n), np.round(x, n)), (x, n), "cpu")


def test_gradient():
    assert flow.grad(lambda x: x * round(x, 2) + math.floor(x) * x)(2.675) == 2.67 + 2


def test_sequences_of_rounded():
    def f(x):
        return [round(v, 1) for v in x.tolist()], [round(v) for v in x]

    check(f, (np.array([0.25, 0.35, 2.5]),), "cpu")
