"""Functions of numpy.ma that make masked arrays, or read them."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.masked import Masked, finite, of_doubles, parts
from srcgrad.frontend.formulas.masked_functions import as_masked
from srcgrad.frontend.formulas.registry import stand_for, stands_for, unsupported


@stands_for(np.ma.MaskedArray, np.ma.array)
def array(
    data: Any, mask: Any = None, dtype: Any = None, copy: Any = False, *, fill_value: Any = None
) -> Any:
    """A masked array, which shares the memory of its parts as NumPy's does.

    >>> array([1.0, 2.0], mask=[0, 1]).sum().item()
    1.0
    """
    values, hidden = parts(data)
    values = of_doubles(values if dtype is None else values.astype(dtype, copy=False))
    if mask is not None and mask is not False:
        given = np.asarray(mask)
        given = given if given.dtype == bool else given != 0
        if given.ndim > 0 and given.shape != values.shape:
            raise np.ma.MaskError("Mask and data not compatible")
        shared = given.ndim > 0 and not isinstance(data, Masked)
        hidden = given if shared else hidden | given
    if copy:
        return Masked(values.copy(), hidden.copy(), fill_value)
    return Masked(values, hidden, fill_value)


@stands_for(np.ma.masked_where)
def masked_where(condition: Any, a: Any, copy: Any = True) -> Any:
    """An array without the elements where a condition holds.

    >>> masked_where([True, False], [1.0, 2.0]).sum().item()
    2.0
    """
    if not copy:
        return unsupported("masked_where with copy=False", "leave it out")
    values, hidden = parts(a)
    values = of_doubles(values)
    condition = parts(condition)[0] != 0
    if condition.shape != values.shape:
        raise IndexError("Inconsistent shape between the condition and the input")
    return Masked(values.copy(), hidden | condition, a.fill if isinstance(a, Masked) else None)


@stands_for(np.ma.masked_invalid)
def masked_invalid(a: Any, copy: Any = True) -> Any:
    """An array without what is infinite or NaN.

    >>> masked_invalid([1.0, np.nan]).sum().item()
    1.0
    """
    return masked_where(~np.isfinite(parts(a)[0]), a, copy)


stand_for({
    np.ma.masked_equal: lambda x, value, copy=True: array(
        masked_where(parts(x)[0] == value, x, copy), fill_value=value),
    np.ma.masked_greater: lambda x, value, copy=True: masked_where(parts(x)[0] > value, x, copy),
    np.ma.masked_greater_equal: lambda x, value, copy=True: masked_where(
        parts(x)[0] >= value, x, copy),
    np.ma.masked_less: lambda x, value, copy=True: masked_where(parts(x)[0] < value, x, copy),
    np.ma.masked_less_equal: lambda x, value, copy=True: masked_where(
        parts(x)[0] <= value, x, copy),
    np.ma.masked_not_equal: lambda x, value, copy=True: masked_where(
        parts(x)[0] != value, x, copy),
    np.ma.masked_inside: lambda x, v1, v2, copy=True: masked_where(
        (parts(x)[0] >= min(v1, v2)) & (parts(x)[0] <= max(v1, v2)), x, copy),
    np.ma.masked_outside: lambda x, v1, v2, copy=True: masked_where(
        (parts(x)[0] < min(v1, v2)) | (parts(x)[0] > max(v1, v2)), x, copy),
    np.ma.isMaskedArray: lambda x: isinstance(x, Masked),
    np.ma.getdata: lambda a, subok=True: parts(a)[0],
    np.ma.getmaskarray: lambda arr: parts(arr)[1],
    np.ma.filled: lambda a, fill_value=None: (
        a.filled(fill_value) if isinstance(a, Masked) else np.asarray(a)),
})  # fmt: skip


# ---- statistics ----
@stands_for(np.ma.average)
def average(a: Any, axis: Any = None, weights: Any = None) -> Any:
    """The weighted mean of what counts.

    >>> float(average(array([1.0, 9.0, 3.0], mask=[0, 1, 0]), weights=[3, 1, 1]))
    1.5
    """
    values, hidden = parts(a)
    m = Masked(values, hidden)
    if weights is None:
        return m.mean(axis)
    w = np.asarray(weights)
    if w.shape != values.shape:
        raise NotImplementedError("weights of another shape than the masked array")
    total = np.sum(np.where(hidden, 0, w), axis=axis)
    if np.any(total == 0):
        raise NotImplementedError("weights of a masked array whose sum is zero")
    value = finite(np.sum(np.where(hidden, 0, values * w), axis=axis) / total)
    return m.reduced(value, axis, False)


@stands_for(np.ma.median)
def median(a: Any, axis: Any = None) -> Any:
    """The median of what counts in the whole array.

    >>> float(median(array([1.0, 9.0, 3.0], mask=[0, 1, 0])))
    2.0
    """
    if axis is not None:
        return unsupported("np.ma.median along an axis", "call it for each row")
    counted = as_masked(a).compressed()
    if counted.shape[0] == 0:
        raise NotImplementedError("a masked array without a value that counts")
    return np.median(counted)
