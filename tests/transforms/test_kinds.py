"""Kinds of arguments: numbers, arrays, containers; a gradient is of its argument's kind."""

import enum
import itertools
import re
from collections import OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass, field

import numpy as np
import pytest

import srcgrad as flow


def compiled(f):
    return flow.compile(f, target="python")


@compiled
def square(x):
    return x * x


Pair = namedtuple("Pair", "left right")


@dataclass
class Model:
    weight: np.ndarray
    bias: float
    steps: int = 2
    made: list = field(default_factory=list)

    def __post_init__(self):
        assert self.steps > 0, "a gradient must not run this"


# ---- dtypes ----
@pytest.mark.parametrize(
    "x",
    [1.5, np.float32(1.5), np.float64(1.5), np.array(1.5), np.array(1.5, np.float32),
     np.ones(3, np.float32), np.ones((2, 1), np.float64)],
    ids=["float", "f32", "f64", "0-d f64", "0-d f32", "array f32", "array f64"],
)  # fmt: skip
def test_gradients_have_the_kind_of_their_argument(x):
    gradient = flow.grad(square)(x)
    assert type(gradient) is type(x)
    if not isinstance(x, float) or isinstance(x, np.generic):
        assert gradient.dtype == x.dtype and gradient.shape == x.shape
    np.testing.assert_array_equal(gradient, 2 * x)


def test_values_have_the_kind_that_python_gives():
    for x in (1.5, np.float32(1.5), np.ones(2, np.float32)):
        value, _ = flow.value_and_grad(square)(x)
        assert type(value) is type(square.function(x))
        assert np.asarray(value).dtype == np.asarray(square.function(x)).dtype


def test_float32_weights_beside_a_python_float():
    @compiled
    def f(x, a):
        return np.sum(x * a)

    dx, da = flow.grad(f, (0, 1))(np.ones(3, np.float32), 2.0)
    assert dx.dtype == np.float32 and type(da) is float and da == 3.0


def test_int_arguments_are_untouched():
    @compiled
    def f(x, n):
        for _ in range(n):
            x = x * 2.0
        return x

    assert flow.grad(f)(1.0, 3) == 8.0
    assert flow.grad(f)(1.0, np.int32(2)) == 4.0


@pytest.mark.parametrize(
    ("n", "way"),
    [(3, "pass a float, such as 3.0"), (True, "pass a float, such as 1.0"),
     (np.arange(3), r"use \.astype\(float\)"), (np.int32(3), r"use \.astype\(float\)")],
)  # fmt: skip
def test_int_arguments_have_no_gradient(n, way):
    with pytest.raises(TypeError, match=f"argument 'x' .*only floats have gradients\n.*{way}"):
        flow.grad(square)(n)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_gradients_of_arrays_without_axes_that_are_stored_to(target):
    def doubled(x, y):
        x *= y
        return np.sum(x * x)

    f = flow.compile(doubled, target=target)
    for y in (np.array(3.0), np.array([1.0, 2.0, 0.5])[0], 2.0):
        x, want = np.array(2.0), 4.0 * y * y
        made = flow.grad(f, (0, 1))(x, y)
        assert [type(g) for g in made] == [np.ndarray, type(y)]
        assert made[0] == want and np.shape(made[0]) == () and x == 2.0
        assert type(flow.jacrev(f)(x, y)) is np.ndarray and flow.jacrev(f)(x, y) == want


# ---- containers ----
def test_tuples_dicts_and_lists_keep_their_structure():
    @compiled
    def f(p):
        (a, b), c = p["layers"], p["scale"]
        return c * (a * a + np.sum(b)) * len(p["names"])

    p = {"layers": (2.0, np.ones(2)), "scale": 3.0, "names": ["u", "v"]}
    g = flow.grad(f)(p)
    assert list(g) == ["layers", "scale", "names"]
    assert type(g["layers"]) is tuple and g["layers"][0] == 24.0
    assert g["layers"][1].tolist() == [6.0, 6.0] and g["scale"] == 12.0
    assert g["names"] == [None, None]


def test_named_tuples_are_named_tuples_again():
    @compiled
    def f(p):
        return p.left * p.left * p.right

    assert flow.grad(f)(Pair(3.0, 2.0)) == Pair(12.0, 9.0)
    assert type(flow.grad(f)(Pair(3.0, 2.0))) is Pair


def test_dataclasses_are_rebuilt_without_init():
    @compiled
    def f(m, x):
        return m.steps * np.sum(m.weight * x) + m.bias

    g = flow.grad(f)(Model(np.ones(2), 1.0), np.array([3.0, 4.0]))
    assert type(g) is Model and g.weight.tolist() == [6.0, 8.0] and g.bias == 1.0
    assert g.steps is None and g.made == []


