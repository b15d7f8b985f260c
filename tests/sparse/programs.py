"""Programs with known sparsity: stencils, bands, unknown branches, indices and trips."""

import numpy as np
import pytest


def products(x):
    return x[1:] * x[:-1]


def laplacian(u):
    r = np.zeros_like(u)
    r[1:-1, 1:-1] = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
    return r


def diffusion(u, k):
    n, r = len(u), np.empty_like(u)
    for i in range(n):
        r[i] = k[i] * (u[(i + 1) % n] - 2 * u[i] + u[i - 1]) + u[i] * (1 - u[i])
    return r


def upwind(u, speed):
    r = np.empty_like(u)
    for i in range(len(u)):
        if u[i] > 0:
            r[i] = speed * (u[i] - u[i - 1])
        else:
            r[i] = speed * (u[(i + 1) % len(u)] - u[i])
    return r


def overwritten(x):
    y = x.copy()
    y[0] = 1.0
    y[2] = y[1]
    return y


def overwritten_where_positive(x):
    y = x.copy()
    if x[0] > 0:
        y[1] = x[2]
    return y


def newton_of_each(x):
    out = np.empty_like(x)
    for i in range(len(x)):
        v = x[i] + 1.0
        while abs(v * v - x[i]) > 1e-12:
            v -= (v * v - x[i]) / (2 * v)
        out[i] = v
    return out


def stopped_early(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
        if s > 1.0:
            break
    return np.array([s, x[0]])


def chosen_by_the_largest(x):
    k = np.argmax(x)
    return np.array([x[k], x[0]])


def stored_at_the_largest(x):
    y = np.zeros(4)
    y[np.argmax(x)] = x[1]
    return y


def cursor(x):
    """The row that is stored to next is found by values."""
    y = np.zeros((4, 2))
    row = y[0]
    for i in range(4):
        row[0] = x[i]
        row = y[np.argmax(x)]
    return y


def row_of_a_flag(x, flag):
    y, z = np.zeros((3, 2)), np.ones((3, 2)) * x[0]
    row = y[int(abs(x[0])) % 3] if flag else z[0]
    row[:] = x[2:]
    return y + z


def item_of_a_list(x):
    found = []
    for v in x:
        found.append(v * v)
    return x * found[np.argmax(x)]


def through_a_list(x):
    found = []
    for i in range(len(x) - 1):
        found.append(x[i] * x[i + 1])
    return np.array(found)


def gathered(x, where):
    return x[where] ** 2


def added_at(x, where):
    y = np.zeros(3)
    np.add.at(y, where, x)
    return y


def of_rows(x):
    return np.sum(x, axis=1) + np.max(x, axis=1)


def swapped_if_larger(x):
    return np.where(x > x[::-1], x, x[::-1])


def steps_of_a_scheme(u, dt, end):
    for _ in range(int(end / dt)):
        u = u + dt * (np.roll(u, 1) - u)
    return u


def named(p):
    return {"a": p["x"] ** 2, "b": p["y"] * p["x"][0]}


def with_constants(x, c):
    y = c * x
    return y * 0.0 + np.floor(x) + c


def slice_of_a_sign(x):
    y = x[1:] if x[0] > 0 else x[:-1] * 2.0
    return y * y


def one_of_three_slices(x, w):
    def chosen(x):
        if x[0] > 0:
            return x[:2]
        return x[1:3] + w if x[1] > 0 else w

    y = chosen(x)
    return np.concatenate((y, np.zeros(len(y) - 1), y * x[3]))


def twice_or_zeros(x):
    return np.concatenate((x, x)) if x[0] > 0 else np.zeros(2 * len(x))


def three_numbers(x):
    y = np.array([x[0], x[1], 2.0]) if x[3] > 0 else x[:3]
    return y.reshape(3, 1) * np.ones((1, len(y)))


X = np.array([0.3, -0.5, 0.7, 0.2])
band = lambda n, *offsets: sum((np.eye(n, k=k, dtype=int) for k in offsets), np.zeros((n, n), int))
circle = lambda n: band(n, 0, 1, -1, n - 1, 1 - n)
FIRST = np.eye(4, dtype=int)[0]
# the function, its arguments, and the flags: by which of them each result may change
EXACT = [
    (products, (X,), band(4, 0, 1)[:3]),
    (diffusion, (X, np.ones(4)), circle(4)),
    (upwind, (X, 2.0), circle(4)),
    (overwritten, (X,), np.array([[0, 0, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]])),
    (overwritten_where_positive, (X,), np.eye(4, dtype=int) + np.outer(np.eye(4)[1], np.eye(4)[2])),
    (newton_of_each, (abs(X),), np.eye(4, dtype=int)),
    (stopped_early, (X,), np.array([[1, 1, 1, 1], FIRST])),
    (chosen_by_the_largest, (X,), np.array([[1, 1, 1, 1], FIRST])),
    (stored_at_the_largest, (X,), np.tile(np.eye(4, dtype=int)[1], (4, 1))),
    (through_a_list, (X,), band(4, 0, 1)[:3]),
    (gathered, (X, np.array([3, 0, 3])), np.eye(4, dtype=int)[[3, 0, 3]]),
    (added_at, (X, np.array([2, 0, 2, 2])), np.array([[0, 1, 0, 0], [0] * 4, [1, 0, 1, 1]])),
    (of_rows, (np.arange(6.0).reshape(2, 3),), np.kron(np.eye(2, dtype=int), [[1, 1, 1]])),
    (swapped_if_larger, (X,), (np.eye(4) + np.eye(4)[::-1]).astype(int)),
    (steps_of_a_scheme, (X, 0.1, 0.25), 1 - band(4, 1, -3)),
    (named, ({"x": X, "y": 2.0},), np.array([*np.eye(5, dtype=int)[:4], [1, 0, 0, 0, 1]])),
    (with_constants, (X, 2.0), np.eye(4, dtype=int)),
    (slice_of_a_sign, (X,), band(4, 0, 1)[:3]),
    (one_of_three_slices, (X, np.ones(2)), np.array(
        [[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0], [1, 1, 0, 1], [0, 1, 1, 1]])),
    (twice_or_zeros, (X,), np.tile(np.eye(4, dtype=int), (2, 1))),
    (three_numbers, (X,), np.kron(np.eye(4, dtype=int)[:3], np.ones((3, 1), int))),
]  # fmt: skip
each = pytest.mark.parametrize(
    ("fn", "args", "flags"), EXACT, ids=[fn.__name__ for fn, _, _ in EXACT]
)
