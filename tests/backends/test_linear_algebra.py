"""Linear algebra on the cpu against the reference: values, layouts, what is singular or not finite.

LAPACK is NumPy's own or SciPy's: the same routines, but they may be built differently.
"""

from functools import cache, partial

import numpy as np
import pytest

from srcgrad.backends import python
from srcgrad.backends.backend import BuildOptions
from srcgrad.backends.cpu.build import build
from srcgrad.ir.types import FLOAT, INT, np_dtype
from srcgrad.primitives import triangular
from tests.backends.backend_programs import Program, outcome, strided
from tests.backends.failing_calls import leaves_nothing
from tests.tools.turns import share

CLOSE = {"f32": 2e-4, "c64": 2e-4, "f64": 1e-9, "c128": 1e-9}
NUMBERS = {"f32": np.float32, "f64": np.float64, "c64": np.complex64, "c128": np.complex128}
TRIANGULAR = [{"lower": w, "transposed": t, "unit": u}
              for w in (True, False) for t in (True, False) for u in (True, False)]  # fmt: skip


@pytest.fixture(autouse=True)
def emitted(tmp_path, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path))


def random(rng, shape, dtype):
    a = rng.normal(size=shape)
    if dtype[0] == "c":
        a = a + 1j * rng.normal(size=shape)
    return a.astype(NUMBERS[dtype])


def regular(rng, n, dtype):
    return random(rng, (n, n), dtype) + NUMBERS[dtype](n) * np.eye(n, dtype=NUMBERS[dtype])


def definite(rng, n, dtype):
    a = random(rng, (n, n), dtype)
    return a @ a.conj().T + np.eye(n, dtype=a.dtype)


def band(rng, rows, n, dtype, upper):
    ab = random(rng, (rows, n), dtype)
    ab[upper] += 4
    return ab


def program(op, ranks, layout, dtype, scalars, params):
    p = Program()
    given = [p.array(f"a{k}", *[None] * n, dtype=dtype, layout=layout) for k, n in enumerate(ranks)]
    given += [
        p.scalar(f"s{k}", INT if isinstance(v, int) else FLOAT) for k, v in enumerate(scalars)
    ]
    return p.returns(p.b(op, *given, **params))


@cache
def both(op, ranks, layout, dtype, kinds, params):
    """The function on the reference and on the cpu: compiled once for all sizes."""
    scalars = [kind() for kind in kinds]
    options = BuildOptions(cache=False)
    make = partial(program, op, ranks, layout, dtype, scalars, dict(params))
    return python.build(make()), build(make(), options)


def signed(op, y):
    """In float32 the sign of a vector may hang on rounding: the largest component is positive."""
    if op not in ("eigh", "svd") or y.dtype != np.float32 or not y.size:
        return y
    vectors = y[1:]
    largest = np.take_along_axis(vectors, np.argmax(np.abs(vectors), axis=0)[None], axis=0)
    return np.concatenate([y[:1], vectors * np.sign(largest)])


LAYOUTS = {"C": np.ascontiguousarray, "S": strided, "F": np.asfortranarray}


def compare(op, arrays, dtype, *scalars, layouts="CSF", **params):
    for layout in layouts:
        given = [LAYOUTS[layout](a) for a in arrays]
        ranks, kinds = tuple(a.ndim for a in arrays), tuple(map(type, scalars))
        stated = "C" if layout == "C" else "S"
        runs = both(op, ranks, stated, dtype, kinds, tuple(params.items()))
        with np.errstate(all="ignore"):
            want, got = (outcome(lambda _, run=run: run, None, [*given, *scalars]) for run in runs)
        told = f"{op} {dtype} {layout} {[a.shape for a in arrays]} {params}: {got} not {want}"
        if isinstance(want, tuple) or isinstance(got, tuple):
            assert got == want, told
            continue
        g, w = (signed(op, np.asarray(r[0])) for r in (got, want))
        assert g.shape == w.shape and g.dtype == w.dtype, told
        close = CLOSE[dtype]
        assert np.allclose(g, w, rtol=close, atol=close, equal_nan=True), told


SIZES = [0, 1, 2, 5, 33]
ALL = ["f64", "f32", "c128", "c64"]
REAL = ["f64", "f32"]


@pytest.mark.parametrize("dtype", ALL)
def test_systems_and_determinants(dtype):
    rng = np.random.default_rng(1)
    for n in SIZES:
        a = regular(rng, n, dtype)
        for b in (random(rng, n, dtype), random(rng, (n, 3), dtype), random(rng, (n, 0), dtype)):
            compare("solve", [a, b], dtype)
            factors = triangular.factored(a)
            for transposed in (False, True):
                compare(
                    "solved_by_factors", [factors, b], dtype, layouts="C", transposed=transposed
                )
        compare("factored", [a], dtype)
        compare("inv", [a], dtype)
        small = a / NUMBERS[dtype](n + 1)
        for op in ("det", "logabsdet", "detsign"):
            compare(op, [small], dtype)
            compare(op, [small[::-1]], dtype, layouts="C")