def test_a_returned_list_is_a_list():
    @compiled
    def f(x):
        return {"parts": [x, (2.0 * x, [])]}

    got = f(3.0)
    assert got == {"parts": [3.0, (6.0, [])]} and type(got["parts"]) is list
    assert f(3.0)["parts"] is not got["parts"]


def test_returned_containers_are_rebuilt():
    @compiled
    def f(x):
        return Pair(x, {"twice": 2.0 * x, "text": "kept", "none": None})

    assert f(3.0) == Pair(3.0, {"twice": 6.0, "text": "kept", "none": None})


@dataclass
class Doubled:
    weight: float

    def of(self, x):
        return 2.0 * self.weight * x


@dataclass
class Squared:
    weight: float

    def of(self, x):
        return self.weight * x * x


def test_signatures_tell_containers_with_the_same_leaves_apart():
    def f(x, parts):
        if isinstance(parts, tuple):
            return x
        if isinstance(parts, list):
            return 2.0 * x * len(parts)
        if isinstance(parts, dict):
            return 3.0 * x * sum(parts.values())
        return parts.of(x)

    g = flow.grad(flow.compile(f, target="python"))
    given = [(1.0,), [1.0], {"a": 1.0}, {"b": 1.0}, Doubled(1.0), Squared(1.0), [], (), {}, [[1.0]]]
    want = [1.0, 2.0, 3.0, 3.0, 2.0, 6.0, 0.0, 1.0, 0.0, 2.0]
    assert [g(3.0, parts) for parts in given] == want


class Named:
    """Instances are equal by name, whatever they hold."""

    def __init__(self, name, factor):
        self.name, self.factor = name, factor

    def __eq__(self, other):
        return self.name == other.name

    def __hash__(self):
        return hash(self.name)


def test_static_arguments_that_are_equal_are_not_the_same():
    g = flow.grad(flow.compile(lambda x, named: x * named.factor, target="python"))
    assert [g(1.0, Named("a", k)) for k in (2.0, 3.0)] == [2.0, 3.0]


def test_sets_as_static_arguments():
    g = flow.grad(flow.compile(lambda x, s: x * sum(sorted(s)), target="python"))
    assert [g(1.0, {k, 1}) for k in (2, 3, 4)] == [3.0, 4.0, 5.0]
    changed = {1}
    assert g(1.0, changed) == 1.0
    changed.add(5)
    assert g(1.0, changed) == 6.0


@pytest.mark.parametrize(
    ("x", "way"),
    [(np.array([None, 1.0]).view(np.matrix), "np.asarray(x)"),
     (np.ma.masked_array([1.0, 2.0], [0, 1]), "x.filled(0.0)"),
     (np.ones(2, ">f8"), "x.astype(float)"), (np.ones(2, np.longdouble), "x.astype(float)"),
     (np.array([1.0, None]), "np.asarray(x, float)")],
    ids=["matrix", "masked", "big-endian", "longdouble", "object"],
)  # fmt: skip
def test_arrays_that_are_not_plain_are_refused(x, way):
    f = flow.compile(lambda x: (x * x).sum(), target="python")
    assert f(np.ones((2, 2))) == 4.0  # a signature of plain arrays is not taken for them
    for transform in (f, flow.grad(f)):
        with pytest.raises(flow.errors.ArgumentTypeError, match=re.escape(way)):
            transform(x)


# ---- classes derived from Python's numbers and containers ----
class Metres(float):
    """Is a number in everything."""

    def doubled(self):
        return 2.0 * self


class Minutes(float):
    def __mul__(self, other):
        return 60.0 * float(self) * other


class Shifted(int):
    def __add__(self, other):
        return int(self) + other + 1


class Settings(dict):
    """Has names instead of keys; it is a dict otherwise."""

    def __getattr__(self, name):
        return self[name]


class Scaled(dict):
    def __getitem__(self, key):
        return 10.0 * dict.__getitem__(self, key)


class Emptied(dict):
    def __bool__(self):
        return False


class Reversed(list):
    def __iter__(self):
        return iter(self[::-1])


class Longer(tuple):
    __slots__ = ()

    def __len__(self):
        return 5


class Turned(Pair):
    def __getitem__(self, k):
        return tuple.__getitem__(self, 1 - k)


class Vector(Pair):
    """A named tuple whose operators are followed."""

    def __add__(self, other):
        return Vector(self.left + other.left, self.right + other.right)


class Level(enum.IntEnum):
    LOW = 2


