"""Selections, contractions, statistics, activations, losses: gradients against differences."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.nn import functional as F
from tests.eager.oracle import check

A = np.array([[0.3, -0.7, 0.5], [0.9, -0.2, 0.6]])
B = np.array([[1.3, 0.4, -0.8], [-1.1, 0.7, 1.2]])
P = np.array([[0.3, 0.7, 0.45], [0.9, 0.2, 0.6]])
S = np.array([[2.0, 0.3, 0.1], [0.2, 1.5, -0.2], [0.1, 0.4, 1.2]])
T = np.sin(np.arange(24.0)).reshape(2, 3, 4)
PLACES = flow.tensor([[0, 2], [1, 0]])
TWICE = flow.tensor([[0, 0], [2, 2]])
LABELS = flow.tensor([2, 0])


def doubles(a):
    return flow.tensor(np.asarray(a, np.float64))


ELEMENTWISE = {
    "addcmul": lambda x: x.addcmul(x, x, value=2), "addcdiv": lambda x: flow.addcdiv(x, x, x + 3),
    "logit": lambda x: flow.logit(x.abs()), "sinc": flow.sinc, "i0": flow.i0,
    "lgamma": lambda x: flow.lgamma(x.abs() + 0.1), "erfinv": lambda x: flow.erfinv(x.tanh() * 0.9),
    "digamma": lambda x: flow.digamma(x.abs() + 0.1), "fmax": lambda x: x.fmax(-x),
    "xlogy": lambda x: flow.xlogy(x, x.abs()), "logaddexp2": lambda x: flow.logaddexp2(x, x * x),
    "ldexp": lambda x: flow.ldexp(x, x), "deg2rad": flow.deg2rad, "rsub": lambda x: x.rsub(2.0),
    "nan_to_num": flow.nan_to_num, "float_power": lambda x: flow.float_power(x.abs(), 1.5),
    "round": lambda x: x.round(decimals=1) + x, "heaviside": lambda x: x.heaviside(x) * x,
}  # fmt: skip
ACTIVATIONS = {
    name: getattr(F, name) for name in (
        "elu", "celu", "selu", "leaky_relu", "hardtanh", "relu6", "hardsigmoid", "hardswish",
        "gelu", "silu", "softplus", "mish", "softsign", "logsigmoid", "tanhshrink",
    )
}  # fmt: skip
ACTIVATIONS |= {
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "softplus_threshold": lambda x: F.softplus(x, 2.0, 1.1), "elu_2": lambda x: F.elu(x, 2.0),
    "hardshrink": lambda x: F.hardshrink(x, 0.4), "softshrink": lambda x: F.softshrink(x, 0.4),
    "threshold": lambda x: F.threshold(x, 0.1, 2.0), "glu": lambda x: F.glu(x.T),
    "softmin": lambda x: F.softmin(x, 1), "prelu": lambda x: F.prelu(x, x[0] * x[1]),
    "log_softmax": lambda x: F.log_softmax(x, 0), "softmax": lambda x: F.softmax(x, -1),
}  # fmt: skip
STATISTICS = {
    "nansum": lambda x: x.nansum(1), "nanmean": lambda x: flow.nanmean(x),
    "var_mean": lambda x: flow.cat([p.reshape(-1) for p in flow.var_mean(x, 1)]),
    "median": lambda x: x.median(), "median_dim": lambda x: x.median(1).values,
    "kthvalue": lambda x: x.kthvalue(2, 1).values, "mode": lambda x: x.mode(1)[0],
    "quantile": lambda x: x.quantile(0.3),
    "quantiles": lambda x: x.quantile(doubles([0.3, 0.6]), 1),
    "cumprod": lambda x: x.cumprod(1), "cumprod_zeros": lambda x: (x * (x > 0)).cumprod(1),
    "cummax": lambda x: x.cummax(1).values, "diff": lambda x: x.diff(),
    "logcumsumexp": lambda x: x.logcumsumexp(1), "cov": lambda x: x.cov(),
    "corrcoef": lambda x: x.corrcoef(), "trapezoid": lambda x: flow.trapezoid(x, dx=0.5),
    "aminmax": lambda x: flow.stack(list(flow.aminmax(x))), "dist": lambda x: flow.dist(x, x * x),
    "cdist": lambda x: flow.cdist(x, x * x + 1.0), "msort": flow.msort,
}  # fmt: skip
SELECTIONS = {
    "scatter": lambda x: flow.scatter(x * x, 1, PLACES, x[:, :2]),
    "scatter_twice": lambda x: flow.scatter(x * x, 1, TWICE, x[:, :2]),
    "scatter_add": lambda x: (x * x).scatter_add(1, TWICE, x[:, :2]),
    "scatter_number": lambda x: x.scatter(1, PLACES, 3.0),
    "index_add": lambda x: (x * x).index_add(0, flow.tensor([1, 1]), x, alpha=2.0),
    "index_copy": lambda x: (x * x).index_copy(1, flow.tensor([2, 0]), x[:, :2]),
    "index_fill": lambda x: x.index_fill(1, flow.tensor([2, 0]), 1.5),
    "index_put": lambda x: x.index_put((flow.tensor([0, 0]), flow.tensor([2, 2])), x[0, :2], True),
    "take": lambda x: x.take(flow.tensor([[0, 5], [0, -1]])),
    "take_along_dim": lambda x: flow.take_along_dim(x, flow.tensor([[1], [2]]), 1),
    "masked_scatter": lambda x: x.masked_scatter(x > 0, x * x),
    "repeat_interleave": lambda x: x.repeat_interleave(flow.tensor([1, 2]), 0),
}  # fmt: skip
ARRANGEMENTS = {
    "movedim": lambda x: x.movedim(0, 2), "unflatten": lambda x: x.unflatten(2, (2, -1)),
    "hstack": lambda x: flow.hstack([x, x * x]), "dstack": lambda x: flow.dstack([x, x * x]),
    "vstack": lambda x: flow.vstack([x[0], x[1] ** 2]), "rot90": lambda x: x.rot90(3, (0, 2)),
    "column_stack": lambda x: flow.column_stack([x[0, :, 0], x[1]]),
    "tensor_split": lambda x: x.tensor_split((1, 3), 2)[1], "unfold": lambda x: x.unfold(2, 2, 1),
    "meshgrid": lambda x: flow.meshgrid(x[0, 0], x[1, 1])[0], "fliplr": lambda x: x.fliplr(),
    "combinations": lambda x: flow.combinations(x[0, 0]), "diagonal": lambda x: x.diagonal(1, 1, 2),
    "block_diag": lambda x: flow.block_diag(x[0], x[1]), "diag_embed": lambda x: x.diag_embed(1),
    "cartesian_prod": lambda x: flow.cartesian_prod(x[0, 0], x[0, 1]),
    "expand": lambda x: x[:, :1].expand(2, 3, -1) * x, "sum_to_size": lambda x: x.sum_to_size(3, 1),
}  # fmt: skip
CONTRACTIONS = {
    "rows": lambda x: flow.einsum("bij,bij->bi", x, x * x),
    "trace": lambda x: flow.einsum("bii", x[:, :, :3]),
    "chain": lambda x: flow.einsum("bij,kj,kl->bil", x, x[0], x[1]),
    "ellipsis": lambda x: flow.einsum("...ij,...kj->...ik", x, x),
    "one_meets_many": lambda x: flow.einsum("bij,bkj->bij", x, x[:, :1]),
    "tensordot": lambda x: flow.tensordot(x, x, ([0, 1], [0, 1])), "inner": lambda x: x.inner(x),
    "kron": lambda x: flow.kron(x[0], x[1]), "baddbmm": lambda x: x.baddbmm(x @ x.mT, x, alpha=0.5),
    "addr": lambda x: x[0].addr(x[0, :, 0], x[1, 0]),
    "addmv": lambda x: x[0, :, 0].addmv(x[0], x[1, 0]),
    "addbmm": lambda x: x[0].addbmm(x @ x.mT, x), "cross": lambda x: x.cross(x * x, 1),
}  # fmt: skip
LINEAR_ALGEBRA = {
    "inv": flow.linalg.inv, "det": flow.linalg.det, "logdet": flow.logdet,
    "slogdet": lambda x: flow.linalg.slogdet(x).logabsdet, "power": lambda x: x.matrix_power(3),
    "solve": lambda x: flow.linalg.solve(x, x[0]), "negative": lambda x: x.matrix_power(-2),
    "solve_matrix": lambda x: flow.linalg.solve(x, x.T), "norm": lambda x: flow.linalg.norm(x, 1),
    "cholesky": lambda x: flow.linalg.cholesky(x @ x.T), "fro": flow.linalg.matrix_norm,
    "stack": lambda x: flow.linalg.det(flow.stack([x, x @ x])),
}  # fmt: skip
SIGNS = np.array([[1.0, -1.0, 1.0], [-1.0, 1.0, -1.0]])
LOSSES = {
    "mse": lambda x: F.mse_loss(x, x * x), "l1": lambda x: F.l1_loss(x, x * x, reduction="sum"),
    "smooth_l1": lambda x: F.smooth_l1_loss(x, x * x * x),
    "linear": lambda x: F.linear(x, x * x, x[:, 0]),
    "huber": lambda x: F.huber_loss(x, -x, delta=0.7), "nll": lambda x: F.nll_loss(x, LABELS),
    "cross_entropy": lambda x: F.cross_entropy(x, LABELS),
    "weighted": lambda x: F.cross_entropy(x, LABELS, doubles(P[0]), label_smoothing=0.1),
    "ignored": lambda x: F.cross_entropy(x, flow.tensor([2, -100])),
    "probabilities": lambda x: F.cross_entropy(x, x.softmax(1)),
    "bce": lambda x: F.binary_cross_entropy(x.sigmoid(), doubles(P)),
    "bce_logits": lambda x: F.binary_cross_entropy_with_logits(
        x, doubles(P), pos_weight=doubles(P[0])
    ),
    "kl_div": lambda x: F.kl_div(x, doubles(P), reduction="batchmean"),
    "layer_norm": lambda x: F.layer_norm(x, (3,), x[0], x[1]), "normalize": F.normalize,
    "cosine": lambda x: F.cosine_similarity(x, x * x),
    "embedding": lambda x: F.embedding(LABELS[1:], x),
    "distance": lambda x: F.pairwise_distance(x, x * x),
    "ranking": lambda x: F.margin_ranking_loss(x, x * x, doubles(SIGNS), 0.3),
    "hinge": lambda x: F.hinge_embedding_loss(x, doubles(SIGNS), 0.7, "none"),
    "soft_margin": lambda x: F.soft_margin_loss(x, doubles(SIGNS)),
    "labels": lambda x: F.multilabel_soft_margin_loss(x, doubles(P), doubles(P[0])),
    "triplet": lambda x: F.triplet_margin_loss(x, x * x, -x, 2.0, swap=True),
    "poisson": lambda x: F.poisson_nll_loss(x, 3.0 * doubles(P), full=True),
    "rates": lambda x: F.poisson_nll_loss(x.exp(), doubles(P), log_input=False),
}  # fmt: skip


RECORDED = [2.0833333, 1.0666666, 0.8312866, 0.8312866, 2.25, 34.7665291, 4.9453473]


def test_losses_by_margins_and_of_counts():
    """PyTorch's numbers, recorded: values at x = [[1, -2, 3], [4, 5, 0.5]]."""
    x = flow.tensor([[1.0, -2.0, 3.0], [4.0, 5.0, 0.5]])
    t = flow.tensor([[1.0, -1.0, 1.0], [-1.0, 1.0, 1.0]])
    found = [
        F.hinge_embedding_loss(x, t), F.margin_ranking_loss(x, x.flip(0) * 0.5, t, margin=0.3),
        F.soft_margin_loss(x, t), F.multilabel_soft_margin_loss(x, (t + 1) / 2),
        F.triplet_margin_loss(x, t, -t, swap=True, p=1), F.poisson_nll_loss(x, t + 1),
        F.poisson_nll_loss(x.abs(), (t + 1) * 3, log_input=False, full=True),
    ]  # fmt: skip
    np.testing.assert_allclose([f.item() for f in found], RECORDED, rtol=2e-6)
    far = flow.tensor([-400.0], requires_grad=True)
    loss = F.soft_margin_loss(far, flow.ones(1))  # where exp(400) overflows
    loss.backward()
    assert (loss.item(), far.grad.item()) == (400.0, -1.0)


