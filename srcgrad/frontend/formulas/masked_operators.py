"""Operators of masked arrays, those in place too."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.masked_parts import (
    TINY,
    Parts,
    away,
    binary,
    compared,
    data_of,
    divided,
    filled_divided,
    mask_array,
    mask_of,
    power,
    wrapped,
)
from srcgrad.frontend.formulas.registry import unsupported


def both(f: Any, compute: Any, after_numpy: Any) -> tuple:
    """An operator and its reflected form, which a number of NumPy's does not leave to it."""

    def of(self: Any, other: Any) -> Any:
        return compute(f, self, other, self)

    def reflected(self: Any, other: Any) -> Any:
        return (after_numpy if isinstance(other, np.generic) else compute)(f, other, self, self)

    return of, reflected


def alone(f: Any) -> Any:
    """An operator of one operand."""

    def of(self: Any) -> Any:
        return wrapped(f, (self,), self)

    return of


def comparison(f: Any, same: bool = False) -> Any:
    """A comparison; `same` compares the masks too."""

    def of(self: Any, other: Any) -> Any:
        return compared(f, self, other, same, self)

    return of


def ufunc(f: Any, a: Any, b: Any, owner: Any) -> Any:
    return wrapped(f, (a, b), owner)


def raised(f: Any, a: Any, b: Any, owner: Any) -> Any:
    return power(a, b, owner)


class Operators(Parts):
    """The operators; those of ndarray's own are NumPy's ufuncs."""

    __add__, __radd__ = both(np.add, binary, ufunc)
    __sub__, __rsub__ = both(np.subtract, binary, ufunc)
    __mul__, __rmul__ = both(np.multiply, binary, ufunc)
    __truediv__, __rtruediv__ = both(np.divide, divided, filled_divided)
    __floordiv__, __rfloordiv__ = both(np.floor_divide, divided, filled_divided)
    __mod__, __rmod__ = both(np.remainder, filled_divided, filled_divided)
    __pow__, __rpow__ = both(np.power, raised, ufunc)
    __and__, __rand__ = both(np.bitwise_and, ufunc, ufunc)
    __or__, __ror__ = both(np.bitwise_or, ufunc, ufunc)
    __xor__, __rxor__ = both(np.bitwise_xor, ufunc, ufunc)
    __neg__, __pos__ = alone(np.negative), alone(np.positive)
    __abs__, __invert__ = alone(np.absolute), alone(np.invert)
    __eq__, __ne__ = comparison(np.equal, True), comparison(np.not_equal, True)
    __lt__, __le__ = comparison(np.less), comparison(np.less_equal)
    __gt__, __ge__ = comparison(np.greater), comparison(np.greater_equal)

    def __matmul__(self, other: Any) -> Any:
        return unsupported("the operator @ of masked arrays", "use np.ma.dot")

    # ---- in place ----
    def masked_by(self, other: Any) -> None:
        """Masks what is masked in an operand, in place where the array has a mask."""
        hidden = mask_of(other)[0]
        if hidden is None:
            return
        if self.hidden is None:
            self.hidden = np.zeros(self.values.shape, dtype=bool)
            self.hidden |= hidden
            self.bare = not np.any(hidden)
            return
        if self.bare and np.any(hidden):
            self.hidden = np.zeros(self.values.shape, dtype=bool)
            self.bare = False
        self.hidden |= hidden

    def spared(self, other: Any, within: Any) -> Any:
        """An operand with a number below the mask that changes nothing."""
        other = data_of(other)
        return other if self.hidden is None else away(self.hidden, other, within)

    def __iadd__(self, other: Any) -> Any:
        self.masked_by(other)
        self.values += self.spared(other, 0)
        return self

    def __isub__(self, other: Any) -> Any:
        self.masked_by(other)
        self.values -= self.spared(other, 0)
        return self

    def __imul__(self, other: Any) -> Any:
        self.masked_by(other)
        self.values *= self.spared(other, 1)
        return self

    def divided_by(self, other: Any) -> Any:
        """The divisor of a division in place, with 1 where that is masked."""
        x, y = self.values, data_of(other)
        lost = np.abs(x) * TINY >= np.abs(y)
        fresh = lost | mask_array(other)
        if self.hidden is None or self.bare:
            self.hidden = np.zeros(x.shape, dtype=bool) | fresh
            self.bare = not np.any(fresh)
        else:
            self.hidden |= fresh
        return away(self.hidden | lost, y, 1)

    def __itruediv__(self, other: Any) -> Any:
        self.values /= self.divided_by(other)
        return self

    def __ifloordiv__(self, other: Any) -> Any:
        self.values //= self.divided_by(other)
        return self

    def __ipow__(self, other: Any) -> Any:
        y, hidden = self.spared(other, 1), mask_of(other)[0]
        lost = ~np.isfinite(np.power(self.values, y))
        self.values **= away(lost, y, 1)
        self.values[lost] = self.filling()[0]
        if self.hidden is not None and not self.bare:
            self.hidden |= lost
        lost = lost if hidden is None else lost | hidden
        if self.hidden is None:
            self.hidden = lost
        elif np.any(lost):
            self.hidden = self.hidden | lost
        self.bare = not np.any(self.hidden)
        return self

    def __imod__(self, other: Any) -> Any:
        return unsupported("%= of a masked array", "use m = m % p")

    def __iand__(self, other: Any) -> Any:
        return unsupported("&= of a masked array", "use m = m & p")

    def __ior__(self, other: Any) -> Any:
        return unsupported("|= of a masked array", "use m = m | p")
