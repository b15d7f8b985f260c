"""scipy.ndimage: weighted sums over windows, with each way to go on behind the edges."""

import numpy as np
from scipy import ndimage, signal

from tests.cases.registry import case, mat, vec


@case(vec(5), vec(3, 1), "reflect")
@case(vec(5), vec(4, 1), "constant")
@case(vec(2), vec(5, 1), "nearest")
@case(vec(5), vec(3, 1), "wrap")
@case(vec(3), vec(5, 1), "mirror")
def weights_along_a_vector(x, w, mode):
    y = ndimage.correlate1d(x, w, mode=mode, cval=0.5, origin=-1)
    return y * ndimage.convolve1d(x, w, 0, None, mode) + ndimage.uniform_filter1d(x, 3, mode=mode)


@case(mat(3, 4), 0.7)
def gaussians(x, width):
    y = ndimage.gaussian_filter(x, (width, 0.9), mode=("wrap", "nearest"), truncate=2.0)
    y = y + ndimage.gaussian_filter1d(x, width, axis=0, order=1, radius=2)
    return y * ndimage.gaussian_filter(x, 0.6, order=(0, 2), radius=1)


@case(vec(5))
def slopes_of_a_smooth_vector(x):
    third = ndimage.gaussian_filter1d(x, 0.8, order=3, radius=2)
    return third * ndimage.gaussian_filter(x, 0.0) + ndimage.gaussian_laplace(x, 0.9, radius=2)


@case(mat(3, 4), mat(2, 3, 1))
def windows_of_matrices(x, w):
    y = ndimage.correlate(x, w) * ndimage.convolve(x, w, mode="constant", origin=(-1, 0))
    return y + ndimage.uniform_filter(x, (3, 2), axes=(0, 1))


@case(mat(3, 4), 0.1)
def diffusion(u, rate):
    for _ in range(3):
        u = u + rate * ndimage.laplace(u, mode="nearest")
    return np.sum(u**3) + ndimage.convolve(u[0], [1.0, 2.0])


@case(vec(6), 3, "reflect")
@case(vec(5), 5, "mirror")
@case(vec(5), 2, "constant")
def extrema_in_windows(x, size, mode):
    y = ndimage.maximum_filter(x, size, mode=mode, cval=0.9, origin=-1)
    y = y * ndimage.minimum_filter1d(x, size, mode="nearest")
    return y + ndimage.median_filter(x, size, mode=mode, cval=0.3)


@case(mat(3, 4))
def ranks_in_boxes(x):
    cross = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]])
    y = ndimage.maximum_filter(x, footprint=cross) * ndimage.minimum_filter(x, footprint=cross)
    y = y + ndimage.median_filter(x, footprint=cross) * ndimage.maximum_filter(x, (1, 2))
    y = y * ndimage.rank_filter(x, -2, (2, 3), mode="wrap")
    return y + ndimage.percentile_filter(x, 70, 3, axes=(1,)) * signal.medfilt2d(x, (3, 1))


@case(np.array([0.05, 0.3, 0.45, 0.9]), np.array([1.0, 0.9, 0.2, 0.1]), vec(2))
def filters_by_least_squares(bands, gains, w):
    h = signal.firls(7, bands, gains, weight=w)
    return h**2 * signal.firls(7, bands, [[1, 1], [0, 0]], fs=2.5) + signal.firls(1, bands, gains)
