"""Functions of scipy.special where their formulas end, in the dtypes that SciPy gives."""

import itertools
import math

import numpy as np
import pytest
from scipy import special

from tests.frontend.scalars import check

OF_ONE = [
    lambda x: special.logit(x), lambda x: special.exprel(x), lambda x: special.entr(x),
    lambda x: special.cosm1(x), lambda x: special.rgamma(x), lambda x: special.log_expit(x),
    lambda x: special.exp10(x), lambda x: special.gammasgn(x), lambda x: special.expm1(x),
    lambda x: special.log1p(x), lambda x: special.exp2(x), lambda x: special.cbrt(x),
    lambda x: special.sindg(x), lambda x: special.cosdg(x),
]  # fmt: skip
OF_TWO = [
    lambda x, y: special.rel_entr(x, y), lambda x, y: special.kl_div(x, y),
    lambda x, y: special.huber(x, y), lambda x, y: special.pseudo_huber(x, y),
    lambda x, y: special.boxcox(x, y), lambda x, y: special.boxcox1p(x, y),
    lambda x, y: special.chdtr(x, y), lambda x, y: special.chdtrc(x, y),
]  # fmt: skip
KINDS = [float, int, np.float32, np.int8, np.int32]


@pytest.mark.parametrize("kind", [*KINDS, np.int16, np.float64])
def test_dtypes_of_one_argument(kind):
    for f in OF_ONE:
        check(f, (kind(2),), "python", 3e-7)
        check(f, (np.array([2, 3], kind),), "python", 3e-7)


@pytest.mark.parametrize(("kind", "other"), [*itertools.product(KINDS, KINDS)])
def test_dtypes_of_two_arguments(kind, other):
    for f in OF_TWO:
        check(f, (np.array([1, 2], kind), other(3)), "python", 3e-7)


def test_singles_beside_doubles_are_computed_in_doubles():
    x, y = np.float32(0.3), np.array([0.1, 0.5, 2.0])
    for f in OF_TWO:
        check(f, (x, y), "python", 1e-13)


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize(
    ("f", "points"),
    [
        (OF_ONE[0], (0.5, 0.5 + 1e-10, 0.5 - 1e-10, 0.3, 0.65, 1e-300, 0.0, 1.0, 2.0)),
        (OF_ONE[1], (0.0, 1e-20, 1.0, -1.0, 709.0, 710.0, 720.0, math.inf, -math.inf, -1e3)),
        (OF_ONE[2], (0.0, 1e-300, 2.0, -1.0, math.inf, math.nan)),
        (OF_ONE[4], (0.0, -1.0, -1000.0, 170.0, 171.5, 180.0, -0.5, -150.5, math.nan)),
        *(
            (f, (-0.0, 30.0, -45.0, 180.0, -180.0, 270.0, 1e13, 1e15, math.inf, math.nan, 700.1))
            for f in OF_ONE[-2:]
        ),
    ],
    ids=["logit", "exprel", "entr", "rgamma", "sindg", "cosdg"],
)
def test_edges_of_one_argument(f, points, target):
    check(f, (np.array(points),), target, 1e-15 if target == "python" else 2e-15)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_edges_of_two_arguments(target):
    x = np.array([1e10, 1e10 + 1.0, 0.5, 1.0, 3.0, 0.0, math.nan, -1.0])
    y = np.array([1e10 + 1.0, 1e10, 0.5, 2.5, 1.0, 2.0, -1.0, math.nan])
    check(OF_TWO[0], (x, y), target, 1e-14)
    check(OF_TWO[1], (x[2:], y[2:]), target, 1e-13)
    x = np.array([0.0, 0.0, 0.0, 0.5, 2.0, math.inf, math.inf])
    powers = np.array([0.0, 0.3, -2.0, 0.0, 1e-20, 0.5, -1.0])
    check(OF_TWO[4], (x, powers), target, 1e-14)
    check(OF_TWO[5], (x - 1.0, powers), target, 1e-14)
    delta, r = np.array([1.0, 2.0, 1e200, 0.0, -1.0]), np.array([1e120, math.inf, 0.0, 1.0, 1.0])
    check(OF_TWO[3], (delta, r), target, 1e-14)


@pytest.mark.filterwarnings("ignore:floating point number truncated")
@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", [lambda n, x: special.yn(n, x), lambda n, x: special.kn(n, x)])
def test_integer_orders_are_cut_off(f, target):
    x = np.array([0.5, 1.0, 50.0, 1000.0])
    for n in (0, 1, 3, 0.9, 2.5, np.array([0, 1, 2, 3])):
        check(f, (n, x), target, 1e-14)