@pytest.mark.parametrize("dtype", ALL)
def test_rows_that_are_exchanged(dtype):
    rng = np.random.default_rng(11)
    for n in (2, 3, 7, 8, 9):  # by loops and by LAPACK
        for _ in range(3):
            a = regular(rng, n, dtype)[rng.permutation(n)]
            b = random(rng, (n, 2), dtype)
            compare("factored", [a], dtype, layouts="C")
            for transposed in (False, True):
                given = [triangular.factored(a), b]
                compare("solved_by_factors", given, dtype, layouts="C", transposed=transposed)
            compare("solve", [a, b], dtype)
            compare("inv", [a], dtype)
            small = a / NUMBERS[dtype](n + 1)
            for op in ("det", "logabsdet", "detsign", "cofactors"):
                compare(op, [small], dtype, layouts="C")


@pytest.mark.parametrize("dtype", ["f64", "c128"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_small_systems_that_are_not_finite(dtype, bad):
    rng = np.random.default_rng(12)
    solve, solved = both("solve", (2, 2), "C", dtype, (), ())
    for n in (2, 3, 5, 8):
        for i in range(n):
            a, b = regular(rng, n, dtype), random(rng, (n, 2), dtype)
            a[i, rng.integers(n)] = bad
            if dtype == "f64" or np.isinf(bad):
                compare("solve", [a, b], dtype, layouts="C")
                compare("inv", [a], dtype, layouts="C")
            with np.errstate(all="ignore"):
                assert np.all(np.isnan(solved(a, b)[0]) >= np.isnan(solve(a, b)[0]))


@pytest.mark.parametrize("dtype", ALL)
def test_cofactors(dtype):
    rng = np.random.default_rng(2)
    for n in (1, 2, 4):
        a = random(rng, (n, n), dtype)
        compare("cofactors", [a], dtype)
        a[0] = a[-1]
        compare("cofactors", [a], dtype)


@pytest.mark.parametrize("dtype", ALL)
def test_factors(dtype):
    rng = np.random.default_rng(3)
    for n in SIZES:
        for a in (definite(rng, n, dtype), random(rng, (n, n), dtype)):
            compare("cholesky", [a], dtype, layouts="C")
            compare("definite", [a], dtype, layouts="S")
        # of both the lower triangles count
        both_of = np.linalg.cholesky(definite(rng, n, dtype)), random(rng, (n, n), dtype)
        compare("cholesky_adjoint", [both_of[0] + np.triu(both_of[1], 1), both_of[1]], dtype)
        for lower in (True, False) if dtype in REAL else ():
            compare("eigh", [random(rng, (n, n), dtype)], dtype, lower=lower)
        if n:  # SciPy's own wrapper complains
            compare("lu_pivots", [random(rng, (n, n), dtype)], dtype)
        compare("lu", [regular(rng, n, dtype)], dtype)


@pytest.mark.parametrize("dtype", ALL)
def test_qr(dtype):
    rng = np.random.default_rng(8)
    for n in SIZES:
        for more in (0, 3):
            compare("qr", [random(rng, (n + more, n), dtype)], dtype)


@pytest.mark.parametrize("dtype", REAL)
def test_singular_values_and_least_squares(dtype):
    rng = np.random.default_rng(4)
    for m, n in [(0, 0), (0, 3), (3, 0), (1, 1), (4, 2), (2, 4), (5, 5), (30, 12)]:
        a = random(rng, (m, n), dtype)
        compare("svd", [a], dtype)
        for checked in (True, False):
            compare("singular_values", [a], dtype, checked=checked)
        compare("pinv", [a], dtype, 1e-5)
        for b in (random(rng, m, dtype), random(rng, (m, 2), dtype)):
            compare("lstsq", [a, b], dtype, 1e-5)
    flat = np.outer(random(rng, 4, dtype), random(rng, 3, dtype))
    compare("pinv", [flat], dtype, 1e-4)
    compare("lstsq", [flat, random(rng, 4, dtype)], dtype, 1e-4)


def test_complex_eigenvalues():
    rng = np.random.default_rng(5)
    for n in (0, 1, 2, 6):
        for real in (False, True):
            compare("eig", [random(rng, (n, n), "c128")], "c128", real=real)


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("params", share(TRIANGULAR), ids=lambda p: "".join(k for k in p if p[k]))
def test_triangular_systems(dtype, params):
    rng = np.random.default_rng(6)
    for n in (0, 1, 2, 7):
        a = regular(rng, n, dtype)
        for b in (random(rng, n, dtype), random(rng, (n, 2), dtype)):
            compare("solve_triangular", [a, b], dtype, **params)


BANDS = [(1, 1, 0), (1, 3, 1), (2, 3, 1), (6, 3, 1), (6, 4, 0), (6, 4, 3), (9, 5, 1)]


@pytest.mark.parametrize("dtype", REAL)
def test_bands(dtype):
    rng = np.random.default_rng(7)
    for n, rows, upper in BANDS:
        ab = band(rng, rows, n, dtype, upper)
        for x in (random(rng, n, dtype), random(rng, (n, 2), dtype)):
            for turned in (True, False):
                compare("band_product", [ab, x], dtype, upper, transposed=turned)
                compare("solve_banded", [ab, x], dtype, upper, transposed=turned)
            compare("band_outer", [x, x * 2], dtype, rows, upper)
    for n, rows in [(1, 1), (1, 2), (2, 2), (5, 2), (6, 4), (8, 1)]:
        for lower, diagonal in ((True, 0), (False, rows - 1)):
            ab = band(rng, rows, n, dtype, diagonal) * 0.5
            ab[diagonal] = 8
            for x in (random(rng, n, dtype), random(rng, (n, 2), dtype)):
                compare("solveh_banded", [ab, x], dtype, lower=lower)


@pytest.mark.parametrize("dtype", ALL)
def test_sylvester(dtype):
    rng = np.random.default_rng(8)
    for m, n in [(0, 2), (1, 1), (2, 3), (6, 4)]:
        a, b = regular(rng, m, dtype), regular(rng, n, dtype)
        compare("sylvester", [a, b, random(rng, (m, n), dtype)], dtype)
    compare("sylvester", [np.eye(2), -np.eye(2), np.eye(2)], "f64")


@pytest.mark.parametrize("dtype", ALL)
def test_values_that_coincide(dtype):
    rng = np.random.default_rng(9)
    for u in (random(rng, 0, dtype), random(rng, 4, dtype)):
        compare("coincide", [u, np.concatenate([u[:2], random(rng, 3, dtype)])], dtype)


@pytest.mark.parametrize("dtype", ["f64", "f32", "i64", "i32", "i8", "u8", "u64", "bool"])
def test_orderings(dtype):
    """Stable, NaN last, as NumPy's."""
    rng = np.random.default_rng(10)
    kind = np_dtype(dtype)
    make = partial(program, "argsort", (1,), "S", dtype, (), {"axis": 0})
    f = build(make(), BuildOptions(cache=False))
    for n in (0, 1, 2, 3, 4, 5, 7, 8, 9, 64, 65, 1000):
        for spread in (1, 3, 100):
            x = rng.integers(-spread, spread + 1, n).astype(kind)
            if dtype[0] == "f" and n:
                x[rng.integers(0, n, n // 3)] = np.nan
                x[rng.integers(0, n, n // 4)] = -np.inf
                x[rng.integers(0, n, n // 4)] = np.inf
                x[rng.integers(0, n, n // 4)] = -0.0
            for given in (x, strided(x), x[::-1]):
                assert np.array_equal(f(given)[0], np.argsort(given, kind="stable"))


def singular(dtype):
    return np.array([[1, 2], [2, 4]], NUMBERS[dtype])


@pytest.mark.parametrize("dtype", REAL)
def test_what_is_singular_fails_as_numpy_does(dtype):
    a, zero = singular(dtype), np.zeros((3, 3), NUMBERS[dtype])
    compare("solve", [a, a[0]], dtype)
    compare("inv", [a], dtype)
    compare("cholesky", [-a], dtype)
    for op in ("det", "logabsdet", "detsign"):
        compare(op, [a], dtype)
        compare(op, [zero], dtype)
    compare("lu", [zero], dtype)
    compare("lu_pivots", [zero], dtype)
    compare("qr", [zero], dtype)
    compare("solve_triangular", [zero, zero[0]], dtype, lower=True, transposed=False, unit=False)
    compare("solve_banded", [zero, zero[0]], dtype, 1, transposed=False)
    compare("solveh_banded", [-a, a[0]], dtype, lower=True)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_is_as_numpy_has_it(bad):
    corner, last = np.array([[bad, 1.0], [1.0, 3.0]]), np.array([[2.0, 1.0], [1.0, bad]])
    for a in (corner, last):
        compare("solve", [a, np.ones(2)], "f64")
        compare("solve", [np.eye(2) + 1, a[0]], "f64")
        for op in ("inv", "det", "logabsdet", "cholesky", "qr", "svd", "lu_pivots"):
            compare(op, [a], "f64")
        for checked in (True, False):
            compare("singular_values", [a], "f64", checked=checked)
        compare("pinv", [a], "f64", 1e-15)
        compare(
            "solve_triangular", [a, np.ones(2)], "f64", lower=True, transposed=False, unit=False
        )
        compare("coincide", [a[0], a[1]], "f64")
        compare("eig", [a.astype(complex)], "c128", real=False)
        compare("eig", [a.astype(complex)], "c128", real=True)
        compare("solveh_banded", [a, np.ones(2)], "f64", lower=True)


@pytest.mark.parametrize(("way", "times"), [("", 5000), ("guarded", 10)])
def test_no_buffer_is_left_by_calls_that_fail(way, times):
    """Guarded, released buffers stay: so they only run."""
    leaves_nothing("matrices", times, SRCGRAD_CPU=way)
