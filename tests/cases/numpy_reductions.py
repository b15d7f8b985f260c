"""Reductions, scans, sorting, and the same as methods and with axes."""

import numpy as np

from tests.cases.registry import case, mat, signed, vec

CUBE = vec(24, 7).reshape(2, 3, 4)


@case(mat(3, 2), vec(3), vec(2))
def averages_along_axes(x, u, v):
    rows, total = np.average(x, 0, u, True)
    columns = np.average(x, axis=1, weights=v, keepdims=True)
    return np.sum(rows * total) + np.sum(columns * x) + np.median(x, 0, keepdims=True)[0, 1]


@case(CUBE, None)
@case(CUBE, 0)
@case(CUBE, -1)
@case(CUBE, (0, 2))
@case(mat(3, 1), 1)
def sums_and_means(x, axis):
    s = np.sum(x * x, axis=axis)
    return s * np.mean(x, axis=axis) + x.sum(axis=axis) ** 2


@case(CUBE, 0)
@case(CUBE, (1, 2))
@case(mat(2, 2), None)
def keepdims(x, axis):
    share = x / np.sum(x, axis=axis, keepdims=True)
    top = x.max(axis=axis, keepdims=True)
    return np.sum(share * share * top)


@case(vec(5), None)
@case(mat(3, 4), 0)
@case(mat(3, 4), 1)
def spreads(x, axis):
    return np.var(x, axis=axis) + 2.0 * np.std(x, axis=axis, ddof=1) - x.std(axis)


@case(vec(5))
@case(np.array([2.0, 0.0, 3.0]))
@case(np.array([0.0, 0.0, 3.0]), second_order=False)
def products(x):
    return np.prod(x) * 2.0


@case(mat(3, 4), 0)
@case(mat(3, 4), 1)
def products_along(x, axis):
    return np.prod(x, axis=axis) + x.prod(axis)


@case(signed(6), None)
@case(mat(3, 4), 0)
@case(mat(3, 4), 1)
def extremes(x, axis):
    s = np.max(x, axis=axis) * 2.0 - np.min(x, axis=axis)
    return s + np.amax(x, axis=axis) * x.min(axis) + np.ptp(x, axis=axis)


@case(signed(6))
@case(vec(1))
def positions_of_extremes(x):
    return x[np.argmax(x)] * x[x.argmin()] + x[0] * np.argmax(x)


@case(vec(5), 0)
@case(mat(3, 4), 0)
@case(mat(3, 4), 1)
def scans(x, axis):
    return np.cumsum(x * x, axis=axis) * np.cumprod(x, axis=axis)


@case(vec(6))
@case(mat(2, 5))
def neighbours(x):
    return np.sum(np.diff(x) ** 2) + np.sum(np.diff(x, n=2) * 0.5) + np.sum(np.diff(x, axis=0) ** 3)


@case(signed(6))
def sorting(x):
    order = np.argsort(x)
    y = np.sort(x)
    weights = np.arange(6.0)
    return np.sum(y * weights) + np.sum(x[order] ** 2 * weights) + np.median(x) * y[0]


@case(signed(5))
@case(mat(3, 4))
def medians_and_quantiles(x):
    return np.median(x) + np.median(x, axis=0).sum() * np.percentile(x, 30.0) + np.quantile(x, 0.8)


@case(vec(5), vec(5, 1))
def averages(x, w):
    return np.average(x, weights=w) + np.average(x) * np.average(w * x)


@case(signed(5))
@case(mat(2, 3))
def norms(x):
    s = np.linalg.norm(x) + np.linalg.norm(x, axis=0).sum()
    return s * np.linalg.norm(x, axis=-1, keepdims=True).sum()


@case(vec(4))
def norms_of_other_orders(x):
    return np.linalg.norm(x, 1) + np.linalg.norm(x, 3) * 2.0 + np.linalg.norm(x, np.inf)


@case(signed(6))
def counting(x):
    positive = np.count_nonzero(x > 0)
    everything = np.all(x < 9.0)
    some = np.any(x > 100.0)
    return np.sum(x) * positive + (x[0] if everything and not some else 0.0)


@case(vec(5))
def methods(x):
    s = np.exp(x).sum() + x.mean() * x.dot(x) + x.cumsum()[-2] - x.max()
    return s + x.copy().ravel()[1] * x.std() + x.T.sum() * x.flatten().prod()


@case(vec(9))
def trapezoid_and_interpolation(x):
    s = np.trapezoid(x * x, dx=0.25)
    return s + np.interp(2.3, np.arange(9.0), x) * np.interp(0.6, np.arange(9.0), x)


@case(0.37, np.array([0.0, 0.5, 1.0]), vec(3))
@case(np.array([0.37, 0.8]), np.array([0.0, 0.5, 1.0]), vec(3))
def interpolated(at, knots, values):
    return np.sum(np.interp(at, knots, values) ** 2)


@case(vec(6), signed(3, 1))
def convolved(x, kernel):
    return np.sum(np.convolve(x, kernel) ** 2) + np.sum(np.convolve(x, kernel, mode="valid"))
