"""`pinv` and `lstsq` with a bound that leaves out singular values: a function of these values.

What is left out turns with the matrix, so it has its part in the derivative; the rule for matrices
whose rank stays the same does not see it.
"""

import numpy as np
import pytest
from scipy import linalg

import srcgrad as flow
from srcgrad.testing import gradcheck

DRAW = np.random.default_rng(0)
MATRICES = {
    "wide": DRAW.normal(size=(3, 4)), "tall": DRAW.normal(size=(4, 3)),
    "square": DRAW.normal(size=(3, 3)), "equal, kept": np.diag([4.0, 4.0, 1.0]),
    "equal, left out": np.diag([4.0, 1.0, 1.0]), "a stack": DRAW.normal(size=(2, 3, 4)),
    "complex": DRAW.normal(size=(3, 4)) + 1j * DRAW.normal(size=(3, 4)),
}  # fmt: skip
CALLS = {
    "np.linalg.pinv, rcond": lambda a, b, r: np.linalg.pinv(a, r),
    "np.linalg.pinv, rtol": lambda a, b, r: np.linalg.pinv(a, rtol=0.5),
    "scipy.linalg.pinv": lambda a, b, r: linalg.pinv(a, rtol=r),
    "np.linalg.lstsq": lambda a, b, r: np.linalg.lstsq(a, b, r)[0],
    "np.linalg.lstsq, a known bound": lambda a, b, r: np.linalg.lstsq(a, b, rcond=0.5)[0],
    "scipy.linalg.lstsq": lambda a, b, r: linalg.lstsq(a, b, cond=r)[0],
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("target", ["python", "cpu"])
def test_what_is_left_out_has_its_part_in_the_derivative(call, matrix, target):
    f, a = CALLS[call], MATRICES[matrix]
    if a.ndim > 2 and "lstsq" in call:
        f = CALLS["np.linalg.pinv, rcond"]
    b = DRAW.normal(size=(a.shape[-2], 2))

    def loss(a, b):
        x = f(a, b, 0.5)
        return np.sum(np.sin(np.real(x)) + np.cos(np.imag(x)))

    np.testing.assert_allclose(flow.compile(f, target=target)(a, b, 0.5), f(a, b, 0.5), atol=1e-12)
    gradcheck(loss, (a, b), target=target)


def test_a_bound_of_rounding_leaves_the_rule_for_one_rank():
    def of_rank_one(a):
        return np.linalg.pinv(a, 1e-12), np.linalg.pinv(a), np.linalg.pinv(a, rtol=None)

    gradients = [
        flow.grad(flow.compile(lambda a, k=k: np.sum(of_rank_one(a)[k]), target="python"))(
            np.outer([1.0, 2.0], [3.0, 1.0])
        )
        for k in range(3)
    ]
    np.testing.assert_allclose(gradients[0], gradients[1], rtol=1e-12)
    np.testing.assert_allclose(gradients[0], gradients[2], rtol=1e-12)


def test_lengths_decide_whether_a_bound_is_one_of_rounding():
    def f(a):
        return np.sum(np.linalg.pinv(a, a.shape[0] * np.finfo(float).eps))

    text = flow.compile(f, target="python").source("primal", np.ones((3, 2)))
    assert "pinv(" in text and "svd(" not in text
