"""An element's value does not depend on the length of its array, except for the order of a sum."""

import numpy as np
import pytest
from scipy import special

import srcgrad as flow
from srcgrad.primitives import REGISTRY, reductions, scans
from srcgrad.primitives.registry import Primitive
from tests.autodiff.example import Complemented, Example, Ordered
from tests.autodiff.examples import EXAMPLES

LENGTHS = (1, 7, 64, 65, 1000, 4095, 5000)  # one after the other; some have ways of their own
TOTAL = sum(LENGTHS)
PARAMS = {e.op: e for e in EXAMPLES if REGISTRY[e.op].elementwise}
SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan, 1e30, -1e30, 1e-40, -1e-40)


def long_inputs(example: Example, dtype: str) -> list[np.ndarray]:
    """Each input of an example, drawn from its interval for a long array, special values added."""
    rng = np.random.default_rng(5)
    domains = example.domains if isinstance(example.domains[0], tuple) else (example.domains,) * 4
    out = []
    for k, (low, high) in zip(range(len(example.params)), domains, strict=False):
        kind = example.params[k].partition("[")[0]
        x = rng.uniform(low, high, TOTAL)
        x[20 * (k + 1) : 20 * (k + 1) + len(SPECIAL)] = SPECIAL
        match kind:
            case "bool":
                out.append(x > 0)
            case "i64":
                out.append(rng.integers(0, 3, TOTAL))
            case "c128":
                out.append((x + 1j * rng.uniform(-1.0, 1.0, TOTAL)).astype(
                    np.complex64 if dtype == "float32" else np.complex128))  # fmt: skip
            case _:
                out.append(x.astype(dtype))
    return out


