"""`np.poly` of complex zeros, whose coefficients are real where these are conjugate pairs."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.testing import gradcheck

ZEROS = {
    "pairs": np.array([1.0 + 2.0j, 3.0, 1.0 - 2.0j]),
    "no pairs": np.array([1.0 + 2.0j, 1.0 - 3.0j]),
    "one zero twice": np.array([1.0 + 2.0j, 1.0 + 2.0j, 1.0 - 2.0j]),
    "real ones": np.array([1.0 + 0.0j, 2.0]), "NaN": np.array([np.nan + 1.0j, 1.0]),
    "single precision": np.array([1.0 + 2.0j, 1.0 - 2.0j], "c8"),
}  # fmt: skip


@pytest.mark.parametrize("name", ZEROS)
@pytest.mark.parametrize("target", ["python", "cpu"])
def test_a_polynomial_by_complex_zeros(name, target):
    got, want = flow.compile(np.poly, target=target)(ZEROS[name]), np.poly(ZEROS[name])
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=1e-6 if got.dtype == "f4" else 1e-12)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_its_gradient(target):
    def by_zeros(z):
        p = np.poly(z)
        return np.sum(np.sin(np.real(p)) + np.cos(np.imag(p)))

    def by_coefficients(c):  # whose complex zeros are pairs
        return np.sum(np.sin(np.poly(np.roots(c))))

    gradcheck(by_zeros, (ZEROS["no pairs"],), target=target)
    gradcheck(by_coefficients, (np.array([1.0, 0.5, 2.0]),), target=target)
