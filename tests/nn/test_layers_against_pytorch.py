"""Layers and losses that PyTorch has too: the same values and gradients, compiled, in float64."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad import nn
from srcgrad.mindspore import nn as msnn

torch = pytest.importorskip("torch")
tnn = torch.nn
F64 = flow.float64


@pytest.fixture(autouse=True)
def compiled_only():
    flow.manual_seed(0)
    flow.set_context(mode=flow.GRAPH_MODE)
    yield
    flow.set_context(mode=None)


def wide(*shape):
    return flow.randn(*shape, dtype=F64)


def theirs(module, cell):
    """PyTorch's module with the cell's weights; its Parameters in the cell's order."""
    module = module.double()
    own = dict(module.named_parameters())
    names = {"gamma": "weight", "beta": "bias"}
    found = [own[names.get(n, n)] for n, p in cell.named_parameters() if p.requires_grad]
    with torch.no_grad():
        for a, b in zip(found, [p for p in cell.parameters() if p.requires_grad], strict=True):
            a.copy_(torch.tensor(b.asnumpy()))
    return module, found


def compare(cell, module, *inputs):
    module, by = theirs(module, cell)
    weights = [p for p in cell.parameters() if p.requires_grad]
    value, (dx, dw) = flow.value_and_grad(cell, 0, weights)(*inputs)
    xs = [torch.tensor(x.numpy()) for x in inputs]
    xs[0].requires_grad_()
    out = module(*xs)
    out.sum().backward()
    wanted = [out.detach(), xs[0].grad, *(p.grad for p in by)]
    for a, b in zip([value, dx, *dw], wanted, strict=True):
        np.testing.assert_allclose(a.asnumpy(), b.numpy(), rtol=1e-6, atol=1e-10)


LAYERS = [
    (nn.Dense(3, 2, dtype=F64), tnn.Linear(3, 2), (4, 3)),
    (msnn.Conv2d(2, 4, 3, pad_mode="valid", dtype=F64), tnn.Conv2d(2, 4, 3, bias=False),
     (2, 2, 6, 5)),
    (msnn.Conv2d(2, 4, 3, 2, "pad", 1, has_bias=True, dtype=F64), tnn.Conv2d(2, 4, 3, 2, 1),
     (2, 2, 6, 5)),
    (msnn.Conv2d(2, 4, 3, dilation=2, group=2, pad_mode="valid", dtype=F64),
     tnn.Conv2d(2, 4, 3, dilation=2, groups=2, bias=False), (2, 2, 6, 7)),
    (msnn.Conv2d(2, 3, 3, dtype=F64), tnn.Conv2d(2, 3, 3, padding="same", bias=False),
     (2, 2, 6, 5)),
    (msnn.MaxPool2d(2, 2), tnn.MaxPool2d(2, 2), (2, 3, 6, 4)),
    (msnn.AvgPool2d(3, 2, "pad", 1), tnn.AvgPool2d(3, 2, 1), (2, 3, 6, 5)),
    (msnn.BatchNorm1d(3, dtype=F64).set_train(), tnn.BatchNorm1d(3), (4, 3)),
    (msnn.BatchNorm2d(3, dtype=F64).set_train(), tnn.BatchNorm2d(3), (4, 3, 2, 2)),
    (msnn.BatchNorm2d(3, dtype=F64), tnn.BatchNorm2d(3).eval(), (4, 3, 2, 2)),
    (nn.LayerNorm(3).double(), tnn.LayerNorm(3), (4, 3)),
    (nn.GELU(), tnn.GELU(), (4, 3)), (nn.ELU(), tnn.ELU(), (4, 3)), (nn.SELU(), tnn.SELU(), (4, 3)),
    (nn.SiLU(), tnn.SiLU(), (4, 3)), (nn.Mish(), tnn.Mish(), (4, 3)),
    (nn.Softplus(), tnn.Softplus(), (4, 3)), (nn.Softmax(1), tnn.Softmax(1), (4, 3)),
    (nn.LogSoftmax(1), tnn.LogSoftmax(1), (4, 3)), (nn.Hardswish(), tnn.Hardswish(), (4, 3)),
]  # fmt: skip


@pytest.mark.parametrize(("cell", "module", "shape"), LAYERS, ids=lambda v: type(v).__name__)
def test_layers(cell, module, shape):
    x = wide(*shape)
    compare(cell, module, x)


@pytest.mark.parametrize("kind", ["RNNCell", "GRUCell"])
def test_recurrent(kind):
    compare(getattr(msnn, kind)(3, 2, dtype=F64), getattr(tnn, kind)(3, 2), wide(4, 3), wide(4, 2))


def test_lstm():
    cell, x, h, c = msnn.LSTMCell(3, 2, dtype=F64), wide(4, 3), wide(4, 2), wide(4, 2)
    module, _ = theirs(tnn.LSTMCell(3, 2), cell)
    (a, b), dx = flow.value_and_grad(cell)(x, (h, c))
    xs = torch.tensor(x.numpy(), requires_grad=True)
    one, other = module(xs, (torch.tensor(h.numpy()), torch.tensor(c.numpy())))
    (one.sum() + other.sum()).backward()
    for ours, wanted in ((a, one.detach()), (b, other.detach()), (dx, xs.grad)):
        np.testing.assert_allclose(ours.asnumpy(), wanted.numpy(), rtol=1e-6)


LOSSES = ["MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss", "BCEWithLogitsLoss", "BCELoss"]


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_losses(name, reduction):
    x, y = flow.rand(4, 3, dtype=F64), flow.rand(4, 3, dtype=F64)
    compare(
        getattr(nn, name)(reduction=reduction), getattr(tnn, name)(reduction=reduction), x, y
    )  # fmt: skip


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("options", [{}, {"ignore_index": 2}])
def test_classes(reduction, options):
    x, y = wide(4, 3), flow.tensor([0, 2, 1, 2])
    options = {**options, "reduction": reduction}
    compare(nn.CrossEntropyLoss(**options), tnn.CrossEntropyLoss(**options), x, y)
    compare(nn.NLLLoss(**options), tnn.NLLLoss(**options), x, y)
