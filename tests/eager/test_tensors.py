"""Making tensors, their dtypes, promotion, text, and what they share with NumPy."""

import copy
import pickle

import numpy as np
import pytest

import srcgrad as flow

f = flow.tensor([1.0, 2.0])
d = flow.tensor([1.0, 2.0], dtype=flow.float64)
i = flow.tensor([1, 2])
i32 = flow.tensor([1, 2], dtype=flow.int32)
b = flow.tensor([True, False])
h = flow.tensor([1.0, 2.0], dtype=flow.float16)
s0 = flow.tensor(2.0, dtype=flow.float64)
z0 = flow.tensor(3)


@pytest.mark.parametrize(
    ("result", "dtype"),
    [
        (f + 1, "float32"), (f * True, "float32"), (i + 1, "int64"), (i + 1.5, "float32"),
        (i / 2, "float32"), (i / i, "float32"), (i // 2, "int64"), (i**2, "int64"),
        (i**2.0, "float32"), (2.0**f, "float32"), (i32 + i, "int64"), (i + f, "float32"),
        (i + d, "float64"), (f + d, "float64"), (b + b, "bool"), (b + 1, "int64"),
        (b * 1.5, "float32"), (h + f, "float32"), (f + s0, "float32"), (i + s0, "float64"),
        (i32 + z0, "int32"), (f + np.float64(1.0), "float32"), (np.float64(2.0) * f, "float32"),
        (f + np.array([1.0, 2.0]), "float64"), (np.ones(2) * f, "float64"),
        (flow.sin(i), "float32"), (abs(i), "int64"), (f > 1, "bool"), (i.sum(), "int64"),
        (i32.sum(), "int64"), (b.sum(), "int64"), (flow.where(b, f, i), "float32"),
        (flow.where(b, 1, 2.0), "float32"), (flow.cat([i, f]), "float32"),
        (flow.stack([f, d]), "float64"), (d.mean(), "float64"),
    ],
)  # fmt: skip
def test_promotion(result, dtype):
    assert isinstance(result, flow.Tensor)
    assert result.dtype is getattr(flow, dtype)


@pytest.mark.parametrize(
    ("data", "dtype", "shape"),
    [
        (1, "int64", ()), (1.0, "float32", ()), (True, "bool", ()), ([1, 2.5], "float32", (2,)),
        ([], "float32", (0,)), (np.array([1.0]), "float64", (1,)), (np.float32(1), "float32", ()),
        (1 + 2j, "complex64", ()), ([f[0], f[1]], "float32", (2,)), (range(3), "int64", (3,)),
        ([[1, 2]], "int64", (1, 2)), (1e40, "float32", ()), (f, "float32", (2,)),
    ],
)  # fmt: skip
def test_tensor_of_data(data, dtype, shape):
    t = flow.tensor(data)
    assert t.dtype is getattr(flow, dtype) and t.shape == shape


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda: flow.tensor(None), RuntimeError), (lambda: flow.tensor("a"), TypeError),
        (lambda: flow.tensor([[1, 2], [3]]), ValueError), (lambda: flow.ones(-1), RuntimeError),
        (lambda: flow.ones(2.5), TypeError), (lambda: flow.from_numpy([1]), TypeError),
        (lambda: f + "a", TypeError), (lambda: f + None, TypeError), (lambda: -b, RuntimeError),
        (lambda: i**-1, RuntimeError), (lambda: i.mean(), RuntimeError),
        (lambda: f @ i, RuntimeError), (lambda: f * [1], TypeError),
        (lambda: len(s0), TypeError), (lambda: list(s0), TypeError), (lambda: f.sum(5), IndexError),
        (lambda: f.view(3), RuntimeError), (lambda: flow.ones(2, 3).T.view(6), RuntimeError),
    ],
)  # fmt: skip
def test_refusals(call, kind):
    with pytest.raises(kind):
        call()


