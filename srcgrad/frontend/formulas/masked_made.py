"""Functions of numpy.ma that make masked arrays, or read them."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas import masked_joined  # noqa: F401  (registers functions)
from srcgrad.frontend.formulas.masked import Masked
from srcgrad.frontend.formulas.masked_functions import as_masked
from srcgrad.frontend.formulas.masked_parts import (
    checked_fill,
    data_of,
    default_fill,
    mask_array,
    mask_of,
    own_mask,
)
from srcgrad.frontend.formulas.registry import stand_for, stands_for, unsupported


@stands_for(np.ma.MaskedArray)
def masked_array(
    data: Any, mask: Any = np.ma.nomask, dtype: Any = None, copy: Any = False, subok: Any = True,
    ndmin: Any = 0, fill_value: Any = None, keep_mask: Any = True, hard_mask: Any = None,
    shrink: Any = True, order: Any = None,
) -> Any:  # fmt: skip
    """A masked array, which shares the memory of its parts as NumPy's does.

    >>> masked_array([1.0, 2.0], mask=[0, 1]).sum().item()
    1.0
    """
    given = data_of(data)
    values = given if dtype is None else given.astype(dtype, copy=False)
    values = values if order is None else np.asarray(values, order=order)
    hidden, bare = mask_of(data)
    if ndmin > values.ndim:
        unsupported("ndmin= of a masked array", "reshape it")
    if hidden is not None and values is not given:
        hidden = hidden.copy()
    if mask is np.ma.nomask:
        if not keep_mask:
            hidden, bare = (None, True) if shrink else (np.zeros(values.shape, dtype=bool), False)
    else:
        new = mask_given(mask, values)
        if hidden is not None and keep_mask and not bare:
            new = new | hidden
        hidden, bare = new, False
    if copy:
        values = values.copy()
        hidden = None if hidden is None else hidden.copy()
    fill = data.own_fill if isinstance(data, Masked) else None
    if fill_value is not None:
        fill = checked_fill(fill_value, values.dtype)
    elif fill is not None:
        fill = checked_fill(fill, values.dtype)
    hard = data.hard if isinstance(data, Masked) else False
    return Masked(values, hidden, bare, fill, hard if hard_mask is None else hard_mask)


def mask_given(mask: Any, values: Any) -> Any:
    """The mask that an array is made with, in its shape."""
    if mask is None or mask is False:
        return np.zeros(values.shape, dtype=bool)
    if mask is True:
        return np.ones(values.shape, dtype=bool)
    given = data_of(mask)
    given = given if given.dtype == bool else given != 0
    if given.shape == values.shape:
        return given
    if given.size == 1:
        return np.zeros(values.shape, dtype=bool) | np.reshape(given, ())
    if given.size != values.size:
        raise np.ma.MaskError("Mask and data not compatible")
    return np.reshape(given, values.shape).copy()


@stands_for(np.ma.array)
def array(
    data: Any, dtype: Any = None, copy: Any = False, order: Any = None, mask: Any = np.ma.nomask,
    fill_value: Any = None, keep_mask: Any = True, hard_mask: Any = False, shrink: Any = True,
    subok: Any = True, ndmin: Any = 0,
) -> Any:  # fmt: skip
    """A masked array; `hard_mask` protects its mask from stores.

    >>> array([1.0, 2.0], mask=[0, 1]).sum().item()
    1.0
    """
    return masked_array(
        data, mask, dtype, copy, subok, ndmin, fill_value, keep_mask, hard_mask, shrink, order
    )


@stands_for(np.ma.masked_where)
def masked_where(condition: Any, a: Any, copy: Any = True) -> Any:
    """An array without the elements where a condition holds.

    >>> masked_where([True, False], [1.0, 2.0]).sum().item()
    2.0
    """
    condition = condition.numbers(True) if isinstance(condition, Masked) else np.asarray(condition)
    hidden = condition if condition.dtype == bool else condition != 0
    values = data_of(a).copy() if copy else data_of(a)
    if np.ndim(hidden) > 0 and hidden.shape != values.shape:
        raise IndexError("Inconsistent shape between the condition and the input")
    own, bare = mask_of(a)
    if not isinstance(a, Masked):
        return Masked(values, np.zeros(values.shape, dtype=bool) | hidden, not np.any(hidden))
    hidden = np.zeros(values.shape, dtype=bool) | hidden
    if own is not None:
        hidden = hidden | own
    if not copy:
        unsupported("masked_where of a masked array with copy=False", "leave it out")
    made = a.like(values, hidden, not np.any(hidden))
    made.own_fill = None if a.own_fill is None else a.own_fill.copy()
    if a.hard:
        made.bare = made.bare and bare
    elif own is not None:
        made.bare = bare and made.bare
    return made


@stands_for(np.ma.masked_invalid)
def masked_invalid(a: Any, copy: Any = True) -> Any:
    """An array without what is infinite or NaN, which has a mask in any case.

    >>> masked_invalid([1.0, np.nan]).sum().item()
    1.0
    """
    lost = ~np.isfinite(data_of(a))
    lost = lost | mask_array(a) if isinstance(a, Masked) else lost
    made = masked_where(lost, a, copy)
    made.bare = False
    return made


def constant_array() -> Any:
    """The array that the constant `masked` is."""
    return Masked(np.zeros(()), np.True_, False)


def masked_by(f: Any, x: Any, value: Any, copy: Any) -> Any:
    """An array without the elements for which a comparison with a value holds."""
    return masked_where(f(data_of(x), data_of(value)) | mask_array(x) | mask_array(value), x, copy)


def masked_equal(x: Any, value: Any, copy: Any = True) -> Any:
    made = masked_by(np.equal, x, value, copy)
    made.fill_value = value
    return made


def between(x: Any, v1: Any, v2: Any) -> Any:
    """Where the numbers, and the fill values of what is masked, lie in an interval."""
    numbers = filled(x)
    return (numbers >= min(v1, v2)) & (numbers <= max(v1, v2))


def beside(x: Any, v1: Any, v2: Any) -> Any:
    numbers = filled(x)
    return (numbers < min(v1, v2)) | (numbers > max(v1, v2))


def filled(a: Any, fill_value: Any = None) -> Any:
    return a.filled(fill_value) if isinstance(a, Masked) else np.asarray(a)


def masked_values(
    x: Any, value: Any, rtol: Any = 1e-05, atol: Any = 1e-08, copy: Any = True, shrink: Any = True
) -> Any:
    numbers = x.numbers(value) if isinstance(x, Masked) else np.asarray(x)
    if numbers.dtype.kind in "fc":
        hidden = np.isclose(numbers, value, atol=atol, rtol=rtol)
    else:
        hidden = numbers == value
    made = Masked(numbers.copy() if copy else numbers, hidden, False)
    made.fill_value = value
    return made.shrink_mask() if shrink else made


def getmask(a: Any) -> Any:
    return a.mask if isinstance(a, Masked) else np.ma.nomask


def is_masked(x: Any) -> Any:
    hidden, _ = mask_of(x)
    return False if hidden is None else np.any(hidden)


def fix_invalid(a: Any, mask: Any = np.ma.nomask, copy: Any = True, fill_value: Any = None) -> Any:
    made = masked_array(a, mask=mask, copy=copy)
    lost = ~np.isfinite(made.values)
    if made.hidden is None:
        made.hidden, made.bare = lost, not np.any(lost)
    elif np.any(lost):
        made.masked_anew()
        made.hidden |= lost
    made.values[lost] = made.filling()[0] if fill_value is None else fill_value
    return made


def putmask(a: Any, mask: Any, values: Any) -> None:
    data, (hidden, bare) = data_of(values), mask_of(values)
    if not isinstance(a, Masked):
        np.copyto(a, data, where=mask)
        return
    if a.hard:
        unsupported("putmask under a hard mask", "use indexing")
    if a.hidden is None and hidden is not None:
        a.hidden, a.bare = np.zeros(a.values.shape, dtype=bool), bare
    elif hidden is not None and not bare:
        a.masked_anew()
    if a.hidden is not None:
        np.copyto(a.hidden, False if hidden is None else hidden, where=mask)
    np.copyto(a.values, data, where=mask)


stand_for({
    np.ma.put: lambda a, indices, values, mode="raise": a.put(indices, values, mode),
    np.ma.putmask: putmask,
    np.ma.masked_equal: masked_equal,
    np.ma.masked_greater: lambda x, value, copy=True: masked_by(np.greater, x, value, copy),
    np.ma.masked_greater_equal: lambda x, value, copy=True: masked_by(
        np.greater_equal, x, value, copy),
    np.ma.masked_less: lambda x, value, copy=True: masked_by(np.less, x, value, copy),
    np.ma.masked_less_equal: lambda x, value, copy=True: masked_by(np.less_equal, x, value, copy),
    np.ma.masked_not_equal: lambda x, value, copy=True: masked_by(np.not_equal, x, value, copy),
    np.ma.masked_inside: lambda x, v1, v2, copy=True: masked_where(between(x, v1, v2), x, copy),
    np.ma.masked_outside: lambda x, v1, v2, copy=True: masked_where(beside(x, v1, v2), x, copy),
    np.ma.masked_values: masked_values,
    np.ma.fix_invalid: fix_invalid,
    np.ma.isMaskedArray: lambda x: isinstance(x, Masked),
    np.ma.is_masked: is_masked,
    np.ma.getdata: lambda a, subok=True: data_of(a),
    np.ma.getmask: getmask,
    np.ma.getmaskarray: lambda arr: own_mask(arr),
    np.ma.filled: filled,
    np.ma.asarray: lambda a, dtype=None, order=None: (
        masked_array(a, dtype=dtype, order=order or "C")),
    np.ma.asanyarray: lambda a, dtype=None, order=None: (
        as_masked(a) if dtype is None and order is None
        else masked_array(a, dtype=dtype, order=order)),
    np.ma.default_fill_value: lambda obj: default_fill(np.asarray(data_of(obj)).dtype),
    np.ma.set_fill_value: lambda a, fill_value: (
        a.set_fill_value(fill_value) if isinstance(a, Masked) else None),
    np.ma.shape: lambda obj: data_of(obj).shape,
    np.ma.ndim: lambda obj: data_of(obj).ndim,
    np.ma.size: lambda obj, axis=None: np.size(data_of(obj), axis),
    np.ma.zeros: lambda shape, dtype=float: Masked(np.zeros(shape, dtype), None, True),
    np.ma.ones: lambda shape, dtype=float: Masked(np.ones(shape, dtype), None, True),
    np.ma.arange: lambda *args, dtype=None: Masked(np.arange(*args, dtype=dtype), None, True),
    np.ma.identity: lambda n, dtype=None: Masked(np.identity(n, dtype), None, True),
})  # fmt: skip
