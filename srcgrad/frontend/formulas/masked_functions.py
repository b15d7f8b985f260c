"""Functions of numpy.ma, and NumPy's, of masked arrays: element by element, or by their methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.frontend.formulas.masked import Masked
from srcgrad.frontend.formulas.masked_parts import (
    MASKED,
    below_zero,
    binary,
    data_of,
    divided,
    domained,
    filled_divided,
    filled_outside,
    mask_array,
    power,
    unary,
    wrapped,
)
from srcgrad.frontend.formulas.registry import OF_NUMPY, of_numpy_by, stand_for, stands_for

Domain = Callable[[Any], Any]


def as_masked(a: Any) -> Any:
    """A masked array itself; one of anything else that shares its memory."""
    if a is MASKED:
        return Masked(np.zeros(()), np.True_, False)
    return a if isinstance(a, Masked) else Masked(data_of(a), None, True)


def owner_of(a: Any, b: Any) -> Any:
    """The operand whose fill value a result has."""
    if isinstance(a, Masked):
        return a
    return b if isinstance(b, Masked) else Masked(np.zeros(1), None, True)


def not_positive(x: Any) -> Any:
    return x <= 0.0


def beyond_one(x: Any) -> Any:
    return (x > 1.0) | (x < -1.0)


def below_one(x: Any) -> Any:
    return x < 1.0


def not_inside_one(x: Any) -> Any:
    return (x > 1.0 - 1e-15) | (x < -1.0 + 1e-15)


def at_pole(x: Any) -> Any:
    return np.abs(np.cos(x)) < 1e-35


# where a function is not defined, a point where it is, and what numpy.ma fills NumPy's result with
DOMAINS: dict[Any, tuple[Domain, float, float]] = {
    np.sqrt: (below_zero, 1.0, 0.0), np.log: (not_positive, 1.0, 1.0),
    np.log2: (not_positive, 1.0, 1.0), np.log10: (not_positive, 1.0, 1.0),
    np.tan: (at_pole, 0.0, 0.0), np.arcsin: (beyond_one, 0.5, 0.0),
    np.arccos: (beyond_one, 0.5, 0.0), np.arccosh: (below_one, 2.0, 1.0),
    np.arctanh: (not_inside_one, 0.5, 0.0),
}  # fmt: skip
DIVISIONS = (np.divide, np.floor_divide, np.remainder, np.fmod)
UNARY = (
    np.exp, np.conjugate, np.sin, np.cos, np.arctan, np.arcsinh, np.sinh, np.cosh, np.tanh,
    np.absolute, np.fabs, np.negative, np.floor, np.ceil, np.around, np.logical_not,
)  # fmt: skip
BINARY = (
    np.add, np.subtract, np.multiply, np.arctan2, np.equal, np.not_equal, np.less_equal,
    np.greater_equal, np.less, np.greater, np.logical_and, np.logical_or, np.logical_xor,
    np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.hypot,
)  # fmt: skip


def everywhere(f: Any) -> Callable[[Any], Any]:
    """A function that is defined everywhere."""

    def of(a: Any) -> Any:
        return unary(f, a, as_masked(a))

    return of


def inside(f: Any) -> Callable[[Any], Any]:
    """A function that is masked outside of its domain."""
    outside, within, _ = DOMAINS[f]

    def of(a: Any) -> Any:
        return domained(f, outside, within, a, as_masked(a))

    return of


def of_two(f: Any) -> Callable[[Any, Any], Any]:
    """A function of two operands."""

    def of(a: Any, b: Any) -> Any:
        return binary(f, a, b, owner_of(a, b))

    return of


def dividing(f: Any) -> Callable[[Any, Any], Any]:
    """A division."""

    def of(a: Any, b: Any) -> Any:
        return divided(f, a, b, owner_of(a, b))

    return of


def of_ma(f: Any) -> Any:
    """The function of numpy.ma that has a ufunc's name."""
    return getattr(np.ma, "around" if f is np.around else f.__name__)


