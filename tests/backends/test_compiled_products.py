"""Product of matrices under the emitter: every layout, dtype and shape against NumPy."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends.backend import BuildOptions
from srcgrad.backends.cpu.build import build
from srcgrad.backends.cpu.emit import blas, linked, machine_products
from srcgrad.backends.cpu.emit.symbols import Product
from srcgrad.backends.cpu.fastmath import FLAGS
from srcgrad.ir.nodes import For
from srcgrad.ir.parse import parse
from srcgrad.ir.walk import walk
from srcgrad.primitives import REGISTRY
from tests.backends.backend_programs import Program
from tests.backends.failing_calls import leaves_nothing

WAYS = ["", "guarded"]
DTYPES = {"f32": np.float32, "f64": np.float64, "c64": np.complex64, "c128": np.complex128,
          "i32": np.int32, "u8": np.uint8}  # fmt: skip
# below and above the number of multiplications from which on BLAS is called
LENGTHS = [0, 1, 3, 7, 17]  # of loops: a pair and one, four and a pair and one
RANDOM = np.random.default_rng(3)

# each gives an array that is equal to a contiguous one
LAYOUTS = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "reversed": lambda x: np.ascontiguousarray(x[::-1])[::-1],
    "reversed columns": lambda x: np.ascontiguousarray(x[..., ::-1])[..., ::-1],
    "every second": lambda x: np.repeat(x, 2, -1)[..., ::2],
    "every third row": lambda x: np.repeat(x, 3, 0)[::3],
    "in a larger one": lambda x: within(x, 3),
    "turned in a larger one": lambda x: within(x.T, 2).T,
    "of records": lambda x: record(x),
}


def within(x, more):
    large = np.full([n + more for n in x.shape], 7, x.dtype)
    seen = large[tuple(slice(1, 1 + n) for n in x.shape)]
    seen[...] = x
    return seen


def record(x):
    """Steps that are no multiple of the item's size: none that BLAS takes."""
    one = np.zeros(x.shape, np.dtype({"names": ["x"], "formats": [x.dtype], "offsets": [0],
                                      "itemsize": x.dtype.itemsize + 4}))  # fmt: skip
    one["x"] = x
    return one["x"]


def numbers(dtype, *shape):
    x = RANDOM.normal(size=shape) * 5
    if dtype[0] == "c":
        x = x + 1j * RANDOM.normal(size=shape)
    return np.abs(x).astype(DTYPES[dtype]) if dtype[0] == "u" else x.astype(DTYPES[dtype])


def product_of(op, dtype, left, right):
    """A program of one product, whatever its operands' layouts and lengths are."""
    p = Program()
    a = p.array("a", *[None] * left, dtype=dtype, layout="S")
    b = p.array("b", *[None] * right, dtype=dtype, layout="S")
    function = p.returns(p.b(op, a, b))
    return build(function, BuildOptions(cache=False)).run


def compare(run, a, b):
    (got,) = run(a, b)
    wanted = np.matmul(a, b)
    assert np.shape(got) == wanted.shape and np.asarray(got).dtype == wanted.dtype
    if a.dtype.kind in "iu":
        np.testing.assert_array_equal(got, wanted)
        return
    # the error of a sum of k products, in whatever order it is made
    bound = (a.shape[-1] + 2) * np.finfo(a.dtype).eps * (np.abs(a) @ np.abs(b))
    assert np.all(np.abs(got - wanted) <= 4 * bound)


