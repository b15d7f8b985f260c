"""`vjp` of results whose lengths the function computes: cotangents have them before it runs."""

import numpy as np
import pytest

import srcgrad as flow

X = np.array([0.9, 0.3, 0.7, 0.25, 0.8, 0.4])


def masked(x):
    return x[x > 0.5] * 2.0


def both(x):
    return x[x > 0.5] * 1.0, x[x < 0.5] * 2.0


def rows(x):
    kept = x[x > 0.5]
    out = np.empty((2, len(kept)))
    out[0] = kept
    out[1] = kept * kept
    return out


def columns(x):
    return x[x > 0.5][:, None] * x[x < 0.8]


def products(x):
    return np.outer(x, x)[x > 0.5] @ x


def grown(x):
    out = []
    for v in x:
        if v > 0.5:
            out.append(v * v)
    return np.array(out)


def joined(x):
    return np.concatenate((x[x > 0.5], x * 2.0))


def leading(x):
    k = 0
    while k < len(x) and x[k] > 0.28:
        k += 1
    return np.cumsum(x[:k])


FUNCTIONS = [masked, both, rows, columns, products, grown, joined, leading]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_loops_have_the_gradient_of_operations(function):
    found = []
    for target in ("python", "loops"):
        out, pull = flow.vjp(flow.compile(function, target=target), X)
        parts = out if isinstance(out, tuple) else (out,)
        seeds = tuple(np.cos(np.arange(v.size)).reshape(v.shape) for v in parts)
        found.append(pull(seeds if isinstance(out, tuple) else seeds[0])[0])
    np.testing.assert_allclose(*found, rtol=1e-14)


def test_machine_code():
    out, pull = flow.vjp(masked, X)
    np.testing.assert_array_equal(pull(np.arange(len(out)) + 1.0)[0], [2.0, 0, 4.0, 0, 6.0, 0])