def test_creation():
    assert flow.zeros(2, 3).shape == flow.zeros((2, 3)).shape == (2, 3)
    assert flow.full((2,), 3.0).tolist() == [3.0, 3.0]
    assert flow.arange(1, 2, 0.5).tolist() == [1.0, 1.5] and flow.arange(3).dtype is flow.int64
    assert flow.linspace(0, 1, 3).tolist() == [0.0, 0.5, 1.0]
    assert flow.eye(2, dtype=flow.float64).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert flow.ones_like(i).dtype is flow.int64 and not flow.ones_like(f).requires_grad
    assert flow.as_tensor(f) is f
    flow.manual_seed(3)
    one = flow.randn(4), flow.rand(4), flow.randint(0, 5, (4,))
    flow.manual_seed(3)
    again = flow.randn(4), flow.rand(4), flow.randint(0, 5, (4,))
    assert all(flow.equal(x, y) for x, y in zip(one, again, strict=True))


@pytest.mark.parametrize(
    ("t", "text"),
    [
        (f, "tensor([1., 2.]"), (flow.tensor([1.5, 1000.25]), "tensor([   1.5000, 1000.2500]"),
        (flow.tensor([1e-5, 1.0]), "tensor([1.0000e-05, 1.0000e+00]"), (b, "tensor([ True, False]"),
        (flow.tensor([1, -20, 300]), "tensor([  1, -20, 300]"), (flow.zeros(0), "tensor([]"),
        (flow.zeros(0, 3), "tensor([], size=(0, 3)"), (flow.tensor([-0.0]), "tensor([-0.]"),
        (flow.tensor([float("nan"), 1.5]), "tensor([   nan, 1.5000]"), (s0, "tensor(2."),
        (flow.ones(2, 2), "tensor([[1., 1.],\n        [1., 1.]]"),
    ],
)  # fmt: skip
def test_text(t, text):
    assert repr(t) == f"{text}, dtype={t.dtype})"


def test_text_of_what_has_a_history():
    x = flow.ones(1, requires_grad=True)
    assert repr(x) == "tensor([1.], dtype=srcgrad.float32, requires_grad=True)"
    assert repr(x * 2) == "tensor([2.], dtype=srcgrad.float32, grad_fn=<MulBackward0>)"
    assert "..." in repr(flow.ones(40, 40)) and repr(flow.ones(40, 40)).count("\n") == 6
    assert f"{s0:.2f}" == "2.00" and repr(f.shape) == "srcgrad.Size([2])"


def test_numpy():
    x = flow.ones(2, requires_grad=True)
    assert isinstance(np.ones(2) * x, flow.Tensor) and (np.ones(2) * x).requires_grad
    assert isinstance(np.float64(2) + x, flow.Tensor)
    assert np.asarray(f).dtype == np.float32 and np.zeros(2, dtype=flow.int32).dtype == np.int32
    assert x.asnumpy().tolist() == [1.0, 1.0]
    a = f.numpy()
    assert np.shares_memory(a, f.detach().numpy())
    assert np.from_dlpack(f).tolist() == [1.0, 2.0]


def test_copies():
    x = flow.tensor([1.0, 2.0], requires_grad=True)
    x.grad = flow.ones(2)
    y = copy.deepcopy(x)
    assert y.requires_grad and y.grad.tolist() == [1.0, 1.0] and y.is_leaf
    z = pickle.loads(pickle.dumps(x))
    assert z.tolist() == [1.0, 2.0] and z.requires_grad
    assert pickle.loads(pickle.dumps(flow.float64)) is flow.float64
    with pytest.raises(RuntimeError, match="deepcopy"):
        copy.deepcopy(x * 2)


def test_complex_gradients_are_refused():
    with pytest.raises(RuntimeError, match="floating point"):
        flow.tensor(1j, requires_grad=True)
    with pytest.raises(NotImplementedError, match="complex"):
        flow.ones(2, requires_grad=True) * 1j
    assert (flow.ones(2) * 1j).dtype is flow.complex64


def test_default_dtype():
    flow.set_default_dtype(flow.float64)
    try:
        assert flow.tensor(1.0).dtype is flow.ones(1).dtype is (i / 2).dtype is flow.float64
    finally:
        flow.set_default_dtype(flow.float32)
