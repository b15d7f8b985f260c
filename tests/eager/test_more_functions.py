"""Selections, contractions, statistics and linear algebra: values against NumPy, and refusals."""

import io

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.nn import functional as F

A = np.array([[0.3, -0.7, 0.5], [0.9, -0.2, 0.6]])
T = np.sin(np.arange(24.0)).reshape(2, 3, 4)
X, Y = flow.tensor(A), flow.tensor(T)


def same(got, want, dtype=None):
    assert got.shape == np.shape(want)
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-12)
    assert dtype is None or got.dtype is dtype


@pytest.mark.parametrize("f", [flow.cumsum, flow.cumprod])
def test_running_sums_and_products_of_numbers_and_integers(f):
    """As PyTorch's: a tensor without dims stays one, integers and bools become int64."""
    for x in (flow.tensor(3.0), flow.tensor(3, dtype=flow.int32)):
        y = f(x, 0)
        assert y.shape == () and y.item() == 3
    for x in (flow.tensor([True, True]), flow.tensor([1, 2], dtype=flow.int32)):
        assert f(x, 0).dtype == flow.int64
    assert flow.tensor([True, True]).cumprod(0).tolist() == [1, 1]


def test_statistics():
    with_nan = np.where(A > 0.5, np.nan, A)
    same(flow.nansum(flow.tensor(with_nan), 1), np.nansum(with_nan, 1))
    same(flow.nanmean(flow.tensor(with_nan), 1), np.nanmean(with_nan, 1))
    assert np.isnan(flow.tensor(with_nan).median().item())
    assert flow.tensor(with_nan).nanmedian().item() == np.sort(A[A <= 0.5])[1]
    for q in (0.0, 0.3, 1.0):
        same(X.quantile(q), np.quantile(A, q))
        same(Y.quantile(q, 1, keepdim=True), np.quantile(T, q, 1, keepdims=True))
    qs = np.array([0.2, 0.7])
    same(Y.quantile(flow.tensor(qs), 1), np.quantile(T, qs, 1))
    same(X.cumprod(1), np.cumprod(A, 1))
    same(X.cov(), np.cov(A))
    same(X.corrcoef(), np.corrcoef(A))
    same(flow.trapezoid(X), np.trapezoid(A))
    same(X.diff(dim=0), np.diff(A, axis=0))
    same(X.logcumsumexp(1), np.log(np.cumsum(np.exp(A), 1)))
    assert flow.tensor([3, 1, 3, 1, 2]).mode() == (1, 3)
    values, places = flow.tensor([1.0, 3.0, 2.0, 3.0]).cummax(0)
    assert values.tolist() == [1.0, 3.0, 3.0, 3.0] and places.tolist() == [0, 1, 1, 3]
    values, counts = flow.unique(flow.tensor([2, 1, 2]), return_counts=True)
    assert values.tolist() == [1, 2] and counts.tolist() == [1, 2]
    assert flow.bincount(flow.tensor([1, 1, 3])).tolist() == [0, 2, 0, 1]
    assert X.count_nonzero().item() == 6 and X.median(1).indices.tolist() == [0, 2]


def test_arrangements():
    same(Y.movedim((0, 1), (-1, 0)), np.moveaxis(T, (0, 1), (-1, 0)))
    same(flow.hstack([X, X]), np.hstack([A, A]))
    same(flow.vstack([X[0], X]), np.vstack([A[0], A]))
    same(flow.dstack([X, X]), np.dstack([A, A]))
    same(flow.column_stack([X[:, 0], X]), np.column_stack([A[:, 0], A]))
    for k in range(5):
        same(X.rot90(k), np.rot90(A, k))
    for one, want in zip(Y.tensor_split(3, 2), np.array_split(T, 3, 2), strict=True):
        same(one, want)
    for indexing in ("ij", "xy"):
        want = np.meshgrid(A[0], A[:, 0], indexing=indexing)
        for one, w in zip(flow.meshgrid(X[0], X[:, 0], indexing=indexing), want, strict=True):
            same(one, w)
    same(flow.diag_embed(X, 1)[0], np.diag(A[0], 1))
    same(flow.tril_indices(3, 4), np.stack(np.tril_indices(3, 0, 4)), flow.int64)
    same(Y.unfold(2, 2, 2), np.lib.stride_tricks.sliding_window_view(T, 2, 2)[:, :, ::2])
    same(flow.block_diag(X, X[0]), np.block([[A, np.zeros((2, 3))], [np.zeros((1, 3)), A[:1]]]))


