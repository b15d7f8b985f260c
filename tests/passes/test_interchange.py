"""Sums down columns: the same bits, gradients, and which loops are interchanged."""

from functools import partial

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.ir.nodes import For
from srcgrad.ir.parse import parse
from srcgrad.ir.text import to_text
from srcgrad.ir.walk import walk
from srcgrad.passes.interchange import interchange
from srcgrad.primitives import REGISTRY
from tests.passes.pass_programs import after, agree, program, vec
from tests.passes.with_and_without import same_bits, with_and_without
from tests.tools.columns import few_columns


@pytest.fixture(autouse=True)
def few():
    with few_columns():
        yield


def forward(A, B, start):
    steps, n = B.shape
    a = start.copy()
    new = np.zeros(n)
    total = 0.0
    for t in range(steps):
        c = 0.0
        for j in range(n):
            s = 0.0
            for i in range(n):
                s += a[i] * A[i, j]
            new[j] = s * B[t, j]
            c += new[j]
        for j in range(n):
            a[j] = new[j] / c
        total += np.log(c)
    return total


def gates(W, X, h):
    k = len(h)
    h, z, c = h.copy(), np.empty(k), np.empty(k)
    for t in range(len(X)):
        for j in range(k):
            a = b = 0.1
            for p in range(X.shape[1]):
                a += X[t, p] * W[p, j]
                b += X[t, p] * W[p + 1, j]
            for p in range(k):
                a += h[p] * W[p, j]
            z[j] = np.tanh(a)
            c[j] = np.exp(-b * b) * a
        for j in range(k):
            h[j] = z[j] * h[j] + c[j]
    return np.sum(h * h)


def downwards(A, x, scale):
    n, m = A.shape
    y = np.zeros(m)
    for j in range(m - 1, -1, -1):
        low = scale * j
        s = low
        for i in range(n):
            s += np.sin(x[i] * A[i, j])
        half = 0.5 * s + low
        for i in range(n):
            half += A[i, j] * s
        y[j] = half
    return np.sum(y * np.arange(m))


def weighted(A, x, scale):
    total, most = 0.0, -1.0
    for j in range(1, A.shape[1]):
        s, k = 0.0, 0.5
        for i in range(A.shape[0]):
            s += A[i, j] * x[i]
            k += A[i, j] * scale
        if s > 0.0:
            total += s * k
        most = max(most, k)
    return total + most


A = np.round(np.cos(np.arange(25.0).reshape(5, 5) ** 2), 3) + 1.2
PROGRAMS = [
    (forward, (A / 9, A + 0.5, A[0])),
    (gates, (0.3 * A - 0.2, A[:3, :3] - 1.0, A[1])),
    (downwards, (A[:, :4], A[0], 0.3)),
    (weighted, (A[:4] - 1.0, A[0], 0.3)),
]
exactly = partial(with_and_without, "interchange", fastmath=False)


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_the_same_numbers(f, args, target):
    for dtype in (np.float64, np.float32):
        given = tuple(a.astype(dtype) if isinstance(a, np.ndarray) else a for a in args)
        (value, g), (value0, g0) = exactly(f, given, target=target)
        same_bits((value,), (value0,))
        np.testing.assert_allclose(g, g0, rtol=1e-12 if dtype is np.float64 else 2e-5, atol=1e-6)


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_gradients(f, args):
    flow.testing.gradcheck(f, args, target="python", order=2 if f is downwards else 1)


def test_special_values():
    B = A.copy()
    B[1:4, 2] = np.nan, np.inf, -0.0
    for f, args in PROGRAMS[2:]:
        same_bits(*exactly(f, (B[:4], *args[1:]), target="python"))


def test_no_rows_and_no_columns():
    for shape in ((0, 3), (3, 0), (0, 0), (1, 1)):
        for f in (downwards, weighted):
            args = np.ones(shape), np.ones(3), 0.3
            same_bits(*exactly(f, args, target="python"))


TEXT = """
for j in range(0, m):
    s: f64 = f64(0.0)
    for i in range(0, n):
        u: f64 = load(x, i)
        v: f64 = load(a, PLACE)
        w: f64 = mul(u, v)
        t: f64 = STEP
        s = t
    e: f64 = exp(s)
    store(TARGET, e)
"""
PARAMS = "x: f64[n], y: f64[m], a: f64[n, m]"


def loops(place="i, j", step="add(s, w)", target="y, j", text=TEXT):
    text = text.replace("PLACE", place).replace("STEP", step).replace("TARGET", target)
    f = program(PARAMS, text)
    args = vec(1, 2, 3, 4), vec(0, 0, 0, 0), np.arange(16.0).reshape(4, 4) / 9
    new = agree(interchange, f, args)
    return [s.index.name for s in walk(new.body) if isinstance(s, For)], new


def test_rows_come_first():
    found, new = loops()
    assert found == ["i", "j", "j"]
    assert to_text(after(interchange, new)) == to_text(new)


@pytest.mark.parametrize(
    "case",
    [
        {"place": "j, i"},  # a row of the trip
        {"place": "i, i"},
        {"step": "sub(s, w)"},
        {"step": "add(s, s)"},
        {"step": "add(w, u)"},
        {"target": "x, j"},  # which other trips read
        {"target": "y, 0"},
        {"text": TEXT.replace("range(0, m)", "promised(range(0, m))")},
        {"text": TEXT.replace("range(0, n)", "range(0, j)")},
        {
            "text": TEXT.replace("exp(s)", "add(s, 0.0)").replace(
                "store(", "store(y, 1, e)\n    store("
            )
        },
    ],
)
def test_which_loops_stay(case):
    assert loops(**case)[0] == ["j", "i"]


def test_short_loops_stay(monkeypatch):
    monkeypatch.setattr("srcgrad.passes.interchange.SHORT", 8)
    assert loops(text=TEXT.replace("range(0, m)", "range(0, 4)"))[0] == ["j", "i"]
    f = program(
        PARAMS, TEXT.replace("PLACE", "i, j").replace("STEP", "add(s, w)").replace("TARGET", "y, j")
    )
    assert len([s for s in walk(interchange(f).body) if isinstance(s, For)]) == 3
    assert interchange(g := parse(to_text(f).replace("range(0, n)", "range(0, 3)"), REGISTRY)) is g
