"""Methods called by their names: `x.__len__()`, `f.__get__(owner)`, `np.ndarray.sum(x)`."""

from __future__ import annotations

import operator
import types
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from srcgrad.frontend.handlers.registry import kind_of_owner
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.special_methods import asked
from srcgrad.frontend.values import Bound, Partial, Record, is_array
from srcgrad.ir.nodes import Var
from srcgrad.protocols import home_module

# of arrays and of Python's containers
_OF_CONTAINERS: dict[str, Callable] = {
    "__len__": len, "__getitem__": operator.getitem, "__iter__": iter,
}  # fmt: skip
# of arrays; a number of Python's answers NotImplemented to operands of other classes
_ARITHMETIC: dict[str, Callable] = {
    "__add__": operator.add, "__sub__": operator.sub, "__mul__": operator.mul,
    "__truediv__": operator.truediv, "__floordiv__": operator.floordiv, "__mod__": operator.mod,
    "__pow__": operator.pow, "__matmul__": operator.matmul,
}  # fmt: skip
_OF_ARRAYS: dict[str, Callable] = {
    "__abs__": abs, "__neg__": operator.neg, "__lt__": operator.lt, "__le__": operator.le,
    "__gt__": operator.gt, "__ge__": operator.ge, "__eq__": operator.eq, "__ne__": operator.ne,
    **_ARITHMETIC,
}  # fmt: skip
_REFLECTED = {n.replace("__", "__r", 1): f for n, f in _ARITHMETIC.items()}
_OPERANDS = Var | int | float | complex
_CONTAINERS = (list, dict, str, tuple, set)  # whose methods are called by the class as well
# descriptors that bind the owner as their first argument
_BINDING = (types.FunctionType, types.WrapperDescriptorType, types.MethodDescriptorType)


def special_call(it: Interpreter, owner: Any, name: str, args: list[Any], node: Node) -> Any:
    """The result of the operator whose method is called; NotImplemented if it is another one."""
    container = is_array(owner) or isinstance(owner, list | tuple | dict | str)
    if name == "__contains__" and container and len(args) == 1:
        return it.compare(gast.In(), args[0], owner, node)
    if name in _OF_CONTAINERS and container:
        return it.call(_OF_CONTAINERS[name], [owner, *args], {}, node)
    if not is_array(owner) or not all(isinstance(v, _OPERANDS) for v in args):
        return NotImplemented
    if name in _OF_ARRAYS:
        return it.call(_OF_ARRAYS[name], [owner, *args], {}, node)
    if name in _REFLECTED:
        return it.call(_REFLECTED[name], [*args, owner], {}, node)
    return NotImplemented


def by_class(f: Any, args: list[Any]) -> Any:
    """The method of its first argument for one called by the class: `np.ndarray.sum(x)`."""
    if not isinstance(f, types.MethodDescriptorType | types.WrapperDescriptorType) or not args:
        return NotImplemented
    cls, owner = f.__objclass__, args[0]
    if cls is np.ndarray:
        fits = is_array(owner)
    else:
        fits = cls in _CONTAINERS and kind_of_owner(owner) == cls.__name__
    return Bound(owner, f.__name__) if fits else NotImplemented


def bound_descriptor(f: Any, args: list[Any]) -> Any:
    """The result of `__get__` of a function or method: `object.__setattr__.__get__(self)`."""
    is_get = isinstance(f, types.MethodWrapperType) and f.__name__ == "__get__"
    if not is_get or not args or not isinstance(f.__self__, _BINDING):
        return NotImplemented
    return f.__self__ if args[0] is None else Partial(f.__self__, (args[0],), {})


# ufuncs of which NumPy asks an object by an operator or a test
_OF_OPERATORS = (
    np.absolute, np.negative, np.positive, np.invert, np.square, np.reciprocal, np.sign,
    np.logical_not, np.floor, np.ceil, np.trunc,
)  # fmt: skip


def by_own_method(it: Interpreter, f: Any, v: Any, node: Node) -> Any:
    """A ufunc of an instance, of which NumPy calls the method of that name; or NotImplemented.

    It does so unless the instance is an array or a sequence; a sparse matrix is neither.
    """
    if not isinstance(f, np.ufunc) or not isinstance(v, Record) or f in _OF_OPERATORS:
        return NotImplemented
    is_array = any(hasattr(v.cls, n) for n in ("__array__", "__array_ufunc__"))
    is_sequence = hasattr(v.cls, "__len__") and not home_module(v.cls).startswith("scipy.sparse")
    return NotImplemented if is_array or is_sequence else asked(it, v, f.__name__, [], node)