def test_an_expanded_tensor_shares_memory_and_cannot_be_written():
    x = flow.tensor([1.0, 2.0])
    y = x.expand(3, 2)
    x[0] = 5.0
    assert y.tolist() == [[5.0, 2.0]] * 3 and y.data_ptr() == x.data_ptr()
    with pytest.raises(RuntimeError, match="single memory location"):
        y.add_(1.0)
    with pytest.raises(RuntimeError, match="must match the existing size"):
        x.expand(3, 3)
    with pytest.raises(RuntimeError, match="greater or equal to the number of dimensions"):
        flow.ones(2, 2).expand(2)


def test_a_write_to_a_view_keeps_the_shape_of_the_gradient():
    x = flow.ones(2, 2, requires_grad=True)
    y = x * 2.0
    y[0].mul_(3.0)
    y.sum().backward()
    assert x.grad.tolist() == [[6.0, 6.0], [2.0, 2.0]]


def test_a_diagonal_is_a_view():
    x = flow.zeros(2, 2, requires_grad=True)
    y = x * 1.0
    y.diagonal().copy_(flow.tensor([3.0, 4.0]))
    assert y.tolist() == [[3.0, 0.0], [0.0, 4.0]]
    y.sum().backward()
    assert x.grad.tolist() == [[0.0, 1.0], [1.0, 0.0]]


EQUATIONS = [
    ("ij,ij->i", A, A), ("ij,kj", A, A), ("ij->ji", A), ("i,j->ij", A[0], A[1]), ("ij->", A),
    ("bij,bkj->bik", T, T), ("...ij,...kj->...ik", T, T), ("bij,kj,kl->bil", T, T[0], T[1]),
    ("ii->i", T[0, :, :3]), ("ii", T[0, :, :3]), ("abc,cab->b", T, T.transpose(2, 0, 1)),
    ("...j->...", T), ("i...,i->...", T, A[:, 0]), ("bi", A),
]  # fmt: skip


@pytest.mark.parametrize("equation", EQUATIONS, ids=lambda e: e[0])
def test_einsum(equation):
    text, *arrays = equation
    same(flow.einsum(text, *map(flow.tensor, arrays)), np.einsum(text, *arrays))
    same(flow.einsum(text, [flow.tensor(a) for a in arrays]), np.einsum(text, *arrays))


@pytest.mark.parametrize(
    ("equation", "tensors", "text"),
    [
        ("ij", (X, X), "more operands"), ("ij,jk", (X,), "fewer operands"),
        ("ijk->i", (X,), "number of subscripts"), ("ij->k", (X,), "does not appear"),
        ("ij,jk", (X, X), "does not broadcast"),
    ],
)  # fmt: skip
def test_einsum_refuses(equation, tensors, text):
    with pytest.raises(RuntimeError, match=text):
        flow.einsum(equation, *tensors)


def test_linear_algebra():
    s = T[0, :, :3] + 2 * np.eye(3)
    x = flow.tensor(s)
    same(flow.linalg.inv(x), np.linalg.inv(s))
    same(flow.linalg.det(x), np.linalg.det(s))
    sign, logabs = flow.linalg.slogdet(x)
    assert (sign.item(), logabs.item()) == pytest.approx(np.linalg.slogdet(s))
    same(x.matrix_power(-2), np.linalg.matrix_power(s, -2))
    same(flow.kron(X, x), np.kron(A, s))
    same(X.cross(X * X, 1), np.cross(A, A * A))
    for ord in (None, "fro", 1, -1, np.inf, -np.inf):
        same(flow.linalg.norm(x, ord), np.linalg.norm(s, ord))
    stack = np.stack([s, s @ s])
    same(flow.linalg.inv(flow.tensor(stack)), np.linalg.inv(stack))
    same(flow.linalg.det(flow.tensor(stack)), np.linalg.det(stack))
    same(flow.linalg.solve(x, flow.tensor(A.T)), np.linalg.solve(s, A.T))
    with pytest.raises(RuntimeError, match=r"[Ss]ingular"):
        flow.linalg.inv(flow.zeros(2, 2))
    with pytest.raises(RuntimeError, match="square matrices"):
        flow.linalg.det(X)
    assert np.isnan(flow.logdet(flow.tensor([[0.0, 1.0], [1.0, 0.0]])).item())


