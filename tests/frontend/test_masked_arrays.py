"""Masked arrays of numpy.ma that are made inside, against NumPy."""

import linecache
from typing import Any

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import SrcgradError
from tests.tools.turns import share

pytestmark = pytest.mark.filterwarnings("ignore")
X = np.random.default_rng(2).normal(size=(3, 4))
Y = np.where(X > 0.9, np.nan, X)
M = "np.ma.masked_less(x, -0.2)"
CALLS = [
    *(f"{M}.{f}({a})" for f in ("sum", "mean", "prod", "var", "std", "max", "min", "count")
      for a in ("", "axis=0", "axis=1", "axis=1, keepdims=True")),
    *(f"np.{f}({M}, axis=0)" for f in ("sum", "mean", "var", "max")),
    f"{M}.var(ddof=1)", f"{M}.std(axis=0, ddof=1)",
    "np.ma.masked_where(x < 0, x * x).mean()",
    "np.ma.masked_invalid(np.log(x)).sum(axis=0)",
    "np.ma.masked_invalid(y).mean(axis=1)",
    "np.ma.array(x, mask=x > 0.3).filled(0.5)",
    "np.ma.array(x, mask=x > 0.3).filled()",
    "np.ma.MaskedArray(x, mask=[[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 1]]).mean(axis=0)",
    "np.ma.masked_array(x, mask=False, fill_value=2.0).filled()",
    *(f"({M} {op} {v})" for op in "+-*/" for v in ("2.5", "y", "np.ma.masked_greater(x, 0.8)")),
    *(f"({v} {op} {M})" for op in "+-*/" for v in ("2.5", "x[0]")),
    f"({M} ** 2)", f"(-{M})", f"abs({M})", f"({M} / np.where(x > 0.5, 0.0, x))",
    f"{M}.T", f"{M}[1:]", f"{M}[:, 2]", f"{M}.ravel()", f"{M}.reshape(4, 3)", f"{M}[x > 0.1]",
    f"{M}.compressed()", f"{M}.data", f"{M}.mask", f"np.ma.getmaskarray({M})", f"{M}.copy()",
    f"np.ma.filled({M}, 3.0)", "np.ma.filled(x, 3.0)", f"np.ma.getdata({M})",
    *(f"np.ma.masked_{n}(x, 0.1).sum()" for n in ("greater", "greater_equal", "less_equal")),
    "np.ma.masked_not_equal(np.round(x), 0.0).count()",
    "np.ma.masked_inside(x, 0.5, -0.5).mean()", "np.ma.masked_outside(x, -0.5, 0.5).mean()",
    f"np.ma.average({M}, weights=np.arange(12.0).reshape(3, 4))",
    f"np.ma.average({M}, axis=1)", f"np.ma.median({M})", f"len({M}) + {M}.size * {M}.ndim",
    f"np.ma.masked_greater({M}, 0.8).sum()", f"np.ma.isMaskedArray({M})",
    *(f"({M} {op} {v})" for op in ("<", "<=", ">", ">=", "==", "!=")
      for v in ("0.5", "np.ma.masked_greater(x, 0.8)")),
    f"(0.5 < {M}).filled()", f"(np.ma.array({M}, fill_value=0.0) > 0.5).filled()",
    f"({M} == x[0]).sum(axis=0)", f"({M} > 0.5).any(axis=1)", f"({M} > -9.0).all()",
    f"(({M} > 0.1) & ({M} < 0.9))", f"(({M} > 0.9) | (x < 0.3))", f"(~({M} > 0.5))",
    f"{M}[{M} > 0.5]", f"np.any({M} > 0.5, axis=0)", "np.ma.masked_where(x < 0, x) > 0.2",
    *(f"np.ma.{f}({v})" for f in ("sqrt", "log", "log10", "arcsin", "arccosh", "exp", "abs", "tanh")
      for v in ("x", M)),
    f"np.ma.sqrt(np.ma.array({M}, fill_value=2.0)).filled()", "np.ma.log(y).sum()",
    *(f"np.ma.{f}({M}, {v})" for f in ("add", "subtract", "multiply", "divide")
      for v in ("x[0]", "np.ma.masked_greater(x, 0.8)")),
    f"np.ma.power({M}, 2)", f"np.ma.sum({M})", f"np.ma.mean({M}, axis=0)", f"np.ma.count({M})",
    f"np.ma.compressed({M})", f"np.ma.max({M}, axis=1)",
    f"np.ma.where(x > 0.1, {M}, 0.5)", f"np.ma.where({M} > 0.5, x, {M} * 2.0)",
    f"np.ma.concatenate([{M}, x])", f"np.ma.concatenate([{M}, {M}], axis=1)",
]  # fmt: skip


def program(call: str) -> Any:
    source = f"def f(x, y):\n    return {call}\n"
    linecache.cache[call] = (len(source), None, source.splitlines(True), call)
    scope = {"np": np}
    exec(compile(source, call, "exec"), scope)
    return scope["f"]


