"""Interprets the rules of the table, for IR values, arrays and tensors.

Finds the rule of an argument, multiplies partials and adjoints, and selects: a product with a
`Select` selects instead of multiplying, so that the branch not taken may be infinite and no
mask of ones and zeros is made. Mathematics only; never imports the IR.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from srcgrad.operation import Primitive, Rule
from srcgrad.primitives import numpy_fast_paths
from srcgrad.primitives.registry import REGISTRY, ZERO, Operators


@functools.cache
def rule_of(op: Primitive, k: int) -> Rule | None:
    """The rule for argument `k`: ZERO if the row declares a zero derivative, None without one."""
    if op.kind == "nondiff":
        return ZERO if op.fresh or op.flat else None
    try:
        return op.rules[k]
    except IndexError:
        return None


class Select(Operators):
    """`where(c, a, b)` in a rule; computed only where it is more than a factor of a product."""

    __slots__ = ("_value", "a", "b", "c")

    def __init__(self, c: Any, a: Any, b: Any):
        self.c, self.a, self.b = c, a, b
        self._value: Any = None

    def value(self) -> Any:
        if self._value is None:
            self._value = REGISTRY["where"](plain(self.c), plain(self.a), plain(self.b))
        return self._value

    def times(self, g: Any, singular: bool) -> Any:
        """g times the selected value; 0.0 if that is 0.0 in both cases."""
        a, b = product(g, self.a, singular), product(g, self.b, singular)
        if type(self.c) is np.ndarray and type(g) is np.ndarray:
            return REGISTRY["where"].impl(self.c, a, b)
        nothing = type(a) is float and type(b) is float and a == b == 0.0
        return 0.0 if nothing else REGISTRY["where"](plain(self.c), a, b)

    @property
    def shape(self) -> tuple[Any, ...]:
        return tuple(self.value().shape)

    @property
    def ndim(self) -> int:
        return self.value().ndim

    @property
    def dtype(self) -> Any:
        return self.value().dtype

    def apply_primitive(self, op: Primitive, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        return op(*map(plain, args), **params)

    # an implementation that is given one as an array computes it
    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(self.value(), dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **options: Any) -> Any:
        return getattr(ufunc, method)(*map(plain, args), **options)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        return function(*map(plain, args), **options)

    def __mul__(self, other: Any) -> Any:
        if isinstance(self.c, Operators) and self.c.masks:
            return REGISTRY["mul"](self.value(), plain(other))
        return self.times(plain(other), False)

    __rmul__ = __mul__


select = Select  # as rules spell it


def plain(x: Any) -> Any:
    """The value of a select; anything else unchanged."""
    return x.value() if type(x) is Select else x


def shape(x: Any) -> tuple[Any, ...]:
    """The dims of a value that a rule is run on."""
    return tuple(x.shape)


def product(g: Any, p: Any, singular: bool) -> Any:
    """g * p; 1 changes nothing, a select selects, a zero g stays zero if p may be infinite."""
    kind = p.__class__
    if kind is float or kind is int:
        return g if p == 1 else g * p if p else 0.0
    if kind is Select:
        return p.times(g, singular)
    if not singular:
        return g * p
    if isinstance(p, np.ndarray | np.generic):
        made: np.ndarray | np.generic[Any] | Operators = g * p
        if isinstance(made, np.ndarray | np.generic) and numpy_fast_paths.all_finite(made):
            return made
    return REGISTRY["absorb"](g, p)


__all__ = ["Select", "plain", "product", "rule_of", "select", "shape"]
