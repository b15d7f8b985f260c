"""Masked arrays of numpy.ma that are made inside: data, and which of them are left out.

What is left out has no part in results, and its adjoint is zero. Where NumPy gives the constant
`masked`, a program is refused as it runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import OF_NUMPY, floating, made_inside, unsupported

TINY = float(np.finfo(float).tiny)


def parts(x: Any) -> tuple[Any, Any]:
    """The data and the mask of a masked array; nothing of anything else is masked."""
    if isinstance(x, Masked):
        return x.values, x.hidden
    x = np.asarray(x)
    return x, np.zeros(x.shape, dtype=bool)


def default_fill(dtype: Any) -> Any:
    """The value that masked places are filled with.

    >>> default_fill(np.dtype(float)), default_fill(np.dtype(int))
    (1e+20, 999999)
    """
    return 999999 if dtype.kind in "iu" else True if dtype.kind == "b" else 1e20


@made_inside("data and mask: m.filled(0.0), np.ma.getmaskarray(m)")
class Masked:
    """An array of which some elements are left out.

    >>> m = Masked(np.array([1.0, -2.0, 3.0]), np.array([False, True, False]))
    >>> float(m.mean()), m.filled(0.0).tolist()
    (2.0, [1.0, 0.0, 3.0])
    """

    __array_priority__ = 15
    __hash__ = None  # type: ignore[assignment]  (as NumPy's)

    def __init__(self, values: Any, hidden: Any, fill: Any = None):
        self.values = values
        self.hidden = hidden
        self.fill = fill

    # ---- parts ----
    @property
    def data(self) -> Any:
        return self.values

    @property
    def mask(self) -> Any:
        if not np.any(self.hidden):
            raise NotImplementedError("the mask where nothing is masked: np.ma.getmaskarray(m)")
        return self.hidden

    @property
    def fill_value(self) -> Any:
        return default_fill(self.values.dtype) if self.fill is None else self.fill

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
    def T(self) -> Any:
        return Masked(self.values.T, self.hidden.T, self.fill)

    def __len__(self) -> Any:
        return len(self.values)

    def copy(self) -> Any:
        return Masked(self.values.copy(), self.hidden.copy(), self.fill)

    def ravel(self) -> Any:
        return Masked(self.values.ravel(), self.hidden.ravel(), self.fill)

    def reshape(self, *shape: Any) -> Any:
        return Masked(self.values.reshape(*shape), self.hidden.reshape(*shape), self.fill)

    def __getitem__(self, k: Any) -> Any:
        k = k.values if isinstance(k, Masked) else k
        value, hidden = self.values[k], self.hidden[k]
        if np.ndim(value) > 0:
            return Masked(value, hidden, self.fill)
        if hidden:
            raise NotImplementedError("an element that is masked")
        return value

    def __setitem__(self, k: Any, value: Any) -> None:
        unsupported("stores to a masked array", "make it anew: np.ma.array(data, mask=mask)")

    def filled(self, fill_value: Any = None) -> Any:
        fill = self.fill_value if fill_value is None else fill_value
        made = np.where(self.hidden, np.asarray(fill, self.values.dtype), self.values)
        return perhaps_shared(made, self.values)

    def compressed(self) -> Any:
        return np.ravel(self.values)[~np.ravel(self.hidden)]

    def count(self, axis: Any = None, keepdims: Any = False) -> Any:
        return np.sum(~self.hidden, axis=axis, keepdims=keepdims)

    # ---- reductions ----
    def reduced(self, value: Any, axis: Any, keepdims: Any, lost: Any = False) -> Any:
        """A number, or an array that is masked where nothing counts."""
        if self.values.size == 0:
            raise NotImplementedError("a masked array without elements")
        hidden = np.all(self.hidden, axis=axis, keepdims=keepdims) | lost
        if np.ndim(value) > 0:
            return Masked(value, hidden)
        if hidden:
            raise NotImplementedError("a masked array without a value that counts")
        return value

    def sum(self, axis: Any = None, *, keepdims: Any = False) -> Any:
        value = np.sum(self.filled(0), axis=axis, keepdims=keepdims)
        return self.reduced(value, axis, keepdims)

    def all(self, axis: Any = None, *, keepdims: Any = False) -> Any:
        value = np.all(self.filled(1), axis=axis, keepdims=keepdims)
        return self.reduced(value, axis, keepdims)

    def any(self, axis: Any = None, *, keepdims: Any = False) -> Any:
        value = np.any(self.filled(0), axis=axis, keepdims=keepdims)
        return self.reduced(value, axis, keepdims)

    def prod(self, axis: Any = None, *, keepdims: Any = False) -> Any:
        value = np.prod(self.filled(1), axis=axis, keepdims=keepdims)
        return self.reduced(value, axis, keepdims)

    def mean(self, axis: Any = None, *, keepdims: Any = False) -> Any:
        n = self.count(axis, keepdims)
        value = np.sum(self.filled(0), axis=axis, keepdims=keepdims) / np.where(n > 0, n, 1)
        return self.reduced(finite(value), axis, keepdims)

    def var(self, axis: Any = None, *, ddof: Any = 0, keepdims: Any = False) -> Any:
        n = self.count(axis, keepdims) - ddof
        values, counted = floating(self.values), self.count(axis, True)
        center = np.sum(self.filled(0), axis=axis, keepdims=True) / np.where(
            counted > 0, counted, 1
        )
        beside = np.where(self.hidden, 0.0, values - center)
        value = np.sum(beside * beside, axis=axis, keepdims=keepdims) / np.where(n > 0, n, 1)
        return self.reduced(finite(value), axis, keepdims, n <= 0)

    def std(self, axis: Any = None, *, ddof: Any = 0, keepdims: Any = False) -> Any:
        value = self.var(axis, ddof=ddof, keepdims=keepdims)
        if isinstance(value, Masked):
            return Masked(np.sqrt(value.values), value.hidden)
        return np.sqrt(value)

    def max(self, axis: Any = None, *, keepdims: Any = False) -> Any:
        low = -np.inf if self.values.dtype.kind == "f" else np.iinfo(self.values.dtype).min
        value = np.max(self.filled(low), axis=axis, keepdims=keepdims)
        return self.reduced(value, axis, keepdims)

    def min(self, axis: Any = None, *, keepdims: Any = False) -> Any:
        high = np.inf if self.values.dtype.kind == "f" else np.iinfo(self.values.dtype).max
        value = np.min(self.filled(high), axis=axis, keepdims=keepdims)
        return self.reduced(value, axis, keepdims)

    # ---- operators ----
    def __add__(self, other: Any) -> Any:
        return combined(np.add, self, other)

    def __radd__(self, other: Any) -> Any:
        return combined(np.add, other, self)

    def __sub__(self, other: Any) -> Any:
        return combined(np.subtract, self, other)

    def __rsub__(self, other: Any) -> Any:
        return combined(np.subtract, other, self)

    def __mul__(self, other: Any) -> Any:
        return combined(np.multiply, self, other)

    def __rmul__(self, other: Any) -> Any:
        return combined(np.multiply, other, self)

    def __truediv__(self, other: Any) -> Any:
        return quotient(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return quotient(other, self)

    def __pow__(self, other: Any) -> Any:
        return power(self, other)

    def __rpow__(self, other: Any) -> Any:
        return power(other, self)

    def __neg__(self) -> Any:
        return Masked(np.where(self.hidden, self.values, -self.values), self.hidden, self.fill)

    def __abs__(self) -> Any:
        return Masked(
            np.where(self.hidden, self.values, np.abs(self.values)), self.hidden, self.fill
        )

    def __and__(self, other: Any) -> Any:
        return raw(np.bitwise_and, self, other)

    def __rand__(self, other: Any) -> Any:
        return raw(np.bitwise_and, other, self)

    def __or__(self, other: Any) -> Any:
        return raw(np.bitwise_or, self, other)

    def __ror__(self, other: Any) -> Any:
        return raw(np.bitwise_or, other, self)

    def __invert__(self) -> Any:
        return Masked(~self.values, self.hidden, self.fill)

    def __eq__(self, other: Any) -> Any:
        return alike(np.equal, self, other)

    def __ne__(self, other: Any) -> Any:
        return alike(np.not_equal, self, other)

    def __lt__(self, other: Any) -> Any:
        return ordered(np.less, self, other)

    def __le__(self, other: Any) -> Any:
        return ordered(np.less_equal, self, other)

    def __gt__(self, other: Any) -> Any:
        return ordered(np.greater, self, other)

    def __ge__(self, other: Any) -> Any:
        return ordered(np.greater_equal, self, other)


def perhaps_shared(made: Any, values: Any) -> Any:
    """A copy of data, for which NumPy gives the data themselves where nothing is masked.

    >>> perhaps_shared(1.0, 2.0)
    1.0
    """
    return made


def finite(value: Any) -> Any:
    """A mean: whether one that is not finite is masked depends in NumPy on what else is."""
    if not np.all(np.isfinite(value)):
        raise NotImplementedError("a mean of what is not finite: mask it, np.ma.masked_invalid(m)")
    return value


def of_doubles(values: Any) -> Any:
    """Numbers whose dtype does not depend on the mask."""
    if values.dtype.kind in "iub" or values.dtype == np.float64:
        return values
    return unsupported("masked arrays of this dtype are not supported", "use .astype(float)")


def together(a: Any, b: Any) -> tuple[Any, Any, Any]:
    """The data of two operands and where one of them is masked, in one shape."""
    (x, hidden), (y, other) = parts(a), parts(b)
    hidden = hidden | other
    return x + np.zeros(hidden.shape, x.dtype), y, hidden


def fill_of(a: Any, b: Any) -> Any:
    """The fill value of a result: that of the first operand that is masked."""
    return a.fill if isinstance(a, Masked) else b.fill


def combined(f: Any, a: Any, b: Any) -> Any:
    x, y, hidden = together(a, b)
    return Masked(np.where(hidden, x, f(x, y)), hidden, fill_of(a, b))


def raw(f: Any, a: Any, b: Any) -> Any:
    """The result of an operator that NumPy applies to the data as they are."""
    x, y, hidden = together(a, b)
    return Masked(f(x, y), hidden, fill_of(a, b))


def ordered(f: Any, m: Masked, other: Any) -> Any:
    """A comparison of the data as they are."""
    x, y, hidden = together(m, other)
    return Masked(f(x, y), hidden, None if m.fill is None else m.fill != 0)


def alike(f: Any, m: Masked, other: Any) -> Any:
    """Equality, or its opposite: what is masked is equal to what is masked."""
    made = ordered(f, m, other)
    of_masks = f(m.hidden, parts(other)[1]) | np.zeros(made.hidden.shape, dtype=bool)
    return Masked(np.where(made.hidden, of_masks, made.values), made.hidden, made.fill)


def quotient(a: Any, b: Any) -> Any:
    """A quotient, masked where it is not finite or the divisor is next to nothing."""
    x, y, hidden = together(floating_parts(a), b)
    safe = np.where(y == 0, 1.0, y)
    hidden = hidden | (y == 0) | ~np.isfinite(x / safe) | (np.abs(x) * TINY >= np.abs(y))
    return Masked(np.where(hidden, x, x / np.where(hidden, 1.0, y)), hidden, fill_of(a, b))


def floating_parts(a: Any) -> Any:
    return Masked(floating(a.values), a.hidden, a.fill) if isinstance(a, Masked) else floating(a)


def power(a: Any, b: Any) -> Any:
    """A power, masked where it is not finite."""
    x, y, hidden = together(a, b)
    value = np.where(hidden, 1, x) ** np.where(hidden, 1, y)
    lost = ~np.isfinite(value)
    made = Masked(np.where(hidden, x, value), hidden | lost, fill_of(a, b))
    if np.any(lost):
        raise NotImplementedError("a power of a masked array that is not finite")
    return made


# functions of NumPy that call the method of that name
OF_NUMPY[Masked] = {
    f: f.__name__ for f in (np.sum, np.prod, np.mean, np.var, np.std, np.max, np.min, np.ravel,
                            np.all, np.any)
}  # fmt: skip