def named(table):
    return pytest.mark.parametrize("f", table.values(), ids=table.keys())


@named(ELEMENTWISE | ACTIVATIONS)
def test_elementwise(f):
    check(f, A)


@named(STATISTICS)
def test_statistics(f):
    check(f, A)


@named(SELECTIONS)
def test_selections(f):
    check(f, A)


@named(ARRANGEMENTS)
def test_arrangements(f):
    check(lambda x: f(x * x), T)


@named(CONTRACTIONS)
def test_contractions(f):
    check(f, T)


@named(LINEAR_ALGEBRA)
def test_linear_algebra(f):
    check(f, S, tolerance=1e-5)


@named(LOSSES)
def test_losses(f):
    check(f, A)


def test_products_of_two():
    check(lambda x, z: flow.einsum("ij,kj->ik", x, z), A, B)
    check(lambda x, z: flow.tensordot(x, z, ([1], [1])), A, B)
    check(lambda x, z: F.mse_loss(x, z), A, B)


def at(f, values):
    x = flow.tensor(values, requires_grad=True)
    f(x).sum().backward()
    return x.grad.tolist()


def test_conventions_at_kinks():
    assert at(F.hardtanh, [-1.0, 1.0, 0.5]) == [0.0, 0.0, 1.0]
    assert at(F.relu6, [0.0, 6.0, 3.0]) == [0.0, 0.0, 1.0]
    assert at(lambda x: x.std(), [2.0, 2.0]) == [0.0, 0.0]
    assert at(lambda x: x.norm(), [0.0, 0.0]) == [0.0, 0.0]
    assert at(flow.sinc, [0.0]) == [0.0]
    assert at(lambda x: flow.xlogy(x, x), [0.0, 1.0]) == [0.0, 1.0]
    assert at(lambda x: x.median(), [1.0, 2.0, 3.0, 4.0]) == [0.0, 1.0, 0.0, 0.0]
    assert at(lambda x: flow.cumprod(x, 0), [1.0, 0.0, 3.0]) == [1.0, 4.0, 0.0]
    assert at(F.elu, [0.0, 200.0]) == [1.0, 1.0]  # exp of what is not taken does not overflow
    assert at(F.softplus, [0.0, 1000.0]) == [0.5, 1.0]
