"""copy.copy and copy.deepcopy of arrays, containers and instances that compiled code holds."""

from __future__ import annotations

import copy
import types
from typing import Any

import numpy as np

from srcgrad.frontend.array_instances import base_method, is_instance
from srcgrad.frontend.calls import call_method
from srcgrad.frontend.dict_instances import LINKED
from srcgrad.frontend.dict_values import refuse_whole
from srcgrad.frontend.formulas.dict_classes import ITEMS
from srcgrad.frontend.formulas.registry import INSTANCES
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.narrowing import by_kind
from srcgrad.frontend.special_methods import asked
from srcgrad.frontend.values import Closure, GrownList, Record, describe, is_array, is_scalar

# methods by which the functions of `copy` leave a class to itself, or which they would call
_OF_CLASSES = (
    "__new__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__",
)  # fmt: skip


# what the functions of `copy` return as it is, beside numbers
ATOMS = (
    str, type(None), type, np.ufunc, types.FunctionType, types.BuiltinFunctionType,
    types.ModuleType, Closure,
)  # fmt: skip


class Made:
    """The copies that a deep copy has made, by the identity of what was copied."""

    def __init__(self) -> None:
        self.of: dict[int, tuple[Any, Any]] = {}


@implements(copy.copy)
def copied(it: Interpreter, node: Node, x: Any) -> Any:
    return _copied(it, x, node, None)


@implements(copy.deepcopy)
def copied_deeply(it: Interpreter, node: Node, x: Any, memo: Any = None) -> Any:
    if memo is not None:
        it.refuse(node, "deepcopy with a memo is not supported", "leave it out")
    return _copied(it, x, node, Made())


@by_kind
def _copied(it: Interpreter, x: Any, node: Node, made: Made | None) -> Any:
    """A copy; of the parts too where `made` says which were copied already."""
    if made is not None and id(x) in made.of:
        return made.of[id(x)][1]
    if is_array(x) or isinstance(x, np.ndarray):
        out = it.call_numpy(np.copy, [x], {}, node)
    elif is_instance(x):
        own = asked(it, x, "__copy__" if made is None else "__deepcopy__", [], node)
        if own is not NotImplemented:
            it.refuse(node, f"a copy of {describe(x)} by its own method", "call it")
        out = base_method(it, x, "copy", [], {}, node)
    elif isinstance(x, Record):
        out = _of_instance(it, x, node, made)
    elif isinstance(x, list | dict | GrownList):
        refuse_whole(it, x, node)
        out = call_method(it, x, "copy", [], {}, node)
        _deepen(it, out, node, made)
    elif isinstance(x, tuple):
        parts = x if made is None else [_copied(it, v, node, made) for v in x]
        out = type(x)(*parts) if hasattr(x, "_fields") else tuple(parts)
    elif isinstance(x, set):
        return call_method(it, x, "copy", [], {}, node)
    elif is_scalar(x) or isinstance(x, ATOMS):
        return x
    else:
        it.refuse(node, f"a copy of {describe(x)} is not supported", "copy its parts")
    if made is not None:
        made.of[id(x)] = x, out
    return out


def _deepen(it: Interpreter, out: Any, node: Node, made: Made | None) -> None:
    """Copies the items of a new container where it is a deep copy."""
    if made is None or not isinstance(out, list | dict):  # the items of one that grows are copies
        return
    places = range(len(out)) if isinstance(out, list) else list(out)
    for k in places:
        before, it.parts = it.parts, (*it.parts, str(k))
        out[k] = _copied(it, out[k], node, made)
        it.parts = before


def _of_instance(it: Interpreter, x: Record, node: Node, made: Made | None) -> Any:
    name, args = ("__copy__", []) if made is None else ("__deepcopy__", [{}])
    out = asked(it, x, name, args, node)
    if out is not NotImplemented:
        return out
    own = [c for c in x.cls.__mro__ if c not in (object, dict, types.SimpleNamespace)]
    of_its_own = x.cls in INSTANCES or LINKED in x.fields
    if of_its_own or any(n in vars(c) for c in own for n in _OF_CLASSES):
        it.refuse(node, f"a copy of {describe(x)} is not supported", "copy its parts")
    out = Record(x.cls, dict(x.fields), x.lacks)
    if ITEMS in x.fields:
        out.fields[ITEMS] = call_method(it, x.fields[ITEMS], "copy", [], {}, node)
    if made is not None:
        made.of[id(x)] = x, out  # it may be reached from its attributes
    _deepen(it, out.fields, node, made)
    return out
