"""Arrays moved, padded, chosen from and written in brackets."""

import math

import numpy as np

from srcgrad.frontend.versions import raised
from tests.cases.registry import case, mat, signed, vec

CUBE = vec(24, 7).reshape(2, 3, 4)


@case(vec(4), 2)
@case(vec(4), 7)
@case(mat(3, 2), 4)
def margins_that_repeat(x, w):
    s = np.sum(np.pad(x, w, mode="reflect") ** 2) + np.sum(np.pad(x, w, mode="symmetric") ** 3)
    return s + np.sum(np.pad(x, w, mode="wrap") ** 2 * 0.5) + np.sum(np.pad(x, w, mode="edge"))


@case(mat(3, 2))
def margins_of_other_kinds(x):
    y = np.pad(x, ((1, 2), (0, 1)), constant_values=((3.0, 4.0), (5.0, 6.0)))
    s = np.sum(y**2) + np.sum(np.pad(x, 2, mode="linear_ramp", end_values=(1.0, 2.0)) ** 2)
    s += np.sum(np.pad(x, 1, mode="mean") ** 2) + np.sum(np.pad(x, 1, mode="maximum") ** 2)
    s += np.sum(np.pad(x, (0, 2), mode="minimum", stat_length=1))
    return s + np.sum(np.pad(x, 1, mode="median", stat_length=((2, 3), (1, 2))) ** 2)


@case(vec(3), 0.7)
def numbers_known_and_computed_joined(x, y):
    s = np.sum(np.stack((y, 0.3, 2)) ** 2) + np.sum(np.stack([x[0], x[1] * y, 1.5], axis=-1) ** 3)
    s += np.sum(np.hstack((x, 0.3)) ** 2) * np.vstack((y, 0.3))[0, 0]
    return s + np.sum(np.column_stack((y, 0.3)) ** 2) + np.sum(np.append(x, 0.3) ** 2)


@case(vec(5), (1, 2))
@case(mat(3, 2), ((0, 1), (3, 4)))
@case(mat(1, 4), 2)
def odd_margins(x, w):
    s = np.sum(np.pad(x, w, mode="reflect", reflect_type="odd") ** 2)
    return s + np.sum(np.pad(x, w, mode="symmetric", reflect_type="odd") ** 3)


if raised(np.pad, np.ones(1), {0: 1}) is None:  # since NumPy 2.4

    @case(mat(3, 2))
    def margins_of_named_axes(x):
        return np.sum(np.pad(x, {0: 1}, mode="edge") ** 2)


@case(np.array([2.0]))
def margins_of_one_element(x):
    return np.sum(np.pad(x, 3, mode="reflect") ** 2) + np.sum(np.pad(x, 2, mode="wrap") ** 3)


@case(CUBE)
def axes_rolled(x):
    y = np.rollaxis(x, 2) @ np.rollaxis(x, 0, 3).transpose(1, 0, 2)[0]
    return np.sum(y**2) + np.sum(np.matrix_transpose(x)[:, 1] * x[:, :, 1].sum())


@case(CUBE)
def turned_in_other_planes(x):
    return np.rot90(x, axes=(1, 2)) * np.rot90(x, k=3, axes=(2, 1)) + np.rot90(x, 2, (0, 2)).sum()


@case(signed(6))
def partly_sorted(x):
    low = np.partition(x, 2)
    order = np.argpartition(x, 3)
    return low[2] * np.sum(low[:2]) + np.sum(x[order[:3]]) ** 2 + low[3:].prod()


@case(signed(6))
def sorted_by_keys(x):
    order = np.lexsort((x, np.array([1, 0, 1, 0, 1, 0])))
    return np.sum(x[order] * np.arange(6.0))


@case(mat(2, 2))
def filled_again_and_again(x):
    y = np.repeat(x, [2, 0], axis=0) @ np.repeat(x, np.array([1, 2]), axis=1)
    return np.sum(np.resize(x, (3, 3)) ** 2) * np.sum(y)


