"""Structured arrays and records of NumPy: arguments, captured, made inside, returned."""

import copy

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import ArgumentTypeError, UnsupportedError
from srcgrad.testing import check_grads, gradcheck

KIND = np.dtype([("x", float), ("k", np.int64), ("v", float, 3)])
FLOATS = np.dtype([("x", float), ("v", float, 3)])
NESTED = np.dtype([("at", [("x", float), ("y", float)]), ("w", float)])
GAUSS = [("p", "f8"), ("row", "f8"), ("det", "f8"), ("set", "i8"), ("norm", "f8")]
TARGETS = ("python", "cpu")
X = np.array([0.3, -0.7, 1.1, 2.0])


def table(n=4, dtype=KIND):
    rng = np.random.default_rng(0)
    made = np.zeros(n, dtype)
    made["x"], made["v"] = rng.normal(size=n), rng.normal(size=(n, 3))
    if "k" in dtype.names:
        made["k"] = np.arange(n)
    return made


TABLE, ITEM, OBJECTS = table(), table()[1], table().view(np.recarray)


# ---- arguments ----
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


# ---- made inside ----
def made(x):
    out = np.zeros(len(x), dtype=KIND)
    out["x"] = x**2
    for i in range(len(x)):
        out[i]["x"] += x[i]
        out["v"][i] = x[i]
        item = out[i]
        item["v"][:] *= x[i]
        item["k"] = i
    return np.sum(out["x"] * out["k"]) + np.sum(out["v"] ** 2)


def filled(gauss, p, row):
    gauss["set"] = 0
    gauss["norm"] = np.nan
    gauss["p"] = p
    gauss["row"] = row
    gauss["det"] = p * p + 1.0


def normed(gauss):
    if gauss["det"] < 1e-10:
        raise ValueError("det too low")
    gauss["norm"] = 1.0 / np.sqrt(gauss["det"])
    gauss["set"] = 1


def mixture(x):
    gaussians = np.zeros(2, dtype=GAUSS)
    for i in range(gaussians.size):
        filled(gaussians[i], x[i], x[i + 2])
    if gaussians["set"][0] == 0:
        for gauss in gaussians:
            normed(gauss)
    total = 0.0
    for i in range(gaussians.size):
        gauss = gaussians[i]
        total += gauss["norm"] * np.exp(-0.5 * (x[0] - gauss["row"]) ** 2) * gauss["p"]
    return total


def rows(x):
    out = np.array([(x[0], 1, (x[1], 2.0, 3.0)), (x[2] ** 2, 2, x[:3])], dtype=KIND)
    one = np.array((x[3], 1, x[0]), KIND)
    return out["x"][0] * out["x"][1] + np.sum(out["v"]) + one["x"] * one[()]["v"][1]


def assigned(x):
    out = np.empty(3, [("a", float), ("b", float)])
    out[0] = (x[0], x[1])
    out[1] = x[2]
    out[2] = out[0]
    out[1:] = out[:2].copy()
    out[["a", "b"]][0] = (x[3], x[3])
    return out["a"][1] * out["b"][2] + out["a"][0] ** 2


def chosen(x):
    out = np.zeros(4, KIND)
    out["x"] = x
    best = out[0]
    for i in range(1, 4):
        if out[i]["x"] > best["x"]:
            best = out[i]
    best["x"] *= 2.0
    out[out["x"] < 0.0] = (1.0, 2, x[1])
    return np.sum(out["x"] ** 2) + np.sum(out["v"] ** 2)


def of_two_axes(x):
    out = np.zeros((2, 2), KIND)
    out["x"] = x.reshape(2, 2)
    assert out.shape == (2, 2) and out.size == 4 and len(out) == 2 and out.ndim == 2
    total = out[0, 1]["x"] * out[1]["x"][0] + np.sum(out[:, 1]["x"]) + np.sum(out[..., 0]["v"])
    for row in out:
        for item in row:
            total += item["x"] ** 2
    return total


def copied(x):
    out = np.zeros(4, KIND)
    out["x"] = x
    copies = [out.copy(), copy.copy(out), copy.deepcopy(out), np.copy(out), np.array(out)]
    shared = np.asarray(out)
    out["x"] = 1.0
    like = np.zeros_like(out)
    total = np.sum(shared["x"] + like["x"])
    return total + sum(k * np.sum(c["x"] ** 2) for k, c in enumerate(copies))


def objects(x):
    out = np.recarray(4, dtype=KIND)
    out.x, out.k, out["v"] = x, 1, 2.0
    view = np.zeros(2, KIND).view(np.recarray)
    view.x[0] = x[1]
    view[1].x = out[3].x ** 2
    return np.sum(out.x * out.v[:, 0]) + np.sum(view.x)


def nested(x):
    out = np.zeros(2, NESTED)
    out["at"]["x"] = x[:2]
    out[1]["at"]["y"] = x[2]
    out["w"] = x[3]
    at = out[1]["at"]
    return at["x"] * at["y"] + np.sum(out["at"]["x"] * out["w"])


def in_place(x):
    out = np.zeros(4, "f8, 3i4, i8")
    out["f0"] = x
    out["f0"] *= 2.0
    out[1]["f0"] **= 2
    out["f1"][2] += 3
    out[2]["f2"] = x[3] * 1.6
    return np.sum(out["f0"] * out["f1"][:, 1]) + out["f2"][2] * x[0] + out["f0"][1] * x[2]


