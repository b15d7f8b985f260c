"""Roots of polynomials, eigenvalues of complex matrices, logarithms of matrices."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import srcgrad as flow
from tests.autodiff.test_complex_decompositions import differences

RNG = np.random.default_rng(3)
WEIGHTS = np.array([0.4, -1.1, 0.7])
A = RNG.normal(size=(3, 3))
POSITIVE = A @ A.T + 2.0 * np.eye(3)


def of_roots(p):
    return np.sum(np.abs(np.roots(p) - 1.0) ** 2 * WEIGHTS[: len(p) - 1])


def of_eigenvalues(a):
    return np.sum(np.abs(np.linalg.eigvals(a) - 0.3) ** 2 * WEIGHTS)


def logarithm(a):
    made = scipy.linalg.logm(a)
    return np.sum((made * WEIGHTS).real) + np.sum((made * np.conj(made)).real)


CASES: list[tuple[Callable, Any]] = [
    (of_roots, np.array([1.0, -6.2, 11.3, -6.1])), (of_roots, np.array([2.0, -3.0])),
    (of_roots, np.array([1.0, 2.0 + 0.5j, 3.0, 4.0 - 0.7j])), (of_eigenvalues, A + 1j * A.T),
    (logarithm, POSITIVE + 0.3 * A), (logarithm, np.eye(3)), (logarithm, POSITIVE + 1j * A),
    (logarithm, np.array([[2.0, 1.0, 0.0], [0.0, 2.0, 1.0], [0.0, 0.0, 2.0]])),
]  # fmt: skip


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize(("f", "at"), CASES)
def test_derivatives(f: Callable, at: np.ndarray, target: str):
    compiled = flow.compile(f, target=target)
    gradient = flow.grad(compiled)
    assert compiled(at) == pytest.approx(f(at), rel=1e-11)
    np.testing.assert_allclose(gradient(at), differences(f, at), atol=1e-6)
    t = RNG.normal(size=at.shape) + (1j * RNG.normal(size=at.shape) if at.dtype.kind == "c" else 0)
    forward = flow.jvp(compiled, (at,), (t,))[1]
    assert forward == pytest.approx(np.real(np.sum(np.conj(gradient(at)) * t)), rel=1e-9)
    if target == "python":
        second = flow.jvp(gradient, (at,), (t,))[1]
        slope = (gradient(at + 1e-6 * t) - gradient(at - 1e-6 * t)) / 2e-6
        np.testing.assert_allclose(second, slope, atol=1e-6 * (1.0 + np.abs(slope).max()))


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_a_root_at_zero_moves(target: str):
    """Its coefficient of 0 is not dropped: the derivative of the root is -1 / p'(0)."""
    f = flow.compile(lambda p: np.min(np.abs(np.roots(p) + 1.0)), target=target)
    np.testing.assert_allclose(
        flow.grad(f)(np.array([1.0, -3.0, 0.0])), [0.0, 0.0, 1.0 / 3.0], atol=1e-12
    )


def test_what_is_refused():
    f = flow.compile(lambda p: np.sum(np.roots(p)), target="python")
    with pytest.raises(NotImplementedError, match="leading coefficient of 0"):
        f(np.array([0.0, 1.0, 1.0]))
    with pytest.raises(np.linalg.LinAlgError, match="no logarithm of its kind"):
        flow.compile(lambda a: np.sum(scipy.linalg.logm(a)), target="python")(-POSITIVE)
    assert flow.compile(lambda p: np.roots(p), target="python")(np.ones(1)).shape == (0,)


def test_stacks_of_logarithms():
    a = np.stack([POSITIVE, np.eye(3)])
    got = flow.compile(lambda a: scipy.linalg.logm(a), target="python")(a)
    np.testing.assert_allclose(got[0], scipy.linalg.logm(POSITIVE), atol=1e-13)
    np.testing.assert_allclose(got[1], np.zeros((3, 3)), atol=1e-15)
