"""Views written through, names for one buffer, buffers that swap names."""

import numpy as np

from tests.cases.registry import case, mat, vec


def scaled_sum(target, source, factor):
    """Works in place, and its two arrays may be one."""
    for i in range(len(target)):
        target[i] = target[i] * factor + source[i]
    return target[0] * source[-1]


@case(vec(4), 1.3, tags=("p10",))
def same_array_twice(a, c):
    s = scaled_sum(a, a, c)
    return s + np.sum(a * a)


@case(vec(5), 0.7, tags=("p10",))
def overlapping_views_to_helper(a, c):
    s = scaled_sum(a[1:], a[:-1], c)
    s += scaled_sum(a, a[::-1], 0.5)
    return s * np.sum(a)


@case(vec(6), 5, tags=("p11",))
@case(vec(6), 4, tags=("p11",))
@case(vec(6), 1, tags=("p11",))
@case(vec(6), 0, tags=("p11",))
def swapped_buffers(x, n):
    a = x.copy()
    b = np.zeros_like(x)
    for _ in range(n):
        for i in range(1, 5):
            b[i] = 0.25 * a[i - 1] + 0.5 * a[i] * a[i + 1]
        a, b = b, a
    return np.sum(a * a) + np.sum(b)


@case(vec(4), 5, tags=("p11",))
def three_buffers_rotated(x, n):
    a, b, c = x.copy(), x * 0.5, np.sin(x)
    for _ in range(n):
        c[:] = a * b + 0.2 * c
        a, b, c = b, c, a
    return np.sum(a) + np.sum(b * c)


@case(vec(6), 5, tags=("p11",))
def swapped_under_condition(x, n):
    a = x.copy()
    b = x * 0.5
    for _ in range(n):
        for i in range(1, 5):
            b[i] = 0.5 * a[i - 1] * a[i + 1]
        if b[2] > 0.2:
            a, b = b, a
        b[0] = a[1] * b[0]
    return np.sum(a * a) + b[0] * a[0]


@case(vec(6), 4, tags=("p11",))
def swapped_in_inner_loop(x, n):
    a, b, s = x.copy(), x * 0.5, 0.0
    for t in range(n):
        for _ in range(t):
            for i in range(1, 5):
                b[i] = 0.5 * a[i - 1] * a[i + 1] + 0.1 * b[i]
            a, b = b, a
        s += a[2] * b[3]
    return s + np.sum(a * a)


@case(vec(5), 1.7, tags=("p12",))
@case(vec(2), 1.7, tags=("p12",))
def view_mutated(x, w):
    y = x[1:]
    y[0] = y[0] * w
    return x.sum() * w


@case(mat(3, 4), tags=("p12",))
def row_and_column_views(a):
    row = a[1]
    column = a[:, 2]
    row *= column[0]
    column += row[0]
    return np.sum(a * a)


@case(mat(3, 4), tags=("p12", "p42"))
def transpose_written_through(a):
    t = a.T
    t[0, 1] = t[3, 2] * t[1, 0]
    t[1:3] *= t[0]
    return np.sum(a**2)


@case(mat(3, 4), tags=("p12", "p42"), strided=False)
def reshape_written_through(a):
    flat = a.reshape(12)
    for i in range(1, 12):
        flat[i] = flat[i] * flat[i - 1] + 0.1
    flat.reshape(2, 6)[1] *= 2.0
    return np.sum(a[2] * a[0])


@case(vec(6), tags=("p12",))
def reversed_view(x):
    r = x[::-1]
    for i in range(5):
        r[i + 1] = r[i] * x[i]
    return np.sum(x)


@case(vec(8), tags=("p12",))
def view_of_view(x):
    inner = x[1:7][::2]
    inner[1] = inner[0] * inner[2]
    x[3] *= x[0]
    return inner[1] * np.sum(inner)


@case(mat(3, 4), 2, tags=("p30",))
@case(mat(1, 1), 0, tags=("p30",))
def shape_unpacked(x, f):
    n, m = x.shape
    s = 0.0
    for i in range(n):
        for j in range(m):
            s += x[i, j] * x[i, f] * (i + 1) / n
    return s / m


@case(vec(24).reshape(2, 3, 4), 1, tags=("p30",))
@case(vec(24).reshape(2, 3, 4), -1, tags=("p30",))
def slice_of_last_axis(x, f):
    plane = x[:, :, f]
    b, n, m = x.shape
    return np.sum(plane * plane) * m + np.sum(x[0, ..., f]) * b * n


@case(vec(6), 3)
def view_of_carried(x, n):
    a, b = x.copy(), np.zeros_like(x)
    for _ in range(n):
        w = a[1:5]
        for i in range(4):
            b[i + 1] = w[i] * w[i] * 0.5 + a[i]
        w[0] = b[2] * w[1]
        a, b = b, a
    return np.sum(a * b) + np.sum(a)


@case(vec(6), 3)
def carried_view(x, n):
    """The view itself is carried: a window that shrinks."""
    a = x.copy()
    w = a[0:]
    for _ in range(n):
        w[0] = w[0] * w[1]
        w = w[1:]
    return np.sum(a * a) + w[0]


@case(vec(5), 4, tags=("p32",))
def one_of_two_buffers(x, n):
    a, b = x * 2.0, x * x
    c = a if x[0] > 0.6 else b
    c[1] = c[1] * c[2]
    for t in range(n):
        d = a if t % 2 == 0 else b
        d[t] = d[t] * x[t] + d[t + 1]
    return np.sum(a * b)


@case(vec(5))
def alias_then_rebound(x):
    y = x
    y *= 2.0
    z = y
    y = y * x
    z[0] = z[1]
    return np.sum(y) + np.sum(x * z)


