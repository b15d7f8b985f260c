"""Lists that are made anew in every trip of a loop or on one side of a branch, and grow there."""

import numpy as np

from tests.cases.registry import case, vec

# pyright: reportPossiblyUnboundVariable=false


@case(np.linspace(0.2, 1.1, 5))
def list_per_trip(x):
    for k in range(3):
        out = []
        for v in x:
            out.append(v * v + 0.3 * k)
        x = np.array(out)
    return np.sum(x * x)


@case(np.linspace(0.2, 1.1, 5))
def list_per_trip_reads_its_items(x):
    total = 0.0
    for k in range(4):
        out = []
        for i in range(len(x)):
            if i == 0:
                out.append(np.sin(x[0] + k))
            else:
                out.append(np.sin(out[-1] * x[i]) + out[i - 1] ** 2)
        total += out[-1] * out[0]
    return total


@case(np.linspace(0.2, 1.1, 6), 4)
def list_per_trip_of_a_length_that_varies(x, n):
    total = 0.0
    for k in range(n):
        out = []
        for i in range(k):
            out.append(x[i] * x[k])
        if len(out) > 1:
            total += np.prod(np.array(out)) * k
    return total


@case(np.linspace(0.2, 1.1, 6), 3)
def list_per_trip_with_stored_items(x, n):
    total = 0.0
    for k in range(n):
        out = []
        for v in x:
            out.append(v * (k + 1))
        for i in range(1, len(out)):
            out[i] = out[i] * out[i - 1]
        for i in range(len(out)):
            out[i] *= out[i]
        total += out[-1] + out[2]
    return total


@case(np.linspace(0.2, 1.1, 6), 2.0)
def list_on_one_side(x, limit):
    total = 0.0
    for k in range(3):
        if total < limit:
            out = []
            for v in x:
                if v > 0.3 * k:
                    out.append(v * v * (total + 1))
            total = total + np.sum(np.array(out) ** 2)
        else:
            total = total * x[k]
    return total


@case(np.array([0.9, 1.3, 2.0]), 10)
def list_per_trip_of_a_while(x, n):
    k = 0
    while k < n:
        found = []
        i = 0
        while i < len(x):
            if x[i] * k < 6.0:
                found.append(np.exp(0.1 * x[i]) * x[k % 3])
            i += 1
        if len(found) == 0:
            break
        x = x + np.mean(np.array(found)) * 0.1
        k += 2
    return np.sum(x * x)


@case(np.linspace(0.2, 1.1, 4), 3)
def list_in_each_of_two_loops(x, n):
    total = 0.0
    for k in range(n):
        rows = []
        for i in range(len(x)):
            row = []
            for j in range(i + 1):
                row.append(x[i] * x[j] + k)
            rows.append(np.sum(np.array(row) ** 2))
        total += np.sum(np.array(rows)) * rows[k]
    return total


@case(np.linspace(0.2, 1.1, 4), 3)
def rows_per_trip(x, n):
    y = x
    for k in range(n):
        rows = []
        for i in range(n + 1):
            rows.append(y * x[i])
        y = np.mean(np.array(rows), axis=0) + 0.1 * rows[-1] * rows[k]
    return np.sum(y**2)


def _positive(x, shift):
    kept = []
    for v in x:
        if v > shift:
            kept.append(np.sqrt(v - shift))
    return kept


@case(np.linspace(0.2, 1.1, 6), 3)
def list_of_a_helper_per_trip(x, n):
    total = 0.0
    for k in range(n):
        kept = _positive(x, 0.27 * k)
        total += np.sum(np.array(kept)) * kept[0] + len(kept)
    return total


@case(np.linspace(0.2, 1.1, 70))
def long_comprehension_of_what_one_made(x):
    for k in range(2):
        x = np.array([v * (k + 1) + x[0] * v for v in x])
    return np.sum(x)


@case(np.linspace(0.2, 1.1, 4), 3)
def lists_that_change_places(x, n):
    total = 0.0
    for k in range(n):
        odd, even = [], []
        for i in range(len(x)):
            if i % 2 == 0:
                even.append(x[i] ** 2)
            else:
                odd.append(x[i] * k)
        both = np.concatenate((np.array(even), np.array(odd)))
        x = both + x * 0.5
        total += even[0] * odd[-1]
    return total + np.sum(x)


@case(np.linspace(0.2, 1.1, 80))
@case(np.linspace(0.2, 1.1, 5))
def sum_of_a_generator(x):
    squares = sum(v * v for v in x)
    largest = max(np.sin(v) for v in x)
    least = min((v - 0.3) ** 2 + 0.1 * v for v in x)
    return squares * largest + least + sum((np.exp(-v) for v in x), 1.0)


@case(np.linspace(0.2, 1.1, 80), 0.52)
@case(np.linspace(0.2, 1.1, 5), 0.52)
def condition_in_a_comprehension(x, limit):
    kept = [v * v for v in x if v > limit]
    rest = sum(np.sqrt(v) for v in x if v < limit if v > 0.3)
    pairs = np.array([u * v for u in x[:3] for v in x if u < v])
    return np.sum(np.array(kept)) * kept[0] + rest + len(kept) + np.prod(pairs[:4])


@case(np.linspace(0.2, 1.1, 80), 0.52)
@case(np.linspace(0.2, 1.1, 5), 0.52)
def quantified(x, limit):
    total = 0.0
    if any(v > limit for v in x):
        total += np.sum(x * x)
    if all(v * limit < 0.5 for v in x):
        total += np.prod(x)
    if not all(v < 10.0 for v in x if v > limit):
        total += 5.0
    return total + x[0]


