"""The type of a value, and whether it represents a tensor or an array: their methods differ.

`x.std()` divides by n - 1 on a tensor and by n on an array. A value computed from a tensor is one;
one computed from arrays alone is an array. One that a loop carries or branches join is either, and
a method that means two things is refused on it. Never changes a program.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np

from srcgrad.frontend.derived import redefined
from srcgrad.frontend.handlers.registry import (
    METHODS,
    TENSOR_CLASS,
    TENSOR_METHODS,
    TENSOR_PROMOTION,
    is_tensor_function,
    kind_of_owner,
)
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import NUMBERS, GrownList, describe, is_array
from srcgrad.ir.nodes import Const, Var, atom
from srcgrad.ir.types import OF_PYTHON, Array, Scalar, constant_type, is_float, short_dtype
from srcgrad.protocols import home_module


class Kind(Enum):
    ARRAY = "array"
    TENSOR = "tensor"
    EITHER = "either"


# methods with one meaning, whose NumPy handler serves tensors too; some are of arrays only
SHARED = frozenset((
    "all", "any", "argmax", "argmin", "argsort", "astype", "clip", "compress", "conj", "conjugate",
    "copy",
    "cumprod", "cumsum", "diagonal", "dot", "fill", "flatten", "item", "mean", "prod", "ravel",
    "reshape", "round", "searchsorted", "squeeze", "sum", "swapaxes", "take", "tolist",
    "trace",
))  # fmt: skip


class OfTensor(np.ndarray):
    """The array of a tensor, where only the kinds of arguments are looked at."""


class OfEither(np.ndarray):
    """An array that may be a tensor's."""


FACES = ("srcgrad.nn", "srcgrad.mindspore")  # packages of functions and modules of tensors
MARKS = {OfTensor: Kind.TENSOR, OfEither: Kind.EITHER}


def type_of_value(value: Any) -> Any:
    """The IR type of an argument: `Scalar`, or `Array` with no dims filled in; None if none."""
    if type(value) in OF_PYTHON:  # the leaves of a long list, at each call
        return OF_PYTHON[type(value)]
    if isinstance(value, np.ndarray):
        # a matrix or masked array means other things by the same operators
        known = type(value) in (np.ndarray, np.memmap, *MARKS) and value.dtype.isnative
        dtype = short_dtype(value.dtype) if known else None
        if dtype is None:
            return None
        return Array(dtype, (), "C" if value.flags.c_contiguous else "S")
    if issubclass(type(value), NUMBERS) and not redefined(type(value)):
        try:
            return constant_type(value)
        except TypeError:
            return None
    return None


def kind_of(it: Interpreter, v: Any) -> Kind:
    """The kind of an array: ARRAY while no tensor has been met; meeting one later restarts."""
    return Kind.ARRAY if of_arrays(it) else _traced(it, v)


def of_arrays(it: Interpreter) -> bool:
    """Whether no tensor has been met; meeting one later restarts."""
    captures = it.captures
    if captures.required.tensors or any(k is not Kind.ARRAY for k in captures.kinds.values()):
        return False
    captures.no_tensor_met = True
    return True


def _traced(it: Interpreter, v: Any) -> Kind:
    kinds: dict[Any, Kind] = it.captures.kinds
    if v not in kinds:
        d = it.b.definition.get(v)
        if d is None:
            return Kind.EITHER
        found = {_traced(it, a) for a in d.args if _counts(a)} or {Kind.ARRAY}
        order = (Kind.TENSOR, Kind.EITHER, Kind.ARRAY)
        kinds[v] = next(k for k in order if k in found)
    return kinds[v]


def note_made(it: Interpreter, f: Any, args: list[Any], made: Any) -> None:
    """Notes the kind of a user's call: functions of tensors make tensors, and NumPy's functions
    other than ufuncs may make arrays of tensors."""
    if follows_library(it):
        return
    kinds = it.captures.kinds
    for v in made if isinstance(made, list | tuple) else (made,):
        if not is_array(v):
            continue
        kind, module = kind_of(it, v), home_module(f)
        if is_tensor_function(f) and kind is not Kind.TENSOR:
            given = any(v is a for a in args)
            it.captures.meet_tensor(v, Kind.EITHER if given else Kind.TENSOR)
        elif module.startswith(FACES) and kind is Kind.ARRAY:
            it.captures.meet_tensor(v, Kind.EITHER)
        elif module == "numpy" and not isinstance(f, np.ufunc) and kind is Kind.TENSOR:
            kinds[v] = Kind.EITHER


