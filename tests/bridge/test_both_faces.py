"""One function, both faces: called eagerly, and compiled as one node, it has the same gradients."""

import numpy as np
import pytest

import srcgrad as flow

rng = np.random.default_rng(0)
TOLERANCE = 1e-12


def smooth(x, w):
    return (flow.tanh(x * w) / (1.0 + x * x) + flow.exp(-w) * flow.sqrt(x) - x.log() ** 2).sum()


def by_operators(x, w):
    return ((x - w) ** 3 / (x + w) * 0.5 - x * 2.0).sum()


def layers(x, w):
    hidden = flow.relu(x @ w - 0.3)
    return (hidden.sigmoid() * hidden).mean()


def along_dims(x, w):
    y = x * w
    return (y.sum(dim=0) * y.mean(dim=0, keepdim=True)).sum() + flow.sum(y, dim=1).square().sum()


def extrema(x, w):
    return flow.max(x * w) * flow.min(x) + flow.maximum(x, w).sum()


def choices(x, w):
    return flow.where(x > 0.5, x * w, w.exp()).sum()


def joined(x, w):
    y = flow.cat([x, w], dim=0)
    z = flow.stack([x, w], dim=0)
    return (y * y).sum() + (z[0] * z[1]).cumsum(dim=0).sum()


def shapes(x, w):
    y = x.reshape(-1) * w.T.reshape(-1)
    return (y[1:] * y[:-1]).sum() + x.unsqueeze(0).squeeze(0).abs().sum()


def in_a_loop(x, w):
    s = x[0]
    for k in range(4):
        s = flow.sin(s * w[k % 3]) + k
    return (s * s).sum()


def on_a_branch(x, w):
    y = x * w
    while y.sum() < 20.0:
        y = y * 1.5
    if y.sum() > 25.0:
        return (y * x).sum()
    return y.pow(2).sum()


FUNCTIONS = (
    smooth, by_operators, layers, along_dims, extrema, choices, joined, shapes, in_a_loop,
    on_a_branch,
)  # fmt: skip


def leaves(dtype=np.float64):
    made = [rng.uniform(0.2, 1.5, (3, 3)).astype(dtype) for _ in range(2)]
    return [[flow.tensor(a, requires_grad=True) for a in made] for _ in range(2)]


def agree(one, other, tolerance=TOLERANCE):
    a, b = one.detach().numpy(), other.detach().numpy()
    assert a.shape == b.shape and a.dtype == b.dtype
    np.testing.assert_allclose(a, b, tolerance, tolerance * np.max(np.abs(b), initial=0.0))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_first_and_second_order(function):
    compiled = flow.compile(function, target="python")
    ours, theirs = leaves()
    one, other = compiled(*ours), function(*theirs)
    agree(one, other)
    first = flow.autograd.grad(one, ours, create_graph=True)
    second = flow.autograd.grad(other, theirs, create_graph=True)
    for a, b in zip(first, second, strict=True):
        agree(a, b)
    weights = [flow.tensor(rng.normal(size=(3, 3))) for _ in ours]
    total = sum((g * v).sum() for g, v in zip(first, weights, strict=True))
    want = sum((g * v).sum() for g, v in zip(second, weights, strict=True))
    twice = flow.autograd.grad(total, ours, allow_unused=True)
    expected = flow.autograd.grad(want, theirs, allow_unused=True)
    for a, b in zip(twice, expected, strict=True):
        zeros = flow.zeros(3, 3, dtype=flow.float64)
        agree(zeros if a is None else a, zeros if b is None else b, 1e-11)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_float32_stays(function):
    ours, theirs = leaves(np.float32)
    one, other = flow.compile(function, target="python")(*ours), function(*theirs)
    one.backward()
    other.backward()
    assert one.dtype == flow.float32
    for a, b in zip(ours, theirs, strict=True):
        agree(a.grad, b.grad, 1e-4)


@pytest.mark.parametrize("function", (smooth, layers), ids=lambda f: f.__name__)
def test_on_the_cpu(function):
    ours, theirs = leaves()
    one, other = flow.compile(function)(*ours), function(*theirs)
    one.backward()
    other.backward()
    agree(one, other)
    for a, b in zip(ours, theirs, strict=True):
        agree(a.grad, b.grad)


def test_transforms_give_tensors():
    (x, w), (x2, w2) = leaves()
    by_x, by_w = flow.grad(flow.compile(smooth, target="python"), (0, 1))(x, w)
    want = flow.autograd.grad(smooth(x2, w2), (x2, w2))
    agree(by_x, want[0])
    agree(by_w, want[1])
