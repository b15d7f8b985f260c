"""Lists that grow, with items taken out, put in between, reordered and compared."""

from operator import itemgetter

import numpy as np

from tests.cases.registry import case

FEW = np.array([0.7, 1.3, 0.4, 2.1, 1.6])
MIXED = np.array([0.3, 0.7, 1.1, -0.4, 0.9, 1.6])


@case(MIXED)
def first_in_first_out(x):
    waiting, total = [], 0.0
    for v in x:
        if v > 0.0:
            waiting.append(v * v)
        if len(waiting) > 2:
            total += waiting.pop(0) * v
    return total + sum(waiting)


@case(FEW, 1, wrt=(0,))
@case(FEW, -2, wrt=(0,))
def taken_out_anywhere(x, k):
    values = []
    for v in x:
        if v > 0.5:
            values.append(v)
    taken = values.pop(k) ** 2
    last = values.pop(int(x[0] > 5.0))
    return taken * last + values[-1] * len(values)


@case(MIXED)
def inserted_in_order(x):
    kept = []
    for v in x:
        k = 0
        while k < len(kept) and kept[k] < v:
            k += 1
        kept.insert(k, v)
    return sum((k + 1) * v * v for k, v in enumerate(kept))


@case(FEW)
def inserted_at_an_end(x):
    kept = []
    for k, v in enumerate(x):
        if v > 0.5:
            kept.insert(-1, v)
        else:
            kept.insert(100, v * v)
        kept.insert(-k, v)
    return sum((k + 1) * v * v for k, v in enumerate(kept))


@case(FEW)
def rows_taken_and_inserted(x):
    rows, total = [], 0.0
    for k, v in enumerate(x):
        if v > 0.5:
            rows.insert(0, x * v)
        if len(rows) > 2:
            total += rows.pop(1)[k]
    rows.reverse()
    return total + np.sum(rows[0] * rows[-1])


@case(MIXED)
def pairs_taken_and_inserted(x):
    events, total, t = [], 0.0, 0.0
    for k, v in enumerate(x):
        if v > 0.5:
            events.append((v, k))
    events.insert(1, (0.1, 0))
    while events:
        t, k = events.pop(0)
        total += x[k] * t
        if t < 1.0 and k < 4:
            events.append((t + 0.7, k + 1))
    return total


@case(MIXED)
def sorted_in_place(x):
    kept = []
    for v in x:
        if v > -0.1:
            kept.append(v)
    kept.sort()
    total = sum(k * v for k, v in enumerate(kept))
    kept.sort(key=lambda v: (v - 0.97) ** 2, reverse=True)
    return total * kept[0] - kept[-1]


@case(np.array([0.3, 0.7, 0.4, 1.1, 0.8, 0.35]), [2, 1, 0, 1, 0, 2], wrt=(0,))
def tuples_in_order(x, ks):
    items = []
    for k, v in zip(ks, x, strict=True):
        if v > 0.0:
            items.append((k, v, v * v))
    items.sort(reverse=True)
    ascending = sorted(items, key=lambda p: (p[1] > 0.5, -p[0]))
    total = 0.0
    for i, (k, _, w) in enumerate(items):
        total += (i + 1) * w + ascending[i][1] * ascending[i][2] * (i + k)
    return total


@case(MIXED)
def best_of_tuples(x):
    items = []
    for k, v in enumerate(x):
        if v > 0.0:
            items.append((k, v * v))
    high, low = max(items, key=lambda p: p[1]), min(items, key=lambda p: abs(p[1] - 0.6))
    first, last = min(items), max(items)
    nothing = max([p for p in items if p[1] > 100.0], default=(0, x[0]))
    return high[1] * low[1] + high[0] + first[1] * last[1] * nothing[1]


@case(np.linspace(0.2, 1.1, 80)[np.random.default_rng(0).permutation(80)])
def best_place_of_many(x):
    k = max(range(len(x)), key=lambda i: x[i] * (1.5 - x[i]))
    return x[k] ** 2 + min(x, key=lambda v: abs(v - 0.5))


@case(MIXED)
def rows_by_their_norm(x):
    rows = []
    for v in x:
        if v > 0.0:
            rows.append(x * v - v * v)
    big = max(rows, key=np.linalg.norm)
    return np.sum(big**3) + np.sum(sorted(rows, key=lambda r: r[0])[1])


@case(MIXED)
def equal_and_unequal(x):
    a, b, c = [], [], []
    for v in x:
        if v > 0.0:
            a.append(v)
            b.append(v + 0.0)
        if v > 2.0:
            c.append(v)
    total = sum(a) if a == b else x[0]
    if a != c and c == [] and a != [] and a[:2] == [x[0], x[1]]:
        total = total * b[-1]
    return total


