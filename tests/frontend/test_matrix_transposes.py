"""The attribute mT of arrays: the last two axes in the other order, in the memory of the array."""

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import TARGETS, agrees, raises_alike

X = np.arange(1.0, 13.0).reshape(2, 3, 2)


def product(x):
    return np.sum(np.sin(x.mT @ x) * (x.mT.shape[-1] + 1))


def changed_through_it(x):
    y = x * 2.0
    y.mT[..., 0, :] = x[:, :, 1] ** 2
    y.mT[...] += 1.0
    return np.sum(y * np.cos(x))


def of_the_conjugate(x):
    z = x * (1.0 + 2.0j)
    return np.sum((np.conj(z).mT @ z).real ** 2)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("f", [product, changed_through_it, of_the_conjugate])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_mt(f, dtype, target: str):
    x = X.astype(dtype) / 7
    value, slope = flow.value_and_grad(f, target=target)(x)
    single = dtype == np.float32
    assert value == pytest.approx(f(x), rel=1e-4 if single else 1e-12)
    assert slope.dtype == dtype
    wide, v, h = x.astype(np.float64), np.cos(np.arange(x.size)).reshape(x.shape), 1e-6
    step = (f(wide + h * v) - f(wide - h * v)) / (2 * h)
    assert np.sum(slope * v) == pytest.approx(step, rel=1e-3 if single else 1e-6)


def test_what_it_gives():
    agrees(lambda x: x.mT, X)
    agrees(lambda x: x.astype(int).mT.shape, X)
    agrees(lambda x: np.zeros((2, 0, 3)).mT.shape, X)


def test_axes_that_are_not_there():
    raises_alike(lambda x: x[0, 0].mT, X)
    with pytest.raises(AttributeError, match="no attribute"):
        flow.compile(lambda x: x[0, 0, 0].mT, target="python")(X)
    with pytest.raises(ValueError, match="ndim < 2 is undefined") as e:
        flow.compile(lambda x: x[0, 0].mT, target="python")(X)
    assert "x[0, 0].mT" in str(e.value)
