"""Optimizers in MindSpore's formulae, training steps in both modes, loss scaling, checkpoints."""

import copy

import numpy as np
import pytest

import srcgrad as flow
from srcgrad import amp, nn, ops

F64 = flow.float64
OPTIMIZERS = [
    (nn.SGD, {}), (nn.SGD, {"momentum": 0.9}), (nn.SGD, {"momentum": 0.9, "dampening": 0.5}),
    (nn.SGD, {"momentum": 0.9, "nesterov": True}), (nn.SGD, {"weight_decay": 0.1}),
    (nn.Momentum, {"momentum": 0.9}), (nn.Momentum, {"momentum": 0.9, "use_nesterov": True}),
    (nn.Momentum, {"momentum": 0.9, "weight_decay": 0.1, "loss_scale": 2.0}),
    (nn.Adam, {}), (nn.Adam, {"use_nesterov": True}), (nn.Adam, {"use_amsgrad": True}),
    (nn.Adam, {"weight_decay": 0.1}), (nn.AdamWeightDecay, {"weight_decay": 0.1}),
    (nn.RMSProp, {}), (nn.RMSProp, {"momentum": 0.5, "centered": True}), (nn.Adagrad, {}),
]  # fmt: skip


def ids(value):
    return getattr(value, "__name__", None) or "-".join(value)


def network():
    flow.manual_seed(0)
    return nn.SequentialCell(
        nn.Dense(3, 4, activation="tanh", dtype=F64), nn.Dense(4, 1, dtype=F64)
    )


def data():
    flow.manual_seed(1)
    return flow.randn(5, 3, dtype=F64), flow.randn(5, 1, dtype=F64)


def trained(kind, options, compiled, steps=4):
    """The Parameters after some steps, and the losses."""
    net, loss_fn, (x, y) = network(), nn.MSELoss(), data()
    optimizer = kind(net.trainable_params(), learning_rate=0.1, **options)

    def forward(x, y):
        return loss_fn(net(x), y)

    gradient = flow.value_and_grad(forward, None, optimizer.parameters)

    def step(x, y):
        loss, grads = gradient(x, y)
        optimizer(grads)
        return loss

    run = flow.compile(step) if compiled else step
    flow.set_context(mode=flow.GRAPH_MODE if compiled else flow.PYNATIVE_MODE)
    try:
        losses = [run(x, y).item() for _ in range(steps)]
    finally:
        flow.set_context(mode=None)
    state = [p.asnumpy() for p in optimizer.get_parameters()]
    return losses, [p.asnumpy() for p in net.get_parameters()], state


@pytest.mark.parametrize(("kind", "options"), OPTIMIZERS, ids=ids)
def test_a_step_compiles_and_agrees_with_the_tape(kind, options):
    for one, other in zip(trained(kind, options, True), trained(kind, options, False), strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6)


@pytest.mark.parametrize(
    ("kind", "other", "options"),
    [(nn.SGD, flow.optim.SGD, {}), (nn.SGD, flow.optim.SGD, {"momentum": 0.9, "nesterov": True}),
     (nn.SGD, flow.optim.SGD, {"momentum": 0.9, "dampening": 0.5, "weight_decay": 0.1})],
    ids=["plain", "nesterov", "dampened"],
)  # fmt: skip
def test_the_same_formula_as_pytorch_has(kind, other, options):
    start = flow.tensor([1.0, -1.0], dtype=F64)
    w, v = flow.Parameter(start, name="w"), nn.Parameter(start.clone())
    one, two = kind([w], 0.1, **options), other([v], 0.1, **options)
    for g in ([1.0, 0.5], [-2.0, 1.0], [3.0, 0.0]):
        one((flow.tensor(g, dtype=F64),))
        v.grad = flow.tensor(g, dtype=F64)
        two.step()
    np.testing.assert_allclose(w.asnumpy(), v.asnumpy())


def test_adam_and_its_epsilon():
    """MindSpore adds epsilon before the bias is corrected, PyTorch after: both as documented."""
    w = flow.Parameter(flow.tensor([1.0], dtype=F64), name="w")
    nn.Adam([w], 0.1, eps=0.5)((flow.tensor([2.0], dtype=F64),))
    m, v, rate = 0.1 * 2.0, 0.001 * 4.0, 0.1 * np.sqrt(1 - 0.999) / (1 - 0.9)
    np.testing.assert_allclose(w.asnumpy(), 1.0 - rate * m / (np.sqrt(v) + 0.5))


