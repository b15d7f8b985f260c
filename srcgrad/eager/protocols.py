"""Implements `__array_ufunc__`, `__array_function__` and `__array_namespace__`.

NumPy's functions accept tensors: operators and unary elementwise functions map to the tensor's
own. Any other function is compiled (`above.numpy_function`); its result is a tensor and one node
on the tape. Where the compiler refuses it, NumPy's function runs on the underlying arrays if that
loses no gradient, and a TypeError is raised otherwise. Never writes into a tensor.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad import hooks
from srcgrad.eager.apply import Unsuitable, operand, recording
from srcgrad.eager.functions import TABLE
from srcgrad.eager.tensor import Tensor, make
from srcgrad.errors import ArgumentValueError, TensorTypeError
from srcgrad.tree import leaves, mapped

OPERATORS: dict[Any, Callable] = {
    np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul,
    np.true_divide: operator.truediv, np.floor_divide: operator.floordiv,
    np.remainder: operator.mod, np.power: operator.pow, np.matmul: operator.matmul,
    np.equal: operator.eq, np.not_equal: operator.ne, np.less: operator.lt,
    np.less_equal: operator.le, np.greater: operator.gt, np.greater_equal: operator.ge,
    np.bitwise_and: operator.and_, np.bitwise_or: operator.or_, np.bitwise_xor: operator.xor,
}  # fmt: skip
# functions that write into their first argument
WRITING = frozenset((np.copyto, np.put, np.place, np.putmask, np.put_along_axis, np.fill_diagonal))

DETACH = "use x.detach().numpy() where it may be lost"


def install() -> None:
    """Adds the protocols to `Tensor`."""
    Tensor.__array_ufunc__ = _ufunc
    Tensor.__array_function__ = _function
    Tensor.__array_namespace__ = namespace


def _ufunc(self: Tensor, ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Any:
    if method != "__call__":
        whole, name = getattr(ufunc, method), f"{ufunc.__name__}.{method}"
        return _called(whole, name, args, kwargs, method == "at")
    if not kwargs:
        try:
            if ufunc in OPERATORS:
                return OPERATORS[ufunc](*[operand(a) for a in args])
            if ufunc.nin == ufunc.nout == 1 and ufunc.__name__ in TABLE:
                return TABLE[ufunc.__name__].function(*args)
        except Unsuitable:
            pass  # lists, or arguments that NumPy itself rejects
    return _called(ufunc, ufunc.__name__, args, kwargs, False)


def namespace(self: Tensor | None = None, *, api_version: str | None = None) -> Any:
    """The module of the array API standard; ValueError for a version that it does not have."""
    space = hooks.array_namespace()
    if api_version not in (None, *space.VERSIONS):
        raise ArgumentValueError(
            f"the array API of version {api_version!r} is not supported", None,
            f"one of {', '.join(space.VERSIONS)}",
        )  # fmt: skip
    return space


def _function(self: Tensor, function: Any, types: Any, args: tuple, kwargs: dict) -> Any:
    name = f"{function.__module__.removeprefix('numpy').lstrip('.')}.{function.__name__}"
    copied = args[1] if len(args) > 1 else kwargs.get("copy", True)
    into = function in WRITING or (function is np.nan_to_num and not copied)
    return _called(function, name.lstrip("."), args, kwargs, into)


def _called(function: Any, name: str, args: tuple, kwargs: dict, into: bool) -> Any:
    """Evaluates a function; `into`: it writes into its first argument."""
    written = [args[0] if into else None, kwargs.get("out")]
    if _tensors(written):
        raise TensorTypeError(
            f"np.{name}() would write into a tensor, which NumPy cannot record",
            None,
            "use a method of the tensor: x.copy_(), x.index_add_(), x[...] = y",
        )
    why, way_out = "it writes into an array", DETACH
    if not into and kwargs.get("out") is None:
        try:
            return hooks.numpy_function(function, args, kwargs)
        except NotImplementedError as error:
            if isinstance(error, ValueError | IndexError | AttributeError):
                raise  # the arguments are wrong in NumPy too
            why = str(getattr(error, "reason", error))
            way_out = getattr(error, "way_out", "") or DETACH
        except ImportError:
            why = "it is no function of tensors"
    if any(t.requires_grad for t in _tensors([args, kwargs])):
        raise TensorTypeError(
            f"np.{name}() would lose the gradient of a tensor that requires grad: {why}",
            None,
            way_out,
        )
    return function(*_arrays(args), **_arrays(kwargs))


def _tensors(value: Any) -> list[Tensor]:
    return [v for v in leaves(value) if isinstance(v, Tensor)]


def _arrays(value: Any) -> Any:
    """The value with each tensor replaced by its array."""
    return mapped(value, lambda v: v.numpy() if isinstance(v, Tensor) else v)


def by_numpy(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """A function of NumPy's on tensors: of their arrays, or recorded where one requires grad."""
    if recording() and any(t.requires_grad for t in _tensors(args)):
        return function(*args, **options)
    made = function(*[x._a if isinstance(x, Tensor) else x for x in args], **options)
    return mapped(made, lambda v: make(v) if isinstance(v, np.ndarray | np.generic) else v)
