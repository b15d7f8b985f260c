"""Each differentiable function against central differences, to second order, both kinds of pass."""

import numpy as np
import pytest

import srcgrad as flow
from tests.eager.oracle import check

A = np.array([[0.3, -0.7, 0.5], [0.9, -0.2, 0.6]])
B = np.array([[1.3, 0.4, -0.8], [-1.1, 0.7, 1.2]])
P = np.array([[0.3, 0.7, 0.5], [0.9, 1.2, 1.6]])
V = np.array([0.4, -1.3, 0.8])
S = np.array(0.7)
D = {"dtype": flow.float64}

UNARY = [
    "exp", "exp2", "expm1", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan",
    "asinh", "atanh", "sigmoid", "erf", "erfc", "neg", "abs", "square", "relu",
]  # fmt: skip


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_argument(name):
    check(getattr(flow, name), A)
    check(getattr(flow, name), S)


@pytest.mark.parametrize("name", ["log", "log2", "log10", "log1p", "sqrt", "rsqrt", "reciprocal"])
def test_functions_of_a_positive_argument(name):
    check(getattr(flow, name), P)


def test_acosh():
    check(flow.acosh, P + 1.0)


OPERATORS = [
    lambda x, z: x + z, lambda x, z: x - z, lambda x, z: x * z, lambda x, z: x / z,
    flow.maximum, flow.minimum, flow.atan2, flow.hypot, flow.logaddexp,
    lambda x, z: flow.where(x > 0, x * z, z), lambda x, z: flow.add(x, z, alpha=3),
]  # fmt: skip


@pytest.mark.parametrize("k", range(len(OPERATORS)))
@pytest.mark.parametrize(("x", "z"), [(A, B), (A, V), (S, B), (A, S), (A[:, :1], V)], ids=str)
def test_functions_of_two_arguments_broadcast(k, x, z):
    check(OPERATORS[k], x, z)


NUMBERS = [
    lambda x: x + 2, lambda x: 2.5 - x, lambda x: x * 3, lambda x: 3 / x, lambda x: x / 4,
    lambda x: x**2, lambda x: x**3, lambda x: x**-1, lambda x: x**1, lambda x: x**0,
    lambda x: x**0.5, lambda x: 2**x, lambda x: x % 0.37, lambda x: x.clamp(0.35, 1.0),
    lambda x: flow.maximum(x, flow.tensor(0.6)), lambda x: x.pow(2.0),
]  # fmt: skip


@pytest.mark.parametrize("k", range(len(NUMBERS)))
def test_numbers_beside_tensors(k):
    check(NUMBERS[k], P)
    check(NUMBERS[k], S)


def test_power_of_two_tensors():
    check(lambda x, z: x**z, P, B)
    check(lambda x, z: x**z, P, S)


REDUCTIONS = [
    lambda x: x.sum(), lambda x: x.sum(0), lambda x: x.sum(dim=1, keepdim=True),
    lambda x: x.sum((0, 1)), lambda x: x.mean(), lambda x: x.mean(-1), lambda x: x.var(),
    lambda x: x.std(1), lambda x: x.var(0, unbiased=False), lambda x: x.max(), lambda x: x.min(),
    lambda x: x.max(1)[0], lambda x: x.min(0, keepdim=True).values, lambda x: x.amax((0, 1)),
    lambda x: x.prod(), lambda x: x.prod(1), lambda x: x.prod(0, keepdim=True),
    lambda x: x.cumsum(1),
]  # fmt: skip


@pytest.mark.parametrize("k", range(len(REDUCTIONS)))
def test_reductions(k):
    check(REDUCTIONS[k], A)


def test_products_with_zeros():
    for x in ([0.0, 2.0, 3.0], [0.0, 0.0, 3.0], [2.0]):
        check(lambda x: x.prod(), x)


COMPOSED = [
    lambda x: x.softmax(-1), lambda x: x.log_softmax(0), lambda x: x.logsumexp(1), flow.norm,
    lambda x: x.norm(3, 1), lambda x: x.norm(1), lambda x: x.sort(1)[0], lambda x: x.topk(2).values,
    lambda x: x.sort(0, descending=True).values, lambda x: flow.diag(x[:, :2]),
    lambda x: flow.diag(x[0], 1), lambda x: flow.trace(x), lambda x: flow.lerp(x, x * x, 0.3),
    lambda x: flow.addmm(x[:, :2], x, x.T, alpha=2),
]  # fmt: skip


@pytest.mark.parametrize("k", range(len(COMPOSED)))
def test_composed_functions(k):
    check(COMPOSED[k], A)


