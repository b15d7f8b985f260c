"""isinstance() and issubclass(), and the classes whose metaclass answers them."""

from __future__ import annotations

import functools
import inspect
import types
import typing
from typing import Any, Union, get_args, get_origin

import numpy as np

from srcgrad.frontend.attribute_methods import own_method
from srcgrad.frontend.dict_values import TrackedDict, TrackedSet
from srcgrad.frontend.formulas.clocks import OUTSIDE, Reading
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.kinds import class_of, follows_library
from srcgrad.frontend.masked_constant import Masked
from srcgrad.frontend.number_classes import refuse_derived, refuse_mixed
from srcgrad.frontend.rank_zero import is_shell
from srcgrad.frontend.special_methods import python_type
from srcgrad.frontend.structured import class_shown
from srcgrad.frontend.values import (
    NUMBERS,
    Abstract,
    Closure,
    Formatted,
    GrownList,
    Iterated,
    Partial,
    Range,
    Record,
    Slice,
    TrackedList,
    describe,
    is_array,
)
from srcgrad.frontend.watches import watch_class, watch_derived
from srcgrad.ir.nodes import Var
from srcgrad.protocols import home_module, poses

LITERALS = (str, bytes, tuple, list, dict, set, frozenset, type(None), *NUMBERS)


def class_of_record(it: Interpreter, x: Record, node: Node) -> type:
    """The class that an instance shows; a reading of a clock shows none."""
    if issubclass(x.cls, Reading):
        it.refuse(node, f"the class of {describe(x)} is not known", OUTSIDE)
    return class_shown(x)


@implements(isinstance)
def isinstance_(it: Interpreter, node: Node, x: Any, classes: Any) -> Any:
    many = _classes(it, node, classes)
    if any(_own_check(c) or _is_protocol(c) for c in many):
        return _by_own_checks(it, node, x, many)
    if isinstance(x, Formatted):
        kinds: tuple = (str,)
    elif isinstance(x, Closure | Partial):
        kinds = (types.FunctionType,) if isinstance(x, Closure) else (functools.partial,)
    elif isinstance(x, GrownList | TrackedList):
        kinds = (list,)
    elif isinstance(x, TrackedDict | TrackedSet | Masked):
        kinds = (x.cls,)
    elif isinstance(x, Slice):
        kinds = (slice,)
    elif isinstance(x, Record):
        shown = x.cls if any(issubclass(c, Reading) for c in many) else class_of_record(it, x, node)
        kinds = (shown, x.cls)
    elif isinstance(x, Var):
        asked = any(hasattr(c, "srcgrad_value") for c in many)
        if asked and (follows_library(it) or not is_array(x)):
            return _is_tensor(it, node, x)
        refuse_mixed(it, x, node, "isinstance() asks for the class of")
        refuse_derived(it, x, many, node)
        kinds = (class_of(it, x, node),) if is_array(x) else (python_type(x),)
        if is_shell(it, x):
            _refuse_rank_zero(it, kinds[0], many, node)
    elif isinstance(x, Range):
        kinds = (range,)
    elif isinstance(x, Iterated):
        if all(c in LITERALS or c is np.ndarray for c in many):
            return False
        it.refuse(node, "isinstance() of an iterator is not supported")
    elif poses(x):
        it.refuse(node, f"isinstance() of {describe(x)}, which is of another class than it says")
    else:
        kinds = (type(x),)
    if not isinstance(x, Abstract):
        watch_class(it.captures, x)
    return any(_has_instances_of(it, node, c, k) for k in kinds for c in many)


def _refuse_rank_zero(it: Interpreter, number: type, many: list[type], node: Node) -> None:
    """Refuses a class that tells an array of rank 0 from the number in it."""
    of_number, of_array = (
        any(_has_instances_of(it, node, c, kind) for c in many) for kind in (number, np.ndarray)
    )
    if of_number != of_array:
        said = "whether a value is an array of rank 0 or a number is not known"
        it.refuse(node, said, "test np.ndim(...) == 0")