REDEFINED = {
    "a number": (lambda p: p * 2.0, Minutes(2.0)),
    "an integer": (lambda p: p + 1, Shifted(2)),
    "items of a dict": (lambda p: p["a"], Scaled(a=1.0)),
    "a dict that is false": (lambda p: p["a"] if p else 0.0, Emptied(a=1.0)),
    "order of a list": (lambda p: next(iter(p)), Reversed([1.0, 2.0])),
    "length of a tuple": (lambda p: len(p) * p[0], Longer((1.0, 2.0))),
    "items of a named tuple": (lambda p: p[0], Turned(1.0, 2.0)),
}


@pytest.mark.parametrize("what", REDEFINED)
def test_arguments_of_classes_that_redefine_what_they_derive_from_are_refused(what):
    f, value = REDEFINED[what]
    plain, g = next(c for c in (int, float, dict, list, tuple) if isinstance(value, c)), compiled(f)
    if not hasattr(value, "_fields"):
        g(plain(value))  # a signature of plain ones is not taken for them
    name = plain.__name__
    with pytest.raises(TypeError, match=rf"it is no plain {name}\s.*pass {name}\(p\)"):
        g(value)
    captured = compiled(lambda x: x + f(value))
    if not hasattr(value, "_fields"):
        assert captured(1.0) == 1.0 + f(value)
        return
    with pytest.raises(flow.UnsupportedError, match=f"it is no plain {name}"):
        captured(1.0)


def test_other_derived_classes_are_what_they_derive_from():
    for f, value, want in (
        (lambda p: p * p, Metres(2.0), 4.0),
        (lambda p: 2.5 * p["a"] ** 2, Settings(a=2.0), 10.0),
        (lambda p: (p + p).left, Vector(1.0, 2.0), 2.0),
        (lambda p: p["a"] * p["b"], OrderedDict(a=2.0, b=3.0), 6.0),
        (lambda p: p["a"] * 3.0, defaultdict(float, a=2.0), 6.0),
        (lambda p: p * 2.0, Level.LOW, 4.0),
    ):
        assert compiled(f)(value) == f(value) == want
        assert compiled(lambda x, f=f, value=value: x * f(value))(1.0) == want


def read_only(x):
    x.flags.writeable = False
    return x


def spread(x):
    return x[1:], np.sum(x * x)


def overwritten(x):
    x[0] = 2.0
    return np.sum(x * x)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_read_only_arrays(target):
    """They are read and differentiated like others; a store to one raises, as NumPy does."""
    f, g = (flow.compile(h, target=target) for h in (spread, overwritten))
    for x in (read_only(np.arange(3.0)), np.broadcast_to(2.0, 3), read_only(np.arange(6.0))[::-2]):
        part, total = f(x)
        assert np.array_equal(part, x[1:]) and total == np.sum(x * x)
        assert not part.flags.writeable
        assert np.array_equal(flow.grad(f)(x), 2.0 * x + (np.arange(3) > 0))
        kept = x.copy()
        with pytest.raises(ValueError, match="read-only") as caught:
            g(x)
        assert "x[0] = 2.0" in str(caught.value)
        assert flow.grad(g)(x)[0] == 0.0 and np.array_equal(x, kept)


def test_the_gradient_of_an_empty_container_is_empty():
    @flow.compile(target="python")
    def f(parts, x):
        return parts.get("a", x) ** 2

    assert flow.grad(f, (0, 1))({}, 2.0) == ({}, 4.0)
    assert flow.grad(f, (0, 1))({"a": 3.0}, 2.0) == ({"a": 6.0}, 0.0)
    assert flow.jvp(f, ({}, 2.0), ({}, 1.0)) == (4.0, 4.0)
    with pytest.raises(TypeError, match="only floats have gradients"):
        flow.grad(f)({"a": 3}, 2.0)


# ---- a length that one kind of argument must have, and another has not ----
def _sorted(x):
    ndim = np.ndim(x)
    if ndim == 0:
        return 2.0 * x
    values = sorted(x) if ndim == 1 else sorted(x[0])
    return sum(v * (k + 1) for k, v in enumerate(values))


NUMBER, VECTOR, MATRIX = 0.7, np.array([2.0, 1.0, 4.0]), np.array([[3.0, 1.0], [5.0, 6.0]])


@pytest.mark.parametrize("fresh", [False, True], ids=["one object", "made anew"])
@pytest.mark.parametrize("order", [*itertools.permutations((NUMBER, VECTOR, MATRIX, VECTOR[:2]))])
def test_lengths_of_one_kind_of_argument(order, fresh):
    def made():
        return compiled(lambda x: _sorted(x))

    f = made()
    for x in (*order, *order):
        f = made() if fresh else f
        assert f(x) == pytest.approx(_sorted(x))
        assert np.shape(flow.grad(f)(x)) == np.shape(x)
