"""NumPy's idioms in place: masks, fancy indices, run-time slices, `out=`, chained assignment."""

import numpy as np

from tests.cases.registry import case, mat, signed, vec


@case(signed(6), tags=("p42",))
@case(-vec(4), tags=("p42",))
@case(mat(2, 3) - 1.0, tags=("p42",))
def mask_store(a):
    a[a > 0] = a[a > 0] ** -1.5
    return np.sum(a * a)


@case(signed(6), 0.3, tags=("p42",))
@case(signed(6), -9.0, tags=("p42",))
def mask_scalar_and_augmented(a, c):
    mask = a > c
    a[mask] *= 2.0 + 0.1 * c
    a[~mask] = c
    a[a < -0.5] += a[0]
    return np.sum(a**3) + a[mask].sum()


@case(signed(6), tags=("p42",))
def mask_of_another_array(x):
    y = x * x
    y[x < 0] = 0.5 * x[x < 0]
    z = y[y > 0.2]
    return np.sum(z * z) + z.size * x[0]


@case(vec(6), np.array([0, 3, 3, 5]), tags=("p42",))
@case(vec(6), np.array([-1, 0]), tags=("p42",))
@case(vec(6), np.array([], dtype=int), tags=("p42",))
def gather(a, index):
    return np.sum(a[index] ** 2) + np.sum(np.sin(a)[index])


@case(vec(6), vec(3, 1), np.array([4, 0, 2]), tags=("p42",))
def scatter(a, v, index):
    a[index] = v * v
    a[index] *= a[index[::-1]]
    return np.sum(a * a)


@case(vec(5), vec(4, 1), np.array([1, 1, 3, 1]), tags=("p42",))
def scatter_with_duplicates(a, v, index):
    """`a[i] += v` counts a repeated index once, the last; np.add.at counts each."""
    a[index] += v
    b = np.zeros(5)
    np.add.at(b, index, v * a[index])
    a[index] = v
    return np.sum(a * b) + np.sum(a**2)


@case(mat(4, 5), np.array([0, 2, 3]), np.array([4, 1, 1]), tags=("p42",))
def fancy_pairs(a, i, j):
    s = np.sum(a[i, j] ** 2)
    a[i, j] = a[i, j] * a[j[1], 0]
    return s + np.sum(a[i] * 2.0) + np.sum(a[:, j] * a[:, i]) + np.sum(a[np.ix_([0, 1], [2, 4])])


@case(mat(3, 3), vec(3, 1), 1, tags=("p42",))
def row_and_column_chained(a, v, i):
    a[i, :] = a[:, i] = v
    return np.sum(a * a) + a[i, i] * v[0]


@case(vec(4), tags=("p42",))
def chained_into_two_arrays(x):
    a, b = np.zeros(4), np.ones(4)
    a[1:] = b[:-1] = x[1:] * x[:-1]
    p = q = a * b
    p[0] = 3.0
    return np.sum(q * x) + np.sum(b)


@case(mat(4, 4), 2, tags=("p42",))
@case(mat(4, 4), 0, tags=("p42",))
@case(mat(4, 4), 4, tags=("p42",))
def slices_with_bounds(a, j):
    s = np.sum(a[:2, :j] @ a[:j, 1:])
    a[j:, 0] = a[0, j:] * 2.0
    a[:j, -1] += s
    return np.sum(a * a) * 0.1


@case(vec(7), 2, 6, 2, tags=("p42",))
@case(vec(7), -3, -1, 1, tags=("p42",))
@case(vec(7), 5, 1, -1, tags=("p42",))
@case(vec(7), 3, 99, 3, tags=("p42",))
@case(vec(7), 4, 2, 1, tags=("p42",))
def slice_arithmetic(x, low, high, step):
    part = x[low:high:step]
    x[low:high:step] = part * part + x[0]
    return np.sum(x * x) * (1 + len(part)) + np.sum(part)


