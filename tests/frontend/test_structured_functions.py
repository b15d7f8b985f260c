"""Functions and methods of whole structured arrays, and what makes recarrays."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from srcgrad.testing import check_grads
from tests.tools.structured_arrays import FLOATS, KIND, NESTED, OBJECTS, TABLE, X, table

PAIR = [("a", float), ("k", int)]


# ---- made ----
def of_arrays(x):
    made = np.rec.fromarrays([x, x**2, np.arange(4)], names="a, b")
    made.a[0] *= x[1]
    assert type(made) is np.recarray and made.dtype.names == ("a", "b", "f2")
    return np.sum(made.a * made.b * made.f2) + made[1].b


def of_arrays_of_a_dtype(x):
    made = np.rec.fromarrays([x, 2, np.outer(x, x[:3])][::2], dtype=FLOATS)
    return np.sum(made.x[:, None] * made.v) + made[1].v[2]


def of_tuples(x):
    made = np.rec.fromrecords([(x[0], 1, x[1]), (x[2], 3, x[3])], names=["a", "k", "b"])
    return np.sum(made.a * made.k) * made.b[1]


def of_tuples_of_a_dtype(x):
    rows = [(v * v, k) for k, v in enumerate(x)]
    made, same = np.rec.array(rows, dtype=PAIR), np.rec.fromrecords(rows, dtype=PAIR)
    return np.sum(made.a * made.k) + made[3].a * same[2].a


def of_chosen_tuples(x):
    rows = [(v * v, k) for k, v in enumerate(x) if v > 0.0]
    made = np.array(rows, dtype=PAIR)
    return np.sum(made["a"] * made["k"])


def of_whole_ones(x):
    made = np.zeros(4, PAIR)
    made["a"] = x
    mine, shared = np.rec.array(made), np.rec.array(made, copy=False)
    shared.a[1] = 3.0 * x[0]
    columns = np.rec.array([x, x * x], names="a,b")
    return np.sum(mine.a * made["a"]) + columns.b[2]


@pytest.mark.parametrize(
    "f",
    [
        of_arrays,
        of_arrays_of_a_dtype,
        of_tuples,
        of_tuples_of_a_dtype,
        of_chosen_tuples,
        of_whole_ones,
    ],
)
def test_made(f):
    assert flow.compile(f, target="python")(X) == pytest.approx(f(X.copy()), rel=1e-13)
    check_grads(f, (X,), target="python")


def test_arrays_of_other_lengths():
    def f(x):
        return np.rec.fromarrays([x, x[1:]], names="a,b").a[0]

    for call in (f, flow.compile(f, target="python")):
        with pytest.raises(ValueError, match="array-shape mismatch in array 1"):
            call(X)


# ---- taken ----
@pytest.mark.parametrize(
    "f",
    [
        lambda p: np.sort(p, order="x"), lambda p: np.sort(p, order=["k", "x"]), np.ravel,
        lambda p: p[np.argsort(p, order="x")], lambda p: np.take(p, [2, 0]), lambda p: p.take(1),
        lambda p: np.append(p, p[:1]), lambda p: np.append(p[:1], p[2:], axis=0),
        lambda p: np.hstack([p, p[:2]]), lambda p: p.reshape(2, 2).take([1, 1], axis=1),
        lambda p: p.reshape(2, 2).T, lambda p: np.transpose(p.reshape(2, 2, 1), (1, 2, 0)),
        lambda p: p.reshape(2, 1, 2).transpose(2, 0, 1), lambda p: p.reshape(2, 2).transpose(),
        lambda p: np.concatenate([p.reshape(2, 2), p.reshape(2, 2)], axis=None),
        lambda p: np.array([p[0], p[2]]), lambda p: p.astype(p.dtype), lambda p: np.array([p, p]),
        lambda p: p.astype([("a", np.float32), ("b", float), ("c", np.float32, 3)]),
        lambda p: np.array(p, [("a", float), ("b", float), ("c", float, 3)]), np.array, np.copy,
        np.asarray, np.zeros_like, np.ones_like, lambda p: np.ones_like(p, FLOATS),
        lambda p: np.zeros_like(p[0]),
        lambda p: np.array(p[0]), lambda p: np.copy(p[0]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("given", [TABLE, OBJECTS], ids=["plain", "objects"])
def test_taken(f, given):
    got, want = flow.compile(f, target="python")(given), f(given)
    assert type(got) is type(want)
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    np.testing.assert_array_equal(got, want)


def test_stacked():
    f = lambda p: np.stack([p, p[::-1]], axis=-1)
    np.testing.assert_array_equal(flow.compile(f, target="python")(TABLE), f(TABLE))


def of_order(p):
    made = p.copy()
    made.sort(order="x")
    made["x"][0] *= 3.0
    best = p[np.argsort(p, order="x")[-1]]
    return np.sum(made["x"] ** 2 * np.arange(4.0)) + made["v"][0, 1] + made["x"][0] * best["v"][0]


def of_numbers(p):
    x, k, v = p[2].item()
    rows = p.tolist()
    assert type(p[0].tolist()) is tuple and len(p.dtype) == len(p.dtype.fields) == 3
    return x * k * v[1] + sum(row[0] * row[1] for row in rows) + p.item(1)[0] ** 2


def of_views(p):
    made = p.copy().reshape(2, 2)
    made.T["x"][0] = made["x"][1]
    taken = made.take([1, 2])
    taken["x"] = 7.0
    joined = np.stack([made, made], axis=1)
    joined[0, 0]["x"] *= 2.0
    pair = np.array([made[0, 0], made[1, 1]])
    pair["x"][0] *= 2.0
    filled = p.copy()
    filled.fill(2)
    return np.sum(made["x"] ** 2) + np.sum(joined["x"] ** 3) + np.sum(pair["x"] * filled["x"][:2])


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", [of_order, of_numbers, of_views])
def test_gradients_of_taken_ones(f, target):
    assert flow.compile(f, target=target)(TABLE) == pytest.approx(f(TABLE.copy()), rel=1e-13)
    check_grads(f, (TABLE,), target=target)


def test_methods_beside_those_of_tensors():
    assert flow.compile(lambda t: t * 2.0)(flow.tensor([1.0])).item() == 2.0
    found = flow.compile(of_numbers, target="python")(TABLE)
    assert found == pytest.approx(of_numbers(TABLE), rel=1e-13)


def test_fields_within_fields():
    p = np.zeros(3, NESTED)
    p["at"]["x"], p["at"]["y"], p["w"] = X[:3], X[1:], 2.0

    def f(p):
        both = np.concatenate([p, p.astype(p.dtype)[:2]]).reshape(1, 5).T
        (x, _), w = both[3, 0].item()
        return np.sum(both["at"]["x"] * both["w"]) + x * w

    assert flow.compile(f, target="python")(p) == pytest.approx(f(p), rel=1e-13)
    check_grads(f, (p,), target="python")


def test_ties_that_only_fields_of_arrays_break():
    f = flow.compile(lambda p: np.sort(p, order="x")["v"], target="python")
    tied = table()
    tied["x"], tied["k"] = 1.0, 2
    with pytest.raises(UnsupportedError, match="that only fields of arrays put in order"):
        f(tied)


# ---- refused ----
@pytest.mark.parametrize(
    ("f", "said"),
    [
        (lambda p: p.reshape((2, 2), order="F"), "another order of the items of a structured"),
        (lambda p: p.ravel("K"), "another order of the items of a structured"),
        (lambda p: p.copy(subok=True), "got an unexpected keyword argument 'subok'"),
        (lambda p: np.concatenate([p, p], dtype=p.dtype), "the argument 'dtype' of numpy.conc"),
        (lambda p: np.concatenate([p, np.zeros(2)]), "structured arrays of different dtypes"),
        (lambda p: np.take(p, [1], mode="clip"), "the argument 'mode' of numpy.take"),
        (lambda p: p.take([1], mode="clip"), "take of a structured array with a mode"),
        (lambda p: p.reshape(2, 2).argsort(order="x"), "along one of several axes"),
        (lambda p: np.sort(p, order="v"), "an order by a field of arrays or of fields"),
        (lambda p: p.astype(float), "the conversion of a structured array to other fields"),
        (lambda p: np.zeros(3, NESTED).astype([("at", PAIR), ("w", float)]), "fields within"),
        (lambda p: np.rec.array(p["x"]), "np.rec.array of a value that is not a list"),
        (lambda p: np.expand_dims(p, (0, 1)), "np.expand_dims of a structured array along"),
        (lambda p: np.array([p[0], 1.0]), "structured arrays of different dtypes in one"),
        (lambda p: np.array([p[0], 1.0], KIND), "of other items than tuples and records"),
    ],
)
def test_refused(f, said):
    with pytest.raises(UnsupportedError, match=said) as caught:
        flow.compile(f, target="python")(table())
    assert "also:" not in str(caught.value)


def test_attributes_that_are_no_fields():
    def f(p):
        p.shape = (2, 2)
        return p["x"][0, 0]

    with pytest.raises(UnsupportedError, match="setting 'shape' of a structured") as caught:
        flow.compile(f, target="python")(table())
    assert "also:" not in str(caught.value)


def test_another_byte_order():
    given = table().astype(KIND.newbyteorder(">"))
    f = flow.compile(lambda p: np.sum(p["x"] * p["k"]), target="python")
    with pytest.raises(TypeError, match="'p' has fields in another byte order") as caught:
        f(given)
    assert "pass p.astype(p.dtype.newbyteorder('='))" in str(caught.value)
    assert f(given.astype(given.dtype.newbyteorder("="))) == f(table())
