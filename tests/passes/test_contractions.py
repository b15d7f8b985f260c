"""Contractions: loops that multiply and sum are products of matrices, in any order and layout."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.testing import gradcheck
from tests.passes.contracted import A, B, added, elements, products, rng, same, same_for_each
from tests.passes.with_and_without import anew
from tests.tools.products import small_products


def outer_sum(a, b):
    y = np.ones((len(a), b.shape[1]))
    for k in range(len(b)):
        for j in range(b.shape[1]):
            for i in range(len(a)):
                y[i, j] -= a[i, k] * (2.0 * b[k, j])
    return np.sum(np.sin(y))


def turned(a, b):
    y = np.zeros((b.shape[1], len(a)))
    for j in range(b.shape[1]):
        for k in range(len(b)):
            for i in range(len(a)):
                y[j, i] += 0.5 * b[k, j] * a[i, k]
    return np.sum(np.sin(y))


def number(a, b):
    y = np.zeros((len(a), b.shape[1]))
    for i in range(len(a)):
        for j in range(b.shape[1]):
            s = 0.0
            for k in range(len(b)):
                s += a[i, k] * b[k, j]
            y[i, j] = s
    return np.sum(np.sin(y))


def of_rows(a, b):
    total = 0.0
    for i in range(len(a)):
        row = a[i]
        for j in range(b.shape[1]):
            s = 0.1 * j
            for k in range(len(b)):
                s = s + row[k] * b[k][j]
            total += np.sin(s) * s if s > 0.0 else s
    return total


def from_elements(a, b):
    y = np.ones((len(a), b.shape[1]))
    for i in range(len(a)):
        for j in range(b.shape[1]):
            for k in range(len(b)):
                y[i, j] = y[i, j] + a[i, k] * b[k, j]
    return np.sum(np.sin(y))


def parts(a, b):
    y = np.zeros((6, 8))
    for i in range(1, len(a)):
        for j in range(b.shape[1] - 1, 0, -1):
            for k in range(2):
                y[i, 2 * j - 1] += a[i - 1, k + 1] * b[1 - k, j - 1]
    return np.sum(np.sin(y))


def windows(a, b):
    m = len(a) - 1
    y = np.zeros((m, b.shape[1] - 1))
    for i in range(m):
        for j in range(b.shape[1] - 1):
            for k in range(2):
                y[i, j] += a[i + k, 2] * b[k, j]
    return np.sum(np.sin(y))


def spread(a, b):
    y = np.zeros(b.shape[1] + len(a) - 1)
    for i in range(len(a)):
        for j in range(b.shape[1]):
            for k in range(len(b)):
                y[i + j] += a[i, k] * b[k, j]
    return np.sum(np.sin(y))


def computed(a, b):
    y = np.zeros((len(a), b.shape[1]))
    for k in range(len(b)):
        w = np.cos(a[0, k])
        for i in range(len(a)):
            for j in range(b.shape[1]):
                y[i, j] += (a[i, k] - a[0, k]) * w * np.exp(b[k, j])
    return np.sum(np.sin(y))


def one_array(a, b):
    y = np.zeros((len(a), len(a)))
    for i in range(len(a)):
        for j in range(len(a)):
            for k in range(a.shape[1]):
                y[i, j] += a[i, k] * a[j, k]
    return np.sum(np.sin(y)) + b[0, 0]


def in_time(a, b):
    y = np.zeros((len(a), b.shape[1]))
    for _ in range(2):
        for i in range(len(a)):
            for j in range(b.shape[1]):
                for k in range(len(b)):
                    y[i, j] += a[i, k] * b[k, j]
        b = np.sin(b) * y[0, 0]
        a[:, 0] = y[:, 1]
    return np.sum(np.sin(y))


def in_singles(a, b):
    y = np.zeros((len(a), b.shape[1]), np.float32)
    for i in range(len(a)):
        for j in range(b.shape[1]):
            for k in range(len(b)):
                y[i, j] += np.float32(a[i, k]) * np.float32(b[k, j])
    return np.sum(np.sin(y * 1.0))


def per_trip(a, b):
    y = np.ones(b.shape[1])
    total = 0.0
    for i in range(len(a)):
        y[:] = 0.1
        for k in range(len(b)):
            for j in range(b.shape[1]):
                y[j] += a[i, k] * b[k, j]
        total += np.sum(np.sin(y)) * y[0]
    return total + y[1]


def made_per_trip(a, b):
    total = 0.0
    for i in range(len(a)):
        y = np.ones(b.shape[1]) * a[i, 0]
        z = y[::-1]
        for k in range(len(b)):
            for j in range(1, b.shape[1]):
                z[j - 1] -= 0.5 * a[i, k] * b[k, j]
        total += np.sum(np.sin(y)) * y[0]
    return total


def rows_per_trip(a, b):
    y = np.ones((len(a), b.shape[1]))
    for i in range(len(a)):
        y[i] *= 0.5
        for k in range(len(b)):
            for j in range(b.shape[1]):
                y[i, j] += a[i, k] * b[k, j]
        y[i, 0] += np.sin(y[0, 1])
    return np.sum(np.sin(y))


PRODUCTS = (
    added, outer_sum, turned, number, of_rows, from_elements, parts, windows, spread, computed,
    one_array, in_time, in_singles, per_trip, made_per_trip, rows_per_trip,
)  # fmt: skip


@pytest.mark.parametrize("f", PRODUCTS)
def test_a_product(f):
    with small_products():
        assert products(f, A, B) == 1
    if f is in_singles:
        return
    same(f, A, B)
    with small_products():
        gradcheck(anew(f), (A, B), target="python", order=2)


@pytest.mark.parametrize("f", [outer_sum, of_rows, parts, windows, spread, in_time, made_per_trip])
def test_a_product_as_machine_code(f):
    same(f, A, B, target="cpu")


def layouts():
    big = rng.normal(size=(8, 9))
    yield A.copy(order="F"), B.copy(order="F")
    yield big[::2, ::3], big[1:4, 1:6]
    yield big[3::-1, 2::-1], big[2::-1, 4::-1]
    yield np.zeros((0, 3)), B
    yield A, np.zeros((3, 0))
    yield np.zeros((4, 0)), np.zeros((0, 5))
    yield A[:1], B
    yield A, B[:, :1]
    yield A[:, :1], B[:1]
    yield big[:5, :5], big[:5, :5]
    fixed = A.copy()
    fixed.flags.writeable = False
    yield fixed, B


def together(a, b):
    """Two products in one nest, and the sums of rows of another function."""
    y, z = np.ones((len(a), b.shape[1])), np.zeros((b.shape[1], len(a)))
    rows = np.zeros(len(a))
    for i in range(len(a)):
        for j in range(b.shape[1]):
            for k in range(len(b)):
                y[i, j] += a[i, k] * b[k, j]
                rows[i] += np.sin(a[i, k] * b[k, j])
                z[j, i] -= 0.5 * b[k, j] * a[i, k]
    return np.sum(np.sin(y)) + np.sum(z * z) + np.sum(rows * rows)


def one_of_the_other(a, b):
    """The second sum reads the first one's array."""
    y, z = np.ones((len(a), b.shape[1])), np.zeros((len(a), b.shape[1]))
    for i in range(len(a)):
        for j in range(b.shape[1]):
            for k in range(len(b)):
                y[i, j] += a[i, k] * b[k, j]
                z[i, j] += y[i, j] * b[k, j]
    return np.sum(np.sin(y)) + np.sum(z * z)


def of_one_array(a, b):
    """Both sums are added to one array."""
    y = np.ones((len(a), b.shape[1]))
    for i in range(len(a)):
        for j in range(b.shape[1]):
            for k in range(len(b)):
                y[i, j] += a[i, k] * b[k, j]
                y[0, 0] += 0.1 * a[i, k]
    return np.sum(np.sin(y))


@pytest.mark.parametrize(("f", "found"), [(together, 2), (one_of_the_other, 0), (of_one_array, 0)])
def test_products_of_one_nest(f, found):
    with small_products():
        assert products(f, A, B) == found
    same(f, A, B)
    with small_products():
        gradcheck(anew(f), (A, B), target="python")


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", [added, number])
def test_any_layout_and_length(f, target):
    same_for_each(f, list(layouts()), target)


def test_what_is_not_finite_stays():
    b = B.copy()
    b[1, 2], b[2, 0], b[0, 4] = np.inf, np.nan, -np.inf
    for a in (np.zeros((4, 3)), A):
        with small_products(), np.errstate(invalid="ignore"):
            found = flow.compile(anew(elements), target="python")(a, b)
            np.testing.assert_array_equal(np.isnan(found), np.isnan(elements(a, b)))
