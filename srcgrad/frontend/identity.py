"""Whether two objects are one: `is`, and `==` of instances whose class does not define it."""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.formulas.groups import Group
from srcgrad.frontend.heap import keep_apart
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import Record


def identical(it: Interpreter, a: Any, c: Any, node: Node) -> bool:
    """Whether two objects are the same one."""
    views = all(isinstance(v, Record) and v.cls is Group for v in (a, c))
    frozen = any(id(v) in it.frozen for v in (a, c))
    instances = it.captures.instances
    alike = type(a) is type(c) or id(a) in instances or id(c) in instances
    if a is not c and alike and (views or frozen or _may_be_one(it, a, c)):
        for v in (a, c):
            keep_apart(it, v)
        it.refuse(
            node, "whether two objects are one is only known at run time", "compare their values"
        )
    if all(id(v) in it.captures.outer or id(v) in instances for v in (a, c)):
        it.captures.identified = True
    return a is c


def _may_be_one(it: Interpreter, a: Any, c: Any) -> bool:
    """Whether a caller may pass one container for both, or one that is captured."""
    given, outer = it.captures.arguments, {*it.captures.outer, *it.captures.instances}
    if isinstance(a, tuple):  # of constants Python may make one
        return id(a) in given or id(c) in given
    return all(id(v) in given or id(v) in outer for v in (a, c)) and not (
        id(a) in outer and id(c) in outer
    )