def test_named_results():
    made = flow.tensor([2.0, 1.0]).topk(1)
    assert repr(made) == (
        "srcgrad.return_types.topk(\nvalues=tensor([2.], dtype=srcgrad.float32),\n"
        "indices=tensor([0], dtype=srcgrad.int64))"
    )
    assert made.values is made[0] and flow.tensor([2, 1]).min(0).indices.item() == 1


def test_places_are_checked():
    with pytest.raises(RuntimeError, match="out of bounds"):
        X.scatter(1, flow.tensor([[3]]), 1.0)
    with pytest.raises(IndexError):
        X.index_add(0, flow.tensor([2]), X[:1])
    with pytest.raises(IndexError):
        X.take(flow.tensor([6]))
    with pytest.raises(RuntimeError, match="same dtype"):
        X.scatter(1, flow.tensor([[0]]), flow.ones(1, 1))
    with pytest.raises(IndexError, match="out of bounds"):
        F.cross_entropy(X, flow.tensor([0, 3]))
    with pytest.raises(ValueError, match="batch_size"):
        F.cross_entropy(X, flow.tensor([0]))
    with pytest.raises(ValueError, match="reduction"):
        F.mse_loss(X, X, "most")


IN_PLACE = {
    "cumprod_": lambda x: x.cumprod_(1), "addcmul_": lambda x: x.addcmul_(x, x),
    "scatter_": lambda x: x.scatter_(1, flow.tensor([[0], [2]]), 5.0), "t_": lambda x: x.t_(),
    "masked_scatter_": lambda x: x.masked_scatter_(x > 0, x.clone() ** 2),
    "round_": lambda x: x.round_(),
    "index_add_": lambda x: x.index_add_(0, flow.tensor([0]), x[1:] * 2),
    "fill_diagonal_": lambda x: x.fill_diagonal_(2.0), "unsqueeze_": lambda x: x.unsqueeze_(1),
    "logit_": lambda x: x.sigmoid_().logit_(), "squeeze_": lambda x: x.squeeze_(),
}  # fmt: skip


@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place_is_out_of_place_and_a_copy(name):
    f = IN_PLACE[name]

    def gradient(change):
        x = flow.tensor(A, requires_grad=True)
        y = x * 1.5
        z = change(y)
        (z * z).sum().backward()
        return z, y, x.grad

    z, y, g = gradient(f)
    assert z is y
    want, _, g_want = gradient(lambda y: f(y.clone()))
    same(z.detach(), want.detach().numpy())
    same(g, g_want.numpy())


def test_what_is_filled_depends_on_nothing_but_stays_in_the_graph():
    x = flow.ones(2, requires_grad=True)
    y = (x * 2.0).fill_(3.0)
    assert y.requires_grad
    (y * y).sum().backward()
    assert x.grad.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("name", ["relu", "elu", "leaky_relu", "hardtanh", "relu6", "silu", "mish"])
def test_activations_in_place(name):
    x = flow.tensor(A, requires_grad=True)
    y = x * 1.5
    assert getattr(F, name)(y, inplace=True) is y
    same(y.detach(), getattr(F, name)(x.detach() * 1.5).numpy())
    y.sum().backward()
    want = x.grad.numpy()
    x.grad = None
    getattr(F, name)(x * 1.5).sum().backward()
    same(x.grad, want)


def test_a_form_in_place_is_refused_where_views_would_lose_their_meaning():
    x = flow.ones(2, 3)
    row = x[0]
    with pytest.raises(RuntimeError, match="has views"):
        x.t_()
    del row
    assert x.t_().shape == (3, 2)