@case(CUBE)
def taken_apart(x):
    left, right = np.dsplit(x, 2)
    return np.sum(left * right) + np.sum(np.atleast_3d(x[0, 0]) ** 2)


if hasattr(np, "unstack"):  # since NumPy 2.1

    @case(CUBE)
    def unstacked(x):
        a, b, c = np.unstack(x, axis=1)
        return np.sum(a * b * c)


@case(vec(3), mat(2, 1))
def broadcast_together(a, b):
    x, y = np.broadcast_arrays(a, b)
    p, q = np.atleast_1d(a, b)
    return np.sum(x * y) + np.sum(np.diagflat(a, 1) ** 2) + np.sum(p) * np.sum(q)


@case(signed(5))
def chosen_by_index(x):
    s = np.choose(np.array([0, 1, 0, 1, 1]), [x, x * x])
    return s * np.take(x, [0, 7, -1, 2, 9], mode="clip") + np.take(x, [5, 7, -1, 2, 9], mode="wrap")


@case(signed(5))
def pieces(x):
    y = np.piecewise(x, [x < 0.0, x >= 0.7], [lambda v: -v * v, lambda v: v**3, 3.0])
    return y + np.piecewise(x, [x > 0.0], [np.exp, np.sin])


@case(mat(2, 3))
def places_of_elements(x):
    i, j = np.unravel_index(np.argmax(x), x.shape)
    flat = np.ravel_multi_index((1, 2), (2, 3))
    found = np.argwhere(x > 0.9)
    return x[i, j] * x.ravel()[flat] + np.sum(x) * found.shape[0] + np.trace(x[:, :2], 1)


@case(mat(2, 3))
def places_in_other_orders(x):
    turned = np.unravel_index(np.array([1, 4]), x.shape, order="F")
    flat = np.ravel_multi_index(turned, x.shape, order="F")
    outside = np.ravel_multi_index((np.array([3, -1]), np.array([1, 7])), (2, 3), ("wrap", "clip"))
    lined = np.ravel_multi_index(([1, 5], [2, -1]), x.shape, mode="clip", order="F")
    return np.sum(x[turned] * x.ravel("F")[flat]) + np.sum(
        np.sin(x.ravel()[outside] * x.ravel()[lined])
    )


@case(vec(6), vec(2, 1))
def stored_at_places(x, v):
    y = x * 1.0
    np.put(y, [0, 2, 4], v)
    np.putmask(y, y > 1.2, v)
    np.place(y, y > 1.1, [v[0] * v[1], x[0], v[1]])
    np.place(y, y < 0.0, [])
    z = y.reshape(2, 3) * 2.0
    np.put_along_axis(z, np.array([[0], [2]]), v.reshape(2, 1), axis=1)
    return np.sum(y**2) + np.sum(z**3)


@case(mat(3, 4), 0)
@case(mat(3, 4), 1)
@case(CUBE, 1)
def applied_along_an_axis(x, axis):
    s = np.apply_along_axis(lambda v: v * np.sum(v), axis, x)
    return np.sum(s**2) + np.sum(np.apply_along_axis(np.prod, axis, x))


def _bent(a, b=0.8):
    if a > b:
        return a * b**2
    return math.sin(a) + b


BENT = np.vectorize(_bent)


@case(vec(4), mat(3, 1) + 0.5)
def vectorized(x, y):
    total = np.sum(BENT(x, y) ** 2) + np.sum(BENT(x)) + np.prod(BENT(x[0], y))
    high, low = np.vectorize(lambda a, n: (a**n, n), otypes=[float, int])(x, np.arange(4))
    return total + np.sum(high * low) + np.sum(np.vectorize(_bent, otypes="d")(x[:0], 1.0))


@case(vec(4))
def from_iterables(x):
    squares = np.fromiter((v * v for v in x), float)
    return np.sum(squares * x) + np.prod(np.fromiter([x[0], x[1], x[3]], x.dtype, count=2))