def test_groups_and_schedules():
    w, v = (flow.Parameter(flow.tensor([1.0]), name=n) for n in "wv")
    groups = [{"params": [w], "lr": 0.5}, {"params": [v], "weight_decay": 1.0}]
    nn.SGD(groups, 0.1)((flow.ones(1), flow.ones(1)))
    np.testing.assert_allclose([w.item(), v.item()], [0.5, 0.8])
    w.set_data(1.0 * flow.ones(1))
    optimizer, seen = nn.SGD([w], [0.1, 0.2]), []
    for _ in range(3):
        optimizer((flow.ones(1),))
        seen.append(w.item())
    np.testing.assert_allclose(seen, [0.9, 0.7, 0.5], rtol=1e-6)


def test_a_learning_rate_that_is_set():
    w = flow.Parameter(flow.tensor([1.0]), name="w")
    optimizer = nn.SGD([w], 0.1)
    step = flow.compile(lambda g: optimizer((g,)))
    step(flow.ones(1))
    optimizer.learning_rate.set_data(0.5)
    step(flow.ones(1))
    np.testing.assert_allclose(w.item(), 0.4, rtol=1e-6)


def test_a_schedule_compiles():
    w = flow.Parameter(flow.tensor([1.0]), name="w")
    optimizer, seen = nn.SGD([w], [0.1, 0.2]), []

    @flow.compile
    def step(g):
        optimizer((g,))

    for _ in range(3):
        step(flow.ones(1))
        seen.append(w.item())
    np.testing.assert_allclose(seen, [0.9, 0.7, 0.5], rtol=1e-6)
    assert optimizer.get_lr().item() == pytest.approx(0.2)
    falling = nn.SGD([w], lambda k: 1.0 / (k + 1))
    falling((flow.ones(1),))
    falling((flow.ones(1),))
    np.testing.assert_allclose(w.item(), -1.0, rtol=1e-6)


def test_errors_of_optimizers():
    w = flow.Parameter(flow.ones(1), name="w")
    with pytest.raises(ValueError, match="must not be empty"):
        nn.SGD([])
    with pytest.raises(TypeError, match="must be 'Parameter' or 'dict'"):
        nn.SGD(w)
    with pytest.raises(ValueError, match="'learning rate' must be float"):
        nn.SGD([w], -0.1)
    with pytest.raises(ValueError, match=r"range of \(0.0, 1.0\)"):
        nn.Adam([w], beta1=1.0)
    with pytest.raises(ValueError, match="already exists"):
        nn.SGD([w, flow.Parameter(flow.ones(1), name="w")])
    with pytest.raises(RuntimeError, match="same length"):
        nn.SGD([w])((flow.ones(1), flow.ones(1)))


def test_a_step_counts_versions():
    """What was saved before a step cannot be used after it."""
    w = flow.Parameter(flow.ones(1), name="w")
    optimizer = nn.SGD([w], 0.1)
    loss = (w * w).sum()
    flow.compile(lambda g: optimizer((g,)))(flow.ones(1))
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


class Line(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = flow.Parameter(flow.tensor([3.0]), name="w")

    def construct(self, x):
        return (x * self.w).sum()


def test_train_one_step():
    net = Line()
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1))
    assert step(flow.tensor([2.0])).item() == 6.0
    np.testing.assert_allclose(net.w.item(), 2.8, rtol=1e-6)
    scaled = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1), sens=10.0)
    scaled(flow.tensor([2.0]))
    np.testing.assert_allclose(net.w.item(), 0.8, rtol=1e-6)
    with pytest.raises(ValueError, match="can not be 0"):
        nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1), sens=0)


def test_a_step_that_overflows_is_left_out():
    net, manager = Line(), nn.DynamicLossScaleUpdateCell(16.0, 2, 2)
    step = nn.TrainOneStepWithLossScaleCell(net, nn.SGD(net.trainable_params(), 0.1), manager)
    rows = []
    for x in (2.0, 2.0, np.inf, 2.0):
        _, overflow, scale = step(flow.tensor([x]))
        rows.append((bool(overflow), scale.item(), round(net.w.item(), 4)))
    assert rows == [(False, 16.0, 2.8), (False, 32.0, 2.6), (True, 16.0, 2.6), (False, 16.0, 2.4)]


