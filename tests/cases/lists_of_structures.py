"""Lists that grow by tuples, lists, dicts and objects of one structure."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tests.cases.registry import case

FEW = np.array([0.7, 1.3, 0.4, 2.1, 1.6])
MANY = np.linspace(0.2, 1.1, 80)[np.random.default_rng(0).permutation(80)]


class State(NamedTuple):
    time: float
    place: np.ndarray


@dataclass
class Peak:
    place: int
    height: float

    def area(self):
        return self.height * self.height * (self.place + 1)


@case(FEW, 0.55, wrt=(0,))
@case(FEW, -0.1, wrt=(0,))
def states_over_time(x, end):
    states = [State(0.0, x)]
    t, y = 0.0, x
    while t < end:
        y = y + 0.1 * np.sin(y)
        t += 0.1
        states.append(State(t, y))
    total = states[-1].place.sum()
    for k, (time, place) in enumerate(states):
        total += k * time * place.prod()
    return total + states[0].place[0] * len(states)


@case(FEW)
def rows_as_an_array(x):
    rows = []
    for i in range(len(x) - 1):
        if x[i] > 0.5:
            rows.append([x[i], x[i + 1] ** 2, i])
    table = np.array(rows)
    return np.sum(table[:, 0] * table[:, 1]) + table[-1, 2] * table[0, 0] + rows[-1][1]


@case(FEW)
def columns(x):
    rows = []
    for k, v in enumerate(x):
        if v > 0.5:
            rows.append((v, (k, v * v), x[: len(x) - 1] * v))
    a, pairs, arrays = zip(*rows, strict=True)
    total = np.dot(np.array(a), np.array([w for _, w in pairs]))
    return total + sum(arrays).sum() + sum(k * w for k, w in pairs)


@case(FEW)
def objects(x):
    peaks, named = [], []
    for i in range(1, len(x) - 1):
        if x[i] > x[i - 1] or x[i] > x[i + 1]:
            peaks.append(Peak(i, x[i]))
            named.append({"at": i, "value": x[i] * 2.0, "kind": "peak"})
    total = sum(p.area() for p in peaks)
    for d in named:
        total += d["value"] * d["at"] if d["kind"] == "peak" else 0.0
    return total + peaks[0].height * named[-1]["value"]


@case(FEW)
def a_stack_of_ranges(x):
    stack, total = [(0, len(x), 1.0)], 0.0
    while stack:
        low, high, weight = stack.pop()
        if high - low == 1:
            total += x[low] ** 2 * weight
            continue
        middle = (low + high) // 2
        stack.append((low, middle, weight * 0.5))
        stack.append((middle, high, weight * x[low]))
    return total


@case(FEW)
@case(MANY)
def made_by_comprehensions(x):
    pairs = [(v, v * v) for v in x]
    some = [(k, a * b) for k, (a, b) in enumerate(pairs) if a > 0.3]
    pairs[1] = (x[0], x[1])
    total = pairs[1][1] * some[0][1] + sum(b for _, b in some)
    for (a, b), v in zip(pairs[1:4], x, strict=False):
        total += a * b * v
    return total + sum(a for a, _ in pairs + pairs[:2])


@case(FEW)
def numbers_that_become_floats(x):
    rows = [(0, 1)]
    for v in x:
        if v > 1.0:
            rows.append((v, 2))
        else:
            rows.append((1, v))
    total = 0.0
    for a, b in rows:
        total += a * b
    return total * rows[1][0]


def add(rows, v, k):
    rows.append((v * k, k))


@case(FEW)
def filled_by_a_helper(x):
    rows = []
    for k, v in enumerate(x):
        add(rows, v, k)
        if k > 2:
            add(rows, v * v, 1)
    copied = list(rows)
    rows.clear()
    return sum(v * k for v, k in copied) + len(rows)


@case(FEW)
def in_order_and_looked_up(x):
    rows, seen = [], []
    for k, v in enumerate(x):
        if v > 0.5 and k not in seen:
            rows.append((k, v * v, x * v))
            seen.append(k)
    ordered = sorted(rows, key=lambda row: -row[1])
    best = ordered[0]
    for row in ordered:
        if row[1] < best[1]:
            best = row
    return ordered[0][1] * ordered[-1][2].sum() + best[1] * (2.0 if 2 in seen else 3.0)


@case(FEW)
@case(MANY)
def in_the_order_of_tuples(x):
    rows = []
    for k, v in enumerate(x):
        if v > 0.3:
            rows.append((k % 2, -v, x * k))
    first = sorted([(a, b) for a, b, _ in rows])
    rows = sorted(rows, key=lambda row: (row[0], row[1] ** 2), reverse=True)
    return first[0][1] * first[-1][1] + sum(v * (i + c.sum()) for i, (_, v, c) in enumerate(rows))


@case(FEW)
def largest_tuples(x):
    top = max((x[0], 1.0), (x[1], x[2]), (x[1], x[3]))
    value, place = max([(v * v, k) for k, v in enumerate(x)])
    low = min((1, x[4]), (1, x[2]), (2, x[0]))
    return top[0] * top[1] + value * place + low[1]
