"""Lists that grow in run-time loops and hold arrays of several shapes: pieces, groups, windows.

Arrays of one shape are in `lists_of_arrays`; what is refused is in `tests/errors`.
"""

import itertools

import numpy as np

from tests.cases.registry import case, mat, signed, vec

LABELS = np.array([0, 1, 0, 2, 1, 0, 0])


@case(vec(6), 5)
@case(vec(3), 1)
@case(vec(4), 0)
def pieces_joined(x, n):
    pieces = [x[:1]]
    for k in range(n):
        pieces.append(np.sin(x[: k + 1]) * (k + 1.0))
    total = 0.0
    for p in pieces:
        total += np.sum(p) * len(p)
    y = np.concatenate(pieces)
    return total + np.sum(y * y * np.arange(len(y))) + pieces[-1][0] * pieces[0][0] + len(pieces)


@case(vec(7), LABELS, 3)
def means_of_groups(x, labels, n):
    groups = [x[labels == k] for k in range(n)]
    return np.array([np.mean(g) for g in groups]) @ np.arange(1.0, n + 1) + np.sum(groups[0] ** 2)


@case(signed(6), 4)
def places_of_groups(x, n):
    places = []
    for k in range(n):
        places.append(np.where(x > 0.3 * k - 0.5)[0])
    s = 0.0
    for p in places:
        s += np.sum(x[p]) * (len(p) + 1)
    return s + np.sum(x[np.concatenate(places)] ** 2)


