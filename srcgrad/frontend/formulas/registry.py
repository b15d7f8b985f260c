"""Functions of NumPy and SciPy that are followed as formulas, and helpers that formulas call.

A formula is a NumPy program with the arguments and the result of the function that it replaces.
It is followed like a function of the user's, so its derivatives are those of its parts; errors name
the user's call. Plain Python runs it as well. Never emits anything itself.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from srcgrad.protocols import home_module

FORMULAS: dict[Any, Callable] = {}  # a library's function -> the formula that is followed
# the formulas of SciPy's ufuncs, which compute with doubles and round to the dtype of the result
UFUNCS: dict[Callable, np.ufunc] = {}
F = TypeVar("F", bound=Callable)
OfTheRun = Any  # annotates a parameter that is not static, although others of its name are
PACKAGE = __name__.rpartition(".")[0]


def enter(table: dict[Any, Callable], name: Any, meaning: Callable) -> None:
    """Enters the meaning of a name into a table; a name has one meaning.

    >>> enter({"exp": abs}, "exp", max)
    Traceback (most recent call last):
    ValueError: exp has a meaning already: builtins.abs
    """
    known = table.setdefault(name, meaning)
    if known is not meaning:
        at = f"{known.__module__}.{known.__qualname__}"
        raise ValueError(f"{name} has a meaning already: {at}")


def stands_for(*functions: Any) -> Callable[[F], F]:
    """Registers the decorated formula for calls of these functions."""

    def register(formula: F) -> F:
        for f in functions:
            enter(FORMULAS, f, formula)
        return formula

    return register


def stand_for(table: dict[Any, Callable]) -> None:
    """Registers functions that are one expression each, under their names in errors."""
    for f, formula in table.items():
        formula.__name__ = f.__name__
        enter(FORMULAS, f, formula)


# classes of formulas: the class of Python's that an instance represents, and the attribute that
# holds its items as a list
INSTANCES: dict[type, tuple[type, str]] = {}


def instance_of(cls: type, items: str) -> Callable[[type], type]:
    """Registers the decorated class: its instances represent those of a class of Python's."""

    def register(formula: type) -> type:
        formula.__name__ = cls.__name__
        INSTANCES[formula] = cls, items
        return formula

    return register


# by classes of formulas: says for a function of NumPy's what it does with an instance, or None
OF_NUMPY: dict[type, Callable[[Any], Callable | None]] = {}
# classes of formulas whose instances are not returned, and what of them is
MADE_INSIDE: dict[type, str] = {}


# classes of formulas: the class of NumPy's that an instance represents
REPRESENTED: dict[type, type] = {}


def made_inside(returned: str, represented: type | None = None) -> Callable[[type], type]:
    """Registers the decorated class: its instances are made inside only."""

    def register(cls: type) -> type:
        MADE_INSIDE[cls] = returned
        if represented is not None:
            REPRESENTED[cls] = represented
        return cls

    return register


def of_numpy_by(cls: type) -> Callable[[F], F]:
    """Registers what says what functions of NumPy do with instances of a class."""

    def register(says: F) -> F:
        OF_NUMPY[cls] = says
        return says

    return register


def class_represented(cls: type) -> type:
    """The class of the instances that those of a class of formulas represent; others unchanged.

    >>> class_represented(list)
    <class 'list'>
    """
    return REPRESENTED.get(cls) or INSTANCES.get(cls, (cls, ""))[0]


def name_in_errors(f: Any) -> str:
    """The qualified name of a function; of a method that represents one of Python's, that name.

    >>> name_in_errors(is_set)
    'is_set'
    """
    cls = _owner(f)
    return f.__qualname__ if cls is None else f"{cls.__name__}.{f.__name__}"


def takes_less(f: Any) -> bool:
    """Whether a function is a formula, which may not have all arguments of the library's."""
    return is_formula(f) and _owner(f) is None


def _owner(f: Any) -> type | None:
    """The class of a method that represents one of Python's."""
    cls = f.__globals__.get(f.__qualname__.rpartition(".")[0])
    return cls if isinstance(cls, type) and cls in INSTANCES else None


def is_set(cls: type) -> bool:
    """Whether the instances of a class of formulas represent sets."""
    return class_represented(cls) in (set, frozenset)


