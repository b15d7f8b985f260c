"""What flatten, unflatten and register do wrong is refused, with a way out that works."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from tests.transforms.registered import Derived, Layer, X, compiled, layer


# ---- what is refused ----
def kind(flatten, unflatten):
    """A class with these two functions, which holds one value and a name."""

    class Thing:
        """It is registered."""

        def __init__(self, x, name=None):
            self.x, self.name = x, name

    HELD[0] = Thing
    flow.tree.register(Thing, flatten, unflatten)
    return Thing


HELD = [object]


def first(static, parts):
    return HELD[0](parts[0], static)


def line_of(function):
    return f"{__file__}:{function.__code__.co_firstlineno}"


def no_pair(v):
    return v.x


def three(v):
    return v.x, v.name, None


def bare_child(v):
    return v.x, v.name


def unhashable(v):
    return (v.x,), {"name": v.name}


def new_arrays(v):
    return (v.x + 0.0,), v.name


def named_child(v):
    return (v.x, [v.name]), None


def in_turn(v):
    v.turn = not getattr(v, "turn", False)
    return ((v.x,) if v.turn else (v.x, v.x)), v.name


REFUSED = [
    (no_pair, "no pair"),
    (three, "3 values"),
    (bare_child, "neither a tuple nor a list"),
    (unhashable, "not hashable (a dict)"),
    (new_arrays, "new arrays each time"),
    (named_child, "child 1 of Thing is a string in it"),
    (in_turn, "in two ways"),
]


def plain(v):
    return (v.x,), v.name


@pytest.mark.parametrize(("flatten", "text"), REFUSED, ids=lambda v: getattr(v, "__name__", ""))
@pytest.mark.parametrize("captured", [False, True])
def test_what_flatten_does_wrong(flatten, text, captured):
    value = kind(flatten, first)(X.copy(), "name")
    if captured:
        f, args = compiled(lambda x: np.sum(value.x * x)), (X,)
    else:
        f, args = compiled(lambda v: np.sum(v.x)), (value,)
    with pytest.raises(ArgumentTypeError) as caught:
        f(*args)
    assert text in str(caught.value) and line_of(flatten) in str(caught.value)
    assert "Thing" in str(caught.value) and caught.value.way_out


def converts(name, parts):
    thing = object.__new__(HELD[0])
    thing.x, thing.name = np.array(parts[0], float), name
    return thing


def raises(name, parts):
    if parts[0] is None:
        raise ValueError("no x")
    return HELD[0](parts[0], name)


def another_class(name, parts):
    return parts


def forgets(name, parts):
    return HELD[0](parts[0])


@pytest.mark.parametrize(
    ("unflatten", "text"),
    [
        (converts, "converts or copies its children"),
        (another_class, "returns tuple"),
        (forgets, "another static part"),
    ],
)
def test_what_unflatten_does_wrong(unflatten, text):
    thing = kind(plain, unflatten)
    with pytest.raises(ArgumentTypeError) as caught:
        compiled(lambda v: np.sum(v.x))(thing(X, "name"))
    assert text in str(caught.value) and line_of(unflatten) in str(caught.value)
    assert "object.__new__(Thing)" in str(caught.value)


def test_an_unflatten_that_wants_no_none():
    thing = kind(plain, raises)
    f = flow.grad(compiled(lambda c: np.sum(c["v"].x) * c["y"]))
    with pytest.raises(ArgumentTypeError, match="fails: ValueError: no x"):
        f({"v": thing(3), "y": 2.0})  # the gradient by an integer is None


def test_the_way_out_of_an_unflatten_that_converts():
    class Thing:
        """It converts, in its constructor alone."""

        def __init__(self, x):
            self.x = np.array(x, float)

    def unflatten(_, parts):
        made = object.__new__(Thing)
        (made.x,) = parts
        return made

    flow.tree.register(Thing, lambda v: ((v.x,), None), unflatten)
    g = flow.grad(compiled(lambda v: np.sum(v.x * v.x)))(Thing([1, 2]))
    np.testing.assert_array_equal(g.x, [2.0, 4.0])


def test_a_static_part_that_is_computed():
    thing = kind(plain, first)

    def f(x):
        return thing(x, x * 2.0)

    with pytest.raises(ArgumentTypeError, match="in the static part, which") as e:
        compiled(f)(3.0)
    assert line_of(plain) in str(e.value) and "make it a child" in str(e.value)


def test_what_cannot_be_registered():
    def register(cls):
        flow.tree.register(cls, plain, lambda static, parts: None)

    class Numbers(list):
        """A list."""

    for cls in (Layer, Derived):
        with pytest.raises(ArgumentValueError, match=f"{cls.__name__} is registered already"):
            register(cls)
    for cls in (Numbers, tuple, dict, float, np.ndarray, flow.Tensor, flow.Parameter, object, str):
        with pytest.raises(ArgumentTypeError, match="srcgrad knows what its instances are"):
            register(cls)
    with pytest.raises(ArgumentTypeError, match="takes a class"):
        register(layer())
    with pytest.raises(ArgumentTypeError, match="unflatten of Loose is no function"):
        flow.tree.register(type("Loose", (), {}), plain, None)