stand_for({
    **{of_ma(f): everywhere(f) for f in UNARY},
    **{of_ma(f): inside(f) for f in DOMAINS},
    **{of_ma(f): of_two(f) for f in BINARY},
    **{of_ma(f): dividing(f) for f in DIVISIONS},
    np.ma.power: lambda a, b: power(a, b, owner_of(a, b)),
    np.ma.maximum: lambda a, b: where(as_masked(a) > b, a, b),
    np.ma.minimum: lambda a, b: where(as_masked(a) < b, a, b),
})  # fmt: skip


@stands_for(np.ma.where)
def where(condition: Any, x: Any, y: Any) -> Any:
    """The one or the other array, masked where that or the condition is.

    >>> where([True, False], [1.0, 2.0], Masked(np.zeros(2), np.array([True, True]))).sum().item()
    1.0
    """
    test = condition.numbers(False) if isinstance(condition, Masked) else np.asarray(condition)
    one, other = data_of(x), data_of(y)
    one = np.zeros((), other.dtype) if x is MASKED else one
    other = np.zeros((), one.dtype) if y is MASKED else other
    hidden = np.where(test, mask_array(x), mask_array(y)) | mask_array(condition)
    values = np.where(test, one, other)
    return Masked(values, hidden, not np.any(hidden))


# ---- methods as functions ----
METHODS = (
    "all", "any", "anom", "argmax", "argmin", "argsort", "compressed", "copy", "count", "cumprod",
    "cumsum", "diagonal", "harden_mask", "max", "mean", "min", "nonzero", "prod", "ptp", "ravel",
    "repeat", "reshape", "shrink_mask", "soften_mask", "squeeze", "std", "sum", "swapaxes", "take",
    "trace", "transpose", "var", "clip",
)  # fmt: skip
# the functions of NumPy that call the method of an array that is no array of its own
OF_METHODS = {
    getattr(np, n): n for n in (
        "all", "any", "argmax", "argmin", "argsort", "clip", "cumprod", "cumsum", "diagonal", "max",
        "mean", "min", "nonzero", "prod", "ravel", "repeat", "reshape", "round", "squeeze", "std",
        "sum", "swapaxes", "take", "trace", "transpose", "var",
    )
}  # fmt: skip


