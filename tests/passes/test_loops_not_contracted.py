"""Loops that are no products of matrices, or at run time only, and the proofs that tell them."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.passes.contractions.nests import Nest
from tests.passes.contracted import A, B, products, rng, same, stored
from tests.passes.with_and_without import anew
from tests.tools.products import small_products


def triangle(a, b):
    y = np.zeros((4, 5))
    for i in range(4):
        for j in range(i, 5):
            for k in range(3):
                y[i, j] += a[i, k] * b[k, j]
    return np.sum(y)


def conditional(a, b):
    y = np.zeros((4, 5))
    for i in range(4):
        for j in range(5):
            for k in range(3):
                if a[i, k] > 0.0:
                    y[i, j] += a[i, k] * b[k, j]
    return np.sum(y)


def until(a, b):
    y = np.zeros((4, 5))
    for i in range(4):
        for j in range(5):
            for k in range(3):
                if k > i:
                    break
                y[i, j] += a[i, k] * b[k, j]
    return np.sum(y)


def in_place(a, b):
    for i in range(4):
        for j in range(3):
            for k in range(3):
                a[i, j] += a[i, k] * b[k, j]
    return np.sum(a)


def by_views(a, b):
    c = a[:, 1:]
    for i in range(4):
        for j in range(2):
            for k in range(3):
                c[i, j] += a[i, k] * b[k, j]
    return np.sum(a)


def changed_meanwhile(a, b):
    y = np.zeros((4, 5))
    for i in range(4):
        for j in range(5):
            s = 0.0
            for k in range(3):
                s += a[i, k] * b[k, j]
            y[i, j] = s
            b[0, j] = 0.5 * s
    return np.sum(y)


def changed_between(a, b):
    y = np.zeros(b.shape[1])
    total = 0.0
    for i in range(len(a)):
        for k in range(len(b)):
            for j in range(len(y)):
                y[j] += a[i, k] * b[k, j]
        b[1, 2] = np.sin(y[0])
        total += y[2]
    return total


def of_the_sum(a, b):
    y = np.zeros((4, 5))
    for i in range(4):
        for j in range(5):
            s = 0.0
            for k in range(3):
                s += a[i, k] * b[k, j] * s
            y[i, j] = s
    return np.sum(y)


def several(a, b):
    y = np.zeros((4, 5))
    for i in range(4):
        for j in range(5):
            for _ in range(2):
                for k in range(3):
                    y[i, j] += a[i, k] * b[k, j]
    return np.sum(y)


def of_three(a, b):
    y = np.zeros((4, 5))
    for i in range(4):
        for j in range(5):
            for k in range(3):
                y[i, j] += a[i, k] * b[k, j] * a[j % 4, 0] * np.sin(a[i, 0] * b[0, j])
    return np.sum(y)


def wider(a, b):
    return stored(np.zeros((4, 5)), a.astype(np.float32), b.astype(np.float32))


def of_integers(a, b):
    y, x = np.zeros((4, 5), int), np.arange(12).reshape(4, 3)
    for i in range(4):
        for j in range(5):
            for k in range(3):
                y[i, j] += x[i, k] * x[k, j % 3]
    return np.sum(a[0] * y[0, :3]) + b[0, 0]


LOOPS = (
    triangle, conditional, until, in_place, by_views, changed_meanwhile,
    changed_between, of_the_sum, several,
    of_three, wider, of_integers,
)  # fmt: skip


@pytest.mark.parametrize("f", LOOPS)
def test_loops_that_stay(f):
    with small_products():
        assert products(f, A, B) == 0
    same(f, A, B)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_an_argument_that_is_also_stored_to(target):
    same(stored, np.zeros((4, 5)), A, B, target=target)
    x = rng.normal(size=(6, 6))
    f = flow.compile(anew(stored), target=target)
    whole, low, high, right = np.s_[:], np.s_[:4], np.s_[2:], np.s_[:, 1:]
    for at, of in ((whole, whole), (low, high), (right, whole)):
        want, found = x.copy(), x.copy()
        value = stored(want[at], want[of], B)
        with small_products():
            np.testing.assert_allclose(f(found[at], found[of], B), value, rtol=1e-12)
        np.testing.assert_allclose(found, want, rtol=1e-12)


@pytest.mark.parametrize(
    ("a", "b"), [(A[:, :2], B), (A, B[:, :4]), (A[:3], B), (A, B[:2]), (A[:3, :1], B[:1])]
)
def test_places_out_of_bounds(a, b):
    kind, message, _ = same(stored, np.zeros((4, 5)), a, b)
    assert LookupError in kind and "out of bounds" in message


def wrapped(a, b):
    y = np.zeros((4, 5))
    for i in range(4):
        for j in range(5):
            for k in range(3):
                y[i, j] += a[i + 1 - len(b), k] * b[k, j]
    return np.sum(np.sin(y))


def test_places_before_the_first_count_from_the_last():
    with small_products():
        assert products(wrapped, A, B) == 1
    same(wrapped, A, B)


@pytest.mark.parametrize(
    ("proof", "weak", "f"),
    [
        ("leaves_alone", True, in_place),
        ("leaves_alone", True, by_views),
        ("leaves_alone", True, changed_meanwhile),
        ("leaves_alone", True, changed_between),
        ("checks", (), wrapped),
        ("is_fixed", True, triangle),
    ],
)
def test_a_weaker_proof_is_noticed(proof, weak, f, monkeypatch):
    monkeypatch.setattr(Nest, proof, lambda *_: weak)
    with pytest.raises((AssertionError, TypeError, ValueError)):
        same(f, A, B)