@case(SPD := mat(3, 3) @ mat(3, 3).T + np.eye(3), tags=("p42",))
def factorisation_with_slices(a):
    n = len(a)
    low = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            low[i, j] = (a[i, j] - low[i, :j] @ low[j, :j]) / low[j, j]
        low[i, i] = np.sqrt(a[i, i] - np.sum(low[i, :i] ** 2))
    return np.sum(low * np.arange(9.0).reshape(3, 3))


@case(vec(5), tags=("p42",))
@case(mat(4, 3), tags=("p42",))
def standardised_in_place(data):
    data -= data.mean(axis=0)
    data /= np.sqrt(np.mean(data**2, axis=0) + 0.1)
    return np.sum(np.flip(data, 0) * np.hstack((data[1:], data[1:])).sum() + data**3)


@case(vec(4), vec(4, 1), tags=("p42",))
def out_arguments(x, y):
    z = np.empty(4)
    np.multiply(x, y, out=z)
    np.add(z, x, out=z)
    np.exp(z, out=x)
    np.sin(x, y)
    return np.sum(z * x) + np.sum(y * z)


@case(mat(3, 2), mat(2, 3, 1), tags=("p42",))
def out_of_products(a, b):
    c = np.empty((3, 3), a.dtype)
    np.dot(a, b, out=c)
    np.matmul(b, c, out=b)
    np.sum(c, axis=0, out=c[1])
    np.maximum(c, 1.0, out=c)
    return np.sum(b) + np.sum(c * c)


@case(vec(5), tags=("p42",))
def whole_array_methods(x):
    y = np.zeros(5)
    y.fill(x[0])
    y[::2] = x[::2]
    np.copyto(y, x * y)
    x.sort()
    return np.sum(y * x * np.arange(5.0))


@case(mat(3, 4), tags=("p42",))
def ellipsis_and_newaxis_stores(a):
    a[..., 0] = a[..., 1] * 2.0
    a[1, ...] *= a[2]
    a[:, 1:3] = a[:, 1:3] * a[:, None, 3]
    a[-1] = a[-2][::-1]
    return np.sum(a * a)


@case(mat(3, 4), tags=("p42",))
def diagonal_stores(a):
    for i in range(3):
        a[i, i] += 1.0
    index = np.arange(3)
    a[index, index] *= a[index, 3]
    np.fill_diagonal(a, a[0] * 0.5)
    return np.sum(a * a[0])


@case(mat(4, 3), tags=("p42",))
def rows_swapped(a):
    a[0], a[2] = a[2].copy(), a[0].copy()
    a[[1, 3]] = a[[3, 1]]
    a[1, 0], a[1, 1] = a[1, 1], a[1, 0] * 2.0
    return np.sum(a * np.arange(12.0).reshape(4, 3) * a)


@case(vec(6), 4, tags=("p42",))
def prefix_products(x, n):
    out = np.ones(6)
    for k in range(1, n + 1):
        out[:k] *= x[k]
        out[k:] += out[:1] * x[: 6 - k]
    return np.sum(out)


@case(signed(6), tags=("p42",))
def nonzero_indices(x):
    (index,) = np.nonzero(x > 0)
    rows = np.where(x < 0)[0]
    x[index] = x[index] ** 2
    return np.sum(x[rows] * 3.0) + np.sum(x[index] * x[rows[0]])


@case(vec(4), np.array([2, 0, 3, 1]), tags=("p42",))
def permutation_in_loop(x, order):
    for _ in range(3):
        x = x[order] * 0.9
        x[order[0]] += x[1]
    return np.sum(x * np.arange(4.0))


@case(vec(5))
def a_length_of_a_known_number_in_an_array(x):
    """The order of Zernike's polynomial of an index is computed by functions of arrays."""
    n = np.ceil(0.5 * (np.sqrt(8 * np.array(8) + 1) - 3)).astype(int)
    k = np.asarray(2)
    rows = [x[:n] * i for i in range(k)]
    k += 1
    return np.sum(np.stack(rows), 0) * k