@case(np.linspace(0.2, 1.1, 80))
@case(np.linspace(0.2, 1.1, 5))
def list_of_an_array(x):
    items = list(x)
    items.append(x[0] * x[1])
    items[1] = items[0] * items[-1]
    again = list(v * v for v in items)
    again[0] = 0.0
    return np.sum(np.array(again)) * items[1]


@case(np.linspace(0.2, 1.1, 40), 80)
def list_indexed_in_a_long_loop(x, n):
    """A list by an integer of the running trip: it becomes one that grows."""
    season = [x[0], x[1] * x[2], np.sin(x[3])]
    level = 1.0
    for k in range(n):
        level = 0.9 * level + 0.1 * x[k % 40] * season[k % 3]
        season[k % 3] = 0.5 * season[k % 3] + 0.2 * level
    return level + season[0]


@case(np.array([0.81, 0.65, 0.42]))
def stack_of_intervals(x):
    todo = [x[0], x[1]]
    total, k = 0.0, 0
    while len(todo) > 0 and k < 20:
        v = todo.pop()
        total += v * v * (k + 1)
        if v > 0.3:
            todo.append(v * 0.5)
            todo.append(v * x[2])
        k += 1
    return total


@case(np.linspace(0.21, 1.1, 5), 4)
def batches_that_are_cleared(x, n):
    batch, total = [], 0.0
    for k in range(n):
        for v in x:
            batch.append(v * (k + 1))
            if len(batch) > 2:
                total += batch[0] * batch[1] * batch[-1]
                batch.clear()
    return total


@case(np.linspace(0.21, 1.1, 5))
def lists_made_of_one_that_grew(x):
    kept = []
    for v in x:
        if v > 0.3:
            kept.append(v)
    squares = [v * v for v in kept]
    squares.extend(kept)
    squares += [v + 1.0 for v in kept]
    copied = squares.copy()
    copied[0] = 1.0
    weighed = [u * v for u, v in zip(kept, x[1:], strict=False)]
    shifted = sum(i * v for i, v in enumerate(kept))
    return sum(squares) * squares[0] + copied[0] * copied[1] + sum(weighed) * shifted


@case(np.linspace(0.21, 1.1, 4), 3)
def list_indexed_by_what_is_computed(x, n):
    table = [x[0], x[1], x[2]]
    total, i = 0.0, 0
    while i < 7:
        j = int(np.argmax(x * (i - n))) % 3
        total += table[j] * table[i % 3]
        table[j] = table[j] * 0.5 + x[3]
        i += 1
    return total


@case(np.linspace(0.21, 1.1, 4), 3)
def axes_by_a_list_in_a_long_loop(x, n):
    """A list that must be known after all: the loop is unrolled."""
    axes, y, total = [0, 1], np.outer(x, x), 0.0
    for k in range(70):
        total += np.sum(np.sum(y, axis=axes[k % 2]) ** n)
    return total


@case(np.linspace(0.21, 1.1, 4), 3)
def last_row_taken_off(x, n):
    rows = []
    for k in range(n):
        rows.append(x * (k + 0.5))
    last = rows.pop()
    rows.append(last * x)
    return np.sum(rows[-1] * rows[1])


@case(np.linspace(0.21, 1.1, 5), 0.613)
def lengths_that_floats_decide(x, w):
    """To choose between a loop and its items one by one, no float becomes part of the code."""
    b = x * w
    p = int(np.argmax(b)) % 3
    values = [x[0], 0.5 * x[1]]
    if len(values) < 20:
        values.extend(x[p:])
    m = int(w * 5.0)
    return sum(values) * values[-1] + sum(v * v for v in x[:m]) * w + len([v for v in x[p:]])


@case(np.array([0.5, -1.0, 2.0, 0.3]))
def scaled_by_a_list_that_grows(x):
    """The list's shadow does not vary along the rows of a Jacobian at first."""
    chosen = []
    for v in x:
        if v > 0:
            chosen.append(v * v)
    return np.sum(np.array(chosen)) * x


@case(vec(3))
@case(np.array([0.7, 0.3, 0.2]))
@case(np.array([0.3, 0.2, 0.1]))
def path_that_is_found_in_a_loop(x):
    """None first, then a list of as many numbers as the trip found."""
    best, least = None, 1e9
    for i in range(len(x)):
        path = []
        for j in range(5):
            if x[i] * j > 0.7:
                path.append(x[i] * j)
        if len(path) > 1 and sum(path) < least:
            least = sum(path)
            best = path
    if best is None:
        return 0.0 * x[0]
    return np.sum(np.array(best) ** 2) + best[0] * max(best) * len(best)


@case(vec(3))
@case(np.array([0.3, 0.7, 0.2]))
def path_that_is_read_in_its_loop(x):
    path, found = None, []
    for i in range(len(x)):
        if x[i] > 0.5:
            path = []
            for j in range(i):
                path.append(x[j] * x[i])
            path.append(x[i])
        if path is not None:
            found.append(sum(path))
    return np.sum(np.array(found) ** 2) if found else x[0]


@case(vec(3), 2)
@case(np.array([0.3, 0.7, -0.2]), 2)
def one_of_two_lists_of_which_one_grew(x, n):
    """What is changed through the other name is seen; on either path."""
    one, two = [x[0]], [x[1]]
    for i in range(n):
        two.append(x[i])
    either = one if x[2] > 0.0 else two
    two.append(x[2] * 3.0)
    one.append(x[1])
    return either[-1] * x[0] + sum(two) * len(one)


@case(vec(3))
@case(np.array([0.3, 0.7, 0.2]))
def list_that_grew_or_an_array(x):
    found = x
    if x[0] > 0.5:
        found = []
        for v in x:
            if v > 0.4:
                found.append(v * v)
    return np.sum(found) + found[0]
