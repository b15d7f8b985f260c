"""Cells compile: their gradients by weights and inputs are those of the tape."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad import nn
from srcgrad.mindspore import nn as msnn

F64 = flow.float64


@pytest.fixture(autouse=True)
def compiled_only():
    """A call that the compiler refuses fails here."""
    flow.manual_seed(0)
    flow.set_context(mode=flow.GRAPH_MODE)
    yield
    flow.set_context(mode=None)


def wide(*shape):
    return flow.randn(*shape, dtype=F64)


class Mlp(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = nn.SequentialCell(
            nn.Dense(3, 5, activation="tanh", dtype=F64), nn.ReLU(), nn.Dense(5, 2, dtype=F64)
        )
        self.scale = flow.Parameter(wide(2), name="scale")

    def construct(self, x):
        return self.net(x) * self.scale


class Listed(nn.Cell):
    def __init__(self):
        super().__init__()
        self.cells_of_it = nn.CellList([nn.Dense(3, 3, dtype=F64) for _ in range(3)])

    def construct(self, x):
        for cell in self.cells_of_it:
            x = flow.ops.sigmoid(cell(x))
        return self.cells_of_it[0](x)


class Shared(nn.Cell):
    def __init__(self):
        super().__init__()
        self.d = nn.Dense(3, 3, has_bias=False, dtype=F64)
        self.other = self.d

    def construct(self, x):
        return self.d(self.other(x))


ACTIVATIONS = [
    nn.ReLU(), nn.ReLU6(), nn.Sigmoid(), nn.Tanh(), nn.GELU(), nn.ELU(), nn.CELU(), nn.SELU(),
    nn.SiLU(), nn.Softplus(), nn.Softmax(1), nn.LogSoftmax(-1), nn.LeakyReLU(), nn.Hardtanh(),
    nn.LogSigmoid(), nn.Mish(), nn.Hardswish(), nn.Hardsigmoid(), nn.Softsign(), nn.Tanhshrink(),
    nn.Hardshrink(), nn.Softshrink(), nn.Flatten(), nn.LayerNorm(3).double(),
    nn.Linear(3, 2).double(), nn.Sequential(nn.Linear(3, 2), nn.Tanh()).double(), nn.Identity(),
]  # fmt: skip
IMAGES = [
    msnn.Conv2d(2, 3, 3, dtype=F64), msnn.Conv2d(2, 3, 3, stride=2, has_bias=True, dtype=F64),
    msnn.Conv2d(2, 4, (2, 3), pad_mode="valid", group=2, dtype=F64),
    msnn.Conv2d(2, 2, 3, pad_mode="pad", padding=(1, 2, 0, 1), dilation=2, dtype=F64),
    msnn.MaxPool2d(2, 2), msnn.MaxPool2d(3, 2, pad_mode="same"), msnn.AvgPool2d(2, 1),
    msnn.AvgPool2d(3, 2, pad_mode="pad", padding=1), msnn.BatchNorm2d(2, dtype=F64),
]  # fmt: skip
LOSSES = [
    nn.MSELoss(), nn.L1Loss(), nn.SmoothL1Loss(), nn.HuberLoss(), nn.BCEWithLogitsLoss(),
    nn.KLDivLoss(reduction="sum"), nn.MSELoss(reduction="sum"), nn.L1Loss(reduction="none"),
]  # fmt: skip


def eager(fn, inputs, weights=()):
    """Value and gradients as the tape has them."""
    xs = [flow.tensor(x.numpy(), requires_grad=x.is_floating_point()) for x in inputs]
    by = [*[x for x in xs if x.requires_grad], *weights]
    out = fn(*xs)
    return out, flow.autograd.grad(out.sum(), by, allow_unused=True)


def agree(made, wanted):
    for g, w in zip(made, wanted, strict=True):
        np.testing.assert_allclose(g.asnumpy(), w.asnumpy(), rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("make", [Mlp, Listed, Shared, lambda: nn.Dense(3, 2, dtype=F64)])
def test_networks(make):
    net, x = make(), wide(4, 3)
    weights = net.trainable_params()
    value, (dx, dw) = flow.value_and_grad(net, 0, weights)(x)
    out, wanted = eager(net, [x], weights)
    agree([value, dx, *dw], [out.detach(), *wanted])
    assert not value.requires_grad


@pytest.mark.parametrize("cell", ACTIVATIONS, ids=lambda c: type(c).__name__)
def test_layers(cell):
    x = wide(4, 3)
    weights = list(cell.parameters())
    dx, dw = flow.grad(cell, 0, weights)(x)
    agree([dx, *dw], eager(cell, [x], weights)[1])


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_losses(loss):
    x, y = wide(4, 3), flow.rand(4, 3, dtype=F64)
    agree(flow.grad(loss, (0, 1))(x, y), eager(loss, [x, y])[1])


@pytest.mark.parametrize(
    "loss", [nn.CrossEntropyLoss(), nn.NLLLoss(), nn.CrossEntropyLoss(reduction="sum"),
             nn.CrossEntropyLoss(ignore_index=2), nn.NLLLoss(reduction="none")], ids=repr,
)  # fmt: skip
def test_losses_of_classes(loss):
    x, y = wide(4, 3), flow.tensor([0, 2, 1, 2])
    agree([flow.grad(loss)(x, y)], eager(loss, [x, y])[1])


def test_weighted_classes():
    x, y, w = wide(4, 3), flow.tensor([0, 2, 1, 2]), flow.rand(3, dtype=F64)

    def loss(x, y):
        return nn.functional.cross_entropy(x, y, w)

    agree([flow.grad(loss)(x, y)], eager(loss, [x, y])[1])


def test_a_class_out_of_bounds():
    with pytest.raises(IndexError, match="out of bounds"):
        flow.grad(nn.NLLLoss())(wide(2, 3), flow.tensor([0, 3]))


def test_embedding():
    table, x = nn.Embedding(5, 3).double(), flow.tensor([[1, 2], [1, 4]])
    (dw,) = flow.grad(table, None, list(table.parameters()))(x)
    agree([dw], eager(table, [x], list(table.parameters()))[1])


def test_training_mode_is_static():
    class Noisy(nn.Cell):
        def construct(self, x):
            return x * 2.0 if self.training else x * 3.0

    net, x = Noisy(), wide(2)
    g = flow.grad(net)
    assert g(x).tolist() == [3.0, 3.0]
    net.set_train()
    assert g(x).tolist() == [2.0, 2.0]


def test_parameters_are_read_at_each_call():
    net, x = nn.Dense(2, 1, has_bias=False, dtype=F64), wide(1, 2)
    g = flow.grad(net)
    assert g(x).tolist() == net.weight.tolist()
    net.weight.set_data(flow.tensor([[5.0, 6.0]], dtype=F64))
    assert g(x).tolist() == [[5.0, 6.0]]
    net.weight = flow.Parameter(flow.tensor([[7.0, 8.0]], dtype=F64))
    assert g(x).tolist() == [[7.0, 8.0]]


def test_another_parameter_in_the_same_place_has_its_own_gradient():
    net, x = nn.Dense(1, 1, has_bias=False, dtype=F64), wide(1, 1)
    first = net.weight
    g = flow.grad(net, None, [first])
    assert g(x)[0].tolist() == x.tolist()
    net.weight = flow.Parameter(flow.ones(1, 1, dtype=F64))
    assert g(x)[0].tolist() == [[0.0]]


def test_second_order_by_weights():
    w, x = flow.Parameter(wide(2), name="w"), wide(2)

    def f(x):
        return (x * x * w * w).sum()

    def slope(x):
        return flow.grad(f)(x)

    (dw,) = flow.grad(slope, None, [w])(x)
    np.testing.assert_allclose(dw.asnumpy(), 4 * x.numpy() * w.asnumpy())
    nested = flow.grad(flow.grad(f), None, [w])(x)
    agree(nested, [dw])


@pytest.mark.parametrize("cell", IMAGES, ids=repr)
def test_images(cell):
    x = wide(3, 2, 6, 5)
    weights = cell.trainable_params()
    dx, dw = flow.grad(cell, 0, weights)(x)
    agree([dx, *dw], eager(cell, [x], weights)[1])


@pytest.mark.parametrize("kind", [msnn.BatchNorm1d, msnn.BatchNorm2d])
def test_batch_statistics_move(kind):
    x = wide(4, 3) if kind is msnn.BatchNorm1d else wide(4, 3, 2, 5)
    one, other = kind(3, dtype=F64).set_train(), kind(3, dtype=F64).set_train()
    weights = one.trainable_params()

    def squares(cell):
        return lambda x: (cell(x) ** 3).sum()

    f = squares(one)
    dx, dw = flow.grad(f, 0, weights)(x)
    agree([dx, *dw], eager(squares(other), [x], other.trainable_params())[1])
    np.testing.assert_allclose(one.moving_mean.asnumpy(), other.moving_mean.asnumpy())
    np.testing.assert_allclose(one.moving_variance.asnumpy(), other.moving_variance.asnumpy())
    axes = (0, 2, 3)[: x.ndim - 1]
    np.testing.assert_allclose(one.moving_mean.asnumpy(), 0.1 * x.numpy().mean(axes))
    spread = 0.9 + 0.1 * x.numpy().var(axes, ddof=1)
    np.testing.assert_allclose(one.moving_variance.asnumpy(), spread)


@pytest.mark.parametrize("kind", [msnn.RNNCell, msnn.GRUCell, msnn.LSTMCell])
def test_recurrent_cells(kind):
    cell, x, h = kind(3, 2, dtype=F64), wide(4, 5, 3), wide(5, 2)
    weights = cell.trainable_params()

    def unrolled(x, h):
        state = (h, h * 0.5) if kind is msnn.LSTMCell else h
        for k in range(4):
            state = cell(x[k], state)
        return state[0] * state[1] if kind is msnn.LSTMCell else state

    dx, dw = flow.grad(unrolled, (0, 1), weights)(x, h)
    agree([*dx, *dw], eager(unrolled, [x, h], weights)[1])
