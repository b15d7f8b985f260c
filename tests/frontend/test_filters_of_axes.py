"""Filters of images along some of the axes, with a mode, width or order for each of them."""

import linecache

import numpy as np
import pytest
from scipy import ndimage

import srcgrad as flow

A = np.random.default_rng(4).random((4, 5))
CALLS = [
    "gaussian_laplace(x, 1.0, mode=['reflect', 'wrap'])", "gaussian_laplace(x, 1.0, axes=())",
    "gaussian_laplace(x, [1.0, 0.5], axes=(1, 0), mode=['wrap', 'nearest'])",
    "gaussian_laplace(x, (0.7,), axes=(1,), mode=('constant',), cval=0.3)",
    "gaussian_laplace(x, 0.8, axes=-1, radius=2)", "laplace(x, axes=())",
    "laplace(x, axes=(1, 0), mode=('wrap', 'constant'))",
    "gaussian_filter(x, [1.0, 0.5], axes=(1, 0), mode=('wrap', 'constant'), order=(0, 1))",
    "uniform_filter(x, (3, 2), axes=(1, 0), mode=('wrap', 'nearest'), origin=(0, -1))",
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_values_and_derivatives(call: str):
    source = f"def f(x):\n    return ndimage.{call}\n"
    linecache.cache[call] = (len(source), None, source.splitlines(True), call)
    scope: dict = {"ndimage": ndimage}
    exec(compile(source, call, "exec"), scope)
    got = flow.compile(scope["f"], target="python")(A)
    np.testing.assert_allclose(got, scope["f"](A), rtol=1e-10, atol=1e-12)
    flow.testing.gradcheck(lambda x: np.sum(scope["f"](x) ** 2), (A,), target="python")


def test_the_order_of_a_spline_is_checked():
    with pytest.raises(RuntimeError, match="spline order not supported"):
        flow.compile(lambda x: ndimage.spline_filter(x, order=1), target="python")(A)
