"""The methods of float and int for instances of classes that derive from them, as programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.list_classes import held


def operand(self: Any, other: Any) -> Any:
    """The other operand as a number of Python's; None where the result is left to it."""
    if isinstance(self, float) and isinstance(other, np.float64):
        return float(other)
    taken = isinstance(other, int) or (isinstance(self, float) and isinstance(other, float))
    return held(other) if taken else None


class OfNumber:
    """The methods that floats and ints have in common: results are plain numbers.

    >>> made = object.__new__(OfNumber)
    >>> made._held_by_this_instance = 2
    >>> made + 1, 2 * made, -made, made > 1, float(made)
    (3, 4, -2, True, 2.0)
    """

    _held_by_this_instance: Any

    # ---- conversions ----
    def __bool__(self) -> Any:
        return self._held_by_this_instance != 0

    def __float__(self) -> Any:
        return float(self._held_by_this_instance)

    def __int__(self) -> Any:
        return int(self._held_by_this_instance)

    def __round__(self, *digits: Any) -> Any:
        return round(self._held_by_this_instance, *digits)

    def __repr__(self) -> str:
        return repr(self._held_by_this_instance)

    @property
    def real(self) -> Any:
        return +self._held_by_this_instance

    @property
    def imag(self) -> Any:
        return self._held_by_this_instance * 0

    def conjugate(self) -> Any:
        return +self._held_by_this_instance

    # ---- operators ----
    def __neg__(self) -> Any:
        return -self._held_by_this_instance

    def __pos__(self) -> Any:
        return +self._held_by_this_instance

    def __abs__(self) -> Any:
        return abs(self._held_by_this_instance)

    def __add__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else self._held_by_this_instance + number

    def __radd__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else number + self._held_by_this_instance

    def __sub__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else self._held_by_this_instance - number

    def __rsub__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else number - self._held_by_this_instance

    def __mul__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else self._held_by_this_instance * number

    def __rmul__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else number * self._held_by_this_instance

    def __truediv__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else self._held_by_this_instance / number

    def __rtruediv__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else number / self._held_by_this_instance

    def __floordiv__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else self._held_by_this_instance // number

    def __rfloordiv__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else number // self._held_by_this_instance

    def __mod__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else self._held_by_this_instance % number

    def __rmod__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else number % self._held_by_this_instance

    def __pow__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else self._held_by_this_instance**number

    def __rpow__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else number**self._held_by_this_instance

    def __divmod__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else divmod(self._held_by_this_instance, number)

    def __rdivmod__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else divmod(number, self._held_by_this_instance)

    # ---- comparisons ----
    def __eq__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else self._held_by_this_instance == number

    def __ne__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else self._held_by_this_instance != number

    def __lt__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else self._held_by_this_instance < number

    def __le__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else self._held_by_this_instance <= number

    def __gt__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else self._held_by_this_instance > number

    def __ge__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else self._held_by_this_instance >= number

    __hash__ = None  # type: ignore[assignment]  (a number of the run is no key)


class OfFloat(OfNumber):
    """Those of float."""

    def is_integer(self) -> Any:
        return self._held_by_this_instance.is_integer()


class OfInt(OfNumber):
    """Those of int."""

    def __index__(self) -> Any:
        return self._held_by_this_instance

    def __invert__(self) -> Any:
        return ~self._held_by_this_instance

    def __and__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else self._held_by_this_instance & number

    def __rand__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else number & self._held_by_this_instance

    def __or__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else self._held_by_this_instance | number

    def __ror__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else number | self._held_by_this_instance

    def __xor__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else self._held_by_this_instance ^ number

    def __rxor__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else number ^ self._held_by_this_instance

    def __lshift__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else self._held_by_this_instance << number

    def __rlshift__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else number << self._held_by_this_instance

    def __rshift__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else self._held_by_this_instance >> number

    def __rrshift__(self, other: Any) -> Any:
        number = operand(self, other)
        return NotImplemented if number is None else number >> self._held_by_this_instance
