"""dict(...), update and fromkeys of items of which only the run tells how many there are."""

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import TARGETS, agrees

X = np.array([0.7, -1.3, 2.1, 0.4, 1.9])


def of_numbers_and_a_list(x):
    kept = [v * v for v in x if v > 0]
    d = dict(zip(range(len(kept)), kept, strict=False))
    return sum(k * v for k, v in d.items()) + d[0] * len(d)


def of_two_lists(x):
    keys, values = [], []
    for i in range(len(x)):
        if x[i] > 0.5:
            keys.append(i)
            values.append(x[i])
    d = dict(zip(keys, values, strict=True))
    return sum(d[k] * k for k in d)


def updated(x):
    kept = [v * 2.0 for v in x if v > 0]
    d = {100: x[0], 1: x[1]}
    d.update(zip(range(len(kept)), kept, strict=False))
    d.update((int(v) + 7, v) for v in x if v > 1.0)
    return sum(d.values()) * len(d) + d[100] + d[1]


def later_ones_win(x):
    d = dict((int(v), v) for v in x if v > 0)
    return sum(k * v for k, v in d.items()) + d[0] * 3.0


def from_keys(x):
    kept = [v for v in x if v > 0]
    d = dict.fromkeys(range(len(kept)), 1.5)
    d[0] = d[0] * x[0]
    e = dict.fromkeys([int(v) for v in kept])
    return sum(d.values()) + len(e) * x[1]


PROGRAMS = [of_numbers_and_a_list, of_two_lists, updated, later_ones_win, from_keys]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_the_pairs_of_the_run(f):
    for x in (X, X[::-1].copy()):
        agrees(f, x)
        wanted = [(f(x + h) - f(x - h)) / 2e-6 for h in 1e-6 * np.eye(len(x))]
        for target in TARGETS:
            assert np.allclose(flow.grad(f, target=target)(x), wanted, rtol=1e-5, atol=1e-7)
