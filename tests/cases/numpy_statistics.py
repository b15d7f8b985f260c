"""Statistics with all their arguments: weights, where=, methods of quantiles, NaN, counts."""

import numpy as np

from tests.cases.registry import case, mat, signed, vec

CUBE = vec(24, 7).reshape(2, 3, 4)
HOLES = np.where(np.arange(12).reshape(3, 4) % 5 == 3, np.nan, mat(3, 4))
KEPT = np.array([[True, False, True], [True, True, False]])


@case(mat(3, 3), vec(3, 1), 0)
@case(mat(2, 3), vec(3, 1), 1)
@case(mat(2, 3), mat(2, 3, 1), -1)
@case(mat(2, 3), mat(2, 3, 1), None)
def weighted_averages(x, w, axis):
    mean, total = np.average(x, axis=axis, weights=w, returned=True)
    return np.sum(mean**2 * total) + np.sum(np.average(x, axis, w, keepdims=True) * mean)


@case(mat(2, 3))
def plain_averages(x):
    mean, count = np.average(x, axis=0, returned=True)
    return mean * count * np.average(x)


@case(mat(2, 3), None)
@case(mat(2, 3), 1)
def chosen_elements(x, axis):
    s = np.mean(x, axis=axis, where=KEPT) * 2.0 + np.var(x, axis, where=KEPT)
    s = s + np.max(x, axis=axis, where=KEPT, initial=0.1) - np.min(x, axis, initial=9.0, where=KEPT)
    return s + np.prod(x, axis=axis, where=KEPT, initial=2.0) + np.sum(x, axis=axis, where=KEPT)


@case(mat(3, 4), 0)
@case(CUBE, (0, 2))
def spreads_about_a_mean(x, axis):
    mean = np.mean(x, axis=axis, keepdims=True)
    s = np.std(x, axis=axis, mean=mean, correction=1) + np.var(x, axis=axis, mean=mean * 0.5)
    return s + np.std(x, axis=axis, dtype=np.float64)


@case(mat(2, 3))
def initial_values(x):
    s = np.max(x, axis=0, initial=0.9) + np.min(x, axis=0, initial=0.9) * 2.0
    return s + np.max(x[:, :0], initial=2.0) * x[0] + np.prod(x, axis=0, initial=3.0)


@case(0.7)
def initial_value_beside_a_number(x):
    return np.max(x, initial=0.2) * np.min(x, initial=0.2) + np.max(x, initial=0.9) * x


@case(signed(5), None)
@case(mat(3, 4), 0)
@case(CUBE, (0, 2))
@case(CUBE, -1)
def medians(x, axis):
    return np.sum(np.median(x, axis=axis) ** 2) + np.sum(x * np.median(x, axis, keepdims=True))


@case(vec(6), "lower")
@case(vec(6), "higher")
@case(vec(6), "nearest")
@case(vec(6), "midpoint")
@case(vec(6), "weibull")
@case(vec(6), "hazen")
@case(vec(6), "median_unbiased")
@case(vec(6), "normal_unbiased")
@case(vec(6), "interpolated_inverted_cdf")
def methods_of_quantiles(x, method):
    s = np.quantile(x, 0.3, method=method) + np.percentile(x, 83.0, method=method)
    return s + np.sum(np.quantile(x.reshape(2, 3), 0.4, axis=1, method=method, keepdims=True))


@case(CUBE)
def quantiles_over_several_axes(x):
    return np.quantile(x, 0.3, axis=(0, 2)) + np.percentile(x, 60.0, axis=(2, 1)).sum()


@case(HOLES, None)
@case(HOLES, 0)
@case(HOLES, 1)
def order_statistics_over_nan(x, axis):
    s = np.nanmedian(x, axis=axis) + np.nanquantile(x, 0.3, axis=axis)
    return s * np.nanmean(x, axis=axis) + np.nanpercentile(x, 80.0, axis=axis)


