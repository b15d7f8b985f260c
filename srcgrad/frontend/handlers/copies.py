"""copy.copy and copy.deepcopy of arrays, containers and instances that compiled code holds."""

from __future__ import annotations

import copy
import types
from typing import Any

import numpy as np

from srcgrad.frontend.array_instances import base_method
from srcgrad.frontend.calls import call_method
from srcgrad.frontend.derived import made_by_statement
from srcgrad.frontend.derived_instances import is_instance
from srcgrad.frontend.dict_instances import LINKED, OWN_NAMES, own_names
from srcgrad.frontend.dict_values import TrackedDict, refuse_whole
from srcgrad.frontend.formulas.copies import Memo
from srcgrad.frontend.formulas.dict_classes import ITEMS
from srcgrad.frontend.formulas.list_classes import HELD
from srcgrad.frontend.formulas.registry import INSTANCES
from srcgrad.frontend.guards import Path, Step
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.narrowing import by_kind
from srcgrad.frontend.outside import refuse_read_outside
from srcgrad.frontend.special_methods import asked, class_of_instance
from srcgrad.frontend.values import (
    Abstract,
    Closure,
    GrownList,
    Record,
    describe,
    is_array,
    is_scalar,
)
from srcgrad.tree import children

# methods by which the functions of `copy` leave a class to itself, or which they would call
_OF_CLASSES = (
    "__new__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__",
)  # fmt: skip
_OF_LISTS = ("__iter__", "append", "extend")  # those that take and give the items


# what the functions of `copy` return as it is, beside numbers
ATOMS = (
    str, type(None), type, np.ufunc, types.FunctionType, types.BuiltinFunctionType,
    types.ModuleType, Closure,
)  # fmt: skip


class Identity:
    """The identity of an object that compiled code holds, which is a key and nothing else."""

    def __init__(self, of: Any) -> None:
        self.of = of

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and self.of is other.of

    def __hash__(self) -> int:
        return id(self.of)


Made = dict[Any, Any]  # the copies that a deep copy has made, by the identity of what was copied


@implements(id)
def identity(it: Interpreter, node: Node, x: Any) -> Any:
    """The key of an object in the memo of a deep copy."""
    known = isinstance(x, Record | list | dict) and id(x) not in it.captures.arguments
    if not known or id(x) in it.frozen or id(x) in it.listed:
        it.refuse(node, f"id() of {describe(x)} is not supported", "compare objects: a is b")
    return Identity(x)


@implements(copy.copy)
def copied(it: Interpreter, node: Node, x: Any) -> Any:
    return _copied(it, x, node, None)


@implements(copy.deepcopy)
def copied_deeply(it: Interpreter, node: Node, x: Any, memo: Any = None) -> Any:
    if isinstance(memo, Record) and memo.cls is Memo:
        return _copied(it, x, node, memo.fields["copies"])
    if memo is not None:
        it.refuse(node, "deepcopy with a memo of one's own is not supported", "leave it out")
    return _copied(it, x, node, TrackedDict())


@by_kind
def _copied(it: Interpreter, x: Any, node: Node, made: Made | None) -> Any:
    """A copy; of the parts too where `made` says which were copied already."""
    if made is not None and Identity(x) in made:
        return made[Identity(x)]
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
    elif _is_plain_instance(x):
        out = _of_instance(it, x, node, made)
    else:
        it.refuse(node, f"a copy of {describe(x)} is not supported", "copy its parts")
    if made is not None:
        made[Identity(x)] = out
    return out


def _is_plain_instance(x: Any) -> bool:
    """Whether a captured object is an instance of a class in Python, by its attributes alone."""
    if isinstance(x, (Abstract, type, *ATOMS)) or not made_by_statement(type(x)):
        return False
    slots = any("__slots__" in vars(c) for c in type(x).__mro__)
    return type(x).__mro__[-2].__bases__ == (object,) and hasattr(x, "__dict__") and not slots


def _deepen(it: Interpreter, out: Any, node: Node, made: Made | None) -> None:
    """Copies the items of a new container where it is a deep copy."""
    if made is None or not isinstance(out, list | dict):  # the items of one that grows are copies
        return
    places = range(len(out)) if isinstance(out, list) else list(out)
    for k in places:
        before, it.parts = it.parts, (*it.parts, str(k))
        try:
            out[k] = _copied(it, out[k], node, made)
        finally:
            it.parts = before


def _of_instance(it: Interpreter, x: Any, node: Node, made: Made | None) -> Any:
    memo = Record(Memo, {"copies": made})
    name, args = ("__copy__", []) if made is None else ("__deepcopy__", [memo])
    out = asked(it, x, name, args, node)
    if out is not NotImplemented:
        return out
    cls = class_of_instance(x)
    own = [c for c in cls.__mro__ if c not in (object, dict, list, types.SimpleNamespace)]
    of_classes = (*_OF_CLASSES, *_OF_LISTS) if issubclass(cls, list) else _OF_CLASSES
    of_its_own = isinstance(x, Record) and (cls in INSTANCES or LINKED in x.fields)
    if of_its_own or any(n in vars(c) for c in own for n in of_classes):
        it.refuse(node, f"a copy of {describe(x)} is not supported", "copy its parts")
    out = (
        Record(x.cls, dict(x.fields), x.lacks)
        if isinstance(x, Record)
        else _read(it, x, node, made)
    )
    for name in (ITEMS, HELD):
        if name in out.fields:
            out.fields[name] = call_method(it, out.fields[name], "copy", [], {}, node)
    if made is not None:
        made[Identity(x)] = out  # it may be reached from its attributes
    _deepen(it, out.fields, node, made)
    return out


def _read(it: Interpreter, x: Any, node: Node, made: Made | None) -> Record:
    """A captured instance by its attributes."""
    refuse_read_outside(it, x, "__dict__", None, node)
    it.captures.inlined.append(x)  # keeps it alive, and so its id
    it.captures.watch(Path("copied", x, (OWN_NAMES,)), "copied")
    if made is not None and Identity(x) not in made.setdefault(WITHIN, set()):
        it.captures.watch(Path("copied", x, (SHARED,)), "copied")
        objects, arrays = held_by(x)
        if len({*map(id, arrays)}) < len(arrays) or (arrays and made.get(ARRAYS)):
            it.refuse(
                node, f"a deep copy of {describe(x)}, which may hold an array in two places, where "
                "the copy would hold one", "copy its parts",
            )  # fmt: skip
        made[WITHIN] |= {*map(Identity, objects)}
        made[ARRAYS] = arrays
    return Record(type(x), {n: it.attribute(x, n, node) for n in own_names(x)})


def held_by(x: Any) -> tuple[list[Any], list[Any]]:
    """The objects that a captured instance leads to, and its arrays, as often as it holds them."""
    objects: dict[int, Any] = {}
    arrays, todo = [], [x]
    while todo:
        v = todo.pop()
        if isinstance(v, np.ndarray):
            arrays.append(v)
        elif id(v) not in objects:
            objects[id(v)] = v
            todo += children(v) or (vars(v).values() if _is_plain_instance(v) else ())
    return list(objects.values()), arrays


def _shared(x: Any) -> str:
    """Which of the arrays that an instance leads to are one, and which are there at all."""
    ids = [id(v) for v in held_by(x)[1]]
    return repr((len(ids) > 0, [ids.index(k) for k in ids]))


WITHIN, ARRAYS = "objects that were read", "arrays that were read"
SHARED = Step(("arrays that are one",), _shared)
