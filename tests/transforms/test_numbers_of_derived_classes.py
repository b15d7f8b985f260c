"""Numbers of classes that derive from Python's: which class they are of."""

import enum

import pytest

import srcgrad as flow


class Metres(float):
    """Is a number in everything."""


class Level(enum.IntEnum):
    LOW = 2


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("value", [Metres(2.0), Level.LOW])
def test_a_captured_number_of_a_derived_class_keeps_its_class(value, target):
    def f(x):
        scale = 3.0 if isinstance(value, Metres) else 5.0 if type(value) is Level else 7.0
        return x * value * scale

    found = flow.value_and_grad(flow.compile(f, target=target))
    assert found(1.5) == (f(1.5), f(1.0))


@pytest.mark.parametrize("value", [Metres(2.0), 2.0, 2])
def test_whether_an_argument_is_of_a_derived_class_is_not_known(value):
    f = flow.compile(lambda x: x * (3.0 if isinstance(x, (Metres, Level)) else 5.0))
    with pytest.raises(flow.UnsupportedError, match="whether a number is a Metres is not known"):
        f(value)
