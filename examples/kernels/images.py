"""Image processing: warps, diffusion, flow, deconvolution, tomography, rendering."""

import numpy as np

from examples.kernels.table import Kernel, positive, signed


def perona_malik(image, kappa, rate, steps):
    """Diffusion that stops at edges, differences to four neighbours (Perona & Malik 1990)."""
    for _ in range(steps):
        north = np.zeros_like(image)
        south = np.zeros_like(image)
        east = np.zeros_like(image)
        west = np.zeros_like(image)
        north[1:] = image[:-1] - image[1:]
        south[:-1] = -north[1:]
        west[:, 1:] = image[:, :-1] - image[:, 1:]
        east[:, :-1] = -west[:, 1:]
        image = image + rate * sum(
            d * np.exp(-((d / kappa) ** 2)) for d in (north, south, east, west)
        )
    return image


def horn_schunck(first, second, alpha, steps):
    """Optical flow by a smoothness term, Jacobi's iteration (Horn & Schunck 1981)."""
    padded = np.pad(first, 1, mode="edge")
    ix = 0.5 * (padded[1:-1, 2:] - padded[1:-1, :-2])
    iy = 0.5 * (padded[2:, 1:-1] - padded[:-2, 1:-1])
    it = second - first
    u = np.zeros_like(first)
    v = np.zeros_like(first)
    for _ in range(steps):
        pu, pv = np.pad(u, 1, mode="edge"), np.pad(v, 1, mode="edge")
        mean_u = (pu[:-2, 1:-1] + pu[2:, 1:-1] + pu[1:-1, :-2] + pu[1:-1, 2:]) / 4
        mean_v = (pv[:-2, 1:-1] + pv[2:, 1:-1] + pv[1:-1, :-2] + pv[1:-1, 2:]) / 4
        p = (ix * mean_u + iy * mean_v + it) / (alpha**2 + ix**2 + iy**2)
        u = mean_u - ix * p
        v = mean_v - iy * p
    return u, v


def blur(image, kernel):
    """A separable convolution of the same size, zeros around."""
    rows = np.array([np.convolve(row, kernel, mode="same") for row in image])
    return np.array([np.convolve(column, kernel, mode="same") for column in rows.T]).T


def richardson_lucy(observed, kernel, steps):
    """Deconvolution by ratios (Richardson 1972, Lucy 1974), row by row."""
    n, m = observed.shape
    estimate = np.full((n, m), 0.5)
    half = len(kernel) // 2
    for _ in range(steps):
        for i in range(n):
            blurred = np.convolve(estimate[i], kernel, mode="same")
            ratio = observed[i] / (blurred + 1e-12)
            estimate[i] *= np.correlate(ratio, kernel, mode="same")
    return estimate[:, half : m - half]


def bilateral_filter(image, radius, spatial, tonal):
    """Means of neighbours near in place and in tone, pixel by pixel (Tomasi & Manduchi 1998)."""
    n, m = image.shape
    out = np.zeros_like(image)
    for i in range(n):
        for j in range(m):
            i0, i1 = max(i - radius, 0), min(i + radius + 1, n)
            j0, j1 = max(j - radius, 0), min(j + radius + 1, m)
            patch = image[i0:i1, j0:j1]
            rows, columns = np.arange(i0, i1)[:, None] - i, np.arange(j0, j1)[None, :] - j
            w = np.exp(-(rows**2 + columns**2) / (2 * spatial**2))
            w *= np.exp(-((patch - image[i, j]) ** 2) / (2 * tonal**2))
            out[i, j] = np.sum(w * patch) / w.sum()
    return out


def affine_warp(image, matrix, shift):
    """An image sampled at affinely moved places, zero outside (Jaderberg et al. 2015)."""
    n, m = image.shape
    grid = np.stack(np.meshgrid(np.arange(n), np.arange(m), indexing="ij"), axis=-1)
    places = grid @ matrix.T + shift
    x, y = places[..., 0], places[..., 1]
    x0, y0 = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
    out = np.zeros((n, m))
    for dx in (0, 1):
        for dy in (0, 1):
            xi, yi = x0 + dx, y0 + dy
            inside = (xi >= 0) & (xi < n) & (yi >= 0) & (yi < m)
            w = (1 - np.abs(x - xi)) * (1 - np.abs(y - yi))
            out[inside] += w[inside] * image[xi[inside], yi[inside]]
    return out


