"""Masked arrays of numpy.ma: data, and which of them are left out.

What is left out has no part in results, and its adjoint is zero. An element that is left out is the
constant `masked`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.masked_operators import Operators
from srcgrad.frontend.formulas.masked_parts import (
    MASKED,
    Parts,
    checked_fill,
    data_of,
    default_fill,
    element,
    finished,
    mask_array,
    mask_of,
)
from srcgrad.frontend.formulas.masked_reductions import Reductions, extreme, without
from srcgrad.frontend.formulas.registry import is_static, made_inside, perhaps_shared, unsupported


@made_inside("data and mask: m.filled(0.0), np.ma.getmaskarray(m)", np.ma.MaskedArray)
class Masked(Operators, Reductions):
    """An array of which some elements are left out.

    >>> m = Masked(np.array([1.0, -2.0, 3.0]), np.array([False, True, False]))
    >>> float(m.mean()), m.filled(0.0).tolist()
    (2.0, [1.0, 0.0, 3.0])
    """

    # ---- parts ----
    @property
    def data(self) -> Any:
        return self.values

    @property
    def mask(self) -> Any:
        if self.hidden is None or self.bare:
            return np.ma.nomask
        return self.hidden

    @mask.setter
    def mask(self, mask: Any) -> None:
        mask = True if mask is MASKED else mask
        if mask is np.ma.nomask:
            if self.hidden is not None and not self.bare and not self.hard:
                self.hidden[...] = False
            return
        self.masked_anew()
        mask = np.asarray(mask)
        mask = mask if mask.dtype == bool else mask != 0
        if self.hard:
            self.hidden |= mask
        else:
            self.hidden[...] = mask if np.ndim(mask) == 0 else np.resize(mask, self.values.shape)

    @property
    def fill_value(self) -> Any:
        return self.filling()[0]

    @fill_value.setter
    def fill_value(self, value: Any) -> None:
        value = checked_fill(default_fill(self.dtype) if value is None else value, self.dtype)
        if self.own_fill is None:
            self.own_fill = value
        else:
            self.own_fill[...] = value

    def set_fill_value(self, value: Any = None) -> None:
        self.fill_value = value

    def get_fill_value(self) -> Any:
        return self.fill_value

    @property
    def hardmask(self) -> Any:
        return self.hard

    def harden_mask(self) -> Any:
        self.hard = True
        return self

    def soften_mask(self) -> Any:
        self.hard = False
        return self

    def unshare_mask(self) -> Any:
        if self.hidden is not None:
            own = self.hidden.copy()
            if not self.shared:
                own = perhaps_shared(own, self.hidden, "a mask after unshare_mask()")
            self.hidden, self.shared = own, False
        return self

    def shrink_mask(self) -> Any:
        if self.hidden is not None:
            self.bare = self.bare or not np.any(self.hidden)
        return self

    def masked_anew(self) -> None:
        """Gives an array without a mask one of its own."""
        if self.hidden is None or self.bare:
            self.hidden = np.zeros(self.values.shape, dtype=bool)
        self.bare = False

    @property
    def shape(self) -> Any:
        return self.values.shape

    @property
    def ndim(self) -> Any:
        return self.values.ndim

    @property
    def size(self) -> Any:
        return self.values.size

    @property
    def dtype(self) -> Any:
        return self.values.dtype

    @property
    def real(self) -> Any:
        return self.of_part(self.values.real)

    @property
    def imag(self) -> Any:
        return self.of_part(self.values.imag)

    def of_part(self, values: Any) -> Any:
        hidden = None if self.hidden is None else self.hidden.copy()
        return self.plain(values, hidden, self.bare)

    # ---- items ----
    def __len__(self) -> Any:
        return len(self.values)

    def __bool__(self) -> Any:
        if self.values.size != 1:
            raise ValueError("The truth value of an array is ambiguous. Use a.any() or a.all()")
        return bool(np.any(self.values))

    def __float__(self) -> Any:
        if self.hidden is not None and np.any(self.hidden):
            return np.nan
        return float(self.values)

    def __int__(self) -> Any:
        if self.hidden is not None and np.any(self.hidden):
            raise np.ma.MaskError("Cannot convert masked element to a Python int.")
        return int(self.values)

    def __getitem__(self, k: Any) -> Any:
        k = without_masks(k)
        value = self.values[k]
        hidden = None if self.hidden is None else self.hidden[k]
        if np.ndim(value) > 0 or has_ellipsis(k):
            made = self.like(value, hidden, self.bare)
            made.shared = True
            return made
        return element(hidden, value)

    def __setitem__(self, k: Any, value: Any) -> None:
        at = without_masks(k)
        if value is MASKED:
            self.hide(at, True)
            return
        data, (hidden, bare) = data_to_store(value), mask_of(value)
        if self.hidden is None:
            self.values[at] = data
            if hidden is not None and not bare:
                self.hide(at, hidden)
        elif self.hard and not self.bare:
            self.put_hard(k, at, data, mask_array(value))
        else:
            self.values[at] = data
            if isinstance(k, Parts) and not isinstance(value, Parts):
                return
            if hidden is not None:
                if not bare:
                    self.masked_anew()
                self.hidden[at] = hidden
            else:
                self.hidden[at] = False

    def hide(self, at: Any, hidden: Any) -> None:
        """Stores to the mask, which an array without one gets."""
        self.masked_anew()
        self.hidden[at] = hidden

    def put_hard(self, k: Any, at: Any, data: Any, hidden: Any) -> None:
        """A store under a hard mask: what is masked stays as it is."""
        if isinstance(at, np.ndarray) and at.dtype == bool:
            if np.ndim(data) > 0:
                unsupported("a store of an array to a hard mask by a mask", "use np.ma.where")
            free = at & ~self.hidden
            # NumPy multiplies the index with that: what it has below a mask of its own stays
            self.values[np.where(k.hidden, at, free) if has_mask(k) else free] = data
            return
        old = self.hidden[at] | hidden
        self.values[at] = np.where(old, self.values[at], data)
        self.hidden[at] = old

    def put(self, indices: Any, values: Any, mode: Any = "raise") -> None:
        if self.hard:
            unsupported("put under a hard mask", "use indexing")
        hidden = mask_of(values)[0]
        np.put(self.values, indices, data_of(values), mode=mode)
        if self.hidden is None and hidden is None:
            return
        self.masked_anew()
        mine: Any = self.hidden
        np.put(mine, indices, False if hidden is None else hidden, mode=mode)
        self.bare = not np.any(mine)

    def take(self, indices: Any, axis: Any = None, out: Any = None, mode: Any = "raise") -> Any:
        without(out)
        hidden, bare = mask_of(indices)
        indices = indices.numbers(0) if isinstance(indices, Masked) else indices
        values = np.take(self.values, indices, axis=axis, mode=mode)
        mine = None if self.hidden is None else np.take(self.hidden, indices, axis=axis, mode=mode)
        if hidden is not None:
            mine = hidden.copy() if mine is None else mine | hidden
            bare = bare and (self.hidden is None or self.bare)
        else:
            bare = self.bare
        if np.ndim(values) == 0:
            return element(mine, values)
        return self.plain(values, mine, bare)

    def fill(self, value: Any) -> None:
        self.values[...] = value  # below the mask too

    # ---- what counts ----
    def filled(self, fill_value: Any = None) -> Any:
        if self.hidden is None:
            return self.values
        fill = self.filling()[0] if fill_value is None else fill_value
        made = np.where(self.hidden, np.asarray(fill, self.dtype), self.values)
        return perhaps_shared(made, self.values, "what filled() gives")

    def compressed(self) -> Any:
        values = np.ravel(self.values)
        if self.hidden is None:
            return values
        counted = values[~np.ravel(self.hidden)]
        if is_static(self.bare):
            return counted
        return perhaps_shared(counted, values, "what compressed() gives")

    def compress(self, condition: Any, axis: Any = None, out: Any = None) -> Any:
        without(out)
        return self.each(lambda x: np.compress(np.asarray(condition), x, axis=axis))

    def nonzero(self) -> Any:
        return np.nonzero(self.numbers(0))

    def tolist(self, fill_value: Any = None) -> Any:
        if self.hidden is None:
            return self.values.tolist()
        if fill_value is None:
            unsupported("a list with None for what is masked", "use m.filled(0.0).tolist()")
        return self.numbers(fill_value).tolist()

    # ---- shapes ----
    def each(self, f: Any) -> Any:
        """The array with a function applied to its data and its mask."""
        hidden = None if self.hidden is None else f(self.hidden)
        return self.like(f(self.values), hidden, self.bare)

    @property
    def T(self) -> Any:
        return self.each(lambda x: x.T)

    def view(self) -> Any:
        made = self.each(lambda x: x[...])
        made.own_fill = None if self.own_fill is None else self.own_fill.copy()
        return made

    def copy(self, order: Any = "C") -> Any:
        return self.each(lambda x: x.copy())

    def ravel(self, order: Any = "C") -> Any:
        return self.each(lambda x: x.ravel(order))

    def flatten(self, order: Any = "C") -> Any:
        return self.each(lambda x: x.flatten(order))

    def reshape(self, *shape: Any, order: Any = "C") -> Any:
        return self.each(lambda x: x.reshape(*shape, order=order))

    def transpose(self, *axes: Any) -> Any:
        return self.each(lambda x: x.transpose(*axes))

    def swapaxes(self, axis1: Any, axis2: Any) -> Any:
        return self.each(lambda x: x.swapaxes(axis1, axis2))

    def squeeze(self, axis: Any = None) -> Any:
        return self.each(lambda x: x.squeeze(axis))

    def repeat(self, repeats: Any, axis: Any = None) -> Any:
        return self.each(lambda x: x.repeat(repeats, axis))

    def diagonal(self, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
        return self.each(lambda x: np.diagonal(x, offset, axis1, axis2))

    def trace(
        self, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None, out: Any = None
    ) -> Any:
        without(out)
        made = np.trace(self.numbers(0), offset, axis1, axis2)
        return made.astype(float if dtype is None else dtype)

    def astype(self, dtype: Any) -> Any:
        """The numbers in another dtype, with a mask of their own."""
        values = self.values.astype(dtype)
        hidden = None if self.hidden is None else self.hidden.copy()
        made = self.like(values, hidden, self.bare)
        made.own_fill = None if self.own_fill is None else checked_fill(self.own_fill, values.dtype)
        return made

    def round(self, decimals: Any = 0, out: Any = None) -> Any:
        without(out)
        return finished(self, np.round(self.values, decimals), self.hidden, self.bare)

    def clip(self, min: Any = None, max: Any = None, out: Any = None) -> Any:
        without(out)
        if isinstance(min, Parts) or isinstance(max, Parts):
            return unsupported("clip between masked arrays", "use np.ma.minimum and maximum")
        hidden = mask_array(self).copy()
        return finished(self, np.clip(self.values, min, max), hidden, not np.any(hidden))

    # ---- orders ----
    def argsort(
        self, axis: Any = np._NoValue, kind: Any = None, order: Any = None, endwith: Any = True,
        fill_value: Any = None, *, stable: Any = False,
    ) -> Any:  # fmt: skip
        if axis is np._NoValue:
            axis = -1 if self.ndim <= 1 else None
        dtype = self.values.dtype
        if fill_value is None:
            if endwith and dtype.kind in "fc":
                fill_value = np.nan
            else:
                fill_value = extreme(dtype, 1 if endwith else -1)
        return np.argsort(self.numbers(fill_value), axis=axis, kind=kind)

    def sort(
        self, axis: Any = -1, kind: Any = None, order: Any = None, endwith: Any = True,
        fill_value: Any = None, *, stable: Any = False,
    ) -> None:  # fmt: skip
        if self.hidden is None:
            self.values.sort(axis=axis, kind=kind)
            return
        if self.hard:
            unsupported("a sort under a hard mask", "use .soften_mask()")
        at = self.argsort(axis, kind, None, endwith, fill_value)
        self.values[...] = np.take_along_axis(self.values, at, axis=axis)
        self.hidden[...] = np.take_along_axis(self.hidden, at, axis=axis)


Masked.of_parts = Masked


def has_mask(k: Any) -> bool:
    """Whether an index is a masked array with a mask."""
    return isinstance(k, Parts) and k.hidden is not None


def without_masks(k: Any) -> Any:
    """An index, with the data of the masked arrays in it."""
    if isinstance(k, tuple):
        return tuple([data_of(i) if isinstance(i, Parts) else i for i in k])
    return data_of(k) if isinstance(k, Parts) else k


def has_ellipsis(k: Any) -> bool:
    """Whether an index gives an array, also one of rank 0.

    >>> has_ellipsis((..., 0)), has_ellipsis((0, 0))
    (True, False)
    """
    return any([i is Ellipsis for i in k]) if isinstance(k, tuple) else k is Ellipsis


def data_to_store(value: Any) -> Any:
    return data_of(value) if isinstance(value, Parts) else value
