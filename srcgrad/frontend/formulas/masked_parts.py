"""The parts of masked arrays, and their element-wise operations.

The data, the mask, whether the mask is `nomask`, the fill value and whether the mask is hard. A
function is evaluated at a harmless point below the mask where its result there is not seen, so
that what is masked passes no NaN to a derivative.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import constant

TINY = np.float64(np.finfo(float).tiny)  # makes a float64 of a float32 beside it
MASKED = np.ma.masked
KINDS = {"b": 0, "u": 1, "i": 2, "f": 3, "c": 4}


class Parts:
    """Data and mask; `hidden` is None where the mask is known to be `nomask`.

    `bare` says whether it is `nomask` where `hidden` is an array: none of it is True then.
    """

    of_parts: Any  # the class itself, which type() gives as NumPy's
    values: Any
    hidden: Any
    bare: Any
    own_fill: Any
    hard: Any
    shared: Any
    __array_priority__ = 15
    __hash__ = None  # type: ignore[assignment]  (as NumPy's)

    def __init__(
        self, values: Any, hidden: Any = None, bare: Any = False, fill: Any = None,
        hard: Any = False,
    ):  # fmt: skip
        self.values = values
        self.hidden = hidden
        self.bare = bare
        self.own_fill = fill  # an array of one number, which views share
        self.hard = hard
        self.shared = False  # whether it is known to have the mask of another one

    def like(self, values: Any, hidden: Any, bare: Any) -> Any:
        """An array of other parts with the same fill value."""
        return self.of_parts(values, hidden, bare, self.own_fill, self.hard)

    def plain(self, values: Any, hidden: Any, bare: Any) -> Any:
        """An array of other parts with the default fill value."""
        return self.of_parts(values, hidden, bare)

    def filling(self) -> Any:
        """The array with the fill value."""
        return (
            np.full(1, default_fill(self.values.dtype)) if self.own_fill is None else self.own_fill
        )


def default_fill(dtype: Any) -> Any:
    """The value that masked places are filled with.

    >>> default_fill(np.dtype(float)), default_fill(np.dtype(int))
    (1e+20, 999999)
    """
    if dtype.kind == "c":
        return 1e20 + 0j
    if dtype.kind == "b":
        return True
    return 999999 if dtype.kind in "iu" else 1e20


def checked_fill(value: Any, dtype: Any) -> Any:
    """A fill value in the dtype of an array.

    >>> checked_fill(2.5, np.dtype(int)).tolist()
    [2]
    """
    return np.full(1, value, dtype)


def data_of(x: Any) -> Any:
    """The data of a masked array, the array of anything else."""
    if x is MASKED:
        return np.zeros(())
    return x.values if isinstance(x, Parts) else np.asarray(x)


def mask_of(x: Any) -> Any:
    """The mask and whether it is `nomask`."""
    if x is MASKED:
        return np.True_, False
    return (x.hidden, x.bare) if isinstance(x, Parts) else (None, True)


def mask_array(x: Any) -> Any:
    """The mask as an array, of its own where it is `nomask`."""
    if x is MASKED:
        return np.True_
    if isinstance(x, Parts) and x.hidden is not None:
        return x.hidden
    shape = np.shape(data_of(x))
    return np.zeros(shape, dtype=bool) if shape else np.False_


def either(a: Any, b: Any) -> Any:
    """Where one of two operands is masked, and whether neither has a mask."""
    one, bare = mask_of(a)
    other, empty = mask_of(b)
    if one is None:
        return (None, True) if other is None else (other | False, empty)
    if other is None:
        return one | False, bare
    return one | other, bare and empty


def away(hidden: Any, x: Any, within: Any) -> Any:
    """Operands with a harmless number below the mask."""
    return np.where(hidden, np.asarray(within, x.dtype), x)


def goes_into(given: Any, wanted: Any) -> bool:
    """Whether NumPy casts a dtype to another one of the same kind, or a wider one.

    >>> goes_into(np.dtype(int), np.dtype(float)), goes_into(np.dtype(float), np.dtype(int))
    (True, False)
    """
    return KINDS[given.kind] <= KINDS[wanted.kind]


def element(hidden: Any, value: Any) -> Any:
    """A number, or the constant `masked`."""
    if hidden is not None and hidden:
        return MASKED
    return value


def finished(owner: Any, values: Any, hidden: Any, bare: Any) -> Any:
    """The result of an operation: an array, or a number, which is `masked` where the mask is."""
    if np.ndim(values) == 0:
        return element(hidden, values)
    return owner.like(values, hidden, bare)


def below_zero(x: Any) -> Any:
    """Where a square root is not defined."""
    return x < 0.0


# ---- functions of numpy.ma ----
def unary(f: Any, a: Any, owner: Any) -> Any:
    """A function that is defined everywhere: its result has the mask of the operand itself."""
    x, (hidden, bare) = data_of(a), mask_of(a)
    if hidden is None:
        return finished(owner, f(x), None, True)
    value = f(away(hidden, x, 1))
    below = x.astype(value.dtype) if goes_into(x.dtype, value.dtype) else f(x)
    return finished(owner, np.where(hidden, below, value), hidden, bare)


def domained(f: Any, outside: Any, within: float, a: Any, owner: Any) -> Any:
    """A function that is masked outside of its domain, of which a point is `within`."""
    x, (hidden, _) = data_of(a), mask_of(a)
    lost = ~np.isfinite(f(x)) | outside(x)
    lost = lost if hidden is None else lost | hidden
    value = f(away(lost, x, within))
    if np.ndim(value) == 0:
        return element(hidden, element(lost, value))
    return owner.like(np.where(lost, x.astype(value.dtype), value), lost, False)


def binary(f: Any, a: Any, b: Any, owner: Any) -> Any:
    """A function of two operands: the data of the first one below the mask."""
    x, y, (hidden, bare) = data_of(a), data_of(b), either(a, b)
    if hidden is None:
        return finished(owner, f(x, y), None, True)
    value = f(away(hidden, x, 1), away(hidden, y, 1))
    if np.ndim(value) == 0:
        return element(hidden, value)
    hidden = hidden | np.zeros(np.shape(value), dtype=bool)
    return owner.like(np.where(hidden, x.astype(value.dtype), value), hidden, bare)


def divided(f: Any, a: Any, b: Any, owner: Any) -> Any:
    """A quotient or a remainder: masked where it is not finite or the divisor next to nothing."""
    x, y, (hidden, _) = data_of(a), data_of(b), either(a, b)
    lost = ~np.isfinite(f(x, y)) | (np.abs(x) * TINY >= np.abs(y))
    lost = lost if hidden is None else lost | hidden
    value = f(away(lost, x, 1), away(lost, y, 1))
    if np.ndim(value) == 0:
        return element(hidden, element(lost, value))
    value = np.where(lost, np.zeros((), value.dtype), value)
    below = lost * x
    if np.result_type(below.dtype, value.dtype) == value.dtype:
        value = value + below
    return owner.like(value, lost, False)


def power(a: Any, b: Any, owner: Any) -> Any:
    """A power: masked, and filled, where it is not finite."""
    x, y, (hidden, _) = data_of(a), data_of(b), either(a, b)
    value = np.power(x, y)
    mine = a if isinstance(a, Parts) else owner.of_parts(x)
    hidden = np.zeros(np.shape(value), dtype=bool) if hidden is None else hidden
    lost = ~np.isfinite(np.where(hidden, x, value))
    safe = np.power(away(hidden | lost, x, 1), away(hidden | lost, y, 1))
    if np.ndim(value) == 0:
        return MASKED if hidden or lost else mine.like(safe, None, True)
    below = x.astype(safe.dtype)
    out = mine.like(safe, hidden | lost, not np.any(hidden | lost))
    filled = default_fill(safe.dtype) if out.own_fill is None else out.own_fill[0]
    out.values = np.where(lost, np.asarray(filled, safe.dtype), np.where(hidden, below, safe))
    return out


# ---- functions of NumPy ----
SINGULAR = (np.power, np.float_power, np.cbrt, np.hypot, np.arctan2)


def wrapped(f: Any, operands: Any, owner: Any) -> Any:
    """The result of a ufunc of NumPy's: of the data as they are, with the masks of all operands.

    What is not masked is an array, also of rank 0.
    """
    xs = data_of_operands(operands)
    hidden, bare = masks_of(operands)
    value = seen(f, xs, hidden)
    if np.ndim(value) == 0 and hidden:
        return MASKED
    return owner.like(value, hidden, bare)


def data_of_operands(operands: Any) -> Any:
    """The data of operands, of which numbers of Python's take the dtype of the other one."""
    xs = [data_of(a) for a in operands]
    if len(xs) == 2:
        for i in range(2):
            a, other = operands[i], xs[1 - i]
            if isinstance(a, int | float | complex) and not isinstance(a, np.generic):
                xs[i] = np.asarray(a, np.result_type(a, other))
    return xs


