"""Lists of numbers that are one on one path, another on another: rows, frontiers, the best yet."""

import numpy as np

from tests.cases.registry import case


@case(np.array([0.21, 0.93, 0.48, 1.1, 0.75]), np.array([0.3, 0.8, 0.55, 1.2]))
@case(np.array([0.21]), np.array([0.3, 0.8]))
def edit_distance(x, y):
    before = [0.31 * j for j in range(len(y) + 1)]
    for i in range(len(x)):
        row = [0.31 * (i + 1)]
        for j in range(len(y)):
            cost = (x[i] - y[j]) ** 2
            row.append(min(before[j + 1] + 0.31, row[j] + 0.31, before[j] + cost))
        before = row
    return before[-1]


@case(np.linspace(0.21, 1.1, 5), 4)
def chosen_list(x, n):
    total = 0.0
    for k in range(n):
        one, two = [], []
        for v in x:
            one.append(v * v)
            two.append(np.sin(v) * k)
        chosen = one if x[k] > 0.5 else two
        total += chosen[-1] * chosen[0] * len(chosen)
    return total


@case(np.array([0.81, 0.65]))
def frontier_that_doubles(x):
    front, total = [x[0]], 0.0
    while len(front) < 12:
        new = []
        for v in front:
            total += v * v
            new.append(v * 0.5)
            new.append(v * x[1])
        front = new
    return total + sum(front)


@case(np.linspace(0.21, 1.1, 5), 4)
def best_so_far(x, n):
    best, score = [], 0.0
    for k in range(n):
        candidate = [v * k for v in x if v * k < 2.0]
        s = sum(candidate)
        if s > score:
            best, score = candidate, s
    return sum(v * v for v in best) + score


@case(np.linspace(0.21, 1.1, 5), 4)
def list_of_some_trips(x, n):
    for k in range(n):
        if x[k] > 0.4:
            out = [x[k]]
            for v in x:
                out.append(v * k)
    return out[-1] * sum(out)


def _upper(y):
    if y[0] > 0.1:
        return [v for v in y if v > 0.3]
    return [y[0]]


@case(np.linspace(0.21, 1.1, 5))
def lists_of_two_returns(x):
    return sum(_upper(x)) * _upper(x * 0.1)[0] + len(_upper(x))


@case(np.linspace(0.21, 1.1, 5), 3)
def integers_that_become_floats(x, n):
    values = [1, 2]
    for k in range(n):
        values = [v * x[k] for v in values] + [k]
    return sum(values) * values[0] + values[-1]


@case(np.linspace(0.21, 1.1, 5), 4)
def table_by_repetition(x, n):
    table = [0.0] * (n + 1)
    for i in range(1, n + 1):
        table[i] = table[i - 1] * 0.5 + x[i] * table[i // 2] + x[0]
    before = [1.0] * n
    for _ in range(3):
        row = [0.0] * n
        for j in range(n):
            row[j] = before[j - 1] * x[j] + 0.3
        before = row
    return table[n] * sum(table) + sum(before)


@case(np.linspace(0.21, 1.1, 5))
def lists_put_together(x):
    kept = [v for v in x if v > 0.3]
    both = kept + [1.0, x[0]] + kept  # noqa: RUF005 (the sum of lists is tested)
    twice = [v * v for v in kept] * 2
    long = [x[0] * 0.01] * 500
    for i in range(1, 500):
        long[i] += long[i - 1] * 0.9
    return sum(both) * twice[-1] + np.sum(kept * x[1:]) + long[-1] * long[7] + len(twice)
