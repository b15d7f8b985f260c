"""What a function captures: arrays and floats are read at each call, the rest is guarded."""

import types
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import srcgrad as flow

WEIGHTS = np.array([1.0, 2.0])
SCALE = 2.0
POWER = 2
TABLE = {"gain": 3.0}


@dataclass
class Gain:
    gain: float

    def times(self, x):
        return self.gain * x


class Weighted(NamedTuple):
    weights: np.ndarray


def compiled(f):
    return flow.compile(f, target="python")


def test_captured_arrays_and_floats_are_read_afresh(monkeypatch):
    @compiled
    def f(x):
        return SCALE * np.sum(WEIGHTS * x)

    g, x = flow.grad(f), np.ones(2)
    assert g(x).tolist() == [2.0, 4.0]
    WEIGHTS[0] = 10.0
    try:
        assert g(x).tolist() == [20.0, 4.0]
    finally:
        WEIGHTS[0] = 1.0
    monkeypatch.setitem(globals(), "WEIGHTS", np.array([5.0, 5.0]))
    monkeypatch.setitem(globals(), "SCALE", 1.0)
    assert g(x).tolist() == [5.0, 5.0]


def test_a_captured_array_may_change_its_kind(monkeypatch):
    @compiled
    def f(x):
        return np.sum(WEIGHTS * x)

    g = flow.grad(f)
    assert g(1.0) == 3.0
    monkeypatch.setitem(globals(), "WEIGHTS", np.ones((3, 2), np.float32))
    assert g(1.0) == 6.0 and f(1.0) == 6.0


def test_captured_ints_are_guarded(monkeypatch):
    @compiled
    def f(x):
        return x**POWER

    g = flow.grad(f)
    assert g(3.0) == 6.0
    for power, want in ((3, 27.0), (4, 108.0), (3, 27.0), (2, 6.0)):
        monkeypatch.setitem(globals(), "POWER", power)
        assert g(3.0) == pytest.approx(want)


def test_a_captured_float_that_must_be_known_is_guarded(monkeypatch):
    @compiled
    def f(x):
        return np.sum(np.ones(int(SCALE)) * x)

    assert flow.grad(f)(1.0) == 2.0
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    assert flow.grad(f)(1.0) == 3.0


def test_forward_mode_with_captured_values():
    @compiled
    def f(x):
        return np.sum(WEIGHTS * x * x) * SCALE

    assert flow.jvp(f, (3.0,), (1.0,)) == (54.0, 36.0)
    assert flow.vjp(f, 3.0)[1](1.0) == (36.0,)
    assert flow.jvp(flow.grad(f), (3.0,), (1.0,)) == (36.0, 12.0)


def test_an_argument_that_is_also_captured_and_stored_to():
    @compiled
    def f(x):
        x[0] = 10.0
        return np.sum(WEIGHTS * x)

    with pytest.raises(flow.UnsupportedError, match="share memory"):
        flow.grad(f)(WEIGHTS)
    assert flow.grad(f)(WEIGHTS.copy()).tolist() == [0.0, 2.0]
    got = f(WEIGHTS)
    WEIGHTS[0] = 1.0
    assert got == 104.0


def plain_gain(x):
    return x * TABLE["gain"]


def test_captured_containers_and_functions_are_guarded(monkeypatch):
    helper = plain_gain

    @compiled
    def f(x):
        return helper(x) * x

    g = flow.grad(f)
    assert g(2.0) == 12.0
    monkeypatch.setitem(TABLE, "gain", 4.0)
    assert g(2.0) == 16.0
    helper = np.sin  # the closure sees it
    assert g(2.0) == pytest.approx(np.sin(2.0) + 2.0 * np.cos(2.0))


def test_what_a_closure_captures_is_written_to_only_by_a_direct_call():
    log = np.zeros(2)

    @compiled
    def f(x):
        log[0] = x
        return log[0] * log[0]

    assert flow.grad(f)(3.0) == 6.0 and log[0] == 0.0
    assert f(3.0) == 9.0 and log[0] == 3.0


ITEMS = [1.0, 2.0]


def test_what_a_captured_list_or_dict_holds_is_guarded(monkeypatch):
    monkeypatch.setitem(globals(), "ITEMS", [1.0, 2.0])

    @compiled
    def f(x):
        return x * sum(ITEMS) * len(TABLE)

    g = flow.grad(f)
    assert g(2.0) == 3.0
    ITEMS.append(4.0)
    assert g(2.0) == 7.0
    monkeypatch.setitem(TABLE, "loss", 1.0)
    assert g(2.0) == 14.0


def test_a_captured_named_tuple_holds_its_array_by_reference():
    held = Weighted(np.ones(2))
    g = flow.grad(compiled(lambda x: np.sum(held.weights * x)))
    assert g(np.ones(2)).tolist() == [1.0, 1.0]
    held.weights[0] = 5.0
    assert g(np.ones(2)).tolist() == [5.0, 1.0]


