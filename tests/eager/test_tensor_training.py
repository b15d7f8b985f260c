"""Modules, losses and optimizers: what a training loop is made of."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad import nn

STEPS = {
    "sgd": (flow.optim.SGD, {}, [0.9, 1.1, 0.8, 0.75]),
    "momentum": (flow.optim.SGD, {"momentum": 0.9}, [0.9, 1.01, 0.809, 0.5781]),
    "nesterov": (
        flow.optim.SGD, {"momentum": 0.9, "nesterov": True}, [0.81, 1.109, 0.6281, 0.37029]
    ),
    "dampening": (flow.optim.SGD, {"momentum": 0.9, "dampening": 0.5}, [0.9, 0.91, 0.769, 0.6171]),
    "decay": (flow.optim.SGD, {"weight_decay": 0.1}, [0.89, 1.0811, 0.770289, 0.7125861]),
    "adam": (flow.optim.Adam, {}, [0.9, 0.9366104, 0.9022863, 0.8667155]),
    "betas": (flow.optim.Adam, {"betas": (0.8, 0.99)}, [0.9, 0.9421003, 0.9035087, 0.8652622]),
    "adamw": (flow.optim.AdamW, {"weight_decay": 0.1}, [0.89, 0.9177104, 0.8742092, 0.8298963]),
}  # fmt: skip


@pytest.mark.parametrize("name", STEPS)
def test_steps_are_pytorchs(name):
    kind, options, want = STEPS[name]
    p = nn.Parameter(flow.tensor([1.0]))
    optimizer = kind([p], lr=0.1, **options)
    got = []
    for g in (1.0, -2.0, 3.0, 0.5):
        p.grad = flow.tensor([g])
        optimizer.step()
        got.append(p.item())
    assert got == pytest.approx(want, abs=2e-6)


def test_amsgrad_never_forgets_a_large_gradient():
    def end(amsgrad):
        p = nn.Parameter(flow.tensor([1.0]))
        optimizer = flow.optim.Adam([p], lr=0.1, betas=(0.9, 0.5), amsgrad=amsgrad)
        for g in (100.0, 1.0, 1.0, 1.0, 1.0, 1.0):
            p.grad = flow.tensor([g])
            optimizer.step()
        return p.item()

    assert end(True) > end(False) + 0.1


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: flow.optim.SGD([]), ValueError, "empty parameter list"),
        (lambda: flow.optim.SGD(nn.Parameter(flow.ones(1))), TypeError, "iterable of Tensors"),
        (lambda: flow.optim.SGD([flow.ones(1) * 1, 3]), TypeError, "can only optimize Tensors"),
        (lambda: flow.optim.SGD([flow.ones(1, requires_grad=True) * 1]), ValueError, "non-leaf"),
        (lambda: flow.optim.SGD([flow.ones(1)], lr=-1.0), ValueError, "Invalid learning rate: -1"),
        (lambda: flow.optim.SGD([flow.ones(1)], nesterov=True), ValueError, "Nesterov"),
        (lambda: flow.optim.Adam([flow.ones(1)], betas=(1.0, 0.9)), ValueError, "index 0: 1.0"),
    ],
)  # fmt: skip
def test_optimizers_refuse(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_a_closure_runs_before_the_step_and_records():
    p = nn.Parameter(flow.tensor([1.0]))
    optimizer = flow.optim.SGD([p], lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = (p * p).sum()
        loss.backward()
        return loss

    with flow.no_grad():
        assert optimizer.step(closure).item() == 1.0
    assert p.item() == pytest.approx(0.8)
    optimizer.zero_grad()
    assert p.grad.item() == 0.0
    optimizer.zero_grad(set_to_none=True)
    assert p.grad is None


def test_groups_have_options_of_their_own_and_state_is_carried_over():
    a, b = nn.Parameter(flow.ones(1)), nn.Parameter(flow.ones(1))
    optimizer = flow.optim.SGD([{"params": [a]}, {"params": b, "lr": 1.0}], lr=0.1, momentum=0.5)
    (a + b).sum().backward()
    optimizer.step()
    assert (a.item(), b.item()) == pytest.approx((0.9, 0.0))
    other = flow.optim.SGD([{"params": [a]}, {"params": b}], lr=0.3)
    other.load_state_dict(optimizer.state_dict())
    other.step()
    assert (a.item(), b.item()) == pytest.approx((0.75, -1.5))


def test_a_step_changes_what_a_saved_value_would_read():
    w = nn.Parameter(flow.tensor([2.0]))
    loss = (w * w).sum()
    loss.backward(retain_graph=True)
    flow.optim.SGD([w], lr=0.1).step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.rest = nn.Sequential(nn.Tanh(), nn.Linear(4, 1, bias=False))
        self.register_buffer("scale", flow.tensor(2.0))

    def forward(self, x):
        return self.rest(self.first(x)) * self.scale


def test_modules_know_their_parameters():
    net = Net()
    names = ["first.weight", "first.bias", "rest.1.weight"]
    assert [n for n, _ in net.named_parameters()] == names
    assert list(net.state_dict()) == ["scale", *names]  # a module before its children
    assert [type(m).__name__ for m in net.modules()] == [
        "Net", "Linear", "Sequential", "Tanh", "Linear",
    ]  # fmt: skip
    other = Net()
    assert repr(other.load_state_dict(net.state_dict())) == "<All keys matched successfully>"
    x = flow.randn(5, 3)
    assert flow.equal(net(x), other(x))
    net.first.weight.requires_grad_(False)
    net(x).sum().backward()
    assert net.first.weight.grad is None and net.first.bias.grad is not None
    net.zero_grad()
    assert net.first.bias.grad.tolist() == [0.0] * 4
    with pytest.raises(RuntimeError, match="Missing key"):
        net.load_state_dict({})
    with pytest.raises(RuntimeError, match="size mismatch"):
        net.load_state_dict({**net.state_dict(), "first.bias": flow.ones(2)})
    with pytest.raises(TypeError, match="as parameter 'weight'"):
        net.first.weight = flow.ones(2)
    with pytest.raises(AttributeError, match="no attribute 'second'"):
        net.second  # noqa: B018 (its error is tested)
    assert repr(net).startswith("Net(\n  (first): Linear(in_features=3, out_features=4, bias=True)")
    net.first.weight.requires_grad_(True)
    assert net.double().first.weight.dtype is flow.float64


def test_training_and_its_absence():
    layer = nn.Dropout(0.5)
    x = flow.ones(100)
    assert (layer(x) == 0).any()
    assert layer.eval()(x) is x and not layer.training


def test_clipping():
    p = nn.Parameter(flow.tensor([3.0, 4.0]))
    (p * p / 2).sum().backward()
    assert nn.utils.clip_grad_norm_([p], 1.0).item() == 5.0
    np.testing.assert_allclose(p.grad.numpy(), [0.6, 0.8], rtol=1e-5)
    nn.utils.clip_grad_value_([p], 0.7)
    np.testing.assert_allclose(p.grad.numpy(), [0.6, 0.7], rtol=1e-5)
    p.grad = flow.tensor([float("inf"), 0.0])
    with pytest.raises(RuntimeError, match="non-finite"):
        nn.utils.clip_grad_norm_([p], 1.0, error_if_nonfinite=True)
    vector = nn.utils.parameters_to_vector([p])
    nn.utils.vector_to_parameters(vector * 2, [p])
    assert p.tolist() == [6.0, 8.0]


def test_a_network_learns():
    flow.manual_seed(0)
    x = flow.linspace(-1, 1, 32).reshape(-1, 1)
    y = x * x
    net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
    optimizer, loss = flow.optim.Adam(net.parameters(), lr=0.05), nn.MSELoss()
    before = loss(net(x), y).item()
    for _ in range(200):
        optimizer.zero_grad()
        value = loss(net(x), y)
        value.backward()
        optimizer.step()
    assert value.item() < before / 50
