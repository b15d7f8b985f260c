"""MindSpore's operators, schedules, losses and layers: values, on the tape and compiled."""

import math

import numpy as np
import pytest

import srcgrad as flow
import srcgrad.mindspore as ms
from srcgrad.mindspore import nn, ops
from srcgrad.mindspore.ops import operators, plain

F64 = flow.float64
RNG = np.random.default_rng(0)
X, Y = RNG.uniform(0.2, 0.9, (2, 3)), RNG.uniform(0.2, 0.9, (2, 3))
W = RNG.normal(size=(3, 4))
INDICES = np.array([1, 0])


def wide(a):
    return flow.tensor(a, dtype=F64) if a.dtype.kind == "f" else flow.tensor(a)


# a call of each operator that is differentiated, and NumPy's value
OPERATORS = [
    (lambda x: ops.MatMul()(x, wide(W)), X @ W),
    (lambda x: ops.MatMul(transpose_a=True)(x, wide(Y)), X.T @ Y),
    (lambda x: ops.BatchMatMul(transpose_b=True)(x, wide(Y)), X @ Y.T),
    (lambda x: ops.ReduceSum()(x), X.sum()),
    (lambda x: ops.ReduceSum(keep_dims=True)(x, 1), X.sum(1, keepdims=True)),
    (lambda x: ops.ReduceMean()(x, (0, 1)), X.mean()),
    (lambda x: ops.ReduceMax(True)(x, 0), X.max(0, keepdims=True)),
    (lambda x: ops.ReduceMin()(x, -1), X.min(-1)),
    (lambda x: ops.ReduceProd()(x), X.prod()),
    (lambda x: ops.ReduceProd(True)(x, 1), X.prod(1, keepdims=True)),
    (lambda x: ops.Concat(1)((x, x * 2.0)), np.concatenate([X, 2 * X], 1)),
    (lambda x: ops.Stack()((x, x * 2.0)), np.stack([X, 2 * X])),
    (lambda x: ops.Unstack(1)(x)[2], X[:, 2]),
    (lambda x: ops.Split(0, 2)(x)[1], X[1:]),
    (lambda x: ops.Squeeze(0)(ops.ExpandDims()(x, 0)), X),
    (lambda x: ops.BroadcastTo((4, 2, 3))(x), np.broadcast_to(X, (4, 2, 3))),
    (lambda x: ops.Softmax()(x), np.exp(X) / np.exp(X).sum(-1, keepdims=True)),
    (lambda x: ops.LogSoftmax(0)(x), X - np.log(np.exp(X).sum(0))),
    (lambda x: ops.CumSum()(x, 1), X.cumsum(1)),
    (lambda x: ops.CumSum(exclusive=True, reverse=True)(x, 1),
     X[:, ::-1].cumsum(1)[:, ::-1] - X),
    (lambda x: ops.ArgMaxWithValue(1)(x)[1], X.max(1)),
    (lambda x: ops.BiasAdd()(x, wide(Y[0])), X + Y[0]),
    (lambda x: ops.L2Normalize(1)(x), X / np.linalg.norm(X, axis=1, keepdims=True)),
    (lambda x: ops.Transpose()(x, (1, 0)), X.T),
    (lambda x: ops.Reshape()(x, (3, 2)), X.reshape(3, 2)),
    (lambda x: ops.Tile()(x, (2, 1)), np.tile(X, (2, 1))),
    (lambda x: ops.Gather()(x, wide(INDICES), 1), X[:, INDICES]),
    (lambda x: ops.Select()(x > 0.5, x, x * 3.0), np.where(X > 0.5, X, 3 * X)),
    (lambda x: ops.Add()(x, wide(Y)), X + Y), (lambda x: ops.Sub()(x, wide(Y)), X - Y),
    (lambda x: ops.Mul()(x, wide(Y)), X * Y), (lambda x: ops.RealDiv()(x, wide(Y)), X / Y),
    (lambda x: ops.Pow()(x, 3), X**3), (lambda x: ops.Maximum()(x, wide(Y)), np.maximum(X, Y)),
    (lambda x: ops.L2Loss()(x), (X * X).sum() / 2),
    (lambda x: ops.SigmoidCrossEntropyWithLogits()(x, wide(Y)),
     np.log1p(np.exp(X)) - X * Y),
    (lambda x: ops.SoftmaxCrossEntropyWithLogits()(x, wide(Y))[0],
     -(Y * (X - np.log(np.exp(X).sum(1, keepdims=True)))).sum(1)),
    (lambda x: ops.std(x, 1), X.std(1)), (lambda x: ops.var(x, ddof=1), X.var(ddof=1)),
    (lambda x: ops.leaky_relu(x - 0.5), np.where(X > 0.5, X - 0.5, 0.2 * (X - 0.5))),
    (lambda x: ops.smooth_l1_loss(x, wide(Y)), (X - Y) ** 2 / 2),
    (lambda x: ops.mean(x, (), True), X.mean()),
    (lambda x: ops.concat((x, x), 1), np.hstack([X, X])),
    (lambda x: ops.transpose(x, (1, 0)), X.T), (lambda x: ops.squeeze(x[:1], 0), X[0]),
]  # fmt: skip