SHAPES = [
    lambda x: x.reshape(3, 2), lambda x: x.view(-1), lambda x: x.T, lambda x: x.permute(1, 0),
    lambda x: x.transpose(0, 1).reshape(-1), lambda x: x.unsqueeze(1).squeeze(),
    lambda x: x.flatten(), lambda x: x.expand(2, 2, 3), lambda x: flow.cat([x, x * 2], 1),
    lambda x: flow.stack([x, x * x]), lambda x: x[0], lambda x: x[:, 1], lambda x: x[..., ::2],
    lambda x: x[[0, 0]], lambda x: x[x > 0], lambda x: x[None, 1:], lambda x: x[[0, 1], [1, 1]],
    lambda x: x.split(2, 1)[0], lambda x: x.chunk(3, 1)[1], lambda x: x.unbind(0)[1],
    lambda x: x.flip(0, 1), lambda x: x.roll(1, 0), lambda x: x.tile(2, 1),
    lambda x: x.tril(), lambda x: x.triu(1), lambda x: x.narrow(1, 1, 2), lambda x: x.clone(),
    lambda x: x.gather(1, flow.tensor([[0, 0], [2, 1]])), lambda x: x.T.contiguous(),
    lambda x: x.index_select(1, flow.tensor([2, 0, 2])), lambda x: x.masked_fill(x > 0, 5.0),
]  # fmt: skip


@pytest.mark.parametrize("k", range(len(SHAPES)))
def test_shapes(k):
    check(lambda x: SHAPES[k](x * x), A)


PRODUCTS = [
    ((2, 3), (3, 2)), ((3,), (3,)), ((2, 3), (3,)), ((2,), (2, 3)), ((2, 2, 3), (2, 3, 2)),
    ((2, 2, 3), (3, 2)), ((2, 3), (2, 3, 1)), ((2, 1, 2, 3), (2, 3, 2)), ((2, 2, 3), (3,)),
]  # fmt: skip


@pytest.mark.parametrize(("m", "n"), PRODUCTS)
def test_matmul(m, n):
    a, b = (np.sin(np.arange(np.prod(s)) + 1.0).reshape(s) for s in (m, n))
    check(lambda x, z: x @ z, a, b)


def test_mixed_dtypes_give_each_its_own():
    x = flow.tensor([1.0, 2.0], dtype=flow.float64, requires_grad=True)
    w = flow.tensor([3.0, 4.0], requires_grad=True)
    (x * w + x.to(flow.float32)).sum().backward()
    assert x.grad.dtype is flow.float64 and w.grad.dtype is flow.float32
    assert x.grad.tolist() == [4.0, 5.0] and w.grad.tolist() == [1.0, 2.0]


def test_a_branch_not_taken_may_be_infinite():
    x = flow.tensor([0.0, 1.0], requires_grad=True)
    flow.where(x > 0, flow.log(x), flow.zeros(2)).sum().backward()
    assert x.grad.tolist() == [0.0, 1.0]
    z = flow.tensor([-1.0, 2.0], requires_grad=True)
    z.relu().backward(flow.tensor([float("inf"), 1.0]))
    assert z.grad.tolist() == [0.0, 1.0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_choices_are_numpys(dtype):
    from srcgrad.primitives.elementwise import where

    rng = np.random.default_rng(0)
    c = rng.random((80, 60)) > 0.5
    a, b = rng.random((2, 80, 60)).astype(dtype)
    a[0, :3] = np.inf, np.nan, -0.0
    for x, z in (
        (a, b),
        (a, 0.0),
        (-0.0, b),
        (a, b[0, 0]),
        (a.T.copy().T, b),
        (1.0, 0.0),
        (a, b[0]),
    ):
        got, want = where(c, x, z), np.where(c, x, z)
        assert got.dtype == want.dtype and got.shape == want.shape
        np.testing.assert_array_equal(got, want)
        assert (np.signbit(got) == np.signbit(want)).all()


def test_conventions_at_kinks_and_ties():
    def at(f, values):
        x = flow.tensor(values, requires_grad=True)
        f(x).sum().backward()
        return x.grad.tolist()

    assert at(flow.relu, [0.0, -1.0, 1.0]) == [0.0, 0.0, 1.0]
    assert at(flow.abs, [0.0, -1.0, 2.0]) == [0.0, -1.0, 1.0]
    assert at(lambda x: x.max(), [1.0, 3.0, 3.0]) == [0.0, 0.5, 0.5]
    assert at(lambda x: x.max(0)[0], [1.0, 3.0, 3.0]) == [0.0, 0.5, 0.5]
    assert at(lambda x: x.clamp(0, 1), [0.0, 1.0, 0.5, 2.0]) == [1.0, 1.0, 1.0, 0.0]
    assert at(lambda x: x**0, [0.0, 2.0]) == [0.0, 0.0]
    assert at(flow.floor, [1.5]) == [0.0]
    assert at(lambda x: flow.maximum(x, flow.ones(2)), [1.0, 2.0]) == [0.5, 1.0]


@pytest.mark.parametrize("zero", [0.0, 0])
@pytest.mark.parametrize("create_graph", [False, True])
def test_a_quotient_by_the_number_zero(zero, create_graph):
    """Infinite as NumPy's and PyTorch's, where Python's own division raises."""
    x = flow.tensor([1.0, -2.0], requires_grad=True)
    with np.errstate(all="ignore"):
        (g,) = flow.autograd.grad((x / zero).sum(), x, create_graph=create_graph)
        x[0].div(zero).backward()
    assert g.tolist() == [np.inf, np.inf]
    assert x.grad is not None and x.grad.tolist() == [np.inf, 0.0]
