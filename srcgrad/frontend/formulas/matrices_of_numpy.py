"""np.matrix as programs: the methods that it defines, and what makes one."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.array_classes import (
    OfArray,
    elements,
    of_its_class,
    selects_view,
)
from srcgrad.frontend.formulas.registry import stands_for, unsupported


@stands_for(np.matrix)
def matrix(data: Any, dtype: Any = None, copy: Any = True) -> Any:
    """An array of rank 2 whose product is that of matrices.

    >>> matrix([1.0, 2.0]).shape
    (1, 2)
    """
    if isinstance(data, str):
        return unsupported("a np.matrix of a text", "write lists of its rows")
    values = elements(data)
    values = np.array(values, dtype=dtype) if copy else np.asarray(values, dtype=dtype)
    if np.ndim(values) > 2:
        raise ValueError("matrix must be 2-dimensional")
    return (
        np.reshape(values, (1, 1)).view(np.matrix)
        if np.ndim(values) == 0
        else values.view(np.matrix)
    )


@stands_for(np.asmatrix)
def asmatrix(data: Any, dtype: Any = None) -> Any:
    """A matrix of the same memory.

    >>> asmatrix(np.ones((2, 2))).shape
    (2, 2)
    """
    return data if isinstance(data, np.matrix) and dtype is None else matrix(data, dtype, False)


def is_column(key: Any) -> Any:
    """Whether a key selects part of one column: it ends with a number."""
    if not isinstance(key, tuple) or len(key) < 2 or isinstance(key[1], slice):
        return False
    return np.isscalar(key[1])


def collapsed(self: Any, values: Any, axis: Any) -> Any:
    """The sum of all, or a matrix of sums along an axis."""
    return values[0, 0] if axis is None else of_its_class(self, values)


class OfMatrix(OfArray):
    """Members that np.matrix defines anew of ndarray, and those that it adds.

    >>> made = object.__new__(OfMatrix)
    >>> made._value_of_this_instance = np.array([[1.0, 2.0], [3.0, 5.0]])
    >>> made.sum(), made.A1, made.argmax()
    (np.float64(11.0), array([1., 2., 3., 5.]), np.int64(3))
    """

    __array_priority__ = 10.0
    __hash__ = None

    def __array_finalize__(self, obj: Any) -> None:
        self._getitem = False
        values = self._value_of_this_instance
        if np.ndim(values) > 2:
            unsupported("a np.matrix of more than two axes", "use arrays: m.A")
        if np.ndim(values) == 1:
            self._value_of_this_instance = values[None, :]
        if np.ndim(values) == 0:
            self._value_of_this_instance = np.reshape(values, (1, 1))

    def __getitem__(self, key: Any) -> Any:
        values = self._value_of_this_instance[elements(key)]
        if isinstance(values, np.ndarray) and np.ndim(values) == 1 and is_column(key):
            values = values[:, None]
        return of_its_class(self, values)

    def __iter__(self) -> Any:
        return (of_its_class(self, row) for row in self._value_of_this_instance)

    def __setitem__(self: Any, key: Any, value: Any) -> None:
        if selects_view(self, key):
            part = self[key]
            part._value_of_this_instance[...] = elements(value)
        else:
            self._value_of_this_instance[elements(key)] = elements(value)

    # ---- products ----
    def __mul__(self: Any, other: Any) -> Any:
        if isinstance(other, np.ndarray | list | tuple):
            return np.dot(self, np.asmatrix(other))
        if np.isscalar(other) or not hasattr(other, "__rmul__"):
            return np.dot(self, other)
        return NotImplemented

    def __rmul__(self: Any, other: Any) -> Any:
        return np.dot(other, self)

    def __imul__(self: Any, other: Any) -> Any:
        self[:] = self * other
        return self

    def __pow__(self, other: Any) -> Any:
        return of_its_class(self, np.linalg.matrix_power(self._value_of_this_instance, other))

    def __ipow__(self: Any, other: Any) -> Any:
        self[:] = self**other
        return self

    def __rpow__(self, other: Any) -> Any:
        return NotImplemented

    # ---- reductions ----
    def sum(self, axis: Any = None, dtype: Any = None) -> Any:
        values = self._value_of_this_instance
        return collapsed(self, np.sum(values, axis, dtype, keepdims=True), axis)

    def mean(self, axis: Any = None, dtype: Any = None) -> Any:
        values = self._value_of_this_instance
        return collapsed(self, np.mean(values, axis, dtype, keepdims=True), axis)

    def std(self, axis: Any = None, dtype: Any = None, *, ddof: Any = 0) -> Any:
        values = self._value_of_this_instance
        return collapsed(self, np.std(values, axis, dtype, ddof=ddof, keepdims=True), axis)

    def var(self, axis: Any = None, dtype: Any = None, *, ddof: Any = 0) -> Any:
        values = self._value_of_this_instance
        return collapsed(self, np.var(values, axis, dtype, ddof=ddof, keepdims=True), axis)

    def prod(self, axis: Any = None, dtype: Any = None) -> Any:
        values = self._value_of_this_instance
        return collapsed(self, np.prod(values, axis, dtype, keepdims=True), axis)

    def max(self, axis: Any = None) -> Any:
        return collapsed(self, np.max(self._value_of_this_instance, axis, keepdims=True), axis)

    def min(self, axis: Any = None) -> Any:
        return collapsed(self, np.min(self._value_of_this_instance, axis, keepdims=True), axis)

    def any(self, axis: Any = None) -> Any:
        return collapsed(self, np.any(self._value_of_this_instance, axis, keepdims=True), axis)

    def all(self, axis: Any = None) -> Any:
        return collapsed(self, np.all(self._value_of_this_instance, axis, keepdims=True), axis)

    def argmax(self, axis: Any = None) -> Any:
        values = np.argmax(self._value_of_this_instance, axis, keepdims=axis is not None)
        return values if axis is None else of_its_class(self, values)

    def argmin(self, axis: Any = None) -> Any:
        values = np.argmin(self._value_of_this_instance, axis, keepdims=axis is not None)
        return values if axis is None else of_its_class(self, values)

    # ---- other forms ----
    def tolist(self) -> Any:
        return self._value_of_this_instance.tolist()

    def flatten(self, order: Any = "C") -> Any:
        return of_its_class(self, self._value_of_this_instance.flatten(order))

    def ravel(self, order: Any = "C") -> Any:
        return of_its_class(self, self._value_of_this_instance.ravel(order))

    @property
    def T(self) -> Any:
        return of_its_class(self, self._value_of_this_instance.T)

    @property
    def H(self) -> Any:
        values = self._value_of_this_instance.T
        return of_its_class(self, np.conj(values) if values.dtype.kind == "c" else values)

    @property
    def I(self) -> Any:  # noqa: E743  (NumPy's name)
        values = self._value_of_this_instance
        n, m = np.shape(values)
        return of_its_class(self, np.linalg.inv(values) if n == m else np.linalg.pinv(values))

    @property
    def A(self) -> Any:
        return self._value_of_this_instance

    @property
    def A1(self) -> Any:
        return np.ravel(self._value_of_this_instance)
