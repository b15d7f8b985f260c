"""Names that stand for one of several buffers of different lengths, in legal programs.

The checker runs on what reverse mode makes, and after each pass on it.
"""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.passes import checking
from srcgrad.testing import gradcheck
from tests.tools.memo import shared


def chosen(x, w):
    a = x.copy()
    d = np.zeros(4)
    c = a
    if w > 0.1:
        d[:] = a * w
        c = d
    return np.sum(c * d) + c[0]


def chosen_tables(x, y, w):
    a, b = np.sin(x), y * w
    c = a
    if w > 0.1:
        c = b
    c[:, 1] *= c[:, 0]
    c[0] += w
    return np.sum(c * c)


def chosen_of_three(x, w, k):
    a, b, d = x[1:] * w, x * x, np.cos(x[2:])
    c = a
    if k == 1:
        c = b
    elif k == 2:
        c = d
    c[0] = c[1] * w
    return np.sum(c * c) + a[0] * b[0] * d[0]


def strided(x, y, w):
    a, b = np.sin(x)[:, ::2], np.cos(y).T
    c = a
    if w > 0.1:
        c = b
    c[0] *= c[1]
    return np.sum(c * c)


def swapped(u, v, steps):
    for _ in range(steps):
        v[0] = u[0] * u[1]
        u, v = v, u
    return u[0]


X, Y = np.linspace(0.2, 0.8, 6).reshape(2, 3), np.linspace(0.4, 1.4, 12).reshape(3, 4)
V = np.linspace(0.2, 0.8, 4)
PROGRAMS = [
    (chosen, (V, 0.3)),
    (chosen_tables, (X, Y, 0.05)),
    (chosen_tables, (X, Y, 0.3)),
    *((chosen_of_three, (V, 0.3, k)) for k in range(3)),
    (strided, (X, Y, 0.05)),
    (strided, (X, Y, 0.3)),
    (swapped, (V, V[:3] + 0.1, 3)),
]
IDS = [f"{fn.__name__}-{args[-1]}" for fn, args in PROGRAMS]


@pytest.mark.parametrize("target", ["python", "loops"])
@pytest.mark.parametrize(("fn", "args"), PROGRAMS, ids=IDS)
@shared
def test_joined_buffers_of_two_lengths(fn, args, target):
    with checking():
        gradcheck(fn, args, order=2, target=target)


def test_joined_buffers_cpu():
    args = (X, Y, 0.3)
    compiled, plain = (flow.compile(chosen_tables, target=t) for t in ("cpu", "python"))
    got = flow.grad(compiled, (0, 1, 2))(*args)
    for g, expected in zip(got, flow.grad(plain, (0, 1, 2))(*args), strict=True):
        np.testing.assert_allclose(g, expected, rtol=1e-12)