def exchanged(x):
    out = np.zeros(4, FLOATS)
    out["x"] = x
    out[0], out[1] = out[1], out[0]
    kept = out[2].copy()
    out[2] = out[0]
    out[3:] = kept
    out[1:] = out[:-1]
    return np.sum(out["x"] ** 2 * np.arange(1.0, 5.0))


def searched(x):
    out = np.zeros(4, FLOATS)
    out["x"] = x
    k, at = 0, out[0]
    while at["x"] < 2.5 and k < 3:
        k += 1
        at = out[k]
    grown = []
    for item in out:
        grown.append(item)
    return at["x"] ** 2 * grown[0]["x"] + max(out, key=lambda item: item["x"])["x"]


def captured(x):
    first, by = TABLE[0], OBJECTS[2]
    total = np.sum(TABLE["x"] * x) + ITEM["x"] * x[0] + OBJECTS.x[1] * by.v[1] * x[1]
    return total + TABLE[1]["v"][2] * x[2] + first["k"]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "f",
    [
        made,
        mixture,
        rows,
        assigned,
        chosen,
        of_two_axes,
        copied,
        objects,
        nested,
        captured,
        in_place,
        exchanged,
        searched,
    ],
)
def test_made_inside(f, target):
    compiled = flow.compile(f, target=target)
    assert compiled(X) == pytest.approx(f(X.copy()), rel=1e-13)
    check_grads(f, (X,), target=target)


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


@pytest.mark.parametrize("target", TARGETS)
def test_results(target):
    def f(x):
        out = np.zeros(3, KIND)
        out["x"], out["k"] = x, 2
        return {"all": out, "one": out[1], "objects": out[1:].view(np.recarray)}

    x = np.arange(3.0)
    got, want = flow.compile(f, target=target)(x), f(x)
    for name in want:
        assert type(got[name]) is type(want[name])
        assert got[name].dtype == want[name].dtype
        np.testing.assert_array_equal(got[name], want[name])
    rows = flow.jacobian(flow.compile(lambda x: f(x)["all"], target=target))(x)
    np.testing.assert_array_equal(rows["x"], np.eye(3))
    assert rows["k"] is None


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


def test_what_is_shown():
    f = flow.compile(lambda p: np.sum(p["x"] ** 2), target="python")
    assert "x = p['x']" in f.source("primal", TABLE)
    assert repr(flow.tree.structure(ITEM)) == "Structure(void(x=*, k=*, v=*))"
    assert flow.tree.structure(TABLE) == flow.tree.structure(table(7))
    filled = flow.tree.unflatten(flow.tree.structure(TABLE), flow.tree.leaves(TABLE))
    np.testing.assert_array_equal(filled, TABLE)


def test_the_tape_takes_constants():
    def f(x, p):
        return np.sum(x * p["x"])

    slopes = flow.grad(f, mode="tape")(X, TABLE)
    np.testing.assert_array_equal(slopes, TABLE["x"])
    with pytest.raises(ArgumentTypeError, match="a structured array, which the tape does not"):
        flow.grad(f, 1, mode="tape")(X, TABLE)


@flow.custom_vjp
def squares(p):
    return np.sum(p["x"] ** 2)


squares.defvjp(lambda p: (squares(p), p), lambda p, g: (None,))


# ---- refused ----
@pytest.mark.parametrize(
    ("f", "error", "said"),
    [
        (lambda p: np.sum(p["none"]), ValueError, "no field of name none"),
        (lambda p: p[0]["none"], ValueError, "no field of name none"),
        (lambda p: p[0][3], IndexError, "invalid index"),
        (lambda p: p[0].x, AttributeError, "'void' object has no attribute 'x'"),
        (lambda p: np.sum(p.sum()), UnsupportedError, "'sum' of a structured array"),
        (lambda p: np.sum(p), UnsupportedError, "sum of a structured array is not supported"),
        (lambda p: np.sort(p, order="x")["x"][0], UnsupportedError, "sort of a structured array"),
        (lambda p: 1.0 if p[0] == p[1] else p["x"][0], UnsupportedError, "a comparison of"),
        (lambda p: p + 1.0, TypeError, "unsupported operand"),
        (lambda p: p["x"][0] if p else 1.0, UnsupportedError, "the truth of a structured array"),
        (squares, UnsupportedError, "an argument of squares.., which is a structured array"),
        (lambda p: p.view(np.float64)[0], UnsupportedError, "a view of a structured array"),
    ],
)
def test_refused(f, error, said):
    with pytest.raises(error, match=said):
        flow.grad(flow.compile(f, target="python"))(table())


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ([("x", float), ("s", "U3")], "'s' is an array of dtype <U3"),
        ([("x", float), ("s", object)], "'s' is an array of dtype object"),
        ([(("title", "x"), float)], "is not supported"),
        ({"names": ["x", "y"], "formats": ["f8", "f8"], "offsets": [0, 4]}, "is not supported"),
    ],
)
def test_refused_fields(kind, said):
    given = np.zeros(2, kind)
    with pytest.raises(ArgumentTypeError, match=said):
        flow.grad(lambda p: np.sum(p["x"]))(given)

    def inside(x):
        out = np.zeros(2, kind)
        out["x"] = x
        return np.sum(out["x"])

    with pytest.raises(UnsupportedError, match="dtype"):
        flow.grad(inside)(1.0)