@case(vec(4), 4)
def matrices_of_several_heights(x, n):
    tall, wide = [], []
    for k in range(n):
        tall.append(np.outer(x[: k + 1], x[:2]))
        wide.append(np.outer(x[:2], x[k // 2 :]))
    v = np.vstack(tall)
    s = np.sum(v**2) + np.sum(np.hstack(wide) ** 3) + np.sum(np.column_stack(wide)[:, ::2])
    flat = np.concatenate(tall, axis=None)
    return s + np.sum(flat * np.arange(len(flat))) + tall[-1][0, 1] * np.sum(v @ wide[0])


@case(vec(6), 5)
def longest_first_and_last(x, n):
    parts = []
    for k in range(n):
        parts.append(x[k // 2 : k + 1] * (k + 1.0))
    longest = max(parts, key=len)
    parts.append(longest * 2.0)
    last = parts.pop()
    second = parts.pop(1)
    ordered = sorted(parts, key=len, reverse=True)
    first = min(parts, key=lambda p: np.sum(p))
    return (
        np.sum(last**2) + np.sum(second) + np.sum(np.concatenate(ordered) ** 2)
        + np.sum(ordered[0] * 3.0) + np.sum(first**3) + sum([len(v) for v in parts])
    )  # fmt: skip


@case(vec(5), 4)
def items_replaced_and_moved(x, n):
    parts = []
    for k in range(n):
        parts.append(x[k:])
    parts[1] = x[:2] * x[2]
    parts[-1] = np.sin(x)
    parts.insert(1, x[1:3])
    del parts[0]
    parts.reverse()
    ends = [x[:1]]
    more = parts + ends
    more.extend([x[2:4], x])
    del more[::2]
    more[1:2] = [x[3:]]
    more.append(x[:2])
    y = np.concatenate(parts)
    s = np.sum(y * y * np.arange(sum(len(v) for v in parts)))
    for k, v in enumerate(more):
        s += np.sum(v**2) * (k + 1)
    return s + more[-1][1] * more[0][0]


@case(vec(5), 4)
def tuples_with_arrays_of_several_lengths(x, n):
    rows = []
    for k in range(n):
        rows.append((x[k:], float(k), np.outer(x[: k + 1], x)))
    t = 0.0
    for a, w, m in rows:
        t += w * np.sum(a) * np.sum(m**2)
    _, w, m = max(rows, key=lambda r: len(r[2]))
    firsts = [a for a, _, _ in rows]
    return t + w * np.sum(m) + np.sum(np.concatenate(firsts) ** 2)


@case(vec(7), LABELS, 5)
def dicts_of_pieces(x, labels, n):
    pieces, latest = {}, {}
    for k in range(n):
        key = int(labels[k])
        if key not in pieces:
            pieces[key] = []
        pieces[key].append(x[k:])
        latest[key] = x[k:] * x[0]
    t = 0.0
    for key in pieces:
        t += np.sum(np.concatenate(pieces[key]) ** 2) * (key + 1)
    for key, v in latest.items():
        t += np.sum(v**3) * (key + 1)
    return t


@case(vec(5), 4)
def pairs_of_pieces(x, n):
    parts = []
    for k in range(n):
        parts.append(x[k:])
    t = 0.0
    for a, b in itertools.combinations(parts, 2):
        t += np.sum(a) * np.sum(b)
    for a, b in itertools.pairwise(parts):
        t += a[0] * b[-1]
    for a, b in zip(parts, parts[::-1], strict=True):
        t += a[0] * b[-1] * len(b)
    return t


@case(vec(5), 3)
def sums_of_arrays_of_length_one(x, n):
    parts = []
    for k in range(n):
        parts.append(x[k : k + (1 if k == 1 else 3)] * x[k])
    return np.sum(sum(parts) ** 2) + np.sum(sum(parts, np.ones(3)) ** 2) + np.sum(sum(parts, 1.5))


@case(vec(3), 4)
def grids_of_several_lengths(x, n):
    grids = [np.linspace(x[0], x[1], k + 2) for k in range(n)]
    means = [np.mean(v) for v in grids]
    heads = np.stack([v[:2] for v in grids])
    return np.sum(np.array(means) ** 2) + np.hstack(grids)[1] * np.sum(heads**2)


@case(vec(9))
@case(vec(2))
def halves_until_one_is_left(x):
    parts, rest = [], x * 1.5
    while len(rest) > 1:
        m = len(rest) // 2
        parts.append(rest[:m])
        rest = rest[m:]
    parts.append(rest)
    return sum(np.sum(v) ** 2 for v in parts) + len(parts) * np.prod(parts[0])


@case(vec(5), 4)
def lists_within_a_loop(x, n):
    t = 0.0
    for k in range(n):
        parts = []
        for j in range(k + 1):
            parts.append(x[j : k + 1])
        t += np.sum(np.concatenate(parts) ** 2) * np.sum(parts[-1])
    return t


@case(vec(7))
def a_stack_of_parts(x):
    todo, total = [(x, 0)], 0.0
    while len(todo) > 0:
        v, level = todo.pop()
        if len(v) < 2:
            total += v[0] ** 2 * level
        else:
            m = len(v) // 2
            todo.append((v[:m] * 1.1, level + 1))
            todo.append((v[m:], level + 1))
    return total


@case(mat(3, 4), 3)
def frames_that_are_cut(m, n):
    """Empty arrays among them, and lists that are made of others."""
    cut = []
    for k in range(n):
        cut.append(m[: n - k - 1, k:] * m[k, 0])
    kept = [c for c in cut if c.size > 0]
    copied = list(cut)
    copied.append(m[:1])
    return sum(np.sum(c**2) for c in kept) + len(copied) * copied[-1][0, 1] + np.sum(cut[0][0])


@case(np.linspace(0.31, 1.21, 7))
@case(np.array([0.95, 0.41, 0.44, 0.48]))
def split_where_it_jumps(x):
    cuts = np.flatnonzero(np.diff(np.floor(5.0 * x))) + 1
    parts = np.split(x, cuts)
    m = np.outer(x, x)
    s = np.sum(np.hstack(np.split(m, cuts, axis=1)[::-1]) * np.arange(len(x)))
    for p in np.split(m, -cuts):
        s += np.sum(p**2) * p.shape[0]
    return s + sum(np.sum(p) ** 2 for p in parts) + len(parts)


@case(vec(7), LABELS)
def means_by_label(x, labels):
    order = np.argsort(labels, kind="stable")
    cuts = np.unique(labels[order], return_index=True)[1][1:]
    means = [np.mean(p) for p in np.split(x[order], cuts)]
    return np.sum(np.array(means) ** 2 * np.arange(1, len(means) + 1))


@case(np.linspace(0.32, 1.1, 8))
def parts_whose_number_the_run_tells(x):
    n = int(x[0] * 10.0)
    first, second, third = np.split(x, np.array([2, 5]))
    s = np.sum(first) * np.sum(second) * np.sum(third)
    for k, p in enumerate(np.array_split(x, n)):
        s += np.sum(p) ** 2 * len(p) * (k + 1)
    return s + np.sum(np.split(x, n - 1)[-1] ** 3)
