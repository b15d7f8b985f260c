"""`scipy.ndimage.shift`, `zoom`, `affine_transform` and `rotate`: SciPy's images, derivatives."""

import itertools

import numpy as np
import pytest
from scipy import ndimage

import srcgrad as flow

RNG = np.random.default_rng(3)
X = RNG.normal(size=(5, 4))
TURN = np.array([[0.9, 0.2], [-0.3, 0.8]])
CALLS = {
    "shift": lambda x, **o: ndimage.shift(x, (0.7, -1.2), **o),
    "shift_by_one_number": lambda x, **o: ndimage.shift(x, 0.4, **o),
    "zoom": lambda x, **o: ndimage.zoom(x, 1.7, **o),
    "zoom_out": lambda x, **o: ndimage.zoom(x, (0.5, 1.0), **o),
    "zoom_of_cells": lambda x, **o: ndimage.zoom(x, (2, 1.5), grid_mode=True, **o),
    "affine": lambda x, **o: ndimage.affine_transform(x, TURN, (0.3, 0.2), **o),
    "diagonal": lambda x, **o: ndimage.affine_transform(x, TURN[0], 0.3, (3, 6), **o),
    "homogeneous": lambda x, **o: ndimage.affine_transform(
        x, np.array([[0.9, 0.2, 0.1], [-0.3, 0.8, 0.5], [0.0, 0.0, 1.0]]), **o
    ),
    "rotate": lambda x, **o: ndimage.rotate(x, 30.0, **o),
    "rotate_by_right_angle": lambda x, **o: ndimage.rotate(x, 90, **o),
    "rotate_in_frame": lambda x, **o: ndimage.rotate(x, -50.0, axes=(-2, -1), reshape=False, **o),
}
OPTIONS = [
    {"order": order, "mode": mode, "cval": 0.5}
    for order, mode in itertools.product((1, 3), ("constant", "nearest", "reflect"))
]
SOME = [(name, OPTIONS[k % 6]) for k, name in enumerate(CALLS)]
SOME += [(name, OPTIONS[(k + 3) % 6]) for k, name in enumerate(CALLS)]


@pytest.mark.parametrize(("name", "options"), SOME)
def test_images_and_derivatives(name, options):
    f = lambda x: CALLS[name](x, **options)
    found, want = flow.compile(f, target="python")(X), f(X)
    assert found.shape == want.shape
    np.testing.assert_allclose(found, want, rtol=1e-9, atol=1e-9)
    weights = RNG.normal(size=want.shape)
    loss = lambda x: np.sum(weights * CALLS[name](x, **options))
    slope = flow.grad(flow.compile(loss, target="python"))(X)
    along = RNG.normal(size=X.shape)
    linear = loss(X + along) - loss(X)  # linear in the image
    np.testing.assert_allclose(np.sum(slope * along), linear, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", ["shift", "zoom", "affine", "rotate"])
def test_in_machine_code(name):
    loss = lambda x: np.sum(CALLS[name](x, order=1) ** 2)
    value, slope = flow.value_and_grad(loss)(X)
    np.testing.assert_allclose(value, loss(X), rtol=1e-12)
    h, along = 1e-5, RNG.normal(size=X.shape)
    want = (loss(X + h * along) - loss(X - h * along)) / (2 * h)
    np.testing.assert_allclose(np.sum(slope * along), want, rtol=1e-7)
    np.testing.assert_allclose(flow.jvp(loss, (X,), (along,))[1], want, rtol=1e-7)


def test_derivatives_by_the_movement():
    def loss(s, m, a):
        moved = ndimage.shift(X, (s, 0.3), mode="mirror")
        turned = ndimage.affine_transform(X, TURN * m, mode="mirror")
        return np.sum((moved + turned) ** 2) + np.sum(
            ndimage.rotate(X, a, reshape=False, mode="mirror") ** 2
        )

    at, h = np.array([0.3, 1.1, 20.0]), 1e-6
    slopes = flow.grad(flow.compile(loss, target="python"), (0, 1, 2))(*at)
    want = [(loss(*(at + h * e)) - loss(*(at - h * e))) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(slopes, want, rtol=1e-6)


def test_single_precision_stays():
    x = X.astype(np.float32)
    for name, call in CALLS.items():
        want, found = call(x, order=1), flow.compile(call, target="python")(x, order=1)
        assert found.dtype == want.dtype == np.float32, name
        np.testing.assert_allclose(found, want, rtol=1e-5, atol=1e-5)


def test_refused():
    for call, said in (
        (lambda x: ndimage.shift(x * 1j, 0.5), "complex images"),
        (lambda x: ndimage.zoom(x, 2.0, output=np.zeros((10, 8))), "output= takes a dtype here"),
        (lambda x: ndimage.rotate(np.stack((x, x)), 30.0), "not two axes"),
    ):
        with pytest.raises(NotImplementedError, match=said):
            flow.compile(call)(X)
    with pytest.raises(RuntimeError, match="length equal to input rank"):
        flow.compile(lambda x: ndimage.shift(x, (1.0, 2.0, 3.0)))(X)
    with pytest.raises(RuntimeError, match="wrong number of rows"):
        flow.compile(lambda x: ndimage.affine_transform(x, np.eye(5)))(X)