@pytest.mark.parametrize("k", range(len(OPERATORS)))
def test_operators(k):
    f, wanted = OPERATORS[k]
    x = flow.tensor(X, requires_grad=True)
    made = f(x)
    np.testing.assert_allclose(made.detach().numpy(), wanted, rtol=1e-12)
    made.sum().backward()
    flow.set_context(mode=flow.GRAPH_MODE)
    try:
        value, slope = flow.value_and_grad(lambda x: f(x).sum())(flow.tensor(X))
    finally:
        flow.set_context(mode=None)
    np.testing.assert_allclose(value.item(), np.sum(wanted), rtol=1e-12)
    np.testing.assert_allclose(slope.numpy(), x.grad.numpy(), rtol=1e-9, atol=1e-12)


UNARY = [
    "Abs", "ACos", "Asin", "Atan", "Atanh", "Ceil", "Cos", "Cosh", "Erf", "Exp", "Expm1", "Floor",
    "Log", "Log1p", "Neg", "Reciprocal", "Round", "Rsqrt", "Sigmoid", "Sign", "Sin", "Sinh",
    "Sqrt", "Square", "Tan", "Tanh",
]  # fmt: skip


def test_operators_of_one_tensor():
    x = flow.tensor(X)
    for name in UNARY:
        function = getattr(flow, plain.OF_TABLE[name])
        assert getattr(ops, name)()(x).tolist() == function(x).tolist(), name


def test_operators_that_are_not_differentiated():
    x = flow.tensor(X)
    assert ops.Shape()(x) == (2, 3) and ops.Rank()(x) == 2 and ops.Size()(x) == 6
    assert ops.Argmax(output_type=ms.int32)(x).tolist() == X.argmax(1).tolist()
    assert ops.Cast()(x, ms.float32).dtype is ms.float32
    assert ops.OneHot()(flow.tensor([1, 0]), 3, 1.0, 0.5).tolist() == [
        [0.5, 1.0, 0.5], [1.0, 0.5, 0.5],
    ]  # fmt: skip
    assert ops.Equal()(x, x).all() and not ops.Less()(x, x).any()
    assert ops.ReduceAny()(x > 0.5, 1).tolist() == (X > 0.5).any(1).tolist()
    w = flow.Parameter(flow.zeros(2), name="w")
    ops.AssignAdd()(w, flow.ones(2))
    assert w.tolist() == [1.0, 1.0] and ops.ZerosLike()(w).tolist() == [0.0, 0.0]


def test_there_are_many():
    assert len(operators.OPERATORS) > 90
    assert all(callable(getattr(ops, name)) for name in operators.OPERATORS)
    assert {"MatMul", "sin", "grad"} <= set(dir(ops))


def test_operators_of_a_cell():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(flow.tensor(W), name="w")
            self.matmul, self.sum = ops.MatMul(), ops.ReduceSum(keep_dims=False)

        def construct(self, x):
            return self.sum(ops.Sigmoid()(self.matmul(x, self.w)), 1)

    net, x = Net(), flow.tensor(X)
    flow.set_context(mode=flow.GRAPH_MODE)
    try:
        value, (dw,) = ms.value_and_grad(net, None, [net.w])(x)
    finally:
        flow.set_context(mode=None)
    sigmoid = 1.0 / (1.0 + np.exp(-X @ W))
    np.testing.assert_allclose(value.numpy(), sigmoid.sum(1))
    np.testing.assert_allclose(dw.numpy(), X.T @ (sigmoid * (1 - sigmoid)))