def is_formula(f: types.FunctionType | types.MethodType) -> bool:
    return home_module(f).startswith(f"{PACKAGE}.")


# ---- helpers of formulas; compiled code has handlers for these ----
def known(v: Any) -> Any:
    """An axis, a count or a tuple of these, which compiled code must know when compiling."""
    return v


def place(axis: Any, n: int) -> int:
    """One axis of `n`, counted from the first; it must be there.

    >>> place(-1, 3)
    2
    """
    if not -n <= axis < n:
        raise np.exceptions.AxisError(axis, n)
    return axis % n


def floating(x: Any) -> Any:
    """An array of floats: integers become float64; complex numbers are refused where it is traced.

    >>> floating([1, 2])
    array([1., 2.])
    """
    x = np.asarray(x)
    return x if x.dtype.kind in "fc" else x.astype(np.float64)


def in_one_float_kind(*xs: Any) -> tuple:
    """Operands of a ufunc in the floating dtype of NumPy's computation.

    >>> in_one_float_kind(np.float32(1), 2)
    (array(1., dtype=float32), array(2., dtype=float32))
    """
    kind = np.hypot(xs[0], xs[-1]).dtype
    return tuple(np.asarray(x, dtype=kind) for x in xs)


def inexact(x: Any) -> Any:
    """An array of floats or of complex numbers: integers become float64.

    >>> inexact([1, 2])
    array([1., 2.])
    """
    x = np.asarray(x)
    return x if x.dtype.kind in "fc" else x.astype(np.float64)


def as_ufunc(f: np.ufunc, formula: Callable, *xs: Any) -> Any:
    """The result of a formula, computed with doubles, in the dtype of a ufunc's result.

    >>> as_ufunc(np.sin, np.cos, np.float32(0))
    np.float32(1.0)
    """
    kind = np.asarray(f(*xs)).dtype
    return formula(*(np.asarray(x, dtype=np.float64) for x in xs)).astype(kind)


def constant(x: Any) -> Any:
    """A value whose derivative is left out."""
    return x


def largest(x: Any, axis: Any, of_nothing: float) -> Any:
    """The maximum along an axis, which has length 1 then; `of_nothing` if the axis is empty.

    >>> largest(np.zeros((2, 0)), 1, 0.0).tolist()
    [[0.0], [0.0]]
    """
    return np.max(x, axis=axis, keepdims=True, initial=of_nothing)


def number(x: Any) -> Any:
    """An element of an array as a Python number.

    >>> number(np.arange(3)[2])
    2
    """
    return x.item()


def unsupported(reason: str, way_out: str = "", like: Any = None) -> Any:
    """Refuses the user's call; `like` is what plain Python raises there, if it does."""
    raise NotImplementedError(reason)


def refused_where(condition: Any, reason: str, way_out: str = "") -> None:
    """Refuses the user's call where a condition holds as it runs."""
    if condition:
        raise NotImplementedError(reason)


def stored(value: Any, out: Any) -> Any:
    """A result, in the array `out` if one is given.

    >>> stored(np.ones(2), np.zeros(2)).tolist()
    [1.0, 1.0]
    """
    if out is None:
        return value
    out[...] = value
    return out


def shaped(x: Any, shape: Any) -> Any:
    """An array in a shape with the same number of elements, which compiled code does not check.

    >>> shaped(np.zeros((2, 1)), (2,)).shape
    (2,)
    """
    return np.reshape(x, shape)


def part(x: Any, axis: int, at: Any) -> Any:
    """The elements at a place or a slice of one axis.

    >>> part(np.array([[1.0, 2.0]]), 1, slice(1, None)).tolist()
    [[2.0]]
    """
    return x[(slice(None),) * axis + (at,)]


def is_array(x: Any) -> bool:
    """Whether a value is an array rather than a number."""
    return isinstance(x, np.ndarray)


def is_static(v: Any) -> bool:
    """Whether a number is known when compiling."""
    return False


def perhaps_shared(made: Any, values: Any, what: str) -> Any:
    """A copy of data, for which NumPy gives the data themselves where nothing is masked.

    >>> perhaps_shared(1.0, 2.0, "this")
    1.0
    """
    return made