@pytest.mark.parametrize("way", WAYS, ids=["plain", "guarded"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_matrices(monkeypatch, way, dtype):
    monkeypatch.setenv("SRCGRAD_CPU", way)
    run = product_of("matmul", dtype, 2, 2)
    for m in LENGTHS:
        for k in LENGTHS:
            for n in LENGTHS:
                compare(run, numbers(dtype, m, k), numbers(dtype, k, n))
    for shape in [(9, 11, 13), (1, 40, 3), (70, 1, 2), (2, 1, 70), (3, 40, 1)]:
        m, k, n = shape
        for left in LAYOUTS.values():
            for right in LAYOUTS.values():
                compare(run, left(numbers(dtype, m, k)), right(numbers(dtype, k, n)))


@pytest.mark.parametrize("way", WAYS, ids=["plain", "guarded"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_vectors(monkeypatch, way, dtype):
    monkeypatch.setenv("SRCGRAD_CPU", way)
    of_matrix, of_vector = product_of("matvec", dtype, 2, 1), product_of("vecdot", dtype, 1, 1)
    shapes = [(m, k) for m in LENGTHS for k in (*LENGTHS, 200)]
    for m, k in shapes:
        for right in ("C", "reversed", "every second", "in a larger one", "of records"):
            x = LAYOUTS[right](numbers(dtype, k))
            compare(of_vector, LAYOUTS["every second"](numbers(dtype, k)), x)
            compare(of_vector, numbers(dtype, k), x)
            compare(of_vector, LAYOUTS["reversed"](numbers(dtype, k)), x)
            for left in LAYOUTS.values():
                compare(of_matrix, left(numbers(dtype, m, k)), x)


@pytest.mark.parametrize("dtype", ["c64", "c128"])
def test_complex_vectors_where_no_function_returns_them(monkeypatch, dtype):
    monkeypatch.setattr(blas, "RETURNED", {})
    monkeypatch.setattr(linked, "_ready", set())
    named = Product.symbol.fget  # other symbols than those of the code that is loaded already
    monkeypatch.setattr(Product, "symbol", property(lambda p: f"{named(p)}_unreturned"))
    text, _ = machine_products.emit_product(Product("vectors", dtype, ""))
    assert "gemv" in text and "dotu" not in text
    run = product_of("vecdot", dtype, 1, 1)
    for n in (0, 3, 70, 200):
        compare(run, numbers(dtype, n), numbers(dtype, n))


@pytest.mark.parametrize("way", WAYS, ids=["plain", "guarded"])
@pytest.mark.parametrize("dtype", ["f64", "c64", "i32"])
def test_stacks(monkeypatch, way, dtype):
    monkeypatch.setenv("SRCGRAD_CPU", way)
    run = product_of("matmul", dtype, 4, 4)
    for lead in [(2, 3), (1, 1), (0, 2), (3, 1)]:
        for m, k, n in [(2, 2, 2), (7, 5, 6), (7, 5, 1), (1, 90, 1), (3, 0, 2), (5, 0, 0)]:
            a, b = numbers(dtype, *lead, m, k), numbers(dtype, *lead, k, n)
            compare(run, a, b)
            turned = np.ascontiguousarray(a.transpose(1, 3, 0, 2)).transpose(2, 0, 3, 1)
            compare(run, turned, LAYOUTS["every second"](b))
            compare(run, LAYOUTS["every second"](a[::-1])[::-1], LAYOUTS["F"](b))
            compare(run, np.broadcast_to(a[:1, :1], a.shape), np.broadcast_to(b[..., :1], b.shape))


@pytest.mark.parametrize("way", WAYS, ids=["plain", "guarded"])
def test_one_row_or_element_again_and_again(monkeypatch, way):
    monkeypatch.setenv("SRCGRAD_CPU", way)
    run, of_vector = product_of("matmul", "f64", 2, 2), product_of("vecdot", "f64", 1, 1)
    row, x = np.broadcast_to(numbers("f64", 12), (9, 12)), numbers("f64", 20)
    compare(run, row, np.broadcast_to(numbers("f64", 12, 1), (12, 8)))
    compare(run, np.lib.stride_tricks.sliding_window_view(x, 12), row.T)
    compare(of_vector, np.broadcast_to(2.0, (200,)), numbers("f64", 200))


@pytest.mark.parametrize("way", WAYS, ids=["plain", "guarded"])
def test_what_was_in_memory_before_is_not_read(monkeypatch, way):
    """And what is infinite or no number in the operands shows where NumPy's does."""
    monkeypatch.setenv("SRCGRAD_CPU", way)
    of_matrix, run = product_of("matvec", "f64", 2, 1), product_of("matmul", "f64", 2, 2)
    for n in (3, 40):
        for _ in range(20):
            junk = [np.full((n, n), np.nan), np.full(n, np.nan)]
            del junk
            a, x = numbers("f64", n, n), numbers("f64", n)
            compare(of_matrix, a, x)
            compare(run, a, a.T)
        a[0, 1], a[1, 0], a[2, 2], x[0] = np.nan, np.inf, -np.inf, 0.0
        with np.errstate(invalid="ignore"):
            wanted = a @ x, a @ a
        np.testing.assert_array_equal(np.isnan(of_matrix(a, x)[0]), np.isnan(wanted[0]))
        np.testing.assert_array_equal(np.isnan(run(a, a)[0]), np.isnan(wanted[1]))


@pytest.mark.parametrize("way", WAYS, ids=["plain", "guarded"])
def test_no_memory_for_the_result(monkeypatch, way):
    monkeypatch.setenv("SRCGRAD_CPU", way)
    run = product_of("matmul", "f64", 2, 2)
    column = np.broadcast_to(1.0, (2**40, 1))
    with pytest.raises(MemoryError):
        run(column, column.T)


def test_code_of_products_is_compiled_once(monkeypatch, tmp_path):
    """It is in no program, and that of a kind and dtype serves all programs of the machine."""
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path))
    made, compiled = [], machine_products.compiled
    monkeypatch.setattr(machine_products, "compiled", lambda p: made.append(p) or compiled(p))
    a, x = numbers("f64", 9, 9), numbers("f64", 9)
    for _ in range(2):  # a process each
        monkeypatch.setattr(linked, "_ready", set())
        for op, given in (("matmul", (a, a)), ("matvec", (a, x)), ("vecdot", (x, x))):
            p = Program()
            operands = [p.array(f"x{k}", *[None] * v.ndim) for k, v in enumerate(given)]
            built = build(p.returns(p.b(op, *operands)), BuildOptions())
            assert "gemm" not in built.print_compiled().shown()
            compare(built.run, *given)
    kinds = ("matrices", "vector", "vectors")
    assert made == [Product(kind, "f64", "reassoc ") for kind in kinds]


def test_no_copy_is_left_and_the_cache_serves_it(tmp_path):
    for _ in range(2):
        leaves_nothing("products", 1000, SRCGRAD_CACHE_DIR=str(tmp_path / "cache"))


@pytest.mark.parametrize("column", [False, True])
def test_loops_load_one_operand_once_for_four_sums(column):
    made = parse(machine_products.loops("f64", "f64", column), REGISTRY)
    loops = [s for s in walk(made.body)
             if isinstance(s, For) and not any(isinstance(t, For) for t in s.body)]  # fmt: skip
    ops = [[s.op.name for s in loop.body] for loop in loops]
    assert [(o.count("load"), o.count("mul")) for o in ops] == [(5, 4), (3, 2), (2, 1)]


@pytest.mark.parametrize(
    ("kind", "called", "most"), [("matrices", "loops", 64), ("vector", "column", 100)]
)
def test_small_products_are_loops(kind, called, most):
    text = machine_products.emit_product(Product(kind, "f64", FLAGS[None]))[0]
    single = text[text.index(f"@single.{called}.f64(") :]
    assert f"%few = icmp ule i64 %work, {most}\n" in single[: single.index("large:")]


@pytest.mark.full
def test_more_items_than_blas_counts():
    n = 2**31 + 5
    (got,) = product_of("vecdot", "f32", 1, 1)(*[np.broadcast_to(np.float32(0.0), (n,))] * 2)
    assert got == 0
    (got,) = product_of("matvec", "f64", 2, 1)(
        np.broadcast_to(1.0, (1, n)), np.broadcast_to(1.0, (n,))
    )
    assert got[0] == n


@pytest.mark.parametrize(("op", "which"), [("matmul", 0), ("matmul", 1), ("matvec", 1)])
def test_guarded_finds_an_operand_that_leaves_its_buffer(monkeypatch, op, which):
    monkeypatch.setenv("SRCGRAD_CPU", "guarded")
    p = Program()
    a, b = p.array("a", 6, 6), p.array("b", *[6] * (2 if op == "matmul" else 1))
    given = [a, b]
    wrong, rest = given[which], [":"] * (given[which].type.ndim - 1)
    given[which] = p.b.view(wrong, 1, 7, 1, spec=("s", *rest))
    run = build(p.returns(p.b(op, *given)), BuildOptions(cache=False)).run
    with pytest.raises(AssertionError):
        run(np.ones((6, 6)), np.ones((6,) * b.type.ndim))


# ---- programs ----
def attention(x, wq, wk, wv):
    q, k, v = x @ wq, x @ wk, x @ wv
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])
    weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return np.sum((weights / np.sum(weights, axis=-1, keepdims=True) @ v) ** 2)