# ---- schedules ----
SCHEDULES = [
    (nn.ExponentialDecayLR(0.1, 0.9, 4), lambda k: 0.1 * 0.9 ** (k / 4)),
    (nn.ExponentialDecayLR(0.1, 0.9, 4, True), lambda k: 0.1 * 0.9 ** (k // 4)),
    (nn.NaturalExpDecayLR(0.1, 0.9, 4), lambda k: 0.1 * math.exp(-0.9 * k)),
    (nn.NaturalExpDecayLR(0.1, 0.9, 4, True), lambda k: 0.1 * math.exp(-0.9 * (k // 4 * 4))),
    (nn.InverseDecayLR(0.1, 0.9, 4, True), lambda k: 0.1 / (1 + 0.9 * (k // 4))),
    (nn.CosineDecayLR(0.01, 0.1, 4),
     lambda k: 0.01 + 0.045 * (1 + math.cos(math.pi * min(k, 4) / 4))),
    (nn.PolynomialDecayLR(0.1, 0.01, 4, 0.5), lambda k: 0.09 * (1 - min(k, 4) / 4) ** 0.5 + 0.01),
    (nn.PolynomialDecayLR(0.1, 0.01, 4, 2.0, True),
     lambda k: 0.09 * (1 - k / (4 * max(math.ceil(k / 4), 1))) ** 2 + 0.01),
    (nn.WarmUpLR(0.1, 4), lambda k: 0.1 * min(k, 4) / 4),
]  # fmt: skip


@pytest.mark.parametrize(("schedule", "rate"), SCHEDULES, ids=lambda v: type(v).__name__)
def test_schedules(schedule, rate):
    for k in (0, 1, 3, 4, 6, 9):
        assert schedule(flow.tensor(k)).item() == pytest.approx(rate(k), rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(("schedule", "rate"), SCHEDULES, ids=lambda v: type(v).__name__)
def test_a_schedule_of_an_optimizer(schedule, rate, compiled):
    w = flow.Parameter(flow.tensor([0.0], dtype=F64), name="w")
    optimizer = nn.SGD([w], schedule)

    def step(g):
        optimizer((g,))
        return g

    step = flow.compile(step) if compiled else step
    seen = [0.0]
    for _ in range(6):
        step(flow.tensor([1.0], dtype=F64))
        seen.append(w.item())
    made = -np.diff(seen)
    np.testing.assert_allclose(made, [rate(k) for k in range(6)], rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_schedule_of_ones_own(compiled):
    class Halved(nn.LearningRateSchedule):
        def __init__(self, first):
            super().__init__()
            self.first = first

        def construct(self, global_step):
            return self.first * ops.pow(0.5, global_step)

    w = flow.Parameter(flow.tensor([0.0], dtype=F64), name="w")
    optimizer = nn.Momentum([w], Halved(0.4), 0.0)
    step = (lambda g: optimizer((g,))) if not compiled else flow.compile(lambda g: optimizer((g,)))
    for _ in range(3):
        step(flow.tensor([1.0], dtype=F64))
    assert w.item() == pytest.approx(-0.7)
    assert optimizer.get_lr().item() == pytest.approx(0.05)


def test_lists_of_rates():
    assert nn.exponential_decay_lr(0.1, 0.5, 4, 2, 2, True) == [0.1] * 4
    np.testing.assert_allclose(
        nn.cosine_decay_lr(0.0, 1.0, 6, 2, 2), [1.0, 1.0, 0.5, 0.5, 0.0, 0.0], atol=1e-12
    )
    np.testing.assert_allclose(
        nn.polynomial_decay_lr(1.0, 0.0, 4, 1, 2, 1.0), [1.0, 0.5, 0.0, 0.0]
    )  # fmt: skip
    np.testing.assert_allclose(nn.warmup_lr(0.1, 4, 1, 2), [0.0, 0.05, 0.1, 0.1])
    np.testing.assert_allclose(nn.inverse_decay_lr(0.1, 1.0, 3, 1, 1), [0.1, 0.05, 0.1 / 3])
    np.testing.assert_allclose(
        nn.natural_exp_decay_lr(0.1, 0.5, 2, 1, 1), [0.1, 0.1 * math.exp(-0.5)]
    )  # fmt: skip
    assert nn.piecewise_constant_lr([1, 3], [0.1, 0.01]) == [0.1, 0.01, 0.01]


# ---- losses and layers ----
def test_losses():
    x, y = flow.tensor(X), flow.tensor([2, 0])
    logs = X - np.log(np.exp(X).sum(1, keepdims=True))
    each = -logs[[0, 1], [2, 0]]
    sparse = nn.SoftmaxCrossEntropyWithLogits(sparse=True)
    np.testing.assert_allclose(sparse(x, y).numpy(), each)
    dense = nn.SoftmaxCrossEntropyWithLogits(reduction="mean")
    labels = ops.one_hot(y, 3, 1.0, 0.0)
    np.testing.assert_allclose(dense(x, labels).item(), each.mean())
    other = flow.tensor(Y)
    assert nn.MAELoss()(x, other).item() == pytest.approx(np.abs(X - Y).mean())
    assert nn.RMSELoss()(x, other).item() == pytest.approx(np.sqrt(((X - Y) ** 2).mean()))
    np.testing.assert_allclose(
        flow.grad(dense)(x, labels).numpy(), (np.exp(logs) - labels.numpy()) / 2, rtol=1e-6
    )


@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
def test_sequences_are_those_of_the_other_face(kind):
    flow.manual_seed(0)
    one = getattr(nn, kind)(3, 2, num_layers=2, bidirectional=True, dtype=F64)
    other = getattr(flow.nn, kind)(3, 2, 2, bidirectional=True, dtype=F64)
    other.load_state_dict(one.state_dict())
    x = flow.randn(4, 5, 3, dtype=F64)
    np.testing.assert_array_equal(one(x)[0].detach().numpy(), other(x)[0].detach().numpy())
    assert [p.name for p in one.trainable_params()] == [n for n, _ in other.named_parameters()]

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.steps = one

        def construct(self, x):
            return self.steps(x)[0].sum()

    net = Net()
    assert net.trainable_params()[0].name == "steps.weight_ih_l0"
    flow.set_context(mode=flow.GRAPH_MODE)
    try:
        grads = ms.grad(net, None, net.trainable_params())(x)
    finally:
        flow.set_context(mode=None)
    other(x)[0].sum().backward()
    for g, p in zip(grads, other.parameters(), strict=True):
        np.testing.assert_allclose(g.numpy(), p.grad.numpy(), rtol=1e-7, atol=1e-10)


def test_a_loop_of_training():
    net, loss_fn = nn.Dense(3, 1), nn.MSELoss()
    optimizer = nn.AdamWeightDecay(net.trainable_params(), nn.CosineDecayLR(0.001, 0.1, 60))
    x = flow.tensor(RNG.normal(size=(32, 3)), dtype=flow.float32)
    y = (x @ flow.tensor([[1.0], [-2.0], [0.5]])) + 0.3

    def forward(x, y):
        return loss_fn(net(x), y)

    gradient = ms.value_and_grad(forward, None, optimizer.parameters)
    net.set_train()
    losses = []
    for _ in range(120):
        loss, grads = gradient(x, y)
        optimizer(ops.clip_by_global_norm(grads, 10.0))
        losses.append(loss.item())
    assert losses[-1] < 0.02 * losses[0]
    by_sample = ms.vmap(ms.grad(lambda x: (x**2).sum()))(x)
    np.testing.assert_allclose(by_sample.numpy(), 2 * x.numpy(), rtol=1e-6)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: nn.ExponentialDecayLR(1, 0.9, 4), "must be float"),
        (lambda: nn.ExponentialDecayLR(0.1, 0.9, 0), "must > 0"),
        (lambda: nn.CosineDecayLR(0.2, 0.1, 4), "greater than the 'min_lr'"),
        (lambda: nn.piecewise_constant_lr([2], [0.1, 0.2]), "same as the size"),
        (lambda: nn.SoftmaxCrossEntropyWithLogits(reduction="most"), "'reduction' must be"),
        (lambda: nn.LSTM(3, 2)(flow.ones(5, 4, 3), None, flow.ones(4)), "run each by itself"),
        (lambda: nn.GRU(3, 2, has_bias=1), "'has_bias' must be bool"),
        (lambda: nn.AdamW, "AdamWeightDecay"),
        (lambda: nn.DiceLoss, "derive from LossBase"),
        (lambda: ops.MatMull, "Did you mean: 'MatMul'"),
        (lambda: ms.dataset, "DataLoader"),
        (lambda: ms.dtype.float33, "choose one of"),
    ],
)
def test_errors(make, text):
    with pytest.raises((TypeError, ValueError, AttributeError), match=text):
        make()
