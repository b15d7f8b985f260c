"""Functions of matrices beyond their formulas: kinds, bounds, and matrices that are none."""

import numpy as np
import pytest
from scipy import linalg

import srcgrad as flow
from srcgrad.testing import gradcheck

DRAW = np.random.default_rng(1)
C = DRAW.normal(size=3) + 1j * DRAW.normal(size=3)
A = DRAW.normal(size=(3, 3)) + 3.0 * np.eye(3)
S = A @ A.T
VALUES = {
    "toeplitz of one complex vector": (linalg.toeplitz, C),
    "toeplitz of one vector": (linalg.toeplitz, C.real),
    "the permutation of a complex LU": (lambda a: linalg.lu(a)[0], A + 1j),
    "of a complex LU in single precision": (lambda a: linalg.lu(a)[0], (A + 1j).astype("c8")),
    "the triangle as it was said": (lambda a: linalg.cho_factor(a, lower=1)[1], S),
    "residues of a full rank": (lambda a: linalg.lstsq(a[:, :2], a[:, 2]), A),
    "residues of no rows to spare": (lambda a: linalg.lstsq(a, a[:, 0]), A),
    "a vector among the eigenvalues": (lambda a: linalg.eigvalsh(a, subset_by_index=[1, 1]), S),
    "conditions of no matrices": (np.linalg.cond, np.zeros((0, 3, 3))),
    "conditions of no matrices, of order 1": (lambda a: np.linalg.cond(a, 1), np.zeros((0, 3, 3))),
    "a norm of a number": (np.linalg.vector_norm, np.array(-2.0)),
}
ERRORS = {
    "no such eigenvalue": (lambda a: linalg.eigvalsh(a, subset_by_index=(1, 3)), ValueError),
    "the last before the first": (lambda a: linalg.eigvalsh(a, subset_by_index=(1, 0)), ValueError),
    "a negative one": (lambda a: linalg.eigh(a, subset_by_index=(-1, 0)), ValueError),
    "an axis of a number": (
        lambda a: np.linalg.vector_norm(a[0, 0], axis=0), np.exceptions.AxisError,
    ),
    "a condition of an empty matrix": (lambda a: np.linalg.cond(a[:0, :0]), np.linalg.LinAlgError),
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("target", ["python", "cpu"])
def test_values(name, target):
    f, a = VALUES[name]
    got, want = flow.compile(f, target=target)(a), f(a)
    got, want = (x if isinstance(x, tuple) else (x,) for x in (got, want))
    for x, y in zip(got, want, strict=True):
        assert (np.shape(x), np.asarray(x).dtype) == (np.shape(y), np.asarray(y).dtype)
        np.testing.assert_allclose(x, y, rtol=1e-6 if np.asarray(y).dtype == "f4" else 1e-10)


@pytest.mark.parametrize("name", ERRORS)
@pytest.mark.parametrize("target", ["python", "cpu"])
def test_errors(name, target):
    f, error = ERRORS[name]
    for call in (f, flow.compile(f, target=target)):
        with pytest.raises(error):
            call(S)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_gradients(target):
    def toeplitz(c):
        t = linalg.toeplitz(c)
        return np.sum(np.sin(np.real(t)) + np.cos(np.imag(t)))

    def residues(a):
        return np.sum(np.sin(linalg.lstsq(a[:, :2], a[:, 2])[1]))

    gradcheck(toeplitz, (C,), target=target)
    gradcheck(residues, (A,), target=target)


@pytest.mark.parametrize("dtype", ["f4", "c8"])
def test_logarithms_of_single_precision_have_the_dtype_of_the_library(dtype):
    got = flow.compile(linalg.logm, target="python")(S.astype(dtype))
    want = linalg.logm(S.astype(dtype))
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


FLAGS = {
    "None": lambda a: linalg.cholesky(a, lower=None),
    "a text": lambda a: linalg.cholesky(a, lower="yes"),
    "a float": lambda a: linalg.eig(a, left=0.0)[0],
    "None, of NumPy": lambda a: np.linalg.svd(a, compute_uv=None),
    "a float, of NumPy": lambda a: np.linalg.pinv(a, hermitian=0.5),
}


@pytest.mark.parametrize("name", FLAGS)
def test_a_flag_is_what_its_truth_is(name):
    f = FLAGS[name]
    np.testing.assert_allclose(flow.compile(f, target="python")(S), f(S), rtol=1e-10)
