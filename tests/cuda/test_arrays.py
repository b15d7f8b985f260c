"""Arguments on their way to a device and back; the simulator has NumPy's arrays."""

import numpy as np
import pytest

from srcgrad.backends.cuda.arrays import Arguments
from srcgrad.backends.cuda.simulator import Simulator


def test_host_arrays_are_copied_over_and_what_was_stored_comes_back():
    x, y = np.zeros(3), np.zeros(3)
    entered = Arguments(Simulator(), [x, y, 2.0])
    for value in entered.values[:2]:
        value += 1
    assert not x.any() and not y.any() and entered.values[2] == 2.0
    (result,) = entered.leave([entered.values[0] * 2], stored=[1])
    assert result.tolist() == [2, 2, 2] and type(result) is np.ndarray
    assert not x.any() and y.tolist() == [1, 1, 1]


def test_host_arrays_in_any_order():
    x = np.arange(6.0).reshape(2, 3).T
    entered = Arguments(Simulator(), [x])
    entered.values[0][...] *= 2
    entered.leave([], stored=[0])
    assert x.tolist() == [[0, 6], [2, 8], [4, 10]]


def test_an_argument_that_is_returned_is_the_callers():
    x = np.ones(2)
    entered = Arguments(Simulator(), [x, 1.0])
    assert entered.leave([entered.values[0], 1.0])[0] is x


@pytest.mark.parametrize("value", [1, 2.5, True, np.float32(3)])
def test_numbers_stay(value):
    entered = Arguments(Simulator(), [value])
    assert entered.values == [value] and entered.leave([value]) == (value,)


def test_what_was_copied_is_said_once(caplog):
    from srcgrad.backends.cuda import arrays

    arrays._say_once.cache_clear()
    with caplog.at_level("INFO", "srcgrad"):
        for _ in range(3):
            Arguments(Simulator(), [np.ones(1)])
        assert len(caplog.records) == 1