def mlp(x, w1, b1, w2):
    return np.sum(np.tanh(x @ w1 + b1) @ w2 * (x.T[0] @ x))


def steps(a, x, n):
    total = 0.0
    for _ in range(n):
        x = np.tanh(a.T @ x)
        total += x @ x
    return total


PROGRAMS = [
    (attention, (numbers("f64", 2, 7, 6) / 9, *(numbers("f64", 6, 5) / 9 for _ in range(3)))),
    (mlp, tuple(numbers("f64", *dims) / 9 for dims in [(9, 4), (4, 8), (8,), (8, 4)])),
    (steps, (numbers("f64", 9, 9) / 9, numbers("f64", 9), 4)),
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS, ids=["plain", "guarded"])
@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_gradients(monkeypatch, way, f, args):
    monkeypatch.setenv("SRCGRAD_CPU", way)
    over = tuple(k for k, a in enumerate(args) if isinstance(a, np.ndarray))
    value, grads = flow.value_and_grad(f, grad_position=over)(*args)
    reference = flow.compile(f, target="python")
    wanted, others = flow.value_and_grad(reference, grad_position=over)(*args)
    np.testing.assert_allclose(value, wanted, rtol=1e-12)
    for g, other in zip(grads, others, strict=True):
        np.testing.assert_allclose(g, other, rtol=1e-9, atol=1e-11)
    tangents = tuple(np.ones_like(a) if k in over else None for k, a in enumerate(args))
    moved = flow.jvp(f, args, tangents)[1]
    np.testing.assert_allclose(moved, sum(np.sum(g) for g in others), rtol=1e-9)
