"""Narrows names to one kind: where a test of `is None` decides it, and statement by statement.

A statement that reads names of several kinds is interpreted once for each of them, in the branches
of an `If` on the flag that tells them apart. Hence no operation ever sees such a value.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast

from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import MaybeNone, Several
from srcgrad.ir.nodes import Atom, Var, atom
from srcgrad.primitives import elementwise as e

TOGETHER = 3  # names of several kinds that one statement reads: of more it is refused


# ---- branches ----
def narrowed(it: Interpreter, test: Var, holds: bool) -> dict[str, tuple[Any, Any]]:
    """Binds the names that a test decides if it `holds`; returns their old and new values."""
    flag, given = _flag_of(it, test, holds)
    out: dict[str, tuple[Any, Any]] = {}
    for name, v in it.env.items():
        if isinstance(v, MaybeNone) and v.flag is flag:
            out[name] = v, v.value if given else None
        elif isinstance(v, Several) and v.flag is flag:
            out[name] = v, v.one if given else v.other
    it.env.update({name: now for name, (_, now) in out.items()})
    return out


def widened_back(states: list[Any], bound: list[dict[str, tuple[Any, Any]]]) -> None:
    """Restores the values of names that no branch bound anew."""
    for name in bound[0] if bound else ():
        pairs = list(zip(states, bound, strict=True))
        if all(s is None or s.env.get(name) is b[name][1] for s, b in pairs):
            for s, b in pairs:
                if s is not None:
                    s.env[name] = b[name][0]


def _flag_of(it: Interpreter, test: Atom, holds: bool) -> tuple[Atom, bool]:
    d = it.definition(test)
    if d is not None and d.op is e.logical_not:
        return _flag_of(it, atom(d.args[0]), not holds)
    return test, holds


# ---- statements ----
def of_several_kinds(it: Interpreter, node: Node) -> Several | None:
    """The first of the values of several kinds that a statement reads by their names."""
    found = [v for n in _names_read(node) if isinstance(v := it.env.get(n), Several)]
    return found[0] if 0 < len(found) <= TOGETHER else None


def execute_each(it: Interpreter, node: Node, value: Several) -> None:
    """Executes a statement for either kind of a value that it reads."""
    run = lambda: it.execute(node)
    it.branch(value.flag, run, run, node, live_rest=True)


def _names_read(node: Node) -> tuple[str, ...]:
    """The names that a statement reads itself: not those that only statements inside it read."""
    known = vars(node).get("_names_read")
    if known is None:
        names = (n.id for part in _own_parts(node) for n in _expressions(part))
        known = vars(node)["_names_read"] = tuple(dict.fromkeys(names))
    return known


def _own_parts(node: Any) -> list[Any]:
    match node:
        case gast.If() | gast.While():
            return [node.test]
        case gast.For():
            return [node.iter]
        case gast.With():
            return [item.context_expr for item in node.items]
        case gast.Match():
            return [node.subject]
        case gast.Try() | gast.FunctionDef():
            return []
        case gast.AugAssign(target=gast.Name() as target):
            return [node.value, gast.Name(target.id, gast.Load(), None, None)]
    return [node]


def _expressions(part: Any) -> Iterator[Any]:
    """The names that are read, but for those that functions made here read later."""
    todo = [part]
    while todo:
        n = todo.pop(0)
        if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Load):
            yield n
        if not isinstance(n, gast.Lambda):
            todo += gast.iter_child_nodes(n)
