"""Two faces: PyTorch's arguments in `srcgrad.nn`, MindSpore's in `srcgrad.mindspore.nn`."""

import copy
import pickle

import numpy as np
import pytest

import srcgrad as flow
import srcgrad.mindspore as ms
from srcgrad import nn
from srcgrad.mindspore import nn as msnn


def count(module):
    return sum(p.numel() for p in module.parameters())


def test_the_same_names_are_other_layers():
    theirs = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten())
    ours = msnn.SequentialCell(
        msnn.Conv2d(1, 4, 3), msnn.ReLU(), msnn.MaxPool2d(2), msnn.Flatten()
    )  # fmt: skip
    x = flow.zeros(1, 1, 28, 28)
    assert (theirs(x).shape, count(theirs)) == ((1, 676), 40)
    assert (ours(x).shape, count(ours)) == ((1, 2916), 36)


def test_momentum_of_averages():
    x = flow.tensor([[4.0, 4.0], [6.0, 6.0]])
    one, other = nn.BatchNorm1d(2, momentum=0.1), msnn.BatchNorm1d(2, momentum=0.1).set_train()
    one(x), other(x)
    np.testing.assert_allclose(one.running_mean.numpy(), [0.5, 0.5])
    np.testing.assert_allclose(other.moving_mean.asnumpy(), [4.5, 4.5])
    assert list(one.state_dict()) == [
        "weight", "bias", "running_mean", "running_var", "num_batches_tracked",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        (nn.Dropout(0.2).p, msnn.Dropout(0.2).p, True),
        (nn.Dropout(p=0.2).p, msnn.Dropout(p=0.2).p, False),
        (nn.LayerNorm((4,)).eps, msnn.LayerNorm((4,)).epsilon, True),
        (nn.GELU()(flow.tensor(1.0)).item(), msnn.GELU()(flow.tensor(1.0)).item(), True),
        (nn.LeakyReLU()(flow.tensor(-1.0)).item(),
         msnn.LeakyReLU()(flow.tensor(-1.0)).item(), True),
        (nn.SmoothL1Loss()(flow.ones(2), flow.zeros(2)).shape,
         msnn.SmoothL1Loss()(flow.ones(2), flow.zeros(2)).shape, True),
        (nn.Linear(2, 2).training, msnn.Dense(2, 2).training, True),
    ],
)  # fmt: skip
def test_defaults(one, other, differ):
    assert (one != other) is differ


@pytest.mark.parametrize("kind", ["nn", "msnn"])
def test_a_compiled_network_with_averages_is_part_of_the_graph(kind):
    if kind == "nn":
        net = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2), nn.Tanh())
    else:
        net = msnn.SequentialCell(msnn.Dense(3, 2), msnn.BatchNorm1d(2), msnn.Tanh()).set_train()
    eager, x = copy.deepcopy(net), flow.randn(5, 3)
    run = flow.compile(lambda x: net(x))
    (run(x) ** 2).sum().backward()
    (eager(x) ** 2).sum().backward()
    for p, q in zip(net.parameters(), eager.parameters(), strict=True):
        if p.requires_grad:
            np.testing.assert_allclose(p.grad.numpy(), q.grad.numpy(), rtol=1e-4, atol=1e-5)
    name = "running_mean" if kind == "nn" else "moving_mean"
    averages = [getattr(m[1], name).detach().numpy() for m in (net, eager)]
    np.testing.assert_allclose(*averages, rtol=1e-5)
    assert averages[0].any()


@pytest.mark.parametrize("name", ["Cell", "Dense", "MSELoss", "Momentum", "SGD"])
def test_a_name_of_one_meaning(name):
    assert getattr(nn, name) is getattr(msnn, name)


def test_names_of_the_package():
    assert ms.grad is flow.grad and ms.Parameter is flow.Parameter
    assert ms.ops.assign is flow.ops.assign and ms.float32 is flow.float32 is ms.dtype.float32
    assert ms.amp.all_finite is flow.amp.all_finite
    with pytest.raises(AttributeError, match="write the loop"):
        ms.Model  # noqa: B018 (its error is tested)
    with pytest.raises(AttributeError, match="Did you mean"):
        nn.Conv2dd  # noqa: B018 (its error is tested)
    with pytest.raises(AttributeError, match="Conv1d, Conv2d"):
        nn.Conv3d  # noqa: B018 (its error is tested)


def test_averages_of_a_compiled_step():
    net = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2), nn.Tanh())
    eager, x = copy.deepcopy(net), flow.randn(5, 3)
    optimizer = flow.optim.SGD(net.parameters(), 0.1)
    other = flow.optim.SGD(eager.parameters(), 0.1)
    weights = list(net.parameters())
    step = flow.value_and_grad(lambda x: (net(x) ** 2).sum(), None, weights)
    for _ in range(3):
        _, grads = step(x)
        for p, g in zip(weights, grads, strict=True):
            p.grad = g
        optimizer.step()
        other.zero_grad()
        (eager(x) ** 2).sum().backward()
        other.step()
    assert net[1].num_batches_tracked.item() == eager[1].num_batches_tracked.item() == 3
    for (name, a), b in zip(net.state_dict().items(), eager.state_dict().values(), strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-4, atol=1e-6, err_msg=name)


