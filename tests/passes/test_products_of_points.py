"""Loops over points whose products become one of all points, and loops that stay as they are."""

import numpy as np
import pytest

from srcgrad.ir.types import references
from srcgrad.ir.walk import uses, walk
from srcgrad.passes.contractions.points import Division
from tests.passes.contracted import products, rng, same

X, W, V = rng.normal(size=(6, 3)), rng.normal(size=(3, 5)), rng.normal(size=(5, 4))


def in_buffers(x, w, v):
    total, h, y = 0.0, np.empty(w.shape[1]), np.empty(v.shape[1])
    for i in range(len(x)):
        for c in range(len(h)):
            h[c] = 0.1 * c
            for j in range(x.shape[1]):
                h[c] += x[i, j] * w[j, c]
        for c in range(len(h)):
            h[c] = np.tanh(h[c])
        for c in range(len(y)):
            s = 0.2
            for j in range(len(h)):
                s += h[j] * v[j, c]
            y[c] = s
        total += np.log(np.sum(np.exp(y)))
    return total


def in_rows(x, w, v):
    h = np.zeros((len(x), w.shape[1]))
    total = 0.0
    for i in range(len(x)):
        for j in range(x.shape[1]):
            for c in range(w.shape[1]):
                h[i, c] += x[i, j] * w[j, c]
        for c in range(w.shape[1]):
            h[i, c] = np.sin(h[i, c])
        for c in range(v.shape[1]):
            s = 0.0
            for j in range(w.shape[1]):
                s += h[i, j] * v[j, c]
            total += s * s
    return total * h[0, 1]


def of_pairs(x, w, v):
    """Attention: both products are of all points."""
    n, d = x.shape
    total, p = 0.0, np.empty(n)
    for i in range(n):
        for j in range(n):
            s = 0.0
            for c in range(d):
                s += x[i, c] * x[j, c]
            p[j] = np.exp(s)
        for c in range(d):
            o = 0.0
            for j in range(n):
                o += p[j] * x[j, c]
            total += o * o
    return total


def numbers(x, w, v):
    """Numbers of all kinds that the second part reads, and one that the first part carries."""
    total, rate, count, h = 0.0, 1.0, 0, np.empty(len(v))
    for i in range(len(x)):
        rate = 0.9 * rate + x[i, 0]
        count += i % 3
        large = x[i, 1] > 0.0
        for c in range(len(h)):
            h[c] = np.sin(x[i, 2]) * rate + c
        for c in range(v.shape[1]):
            s = 0.0
            for j in range(len(h)):
                s += h[j] * v[j, c]
            total += s * rate + count if large else 0.5 * s
    return total * rate


def labels(x, w, v):
    """The second part fails by what the run knows."""
    which = np.array([0, 3, 1, 2, -1, 3])
    total, h, y = 0.0, np.empty(len(v)), np.empty(v.shape[1])
    for i in range(len(x)):
        for c in range(len(h)):
            h[c] = np.exp(-x[i, 0] * c)
        for c in range(len(y)):
            y[c] = 0.0
            for j in range(len(h)):
                y[c] += h[j] * v[j, c]
        total += y[which[i]]
    return total


def first_row(x, w, v):
    """Rows from the second one on, in place, from the last one."""
    total = 0.0
    for i in range(len(x) - 1, 0, -1):
        for j in range(x.shape[1]):
            x[i, j] = np.cos(x[i, j])
        for c in range(w.shape[1]):
            s = 0.0
            for j in range(x.shape[1]):
                s += x[i, j] * w[j, c]
            total = 0.7 * total + s
    return total


DIVIDED = [in_buffers, in_rows, of_pairs, numbers, labels, first_row]


@pytest.mark.parametrize("f", DIVIDED)
def test_a_product_of_points(f, monkeypatch):
    assert products(f, X, W, V) == (2 if f in (in_buffers, in_rows, of_pairs) else 1)
    same(f, X, W, V)
    monkeypatch.setattr(Division, "is_legal", lambda self: False)
    assert products(f, X, W, V) == (1 if f in (in_buffers, in_rows, of_pairs) else 0)


@pytest.mark.parametrize("f", DIVIDED)
def test_a_product_of_points_as_machine_code(f):
    same(f, X, W, V, target="cpu")