def radon(image, angles):
    """Line integrals through a disk, every projection by interpolation."""
    n = image.shape[0]
    centre = (n - 1) / 2
    s = np.arange(n) - centre
    sinogram = np.zeros((len(angles), n))
    for k, angle in enumerate(angles):
        c, d = np.cos(angle), np.sin(angle)
        for t in s:
            x = s * c - t * d + centre
            y = s * d + t * c + centre
            inside = (x >= 0) & (x < n - 1) & (y >= 0) & (y < n - 1)
            i, j = x[inside].astype(int), y[inside].astype(int)
            a, b = x[inside] - i, y[inside] - j
            value = (1 - a) * ((1 - b) * image[i, j] + b * image[i, j + 1])
            value += a * ((1 - b) * image[i + 1, j] + b * image[i + 1, j + 1])
            sinogram[k, inside] += value
    return sinogram


def intersect(origin, direction, centre, radius):
    """The distance to a sphere along a ray; infinity if it is missed."""
    offset = origin - centre
    b = np.dot(offset, direction)
    c = np.dot(offset, offset) - radius**2
    discriminant = b * b - c
    if discriminant < 0:
        return np.inf
    root = np.sqrt(discriminant)
    if -b - root > 1e-6:
        return -b - root
    if -b + root > 1e-6:
        return -b + root
    return np.inf


def trace_rays(centres, radii, colors, light, size, bounces):
    """Spheres that reflect each other, seen from the origin (Whitted 1980)."""
    image = np.zeros((size, size, 3))
    for i in range(size):
        for j in range(size):
            origin = np.zeros(3)
            direction = np.array([(j + 0.5) / size - 0.5, (i + 0.5) / size - 0.5, 1.0])
            direction = direction / np.linalg.norm(direction)
            strength = 1.0
            for _ in range(bounces):
                nearest, hit = np.inf, -1
                for k in range(len(radii)):
                    t = intersect(origin, direction, centres[k], radii[k])
                    if t < nearest:
                        nearest, hit = t, k
                if hit < 0:
                    break
                point = origin + nearest * direction
                normal = (point - centres[hit]) / radii[hit]
                to_light = light - point
                to_light /= np.linalg.norm(to_light)
                image[i, j] += strength * colors[hit] * max(0.1, normal @ to_light)
                origin = point
                direction = direction - 2 * np.dot(direction, normal) * normal
                strength *= 0.4
    return image


def spheres(count, size, bounces):
    centres = 0.6 * signed(count, 3)
    centres[:, 2] = 3.0 + np.arange(count)
    return (
        centres,
        0.8 * positive(count),
        positive(count, 3, seed=1),
        np.array([3.0, 4, -2]),
        size,
        bounces,
    )


TURN = np.array([[0.9, 0.13], [-0.11, 1.05]])
KERNELS = [
    Kernel(perona_malik, lambda n, m, t: (signed(n, m), 0.8, 0.2, t), (4, 3, 2), (150, 150, 20)),
    Kernel(
        horn_schunck,
        lambda n, m, t: (positive(n, m), positive(n, m, seed=1), 0.7, t),
        (4, 3, 3),
        (150, 150, 20),
    ),
    Kernel(blur, lambda n, m: (positive(n, m), np.array([0.25, 0.5, 0.25])), (4, 5), (200, 200)),
    Kernel(
        richardson_lucy,
        lambda n, m, t: (positive(n, m), np.array([0.2, 0.5, 0.3]), t),
        (3, 6, 2),
        (150, 150, 10),
    ),
    Kernel(bilateral_filter, lambda n, m: (positive(n, m), 1, 1.1, 0.4), (4, 3), (100, 100)),
    Kernel(
        affine_warp,
        lambda n, m: (
            positive(n, m),
            np.array([[0.9, 0.13], [-0.11, 1.05]]),
            np.array([0.23, 0.31]),
        ),
        (4, 5),
        (200, 200),
    ),
    Kernel(radon, lambda n, k: (positive(n, n), np.linspace(0.1, 3.0, k)), (5, 3), (60, 40)),
    Kernel(trace_rays, spheres, (2, 3, 2), (5, 40, 3), wrt=(0, 1, 2, 3)),
]
