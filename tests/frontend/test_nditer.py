"""np.nditer: its spellings, what it stores to, the order of elements, and what is refused."""

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import TARGETS, agrees

X = np.array([0.7, -1.3, 2.1, 0.4])


def plain(x):
    total = 0.0
    for v in np.nditer(x):
        total = total * 0.5 + v * v
    return total


def with_a_place(x):
    a, total = np.outer(x, x[:3]), 0.0
    it = np.nditer(a, flags=["multi_index"])
    for v in it:
        total = total * 0.9 + v * it.multi_index[0] + a[it.multi_index]
    return total + it.finished


def by_hand(x):
    a, total = np.outer(x[:2], x), 0.0
    it = np.nditer(a, flags=["multi_index"], op_flags=["readwrite"])
    while not it.finished:
        at = it.multi_index
        old = a[at]
        a[at] = old * 2.0 + 1.0
        total += np.sum(a * a)
        it[0] = old
        it.iternext()
    return total + it.itersize + it.nop + it.ndim


def stores(x):
    y = np.outer(x, x)
    with np.nditer(y, flags=["multi_index"], op_flags=["readwrite"]) as it:
        for v in it:
            i, j = it.multi_index
            if i == j:
                v[...] = 1.0
            elif i > j:
                v[...] *= x[0]
            else:
                v += 1.0
    return np.sum(y * y)


def several(x):
    total = 0.0
    for a, b, c in np.nditer([x[:, None], x[None, :3], 2.0]):
        total = total * 0.5 + a - b * b * c
    return total


def in_and_out(x):
    y = np.zeros_like(x)
    for a, b in np.nditer([x, y], op_flags=[["readonly"], ["writeonly"]]):
        b[...] = a * a
    it = np.nditer([y, x, None])
    for a, b, c in it:
        c[...] = a * b
    return np.sum(it.operands[2])


def in_a_stated_order(x):
    a, total = np.outer(x, x[:2] * 3.0), 0.0
    for order in ("C", "F"):
        it = np.nditer(a.T, flags=["f_index"], order=order)
        for v in it:
            total = total * 0.5 + v * it.index
    return total


def left_and_gone_on(x):
    it = np.nditer(x, flags=["c_index"])
    total = 0.0
    for v in it:
        if v > 1.0:
            break
    for v in it:
        total += v * it.index
    it.reset()
    return total + it[0]


def in_a_comprehension(x):
    return sum(v * k for k, v in enumerate(np.nditer(x))) + np.max([v * v for v in np.nditer(x)])


PROGRAMS = [
    plain, with_a_place, by_hand, stores, several, in_and_out, in_a_stated_order, left_and_gone_on,
    in_a_comprehension,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_the_elements(f):
    agrees(f, X)
    wanted = [(f(X + h) - f(X - h)) / 2e-6 for h in 1e-6 * np.eye(len(X))]
    for target in TARGETS:
        assert np.allclose(flow.grad(f, target=target)(X), wanted, rtol=1e-5, atol=1e-6)


def stores_to_what_it_reads(x):
    y = x.copy()
    for v in np.nditer(y):
        v[...] = 2.0
    return np.sum(y)


def changed_meanwhile(x):
    y, total = x.copy(), 0.0
    it = np.nditer(y, flags=["c_index"])
    for v in it:
        y[it.index] = 3.0
        total += v
    return total


def backwards(x):
    return sum(np.nditer(x[::-1]))


def in_chunks(x):
    return sum(c[0] for c in np.nditer(x, flags=["external_loop"]))


REFUSED = {
    stores_to_what_it_reads: "and it is stored to",
    changed_meanwhile: "its source is stored to before it is read",
    backwards: "may not be contiguous",
    in_chunks: "external_loop",
}


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_what_would_show_the_memory(f):
    with pytest.raises(flow.UnsupportedError, match=REFUSED[f]):
        flow.compile(f, target="python")(X)


def of_nothing(x):
    return sum(np.nditer(np.zeros((0, 2)) * x[0]))


def without_a_place(x):
    return np.nditer(x).multi_index[0] * x[0]


def past_the_end(x):
    it = np.nditer(x[:1])
    it.iternext()
    return it[0]


@pytest.mark.parametrize("f", [of_nothing, without_a_place, past_the_end])
def test_what_raises(f):
    for target in TARGETS:
        with pytest.raises(ValueError, match=r"(?i)iterat"):
            flow.compile(f, target=target)(X)
