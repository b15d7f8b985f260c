"""Half precision in compiled code: every number of it, against NumPy."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends import python
from srcgrad.backends.cpu.emit import halves
from srcgrad.ir.types import DTYPES, Scalar
from srcgrad.passes.lower import fuse, lower
from tests.backends.backend_programs import Program, outcome, strided
from tests.backends.test_cpu import BINARY, UNARY, compiled, defined

ALL = np.arange(65536, dtype=np.uint16).view(np.float16)
EXACT = {
    "neg", "abs", "sqrt", "floor", "ceil", "trunc", "rint", "sign", "relu", "isnan", "isinf",
    "isfinite", "signbit", "logical_not", "real", "imag", "conj", "stop_gradient",
    "add", "sub", "mul", "div", "maximum", "minimum", "lt", "le", "gt", "ge", "eq", "ne",
    "copysign", "logical_and", "logical_or", "logical_xor", "fmod", "mod", "floordiv", "absorb",
}  # fmt: skip


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path))


@pytest.fixture(params=["of the processor", "of bits"])
def conversions(request, monkeypatch):
    """The conversions of a processor that has them, and those of one that has none."""
    if request.param == "of bits":
        text = halves.OF_BITS + halves.OF_DOUBLE
        monkeypatch.setattr("srcgrad.backends.cpu.emit.program.conversions", lambda: text)


def steps(got, want):
    """How many numbers of half precision lie between two; NaN and NaN are equal."""
    places = [x.view(np.int16).astype(int) for x in (got, want)]
    a, b = (np.where(p < 0, -(p & 0x7FFF), p) for p in places)
    return np.where(np.isnan(got) & np.isnan(want), 0, np.abs(a - b))


def near(got, want, most):
    assert got.dtype == want.dtype
    if got.dtype != np.float16:
        np.testing.assert_array_equal(got, want)
    else:
        assert np.max(steps(got, want)) <= most


# ---- conversions ----
def cast(source, target):
    p = Program()
    x = p.array("x", None, dtype=source)
    return compiled(lower(p.returns(p.b.cast(x, Scalar(target)))))


@pytest.mark.parametrize("target", [t for t in DTYPES if t != "f16"])
def test_every_half_is_converted(target, conversions):
    x = ALL if target[0] in "bfc" else ALL[np.isfinite(ALL) & (np.abs(ALL) < 100)]
    x = np.abs(x) if target[0] == "u" else x
    with np.errstate(all="ignore"):
        want = x.astype(DTYPES[target])
    np.testing.assert_array_equal(cast("f16", target)(x)[0], want)


def neighbours(dtype):
    """Every half, each place midway between two, and the numbers next to those."""
    finite = ALL[np.isfinite(ALL)].astype(dtype)
    ordered = np.unique(np.concatenate([finite, [65536.0, -65536.0]]).astype(dtype))
    at = np.concatenate([ordered, (ordered[1:] + ordered[:-1]) / 2])
    beside = [np.nextafter(at, dtype(side)) for side in (np.inf, -np.inf)]
    rest = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e38, -1e38, 1e-38, 1e-45], dtype)
    return np.concatenate([at, *beside, rest])


@pytest.mark.parametrize("source", ["f32", "f64"])
def test_floats_are_rounded_once(source, conversions):
    x = neighbours({"f32": np.float32, "f64": np.float64}[source])
    if source == "f64":
        x = np.concatenate([x, [1e300, -1e300, 1e-300, 5e-324, 65519.999999999, 65520.0]])
    with np.errstate(all="ignore"):
        want = x.astype(np.float16)
    got = cast(source, "f16")(x)[0]
    np.testing.assert_array_equal(got.view(np.uint16)[x == x], want.view(np.uint16)[x == x])
    assert np.isnan(got[x != x]).all()


@pytest.mark.parametrize("source", ["bool", "i8", "u8", "i32", "i64", "u64"])
def test_integers_are_rounded(source):
    x = np.array([0, 1, 2, 100, 2049, 2051, 65503, 65519, 65520, 10**9]).astype(DTYPES[source])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(cast(source, "f16")(x)[0], x.astype(np.float16))


# ---- operations ----
def made(ops, operands):
    def make():
        p = Program()
        given = [p.array(f"x{k}", None, dtype="f16") for k in range(operands)]
        for x in given[1:]:
            x.type = given[0].type
        return p.returns(*(p.b(op, *given) for op in ops))

    return make


@pytest.mark.parametrize("operands", [1, 2])
def test_operations_are_numpys(operands, conversions):
    """Exact ones to the last bit; others, rounded from float32, to one step of half precision."""
    ops = [op for op in (UNARY if operands == 1 else BINARY) if defined(op, "f16")]
    numbers = np.random.default_rng(0)
    given = [ALL]
    if operands == 2:
        some = numbers.choice(ALL, 200_000)
        special = np.array([0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan, 6e-8, 65504], np.float16)
        grid = np.meshgrid(special, special)
        given = [np.append(some, grid[0]), np.append(numbers.permutation(some), grid[1])]
    make = made(ops, operands)
    with np.errstate(all="ignore"):
        want = outcome(python.build, make(), given)
    got = outcome(compiled, fuse(make()), given)
    for op, g, w in zip(ops, got, want, strict=False):
        assert g.dtype == w.dtype, op
        if op == "sigmoid":  # no function of NumPy's: its parts are not rounded here
            with np.errstate(all="ignore"):
                w = (1.0 / (1.0 + np.exp(-given[0].astype(float)))).astype(np.float16)
        if g.dtype != np.float16:
            np.testing.assert_array_equal(g, w, op)
        else:
            assert np.max(steps(g, w)) <= (0 if op in EXACT else 1), op


# ---- reductions, and programs ----
def test_sums_are_rounded_once(conversions):
    p = Program()
    x, a = p.array("x", None, dtype="f16", layout="S"), p.array("a", None, None, dtype="f16")
    b = p.b
    total = [b.sum(x, axes=(0,)), b.sum(a, axes=(1,)), b.sum(a, axes=(0, 1)), b.vecdot(x, x)]
    f = lower(p.returns(*total, b.matmul(a, b.transpose(a, perm=(1, 0))), b.max(a, axes=(0,))))
    numbers = np.random.default_rng(0)
    x, a = (numbers.uniform(0.1, 1.0, n).astype(np.float16) for n in (5000, (3, 2500)))
    got = compiled(f)(strided(x), a)
    x, a = x.astype(float), a.astype(float)
    want = x.sum(), a.sum(1), a.sum(), x @ x, a @ a.T, a.max(0)
    for g, w in zip(got, want, strict=True):
        assert np.asarray(g).dtype == np.float16
        # a product is added in single precision, as in NumPy
        assert np.max(steps(np.asarray(g), np.asarray(w).astype(np.float16))) <= 1


X = np.random.default_rng(1).uniform(0.2, 2.0, 12).astype(np.float16)
A = np.random.default_rng(2).uniform(0.2, 1.0, (3, 4)).astype(np.float16)
S = np.float16(0.7)


def steps_of_a_loop(x, a, s):
    t = np.float16(0)
    y = x.copy()
    for i in range(1, len(x)):
        t = t + x[i] * s
        y[i] += y[i - 1] * 0.5
    y *= 2
    kept = []
    for v in x:
        kept.append(v * v)
    return t, y, np.array(kept)


def stored(x, a, s):
    y = np.zeros((2, 3), np.float16)
    y[0, 1:] = [0.1, 1e-8]
    y[1] = a[:, 1] * 3.0
    y[1, 0] += 2049.0
    return y, y.astype(np.float32), np.array([s, 1e4], dtype="e"), np.float16(x[0]), int(s), y[1, 0]


EXACTLY = [
    lambda x, a, s: (x * 0.1, x + 1, s * 2.5, x / 3, x - s, -x, x * x, np.abs(-x), np.sqrt(x)),
    lambda x, a, s: (np.float32(2) * x, x * np.int8(2), x * np.int16(2), s * np.int32(3)),
    lambda x, a, s: (x > s, x == x, np.maximum(x, 1), np.where(x > s, x, 0.5), np.clip(x, 0.3, 1)),
    lambda x, a, s: (x.cumsum(), np.diff(x), np.sort(x), np.argsort(x), np.argmax(a), x.max()),
    lambda x, a, s: (a[:, ::2], x[np.array([2, 0])], a.T, np.concatenate([x, x]), np.roll(x, 2)),
    lambda x, a, s: (np.searchsorted(np.sort(x), x), np.round(x), x // s, x % s, np.fmod(x, s)),
    lambda x, a, s: (np.ones_like(x), np.full(3, s), np.arange(3, dtype="half"), np.sin(x > 1.0)),
    steps_of_a_loop, stored,
]  # fmt: skip
NEARLY = [
    lambda x, a, s: (x.sum(), a.sum(0), a.mean(1), x.std(), np.prod(x), np.median(x)),
    lambda x, a, s: (x @ x, a @ a.T, np.outer(x, x), a @ x[:4], np.einsum("ij,kj->ik", a, a)),
    lambda x, a, s: (np.sin(x), np.exp(s), x**3, x**0.5, 2**x, np.hypot(x, s), np.tanh(a)),
    lambda x, a, s: (np.degrees(x), np.i0(x), np.linalg.norm(x), np.fft.fft(x), x * 1j),
]


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", [*EXACTLY, *NEARLY])
def test_programs_give_numpys_results(f, target):
    got, want = (f1(X, A, S) for f1 in (flow.compile(f, target=target), f))
    for g, w in zip(got, want, strict=True):
        assert np.asarray(g).dtype == np.asarray(w).dtype
        if f in EXACTLY:
            np.testing.assert_array_equal(g, w)
        else:
            np.testing.assert_allclose(g, w, rtol=2e-3)


LOSSES = [
    lambda x, a, s: np.sum(np.sin(x) * x * s),
    lambda x, a, s: np.mean((a @ x[:4] - s) ** 2),
    lambda x, a, s: np.sum(steps_of_a_loop(x, a, s)[1]) + np.max(a) * s,
    lambda x, a, s: np.float32(1.0) * x[0] * s + np.sum(np.exp(a), dtype=np.float32),
    lambda x, a, s: np.sum(np.tanh(np.linalg.norm(a, axis=1) * s) / x[:3]),
]


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", LOSSES)
def test_gradients_have_half_precision(f, target):
    wide = [v.astype(np.float64) for v in (X, A, S)]
    compiled = flow.compile(f, target=target)
    got = flow.grad(compiled, (0, 1, 2))(X, A, S)
    want = flow.grad(f, (0, 1, 2))(*wide)
    tangent = flow.jvp(compiled, (X, A, S), (X, A, S))[1]
    np.testing.assert_allclose(tangent, flow.jvp(f, tuple(wide), tuple(wide))[1], rtol=1e-2)
    for g, w in zip(got, want, strict=True):
        assert np.asarray(g).dtype == np.float16
        np.testing.assert_allclose(g, w, rtol=1e-2, atol=2e-3)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_second_derivatives_have_half_precision(target):
    def f(x):
        return np.sum(np.exp(x) * x)

    compiled = flow.compile(f, target=target)
    got = flow.grad(lambda x: np.sum(flow.grad(compiled)(x) * X), 0)(X)
    x = X.astype(float)
    assert got.dtype == np.float16
    np.testing.assert_allclose(got, np.exp(x) * (2 + x) * x, rtol=1e-2)


def test_numbers_of_half_precision_are_printed(capfd):
    @flow.compile
    def shows(x):
        print("x", x[0])
        return x[0]

    assert shows(np.array([0.5], np.float16)) == 0.5
    assert capfd.readouterr().out == "x 0.5\n"
