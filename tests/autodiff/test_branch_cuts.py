"""On a branch cut a derivative is that of the side where the value is, by the sign of a zero."""

from typing import Any

import numpy as np
import pytest

import srcgrad as flow
from tests.tools.oracles import assert_close

NAMES = ("sqrt", "log", "log2", "log10", "log1p", "arcsin", "arccos", "arctan",
         "arcsinh", "arccosh", "arctanh")  # fmt: skip
PLACES = np.array([-1.7, -0.4, 0.3, 1.6])


def points(along: complex, zero: float) -> np.ndarray:
    """Points of an axis, with a zero of that sign as the other part."""
    z = np.zeros(PLACES.shape, complex)
    mine, other = (z.real, z.imag) if along == 1.0 else (z.imag, z.real)
    mine[:], other[:] = PLACES, zero
    return z


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("zero", [0.0, -0.0])
@pytest.mark.parametrize("along", [1.0, 1.0j])
@pytest.mark.parametrize("name", NAMES)
def test_a_derivative_along_a_cut(name: str, along: complex, zero: float, target: str):
    f = getattr(np, name)

    def loss(z: Any) -> Any:
        w = f(z)
        return np.sum(1.3 * np.real(w) + 0.7 * np.imag(w))

    def moved(h: float) -> np.ndarray:
        z = points(along, zero)
        part = z.real if along == 1.0 else z.imag
        part += h
        return f(z)

    got = flow.grad(flow.compile(loss, target=target))(points(along, zero))
    slope = (moved(1e-6) - moved(-1e-6)) / 2e-6
    along_the_axis = got.real if along == 1.0 else got.imag
    assert_close(along_the_axis, 1.3 * slope.real + 0.7 * slope.imag, 1e-7, "along the cut")
