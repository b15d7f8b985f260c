"""Reductions of masked arrays along axes, and what counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.masked_parts import (
    MASKED,
    TINY,
    Parts,
    below_zero,
    domained,
    element,
)
from srcgrad.frontend.formulas.registry import floating, is_static, known, unsupported


def extreme(dtype: Any, sign: int) -> Any:
    """The number that is not below, or not above, any other of a dtype.

    >>> extreme(np.dtype(float), 1), extreme(np.dtype(bool), -1)
    (inf, 0)
    """
    if dtype.kind == "b":
        return int(sign > 0)
    if dtype.kind == "f":
        return sign * np.inf
    if dtype.kind == "c":
        return unsupported("the order of complex masked arrays", "compare their parts")
    return np.iinfo(dtype).max if sign > 0 else np.iinfo(dtype).min


class Reductions(Parts):
    """The methods that reduce an array."""

    def numbers(self, fill: Any) -> Any:
        """The data, with a number below the mask."""
        if self.hidden is None:
            return self.values
        return np.where(self.hidden, np.asarray(fill, self.values.dtype), self.values)

    def all_hidden(self, axis: Any, keepdims: Any) -> Any:
        if self.hidden is None:
            return None
        return np.all(self.hidden, axis=axis, keepdims=keepdims) & np.logical_not(self.bare)

    def reduced(self, value: Any, hidden: Any) -> Any:
        if np.ndim(value) == 0:
            return element(hidden, value)
        return self.plain(value, hidden, self.bare)

    def count(self, axis: Any = None, keepdims: Any = False) -> Any:
        if self.hidden is None:
            if axis is None and not keepdims:
                return self.values.size
            return np.sum(np.ones(self.values.shape, dtype=np.int64), axis=axis, keepdims=keepdims)
        return np.sum(~self.hidden, axis=axis, keepdims=keepdims)

    def folded(
        self, f: Any, neutral: Any, axis: Any, out: Any, keepdims: Any, **named: Any
    ) -> Any:  # fmt: skip
        """A reduction of the data, with a number below the mask that changes nothing."""
        without(out)
        value = f(self.numbers(neutral), axis=axis, keepdims=keepdims, **named)
        return self.reduced(value, self.all_hidden(axis, keepdims))

    def sum(
        self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False
    ) -> Any:
        return self.folded(np.sum, 0, axis, out, keepdims, dtype=dtype)

    def prod(
        self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False
    ) -> Any:
        return self.folded(np.prod, 1, axis, out, keepdims, dtype=dtype)

    def all(self, axis: Any = None, out: Any = None, keepdims: Any = False) -> Any:
        return self.folded(np.all, True, axis, out, keepdims)

    def any(self, axis: Any = None, out: Any = None, keepdims: Any = False) -> Any:
        return self.folded(np.any, False, axis, out, keepdims)

    def max(
        self, axis: Any = None, out: Any = None, fill_value: Any = None, keepdims: Any = False
    ) -> Any:
        return self.extremum(np.max, -1, axis, out, fill_value, keepdims)

    def min(
        self, axis: Any = None, out: Any = None, fill_value: Any = None, keepdims: Any = False
    ) -> Any:
        return self.extremum(np.min, 1, axis, out, fill_value, keepdims)

    def extremum(self, f: Any, sign: int, axis: Any, out: Any, fill: Any, keepdims: Any) -> Any:
        without(out)
        fill = extreme(self.values.dtype, sign) if fill is None else fill
        value = f(self.numbers(fill), axis=axis, keepdims=keepdims)
        hidden = self.all_hidden(axis, keepdims)
        made = self.reduced(value, hidden)
        if np.ndim(value) > 0 and hidden is not None:
            made.values = np.where(hidden, np.asarray(made.filling()[0], value.dtype), value)
        return made

    def ptp(
        self, axis: Any = None, out: Any = None, fill_value: Any = None, keepdims: Any = False
    ) -> Any:
        high = self.max(axis, out, fill_value, keepdims)
        low = self.min(axis, out, fill_value, keepdims)
        if high is MASKED:
            return high
        if np.ndim(high) == 0:
            return high - low
        high -= low
        return high

    def mean(
        self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False
    ) -> Any:
        without(out)
        if self.hidden is None or self.bare:
            value = np.mean(self.values, axis=axis, dtype=dtype, keepdims=keepdims)
            return self.bare_mean(value, known_count(self.values, axis))
        kind = self.of_sums() if dtype is None else dtype
        count = self.count(axis, keepdims)
        if np.ndim(count) == 0:
            total = np.sum(self.numbers(0), axis=axis, dtype=kind, keepdims=keepdims)
            return element(count == 0, total * 1.0 / np.where(count > 0, count, 1))
        return self.sum(axis, kind, None, keepdims) * 1.0 / count

    def bare_mean(self, value: Any, count: Any) -> Any:
        """A mean or variance of an array without a mask, of which NumPy masks what is infinite."""
        # only the run tells; whether NumPy masks it depends on its release
        if np.any(np.abs(value) * TINY >= count):
            raise NotImplementedError("an infinite mean of a masked array without a mask")
        return value if np.ndim(value) == 0 else self.like(value, None, True)

    def of_sums(self) -> Any:
        """The dtype of sums for means."""
        dtype: Any = self.values.dtype
        known_mask = is_static(self.bare) and not self.bare
        if not known_mask and dtype.kind in "fc" and dtype.name not in ("float64", "complex128"):
            said = "a mean whose dtype depends on whether the array has a mask"
            return unsupported(said, "use .astype(float)")
        return np.dtype(np.float64) if dtype.kind in "iub" else dtype

    def var(
        self, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0,
        keepdims: Any = False,
    ) -> Any:  # fmt: skip
        without(out)
        if self.hidden is None or self.bare:
            value = np.var(self.values, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims)
            count = known_count(self.values, axis)
            self.bare_mean(np.mean(self.values, axis=axis), count)
            return self.bare_mean(value, np.maximum(count - ddof, 0))
        if self.of_sums().kind == "c" or self.of_sums() == np.float32 or dtype is not None:
            unsupported("the variance of such a masked array", "use .astype(float)")
        count = self.count(axis, keepdims) - ddof
        values, counted = floating(self.values), self.count(axis, True)
        total = np.sum(np.where(self.hidden, 0.0, values), axis=axis, keepdims=True)
        center = total / np.where(counted > 0, counted, 1)
        left_out = self.hidden | ~np.isfinite(center)
        beside = np.where(left_out, 0.0, values - np.where(left_out, 0.0, center))
        total = np.sum(beside * beside, axis=axis, keepdims=keepdims)
        value = total / np.where(count == 0, 1, count)
        hidden = np.all(left_out, axis=axis, keepdims=keepdims)
        lost = hidden | (count == 0) | ~np.isfinite(value)
        if np.ndim(value) == 0:
            return element(lost, value)
        hidden = self.all_hidden(axis, keepdims) | (count <= 0)
        return self.like(np.where(lost, total, value), hidden, not np.any(hidden))

    def std(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: Any = 0,
        keepdims: Any = False,
    ) -> Any:
        made = self.var(axis, dtype, out, ddof, keepdims)
        if made is MASKED:
            return made
        owner = made if isinstance(made, Parts) else self
        return domained(np.sqrt, below_zero, 1.0, made, owner)

    def anom(self, axis: Any = None, dtype: Any = None) -> Any:
        middle = self.mean(axis, dtype)
        if not axis:
            return self - middle
        at = known(axis)
        hidden = None if middle.hidden is None else np.expand_dims(middle.hidden, at)
        return self - middle.like(np.expand_dims(middle.values, at), hidden, middle.bare)

    # ---- places and orders ----
    def argmin(
        self, axis: Any = None, fill_value: Any = None, out: Any = None, *, keepdims: Any = False
    ) -> Any:
        without(out)
        fill = extreme(self.values.dtype, 1) if fill_value is None else fill_value
        return np.argmin(self.numbers(fill), axis, keepdims=keepdims)

    def argmax(
        self, axis: Any = None, fill_value: Any = None, out: Any = None, *, keepdims: Any = False
    ) -> Any:
        without(out)
        fill = extreme(self.values.dtype, -1) if fill_value is None else fill_value
        return np.argmax(self.numbers(fill), axis, keepdims=keepdims)

    # ---- running sums ----
    def cumsum(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        without(out)
        return self.run(np.cumsum(self.numbers(0), axis=axis, dtype=dtype), axis)

    def cumprod(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        without(out)
        return self.run(np.cumprod(self.numbers(1), axis=axis, dtype=dtype), axis)

    def run(self, value: Any, axis: Any) -> Any:
        if self.hidden is None:
            return self.plain(value, None, True)
        return self.plain(value, np.reshape(self.hidden.copy(), value.shape), self.bare)


def known_count(values: Any, axis: Any) -> Any:
    """How many numbers an axis has.

    >>> int(known_count(np.zeros((2, 3)), 1))
    3
    """
    if axis is None:
        return values.size
    return np.max(np.sum(np.ones(values.shape, dtype=np.int64), axis=axis), initial=0)


def without(out: Any) -> None:
    """Refuses `out=`."""
    if out is not None:
        unsupported("out= of a masked array", "leave it out, and store the result")