def test_forward_value_and_grad():
    net, x = Line(), flow.tensor([2.0])
    value, (dx, dw) = nn.ForwardValueAndGrad(net, net.trainable_params(), True, True)(x)
    assert (value.item(), dx[0].tolist(), dw[0].tolist()) == (6.0, [3.0], [2.0])
    assert nn.WithGradCell(net)(x)[0].tolist() == [2.0]


def test_loss_scalers():
    scaler = amp.DynamicLossScaler(4.0, 2, 2)
    seen = []
    for finite in (True, True, False, False, False, False):
        scaler.adjust(finite)
        seen.append(float(scaler.scale_value))
    assert seen == [4.0, 8.0, 4.0, 2.0, 1.0, 1.0]
    half = flow.tensor([60000.0], dtype=flow.float16)
    assert amp.StaticLossScaler(8.0).scale(half).tolist() == [np.inf]
    both = amp.StaticLossScaler(2.0).unscale({"a": (flow.ones(1), [flow.ones(1)])})
    assert both["a"][0].item() == both["a"][1][0].item() == 0.5
    for wrong, error in ((0.5, ValueError), (True, TypeError), ("a", TypeError)):
        with pytest.raises(error):
            amp.StaticLossScaler(wrong)


def test_clipping_is_differentiable():
    x = flow.tensor([3.0, 4.0], dtype=F64)
    g = flow.grad(lambda x: ops.clip_by_global_norm((x,), 1.0)[0].sum())(x)
    np.testing.assert_allclose(g.asnumpy(), [(25 - 21) / 125, (25 - 28) / 125])


def test_names():
    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.own = flow.Parameter(flow.ones(1), name="given")
            self.line = Line()
            self.many = nn.CellList([Line(), Line()])

        def construct(self, x):
            return x

    net = Outer()
    assert [p.name for p in net.get_parameters()] == ["given", "line.w", "many.0.w", "many.1.w"]
    assert next(n for n, _ in net.parameters_and_names()) == "own"
    assert [n for n, _ in net.cells_and_names()] == ["", "line", "many", "many.0", "many.1"]
    assert list(net.parameters_dict()) == [p.name for p in net.trainable_params()]
    nn.WithLossCell(net, nn.MSELoss())
    assert net.line.w.name == "line.w"
    nn.SequentialCell(net)
    assert net.line.w.name == "0.line.w"
    with pytest.raises(KeyError, match="already exists"):
        net.insert_child_to_cell("line", Line())
    with pytest.raises(AttributeError, match="'construct' is not defined"):
        nn.Cell()(1.0)


def test_state_of_a_cell_is_counted():
    class Counting(nn.Cell):
        def __init__(self):
            super().__init__()
            self.count = flow.Parameter(flow.zeros(1), requires_grad=False)

        def construct(self, x):
            ops.assign_add(self.count, flow.ones(1))
            return x * self.count

    for mode in (flow.GRAPH_MODE, flow.PYNATIVE_MODE):
        flow.set_context(mode=mode)
        net, x = Counting(), flow.tensor([5.0])
        g = flow.grad(net)
        assert [g(x).item(), g(x).item(), net.count.item()] == [1.0, 2.0, 2.0]
    flow.set_context(mode=None)


def test_checkpoints(tmp_path):
    one, other = network(), network()
    for p in other.get_parameters():
        p.set_data(flow.zeros_like(p))
    path = flow.save_checkpoint(one, tmp_path / "net")
    assert flow.load_param_into_net(other, flow.load_checkpoint(path)) == ([], [])
    for a, b in zip(one.get_parameters(), other.get_parameters(), strict=True):
        np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())
    assert list(flow.load_checkpoint(path, filter_prefix="0")) == ["1.weight", "1.bias"]


def test_hooks_and_derivatives_of_ones_own():
    class Own(nn.Cell):
        def construct(self, x):
            return x * x

        def bprop(self, x, out, dout):
            return (dout * 100,)

    assert flow.grad(Own())(flow.tensor(2.0)).item() == 100.0
    net, seen = Line(), []
    handle = net.register_forward_hook(lambda cell, inputs, out: seen.append(out.detach().item()))
    flow.grad(net)(flow.tensor([2.0]))
    handle.remove()
    flow.grad(net)(flow.tensor([2.0]))
    assert seen == [6.0]


def test_copies_of_cells():
    net = network()
    again = copy.deepcopy(net)
    again[0].weight.set_data(flow.zeros_like(net[0].weight))
    assert net[0].weight.asnumpy().any()
    assert [p.name for p in again.get_parameters()] == [p.name for p in net.get_parameters()]