@case(MIXED)
def found_and_removed(x):
    marks = []
    for k, v in enumerate(x):
        if v > 0.5:
            marks.append(k)
    place = marks.index(2)
    marks.remove(4)
    count = marks.count(1) + (4 in marks)
    return x[marks[place]] ** 2 * count + np.sum(x[marks] ** 3)


@case(MIXED)
def deleted(x):
    kept = []
    for v in x:
        if v > 0.0:
            kept.append(v)
    del kept[0], kept[-1]
    total = sum(k * v for k, v in enumerate(kept))
    del kept[1:]
    return total * kept[0] * len(kept)


@case(MIXED)
def known_list_by_a_place_of_the_run(x):
    order = [0, 1, 2, 3, 4, 5]
    k = int(np.argmax(x))
    order.remove(k)
    order.insert(k // 2, k)
    first = order.pop(k // 3)
    return np.sum(x[order] * np.arange(5)) * x[first]


@case(MIXED)
def structures_by_a_place_of_the_run(x):
    rows = []
    for v in x:
        if v > 0.0:
            rows.append((v, x[:2] * v))
    rows[int(x[0] > 5.0)] = (x[1], x[2:4])
    rows[1] = rows[0]
    return sum(np.sum(a * r) for a, r in rows)


@case(MIXED)
def known_list_of_rows_in_order(x):
    rows = [x, np.sin(x), x * 2.0 - 0.5]
    pairs = sorted([(np.sum(r), k) for k, r in enumerate(rows)])
    rows = sorted(rows, key=lambda r: r[1] ** 2, reverse=True)
    return np.sum(rows[0] * rows[1]) * pairs[0][0] + pairs[-1][1]


@case(MIXED)
def changed_while_a_loop_runs_over_it(x):
    kept = []
    for v in x:
        if v > 0.0:
            kept.append(v)
    total = 0.0
    for k, v in enumerate(kept):
        if k == 0:
            kept.append(kept.pop(0) * 2.0)
        total += (k + 1) * v
    for v in kept:
        if v < 0.65:
            kept.append(v * v)
            break
    return total * kept[-1]


@case(MIXED)
def nearest(x):
    distances = [(abs(v - 0.5), i) for i, v in enumerate(x)]
    distances.sort(key=itemgetter(0))
    intervals, joined = sorted((v, v + 0.3) for v in x), []
    for a, b in intervals:
        if joined and joined[-1][1] >= a:
            joined[-1] = (joined[-1][0], max(joined[-1][1], b))
        else:
            joined.append((a, b))
    return sum(x[i] ** 2 for _, i in distances[:3]) + sum((b - a) * a for a, b in joined)


def grown(x, n):
    values = []
    for i in range(n):
        values.append(x[i % 5] * (i + 1))
    return values


@case(FEW, 0, wrt=(0,))
@case(FEW, 7, wrt=(0,))
def slices_with_steps_deleted(x, n):
    values, pairs = grown(x, n), []
    del values[::2]
    del values[n:0:-2]
    for i in range(n):
        pairs.append((x * i, x[i % 5], i))
    del pairs[1 :: max(n // 2, 1)]
    total = x[0] ** 2 + len(values)
    for k, v in enumerate(values):
        total += (k + 1) * v
    for row, v, i in pairs:
        total += np.sum(row) * v * i
    return total


@case(FEW, 1, wrt=(0,))
@case(FEW, 6, wrt=(0,))
def slices_stored_to(x, n):
    values, rows = grown(x, n), []
    values[1:3] = [x[0], x[1], x[2] ** 2]
    values[-2:] = x
    values[3:1] = values
    values[::-1] = [v * v for v in values]
    values[::2] = [x[0] * x[1]] * len(values[::2])
    for i in range(n):
        rows.append((x * i, i))
    rows[1:2] = [(x * x, 7), (x, 8)]
    total = len(values)
    for k, v in enumerate(values):
        total += (k + 1) * v
    for row, i in rows:
        total += np.sum(row) * i
    return total


@case(FEW, 0, wrt=(0,))
@case(FEW, 2, wrt=(0,))
@case(FEW, 4, wrt=(0,))
def lists_in_order(x, n):
    values, pairs = grown(x, n), []
    for i in range(n):
        pairs.append((i % 2, x[i % 5]))
    total = x[0] if values < [1.0] else x[1]
    total += x[2] * (values <= grown(x, 2)) + x[3] * (grown(x, 2) > values) + (values >= values)
    return total + x[4] * (values > []) + x[0] * (pairs < [(0, 0.9), (1, 5.0)])