@case(mat(2, 3))
def indices_of_nothing(x):
    return np.sum(x * np.prod(x[:, ()], axis=1)[:, None]) + np.sum(x[[]]) + np.sum(x[:, [1]])


@case(CUBE)
def applied_over_axes(x):
    return np.apply_over_axes(np.sum, x, [0, 2]) * np.trace(x, axis1=1, axis2=2).sum()


@case(mat(2, 3))
def arrays_of_places(x):
    s = np.fromfunction(lambda i, j: i + 2.0 * j, (2, 3)) * x + np.indices((2, 3))[1] * x**2
    return s + np.tri(2, 3, 1) * x


@case(vec(3))
def written_in_brackets(x):
    i, j = np.mgrid[0:3, 0:2]
    p, q = np.ogrid[0:1:3j, 0:2]
    s = np.sum(x[i] * j) + np.sum(p * q * x[:, None]) + np.sum(np.mgrid[0:1:3j] * x)
    s += np.sum(np.r_[x, 2.0, 0:3] ** 2) + np.sum(np.c_[x, x * x] ** 2)
    return s * x[np.s_[1:]].sum()


@case(vec(3), vec(2, 1))
def open_grids(x, y):
    a, b = np.meshgrid(x, y, sparse=True)
    return np.sum(a * b + a**2)


@case(np.array([1.0, np.inf, -np.inf, np.nan]), differences=False, dot=False, second_order=False,
      float32=False)  # fmt: skip
def numbers_for_what_is_none(x):
    y = np.nan_to_num(x, nan=2.0, posinf=3.0, neginf=-4.0)
    return np.sum(y * np.isfinite(x)) + np.sum(np.isposinf(x)) - 2.0 * np.sum(np.isneginf(x))


@case(vec(5), vec(1)[0])
def numbers_replaced_in_place(x, fill):
    y = np.log(x - 0.1 * x[0])
    y[1], y[3] = np.nan, -np.inf
    z = np.nan_to_num(y, copy=False, nan=fill, neginf=fill**2)
    np.nan_to_num(y[::-2], copy=False)
    z[0] *= 2.0
    return np.sum(y**2) + z[1]


@case(vec(4))
def complex_numbers_replaced_in_place(x):
    z = x * (1.0 + 2.0j)
    z[1] = complex(np.nan, np.inf)
    np.nan_to_num(z, copy=False, nan=x[0], posinf=x[2])
    return np.sum(z.real * z.imag)


@case(np.array([0.2, 0.7, 1.3]))
@case(0.7)
def limits_of_dtypes(x):
    """The smallest number beside 1 keeps a logarithm finite."""
    x = np.atleast_1d(x) if np.isscalar(x) else x
    small = np.finfo(float).eps + np.finfo(x.dtype).tiny
    return np.sum(np.log(x + 1e6 * small)) * np.iinfo(np.int8).max


@case(vec(3))
@case(0.7)
def asked_what_it_is(x):
    assert np.ndim(x) == (0 if np.isscalar(x) else 1) and np.ndim([[x]]) == 2 + np.ndim(x)
    if np.ma.isMaskedArray(x):
        return 0.0
    if np.isscalar(x):
        return x * x * np.isscalar("text")
    assert np.iterable(x) and not np.iterable(x[0]) and np.iterable([x[0]]) and np.iterable("")
    return np.sum(x**3) + np.isscalar(x[0]) + np.isscalar(None) + np.isscalar(np.sum(x))


@case(vec(3))
def asked_for_its_dtype(x):
    if not np.issubdtype(x.dtype, np.floating) or np.can_cast(x.dtype, np.int64, casting="safe"):
        return 0.0
    x = x.astype(np.promote_types(x.dtype, "float64"))
    return np.sum(x * x) if np.isdtype(x.dtype, kind="real floating") else x[0]
