"""Stores into arrays: overwriting, accumulating, whole arrays and slices, indices at run time."""

import numpy as np

from tests.cases.registry import case, mat, signed, vec


@case(1.3, 4, 1, tags=("p6",))
@case(1.3, 0, 0, tags=("p6",))
@case(-0.6, 7, 2, tags=("p6",))
def local_array_increment(x, n, k):
    v = np.zeros(3)
    for i in range(n):
        v[k] = v[k] + x
        v[i % 3] = v[i % 3] * x + v[k]
    return v[0] + v[1] * v[2]


@case(1.3, 4, tags=("p6",))
def local_array_augmented(x, n):
    v = np.ones(3)
    for i in range(n):
        v[i % 3] += x
        v[i % 3] *= v[(i + 1) % 3]
        v[(i + 2) % 3] -= 0.1 * x
        v[1] /= 1.0 + x * x
    return np.sum(v)


@case(vec(5), tags=("p9",))
@case(mat(2, 3), tags=("p9",))
def written_twice_then_read(x):
    y = np.empty_like(x)
    y[:] = x * 2.0
    y[:] = np.sin(x)
    return np.sum(y * x)


@case(vec(5), tags=("p9",))
def element_written_twice(x):
    y = x.copy()
    y[2] = y[0] * y[1]
    first = y[2]
    y[2] = y[2] * y[3]
    return y[2] * first + np.sum(y)


@case(vec(6), tags=("p13",))
@case(mat(4, 3), tags=("p13",))
@case(vec(1), tags=("p13",))
def overlapping_add(x):
    y = x * x
    y[1:] += y[:-1]
    return np.sum(y * x)


@case(vec(7), 3, tags=("p13",))
@case(vec(7), 0, tags=("p13",))
def overlapping_shift(x, n):
    y = x.copy()
    for _ in range(n):
        y[1:] = y[:-1] * 0.9
        y[:-2] = y[2:] * 0.5 + y[1:-1] * x[0] * 0.3
        y[::-1] *= y
    return np.sum(y)


@case(vec(6), tags=("p13",))
def overlapping_argument(x):
    x[2:] = x[:-2]
    x[:-1] -= x[1:] * 0.5
    return np.sum(x * x)


@case(np.array([2, 1, 2, 2, 0]), vec(5), tags=("p25",))
def bound_from_changed_array(count, x):
    s = 1.0
    for i in range(3):
        for _ in range(count[i]):
            s = s * x[i] + 0.1
            count[i + 1] = count[i] - count[i + 1] + 1
        count[i] = 0
    return s * x[count[3] % 5] + count[3]


@case(vec(3), 2.6, tags=("p25",))
def float_bound_from_array(x, start):
    a = np.array([start, 0.0])
    s = 0.0
    for i in range(int(a[0])):
        a[0] = a[0] * x[i]
        a[1] += a[0]
        s += a[1] * x[i]
    return s


@case(vec(9), 0, 2, 4, tags=("p26",))
@case(vec(9), 8, -2, 5, tags=("p26",))
def moving_index(a, idx, step, n):
    s = 1.0
    for _ in range(n):
        s = s * a[idx]
        a[idx] = s * a[0]
        idx += step
    return s + a[idx % 9]


@case(vec(8), 5, tags=("p28",))
@case(vec(8), 0, tags=("p28",))
@case(vec(8), 1, tags=("p28",))
def filled_then_reduced(x, n):
    out = np.zeros(n)
    for i in range(n):
        out[i] = x[i] * x[i + 1] + i
    return np.sum(np.sin(out)) + x[0]


@case(3, 4, 0.7, tags=("p28",))
def filled_matrix(n, m, a):
    out = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            out[i, j] = a ** (i + 1) * np.cos(a * j)
    return np.sum(out**2) / out.size


@case(signed(6), tags=("p29",))
@case(signed(6, 5), tags=("p29",))
def store_under_if(x):
    out = np.zeros(6)
    for i in range(6):
        if x[i] > 0.0:
            out[i] = x[i] ** 2
        elif i > 0:
            out[i] = out[i - 1] * x[i]
    return np.sum(out * x)


@case(signed(6), tags=("p29",))
def rectified_in_place(x):
    for i in range(len(x)):
        if x[i] < 0.0:
            x[i] = 0.1 * x[i] * x[i]
    return np.sum(x**3)


@case(vec(5))
def load_then_overwrite(x):
    a = x.copy()
    s = 0.0
    for _ in range(3):
        for i in range(4):
            old, following = a[i], a[i + 1]
            a[i] = following * following
            a[i + 1] = old * 0.7
            s += old * following * a[i]
    return s


@case(vec(5))
def condition_overwritten_by_branch(x):
    """The store changes what the condition read: the reverse sweep must not ask again."""
    for _ in range(4):
        if x[0] > 0.6:
            x[0] = x[0] * 0.5 * x[1]
        else:
            x[0] = x[0] + x[2]
    return x[0] * x[3]


@case(vec(5))
def index_overwritten_by_store(x):
    where = np.array([1, 3, 0, 2, 4])
    k = 0
    for i in range(5):
        x[where[k]] = x[where[k]] * x[i] + 0.2
        where[k] = (where[k] + 2) % 5
        k = where[k]
    return np.sum(x * x)


@case(vec(4), 3.0)
def whole_array_operators(x, a):
    x *= a
    x += np.sin(x)
    x /= 1.0 + x * x
    x -= x[0]
    x **= 2
    return np.sum(x * np.array([1.0, 2.0, 3.0, 4.0]))


def halved(a, k):
    """Changes its array and returns what it took."""
    a[k] *= 0.5
    return a[k] * a[0]


@case(vec(4), 1)
@case(vec(4), 0)
def augmented_by_what_changes_it(x, k):
    """Python reads the old element first, then computes what is added, then stores."""
    x[k] += halved(x, k)
    x[k] *= 1.0 + halved(x, k)
    idx = np.array([0, k, 2])
    x[idx] -= 0.3 * halved(x, k)
    x[x > 0.2] *= 1.0 + halved(x, k)
    x[1:] += halved(x, k)
    return np.sum(x * x)


def orders(n):
    k = np.arange(1.0, n + 1.0)
    scale = (2.0 * k + 1.0) / (k * (k + 1.0))
    scale.setflags(write=False)
    return scale


def powers(x):
    made = []
    for k in range(3):
        y = np.empty_like(x)
        y[:] = x**k
        y.flags.writeable = False
        made.append(y)
    return made


@case(vec(4))
def arrays_that_are_made_read_only(x):
    made = powers(x * orders(len(x)))
    total = np.sum(made[0] * made[1])
    for i in range(len(x)):
        z = np.zeros(2)
        z[0] = x[i]
        z.setflags(write=False)
        total += z[0] * made[2][i]
    return total


@case(vec(6), vec(6))
def two_arrays_made_and_added_to(x, t):
    e, d = 2.0 * x, 3.0 * t
    e += x * x
    d += t * x
    e[0], d[1] = 3.0, 0.5
    return np.sum(e) * np.sum(d)


@case(mat(3, 4))
def an_array_made_and_added_to(x):
    e = 2.0 * x
    e += x * x
    e[1:] *= x[:-1]
    return np.sum(e)


@case(vec(40))
def array_of_ten_axes_in_each_trip(x):
    total = 0.0
    for k in range(3):
        t = np.zeros((1, 2, 1, 2, 1, 2, 1, 2, 1, x.shape[0]))
        t[:] = t + x * k
        total += np.sum(np.sin(t.sum(axis=(0, 2, 4)))) * t[0, 1, 0, 1, 0, 1, 0, 1, 0, 3]
    return total
