"""Making, joining, reshaping and reordering arrays."""

import numpy as np

from tests.cases.registry import case, mat, signed, vec


@case(0.7, 4)
@case(0.7, 0)
def creation(a, n):
    s = np.sum(np.full(n, a) * np.arange(n)) + np.sum(np.ones(n) * a)
    grid = np.linspace(0.0, a, 5)
    return s + np.sum(grid**2) + np.sum(np.zeros((n, 2)) + a) + np.eye(3)[1, 1] * a


@case(vec(4))
@case(mat(2, 3))
def creation_like(x):
    y = np.zeros_like(x) + x
    y = y * np.full_like(x, 2.0) + np.ones_like(x)
    z = np.empty_like(x)
    z[...] = y * x
    return np.sum(z * np.array(x))


@case(0.2, 1.7)
def grids(a, b):
    x = np.linspace(a, b, 4)
    y = np.arange(a, 1.0, 0.25) * b
    u, v = np.meshgrid(x, y)
    return (
        np.sum(u * v) + np.sum(np.logspace(a, b, 3)) + np.sum(np.linspace(a, b, 3, endpoint=False))
    )


@case(vec(3), vec(2, 1))
@case(vec(0), vec(2, 1))
def joined_vectors(x, y):
    z = np.concatenate((x, y, x))
    z = np.hstack((z, y * 2.0))
    z = np.append(z, x)
    return np.sum(z * np.arange(z.size)) + np.sum(np.vstack((y, y * y))) ** 2


@case(mat(2, 3), mat(2, 3, 1))
def joined_matrices(a, b):
    s = np.concatenate([a, b], axis=1) @ np.vstack((a.T, b.T))
    t = np.stack((a, b), axis=-1)
    return np.sum(s * s) + np.sum(t[..., 0] / t[..., 1]) + np.column_stack((a, b[:, 0]))[1, 3]


@case(vec(6))
@case(mat(2, 3))
def reshaped(x):
    a = x.reshape(3, 2)
    b = np.reshape(x, (2, -1))
    return a @ b + np.ravel(x)[1] * x.flatten()[2] - a.reshape(-1)[0]


@case(vec(24).reshape(2, 3, 4))
def reordered(x):
    a = x.transpose(2, 0, 1)
    b = np.swapaxes(x, 0, 2)
    c = np.moveaxis(x, 0, -1)
    return np.sum(a[1] * x[:, :, 2]) + np.sum(b[3, :, 1] * c[:, 0, 1]) + np.sum(x.T[0] ** 2)


@case(vec(6))
@case(mat(3, 4))
def flipped_and_rolled(x):
    y = np.flip(x) * x + np.roll(x, 2)
    z = np.roll(y, -1, axis=0) * x[::-1]
    return np.sum(z * np.flip(y, axis=0)) + np.sum(y**2)


@case(mat(3, 4), tags=("p42",))
def flipped_sides(x):
    return np.sum(np.fliplr(x) * x) + np.sum(np.flipud(x)[0] * np.rot90(x)[0, 1])


@case(vec(3))
@case(mat(2, 2))
def repeated(x):
    y = np.repeat(x, 2, axis=0)
    z = np.tile(x, 3)
    return np.sum(y**2 * np.arange(y.size).reshape(y.shape)) + np.sum(z * np.arange(z.shape[-1]))


@case(signed(5))
def padded(x):
    y = np.pad(x, 2)
    z = np.pad(x, (1, 2), mode="edge")
    return np.sum(y[1:] * y[:-1]) + np.sum(z * np.arange(8.0))


@case(vec(8))
def split(x):
    a, b = np.split(x, 2)
    parts = np.array_split(x, 3)
    return np.sum(a * b) + parts[0][1] * parts[2][0] + np.hsplit(x, 4)[3].sum()


@case(mat(1, 4))
def squeezed(x):
    y = np.squeeze(x) * 2.0
    z = x.squeeze(0)[:, None]
    return y @ z + np.atleast_2d(y)[0, 1] * x[0, 0]


@case(vec(4), 1)
@case(vec(4), 3)
def squeezed_by_lengths_of_the_run(x, k):
    y = x * 2.0
    part = np.squeeze(y[:k])
    part[...] = part * x[0]
    one = np.outer(y, x)[k - 1 : k + 1, :k].squeeze()
    places = np.argwhere(x == np.max(x)).squeeze()
    return np.sum(y**2) + np.sum(one[0] * one) * one.ndim + x[np.max(places)] ** 2 + part.ndim


