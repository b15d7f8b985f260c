"""Rounding and signs of complex numbers, as NumPy has them."""

import numpy as np
import pytest

import srcgrad as flow

INF, NAN = np.inf, np.nan
Z = np.array(
    [complex(a, b) for a in (0.0, 3.0, -1.26, INF, -INF, NAN) for b in (0.0, -4.5, 2.344, INF, NAN)]
)


def rounded(z):
    return np.rint(z), np.round(z, 1), np.round(z, -1), z.round(2)


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_values(target, dtype):
    z = Z.astype(dtype)
    with np.errstate(all="ignore"):
        want = (*rounded(z), np.sign(z))
        got = flow.compile(lambda z: (*rounded(z), np.sign(z)), target=target)(z)
    for a, b in zip(got, want, strict=True):
        assert a.dtype == b.dtype == dtype
        np.testing.assert_array_equal(np.isnan(a), np.isnan(b))
        np.testing.assert_allclose(np.nan_to_num(a), np.nan_to_num(b), rtol=1e-6)
    assert flow.compile(lambda z: np.sign(z), target=target)(3 + 4j) == 0.6 + 0.8j


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_the_derivative_of_a_direction(target):
    f = flow.compile(lambda z: np.sign(z).real * 2.0 + np.sign(z).imag, target=target)
    z, h = 1.5 - 0.7j, 1e-6
    slopes = [(f(z + h * d) - f(z - h * d)) / (2 * h) for d in (1.0, 1j)]
    g = flow.grad(f)(z)
    np.testing.assert_allclose([g.real, abs(g.imag)], [slopes[0], abs(slopes[1])], rtol=1e-7)
    along = [flow.jvp(f, (z,), (d,))[1] for d in (1.0 + 0j, 1j)]
    np.testing.assert_allclose(along, slopes, rtol=1e-7)
    assert flow.grad(lambda z: np.sign(z).real)(0j) == 0.0
    np.testing.assert_array_equal(
        flow.grad(lambda z: np.sum(np.rint(z).real) * 0.0 + z[0].real)(Z[6:8]), [1.0, 0.0]
    )