def note_method(it: Interpreter, owner: Any, made: Any) -> None:
    """Notes that methods of tensors make tensors, stores to memory of their own included."""
    kinds = it.captures.kinds
    for v in made if isinstance(made, list | tuple) else (made,):
        if is_array(v) and v is not owner and kind_of(it, v) is Kind.ARRAY:
            kinds[v] = kind_of(it, owner)


def described(it: Interpreter, v: Any) -> str:
    tensor = is_array(v) and kind_of(it, v) is Kind.TENSOR
    return describe(v).replace("an array", "a tensor") if tensor else describe(v)


def method_of(it: Interpreter, owner: Any, name: str, node: Node) -> Callable | None:
    """The handler of a method; None if its owner has no such method."""
    owned = kind_of_owner(owner)
    handler = METHODS.get((owned, name))
    if owned != "array" or (handler is not None and _follows_formula(it)):
        return handler
    of_tensor = TENSOR_METHODS.get(name) or _composed(name, handler)
    of_tensor = handler if of_tensor is None and name in SHARED else of_tensor
    kind = kind_of(it, owner) if is_array(owner) else Kind.EITHER
    if kind is Kind.TENSOR or (of_tensor is not None and follows_library(it)):
        return of_tensor
    if kind is Kind.ARRAY:
        return handler
    if handler is not None and TENSOR_METHODS and name not in SHARED and is_array(owner):
        it.refuse(
            node,
            f"{name}() of what may be a tensor or an array: it means two things",
            f"say which: np.{name}(x), or the tensor's own by other names",
        )
    return handler or of_tensor


def is_weak(v: Any) -> bool:
    """Whether a value is a number of Python's, which other dtypes take precedence over."""
    kind = atom(v).type
    return isinstance(kind, Scalar) and kind.weak


def promoted(it: Interpreter, node: Node, values: list[Any], floating: bool) -> list[Any]:
    """The operands of a user's operation in the dtype that tensors promote to, if one is a tensor.

    `floating`: integers are computed in the default dtype.
    """
    given = {v: v.type.dtype for v in values if isinstance(v, Var) and not is_weak(v)}
    alike = len({atom(v).type.dtype for v in values}) == 1
    if not given or (alike and not (floating and "f" not in next(iter(given.values())))):
        return values
    if follows_library(it) or all(kind_of(it, v) is not Kind.TENSOR for v in given):
        return values
    return TENSOR_PROMOTION[0](it, node, values, floating)


def class_of(it: Interpreter, v: Any, node: Node) -> type:
    """The result of `type` for an array, or for the tensor that it represents."""
    kind = kind_of(it, v)
    if kind is Kind.TENSOR:
        return TENSOR_CLASS[0]
    if kind is Kind.EITHER and not follows_library(it):
        it.refuse(node, "the class of what may be a tensor or an array")
    return np.ndarray


def follows_library(it: Interpreter) -> bool:
    """Whether the followed function is one of srcgrad's: arrays represent tensors there."""
    return home_module(it.frame.source.function).startswith("srcgrad.")


def _follows_formula(it: Interpreter) -> bool:
    """Whether the followed function is a formula for a library's, in terms of arrays."""
    return home_module(it.frame.source.function).startswith("srcgrad.frontend.formulas.")


def _composed(name: str, of_array: Callable | None) -> Callable | None:
    """A method of tensors that is written with others: its source is followed.

    With arguments that only methods of arrays take it is one of these.
    """
    cls = TENSOR_CLASS[0] if TENSOR_CLASS else None
    f: Any = inspect.getattr_static(cls, name, None)
    if not isinstance(f, types.FunctionType) or name.endswith("_"):
        return None

    def handler(it: Interpreter, node: Node, /, *args: Any, **kwargs: Any) -> Any:
        if of_array is not None and not _takes(f, args, kwargs):
            return it.handled(of_array, list(args), kwargs, node)
        return it.call(f, list(args), kwargs, node)

    return handler


def _takes(f: Any, args: Any, kwargs: Any) -> bool:
    """Whether a method's signature fits: it may name `Tensor` where a list or number is given."""
    try:
        bound = inspect.signature(f).bind(*args, **kwargs)
    except TypeError:
        return False
    tensors = {p.name for p in bound.signature.parameters.values() if p.annotation == "Tensor"}
    given = [v for name, v in bound.arguments.items() if name in tensors]
    return not any(isinstance(v, list | tuple | GrownList | int | float) for v in given)


def _counts(a: Any) -> bool:
    """Whether an operand determines the kind of a result: lengths and positions do not."""
    if isinstance(a, Const) or not isinstance(a, Var):
        return False
    return isinstance(a.type, Array) or (isinstance(a.type, Scalar) and is_float(a.type.dtype))