def pieces(x: np.ndarray) -> list[np.ndarray]:
    return np.split(x, np.cumsum(LENGTHS)[:-1])


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether numbers agree to the last bit and to the sign of zero; one NaN is like another."""
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype.kind == "c":
        return same_bits(a.real, b.real) and same_bits(a.imag, b.imag)
    signs = a.dtype.kind != "f" or (np.signbit(a) == np.signbit(b))[~np.isnan(a)].all()
    return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f") and signs


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", sorted(PARAMS))
def test_an_elementwise_primitive(name: str, dtype: str):
    example = PARAMS[name]
    args = long_inputs(example, dtype)
    f = REGISTRY[name].impl
    front = example.extra if isinstance(example, Ordered | Complemented) else ()
    if isinstance(example, Complemented):
        args.append(1.0 - args[0])
    with np.errstate(all="ignore"):
        whole = f(*front, *args, **example.static)
        parts = [
            f(*front, *each, **example.static) for each in zip(*map(pieces, args), strict=True)
        ]
    assert same_bits(whole, np.concatenate(parts))


UFUNCS = [
    p for p in REGISTRY.values()
    if p.elementwise and p.name not in PARAMS and isinstance(p.impl, np.ufunc)
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("primitive", UFUNCS, ids=str)
def test_a_ufunc(primitive: Primitive, dtype: str):
    rng = np.random.default_rng(7)
    ufunc: np.ufunc = primitive.impl
    if not any(t.startswith(np.dtype(dtype).char * ufunc.nin) for t in ufunc.types):
        dtype = "int64"
    args = [rng.uniform(1.0, 9.0, TOTAL).astype(dtype) for _ in range(ufunc.nin)]
    parts = [ufunc(*each) for each in zip(*map(pieces, args), strict=True)]
    assert same_bits(ufunc(*args), np.concatenate(parts))


FUNCTIONS = [
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "erf",
    "erfc", "exp", "exp2", "expm1", "floor", "gelu", "hardsigmoid", "hardswish", "hardtanh",
    "leaky_relu", "log", "log10", "log1p", "log2", "logsigmoid", "mish", "neg", "reciprocal",
    "relu", "relu6", "rsqrt", "selu", "elu", "celu", "sigmoid", "sign", "silu", "sin", "sinh",
    "softplus", "softsign", "sqrt", "square", "tan", "tanh",
]  # fmt: skip
TENSOR_FUNCTIONS = [
    getattr(space, n)
    for n in FUNCTIONS
    for space in (flow, flow.nn.functional)
    if hasattr(space, n) and (space is flow or not hasattr(flow, n))
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", TENSOR_FUNCTIONS, ids=lambda f: f.__name__)
def test_a_tensor_function_and_its_gradient(f, dtype: str):
    x = np.random.default_rng(3).uniform(0.1, 0.9, TOTAL).astype(dtype)

    def both(a: np.ndarray) -> tuple:
        t = flow.tensor(a, requires_grad=True)
        y = f(t)
        if y.requires_grad:
            y.backward(flow.ones_like(y))
        return y.detach().numpy(), None if t.grad is None else t.grad.numpy()

    parts = [both(p) for p in pieces(x)]
    value, gradient = both(x)
    assert same_bits(value, np.concatenate([p[0] for p in parts]))
    if gradient is not None:
        assert same_bits(gradient, np.concatenate([p[1] for p in parts]))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", [scans.softmax, scans.log_softmax], ids=str)
def test_rows_do_not_see_each_other(f, dtype: str):
    """But for the order of the sum of a row, which an array of many rows may have another of."""
    x = np.random.default_rng(4).normal(size=(90, 80)).astype(dtype) * 3
    x[3] += 300.0  # a row whose exponentials overflow
    x[5] -= 300.0
    with np.errstate(all="ignore"):
        whole = f.impl(x, axes=(1,))
        rows = np.concatenate([f.impl(row[None], axes=(1,)) for row in x])
        turned = f.impl(np.ascontiguousarray(x.T), axes=(0,)).T
    eps = np.finfo(dtype).eps
    np.testing.assert_allclose(whole, rows, rtol=8 * eps, atol=16 * eps)
    np.testing.assert_allclose(turned, rows, rtol=8 * eps, atol=16 * eps)
    others = np.delete(x, [3, 5], 0)  # nor do their neighbours see what is special about a row
    alone = f.impl(others, axes=(1,))
    assert same_bits(np.delete(whole, [3, 5], 0), alone)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_only_the_order_of_a_sum_differs(dtype: str):
    x = np.random.default_rng(6).integers(-8, 8, 20_000).astype(dtype)  # exact in any order
    sums = [reductions.sum.impl(p, (0,)) for p in np.split(x, [1, 8, 72, 5000])]
    assert reductions.sum.impl(x, (0,)) == np.sum(sums)


# ---- compiled loops: vector code, and the scalar code of what is left over ----
def few(x, y):
    return np.exp(x), np.log(y), np.tanh(x), np.sin(x), np.power(y, x), special.erf(x), x / y


def many(x, y):
    return (
        np.cos(x), np.tan(x), np.sqrt(y), np.cbrt(x), np.expm1(x), np.log1p(y), np.exp2(x),
        np.log2(y), np.log10(y), np.arctan(x), np.arctan2(x, y), np.sinh(x), np.arcsinh(x),
        np.hypot(x, y), special.expit(x), np.logaddexp(x, y), x**3, y**-2, x % y, np.floor(x),
        np.abs(x), np.exp(-x * x) * np.tanh(y) + np.log(y) * np.sin(x),
    )  # fmt: skip


def slopes(x, y):
    return flow.grad(lambda x, y: np.sum(np.exp(-x * x) * np.tanh(y) + y**x), (0, 1))(x, y)


SHORT = (1, 2, 3, 4, 5, 7, 8, 9, 15, 17, 31, 33, 64, 100, 1001)


@pytest.mark.parametrize(
    ("f", "dtype"),
    [
        (few, "float32"),
        pytest.param(few, "float64", marks=pytest.mark.full),
        *(pytest.param(f, t, marks=pytest.mark.full) for f in (many, slopes)
          for t in ("float32", "float64")),
    ],
)  # fmt: skip
def test_compiled_loops(f, dtype: str):
    rng = np.random.default_rng(8)
    x, y = rng.normal(0.0, 3.0, sum(SHORT)), rng.uniform(0.1, 9.0, sum(SHORT))
    x, y = x.astype(dtype), y.astype(dtype)
    compiled, cuts = flow.compile(f, target="cpu"), np.cumsum(SHORT)[:-1]
    parts = [compiled(*each) for each in zip(np.split(x, cuts), np.split(y, cuts), strict=True)]
    for k, whole in enumerate(compiled(x, y)):
        assert same_bits(whole, np.concatenate([p[k] for p in parts]))