def by_method(name: str) -> Callable[..., Any]:
    """The method of a masked array as a function."""

    def of(a: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(as_masked(a), name)(*args, **kwargs)

    return of


stand_for({
    **{getattr(np.ma, n): by_method(n) for n in METHODS if hasattr(np.ma, n)},
    np.ma.round: by_method("round"),
    np.ma.compress: lambda condition, a, axis=None: as_masked(a).compress(condition, axis),
})  # fmt: skip


@stands_for(np.ma.sort)
def sort(
    a: Any, axis: Any = -1, kind: Any = None, order: Any = None, endwith: Any = True,
    fill_value: Any = None, *, stable: Any = None,
) -> Any:  # fmt: skip
    """A sorted copy: what is masked comes last.

    >>> sort(Masked(np.array([3.0, 1.0, 2.0]), np.array([False, True, False])))[:2].tolist(0)
    [2.0, 3.0]
    """
    made = as_masked(a).copy()
    if axis is None:
        made, axis = made.flatten(), 0
    made.sort(axis, kind, order, endwith, fill_value)
    return made if isinstance(a, Masked) else made.values


# ---- NumPy's own functions ----
def of_ufunc(f: Any) -> Callable[..., Any]:
    """A ufunc of NumPy's, of which an operand is a masked array."""

    def of(*operands: Any) -> Any:
        owner = as_masked(operands[0])
        if len(operands) == 2:
            owner = owner_of(operands[0], operands[1])
        if f in DIVISIONS:
            return filled_divided(f, operands[0], operands[1], owner)
        if f in DOMAINS:
            outside, within, fill = DOMAINS[f]
            return filled_outside(f, outside, fill, within, operands[0], owner)
        return wrapped(f, operands, owner)

    return of


def of_data(f: Any) -> Callable[..., Any]:
    """A function of NumPy's that reads the data of masked arrays and gives an array."""

    def of(*args: Any, **kwargs: Any) -> Any:
        return f(*[data_of(a) if isinstance(a, Masked) else a for a in args], **kwargs)

    return of


def joined_data(f: Any) -> Callable[..., Any]:
    """A function of NumPy's that joins arrays: of masked ones one without a mask."""

    def of(arrays: Any, axis: Any = 0) -> Any:
        parts = [data_of(a) for a in arrays]
        if f in (np.concatenate, np.stack):
            return Masked(f(parts, axis=axis), None, True)
        return Masked(f(parts), None, True)

    return of


def difference(a: Any, n: Any = 1, axis: Any = -1) -> Any:
    """The differences of neighbours along an axis, by NumPy's ufunc."""
    if n == 0:
        return a
    later = a.each(lambda x: np.take(x, np.arange(1, x.shape[axis]), axis=axis))
    sooner = a.each(lambda x: np.take(x, np.arange(0, x.shape[axis] - 1), axis=axis))
    return difference(wrapped(np.subtract, (later, sooner), a), n - 1, axis)


def polynomial(p: Any, x: Any) -> Any:
    """The values of a polynomial, as np.polyval computes them."""
    p = data_of(p)
    if not isinstance(x, Masked):
        return np.polyval(p, x)
    y = filled_like(x, 0, None)
    for c in p:
        y = y * x + c
    return y


READERS = (np.where, np.array, np.asarray, np.interp, np.outer, np.linalg.norm, np.copy,
           np.count_nonzero, np.searchsorted, np.broadcast_to)  # fmt: skip
JOINS = (np.concatenate, np.stack, np.hstack, np.vstack, np.column_stack, np.dstack)
OTHERS: dict[Any, Callable[..., Any]] = {
    np.sort: lambda a, axis=-1, kind=None: sort(a, axis, kind),
    np.diff: difference,
    np.polyval: polynomial,
    np.flip: lambda m, axis=None: m.each(lambda x: np.flip(x, axis)),
    np.expand_dims: lambda a, axis: a.each(lambda x: np.expand_dims(x, axis)),
    np.shape: lambda a: a.shape,
    np.ndim: lambda a: a.ndim,
    np.size: lambda a, axis=None: np.size(a.values, axis),
    np.asanyarray: lambda a: a,
    np.zeros_like: lambda a, dtype=None: filled_like(a, 0, dtype),
    np.ones_like: lambda a, dtype=None: filled_like(a, 1, dtype),
    np.full_like: lambda a, fill_value, dtype=None: filled_like(a, fill_value, dtype),
    np.average: lambda a, axis=None: a.mean(axis),
}


def filled_like(a: Any, value: Any, dtype: Any) -> Any:
    """A masked array of one number, with a mask of its own."""
    values = np.full(a.shape, value, a.dtype if dtype is None else dtype)
    if dtype is not None:
        return a.astype(dtype).like(values, None if a.hidden is None else a.hidden.copy(), a.bare)
    return a.like(values, None if a.hidden is None else a.hidden.copy(), a.bare)


def of_constant(f: Any) -> Any:
    """The formula of a function of NumPy's for the constant `masked`; None where it has none."""
    return of_ufunc(f) if isinstance(f, np.ufunc) and f.nout == 1 else None


OF_NUMPY[type(MASKED)] = of_constant


@of_numpy_by(Masked)
def of_numpy(f: Any) -> Any:
    """The formula of a function of NumPy's for masked arrays; None where it has none."""
    if f in OF_METHODS:
        return by_method(OF_METHODS[f])
    if isinstance(f, np.ufunc):
        return of_ufunc(f) if f.nout == 1 and f.nin <= 2 and f.signature is None else None
    if f in READERS:
        return of_data(f)
    if f in JOINS:
        return joined_data(f)
    return OTHERS.get(f)
