"""scipy.ndimage's values of an image between its pixels: at, about and far beyond its edges."""

import itertools

import numpy as np
import pytest
from scipy import ndimage

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from tests.frontend.test_interpolators import check
from tests.tools.turns import share

DRAW = np.random.default_rng(0)
LINE, IMAGE = DRAW.normal(size=6), DRAW.normal(size=(5, 7))
AT = np.concatenate((np.linspace(-14.3, 19.3, 57), [0.0, 5.0, -0.5, 5.5, -1.0, 6.0, 11.0]))[None]
PLACES = np.array([[0.3, 1.7, 3.6, -0.4, 5.2], [0.2, 4.4, 5.3, 7.3, -2.2]])
MODES = (
    "constant", "nearest", "mirror", "reflect", "wrap", "grid-wrap", "grid-constant", "grid-mirror",
)  # fmt: skip


SMOOTH = ("constant", "mirror", "wrap", "grid-wrap")


@pytest.mark.parametrize(("order", "mode"), share([*itertools.product(range(6), MODES)]))
def test_values(order: int, mode: str):
    def f(image, at):
        return ndimage.map_coordinates(image, at, order=order, mode=mode, cval=0.7)

    def unfiltered(image, at):
        return ndimage.map_coordinates(image, at, None, order, mode, 0.7, prefilter=False)

    # before SciPy 1.18 the filter of some modes begins inexactly: pixels are not interpolated
    pixels = [(LINE[:n], np.arange(float(n))[None]) for n in (6, 1, 2, 3)] if order else []
    error = max([np.max(np.abs(f(*at) - at[0])) for at in pixels], default=0.0)
    for made in (f, unfiltered):
        compiled = flow.compile(made, target="python")
        for n in (6, 1, 2, 3):
            np.testing.assert_allclose(
                compiled(LINE[:n], AT), made(LINE[:n], AT), 1e-12, 1e-12 + 99 * error
            )
    found, small = compiled(LINE.astype(np.float32), AT), f(LINE.astype(np.float32), AT)
    assert found.dtype == small.dtype


@pytest.mark.parametrize(("order", "mode"), share([*itertools.product((1, 2, 3), SMOOTH)]))
def test_derivatives(order: int, mode: str):
    def f(image, at):
        return ndimage.map_coordinates(image, at, order=order, mode=mode)

    check(f, IMAGE, PLACES, further=order == 3)


def test_coefficients():
    def f(image):
        half = ndimage.spline_filter1d(image, 2, 0, mode="mirror")
        return ndimage.spline_filter(image) + ndimage.spline_filter(half, 5, mode="grid-wrap")

    check(f, IMAGE, further=True)


@pytest.mark.parametrize("output", [float, np.float32, "f4", np.dtype(np.float64)])
def test_a_dtype_is_stated_for_the_result(output):
    def f(image):
        turned = ndimage.rotate(image, 20.0, output=output, order=1)
        return (
            ndimage.map_coordinates(image, PLACES, output),
            turned,
            ndimage.zoom(image, 2, output),
        )

    for image in (IMAGE, IMAGE.astype(np.float32)):
        for found, want in zip(flow.compile(f, target="python")(image), f(image), strict=True):
            assert found.dtype == want.dtype
            np.testing.assert_allclose(found, want, 1e-6, 1e-6)


def test_on_the_cpu():
    def f(image, at):
        return ndimage.map_coordinates(image, at, mode="nearest", order=3)

    check(f, IMAGE, PLACES, target="cpu")


def test_refused():
    for f, text in (
        (lambda x: ndimage.map_coordinates(x.astype(int), x[None]), "not of floats"),
        (lambda x: ndimage.map_coordinates(x, x[None], int), "a dtype of floats"),
    ):
        with pytest.raises(UnsupportedError, match=text):
            flow.compile(f, target="python")(LINE)
    with pytest.raises(RuntimeError, match="invalid shape"):
        flow.compile(lambda x: ndimage.map_coordinates(x, x[:2, None]), target="python")(LINE)
