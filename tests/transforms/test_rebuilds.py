"""What a function is built again for: the records of the logger, one warning, its way out."""

import gc
import logging
import types
import warnings

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import RebuildWarning
from srcgrad.transforms.by_code import ByCode
from srcgrad.transforms.rebuilds import ANEW, WARN_AFTER

ONES = np.ones((4, 4))


def compiled(f):
    return flow.grad(flow.compile(f, target="python"))


@pytest.fixture
def reasons(caplog):
    """The reasons that are on record."""
    caplog.set_level(logging.INFO, logger="srcgrad")

    def found():
        whys = [r.getMessage().partition(" because ")[2] for r in caplog.records]
        return [why for why in whys if why != ANEW[0]]  # parameters of a test share its code

    return found


@pytest.mark.parametrize(
    ("first", "then", "want"),
    [
        (ONES, ONES.astype("f"), "'x' has the dtype float32 and had float64"),
        (ONES, ONES[0], "'x' has rank 1 and had 2"),
        (ONES, ONES.T[:, 1:], "'x' is not contiguous in C order and was before"),
        (ONES, ONES[:1], "'x' has length 1 along other axes than before"),
        (ONES, 2.0, "'x' is of type float and was of type ndarray"),
        (ONES, (ONES, ONES), "an argument has another structure"),
    ],
)
def test_what_differs_in_an_argument(reasons, first, then, want):
    g = compiled(lambda x: np.sum(np.sum(x)))
    for x in (first, then, first, then):
        g(x)
    assert reasons() == [want]


def test_the_first_build_has_no_reason(reasons):
    compiled(lambda x: x * x)(2.0)
    assert reasons() == []


def test_a_static_value_is_named(reasons):
    g = compiled(lambda x, n: np.sum(sum((x,) * n)))
    g(ONES, 2)
    g(ONES, 3)
    assert reasons() == ["'n', which must be known when compiling, is 3 and was 2"]


def test_a_static_length_is_named(reasons):
    g = compiled(lambda x: sum([v for v in x] + [0.0] * len(x)) if len((0,) * len(x)) else 0.0)
    g(np.ones(3))
    g(np.ones(4))
    assert reasons() == [
        "the shape of 'x', which must be known when compiling, is (4,) and was (3,)"
    ]


def test_captured_values_are_named(reasons):
    scope = types.SimpleNamespace(w=np.ones(3), f=np.sin, k=1)

    def f(x):
        return np.sum(scope.f(x) * scope.w) * scope.k

    g = compiled(f)
    g(np.ones(3))
    scope.w = np.ones(3, "f")
    g(np.ones(3))
    scope.k = 2
    g(np.ones(3))
    scope.f = np.cos
    assert g(np.ones(3))[0] == pytest.approx(-2 * np.sin(1.0))
    assert [r.partition(" has")[0] for r in reasons()] == [
        "the captured 'w'", "the captured 'k' was 1", "the captured 'f' was sin"
    ]  # fmt: skip


def test_captured_values_whose_shapes_count(reasons):
    scope = types.SimpleNamespace(w=np.ones(3), k=0.5)

    def f(x):
        return x * sum([v for v in scope.w] + [0.0] * len(scope.w)) * scope.k

    g = compiled(f)
    assert g(2.0) == 1.5
    scope.k = np.float32(0.5)
    assert g(2.0) == 1.5
    scope.w = np.ones(4)
    assert g(2.0) == 2.0
    assert reasons() == [
        "'k' is of another kind", "the captured 'w' has the shape (4,) and had (3,)"
    ]  # fmt: skip


def built_often(call, n=WARN_AFTER + 5):
    """The warnings of several calls."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for k in range(n):
            call(k)
    return [w for w in seen if w.category is RebuildWarning]


def test_objects_made_anew():
    g = compiled(lambda x, f: f(x))
    (warning,) = built_often(lambda k: g(2.0, lambda x: x * x))
    assert warning.filename == __file__
    assert "has been built 10 times, now because 'f' is another object" in str(warning.message)
    assert "make it once, outside of the loop" in str(warning.message)

    def square(x):
        return x * x

    h = compiled(lambda x, f: f(x))
    assert built_often(lambda k: h(2.0, square)) == []


def test_static_values():
    g = compiled(lambda x, n: np.sum(sum((x,) * n)))
    (warning,) = built_often(lambda k: g(ONES, k + 1))
    assert "compute outside what asks for its value" in str(warning.message)
    h = compiled(lambda x, ones: np.sum(np.outer(x, ones)))
    assert built_often(lambda k: h(ONES, np.ones(k + 2))) == []


def test_other_dtypes():
    kinds = [d for d in "fdFDbhil" for _ in range(2)]
    xs = [np.ones((3,) * (k % 2 + 1), d) for k, d in enumerate(kinds)]
    f = flow.compile(lambda x: np.sum(x * 1.0), target="python")
    (warning,) = built_often(lambda k: f(xs[k]), len(xs))
    assert "give it one rank" in warning.message.way_out
    g = flow.compile(lambda x: np.sum(x * 1.0), target="python")
    assert built_often(lambda k: g(xs[k].astype(np.float64).ravel()), len(xs)) == []


# ---- the table ----
def test_entries_go_with_their_code():
    table = ByCode()

    def made():
        scope = {}
        exec("def f(x): return x", scope)
        return scope["f"]

    f, g = made(), made()
    assert f.__code__ == g.__code__
    table.put(f.__code__, "f")
    assert table.get(f.__code__) == "f" and table.get(g.__code__) is None
    del f
    gc.collect()
    assert len(table) == 0
