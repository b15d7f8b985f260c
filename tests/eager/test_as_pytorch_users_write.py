"""Names and forms of PyTorch's that programs use: `grad_fn`, `Tensor(2, 3)`."""

import numpy as np
import pytest

import srcgrad as flow

F = flow.nn.functional
NAMED = [
    (lambda y: y.mean(), "Mean"), (lambda y: y.std(), "Std"), (lambda y: y.norm(), "Norm"),
    (lambda y: flow.cat([y, y]), "Cat"), (lambda y: flow.stack([y, y]), "Stack"),
    (lambda y: y @ y[0], "Matmul"), (lambda y: y[0] @ y[0], "Matmul"), (lambda y: y * 2, "Mul"),
    (lambda y: y.sum(), "Sum"), (lambda y: y.exp(), "Exp"), (lambda y: y.view(4), "View"),
    (lambda y: F.mse_loss(y, y.detach()), "MseLoss"), (lambda y: F.gelu(y), "Gelu"),
    (lambda y: flow.nn.Linear(2, 2)(y), "Linear"), (lambda y: y.var(), "Var"),
    (lambda y: F.cross_entropy(y, flow.tensor([0, 1])), "CrossEntropy"),
    (lambda y: y.clamp(0, 1), "Clamp"), (lambda y: y.prod(), "Prod"),
]  # fmt: skip


@pytest.mark.parametrize(("f", "name"), NAMED, ids=lambda v: v if isinstance(v, str) else "f")
def test_a_node_has_the_name_of_the_function(f, name):
    y = flow.rand(2, 2, requires_grad=True)
    made = f(y)
    assert made.grad_fn.name() == f"{name}Backward0"
    assert f"grad_fn=<{name}Backward0>" in repr(made)


def test_what_returns_its_argument_leaves_its_name():
    z = flow.ones(2, requires_grad=True) * 2
    assert F.dropout(z, 0.5, training=False) is z and z.grad_fn.name() == "MulBackward0"
    assert F.dropout(input=z, training=False).grad_fn.name() == "MulBackward0"


def test_the_name_of_a_released_node():
    y = flow.ones(3, requires_grad=True).exp()
    y.sum().backward()
    with pytest.raises(RuntimeError, match="name `ExpBackward0` has been released"):
        y.sum().backward()


def test_tensors_by_dims():
    assert flow.Tensor(2, 3).shape == (2, 3) and flow.Tensor(2, 3, 4, 5).shape == (2, 3, 4, 5)
    assert flow.Tensor(2, 3).dtype is flow.float32
    assert flow.Tensor(2, 3, True).requires_grad
    assert flow.Tensor(19, flow.float32).tolist() == 19.0  # MindSpore's
    assert flow.FloatTensor(2, 1).tolist() == [[0.0], [0.0]]
    assert flow.FloatTensor([1, 2]).dtype is flow.float32
    assert flow.LongTensor([1, 2]).dtype is flow.int64 and flow.BoolTensor(1).tolist() == [False]
    assert flow.DoubleTensor().shape == (0,)


def test_names_of_linalg():
    assert {"eigh", "svd", "qr", "inv"} <= set(dir(flow.linalg))
    with pytest.raises(AttributeError, match="Did you mean: 'eigh'"):
        flow.linalg.eighh  # noqa: B018 (its error is tested)


def test_a_shape_in_an_array():
    x = flow.ones(2, 3, requires_grad=True)
    y = x.reshape(np.array([3, -1]))
    assert y.shape == (3, 2)
    (y * y).sum().backward()
    assert x.grad.tolist() == [[2.0] * 3] * 2
    assert flow.ones(6).reshape(np.array(6)).shape == (6,)
