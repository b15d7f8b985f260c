"""NumPy functions called with tensors: recorded, with the same meaning as in compiled code."""

import operator

import numpy as np
import pytest

import srcgrad as flow

A = np.random.default_rng(3).uniform(0.5, 2.0, (3, 4))
B = np.random.default_rng(4).uniform(0.5, 2.0, (3, 4))
FUNCTIONS = {
    "sin": lambda x: np.sin(x),
    "exp times an array": lambda x: np.exp(x) * B,
    "an element": lambda x: np.sin(2.0 * x[1]),
    "cbrt": lambda x: np.cbrt(x),
    "maximum": lambda x: np.maximum(1.0, x),
    "hypot": lambda x: np.hypot(x, B),
    "divmod": lambda x: np.divmod(x, 0.7)[1],
    "sum": lambda x: np.sum(x),
    "sum along": lambda x: np.sum(x, axis=1, keepdims=True),
    "std": lambda x: np.std(x),
    "var with ddof": lambda x: np.var(x, axis=0, ddof=1),
    "max": lambda x: np.max(x, axis=0),
    "median": lambda x: np.median(x),
    "quantile": lambda x: np.quantile(x, 0.3),
    "cumsum": lambda x: np.cumsum(x),
    "concatenate": lambda x: np.concatenate([x, B, x]),
    "concatenate along": lambda x: np.concatenate((x, x), axis=1),
    "stack": lambda x: np.stack([x, B]),
    "split": lambda x: np.split(x, 2, axis=1)[1],
    "where": lambda x: np.where(B > 1, x, 0.0),
    "clip": lambda x: np.clip(x, 0.7, 1.5),
    "sort": lambda x: np.sort(x, axis=0),
    "reshape": lambda x: np.reshape(x, (4, 3)),
    "transpose": lambda x: np.transpose(x),
    "dot": lambda x: np.dot(B.T, x),
    "einsum": lambda x: np.einsum("ij,ij->i", x, x),
    "norm": lambda x: np.linalg.norm(x),
    "inv": lambda x: np.linalg.inv(x[:, :3] + 3 * np.eye(3)),
    "interp": lambda x: np.interp(x, np.linspace(0, 3, 5), np.linspace(0, 3, 5) ** 2),
    "pad": lambda x: np.pad(x, 1),
    "reduce": lambda x: np.add.reduce(x),
    "outer": lambda x: np.multiply.outer(x[0], x[1]),
    "apply_along_axis": lambda x: np.apply_along_axis(np.sum, 0, x),
}


def pulled(f, x):
    """The value and the gradient of the sum of its squares."""
    y = f(x)
    return y, flow.autograd.grad((y * y).sum(), x)[0]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_gradients_are_those_of_arrays(name):
    f = FUNCTIONS[name]
    x = flow.tensor(A, requires_grad=True)
    y, g = pulled(f, x)
    assert type(y) is flow.Tensor and y.requires_grad and y.dtype == flow.float64
    np.testing.assert_allclose(y.detach().numpy(), f(A), rtol=1e-13)
    expected = flow.grad(flow.compile(lambda a: np.sum(f(a) ** 2), target="python"))(A)
    np.testing.assert_allclose(g.numpy(), expected, rtol=1e-10, atol=1e-12)
    inside, slope = pulled(flow.compile(f, target="python"), x)
    np.testing.assert_allclose(inside.detach().numpy(), y.detach().numpy(), rtol=1e-13)
    np.testing.assert_allclose(slope.numpy(), g.numpy(), rtol=1e-10, atol=1e-12)
    plain = f(flow.tensor(A))
    assert type(plain) is flow.Tensor and not plain.requires_grad


@pytest.mark.parametrize("kind", [lambda a: a, lambda a: np.float64(a[0, 0]), lambda a: a[:1]])
def test_operators_with_arrays_on_the_left_are_the_tensors(kind):
    x = flow.tensor(A, requires_grad=True)
    left = kind(B)
    for op in (
        operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.mod,
        operator.floordiv, operator.lt, operator.ge, operator.eq, operator.ne,
    ):  # fmt: skip
        y = op(left, x)
        assert type(y) is flow.Tensor
        assert y.requires_grad == (op(x, 1.5).requires_grad)
        np.testing.assert_allclose(y.detach().numpy(), op(left, A))
    single = flow.tensor(A, dtype=flow.float32)
    assert (np.float64(2.0) * single).dtype == flow.float32  # NumPy's scalars count as numbers
    assert np.sin(single).dtype == np.sum(single).dtype == flow.float32
    assert np.sqrt(flow.tensor([4])).dtype == flow.float32