def test_a_captured_set_is_guarded():
    known = {"a"}
    g = flow.grad(compiled(lambda x: x * (2.0 if "b" in known else 1.0)))
    assert g(1.0) == 1.0
    known.add("b")
    assert g(1.0) == 2.0


def with_list_default(x, factors=[2.0]):  # noqa: B006 (such a default is tested)
    return x * sum(factors)


def with_float_default(x, factor=2.0):
    return x * factor


def test_defaults_of_helpers_are_guarded(monkeypatch):
    g = flow.grad(compiled(lambda x: with_list_default(x) + with_float_default(x)))
    assert g(1.0) == 4.0
    monkeypatch.setattr(with_list_default, "__defaults__", ([3.0],))
    monkeypatch.setattr(with_float_default, "__defaults__", (4.0,))
    assert g(1.0) == 7.0


def test_reloaded_code_is_seen(monkeypatch):
    """What a notebook's autoreload does: the function stays, its code is replaced."""
    g = flow.grad(compiled(lambda x: with_float_default(x)))
    assert g(1.0) == 2.0
    monkeypatch.setattr(with_float_default, "__code__", with_square.__code__)
    assert g(1.0) == 4.0


def with_square(x, factor=2.0):
    return x * x * factor


def test_functions_of_modules_and_classes_are_guarded(monkeypatch):
    module = types.ModuleType("module")
    module.scale = with_float_default  # type: ignore[attr-defined]
    g = flow.grad(compiled(lambda x: module.scale(x) + Gain(3.0).times(x)))
    assert g(1.0) == 5.0
    module.scale = with_square  # type: ignore[attr-defined]
    assert g(1.0) == 7.0
    monkeypatch.setattr(Gain, "times", lambda self, x: self.gain * x * x)
    assert g(1.0) == 10.0


class Tuned:
    """A class whose members are all replaced, one after the other."""

    rate = 2.0

    def __init__(self, start=1.0):
        self.start = start

    @property
    def slope(self):
        return self.start * 2.0

    @staticmethod
    def square(x):
        return x * x

    @classmethod
    def rated(cls, x):
        return cls.rate * x

    def __call__(self, x):
        return 3.0 * x

    def __neg__(self):
        return 4.0


@dataclass
class Doubled:
    value: float

    def __post_init__(self):
        self.value = 2.0 * self.value


class Steeper(Tuned):
    @property
    def slope(self):
        return 100.0

    def __call__(self, x):
        return 200.0 * x

    @classmethod
    def rated(cls, x):
        return super().rated(x)


tuned = Tuned()
REPLACED = {
    "a property": (lambda x: tuned.slope * x, "slope", property(lambda self: 10.0)),
    "a call": (lambda x: tuned(x), "__call__", lambda self, x: 10.0 * x),
    "an operator": (lambda x: -tuned * x, "__neg__", lambda self: 10.0),
    "a property inside": (lambda x: Tuned().slope * x, "slope", property(lambda self: 10.0)),
    "a call inside": (lambda x: Tuned()(x), "__call__", lambda self, x: 10.0 * x),
    "__init__": (lambda x: Tuned().start * x, "__init__", lambda self: setattr(self, "start", 9.0)),
    "a static method": (lambda x: Tuned().square(x), "square", staticmethod(lambda x: 10.0 * x)),
    "a class method": (lambda x: Tuned().rated(x), "rated", classmethod(lambda cls, x: 9.0 * x)),
    "by super": (lambda x: Steeper().rated(x), "rated", classmethod(lambda cls, x: 9.0 * x)),
}


@pytest.mark.parametrize("what", REPLACED)
def test_members_of_classes_are_guarded(monkeypatch, what):
    """Also those that no name in the program leads to: properties, special methods."""
    f, name, new = REPLACED[what]
    g = compiled(f)
    assert g(2.0) == f(2.0)
    before = f(2.0)
    monkeypatch.setattr(Tuned, name, new)
    assert g(2.0) == f(2.0) != before


def test_post_init_is_guarded(monkeypatch):
    g = flow.grad(compiled(lambda x: Doubled(x).value))
    assert g(1.0) == 2.0
    monkeypatch.setattr(Doubled, "__post_init__", lambda self: None)
    assert g(1.0) == 1.0


def test_the_class_of_a_captured_instance_is_guarded(monkeypatch):
    g = compiled(lambda x: tuned.slope + tuned(x) + tuned.rated(x))
    assert g(1.0) == 7.0
    monkeypatch.setattr(tuned, "__class__", Steeper)
    assert g(1.0) == 302.0


def test_a_builtin_that_the_module_redefines(monkeypatch):
    g = flow.grad(compiled(lambda x: abs(x)))
    assert g(1.0) == 1.0
    monkeypatch.setitem(globals(), "abs", lambda x: 3.0 * x)
    assert g(1.0) == 3.0
