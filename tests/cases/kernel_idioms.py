"""What the kernels of `examples/kernels` needed, each in a few lines."""

import bisect

import numpy as np

from tests.cases.registry import case, mat, signed, vec


@case(vec(6), 0)
@case(vec(6), 3)
@case(vec(1), 1)
def ranges_of_two_paths(x, k):
    """Sweeps that alternate their direction; a range may come from either side of a branch."""
    rows = range(len(x)) if k % 2 == 0 else range(len(x) - 1, -1, -2)
    part = slice(1, k) if k > 2 else slice(0, k + 1)
    s = 0.0
    for sweep in range(k + 1):
        if sweep % 2 == 1:
            rows = range(k, len(x))
        for i in rows:
            s = 0.9 * s + x[i] * x[i]
    return s + np.sum(x[part])


@case(mat(3, 2), vec(3), np.array([True, False, True]), np.array([2, 0]))
def new_axes_beside_indices(a, x, mask, places):
    scaled = x[mask, None] * a[mask]
    outer = x[places, np.newaxis] * x[None, places]
    stack = np.zeros((3, 1, 2))
    stack[:, None, 0, [1, 0]] = a[:, None, :]
    stack[places, None, 0] += scaled[:, None]
    return np.sum(scaled * outer) + np.sum(stack**2)


def scaled(x, factor):
    return factor * x


def halves(x, depth):
    """What is called deepest is not what calls itself."""
    y = scaled(x, 0.5)
    if depth > 0:
        return scaled(halves(y, depth - 1), x[0]) + halves(y * y, depth - 1)
    return np.sin(y)


@case(vec(3), 2)
@case(vec(3), 0)
def recursion_through_helpers(x, depth):
    return halves(x, depth)


@case(mat(2, 3), vec(2))
def rows_of_computed_length(a, kernel):
    """The length of a row is arithmetic on lengths, known when these are."""
    rows = np.array([np.convolve(row, kernel, mode="same") for row in a])
    return np.array([np.sum(column) * column[0] for column in rows.T])


@case(signed(6).reshape(2, 3))
def logarithms_added(a):
    above = np.array([[-np.inf, 0.0, -np.inf], [-np.inf, 1.0, 2.0]])
    over = np.logaddexp.reduce(a, axis=1, keepdims=True) * np.logaddexp.reduce(a + above)[1:]
    return np.sum(over) + np.logaddexp.reduce(a, axis=None)


@case(vec(6), np.array([4, 1, 4]))
def all_places_but_some(x, fixed):
    free = np.setdiff1d(np.arange(len(x)), fixed)
    again = np.setdiff1d(np.array([5, 2, 5, 0]), fixed)
    y = np.ndarray(len(x), dtype=float)
    y[:] = 0.0
    y[free] = x[free] ** 2
    np.subtract.at(y, again, x[again] * 0.5)
    np.subtract.at(y, [1, 1], 2.0 * x[1])
    return y


@case(vec(3), vec(2, 1), 2.0)
def arguments_counted_one_by_one(*args):
    x, y, z = args
    return np.sum(x) * np.sum(y * y) * z


@case(mat(3, 2), 2)
def vector_of_a_loop_made_flat(x, n):
    """The backend takes a name of a loop for strided, though all it names is contiguous."""
    c = x.T @ x
    for _ in range(n):
        v = np.ones(c.shape[0])
        for _ in range(n):
            v = c @ v
            v /= np.sqrt(v.dot(v))
        c -= 0.5 * np.outer(v, v)
    return np.sum(c * c)


@case(np.sort(vec(6)), vec(6, 1), 0.9, tags=("kernels",))
@case(np.sort(vec(6)), vec(6, 1), 9.0, tags=("kernels",))
@case(np.sort(vec(2)), vec(2, 1), -9.0, tags=("kernels",))
def interpolation_by_bisection(knots, values, t):
    k = min(max(bisect.bisect(knots, t), 1), len(knots) - 1)
    w = (t - knots[k - 1]) / (knots[k] - knots[k - 1])
    return values[k - 1] * (1.0 - w) + values[k] * w


@case(vec(5), 0.71)
@case(vec(5), 0.7, differences=False, dot=False, second_order=False)
@case(vec(5), float("nan"), differences=False, dot=False, second_order=False)
def bisected_lists(x, t):
    grown = []
    for k in range(4):
        grown.append(0.25 * k)
    i = bisect.bisect_left(grown, t) + bisect.bisect_right([0.1, 0.7, 0.7], t, 1, hi=3)
    j = bisect.bisect([(1, 0.2), (2, 0.9)], t, key=lambda pair: pair[1])
    return x[i % 5] * x[j] + x[bisect.bisect_left(x, -1.0)]