@case(0.3, 1.2)
def arrays_of_scalars(a, b):
    v = np.array([a, b, a * b])
    m = np.array([[a, 1.0], [0.0, b]])
    t = np.array((v * 2.0, v[::-1]))
    return m @ m.T + v[2] * t[1, 0] + np.asarray([a, a])


@case(vec(6))
def taken(x):
    index = np.array([0, 2, 2, 5])
    return np.sum(np.take(x, index) ** 2) + np.sum(x.take([1, 1])) * x[np.arange(3) * 2][1]


@case(mat(3, 4))
def taken_along_axis(a):
    order = np.argsort(a, axis=1)
    return np.sum(np.take_along_axis(a, order, axis=1) * np.arange(4.0)) + np.take(a, 2, axis=1)[0]


@case(signed(6))
def selected(x):
    y = np.select([x > 0.6, x < -0.5], [x * x, np.sin(x)], default=0.5)
    z = np.extract(x > 0, x)
    return np.sum(y * x) + np.sum(np.compress(x > 0.5, x)) * z[0]


@case(vec(5))
def inserted_and_deleted(x):
    y = np.delete(x, 2)
    z = np.insert(x, 1, 3.0)
    return np.sum(y * z[:4]) + z[2] * y[2]


@case(vec(5), 0)
@case(vec(5), 5)
@case(vec(5), -5)
def inserted_where_the_run_says(x, k):
    places = np.where(x > 0.3)[0]
    places = np.insert(places, len(places), len(x) - 1)
    y = np.insert(x, k, x[:2] * 3.0)
    a = np.insert(np.outer(x, x), places[0], x, axis=1)
    return np.sum(x[places]) + np.sum(y * np.arange(7.0)) + np.sum(a[:, 1] * x)


@case(vec(6), signed(6, 1))
def polynomials(c, x):
    return np.polyval(c, x[0]) + np.sum(np.vander(x[:3], 3) @ c[:3]) * 0.1


@case(vec(18).reshape(2, 3, 3))
def diagonals_stored_by_index(x):
    y = x.copy()
    i = np.arange(3)
    y[:, i, i] = y[:, i, i] ** 2 * x[:, 0]
    return np.sum(y * x)


@case(vec(3), vec(4))
def shape_of_a_broadcast(x, y):
    both = np.broadcast(x, y[:, None], 1.0)
    out = np.zeros(both.shape)
    out[:] = x
    return np.sum(out * y[:, None]) * both.size + both.ndim + both.numiter * y[0]


def along(v, ndim, axis):
    """A vector along one of the axes of an array, as many libraries write it."""
    shape = np.ones(ndim, int)
    shape[axis] = -1
    return v.reshape(*shape)


@case(mat(3, 4))
def reshaped_by_a_shape_in_an_array(x):
    shape = np.array(x.shape)
    shape[0] = -1
    turned = x.T.reshape(shape)
    return np.sum(along(x[0], 2, 1) * x * along(x[:, 1], 2, 0)) + np.sum(turned[0] * x[1])


@case(vec(8), 2, -1)
@case(vec(8), -1, 4)
@case(vec(8), 4, 2)
def reshaped_by_integers_of_the_run(x, n, m):
    y = np.reshape(x, (n, m), order="F")
    return np.sum(x.reshape(n, m)[-1] ** 2) + np.sum(y[0] * y[-1])


@case(vec(4))
@case(np.array([0.0, 0.7, 0.3, 0.0]), differences=False)
def lists_without_zeros_at_the_ends(x):
    some = [0.0, 0.0, x[0], 0.0, x[1], 0.0]
    front, both, grown = np.trim_zeros(some, "f"), np.trim_zeros(some), []
    for v in x:
        grown.append(v * (v > 0.5))
    grown = np.trim_zeros(grown, "b")
    nothing = len(np.trim_zeros([x[0] * 0.0]))
    return sum(front) * len(front) + sum(both) * len(both) + sum(grown) * len(grown) + nothing


@case(mat(3, 4))
def arrays_as_required(x):
    turned = np.require(x.T, dtype=float, requirements=["C"])
    same = np.require(x, float, "C")
    return np.sum(turned * x.T) + np.sum(same[:, 1] ** 2)