def _has_instances_of(it: Interpreter, node: Node, base: type, cls: type) -> bool:
    """Whether instances of a class are ones of another, which only ABCs leave to issubclass()."""
    if type(base).__instancecheck__ is type.__instancecheck__:
        return base in cls.__mro__
    return _derives(it, node, cls, base)


def _own_check(cls: type) -> types.FunctionType | None:
    """The `__instancecheck__` of a metaclass of the user's, which answers isinstance()."""
    found = own_method(type(cls), "__instancecheck__")
    home = "abc" if found is None else home_module(found).split(".")[0]
    return None if home in ("abc", "typing", "typing_extensions") else found


def _is_protocol(cls: type) -> bool:
    """Whether a class is a typing.Protocol, of which any class is that has its attributes."""
    return bool(vars(cls).get("_is_protocol", False))


def _by_own_checks(it: Interpreter, node: Node, x: Any, classes: list[type]) -> bool:
    """isinstance() where one of the classes has an answer of its own."""
    for c in classes:
        kind = it.call(type, [x], {}, node)
        check = _own_check(c)
        if kind is c:
            return True
        if _is_protocol(c):
            answer = c in kind.__mro__ or _has_members(it, node, x, kind, c)
        elif check is None:
            answer = isinstance_(it, node, x, c)
        else:
            answer = it.truth(it.call(check, [c, x], {}, node), node)
        if not isinstance(answer, bool):
            it.refuse(node, f"what {c.__name__} answers isinstance() is known only at run time")
        if answer:
            return True
    return False


def _has_members(it: Interpreter, node: Node, x: Any, kind: type, protocol: Any) -> Any:
    """Whether a value has the attributes of a protocol, and no None for one of its methods."""
    if not getattr(protocol, "_is_runtime_protocol", False):
        said = f"{protocol.__name__} is a protocol without @runtime_checkable"
        it.refuse(node, f"isinstance() of a protocol: {said}", like=TypeError)
    # private: the public typing.get_protocol_members is of Python 3.13
    for name in typing._get_protocol_attrs(protocol):  # type: ignore[attr-defined]
        found = it.call(hasattr, [x, name], {}, node)
        if found is not True:
            return found
        held = x.fields if isinstance(x, Record) else {}
        value = held[name] if name in held else inspect.getattr_static(kind, name, 0)
        if value is None and callable(getattr(protocol, name, None)):
            return False
    return True


def _derives(it: Interpreter, node: Node, cls: type, base: type) -> bool:
    try:
        derives = issubclass(cls, base)
    except TypeError as e:  # of a protocol
        it.refuse(node, str(e), like=TypeError)
    watch_derived(it.captures, cls, base)
    return derives


def _is_tensor(it: Interpreter, node: Node, x: Var) -> bool:
    """Whether a value represents a tensor: in srcgrad's functions arrays and NumPy's scalars do."""
    if not follows_library(it):
        it.refuse(node, "compiled code does not distinguish numbers from tensors without dims")
    return is_array(x) or not x.type.weak


def _classes(it: Interpreter, node: Node, classes: Any) -> list[type]:
    if isinstance(classes, tuple):
        return [c for part in classes for c in _classes(it, node, part)]
    origin, parts = get_origin(classes), get_args(classes)
    if isinstance(classes, types.UnionType) or origin is Union:
        return [c for part in parts for c in _classes(it, node, part)]
    if origin is not None and not parts:  # typing.Callable, typing.Sequence
        return [origin]
    if not isinstance(classes, type):
        it.refuse(node, f"isinstance() takes classes, not {describe(classes)}", like=TypeError)
    return [classes]


@implements(issubclass)
def issubclass_(it: Interpreter, node: Node, cls: Any, classes: Any) -> Any:
    (cls,) = _classes(it, node, cls)
    return any(_derives(it, node, cls, c) for c in _classes(it, node, classes))