@case(vec(5), 4)
def reference_to_fresh_array(x, n):
    u = x.copy()
    previous = u
    for _ in range(n):
        previous = u
        u = u + 0.1 * np.sin(u) * x
        u[0] = previous[1]
    return np.sum(u * previous)


@case(vec(4), vec(4, 1), tags=("p10",))
def returned_view(x, y):
    x[1:] *= y[:-1]
    return x[::2]


@case(np.array(0.7), 3)
def in_place_on_rank_zero(a, n):
    """An array of rank 0 is changed by `+=`, as any array is; a number is not."""
    b = a
    for _ in range(n):
        b += 0.5
        b *= a
    return a * b


@case(mat(2, 3))
def element_as_a_view(x):
    """`x[i, j]` is a number, `x[i, j, ...]` a view of rank 0."""
    for i in range(2):
        number = x[i, 0]
        number += 100.0
        view = x[i, 1, ...]
        view *= x[0, 0]
        view += x[i, 2, ...] * view
    return np.sum(x * x)


@case(np.array([[0.7]]), vec(2))
def squeezed_to_rank_zero(a, x):
    view = np.squeeze(a)
    view += x[0]
    again = a.reshape(())
    again *= x[1]
    return a[0, 0] * x[0] + np.sum(a) ** 2


@case(mat(2, 4), float32=False)
def converted_without_a_copy(x):
    """What converts nothing is the array itself, unless a copy is asked for."""
    np.asarray(x)[0, 0] = 2.0
    x.astype(float, copy=False)[0, 1] = 3.0
    x.astype(float)[0, 2] = 100.0
    np.array(x)[0, 3] = 100.0
    return np.sum(x * x)


@case(mat(2, 3), strided=False)
def flattened_copies(x):
    """A transposed array made flat is a copy; of a diagonal, what it held when it was read."""
    y = x.T.ravel()
    y *= 2.0
    d = np.diagonal(x) * x[0, 0]
    x[0, 0] = 5.0
    return np.sum(x * x) + np.sum(y * y) + np.sum(d)


@case(mat(3, 4), 3)
def reshaped_anew_in_a_loop(m, n):
    """The reshape of a strided view is a copy here; nothing that is stored is seen through it."""
    s = 0.0
    for k in range(n):
        z = m[:, ::2].reshape(2, 3)
        s += np.sum(z[0] * z[1])
        m[k] *= np.sin(s)
    y = m.T.reshape(12) * 2.0
    y[0] = s
    return np.sum(y)


@case(vec(6))
def contiguous_copies(x):
    """What is not stored to may be a view or a copy."""
    y = np.ascontiguousarray(x[::2])
    z = x[::-2].ravel()
    own = x[1::2].copy()
    own[0] = y[1] * z[1]
    flat = x[::3].flatten()
    flat[0] *= own[1]
    return np.sum(own) * np.sum(flat) * np.sum(x * x)


@case(mat(3, 4), strided=False)
def reshapes_of_new_arrays_that_are_stored_to(x):
    """New arrays in C order: their reshapes are views. Of others they are copies that are read."""
    y = x[::-1, 1:] * 2.0
    y.reshape(9)[2:5] = x[0, 0]
    z = x.T.copy()
    z.ravel()[::3] *= x[1, 1]
    t = x.T * x[0, 0]
    t[0] = 1.0
    w = (x.T @ x).T.copy()
    w.reshape(2, 8)[0] = 0.5
    g = x[np.array([0, 2, 2])]
    g.reshape(-1)[:6] += np.sum(t.reshape(2, 6)[1])
    return np.sum(y * y) + np.sum(z * z) + np.sum(w * w) + np.sum(g * g)


@case(vec(6), 1)
@case(vec(6), 0)
def step_computed_at_run_time(x, n):
    x[:: n + 1] *= 0.5
    return np.sum(x[:: n + 1] ** 2)


@case(mat(2, 2))
def put_into_a_transposed_array(x):
    y = x * 1.0
    np.put(y.T, [1, -1], [x[0, 0] * 2.0, 3.0])
    np.put(y[:, ::-1], [0], [])
    return np.sum(y**2)


@case(vec(3), vec(2, 1), strided=False)
def grids_without_copies(x, y):
    c, d = np.meshgrid(x, y, copy=False, sparse=True)
    x[0] = 5.0
    return np.sum(c * d) + np.sum(np.pad(x, 0) * x)


@case(vec(4), 3)
def diagonal_taken_anew_in_each_trip(x, n):
    s = 0.0
    for _ in range(n):
        x[0] += 1.0
        d = np.diagonal(x.reshape(2, 2))
        s += np.sum(d * d)
    return s


@case(mat(2, 2))
def diagonals_of_diagonals_that_are_stored_to(x):
    norms = np.einsum("ijij->ij", np.multiply.outer(x, x))
    norms **= 0.75
    d = np.einsum("ii->i", np.einsum("ijij->ij", np.multiply.outer(x, x)))
    d *= x[0]
    return np.sum(norms * x) + np.sum(d)


@case(vec(3))
def diagonals_stored_to_as_views(x):
    a = np.zeros((2, 3, 3)) + x[0]
    np.einsum("ijj->ij", a)[...] = x / (x[0] + x[1])
    d = np.einsum("jj->j", a[1])
    d *= x
    d[1] = x[0]
    e = np.outer(x, x)
    np.einsum("ii->i", e)[:] += np.einsum("ijj->j", a)
    return np.sum(a @ e * np.arange(18.0).reshape(2, 3, 3)) * np.einsum("ii", e) + d[1]
