"""Functions applied to parts of arrays, places in arrays, running sums, windows."""

from __future__ import annotations

import bisect
import functools
import math
from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import (
    known,
    number,
    place,
    stand_for,
    stands_for,
    unsupported,
)
from srcgrad.frontend.versions import there

OF_PYTHON = (np.float64, np.int64, np.complex128, np.bool_)  # dtypes of Python's numbers


# ---- functions applied to parts ----
@stands_for(np.apply_along_axis)
def apply_along_axis(func1d: Any, axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """A function of the vectors along one axis, which its results replace.

    >>> apply_along_axis(np.sum, 0, np.ones((2, 3)))
    array([2., 2., 2.])
    """
    arr = np.asarray(arr)
    axis = place(axis, arr.ndim)
    lanes = np.moveaxis(arr, axis, -1)
    rest = lanes.shape[:-1]
    count = math.prod(rest)
    if count == 0:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    flat = np.reshape(lanes.copy(), (count, arr.shape[axis]))
    first = np.asarray(func1d(flat[0], *args, **kwargs))
    made = np.zeros((flat.shape[0], *first.shape), first.dtype)
    made[0] = first
    for k in range(1, flat.shape[0]):
        made[k] = func1d(flat[k], *args, **kwargs)
    shaped = np.reshape(made, (*rest, *first.shape))
    n, m = len(rest), first.ndim
    order = (*range(axis), *range(n, n + m), *range(axis, n))
    return np.transpose(shaped, order)


@stands_for(np.vectorize)
def vectorize(
    pyfunc: Any, otypes: Any = None, doc: Any = None, excluded: Any = None, cache: Any = False,
    signature: Any = None,
) -> Any:  # fmt: skip
    """A function of numbers as one of arrays; it gets the elements as Python numbers.

    >>> vectorize(lambda a, b: a * b if a > b else b)(np.array([1.0, 3.0]), 2.0)
    array([2., 6.])
    """
    if signature is not None or excluded:
        return unsupported(
            "np.vectorize with signature= or excluded= is not supported", "write the loop"
        )

    return functools.partial(_of_elements, pyfunc, otypes)


def _of_elements(pyfunc: Any, otypes: Any, /, *args: Any, **kwargs: Any) -> Any:
    if kwargs:
        return unsupported(
            "keyword arguments of what np.vectorize made are not supported",
            "pass them by position",
        )
    arrays = np.broadcast_arrays(*args)
    flat = [np.ravel(a) for a in arrays]
    if otypes is None:
        if flat[0].size == 0:
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        first = pyfunc(*[number(a[0]) for a in flat])
        several = isinstance(first, tuple)
        kinds: list = [type(v) for v in (first if several else (first,))]
        if any(a.dtype not in OF_PYTHON for a in flat):  # NumPy calls with numbers of its own
            own = pyfunc(*[a[0] for a in flat])
            kinds = [np.asarray(v).dtype for v in (own if several else (own,))]
    else:
        several, kinds = len(otypes) > 1, list(otypes)
    made = [np.zeros(flat[0].size, kind) for kind in kinds]
    for k in range(flat[0].size):
        values = pyfunc(*[number(a[k]) for a in flat])
        for out, value in zip(made, values if several else (values,), strict=True):
            out[k] = value
    shaped = [np.reshape(out, arrays[0].shape) for out in made]
    return tuple(shaped) if several else shaped[0]


@stands_for(np.apply_over_axes)
def apply_over_axes(func: Any, a: Any, axes: Any) -> Any:
    """A reduction over one axis after the other; reduced axes stay, with length 1.

    >>> apply_over_axes(np.sum, np.ones((2, 3)), [0, 1])
    array([[6.]])
    """
    result = np.asarray(a)
    for axis in axes if isinstance(axes, tuple | list | range) else (axes,):
        reduced = func(result, axis)
        result = reduced if reduced.ndim == result.ndim else np.expand_dims(reduced, axis)
    return result


@stands_for(np.fromiter)
def fromiter(iter: Any, dtype: Any, count: Any = -1) -> Any:
    """An array of the items of an iterable.

    >>> fromiter((2.0 * k for k in range(3)), float)
    array([0., 2., 4.])
    """
    items = list(iter)
    if count > len(items):
        raise ValueError(
            f"iterator too short: Expected {count} but iterator had only {len(items)} items."
        )
    return np.array(items if count < 0 else items[:count], dtype)


# ---- places ----
stand_for({
    np.fromfunction: lambda function, shape, *, dtype=float, **kwargs: function(
        *indices(shape, dtype), **kwargs),
    np.tril_indices: lambda n, k=0, m=None: np.nonzero(tri(n, m, k, bool)),
    np.triu_indices: lambda n, k=0, m=None: np.nonzero(_above(n, m, k)),
    np.tril_indices_from: lambda arr, k=0: np.tril_indices(_matrix(arr).shape[0], k, arr.shape[1]),
    np.triu_indices_from: lambda arr, k=0: np.triu_indices(_matrix(arr).shape[0], k, arr.shape[1]),
    np.diag_indices: lambda n, ndim=2: (np.arange(n),) * known(ndim),
})  # fmt: skip


def _above(n: Any, m: Any, k: Any) -> Any:
    """Whether a place is on a diagonal or above it."""
    return np.arange(n)[:, None] + k <= np.arange(n if m is None else m)[None, :]


def _matrix(x: Any) -> Any:
    if np.ndim(x) != 2:
        raise ValueError("input array must be 2-d")
    return x


@stands_for(np.indices)
def indices(dimensions: Any, dtype: Any = int, sparse: Any = False) -> Any:
    """The places of an array, one array per axis.

    >>> indices((2, 2))[1]
    array([[0, 1],
           [0, 1]])
    """
    shape, n = tuple(dimensions), len(dimensions)
    lines = [
        np.reshape(np.arange(m).astype(dtype), (1,) * k + (-1,) + (1,) * (n - 1 - k))
        for k, m in enumerate(shape)
    ]
    if sparse:
        return tuple(lines)
    return np.stack([np.broadcast_to(line, shape) for line in lines])


@stands_for(np.tri)
def tri(N: Any, M: Any = None, k: Any = 0, dtype: Any = float) -> Any:
    """Ones on a diagonal and below.

    >>> tri(2)
    array([[1., 0.],
           [1., 1.]])
    """
    columns = N if M is None else M
    below = np.arange(columns)[None, :] - np.arange(N)[:, None] <= k  # no sum with k may wrap
    return below.astype(dtype)


@stands_for(np.lexsort)
def lexsort(keys: Any, axis: Any = -1) -> Any:
    """The order by the last key, then the one before it, and so on.

    >>> lexsort((np.array([2, 1]), np.array([0, 0])))
    array([1, 0])
    """
    if len(keys) == 0:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    if np.ndim(keys[0]) != 1:
        return unsupported("lexsort takes vectors")
    if axis not in (0, -1):
        return unsupported("lexsort of vectors has one axis", like=ValueError)
    order = np.argsort(keys[0])
    for k in range(1, len(keys)):
        order = order[np.argsort(np.asarray(keys[k])[order])]
    return order


def last_in_order(z: Any, axis: Any, first: Any) -> Any:
    """1 where the largest complex numbers are, or the `first`: by real parts, then imaginary ones.

    NaN comes before all others.
    """
    z = np.asarray(z)
    x, y = (-z.real, -z.imag) if first else (z.real, z.imag)
    top = x == np.max(x, axis=axis, keepdims=True)
    y = np.where(top, y, -np.inf)
    found = top & (y == np.max(y, axis=axis, keepdims=True))
    nan = np.isnan(z)
    found = np.where(np.any(nan, axis=axis, keepdims=True), nan, found)
    return found.astype(np.int64)


# ---- places in order ----
@stands_for(bisect.bisect_left)
def bisect_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    """The first place where inserting `x` preserves the order of a list.

    >>> bisect_left([1.0, 2.0, 2.0, 3.0], 2.0)
    1
    """
    return _bisected(a, lo, hi, lambda v: (v if key is None else key(v)) < x)


@stands_for(bisect.bisect_right)
def bisect_right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    """The last place where inserting `x` preserves the order of a list.

    >>> bisect_right([1.0, 2.0, 2.0, 3.0], 2.0)
    3
    """
    return _bisected(a, lo, hi, lambda v: not x < (v if key is None else key(v)))


def _bisected(a: Any, lo: Any, hi: Any, is_left: Any) -> Any:
    """The end of the items on the left, by bisection, as in Python."""
    if lo < 0:
        raise ValueError("lo must be non-negative")
    items = np.asarray(a)
    hi = len(items) if hi is None else hi
    while lo < hi:
        middle = (lo + hi) // 2
        if is_left(items[middle]):
            lo = middle + 1
        else:
            hi = middle
    return lo


# ---- running sums: since NumPy 2.1 ----
@stands_for(*there(np, "cumulative_sum"))
def cumulative_sum(
    x: Any, *, axis: Any = None, dtype: Any = None, include_initial: Any = False
) -> Any:
    """Running sums along an axis, with a zero in front if so wished.

    >>> cumulative_sum(np.array([1.0, 2.0]), include_initial=True)
    array([0., 1., 3.])
    """
    return _cumulative(np.cumsum, 0, np.asarray(x), axis, dtype, include_initial)


@stands_for(*there(np, "cumulative_prod"))
def cumulative_prod(
    x: Any, *, axis: Any = None, dtype: Any = None, include_initial: Any = False
) -> Any:
    """Running products along an axis, with a one in front if so wished.

    >>> cumulative_prod(np.array([1.0, 2.0]), include_initial=True)
    array([1., 1., 2.])
    """
    return _cumulative(np.cumprod, 1, np.asarray(x), axis, dtype, include_initial)


def _cumulative(f: Any, start: Any, x: Any, axis: Any, dtype: Any, include_initial: Any) -> Any:
    x = np.atleast_1d(x)
    if axis is None and x.ndim != 1:
        raise ValueError("For arrays which have more than one dimension ``axis`` is required.")
    axis = known(axis)
    axis = axis[0] if isinstance(axis, tuple) else 0 if axis is None else axis
    total = f(x, axis=axis, dtype=dtype)
    if not include_initial:
        return total
    # not np.ones: the first of an empty array is there as well
    first = np.full_like(np.sum(total, axis=axis, keepdims=True), start)
    return np.concatenate([first, total], axis=axis)


# ---- windows ----
stand_for({
    np.hanning: lambda M: _cosines(M, 0.5, 0.5, 0.0),
    np.hamming: lambda M: _cosines(M, 0.54, 0.46, 0.0),
    np.blackman: lambda M: _cosines(M, 0.42, 0.5, 0.08),
})  # fmt: skip


def _cosines(M: Any, a: float, b: float, c: float) -> Any:
    M = float(M)  # as NumPy: 1 - M of a narrow unsigned integer would wrap around
    n = np.arange(1 - M, M, 2)
    if M == 1:
        return np.ones(1)
    return a + b * np.cos(np.pi * n / (M - 1)) + c * np.cos(2.0 * np.pi * n / (M - 1))


@stands_for(np.bartlett)
def bartlett(M: Any) -> Any:
    """The triangular window.

    >>> bartlett(3)
    array([0., 1., 0.])
    """
    M = float(M)
    if M == 1:
        return np.ones(1)
    return 1.0 - np.abs(np.arange(1 - M, M, 2) / (M - 1))


# ---- scales ----
@stands_for(np.logspace)
def logspace(
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, base: Any = 10.0,
    dtype: Any = None, axis: Any = 0,
) -> Any:  # fmt: skip
    """Powers whose exponents are evenly spaced.

    >>> logspace(0.0, 2.0, 3)
    array([  1.,  10., 100.])
    """
    if np.ndim(base) > 0:
        return unsupported("logspace with an array as its base is not supported")
    powers = np.power(base, np.linspace(start, stop, num, endpoint, axis=axis))
    return powers if dtype is None else powers.astype(dtype)


@stands_for(np.geomspace)
def geomspace(
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, dtype: Any = None, axis: Any = 0
) -> Any:
    """Numbers that grow by one factor.

    >>> geomspace(1.0, 4.0, 3)
    array([1., 2., 4.])
    """
    first, last = np.asarray(start, np.float64), np.asarray(stop, np.float64)
    if np.any(first == 0.0) or np.any(last == 0.0):
        raise ValueError("Geometric sequence cannot include zero")
    sign = np.sign(first)
    first, last = first / sign, last / sign
    powers = np.power(10.0, np.linspace(np.log10(first), np.log10(last), num, endpoint))
    places = np.reshape(np.arange(num), (-1,) + (1,) * (powers.ndim - 1))
    powers = np.where(places == 0, first, powers)
    if endpoint:
        powers = np.where((places == num - 1) & (places > 0), last, powers)
    powers = np.moveaxis(powers * sign, 0, axis)
    return powers if dtype is None else powers.astype(dtype)