# ---- what stays ----
def read_after(x, w, v):
    h = np.empty(len(v))
    total = made_of(x, v, h)
    return total + h[0] * h[2]


def made_of(x, v, h):
    total = 0.0
    for i in range(len(x)):
        for c in range(len(h)):
            h[c] = np.sin(x[i, 0] + c)
        for c in range(v.shape[1]):
            s = 0.0
            for j in range(len(h)):
                s += h[j] * v[j, c]
            total += s * s
    return total


def of_the_total(x, w, v):
    total, h = 0.0, np.empty(len(v))
    for i in range(len(x)):
        for c in range(len(h)):
            h[c] = np.sin(x[i, 0] + 0.01 * total)
        for c in range(v.shape[1]):
            s = 0.0
            for j in range(len(h)):
                s += h[j] * v[j, c]
            total += s * s
    return total


def of_the_total_before(x, w, v):
    total, before, h = 0.0, 0.0, np.empty(len(v))
    for i in range(len(x)):
        for c in range(len(h)):
            h[c] = np.sin(x[i, 0] + 0.01 * before)
        before = total
        for c in range(v.shape[1]):
            s = 0.0
            for j in range(len(h)):
                s += h[j] * v[j, c]
            total += s * s
    return total


def row_before(x, w, v):
    h, total = np.zeros((len(x), len(v))), 0.0
    for i in range(1, len(x)):
        for c in range(len(v)):
            h[i, c] = np.tanh(x[i, 0] + h[i - 1, c] + c)
        for c in range(v.shape[1]):
            s = 0.0
            for j in range(len(v)):
                s += h[i, j] * v[j, c]
            total += np.sin(s)
            h[i, c] = 0.1 * s
    return total


def changed_for_others(x, w, v):
    h, total = np.empty(len(v)), 0.0
    for i in range(len(x)):
        for c in range(len(v)):
            h[c] = np.tanh(x[i, 0] + w[0, c])
        for c in range(v.shape[1]):
            s = 0.0
            for j in range(len(v)):
                s += h[j] * v[j, c]
            total += np.sin(s)
            w[0, c] = 0.3 * s
    return total


def by_two_names(x, w, v):
    h, g, total = np.empty(len(v)), np.zeros((len(x) + 1, len(v))), 0.0
    later = g[1:]
    for i in range(len(x)):
        for c in range(len(v)):
            h[c] = np.tanh(x[i, 0] + g[i, c])
        for c in range(v.shape[1]):
            s = 0.0
            for j in range(len(v)):
                s += h[j] * v[j, c]
            later[i, c] = 0.1 * s
            total += np.sin(s)
    return total


STAY = [read_after, of_the_total, of_the_total_before, row_before, changed_for_others, by_two_names]


@pytest.mark.parametrize("f", STAY)
def test_loops_that_stay(f):
    assert not products(f, X, W, V)
    same(f, X, W, V)


def test_what_fails_in_the_second_part_has_seen_the_stores_before_it():
    def stores(x, w, v):
        total, which = 0.0, np.array([0, 1, 2, 9, 1, 0])
        for i in range(len(x)):
            for j in range(x.shape[1]):
                x[i, j] = np.cos(x[i, j])
            for c in range(w.shape[1]):
                s = 0.0
                for j in range(x.shape[1]):
                    s += x[i, j] * w[j, c]
                total += s
            total += v[which[i], 0]
        return total

    assert same(stores, X, W, V)[0]


# ---- teeth ----
def test_memory_that_parts_share_is_noticed(monkeypatch):
    monkeypatch.setattr(Division, "is_apart", lambda self: True)
    with pytest.raises(AssertionError):
        same(changed_for_others, X, W, V)


def test_rows_with_two_names_are_noticed(monkeypatch):
    def touched(self):
        return {self.classes.of(v) for s in walk(self.loop.body) for v in references(uses(s))}

    monkeypatch.setattr(Division, "by_rows", touched)
    with pytest.raises(AssertionError):
        same(by_two_names, X, W, V)


def test_stores_before_a_failure_are_noticed(monkeypatch):
    monkeypatch.setattr(Division, "keeps_failures", lambda self: True)
    with pytest.raises(AssertionError):
        test_what_fails_in_the_second_part_has_seen_the_stores_before_it()