def masks_of(operands: Any) -> Any:
    """The mask of a result of NumPy's ufuncs: that of the one operand, or a new one."""
    if len(operands) == 1:
        return own_mask(operands[0]), False
    if operands[0] is operands[1]:
        hidden = own_mask(operands[0])
    else:
        hidden = mask_array(operands[0]) | mask_array(operands[1])
    return hidden, not np.any(hidden)


def own_mask(a: Any) -> Any:
    """The very array of a mask; a new one where it is `nomask`."""
    if a is MASKED:
        return np.True_
    if isinstance(a, Parts) and a.hidden is not None and not a.bare:
        return a.hidden
    return np.zeros(np.shape(data_of(a)), dtype=bool)


def seen(f: Any, xs: Any, hidden: Any) -> Any:
    """A ufunc of the data; where it has no derivative below the mask it is a constant there."""
    raw = f(*xs)
    if raw.dtype.kind not in "fc":
        return raw
    lost = ~np.isfinite(raw)
    if f in SINGULAR:
        lost = lost | (xs[0] == 0)
    lost = lost & hidden
    return np.where(lost, constant(raw), f(*[away(lost, x, 1) for x in xs]))


def filled_outside(f: Any, outside: Any, fill: float, within: float, a: Any, owner: Any) -> Any:
    """A ufunc of NumPy's that has a domain in numpy.ma: filled where it or the mask says so."""
    x, hidden = data_of(a), own_mask(a)
    lost = outside(x) | hidden
    value = f(away(lost, x, within))
    value = np.where(lost, np.asarray(fill, value.dtype), value)
    if np.ndim(value) == 0 and (hidden or lost):
        return MASKED
    return owner.like(value, lost if np.any(lost) else hidden, False)