@case(HOLES)
def nan_reductions_into_arrays(x):
    total, one = np.zeros_like(x[0]), np.zeros((), x.dtype)
    np.nanmean(x, axis=0, out=total)
    s = np.sum(total**2) + np.nanmin(x, out=one) * one
    for reduce in (np.nanmax, np.nanvar, np.nanstd, np.nanmedian, np.nansum):
        s += np.sum(reduce(x, axis=0, out=total) * total) + np.sum(total)
    np.nanpercentile(x, 70.0, axis=0, out=total)
    return s * np.nanquantile(x, 0.4, out=one) + one + np.sum(total**2)


@case(HOLES)
def places_over_nan(x):
    first, last = np.nanargmax(x, axis=1), np.nanargmin(x)
    return np.nansum(x, axis=1) * first + last * np.nansum(x)


@case(vec(5))
def sums_by_place(w):
    places = np.array([0, 1, 1, 3, 0])
    s = np.bincount(places, weights=w, minlength=6)
    return np.sum(s**2) + np.sum(np.bincount(places) * w[:4])


@case(signed(6), vec(6, 1))
def histograms(x, w):
    counts, edges = np.histogram(x, bins=4)
    sums, _ = np.histogram(x, bins=3, range=(-2.0, 2.0), weights=w)
    shares, _ = np.histogram(x, bins=np.array([-2.0, 0.0, 0.5, 2.0]), density=True)
    return np.sum(counts * x[:4]) + np.sum(sums**2) + np.sum(edges**2) + np.sum(shares * x[:3])


@case(signed(6), vec(6, 1))
def histograms_of_pairs(x, w):
    y = x[::-1] * 2.0
    counts, edges, others = np.histogram2d(x, y, bins=3)
    sums, _, _ = np.histogram2d(x, y, [2, np.array([-9.0, 0.0, 9.0])], weights=w)
    shares, _, _ = np.histogram2d(x, y, (2, 3), [[-3, 3], [-5, 5]], density=True, weights=w)
    s = np.sum(counts @ x[:3]) + np.sum(sums**2) + np.sum(edges**2) + np.sum(others * edges)
    return s + np.sum(shares**2)


@case(signed(6))
def bins_of_numbers(x):
    up = np.digitize(x, np.array([-0.5, 0.0, 0.8]))
    down = np.digitize(x, np.array([0.8, 0.0, -0.5]), right=True)
    return np.sum(x**2 * up) + np.sum(x * down) + np.sum(x * np.isin(up, [1, 3]))


@case(mat(2, 5), vec(5, 1))
def weighted_covariances(x, w):
    s = np.cov(x, aweights=w) + np.cov(x, fweights=np.array([1, 2, 1, 3, 1]), aweights=w, ddof=0)
    return s + np.cov(x, fweights=np.array([1, 2, 1, 3, 1]))


@case(vec(4)[[0, 1, 1, 2, 3, 0]], differences=False)
def distinct_values(x):
    values, first, inverse, counts = np.unique(x, True, True, True)
    return np.sum(x[first] * counts) + np.sum(values[inverse] * x) + np.sum(inverse * x)


@case(signed(5))
def distinct_values_alone(x):
    return np.sum(np.unique(x) ** 2 * np.arange(5))


@case(np.array([[0.3, 1.2], [0.9, 0.4], [0.1, 0.2], [0.5, 0.7]]))
def distinct_parts(x):
    rows, first, inverse, counts = np.unique(x, True, True, True, axis=0)
    s = np.sum(rows**2 * np.arange(1.0, 5.0)[:, None]) + np.sum(x[first] ** 3)
    columns = np.unique(x, axis=1)
    return s + np.sum(np.ravel(inverse) * x[:, 0]) + np.sum(counts * rows[:, 1]) + columns[0, 0]


@case(0.7, 1.3)
def nan_reductions_of_numbers(x, y):
    return np.nanmin(x) * y + np.nanmax(x * y) ** 2 * np.nanmean(y) + np.nanvar(x) + np.nanstd(y)
