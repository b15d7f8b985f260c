"""The names of an object's attributes, and its members: `dir` and `inspect.getmembers`."""

from __future__ import annotations

import inspect
from typing import Any

from srcgrad.frontend.attribute_methods import own_method
from srcgrad.frontend.guards import Path, Step
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.kinds import class_of
from srcgrad.frontend.special_methods import python_type
from srcgrad.frontend.values import Abstract, MaybeUnbound, Record, Unbound, describe, is_array
from srcgrad.ir.nodes import Var

OF_CLASSES = vars(type("plain", (), {}))  # what Python adds
NAMES = Step(("dir",), lambda v: " ".join(dir(v)))


@implements(inspect.getmembers)
def getmembers(it: Interpreter, node: Node, object: Any, predicate: Any = None) -> Any:
    if isinstance(object, Var):
        it.refuse(node, f"the members of {describe(object)} are not known", "name its attributes")
    members = [(n, _member(it, node, object, n)) for n in names_of(it, node, object)]
    if predicate is not None:
        members = [m for m in members if _holds(it, node, predicate, m[1])]
    return it.tracked_list(members, node)


@implements(dir)
def names_of(it: Interpreter, node: Node, x: Any) -> Any:
    if isinstance(x, Var):
        names = dir(class_of(it, x, node) if is_array(x) else python_type(x))
    elif isinstance(x, Record) and own_method(x.cls, "__dir__") is None:
        names = {n for n, v in x.fields.items() if n.isidentifier() and not isinstance(v, Unbound)}
        unsure = next((n for n in sorted(names) if isinstance(x.fields[n], MaybeUnbound)), None)
        if unsure is not None:
            reason = f"whether the {x.cls.__name__} has '{unsure}' is known only at run time"
            it.refuse(node, reason, "set it before the loop or branch")
        names = sorted(names.union(dir(x.cls)))
    elif isinstance(x, Abstract):
        it.refuse(node, f"dir() of {describe(x)} is not supported", "name its attributes")
    else:
        it.captures.watch(Path("dir", x, (NAMES,)), "dir")
        names = dir(x)
    return it.tracked_list(names, node)


def _member(it: Interpreter, node: Node, x: Any, name: str) -> Any:
    given = isinstance(x, Record) and name in x.fields
    if hasattr(object, name) or (name in OF_CLASSES and not given):
        return getattr(x.cls if isinstance(x, Record) else x, name)
    return it.attribute(x, name, node)


def _holds(it: Interpreter, node: Node, predicate: Any, value: Any) -> bool:
    found = it.truth(it.call(predicate, [value], {}, node), node)
    if isinstance(found, Var):
        it.refuse(node, "which members there are is known only at run time", "name them")
    return bool(found)
