"""Tensors on a device compute and differentiate as on the CPU, and stay where they are."""

import pickle

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.eager import devices
from srcgrad.nn import functional as F
from tests.eager import test_gradients, test_more_gradients
from tests.eager.oracle import weights

A, P, V, S, T = (
    test_gradients.A, test_gradients.P, test_gradients.V, test_more_gradients.S,
    test_more_gradients.T,
)  # fmt: skip
UNARY = {
    name: getattr(flow, name)
    for name in (*test_gradients.UNARY, "log", "log2", "log10", "log1p", "sqrt", "rsqrt")
}
LISTS = {
    "operator": (test_gradients.OPERATORS, (A, V)), "number": (test_gradients.NUMBERS, (P,)),
    "reduction": (test_gradients.REDUCTIONS, (A,)), "composed": (test_gradients.COMPOSED, (A,)),
    "shape": (test_gradients.SHAPES, (A,)),
}  # fmt: skip
TABLES = [
    (UNARY, P), (test_more_gradients.ELEMENTWISE, A), (test_more_gradients.ACTIVATIONS, A),
    (test_more_gradients.STATISTICS, A), (test_more_gradients.SELECTIONS, A),
    (test_more_gradients.ARRANGEMENTS, T), (test_more_gradients.CONTRACTIONS, T),
    (test_more_gradients.LINEAR_ALGEBRA, S), (test_more_gradients.LOSSES, A),
]  # fmt: skip
PROGRAMS = {
    **{f"{name} {k}": (f, a) for name, (fs, a) in LISTS.items() for k, f in enumerate(fs)},
    **{name: (f, (a,)) for table, a in TABLES for name, f in table.items()},
}


def derivatives(f, arrays):
    """The value, the gradients and those of their squares, all where the tensors are."""
    xs = [flow.tensor(a, dtype=flow.float64, requires_grad=True) for a in arrays]
    y = f(*xs)
    w = flow.tensor(weights(y._a.shape))
    first = flow.autograd.grad(y, xs, w, create_graph=True, allow_unused=True)
    squares = [(g * g).sum() for g in first if g is not None and g.requires_grad]
    second = []
    if squares:
        second = flow.autograd.grad(sum(squares), xs, allow_unused=True)
    y = f(*xs)
    plain = flow.autograd.grad(y, xs, w, allow_unused=True)
    return [y, *first, *plain, *second]


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_are_those_of_the_cpu(cuda, monkeypatch, name):
    f, arrays = PROGRAMS[name]
    expected = derivatives(f, arrays)
    for n in ("PLACES", "TWICE", "LABELS"):
        monkeypatch.setattr(test_more_gradients, n, getattr(test_more_gradients, n).to(cuda))
    monkeypatch.setattr(devices, "_default", cuda)
    for got, want in zip(derivatives(f, arrays), expected, strict=True):
        assert (got is None) == (want is None)
        if got is not None:
            assert got.device == cuda and got.dtype is want.dtype
            np.testing.assert_allclose(got.detach().cpu().numpy(), want.detach().numpy(), 1e-13)


# ---- devices by name ----
def test_devices_print_and_compare():
    one = flow.device("cuda:1")
    assert repr(one) == "device(type='cuda', index=1)" and str(one) == "cuda:1"
    assert one == flow.device("cuda", 1) == flow.device(1) == "cuda:1" != flow.device("cuda")
    assert {one: 3}["cuda:1"] == 3 and pickle.loads(pickle.dumps(one)) == one
    assert flow.ones(2).device == flow.device("cpu") == "cpu" and flow.ones(2).get_device() == -1
    assert flow.device(one) == one and repr(flow.device("cpu")) == "device(type='cpu')"


@pytest.mark.parametrize("name", ["gpu", "cuda:x", "cuda:-1", "", 2.0, ("cuda:0", 1), ("cuda", -1)])
def test_other_devices_are_refused(name):
    with pytest.raises((RuntimeError, TypeError), match=r"[Dd]evice"):
        flow.device(*name) if isinstance(name, tuple) else flow.device(name)


def test_a_device_that_is_not_there_has_a_way_out(cuda):
    with pytest.raises(RuntimeError, match="there is no cuda:1"):
        flow.ones(2, device="cuda:1")
    with pytest.raises(RuntimeError, match="there is no cuda:3"):
        flow.set_default_device("cuda:3")
    assert flow.get_default_device() == "cpu"


# ---- moving ----
def test_gradients_go_back_to_where_they_belong(cuda):
    x = flow.tensor([1.0, 2.0], requires_grad=True)
    y = (x.to(cuda) * x.cuda().to("cuda:0")).sum()
    assert y.is_cuda and y.get_device() == 0
    y.cpu().backward(create_graph=True)
    assert x.grad.device == "cpu" and x.grad.tolist() == [2.0, 4.0]
    x.grad.sum().backward()
    assert x.to("cpu") is x and x.cpu() is x
    assert flow.ones(2, device=cuda).to(x).device == "cpu"
    z = flow.ones(2, dtype=flow.float32, device=cuda).to("cpu", flow.float64)
    assert z.dtype is flow.float64 and z.device == "cpu"


