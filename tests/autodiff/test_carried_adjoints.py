"""Adjoints that loops carry: contiguous, wherever what is carried went into a larger array."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.passes import checking
from srcgrad.testing import check_grads
from tests.tools.memo import shared


def columns(c, x):
    return np.c_[c, x]


def transposed(c, x):
    return np.concatenate([c, x[:, None]], axis=1).T


def between(c, x):
    return np.concatenate([x[:, None], c, c], axis=1)


def stacked(c, x):
    return np.stack([c, c * 2.0], axis=2) * x[0]


JOINS = columns, transposed, between, stacked


def overwritten(join, m, x, n):
    v = np.sin(m)
    c = m.copy()
    for _ in range(n):
        c = v * 0.9
    return np.sum(join(c, x) ** 3)


def carried(join, m, x, n):
    c = m
    d = np.cos(m)
    for _ in range(n):
        c, d = d * 1.1, np.sin(c) + x[0]
    return np.sum(join(c, x) ** 3) + np.sum(join(d, x))


def until(join, m, x, n):
    c, k = m, 0
    while k < n:
        c = np.tanh(c) * x[1]
        k += 1
    return np.sum(join(c, x) ** 3)


def inside(join, m, x, n):
    c, total = m, 0.0
    for _ in range(n):
        for _ in range(2):
            c = np.sin(c)
        total += np.sum(join(c, x) ** 3)
        c = np.cos(m) * 0.5
    return total


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("program", [overwritten, carried, until, inside])
@pytest.mark.parametrize("join", JOINS)
@shared
def test_gradients(program, join, target):
    def f(m, x):
        return program(join, m, x, 3)

    m, x = np.array([[0.3, 0.2, -0.5], [-0.1, 0.6, 0.4]]), np.array([0.7, -0.4])
    with checking():
        check_grads(flow.compile(f, target=target), (m, x))
