"""Lists of arrays that grow in run-time loops: trajectories, histories, results of unknown number.

A list holds the array itself in Python; what would show that it is a copy here is refused, see
`tests/errors`.
"""

import numpy as np

from tests.cases.registry import case, mat, signed, vec


@case(vec(3), 4)
@case(vec(1), 1)
def trajectory(x, n):
    states = [x]
    for _ in range(n):
        states.append(np.sin(states[-1]) * x)
    path = np.array(states)
    return np.sum(path[1:] * path[:-1]) + len(states)


@case(mat(2, 3), 0.3, 3)
def snapshots_of_a_field(u, rate, n):
    """The field is stepped in place, copies are kept; buffers made in the loop need none."""
    kept, means = [], []
    for k in range(n):
        u[:, 1:] += rate * u[:, :-1] * u[:, 1:]
        if k % 2 == 0:
            kept.append(u.copy())
        row = np.zeros(2)
        row[0] = u[0, 0] + k
        row[1] = np.mean(u)
        means.append(row)
    total = 0.0
    for k, field in enumerate(kept):
        total += (k + 1.0) * np.sum(field * field[:, ::-1])
    return total + np.sum(np.stack(means, axis=1) @ np.arange(1.0, n + 1)) + np.sum(sum(kept))


@case(vec(2), 2.5)
@case(vec(2), 0.5)
def until_it_is_large(x, limit):
    """As many as a `while` gives; slices, negative steps and joins of the list."""
    found = [x * x]
    s = np.sum(x)
    while s < limit * 2.0:
        s = s * 1.3 + x[0]
        found.append(x * s)
        if s > 4.0:
            break
    back = np.concatenate(found[::-1])
    rows = np.vstack(found[-2:])
    return np.sum(back * np.arange(len(back))) + np.sum(rows**3) + found[0][1] * found[-1][0]


@case(signed(4), 3)
def integers_beside_floats(x, n):
    orders, values = [], []
    for k in range(n):
        order = np.argsort(x * (k + 1.0) % 1.7)
        orders.append(order[:2])
        values.append(x[order] * k)
    s = 0.0
    for order, value in zip(orders, values, strict=True):
        s += np.sum(value[order] ** 2)
    return s + np.sum(np.array(orders)) * x[0]


@case(np.array([[0.6, 0.1], [0.2, 0.8]]), vec(2), 4)
def backward_gains(a, b, n):
    p = np.eye(2)
    gains = []
    for _ in range(n):
        k = b @ p @ a / (1.0 + b @ p @ b)
        p = a.T @ p @ (a - np.outer(b, k)) + np.eye(2)
        gains.append(k)
    return np.stack(gains[::-1]), p


@case(np.linspace(0.2, 1.1, 70))
def long_comprehensions(x):
    """Loops, where they make lists of numbers or of arrays."""
    squares = [v * v for v in x if v > 0.507]
    rows = np.array([np.sin(x[i : i + 2]) * k for k, i in enumerate(range(68))])
    pairs = [u * v for u in x for v in (1.0, 2.0)]
    total = np.sum(np.array(squares)) * len(squares) + squares[3] + np.sum(rows[::7])
    return total + sum(pairs)


@case(np.linspace(0.2, 1.1, 140).reshape(70, 2))
def long_comprehensions_that_are_unrolled(x):
    """Of views that are stored to, and of tuples."""
    rows = [row for row in x]
    rows[0][:] = rows[1] * 2.0
    parts = [(row[0], row[1]) for row in x[:66]]
    return np.sum(x[0]) + np.sum(rows[3]) + sum(p * q for p, q in parts)


@case(vec(6))
def comprehension_over_a_run_time_length(x):
    large = x[x > 0.4]
    rows = np.array([np.sin(v * x[:2]) for v in large])
    return np.sum(rows**2) + len([v for v in rows.T])


_items = 3.0


@case(np.linspace(0.2, 1.1, 210).reshape(70, 3))
def long_comprehensions_whose_source_is_stored_to(m):
    """What has been read stays, views see the store, and names around are the program's own."""
    rows = [row for row in m]
    first = [m[i, 0] * _items for i in range(70)]
    m[3] = 7.0 * m[1]
    return np.sum(rows[3]) + np.sum(np.array(rows)) + first[3] * first[69]


@case(vec(4), vec(4, 1))
def item_changed_in_a_copy_that_takes_its_place(x, w):
    """An item that grew at run time cannot be stored to; a copy of it can, and be put back."""
    rows = [x * 1.0]
    for k in range(4):
        row = rows[-1].copy()
        row[k] = row[k] * 2.0 + rows[0][0]
        rows[k] = row
        rows.append(row * w[k])
    return np.sum(rows[-1] * rows[2]) + np.sum(rows[0])


@case(vec(3), 4)
def grown_vectors_joined(x, n):
    rows = []
    for k in range(n):
        if k != 1:
            rows.append(np.cos(x * k))
    side = np.hstack(rows)
    columns = np.column_stack(rows)
    deep = np.dstack(rows)
    total = np.sum(side * np.arange(len(side))) + np.sum(columns[0] * columns[1] ** 2)
    return total + np.sum(deep[0, :, 0] * deep[0, :, 1] ** 3) + np.sum(np.vstack(rows)[-1] ** 2)


@case(mat(2, 3), 4)
@case(mat(1, 1), 1)
def grown_matrices_joined(x, n):
    kept = []
    for k in range(n):
        if k != 1:
            kept.append(np.sin(x + k))
    total = 0.0
    for y in (np.concatenate(kept, axis=-1), np.hstack(kept) ** 2, np.column_stack(kept) ** 3):
        total = total + np.sum(y * np.arange(y.size).reshape(y.shape))
    deep = np.dstack(kept)
    flat = np.concatenate(kept, axis=None)
    tall = np.vstack(kept)
    total = total + np.sum(deep * np.arange(deep.size).reshape(deep.shape))
    return total + np.sum(flat * np.arange(len(flat))) + np.sum(tall**2 * np.arange(x.shape[1]))


@case(vec(3), 4)
def grown_numbers_joined(x, n):
    found = []
    for k in range(n):
        if k != 1:
            found.append(x[0] * x[1] ** k)
    tall = np.vstack(found)
    total = np.sum(np.hstack(found) * np.arange(len(found))) + np.sum(tall[:, 0] ** 2)
    wide, deep = np.column_stack(found), np.dstack(found)
    return total + wide[0, -1] * deep[0, 0, 0] + np.sum(np.stack(found, axis=-1)) * tall.shape[1]


@case(mat(3, 4))
@case(mat(1, 2))
def rows_of_an_array_joined(x):
    y = np.hstack(x)
    deep = np.dstack(np.stack([x, x**2], axis=-1))
    columns = np.column_stack(x)
    total = np.sum(y * np.arange(len(y))) + np.sum(columns[1] * x[:, 1])
    return total + np.sum(deep[:, 0] * deep[:, 1]) + np.sum(np.concatenate(x) ** 3)
