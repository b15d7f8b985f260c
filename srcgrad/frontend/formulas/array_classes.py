"""The operators of ndarray for instances of classes that derive from it, as programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import unsupported


def of_its_class(self: Any, made: Any) -> Any:
    """A part or a new form of an instance's array, as an instance of its class; numbers as such."""
    if not isinstance(made, np.ndarray):
        return made
    out = object.__new__(type(self))
    out._value_of_this_instance = made
    return out


def elements(v: Any) -> Any:
    """The array of an instance, and a tuple of keys with the arrays in it; other values as such."""
    return v


def selects_view(self: Any, key: Any) -> bool:
    """Whether a store by a key is one to `self[key]`, as a class may define that anew."""
    return False


def like_instance(self: Any, array: Any) -> Any:
    """An instance of the same class for an array, one of rank 0 too."""
    return of_its_class(self, array)


class Context:
    """The ufunc, the operands and the number of a result, which `__array_wrap__` passes on only."""

    def refused(self, key: Any = None) -> Any:
        """Refuses to be read."""
        return unsupported("the context of __array_wrap__ is not known", "do not read it")

    __getattr__ = __getitem__ = __iter__ = __len__ = __bool__ = __eq__ = __str__ = refused


def defines(self: Any, name: str) -> bool:
    """Whether the class of an instance defines a method of ndarray's anew."""
    return getattr(type(self), name) is not getattr(OfArray, name)


def changing(self: Any, other: Any) -> Any:
    """The other operand of an operator in place."""
    if np.ndim(self._value_of_this_instance) == 0:
        unsupported("an operator in place on an instance of rank 0", "write s = s + y for s += y")
    if defines(self, "__array_wrap__"):
        unsupported(
            "an operator in place where the class defines __array_wrap__", "write s = s + y"
        )
    return elements(other)


