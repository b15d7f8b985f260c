"""Signals and images: recursive filters, integration over masks, interpolation, small loops."""

import numpy as np

from examples.kernels.table import Kernel, positive, signed


def deriche(alpha, image):
    """Deriche's recursive smoothing along both axes, to and fro (Deriche 1990; PolyBench)."""
    k = (1.0 - np.exp(-alpha)) ** 2 / (1.0 + alpha * np.exp(-alpha) * 2.0 - np.exp(2.0 * alpha))
    a1 = a5 = k
    a2 = a6 = k * np.exp(-alpha) * (alpha - 1.0)
    a3 = a7 = k * np.exp(-alpha) * (alpha + 1.0)
    a4 = a8 = -k * np.exp(-2.0 * alpha)
    b1 = 2.0 ** (-alpha)
    b2 = -np.exp(-2.0 * alpha)
    y1 = np.empty_like(image)
    y1[:, 0] = a1 * image[:, 0]
    y1[:, 1] = a1 * image[:, 1] + a2 * image[:, 0] + b1 * y1[:, 0]
    for j in range(2, image.shape[1]):
        y1[:, j] = a1 * image[:, j] + a2 * image[:, j - 1] + b1 * y1[:, j - 1] + b2 * y1[:, j - 2]
    y2 = np.empty_like(image)
    y2[:, -1] = 0.0
    y2[:, -2] = a3 * image[:, -1]
    for j in range(image.shape[1] - 3, -1, -1):
        y2[:, j] = (
            a3 * image[:, j + 1] + a4 * image[:, j + 2] + b1 * y2[:, j + 1] + b2 * y2[:, j + 2]
        )
    out = y1 + y2
    y1[0, :] = a5 * out[0, :]
    y1[1, :] = a5 * out[1, :] + a6 * out[0, :] + b1 * y1[0, :]
    for i in range(2, image.shape[0]):
        y1[i, :] = a5 * out[i, :] + a6 * out[i - 1, :] + b1 * y1[i - 1, :] + b2 * y1[i - 2, :]
    y2[-1, :] = 0.0
    y2[-2, :] = a7 * out[-1, :]
    for i in range(image.shape[0] - 3, -1, -1):
        y2[i, :] = a7 * out[i + 1, :] + a8 * out[i + 2, :] + b1 * y2[i + 1, :] + b2 * y2[i + 2, :]
    return y1 + y2


def azimuthal_integration(data, radius, bins):
    """Means over rings of equal width (Kieffer & Wright 2013)."""
    rmax = radius.max()
    res = np.zeros(bins)
    for i in range(bins):
        r1 = rmax * i / bins
        r2 = rmax * (i + 1) / bins
        mask = np.logical_and((r1 <= radius), (radius < r2))
        res[i] = data[mask].mean()
    return res


def natural_spline(x, y, at):
    """The natural cubic spline through (x, y) at points `at`, by Thomas' algorithm."""
    n = len(x) - 1
    h = np.diff(x)
    slopes = np.diff(y) / h
    diagonal = 2.0 * (h[:-1] + h[1:])
    right = 6.0 * np.diff(slopes)
    for i in range(1, n - 1):
        w = h[i] / diagonal[i - 1]
        diagonal[i] -= w * h[i]
        right[i] -= w * right[i - 1]
    m = np.zeros(n + 1)
    for i in range(n - 2, -1, -1):
        m[i + 1] = (right[i] - h[i + 1] * m[i + 2]) / diagonal[i]
    k = np.clip(np.searchsorted(x, at) - 1, 0, n - 1)
    a, b = x[k + 1] - at, at - x[k]
    return (
        (m[k] * a**3 + m[k + 1] * b**3) / (6.0 * h[k])
        + (y[k] / h[k] - m[k] * h[k] / 6.0) * a
        + (y[k + 1] / h[k] - m[k + 1] * h[k] / 6.0) * b
    )


def go_fast(a):
    """The first example of Numba's documentation: tanh of the diagonal, added to all."""
    trace = 0.0
    for i in range(a.shape[0]):
        trace += np.tanh(a[i, i])
    return a + trace


def arc_distance(theta_1, phi_1, theta_2, phi_2):
    """Distances on the unit sphere by haversines."""
    temp = (
        np.sin((theta_2 - theta_1) / 2) ** 2
        + np.cos(theta_1) * np.cos(theta_2) * np.sin((phi_2 - phi_1) / 2) ** 2
    )
    return 2 * (np.arctan2(np.sqrt(temp), np.sqrt(1 - temp)))


def local_maxima(x, width):
    """Smoothed by a triangle, then the sum over the elements above their neighbours."""
    kernel = np.concatenate((np.arange(1, width + 1), np.arange(width - 1, 0, -1))).astype(float)
    kernel /= kernel.sum()
    smooth = np.convolve(x, kernel, mode="same")
    peaks = (smooth[1:-1] > smooth[:-2]) & (smooth[1:-1] > smooth[2:])
    return np.sum(smooth[1:-1][peaks] ** 2)


def total_variation_denoise(image, weight, steps):
    """Chambolle's projection: the dual field is stepped and normalised in place (2004)."""
    p = np.zeros((2, *image.shape))
    out = image
    for _ in range(steps):
        div = -p.sum(0)
        div[1:] += p[0, :-1]
        div[:, 1:] += p[1, :, :-1]
        out = image + div
        gradient = np.zeros((2, *image.shape))
        gradient[0, :-1] = np.diff(out, axis=0)
        gradient[1, :, :-1] = np.diff(out, axis=1)
        norm = np.sqrt((gradient**2).sum(axis=0))[np.newaxis, ...]
        norm *= 0.25 / weight
        norm += 1.0
        p -= 0.25 * gradient
        p /= norm
    return out


def points(n, bins):
    rng = np.random.default_rng(0)
    radius = np.concatenate((np.linspace(0.01, 0.99, bins), rng.uniform(size=n - bins), [1.0]))
    return signed(n + 1), radius, bins


def knots(n, m):
    x = np.cumsum(positive(n))
    inner = np.random.default_rng(2).uniform(x[0], x[-1], m)
    return x, signed(n, seed=1), inner


KERNELS = [
    Kernel(deriche, lambda n, m: (0.25, positive(n, m)), (4, 5), (400, 500)),
    Kernel(azimuthal_integration, points, (9, 4), (40000, 50), wrt=(0,)),
    Kernel(natural_spline, knots, (6, 5), (20000, 50000)),
    Kernel(go_fast, lambda n: (signed(n, n),), (3,), (1000,)),
    Kernel(arc_distance, lambda n: tuple(positive(n, seed=k) for k in range(4)), (4,), (100000,)),
    Kernel(local_maxima, lambda n, w: (signed(n), w), (12, 2), (100000, 5)),
    Kernel(
        total_variation_denoise,
        lambda n, m, t: (signed(n, m), 0.7, t),
        (4, 3, 3),
        (150, 150, 20),
    ),
]
