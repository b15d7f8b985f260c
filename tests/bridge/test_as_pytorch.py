"""Programs on tensors that mean in PyTorch what NumPy's mean otherwise: values, dtypes, gradients.

Each is run by PyTorch, on the tape, and compiled.
"""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad import nn

torch = pytest.importorskip("torch")
CUBE = np.sin(np.arange(24.0)).reshape(2, 3, 4)
ROWS, TURNED = np.array([0, 1]), np.array([1, 0])
SINGLES = np.array([1.5, -2.0], np.float32)
BYTES, WHOLE = np.array([3, 200], np.uint8), np.array([3, -2])
EDGES = np.array([-np.inf, -30.0, -3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0, 6.0, 30.0, np.nan])
SURE, SAID = np.array([0.0, 1.0, 0.0, 1.0, 0.5, 1e-30]), np.array([0.0, 0.0, 1.0, 1.0, 1.0, 1.0])
TABLE, IGNORED = CUBE[0], np.full(3, -100)
MASK = np.array([True, False, True])


def programs(T, F):
    """By name: a function of tensors, and its arguments."""

    def put_first_row(x, v):
        y = x * 1.0
        y[1] = v[:1]
        return y * y

    def put_element(x, v):
        y = x * 1.0
        y[0, 1, 2] = v[:1]
        return y * y

    def put_many_ones(x, v, i):
        y = x * 1.0
        y[i, :, 1] = v[None, None, None]
        return y * y

    def put_between(x, v, i):
        y = x * 1.0
        y[0, :, i] = v[:, None]
        y[1, 1:, i] += v[1:, None]
        return y * y

    def at_ends(p, t):
        return F.binary_cross_entropy(p, t.detach(), reduction="none")

    def weighted(p, w, t):
        smooth = F.cross_entropy(p, t, w.detach(), label_smoothing=0.1)
        return F.nll_loss(p, t, w.detach()) + smooth

    v = np.array([0.5, -1.5, 2.0])
    return {
        "an int, a slice, an array": (lambda x, i: x[0, :, i], CUBE, ROWS),
        "an int, a new dim, a mask": (lambda x, m: x[-1, None, m], CUBE, MASK),
        "an array, a slice, an int": (lambda x, i: x[i, :, 1], CUBE, ROWS),
        "an int between arrays": (lambda x, i, j: x[i, 0, j], CUBE, ROWS, TURNED),
        "arrays apart": (lambda x, i, j: x[i, :, j], CUBE, ROWS, TURNED),
        "an int after a slice": (lambda x, i: x[:, 0, i], CUBE, ROWS),
        "a slice, an array, ..., an int": (lambda x, i: x[0:1, i, ..., 1], CUBE, ROWS),
        "a row of one dim too many": (put_first_row, CUBE[0, :, :3].copy(), CUBE[0, :, :3].copy()),
        "an element of one dim": (put_element, CUBE, v),
        "leading ones at an array": (put_many_ones, CUBE, v, ROWS),
        "a store at an int and an array": (put_between, CUBE, v, ROWS),
        "angles of integers": (lambda x, y: T.atan2(x, y), WHOLE, TURNED),
        "signs of integers": (lambda x, y: T.copysign(x, y), WHOLE, TURNED - 1),
        "integers and a float": (lambda x: x * 2.5, WHOLE),
        "integers and NumPy's float": (lambda x: x * np.float64(2.5), WHOLE),
        "a quotient of integers": (lambda x, y: x / (y + 1), WHOLE, TURNED),
        "a power of integers": (lambda x: x**0.5, ROWS),
        "bounds of integers": (lambda x: x.clamp(min=0.5), WHOLE),
        "singles and integers": (lambda x, y: x * y - 2, SINGLES, WHOLE),
        "singles and a double without dims": (lambda x, y: x + y, SINGLES, np.array(2.5)),
        "a sum of integers and a length": (lambda x: x.sum() / len(x), WHOLE),
        "truths and a float": (lambda x: (x > 0) * 2.5, WHOLE),
        "a scaled byte": (lambda x, y: T.add(x, y, alpha=2), ROWS * 1.5, BYTES),
        "a logarithm in the wider dtype": (
            lambda x, y: T.xlogy(x, y),
            np.arange(3, dtype=np.float32),
            np.array(2.5),
        ),
        "a sum of bytes": (lambda x: x.sum(0), BYTES),
        "a product of bytes": (lambda x: x.prod(), BYTES),
        "rounded integers": (lambda x: x.round(), WHOLE),
        "logsumexp of bytes": (lambda x: T.logsumexp(x, 0), BYTES),
        "nansum of integers": (lambda x: x.nansum(), WHOLE),
        "order of one": (lambda x: x.sort().values + x.argsort(), np.array(2.5)),
        "the greatest of one": (lambda x: x.max() * 1, np.array(2.5)),
        "relu6": (lambda x: F.relu6(x), EDGES),
        "hardtanh": (lambda x: F.hardtanh(x, -0.5, 0.5), EDGES),
        "hardshrink": (F.hardshrink, EDGES),
        "softshrink": (F.softshrink, EDGES),
        "threshold": (lambda x: F.threshold(x, 0.5, 7.0), EDGES),
        "logsigmoid": (F.logsigmoid, EDGES[1:]),
        "probabilities of 0 and 1": (at_ends, SURE, SAID),
        "classes that are all ignored": (
            lambda x, t: F.nll_loss(x, t) + F.cross_entropy(x, t, label_smoothing=0.1),
            TABLE,
            IGNORED,
        ),
        "weights of classes": (weighted, TABLE, np.arange(4.0), np.array([1, -100, 3])),
        "the norm of none": (
            lambda x: (x * 1.0).norm(p=3, dim=1),
            TABLE * np.array([[0], [1], [2]]),
        ),
        "the least norm": (lambda x: x.norm(float("-inf"), 1), TABLE),
        "the number of others than zero": (lambda x: x.norm(0, 1) + x[:, 0], np.round(TABLE)),
        "rows": (lambda w, i: F.embedding(i, w, padding_idx=-2), TABLE, np.array([[0, 2], [1, 1]])),
    }


