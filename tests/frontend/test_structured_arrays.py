"""Structured arrays and records of NumPy: made inside, captured, returned, and refused."""

import copy

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import ArgumentTypeError, UnsupportedError
from srcgrad.testing import check_grads
from tests.tools.structured_arrays import FLOATS, ITEM, KIND, NESTED, OBJECTS, TABLE, X, table

GAUSS = [("p", "f8"), ("row", "f8"), ("det", "f8"), ("set", "i8"), ("norm", "f8")]
TARGETS = ("python", "cpu")


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


@pytest.mark.parametrize(
    "f",
    [
        lambda p: np.expand_dims(p, 0), lambda p: np.expand_dims(p[1], p[1].ndim),
        lambda p: np.atleast_1d(p[1]), np.atleast_1d, lambda p: p[None, 1], lambda p: p[1][None],
        lambda p: np.concatenate([p, p[:2]]), lambda p: p.reshape(2, -1), lambda p: p[-1],
        lambda p: np.concatenate((p.reshape(2, 2), np.reshape(p, (2, 2))), axis=-1),
        lambda p: p.reshape(2, 2).ravel(), lambda p: np.ravel(p), lambda p: p.flatten(),
    ],
)  # fmt: skip
@pytest.mark.parametrize("given", [TABLE, OBJECTS], ids=["plain", "objects"])
def test_arrangements(f, given):
    got, want = flow.compile(f, target="python")(given), f(given)
    assert type(got) is type(want)
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    np.testing.assert_array_equal(got, want)


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
        (lambda p: p.ravel(order="F")["x"][0], UnsupportedError, "another order of the items"),
        (lambda p: np.concatenate([p, np.zeros(1, FLOATS)])["x"][0], UnsupportedError, "different"),
        (lambda p: np.unique(p)["x"][0], UnsupportedError, "unique of a structured array"),
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