def test_numbers_without_dims_may_be_on_the_cpu(cuda):
    x = flow.tensor([1.0, 2.0], device=cuda, requires_grad=True)
    c = flow.tensor(3.0, requires_grad=True)
    (x * c + flow.maximum(x, c)).sum().backward()
    assert c.grad.device == "cpu" and c.grad.item() == 5.0 and x.grad.tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    "f", [lambda x, z: x + z, lambda x, z: x @ z, lambda x, z: flow.cat([x, z]), flow.maximum]
)
def test_two_devices_in_one_operation(cuda, f):
    x, z = flow.ones(2, 2, device=cuda), flow.ones(2, 2, requires_grad=True)
    for args in ((x, z), (z, x)):
        with pytest.raises(RuntimeError, match="same device, but found at least two devices"):
            f(*args)


def test_what_leaves_a_device(cuda, tmp_path):
    x = flow.tensor([1.5, 2.0], device=cuda)
    with pytest.raises(TypeError, match="can't convert cuda:0 device type tensor to numpy"):
        x.numpy()
    with pytest.raises(TypeError, match="can't convert cuda:0"):
        np.asarray(x)
    assert x.numpy(force=True).tolist() == x.asnumpy().tolist() == x.tolist() == [1.5, 2.0]
    assert x[0].item() == 1.5 and float(x[1]) == 2.0 and len(x) == 2 and bool((x > 1).all())
    assert repr(x) == "tensor([1.5000, 2.0000], device='cuda:0', dtype=srcgrad.float32)"
    flow.save({"x": x}, tmp_path / "x")
    assert flow.load(tmp_path / "x")["x"].device == "cpu"
    assert flow.load(tmp_path / "x", map_location="cuda")["x"].device == cuda


def test_tensors_are_made_where_their_model_is(cuda):
    x = flow.ones(2, 3, device=cuda)
    made = [
        flow.zeros_like(x), flow.randn_like(x), flow.full_like(x, 2.0), x.new_ones(3), x.clone(),
        flow.rand(2, device=cuda), flow.arange(3, device=cuda), flow.eye(2, device="cuda"),
        flow.tensor(x), flow.as_tensor(np.ones(2), device=cuda), x.detach(), x[0], x.sum(),
    ]  # fmt: skip
    assert {t.device for t in made} == {cuda}
    assert flow.zeros_like(x, device="cpu").device == flow.ones(2).device == "cpu"


def test_rows_with_a_one(cuda):
    made = F.one_hot(flow.tensor([0, 2]).to(cuda), 3)
    assert made.device == cuda and made.tolist() == [[1, 0, 0], [0, 0, 1]]


def test_stores_on_a_device(cuda):
    def program(x):
        y = x * 2.0
        y[0] = 5.0
        y[1:] *= x[1:]
        y[flow.tensor([2])] = x[0]
        y.add_(x)
        return y.sum()

    expected = derivatives(program, [V])
    x = flow.tensor(V, dtype=flow.float64, device=cuda, requires_grad=True)
    y = program(x)
    y.backward()
    assert y.item() == expected[0].item() and x.grad.device == cuda
    np.testing.assert_allclose(x.grad.cpu().numpy(), expected[2].numpy() / weights(()))
    z = flow.zeros(3, device=cuda)
    assert z.copy_(flow.ones(3)).device == cuda and z.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    "rule", [lambda p: flow.optim.SGD(p, 0.1, momentum=0.9), lambda p: flow.optim.Adam(p, 0.01)]
)
def test_training_is_that_of_the_cpu(cuda, rule):
    def trained(device):
        flow.manual_seed(0)
        model = flow.nn.Sequential(flow.nn.Linear(3, 4), flow.nn.Tanh(), flow.nn.Linear(4, 1))
        assert model.to(device) is model
        optimizer = rule(model.parameters())
        x, y = flow.tensor(A, dtype=flow.float32, device=device), flow.ones(2, 1, device=device)
        for _ in range(5):
            optimizer.zero_grad()
            loss = F.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
        assert all(p.device == device and p.grad.device == device for p in model.parameters())
        return [p.detach().numpy() for p in model.cpu().to(flow.float64).parameters()]

    for got, want in zip(trained(cuda), trained(flow.device("cpu")), strict=True):
        np.testing.assert_allclose(got, want, 1e-6)


def test_functions_of_users_and_hooks(cuda):
    class Cube(flow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x * x, x * 1.0

        @staticmethod
        def backward(ctx, g, other):
            (x,) = ctx.saved_tensors
            assert g.device == other.device == cuda
            return 3.0 * x * x * g + other

    seen = []
    x = flow.tensor([1.0, 2.0], device=cuda, requires_grad=True)
    y = x * 1.0
    y.retain_grad()
    y.register_hook(lambda g: seen.append(g.device))
    Cube.apply(y)[0].sum().backward()
    assert seen == [cuda] and x.grad.tolist() == [3.0, 12.0] and y.grad.device == cuda
