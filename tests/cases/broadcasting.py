"""Broadcasting both ways, 0-d and empty arrays, axes of length one, layouts given by the caller."""

import numpy as np

from tests.cases.registry import case, mat, vec


@case(mat(3, 4), vec(4), tags=("p39",))
@case(mat(3, 4), mat(3, 1, 1), tags=("p39",))
@case(mat(3, 1), mat(1, 4, 1), tags=("p39",))
@case(vec(3), 1.4, tags=("p39",))
@case(1.4, vec(3), tags=("p39",))
@case(mat(2, 3), np.array(0.7), tags=("p39",))
@case(vec(24).reshape(2, 3, 4), mat(3, 1, 1), tags=("p39",))
@case(vec(24).reshape(2, 3, 4), vec(1, 1), tags=("p39",))
@case(mat(0, 4), vec(4), tags=("p39",))
@case(mat(1, 1), mat(3, 4, 1), tags=("p39",))
def elementwise(a, b):
    return np.sin(a) * b + a / b - b**2


@case(mat(3, 4), vec(4), tags=("p39",))
@case(mat(3, 4), 0.3, tags=("p39",))
@case(mat(3, 4), mat(1, 4, 1), tags=("p39",))
def into_left_operand(a, b):
    a += b
    a *= b * b
    a[1:] -= b
    return np.sum(a * a)


@case(np.array(1.3), tags=("p39",))
@case(np.array(-0.4), tags=("p39",))
def zero_dimensional(x):
    y = x * x
    return np.sin(y) + x * 2.0


@case(np.array(1.3), vec(3), tags=("p39",))
def zero_dimensional_store(x, v):
    total = np.zeros(())
    for i in range(3):
        total[()] = total[()] * x + v[i]
    return total * x


@case(vec(0), tags=("p39",))
@case(mat(3, 0), tags=("p39",))
@case(mat(0, 2), tags=("p39",))
def empty_sums(x):
    return np.sum(x * x) + np.prod(x) + np.sum(x, axis=0).sum() + x.size


@case(vec(8)[::2], vec(4, 1), tags=("p39",))
@case(vec(4)[::-1], vec(4, 1), tags=("p39",))
@case(mat(4, 4)[::-1, 1], vec(12, 1)[2::-1][[0, 1, 2, 0]], tags=("p39",))
@case(mat(8, 4)[::-2, 1], vec(8, 1)[::-2], tags=("p39",))
def strided_vectors(x, y):
    x[1:] *= y[:-1]
    s = 0.0
    for i in range(len(x)):
        s += x[i] * y[i] * s + x[i]
    return s + np.dot(x, y)


@case(mat(4, 3).T, mat(4, 2, 1), tags=("p39",))
@case(mat(6, 8)[::2, ::-2], mat(4, 2, 1)[::-1], tags=("p39",))
@case(np.asfortranarray(mat(3, 4)), mat(4, 5, 1), tags=("p39",))
def strided_matrices(a, b):
    c = a @ b
    a[0] = c[0, 1]
    return np.sum(c * c) + np.sum(a)


@case(mat(3, 4), tags=("p39",))
@case(mat(1, 4), tags=("p39",))
@case(mat(3, 1), tags=("p39",))
@case(mat(1, 1), tags=("p39",))
def centred(x):
    mean = x.mean(axis=0)
    spread = np.sqrt(((x - mean) ** 2).sum(axis=1, keepdims=True) + 1.0)
    return (x - mean) / spread * np.arange(1.0, x.shape[1] + 1.0) + mean**2


@case(vec(6), 1, tags=("p39",))
@case(vec(6), 3, tags=("p39",))
@case(vec(6), 0, tags=("p39",))
def slice_of_run_time_length(x, k):
    """A slice that happens to hold one number broadcasts, and only then."""
    part = x[: max(k, 1)]
    target = x[3 - min(k, 3) : 3] if k else x[:1]
    return np.sum(part * target) + np.sum(x[:k]) * x[5]


@case(vec(5), tags=("p39",))
def one_long_axis_at_run_time(x):
    s = 0.0
    for k in range(1, 5):
        left = x[:1]
        right = x[k:]
        s += np.sum(left * right) * k
    return s


@case(vec(3), vec(4, 1), tags=("p39",))
def new_axes(x, y):
    grid = x[:, None] * y[None, :]
    cube = grid[..., np.newaxis] + x
    return np.sum(cube**2, axis=(0, 2)) * np.expand_dims(y, 0)[0]


@case(vec(3), tags=("p39",))
def broadcast_to_and_back(x):
    wide = np.broadcast_to(x, (4, 3))
    tall = np.broadcast_to(x[:, None], (3, 2))
    return np.sum(wide * np.arange(12.0).reshape(4, 3)) + np.sum(np.sin(tall))


@case(mat(3, 3), 2.0, tags=("p39",))
def scalars_everywhere(a, c):
    b = 2 * a + 1
    b = c - b / 3
    b = 1.5**a * b
    return np.sum(-b + c * np.float64(0.5)) / 4
