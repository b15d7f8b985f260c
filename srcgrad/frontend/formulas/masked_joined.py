"""Functions of numpy.ma that join masked arrays, and statistics of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.frontend.formulas.masked import Masked
from srcgrad.frontend.formulas.masked_functions import as_masked
from srcgrad.frontend.formulas.masked_parts import data_of, mask_array, mask_of
from srcgrad.frontend.formulas.registry import known, stand_for, stands_for, unsupported


@stands_for(np.ma.concatenate)
def concatenate(arrays: Any, axis: Any = 0) -> Any:
    """The data and the masks of several arrays, one after another.

    >>> concatenate([[1.0], Masked(np.ones(2), np.array([True, False]))]).sum().item()
    2.0
    """
    hidden = np.concatenate([mask_array(a) for a in arrays], axis)
    return Masked(np.concatenate([data_of(a) for a in arrays], axis), hidden, not np.any(hidden))


def of_each(f: Any) -> Callable[..., Any]:
    """A function that joins arrays, of the data and of the masks."""

    def of(arrays: Any, *args: Any, **kwargs: Any) -> Any:
        values = f(tuple([data_of(a) for a in arrays]), *args, **kwargs)
        return Masked(values, f(tuple([mask_array(a) for a in arrays]), *args, **kwargs), False)

    return of


stand_for({
    getattr(np.ma, f.__name__): of_each(f)
    for f in (np.vstack, np.hstack, np.column_stack, np.dstack, np.stack)
})  # fmt: skip
stand_for({
    np.ma.atleast_1d: lambda a: Masked(np.atleast_1d(data_of(a)), np.atleast_1d(mask_array(a))),
    np.ma.atleast_2d: lambda a: Masked(np.atleast_2d(data_of(a)), np.atleast_2d(mask_array(a))),
    np.ma.append: lambda a, b, axis=None: (
        concatenate([as_masked(a).ravel(), as_masked(b).ravel()])
        if axis is None else concatenate([a, b], axis)),
})  # fmt: skip


def numbers(a: Any, fill: Any) -> Any:
    return a.numbers(fill) if isinstance(a, Masked) else np.asarray(a)


def product(a: Any, b: Any, strict: Any = False, out: Any = None) -> Any:
    """The dot product of what counts; masked where nothing does."""
    if strict or out is not None:
        unsupported("np.ma.dot with strict= or out=", "leave it out")
    values = np.dot(numbers(a, 0), numbers(b, 0))
    counted = np.dot((~mask_array(a)).astype(np.int64), (~mask_array(b)).astype(np.int64))
    hidden = counted == 0
    return Masked(values, hidden, np.ndim(values) == 0 and not hidden)


def outer(a: Any, b: Any) -> Any:
    values = np.outer(np.ravel(numbers(a, 0)), np.ravel(numbers(b, 0)))
    if mask_of(a)[0] is None and mask_of(b)[0] is None:
        return Masked(values, None, True)
    one, other = np.ravel(mask_array(a)), np.ravel(mask_array(b))
    hidden = one[:, None] | other[None, :]
    return Masked(values, hidden, not np.any(hidden))


stand_for({
    np.ma.dot: product,
    np.ma.inner: lambda a, b: np.inner(numbers(a, 0), numbers(b, 0)),
    np.ma.outer: outer,
    np.ma.ediff1d: lambda arr: as_masked(arr).ravel()[1:] - as_masked(arr).ravel()[:-1],
})  # fmt: skip


# ---- statistics ----
@stands_for(np.ma.average)
def average(
    a: Any, axis: Any = None, weights: Any = None, returned: Any = False, *, keepdims: Any = False
) -> Any:
    """The weighted mean of what counts.

    >>> float(average(Masked(np.array([1.0, 9.0]), np.array([False, True])), weights=[3, 1]))
    1.0
    """
    m = as_masked(a)
    if weights is None:
        mean = m.mean(axis, None, None, keepdims)
        return (mean, m.count(axis, keepdims) * 1.0) if returned else mean
    w = as_masked(weights)
    if axis is None and w.ndim != m.ndim:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    if w.ndim != m.ndim:
        at = known(axis)
        if not isinstance(at, int):
            unsupported("weights along several axes", "give them the shape of the array")
        shape = [1] * m.ndim
        shape[at] = m.shape[at]
        w = w.reshape(tuple(shape))
    if m.hidden is not None:
        hidden = m.hidden | mask_array(w)
        w = w.like(np.where(m.hidden, w.values * 0, w.values), hidden, False)
    kind = np.float64 if m.dtype.kind in "iub" else np.result_type(m.dtype, w.dtype)
    total = w.sum(axis, kind, None, keepdims)
    mean = (m * w).sum(axis, kind, None, keepdims) / total
    return (mean, total) if returned else mean


@stands_for(np.ma.median)
def median(a: Any, axis: Any = None) -> Any:
    """The median of what counts in the whole array.

    >>> float(median(Masked(np.array([1.0, 9.0, 3.0]), np.array([False, True, False]))))
    2.0
    """
    if axis is not None:
        return unsupported("np.ma.median along an axis", "call it for each row")
    counted = as_masked(a).compressed()
    if counted.shape[0] == 0:  # only the run tells; NumPy gives `masked`
        raise NotImplementedError("a masked array without a value that counts")
    return np.median(counted)