def compare(call: str, target: str) -> None:
    """Of a masked array the data that count, and where they do."""
    want = program(call)(X, Y)
    shown = want
    if isinstance(want, np.ma.MaskedArray):
        call = f"(lambda m: (m.filled(7.0), np.ma.getmaskarray(m)))({call})"
        shown = (want.filled(7.0), np.ma.getmaskarray(want))
    got = flow.compile(program(call), target=target)(X, Y)
    for g, w in zip(*(v if isinstance(v, tuple) else (v,) for v in (got, shown)), strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-12)
        assert np.shape(g) == np.shape(w) and np.asarray(g).dtype == np.asarray(w).dtype


@pytest.mark.parametrize("call", CALLS)
def test_values(call: str):
    compare(call, "python")


@pytest.mark.parametrize("call", share(CALLS)[::4])
def test_values_on_the_cpu(call: str):
    compare(call, "cpu")


NO_DERIVATIVE = ("count", "mask", "Mask", "len")


@pytest.mark.parametrize(
    "call", share([c for c in CALLS if not c.endswith(("axis=1)", "Array({M})"))])
)
def test_derivatives(call: str):
    want = program(call)(X, Y)
    if np.asarray(want).dtype.kind != "f":
        return
    masked = isinstance(want, np.ma.MaskedArray)
    f = program(f"np.sum({call}{'.filled(0.0)' if masked else ''} ** 2)")

    def of_x(x):
        return f(x, Y)

    if np.isnan(of_x(X)):
        return
    flow.testing.gradcheck(of_x, (X,), target="python")


def test_what_is_masked_has_no_adjoint():
    def f(x):
        return np.ma.masked_invalid(np.log(x)).sum()

    slope = flow.grad(f, target="python")(np.array([2.0, 4.0, -1.0]))
    np.testing.assert_array_equal(slope, [0.5, 0.25, 0.0])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("np.ma.masked_less(x, 0.0)", "return its data and mask"),
        ("np.median(np.ma.masked_less(x, 0.0))", "median.. of a masked array is not supported"),
        ("np.ma.median(np.ma.masked_less(x, 0.0), axis=0)", "call it for each row"),
        ("np.ma.masked_less(x, 0.0).sum(out=y)", "out= of a masked array"),
        ("np.ma.masked_less(x, 0.0).astype(np.float32).mean()", "dtype depends on whether"),
        ("np.ma.masked_less(x, 0.0) @ y.T", "use np.ma.dot"),
        ("np.ma.masked_less(np.where(x > 0, x, np.inf), -9.0).mean()", "an infinite mean"),
    ],
)
def test_what_is_refused(call: str, said: str):
    with pytest.raises((SrcgradError, TypeError), match=said):
        flow.compile(program(call), target="python")(X, Y)


def data_stored_to(x):
    y = 2.0 * x[0]
    m = np.ma.array(y, mask=[0, 1, 0, 0])
    n, own = np.ma.masked_array(m, [0, 0, 1, 0]), np.ma.array(y, mask=[0, 1, 0, 0], copy=True)
    y *= x[1]
    return m.sum() + 10.0 * n.sum() + 100.0 * own.sum()


def mask_stored_to(x):
    hidden = np.array([False, True, False, False])
    m, own = np.ma.array(x[0], mask=hidden), np.ma.masked_where(hidden, x[0])
    hidden[2] = True
    return m.sum() + 10.0 * own.sum()


def views_stored_to(x):
    y = x * x
    m = np.ma.masked_less(y, 0.0)
    part, data = np.ma.array(y, mask=y < 0.1)[1:], m.data
    y[1] = 3.0 * x[2]
    data[0] = 5.0
    return part.sum() + m.sum()


def test_what_filled_gives_may_be_the_data():
    """NumPy makes no copy where nothing is masked."""

    def without_mask(x):
        m = np.ma.array(2.0 * x[0])
        b = m.filled(0.0)
        b[0] = 5.0
        return m.sum() * x[0, 1]

    def shown(x):
        m = np.ma.masked_less(2.0 * x[0], -9.0)
        b = m.filled(0.0)
        b[0] = 5.0
        return m.sum()

    def unseen(x):
        b = np.ma.masked_less(x, 0.0).filled(0.0)
        b[0] = 5.0
        return np.sum(b * x)

    with pytest.raises(SrcgradError, match=r"what filled\(\) gives is a view in NumPy, or may be"):
        flow.compile(shown, target="python")(X)
    for f in (without_mask, unseen):
        assert flow.compile(f, target="python")(X) == pytest.approx(f(X))
        flow.testing.gradcheck(f, (X,), target="python")


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", [data_stored_to, mask_stored_to, views_stored_to])
def test_memory_is_shared_as_in_numpy(f, target: str):
    assert flow.compile(f, target=target)(X) == pytest.approx(f(X))
    flow.testing.gradcheck(f, (X,), target=target)
