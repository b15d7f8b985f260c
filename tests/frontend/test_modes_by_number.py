"""Modes of indices by the numbers of NumPy's C interface, and axes as a range."""

import numpy as np
import pytest

import srcgrad as flow

PLACES = np.array([0, 4, -1, 2])


@pytest.mark.parametrize("mode", [0, 1, "wrap", "clip", (0, "wrap"), ["clip", 1]])
def test_the_mode_of_an_index(mode):
    def f(k):
        return np.ravel_multi_index((k, k), (3, 3), mode=mode)

    np.testing.assert_array_equal(flow.compile(f, target="python")(PLACES), f(PLACES))


@pytest.mark.parametrize("mode", [2, None, "raise", 3])
def test_modes_that_raise(mode):
    def f(k):
        return np.ravel_multi_index((k, k), (3, 3), mode=mode)

    for call in (f, flow.compile(f, target="python")):
        with pytest.raises(ValueError, match=r"."):
            call(PLACES)
    if mode != 3:
        inside = np.array([0, 2])
        np.testing.assert_array_equal(flow.compile(f, target="python")(inside), f(inside))


@pytest.mark.parametrize("axes", [range(2), range(1, 2), range(0)])
def test_axes_of_a_range(axes):
    def f(x):
        return np.apply_over_axes(np.sum, x, axes)

    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(flow.compile(f, target="python")(x), f(x))