def test_second_derivatives():
    x = flow.tensor([1.0, 2.0], dtype=flow.float64, requires_grad=True)
    (g,) = flow.autograd.grad(np.sum(np.power(x, 3.0)), x, create_graph=True)
    (h,) = flow.autograd.grad(np.sum(g), x)
    assert h.tolist() == [6.0, 12.0]


def test_what_is_no_tensor():
    x = flow.tensor(A, requires_grad=True)
    assert np.shape(x) == (3, 4) and np.ndim(x) == 2 and np.size(x) == 12
    assert np.allclose(x.detach(), A) is True
    assert type(np.array(x.detach())) is np.ndarray


def test_what_would_lose_a_gradient_is_refused():
    x = flow.tensor(A, requires_grad=True)
    for call in (
        lambda: np.may_share_memory(x, x),
        lambda: np.histogramdd(x),
        lambda: np.add(B, x, out=np.zeros_like(B)),
        lambda: np.fft.fft(x),
    ):
        with pytest.raises(TypeError, match=r"np\.[\w.]+\(\) would lose the gradient"):
            call()
    total = B.copy()
    with pytest.raises(TypeError, match="lose the gradient"):
        total += x
    assert np.array_equal(total, B)
    with pytest.raises(RuntimeError, match=r"Can't call numpy\(\)"):
        np.asarray(x)


def test_where_nothing_is_lost_numpys_own_is_called():
    x = flow.tensor(A)
    total = B.copy()
    total += x
    assert np.array_equal(total, B + A)
    u, s, v = np.linalg.svd(x)
    np.testing.assert_allclose(u * s @ v[:3], A)
    assert np.may_share_memory(x, x.numpy())
    assert np.array2string(x) == np.array2string(A)


def test_a_tensor_is_not_written_into():
    x = flow.tensor(A)
    for call in (
        lambda: np.add.at(x, 0, 1.0),
        lambda: np.add(B, B, out=x),
        lambda: np.copyto(x, B),
        lambda: np.nan_to_num(x, copy=False),
        lambda: np.fill_diagonal(x, 0.0),
    ):
        with pytest.raises(TypeError, match="write into a tensor"):
            call()
    assert np.array_equal(x.numpy(), A)


def test_numpys_complaints_are_numpys():
    x = flow.tensor(A, requires_grad=True)
    with pytest.raises(ValueError, match=r"could not be broadcast|must match"):
        np.sum(x) + np.hypot(x, np.ones(3))
    with pytest.raises(TypeError):
        np.add(x, "text")


def test_a_gradient_by_the_tape():
    def f(x):
        try:
            y = np.sin(x)
        except ValueError:
            y = x
        return np.sum(y * y)

    x = flow.tensor(A)
    expected = 2 * np.sin(A) * np.cos(A)
    np.testing.assert_allclose(flow.grad(f)(x).numpy(), expected, rtol=1e-12)
    flow.set_context(mode=flow.PYNATIVE_MODE)
    try:
        np.testing.assert_allclose(flow.grad(f)(x).numpy(), expected, rtol=1e-12)
    finally:
        flow.set_context(mode=None)


# ---- where the tape fails as well ----
def with_try(body):
    """A function that the compiler refuses for its `try`, and that does `body` on the tape."""

    def f(x):
        try:
            y = body(x)
        except ArithmeticError:
            y = x
        return y.sum()

    return f


@pytest.mark.parametrize(
    ("body", "also"),
    [
        (lambda x: np.fft.fft(x), "np.fft.fft"),
        (lambda x: x @ flow.ones(7), "cannot be multiplied"),
        (lambda x: x * float(x.sum()), "detach"),
    ],
)
def test_the_refusal_of_the_compiler_is_what_is_read(body, also):
    g = flow.grad(with_try(body))
    for _ in range(3):
        with pytest.raises(flow.UnsupportedError, match="'try' is not supported") as caught:
            g(flow.tensor([1.0, 2.0]))
        assert caught.value.location.text.strip() == "try:"
        (note,) = caught.value.__notes__
        assert "The tape, which was tried instead, failed as well" in note and also in note
        assert also in str(caught.value.__cause__)


def test_what_the_function_raises_itself_stays_what_it_is():
    def body(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine") as caught:
        flow.grad(with_try(body))(flow.tensor([1.0]))
    assert "the compiler had refused f()" in caught.value.__notes__[0]
