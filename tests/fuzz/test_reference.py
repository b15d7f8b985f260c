"""Slopes by differences: of smooth functions, at kinks, beside jumps."""

import math

import pytest

from tests.fuzz.reference import NotSmooth, slope


def test_slope_of_a_smooth_function():
    got = slope(lambda h: math.sin(3 * (0.4 + h)))
    assert not got.differs(3 * math.cos(1.2))
    assert got.differs(3 * math.cos(1.2) + 1e-5)
    assert got.differs(math.nan)


@pytest.mark.parametrize(
    "phi",
    [
        lambda h: abs(h),
        lambda h: max(h, 0.3 * h),
        lambda h: float(h > 0),
        lambda h: float(h >= 0) + h,
        lambda h: abs(h - 3e-6),
        lambda h: math.nan,
    ],
)
def test_no_slope_at_a_kink(phi):
    with pytest.raises(NotSmooth):
        slope(phi)


def test_slope_beside_a_jump():
    assert not slope(lambda h: 2 * h + (h > 4e-4)).differs(2)
    assert not slope(lambda h: abs(h - 4e-4)).differs(-1)
