"""Names of lists that paths bind to new lists, whose items are structures or that change."""

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import TARGETS, agrees

X = np.array([0.7, -1.3, 2.1, 0.4, 1.9])
Y = np.array([-0.3, 1.1, 0.8, -2.4, 0.25])


def filtered(x):
    rows = [(v, v * 2.0) for v in x]
    for k in range(3):
        if x[k] > -2.0:
            rows = [p for p in rows if p[0] > 0.3 * k]
        rows.append((x[k], float(len(rows))))
    return sum(a * b for a, b in rows)


def of_arrays(x):
    rows = [np.array([v, v * v]) for v in x]
    for k in range(3):
        rows = [r * 1.1 for r in rows if r[0] > k - 1]
        rows.append(x[:2] * k)
    return sum(r[0] * r[1] for r in rows)


class Rows:
    def __init__(self, x):
        self.rows = [(v, v * v) for v in x]

    def step(self, k):
        self.rows = [(a * 1.1, b) for a, b in self.rows if a > k * 0.4]


def of_an_object(x):
    held = Rows(x)
    for k in range(3):
        held.step(k)
    return sum(a * b for a, b in held.rows) + len(held.rows) * x[0]


def layers(x):
    front, total = [(0, 1.0)], 0.0
    while front:
        following = []
        for i, w in front:
            total += x[i] * w
            for j in (2 * i + 1, 2 * i + 2):
                if j < len(x):
                    following.append((j, w * x[i]))
        front = following
    return total


def queue(x):
    waiting, total = [0], 0.0
    while waiting:
        i = waiting.pop(0)
        total += x[i] * (i + 1)
        waiting = [j for j in waiting if j != i]
        if i + 1 < len(x):
            waiting.append(i + 1)
    return total


def swapped(x):
    a, b = [(v, 1.0) for v in x], [(v, 2.0) for v in x if v > 0]
    for _ in range(3):
        a, b = [(p + 1.0, q) for p, q in b if p > 0], a
    return sum(p * q for p, q in a) + 2.0 * sum(p * q for p, q in b)


def begun_again(x):
    run, best = [], []
    for v in x:
        if v < 0:
            run = []
        else:
            run.append((v, v * v))
        if len(run) > len(best):
            best = list(run)
    return len(best) * x[0] + sum(a for _, a in run) + sum(a for a, _ in best)


def generations(x):
    pool = [(v, v * v) for v in x]
    for _ in range(3):
        pool = sorted(pool, key=lambda p: p[1])[:3]
        pool = pool + [(a * 0.9, (a * 0.9) ** 2) for a, _ in pool]
        if len(pool) > 5:
            break
    return pool[0][1] + pool[-1][0] * len(pool)


def the_one_before(x):
    rows, lost = [(v, v) for v in x], 0
    for k in range(3):
        before = rows
        rows = [p for p in rows if p[0] > 0.3 * k]
        lost += len(before) - len(rows)
    return lost * x[0] + sum(a * b for a, b in rows)


def read_in_a_loop_that_rebinds(x):
    rows = [(v, v) for v in x]
    total = 0.0
    for p in rows:
        rows = [q for q in rows if q[0] > p[0]]
        total += p[0] * len(rows)
    return total


def settled_and_then_chosen(x):
    total, held, grown = x[0], Rows([]), [x]
    try:
        total += held.rows[len(grown)][0]
    except IndexError:
        total += 1.0
    for k in range(len(x)):
        held.rows = [v for v in held.rows if v[0] > 0.2]
        grown.append(np.cos(x) * k)
    if x[0] > x[1]:
        held.rows = grown
    return total + sum(v.sum() for v in held.rows)


PROGRAMS = [
    filtered, of_arrays, of_an_object, layers, queue, swapped, begun_again, generations,
    the_one_before, read_in_a_loop_that_rebinds, settled_and_then_chosen,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_the_list_that_was_bound_last(f):
    for x in (X, Y):
        agrees(f, x)
        steps = 1e-6 * np.eye(len(x))
        wanted = [(f(x + h) - f(x - h)) / 2e-6 for h in steps]
        for target in TARGETS:
            assert np.allclose(flow.grad(f, target=target)(x), wanted, rtol=1e-5, atol=1e-7)


# ---- refused where something else leads to one of the lists ----
def with_another_name(x):
    rows = [(v, v) for v in x]
    first = rows
    for k in range(2):
        rows = [p for p in rows if p[0] > 0.3 * k]
    return len(first) * x[0] + len(rows)


def in_a_dict(x):
    rows = [(v, v) for v in x]
    held = {"rows": rows}
    for k in range(2):
        rows = [p for p in rows if p[0] > 0.3 * k]
    return len(held["rows"]) * x[0] + len(rows)


def in_a_generator(x):
    rows = [(v, v) for v in x]
    waiting = (p[0] for p in rows)
    for k in range(2):
        rows = [p for p in rows if p[0] > 0.3 * k]
    return sum(waiting) + len(rows)


def in_an_iterator(x):
    rows = [(v, v) for v in x]
    waiting = zip(rows, x, strict=False)
    for k in range(2):
        rows = [p for p in rows if p[0] > 0.3 * k]
    return sum(p[0] * v for p, v in waiting) + len(rows)


def in_a_default(x):
    rows = [(v, v) for v in x]
    count = lambda held=rows: len(held)
    for k in range(2):
        rows = [p for p in rows if p[0] > 0.3 * k]
    return count() * x[0] + len(rows)


def of_the_caller(x):
    rows = [(v, v) for v in x]

    def left(rows):
        for k in range(2):
            rows = [p for p in rows if p[0] > 0.3 * k]
        return len(rows)

    return left(rows) * x[0] + len(rows)


SHARED = [with_another_name, in_a_dict, in_a_generator, in_an_iterator, in_a_default, of_the_caller]


@pytest.mark.parametrize("f", SHARED, ids=lambda f: f.__name__)
def test_a_list_that_is_reached_otherwise(f):
    with pytest.raises(flow.UnsupportedError, match=r"changes kind in a loop: it is a list"):
        flow.compile(f, target="python")(X)
