"""Decompositions of tensors: NumPy's functions, compiled; gradients against differences."""

import numpy as np
import pytest

import srcgrad as flow

MATRIX = np.array([[2.0, 0.5, 0.1], [0.5, 1.0, 0.2], [0.1, 0.2, 3.0]])
DECOMPOSITIONS = [
    (lambda x: (flow.linalg.eigh(x).eigenvalues ** 3).sum(), MATRIX),
    (lambda x: (flow.linalg.eigh(x).eigenvectors ** 4).sum(), MATRIX),
    (lambda x: (flow.linalg.eigvalsh(x) ** 2).sum(), MATRIX),
    (lambda x: (flow.linalg.svd(x, False).U ** 4).sum(), MATRIX[:, :2]),
    (lambda x: (flow.linalg.svd(x).S ** 3).sum(), MATRIX),
    (lambda x: (flow.linalg.svdvals(x) ** 3).sum(), MATRIX[:2]),
    (lambda x: (flow.linalg.qr(x).R ** 3).sum(), MATRIX),
]


@pytest.mark.parametrize("k", range(len(DECOMPOSITIONS)))
def test_decompositions(k):
    """Gradients against differences, of the tape and compiled."""
    f, a = DECOMPOSITIONS[k]
    x = flow.tensor(a, requires_grad=True)
    f(x).backward()
    direction = np.random.default_rng(k).normal(size=a.shape)
    h = 1e-6
    ends = [f(flow.tensor(a + s * h * direction)).item() for s in (1, -1)]
    slope = (ends[0] - ends[1]) / (2 * h)
    assert (x.grad.numpy() * direction).sum() == pytest.approx(slope, rel=1e-6, abs=1e-8)
    made = flow.grad(flow.compile(f))(flow.tensor(a))
    np.testing.assert_allclose(made.numpy(), x.grad.numpy(), rtol=1e-9, atol=1e-12)
