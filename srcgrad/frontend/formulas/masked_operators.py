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


class Operators(Parts):
    """The operators; those of ndarray's own are NumPy's ufuncs."""

    def __add__(self, other: Any) -> Any:
        return binary(np.add, self, other, self)

    def __radd__(self, other: Any) -> Any:
        if isinstance(other, np.generic):  # which does not leave it to the right operand
            return wrapped(np.add, (other, self), self)
        return binary(np.add, other, self, self)

    def __sub__(self, other: Any) -> Any:
        return binary(np.subtract, self, other, self)

    def __rsub__(self, other: Any) -> Any:
        if isinstance(other, np.generic):
            return wrapped(np.subtract, (other, self), self)
        return binary(np.subtract, other, self, self)

    def __mul__(self, other: Any) -> Any:
        return binary(np.multiply, self, other, self)

    def __rmul__(self, other: Any) -> Any:
        if isinstance(other, np.generic):
            return wrapped(np.multiply, (other, self), self)
        return binary(np.multiply, other, self, self)

    def __truediv__(self, other: Any) -> Any:
        return divided(np.divide, self, other, self)

    def __rtruediv__(self, other: Any) -> Any:
        if isinstance(other, np.generic):
            return filled_divided(np.divide, other, self, self)
        return divided(np.divide, other, self, self)

    def __floordiv__(self, other: Any) -> Any:
        return divided(np.floor_divide, self, other, self)

    def __rfloordiv__(self, other: Any) -> Any:
        if isinstance(other, np.generic):
            return filled_divided(np.floor_divide, other, self, self)
        return divided(np.floor_divide, other, self, self)

    def __mod__(self, other: Any) -> Any:
        return filled_divided(np.remainder, self, other, self)

    def __rmod__(self, other: Any) -> Any:
        return filled_divided(np.remainder, other, self, self)

    def __pow__(self, other: Any) -> Any:
        return power(self, other, self)

    def __rpow__(self, other: Any) -> Any:
        if isinstance(other, np.generic):
            return wrapped(np.power, (other, self), self)
        return power(other, self, self)

    def __neg__(self) -> Any:
        return wrapped(np.negative, (self,), self)

    def __pos__(self) -> Any:
        return wrapped(np.positive, (self,), self)

    def __abs__(self) -> Any:
        return wrapped(np.absolute, (self,), self)

    def __invert__(self) -> Any:
        return wrapped(np.invert, (self,), self)

    def __and__(self, other: Any) -> Any:
        return wrapped(np.bitwise_and, (self, other), self)

    def __rand__(self, other: Any) -> Any:
        return wrapped(np.bitwise_and, (other, self), self)

    def __or__(self, other: Any) -> Any:
        return wrapped(np.bitwise_or, (self, other), self)

    def __ror__(self, other: Any) -> Any:
        return wrapped(np.bitwise_or, (other, self), self)

    def __xor__(self, other: Any) -> Any:
        return wrapped(np.bitwise_xor, (self, other), self)

    def __rxor__(self, other: Any) -> Any:
        return wrapped(np.bitwise_xor, (other, self), self)

    def __eq__(self, other: Any) -> Any:
        return compared(np.equal, self, other, True, self)

    def __ne__(self, other: Any) -> Any:
        return compared(np.not_equal, self, other, True, self)

    def __lt__(self, other: Any) -> Any:
        return compared(np.less, self, other, False, self)

    def __le__(self, other: Any) -> Any:
        return compared(np.less_equal, self, other, False, self)

    def __gt__(self, other: Any) -> Any:
        return compared(np.greater, self, other, False, self)

    def __ge__(self, other: Any) -> Any:
        return compared(np.greater_equal, self, other, False, self)

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
        if np.any(lost):
            self.values[lost] = self.filling()[0]
            if self.hidden is not None and not self.bare:
                self.hidden |= lost
        lost = lost if hidden is None else lost | hidden
        if np.any(lost):
            self.hidden = lost if self.hidden is None else self.hidden | lost
        if self.hidden is not None:
            self.bare = not np.any(self.hidden)
        return self

    def __imod__(self, other: Any) -> Any:
        return unsupported("%= of a masked array", "use m = m % p")

    def __iand__(self, other: Any) -> Any:
        return unsupported("&= of a masked array", "use m = m & p")

    def __ior__(self, other: Any) -> Any:
        return unsupported("|= of a masked array", "use m = m | p")