class OfArray:
    """Ndarray's own operators: the elements of an instance are in an array.

    >>> made = object.__new__(OfArray)
    >>> made._value_of_this_instance = np.array([1.0, 2.0])
    >>> made[1].item(), len(made), made[:1]._value_of_this_instance
    (2.0, 2, array([1.]))
    """

    __array_priority__ = 0.0
    __hash__ = None  # type: ignore[assignment]  (as that of an array)
    _value_of_this_instance: Any

    def __array_finalize__(self, obj: Any) -> None:
        pass

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: Any = False) -> Any:
        return like_instance(self, array)

    # ---- items ----
    def __getitem__(self, key: Any) -> Any:
        return of_its_class(self, self._value_of_this_instance[elements(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        if selects_view(self, key) and defines(self, "__getitem__"):
            unsupported(
                "a store by slices where the class defines __getitem__", "v.view(np.ndarray)"
            )
        self._value_of_this_instance[elements(key)] = elements(value)

    def __len__(self) -> Any:
        return len(self._value_of_this_instance)

    def __iter__(self) -> Any:
        if defines(self, "__getitem__"):
            unsupported("iterating where the class defines __getitem__", "for k in range(len(v))")
        return (of_its_class(self, item) for item in self._value_of_this_instance)

    def __contains__(self, item: Any) -> Any:
        if defines(self, "__eq__"):
            unsupported("`in` where the class defines __eq__", "np.any(v == x)")
        return item in self._value_of_this_instance

    # ---- conversions ----
    def __bool__(self) -> Any:
        return bool(self._value_of_this_instance)

    def __float__(self) -> Any:
        return float(self._value_of_this_instance)

    def __int__(self) -> Any:
        return int(self._value_of_this_instance)

    def __complex__(self) -> Any:
        return complex(self._value_of_this_instance)

    def __index__(self) -> Any:
        return int(self._value_of_this_instance)

    # ---- operators ----
    def __neg__(self: Any) -> Any:
        return np.negative(self)

    def __pos__(self: Any) -> Any:
        return np.positive(self)

    def __abs__(self: Any) -> Any:
        return np.absolute(self)

    def __invert__(self: Any) -> Any:
        return np.invert(self)

    def __add__(self: Any, other: Any) -> Any:
        return np.add(self, other)

    def __radd__(self: Any, other: Any) -> Any:
        return np.add(other, self)

    def __iadd__(self: Any, other: Any) -> Any:
        self._value_of_this_instance += changing(self, other)
        return self

    def __sub__(self: Any, other: Any) -> Any:
        return np.subtract(self, other)

    def __rsub__(self: Any, other: Any) -> Any:
        return np.subtract(other, self)

    def __isub__(self: Any, other: Any) -> Any:
        self._value_of_this_instance -= changing(self, other)
        return self

    def __mul__(self: Any, other: Any) -> Any:
        return np.multiply(self, other)

    def __rmul__(self: Any, other: Any) -> Any:
        return np.multiply(other, self)

    def __imul__(self: Any, other: Any) -> Any:
        self._value_of_this_instance *= changing(self, other)
        return self

    def __truediv__(self: Any, other: Any) -> Any:
        return np.true_divide(self, other)

    def __rtruediv__(self: Any, other: Any) -> Any:
        return np.true_divide(other, self)

    def __itruediv__(self: Any, other: Any) -> Any:
        self._value_of_this_instance /= changing(self, other)
        return self

    def __floordiv__(self: Any, other: Any) -> Any:
        return np.floor_divide(self, other)

    def __rfloordiv__(self: Any, other: Any) -> Any:
        return np.floor_divide(other, self)

    def __ifloordiv__(self: Any, other: Any) -> Any:
        self._value_of_this_instance //= changing(self, other)
        return self

    def __mod__(self: Any, other: Any) -> Any:
        return np.remainder(self, other)

    def __rmod__(self: Any, other: Any) -> Any:
        return np.remainder(other, self)

    def __imod__(self: Any, other: Any) -> Any:
        self._value_of_this_instance %= changing(self, other)
        return self

    def __pow__(self: Any, other: Any) -> Any:
        return np.power(self, other)

    def __rpow__(self: Any, other: Any) -> Any:
        return np.power(other, self)

    def __ipow__(self: Any, other: Any) -> Any:
        self._value_of_this_instance **= changing(self, other)
        return self

    def __matmul__(self: Any, other: Any) -> Any:
        return np.matmul(self, other)

    def __rmatmul__(self: Any, other: Any) -> Any:
        return np.matmul(other, self)

    def __imatmul__(self: Any, other: Any) -> Any:
        return unsupported("@= of an array in place", "write x = x @ y")

    def __and__(self: Any, other: Any) -> Any:
        return np.bitwise_and(self, other)

    def __rand__(self: Any, other: Any) -> Any:
        return np.bitwise_and(other, self)

    def __iand__(self: Any, other: Any) -> Any:
        self._value_of_this_instance &= changing(self, other)
        return self

    def __or__(self: Any, other: Any) -> Any:
        return np.bitwise_or(self, other)

    def __ror__(self: Any, other: Any) -> Any:
        return np.bitwise_or(other, self)

    def __ior__(self: Any, other: Any) -> Any:
        self._value_of_this_instance |= changing(self, other)
        return self

    def __xor__(self: Any, other: Any) -> Any:
        return np.bitwise_xor(self, other)

    def __rxor__(self: Any, other: Any) -> Any:
        return np.bitwise_xor(other, self)

    def __ixor__(self: Any, other: Any) -> Any:
        self._value_of_this_instance ^= changing(self, other)
        return self

    def __lshift__(self: Any, other: Any) -> Any:
        return np.left_shift(self, other)

    def __rlshift__(self: Any, other: Any) -> Any:
        return np.left_shift(other, self)

    def __ilshift__(self: Any, other: Any) -> Any:
        self._value_of_this_instance <<= changing(self, other)
        return self

    def __rshift__(self: Any, other: Any) -> Any:
        return np.right_shift(self, other)

    def __rrshift__(self: Any, other: Any) -> Any:
        return np.right_shift(other, self)

    def __irshift__(self: Any, other: Any) -> Any:
        self._value_of_this_instance >>= changing(self, other)
        return self

    def __divmod__(self: Any, other: Any) -> Any:
        return np.divmod(self, other)

    def __rdivmod__(self: Any, other: Any) -> Any:
        return np.divmod(other, self)

    def __eq__(self: Any, other: Any) -> Any:
        return np.equal(self, other)

    def __ne__(self: Any, other: Any) -> Any:
        return np.not_equal(self, other)

    def __lt__(self: Any, other: Any) -> Any:
        return np.less(self, other)

    def __le__(self: Any, other: Any) -> Any:
        return np.less_equal(self, other)

    def __gt__(self: Any, other: Any) -> Any:
        return np.greater(self, other)

    def __ge__(self: Any, other: Any) -> Any:
        return np.greater_equal(self, other)
