"""Guards: values that are gone, tests that agree with their text, and what a fast path reads."""

import pickle
import types

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.frontend.guards import Path, Step, Unchanged, attribute, item
from srcgrad.transforms.call_lengths import Lengths
from srcgrad.transforms.fast_path import MISS, FastPath
from srcgrad.transforms.value_tests import InputKind, Kind, Shape
from srcgrad.tree import Leaf


def with_cells():
    n, weights = 3, np.ones(2)

    def f(x):
        return np.sum(x * weights) * n

    def unbind(name):
        nonlocal n, weights
        if name == "n":
            del n
        else:
            del weights

    return f, unbind


@pytest.mark.parametrize("name", ["n", "weights"])
def test_a_captured_name_that_is_unbound(name):
    """The fast path leaves it to the compiler, which names the line."""
    f, unbind = with_cells()
    g = flow.grad(flow.compile(f, target="python"))
    for _ in range(3):
        assert np.array_equal(g(np.ones(2)), [3, 3])
    assert g._fast
    unbind(name)
    with pytest.raises(flow.errors.UnsupportedError, match=f"'{name}' is not bound") as error:
        g(np.ones(2))
    assert "return np.sum(x * weights) * n" in str(error.value)


@pytest.mark.parametrize("value", [np.ones(2), 3, "a"], ids=["an input", "a number", "a text"])
def test_a_captured_attribute_that_is_deleted(value):
    owner = types.SimpleNamespace(scale=value)
    text = isinstance(value, str)
    g = flow.grad(lambda x: np.sum(x * (len(owner.scale) if text else owner.scale)))
    first = g(np.ones(2))
    assert np.array_equal(g(np.ones(2)), first)
    del owner.scale
    with pytest.raises(AttributeError, match="scale") as error:
        g(np.ones(2))
    assert "test_guards.py" in str(error.value)


# ---- a test and its text ----
VALUES = [
    1, 2, 1.0, -0.0, 0.0, True, "a", "b", np.float32(1), np.float64(1), np.nan, 1j,
    np.ones(3), np.ones(4), np.ones(1), np.ones((3, 1)), np.ones((1, 3)), np.ones((3, 3)),
    np.ones((3, 3)).T[:, 1:], np.ones(3, "f"), np.ones(3, int), np.asfortranarray(np.ones((3, 2))),
    pickle.loads(pickle.dumps(np.ones(3))),  # whose dtype is another object
]  # fmt: skip


def written(test, value):
    """The answer of the text of a test; None if it has none."""
    w = FastPath(("x",))
    if not test.write(w, "a0"):
        return None
    return w.made(Leaf(0), lambda k: "True")(value) is not MISS


@pytest.mark.parametrize("k", range(len(VALUES)))
def test_kinds_are_told_apart_as_by_their_keys(k):
    tests = [Kind.of(VALUES[k]), Unchanged(VALUES[k])]
    if isinstance(VALUES[k], np.ndarray):
        key = tests[0].key
        tests.append(InputKind(key, np.ndarray, VALUES[k].shape))
    for test in tests:
        assert test.passes(VALUES[k])
        assert written(test, VALUES[k]) in (True, None)
        for now in VALUES:
            assert written(test, now) in (test.passes(now), None)


def test_lengths_as_text():
    for axes in [(0,), (1,), (0, 1)]:
        test = Shape((3, 4), axes)
        w = FastPath(("x",))
        Kind.of(np.ones((3, 4))).write(w, "a0")
        test.write(w, "a0")
        fast = w.made(Leaf(0), lambda k: "True")
        for shape in [(3, 4), (3, 5), (2, 4), (2, 5)]:
            x = np.ones(shape)
            assert (fast(x) is True) == test.passes(x)
    for equal in (True, False):
        lengths = Lengths((((("x",), 0), (("y",), 0)), ((("x",), 1), 4)), equal)
        w = FastPath(("x", "y"))
        for p in ("a0", "a1"):
            Kind.of(np.ones((3, 4))).write(w, p)
        lengths.write(w, w.at)
        fast = w.made(Leaf(0), lambda k: "True")
        for m, n in [((3, 4), (3, 4)), ((3, 5), (3, 4)), ((2, 4), (3, 4)), ((2, 2), (2, 9))]:
            x, y = np.ones(m), np.ones(n)
            assert (fast(x, y) is True) == lengths.passes({("x",): x, ("y",): y})


def test_a_path_as_a_function_and_as_text():
    owner = types.SimpleNamespace(a=[{"k {": (1.5,)}], **{"not a name": 2})
    for steps, want in [
        ((attribute("a"), item(0), item("k {"), item(0)), 1.5),
        ((attribute("not a name"),), 2),
        ((attribute("a"), Step(("n",), len)), 1),
        ((), owner),
    ]:
        path = Path("attribute", owner, steps)
        w = FastPath(())
        assert path.fetch() is eval(path.text(w), w.scope) is want