def test_chance_is_seeded_and_drops_what_it_should():
    flow.manual_seed(3)
    one = flow.empty(1000).normal_(2.0, 0.5)
    flow.manual_seed(3)
    assert flow.equal(one, flow.empty(1000).normal_(2.0, 0.5))
    assert 1.9 < one.mean().item() < 2.1
    x = flow.ones(1000, requires_grad=True)
    y = F.dropout(x, 0.25)
    kept = y.detach().numpy() != 0
    assert 600 < kept.sum() < 900
    np.testing.assert_allclose(y.detach().numpy()[kept], 1 / 0.75, rtol=1e-6)
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy() != 0, kept)
    assert F.dropout(x, 0.25, training=False) is x
    assert flow.bernoulli(flow.tensor([0.0, 1.0])).tolist() == [0.0, 1.0]
    assert flow.multinomial(flow.tensor([0.0, 1.0, 0.0]), 4, True).tolist() == [1] * 4
    assert set(flow.empty(100).random_(3).tolist()) == {0.0, 1.0, 2.0}


def test_saving_keeps_values_and_what_is_trained(tmp_path):
    w = flow.nn.Parameter(flow.tensor([1.0, 2.0]))
    flow.save({"w": w, "n": 3}, tmp_path / "state")
    back = flow.load(tmp_path / "state")
    assert back["n"] == 3 and back["w"].tolist() == [1.0, 2.0] and back["w"].requires_grad
    with pytest.raises(RuntimeError, match="detach"):
        flow.save(w * 2, io.BytesIO())


def test_dtypes():
    assert flow.result_type(flow.ones(2), flow.ones(2, dtype=flow.float64)) is flow.float64
    assert flow.promote_types(flow.int32, flow.float16) is flow.float16
    assert flow.can_cast(flow.float64, flow.float32) and not flow.can_cast(flow.float32, flow.int64)
    assert flow.finfo(flow.float32).eps == np.finfo(np.float32).eps
    assert flow.iinfo(flow.int16).max == 32767
    assert X.new_full((2,), 3).dtype is flow.float64
    assert flow.broadcast_shapes((2, 1), (3,)) == (2, 3)


REFUSED = {
    "zero_quotient": (lambda: flow.tensor([7]) // 0, RuntimeError, "ZeroDivisionError"),
    "zero_remainder": (lambda: flow.tensor([7]) % flow.tensor([0]), RuntimeError, "ZeroDivision"),
    "overflow": (lambda: flow.tensor(300, dtype=flow.uint8), RuntimeError, "without overflow"),
    "too_large": (lambda: flow.tensor(2**70), ValueError, "64 bits"),
    "step_sign": (lambda: flow.arange(0, 5, -1), RuntimeError, "inconsistent with step sign"),
    "no_range": (lambda: flow.randint(5, 5, (2,)), RuntimeError, "from=5 >= to=5"),
    "integer_chance": (lambda: flow.rand(2, dtype=flow.int64), NotImplementedError, "uniform"),
    "narrow": (lambda: X.narrow(1, 2, 2), RuntimeError, "exceeds dimension size"),
    "gather": (lambda: X.gather(1, flow.tensor([[5]])), RuntimeError, "out of bounds"),
    "condition": (lambda: flow.where(X, X, X), RuntimeError, "boolean tensor"),
    "trace": (lambda: flow.trace(X[0]), RuntimeError, "expected a matrix"),
    "outer": (lambda: flow.outer(X, X[0]), RuntimeError, "Expected 1-D"),
    "tril": (lambda: X[0].tril(), RuntimeError, "at least 2 dimensions"),
    "split": (lambda: X.split(0), RuntimeError, "split_size can only be 0"),
    "invert": (lambda: ~X, TypeError, "integer and Boolean"),
    "argmax": (lambda: flow.tensor([]).argmax(), IndexError, "reduction dim"),
    "max": (lambda: flow.tensor([]).max(), RuntimeError, "reduction dim"),
    "softmax": (lambda: flow.tensor([1]).softmax(0), NotImplementedError, "softmax"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    call, error, text = REFUSED[name]
    with pytest.raises(error, match=text):
        call()


def test_the_determinant_of_nothing():
    x = flow.zeros(0, 0, dtype=flow.float64).requires_grad_()
    y = flow.linalg.det(x)
    y.backward()
    assert y.item() == 1.0 and x.grad.shape == (0, 0)
