"""Functions that call themselves on parts of an array: divide and conquer, sorts, minors."""

import numpy as np

from tests.cases.registry import case, vec


def transform(x):
    n = len(x)
    if n == 1:
        return x
    even, odd = transform(x[::2]), transform(x[1::2])
    odd = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
    return np.concatenate([even + odd, even - odd])


@case(vec(8))
@case(vec(1))
def spectrum_by_halves(x):
    return np.sum(np.abs(transform(x + 0j)) ** 2 * np.arange(1.0, len(x) + 1.0))


def merged(x):
    if len(x) <= 1:
        return x
    m = len(x) // 2
    a, b = merged(x[:m]), merged(x[m:])
    out = np.zeros(len(x), x.dtype)
    i = j = 0
    for k in range(len(x)):
        if j >= len(b) or (i < len(a) and a[i] <= b[j]):
            out[k] = a[i]
            i += 1
        else:
            out[k] = b[j]
            j += 1
    return out


@case(np.array([0.31, 0.72, 1.13, -0.44, 0.95]))
def merge_sort(x):
    return np.sum(merged(x) ** 2 * np.arange(1.0, len(x) + 1.0))


@case(np.array([0.31, 0.72, 1.13, -0.44]), 3)
def merge_sorts_in_a_loop(x, n):
    total = 0.0
    for k in range(n):
        if x[k] > 0.5:
            total += np.sum(merged(x * x[k]) * np.arange(4.0))
    return total


def partition(a, low, high):
    if low >= high:
        return
    i = low
    for j in range(low, high):
        if a[j] < a[high]:
            a[i], a[j] = a[j], a[i]
            i += 1
    a[i], a[high] = a[high], a[i]
    partition(a, low, i - 1)
    partition(a, i + 1, high)


@case(np.array([0.31, 0.72, 1.13, -0.44, 0.95, 0.26]))
def quick_sort_in_place(x):
    partition(x, 0, len(x) - 1)
    return np.sum(x * x * np.arange(1.0, len(x) + 1.0))


def by_pivot(x):
    if len(x) <= 1:
        return x
    rest = x[1:]
    return np.concatenate([by_pivot(rest[rest < x[0]]), x[:1], by_pivot(rest[rest >= x[0]])])


@case(np.array([0.31, 0.72, 1.13, -0.44, 0.95]))
def quick_sort_of_parts(x):
    return np.sum(by_pivot(x) ** 2 * np.arange(len(x)))


def product(a, b):
    n = a.shape[0]
    if n <= 1:
        return a * b
    k = n // 2
    out = np.empty((n, n), a.dtype)
    out[:k, :k] = product(a[:k, :k], b[:k, :k]) + product(a[:k, k:], b[k:, :k])
    out[:k, k:] = product(a[:k, :k], b[:k, k:]) + product(a[:k, k:], b[k:, k:])
    out[k:, :k] = product(a[k:, :k], b[:k, :k]) + product(a[k:, k:], b[k:, :k])
    out[k:, k:] = product(a[k:, :k], b[:k, k:]) + product(a[k:, k:], b[k:, k:])
    return out


@case(vec(4).reshape(2, 2))
def product_by_blocks(a):
    return np.sum(product(a, a.T) ** 2)


def extremes(x):
    n = len(x)
    if n == 1:
        return x[0], x[0]
    a, b = extremes(x[: n // 2])
    c, d = extremes(x[n // 2 :])
    return min(a, c), max(b, d)


@case(np.array([0.31, 0.72, 1.13, -0.44, 0.95]))
def two_results(x):
    low, high = extremes(x)
    return low * low + 3.0 * high


def scaled(x, s):
    n = len(x)
    if n < 2:
        x *= s
        return
    scaled(x[: n // 2], s * 1.1)
    scaled(x[n // 2 :], s * x[0])


@case(vec(6))
def stores_to_views(x):
    scaled(x, 1.0)
    return np.sum(x * x)


def minors(a):
    n = a.shape[0]
    if n == 1:
        return a[0, 0]
    s = 0.0
    for j in range(n):
        minor = np.concatenate([a[1:, :j], a[1:, j + 1 :]], axis=1)
        s += (-1) ** j * a[0, j] * minors(minor)
    return s


@case(np.array([[2.0, 0.3, 0.1], [0.2, 1.5, 0.7], [0.9, 0.1, 1.1]]))
def determinant_by_minors(a):
    return minors(a)