def test_buffers_are_copied_and_pickled():
    norm = nn.BatchNorm2d(3)
    norm(flow.randn(2, 3, 4, 4))
    for other in (copy.deepcopy(norm), pickle.loads(pickle.dumps(norm))):
        assert other.running_mean.tolist() == norm.running_mean.tolist()
        assert other.running_mean is not norm.running_mean
        assert isinstance(other.num_batches_tracked, nn.Buffer)
    fresh = nn.BatchNorm2d(3)
    fresh.load_state_dict(norm.state_dict())
    assert fresh.running_var.tolist() == norm.running_var.tolist()


def test_buffers_that_are_not_saved():
    net = nn.Linear(2, 1)
    net.register_buffer("kept", flow.ones(1))
    net.register_buffer("scratch", flow.ones(1), persistent=False)
    assert list(net.state_dict()) == ["weight", "bias", "kept"]
    assert [n for n, _ in net.named_buffers()] == ["kept", "scratch"]


def test_forward_hooks():
    net, seen = nn.Linear(2, 1), []
    before = net.register_forward_pre_hook(lambda m, args: (args[0] * 2.0,))
    after = net.register_forward_hook(lambda m, args, out: seen.append(args[0].tolist()))
    late = net.register_forward_hook(
        lambda m, args, kwargs, out: out * 0.0, with_kwargs=True, prepend=True
    )
    x = flow.ones(1, 2)
    assert net(x).tolist() == [[0.0]] and seen == [[[2.0, 2.0]]]
    late.remove()
    before.remove()
    np.testing.assert_allclose(net(x).tolist(), net.forward(x).tolist())
    assert seen[-1] == [[1.0, 1.0]]
    after.remove()
    after.remove()
    net(x)
    assert len(seen) == 2


def test_containers():
    net = nn.ModuleDict({"a": nn.Linear(2, 3), "b": nn.Tanh()})
    net["c"] = nn.Linear(3, 1)
    assert list(net) == ["a", "b", "c"] and "b" in net and len(net) == 3
    assert [n for n, _ in net.named_parameters()] == ["a.weight", "a.bias", "c.weight", "c.bias"]
    layers = nn.ModuleList([nn.ReLU()])
    layers.extend([nn.Tanh(), nn.Sigmoid()])
    layers.insert(1, nn.ELU())
    assert [type(m).__name__ for m in layers] == ["ReLU", "ELU", "Tanh", "Sigmoid"]
    del layers[0]
    layers[0] = nn.GELU()
    assert [type(m).__name__ for m in layers] == ["GELU", "Tanh", "Sigmoid"]
    both = nn.ParameterDict({"w": flow.ones(2)})
    assert [n for n, _ in both.named_parameters()] == ["w"]


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: nn.Conv2d(1, 1, 3, padding="full"), "Invalid padding string"),
        (lambda: nn.Conv2d(1, 1, 3, 2, padding="same"), "not supported for strided"),
        (lambda: nn.Conv2d(3, 4, 3, groups=2), "divisible by groups"),
        (lambda: nn.Conv2d(1, 1, 3)(flow.ones(1, 2, 5, 5)), "to have 1 channels"),
        (lambda: nn.Conv2d(1, 1, 3)(flow.ones(1, 1, 2, 2)), "greater than actual input size"),
        (lambda: nn.Conv2d(1, 1, 3)(flow.ones(5)), "Expected 3D"),
        (lambda: nn.MaxPool2d(2, padding=2)(flow.ones(1, 1, 4, 4)), "half of effective kernel"),
        (lambda: nn.BatchNorm2d(3)(flow.ones(2, 3)), "expected 4D input"),
        (lambda: nn.BatchNorm1d(3)(flow.ones(1, 3)), "more than 1 value per channel"),
        (lambda: nn.GroupNorm(2, 3), "divisible by num_groups"),
        (lambda: nn.LSTM(3, 2, proj_size=1), "LSTMCell in a loop"),
        (lambda: nn.GRU(3, 2)(flow.ones(2, 2, 4)), "must be equal to input_size"),
        (lambda: nn.functional.pad(flow.ones(2, 2), (2, 0), "reflect"), "Padding size should be"),
        (lambda: nn.functional.pad(flow.ones(2), (1,)), "must be even"),
        (lambda: nn.MSELoss(size_average=True), "takes the arguments reduction"),
        (lambda: msnn.LeakyReLU(negative_slope=0.1), "For 'LeakyReLU'"),
        (lambda: msnn.LayerNorm(4), "must be tuple"),
    ],
)  # fmt: skip
def test_errors(make, text):
    with pytest.raises((ValueError, RuntimeError, TypeError), match=text):
        make()