OURS, THEIRS = programs(flow, nn.functional), programs(torch, torch.nn.functional)


def tensors(make, arrays):
    made = [make(a) if isinstance(a, np.ndarray) else a for a in arrays]
    for t, a in zip(made, arrays, strict=True):
        if isinstance(a, np.ndarray) and a.dtype.kind == "f":
            t.requires_grad_()
    return made


def results(f, make, arrays):
    """The value, and the gradients of a weighted sum of it."""
    inputs = tensors(make, arrays)
    y = f(*inputs)
    if y.requires_grad:
        weights = np.cos(np.arange(y.numel())).reshape(tuple(y.shape))
        (y * make(weights.astype(str(y.dtype).split(".")[1]))).sum().backward()
    reached = [t for t in inputs if getattr(t, "grad", None) is not None]
    return [y.detach().numpy(), *(t.grad.numpy() for t in reached)]


@pytest.mark.parametrize("way", ["eager", "compiled"])
@pytest.mark.parametrize("name", OURS)
def test_as_pytorch(name, way):
    (f, *arrays), (theirs, *_) = OURS[name], THEIRS[name]
    ours = flow.compile(f, target="python") if way == "compiled" else f
    want = results(theirs, lambda a: torch.from_numpy(a.copy()), arrays)
    for got, w in zip(results(ours, flow.tensor, arrays), want, strict=True):
        assert (got.dtype, got.shape) == (w.dtype, w.shape)
        np.testing.assert_allclose(got, w, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("way", ["eager", "compiled"])
@pytest.mark.parametrize(
    ("refused", "arguments", "kind"),
    [
        (lambda i, w: nn.functional.embedding(i, w), ([-1], TABLE), IndexError),
        (lambda i, w: nn.functional.embedding(i, w), ([3], TABLE), IndexError),
        (lambda x, y: nn.functional.huber_loss(x, y, delta=0.0), (TABLE, TABLE), RuntimeError),
        (lambda x, y: flow.add(x, y, alpha=0.5), (WHOLE, WHOLE), RuntimeError),
        (lambda x, y: nn.functional.smooth_l1_loss(x, y, beta=-1.0), (TABLE, TABLE), RuntimeError),
    ],
)  # fmt: skip
def test_refused_as_by_pytorch(refused, arguments, kind, way):
    f = flow.compile(refused, target="python") if way == "compiled" else refused
    with pytest.raises(kind):
        f(*map(flow.tensor, arguments))


def test_a_row_for_padding():
    table = nn.Embedding(4, 2, padding_idx=-1)
    assert table.weight[3].tolist() == [0.0, 0.0] and table.padding_idx == 3
    table(flow.tensor([3, 1])).sum().backward()
    assert table.weight.grad.tolist() == [[0.0] * 2, [1.0] * 2, [0.0] * 2, [0.0] * 2]
    with pytest.raises(ValueError, match="within num_embeddings"):
        nn.Embedding(4, 2, padding_idx=4)