def filled_divided(f: Any, a: Any, b: Any, owner: Any) -> Any:
    """A division by NumPy's ufunc: 1 where the divisor is next to nothing."""
    (x, y), (hidden, bare) = data_of_operands((a, b)), masks_of((a, b))
    lost = np.abs(x) * TINY >= np.abs(y)
    value = seen(f, [away(lost, x, 1), away(lost, y, 1)], hidden)
    value = np.where(lost, np.ones((), value.dtype), value)
    if np.ndim(value) == 0 and (hidden or lost):
        return MASKED
    if np.any(lost):
        hidden = hidden | lost
    return owner.like(value, hidden, bare and not np.any(lost))


# ---- comparisons ----
def compared(f: Any, a: Any, b: Any, same: bool, owner: Any) -> Any:
    """A comparison of the data; of `==` and `!=`, the masks are compared where one is masked."""
    x, y = data_of(a), data_of(b)
    check = f(x, y)
    if mask_of(a)[0] is None and mask_of(b)[0] is None:
        return with_fill_of_bools(finished(owner, check, None, True))
    mine = mask_array(a)
    others = np.zeros((), dtype=bool) if mask_of(b)[0] is None else mask_array(b)
    hidden = mine | others
    if np.ndim(check) == 0:
        return element(hidden, check)
    hidden = hidden | np.zeros(np.shape(check), dtype=bool)
    if same:
        check = np.where(hidden, f(mine, others), check)
    return with_fill_of_bools(owner.like(check, hidden, not np.any(hidden)))


def with_fill_of_bools(made: Any) -> Any:
    """The result of a comparison, with its fill value as a bool."""
    if isinstance(made, Parts) and made.own_fill is not None:
        made.own_fill = checked_fill(made.own_fill, np.bool_)
    return made
