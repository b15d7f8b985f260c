"""Structured arrays and records of NumPy as arguments: read, stored to, and their gradients."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import ArgumentTypeError, UnsupportedError
from srcgrad.testing import check_grads, gradcheck
from tests.tools.structured_arrays import FLOATS, ITEM, NESTED, OBJECTS, TABLE, X, table

TARGETS = ("python", "cpu")


# ---- read ----
def of_fields(p):
    return np.sum(p["x"] ** 2 * p["k"]) + np.sum(np.sin(p["v"])) + p["x"][1] * p["v"][-1, 0]


def of_items(p):
    total = 0.0
    for i in range(len(p)):
        item = p[i]
        total += item["x"] * item["k"] + p["x"][i] ** 2 + p[i]["v"][1] * item["v"][0]
    return total


def of_a_loop(p):
    total = p.size * 1.0 + p.shape[0] + p.ndim + len(p.dtype.names)
    for i, item in enumerate(p[1:]):
        total += i * item["x"] ** 3 + sum(item["v"])
    for item, x in zip(p, p["x"], strict=True):
        total += x * item["v"][2]
    return total


def of_one(item):
    x, k, v = item
    return item["x"] ** 2 * k + x * item[0] + np.sum(v**3) * len(item)


def of_objects(p):
    total = np.sum(p.x * p.v[:, 0]) + p[0].x ** 2
    for item in p:
        total += item.x * item["v"][1]
    return total


def of_parts(p):
    chosen = p[p["x"] > 0.0]
    twice = p[[1, 1, 0]]
    twice["x"] = 7.0
    return np.sum(chosen["x"] ** 2) + twice[0]["v"][1] + np.sum(p[["x", "v"]]["v"][::2]) * p["x"][0]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("f", "given"),
    [
        (of_fields, TABLE), (of_items, TABLE), (of_a_loop, TABLE), (of_parts, TABLE),
        (of_one, ITEM), (of_objects, OBJECTS), (of_fields, TABLE[::2]), (of_items, TABLE[:1]),
    ],
)  # fmt: skip
def test_arguments(f, given, target):
    compiled = flow.compile(f, target=target)
    assert compiled(given) == pytest.approx(f(given), rel=1e-13)
    check_grads(f, (given,), target=target)


def test_a_gradient_has_the_fields_that_are_floats():
    whole = flow.grad(flow.compile(of_one, target="python"))
    one = whole(ITEM)
    assert type(one) is np.void
    assert one.dtype == FLOATS
    objects = flow.grad(flow.compile(of_objects, target="python"))(OBJECTS)
    assert type(objects) is np.recarray
    np.testing.assert_allclose(objects.x[1:], OBJECTS.v[1:, 0] + OBJECTS.v[1:, 1])
    floats = table(dtype=FLOATS)
    squares = flow.compile(lambda p: np.sum(p["x"] ** 2) + np.sum(p["v"]), target="python")
    slopes = flow.grad(squares)(floats)
    assert slopes.dtype == FLOATS
    step = flow.tree.map(lambda p, g: p - 0.5 * g, floats, slopes)
    np.testing.assert_array_equal(step["x"], np.zeros(4))
    np.testing.assert_array_equal(step["v"], floats["v"] - 0.5)


@pytest.mark.parametrize("target", TARGETS)
def test_higher_derivatives(target):
    f = flow.compile(
        lambda p: np.sum(p["x"] ** 3) + np.sum(np.sin(p["v"]) * p["x"][:, None]), target=target
    )
    p = table(2, FLOATS)
    gradcheck(f, (p,), order=2, target=target)
    second = flow.hessian(f)(p)
    np.testing.assert_allclose(second["x"]["x"], np.diag(6.0 * p["x"]))
    np.testing.assert_allclose(second["v"]["x"][:, 1], np.cos(p["v"][:, 1]) * np.eye(2))
    np.testing.assert_allclose(second["x"]["v"][1, 1], np.cos(p["v"][1]))
    rows = flow.jacobian(flow.compile(lambda p: p["x"] * p["v"][:, 0], target=target))(p)
    np.testing.assert_allclose(rows["x"], np.diag(p["v"][:, 0]))
    assert rows.shape == (2, 2)
    product = flow.hvp(f)(p, p)
    x, v = p["x"][:, None], p["v"]
    np.testing.assert_allclose(product["v"], np.cos(v) * x - np.sin(v) * v * x)


def test_batches():
    p = table(dtype=FLOATS)

    def f(item):
        return item["x"] ** 2 + item["v"][0] * item["x"]

    np.testing.assert_allclose(flow.vmap(f)(p), p["x"] ** 2 + p["v"][:, 0] * p["x"])
    slopes = flow.vmap(flow.grad(f))(p)
    np.testing.assert_allclose(slopes["x"], 2.0 * p["x"] + p["v"][:, 0])
    assert slopes.dtype == FLOATS

    def of_batch(p):
        return np.sum(flow.vmap(f)(p) ** 2)

    check_grads(of_batch, (p,), target="python")


@pytest.mark.parametrize("target", TARGETS)
def test_tangents_leave_out_what_is_an_integer(target):
    f = flow.compile(of_fields, target=target)
    tangent = table(dtype=FLOATS)
    _, rate = flow.jvp(f, (TABLE,), (tangent,))
    slopes = flow.grad(f)(TABLE)
    expected = np.sum(slopes["x"] * tangent["x"]) + np.sum(slopes["v"] * tangent["v"])
    assert rate == pytest.approx(expected)
    moved = TABLE.copy()
    with pytest.raises(ArgumentTypeError, match=r"p.k is an array, which has no tangent"):
        flow.jvp(f, (TABLE,), (moved,))


# ---- stores ----
def changes(p):
    p["x"][0] = 5.0
    p[1]["v"][:] = p["x"][0]
    p[2] = (1.0, 2, 3.0)
    item = p[3]
    item["x"] *= 2.0
    item["k"] = 7
    return np.sum(p["x"] ** 2)


def changes_one(item):
    item["x"] = item["x"] * 4.0
    item["v"][1] = 2.0
    item[1] += 1
    return item["x"]


@pytest.mark.parametrize("target", TARGETS)
def test_stores_reach_the_caller(target):
    mine, theirs = table(), table()
    assert flow.compile(changes, target=target)(mine) == changes(theirs)
    np.testing.assert_array_equal(mine, theirs)
    f = flow.compile(changes_one, target=target)
    assert f(mine[3]) == changes_one(theirs[3])
    np.testing.assert_array_equal(mine, theirs)
    item, other = table()[1], table()[1]
    assert f(item) == changes_one(other)
    assert item == other
    before = mine.copy()
    flow.grad(flow.compile(changes, target=target))(mine)
    np.testing.assert_array_equal(mine, before)


def test_arguments_that_share_memory():
    def f(p, q):
        q["x"] = 1.0
        return np.sum(p["x"])

    p = table()
    assert flow.compile(f, target="python")(p, p) == 4.0
    with pytest.raises(UnsupportedError, match="share memory"):
        flow.grad(flow.compile(f, target="python"))(p, p)


# ---- kinds ----
def test_nested_arguments():
    p = np.zeros(3, NESTED)
    p["at"]["x"], p["at"]["y"], p["w"] = X[:3], X[1:], 2.0

    def f(p):
        total = 0.0
        for item in p:
            total += item["at"]["x"] * item["at"]["y"] * item["w"]
        return total

    slopes = flow.grad(flow.compile(f, target="python"))(p)
    assert slopes.dtype == NESTED
    np.testing.assert_allclose(slopes["at"]["y"], X[:3] * 2.0)
    np.testing.assert_allclose(slopes["w"], X[:3] * X[1:])


def test_kinds_of_values():
    def f(p):
        item = p[0]
        kinds = type(p) is np.ndarray, isinstance(item, np.void), isinstance(item, np.ndarray)
        return kinds, p.dtype == item.dtype, p.dtype.names, hasattr(item, "shape")

    given = table(), OBJECTS
    for p in given:
        assert flow.compile(f, target="python")(p) == f(p)


@pytest.mark.parametrize("layout", ["packed", "aligned", "spaced"])
def test_layouts(layout):
    fields = [("c", "i1"), ("x", "f8"), ("y", "f4"), ("v", "f8", (2,))]
    kind = np.dtype(fields, align=layout == "aligned")
    p = np.zeros(37, kind)
    p["x"], p["y"], p["v"], p["c"] = np.arange(37), 2.0, 0.5, 1
    p = p[::-3] if layout == "spaced" else p
    for target in TARGETS:
        f = lambda p: np.sum(p["x"] ** 2 * p["y"] * p["c"] + p["v"][:, 1])
        f = flow.compile(f, target=target)
        slopes = flow.grad(f)(p)
        np.testing.assert_allclose(slopes["x"], 4.0 * p["x"])
        np.testing.assert_allclose(slopes["y"], p["x"] ** 2)
        np.testing.assert_array_equal(slopes["v"], np.broadcast_to([0.0, 1.0], (len(p), 2)))
        assert slopes.dtype.names == ("x", "y", "v")


def test_another_dtype_is_another_program():
    f = flow.compile(lambda p: np.sum(p["x"]), target="python")
    assert f(table()) == pytest.approx(np.sum(table()["x"]))
    other = np.zeros(3, [("y", float), ("x", float)])
    other["y"] = 1.0
    assert f(other) == 0.0
    holder = {"p": table()}

    def of_captured(x):
        return x * np.sum(holder["p"]["x"])

    g = flow.compile(of_captured, target="python")
    assert g(2.0) == pytest.approx(2.0 * np.sum(table()["x"]))
    holder["p"] = other
    assert g(2.0) == 0.0
