"""Finds how a function calls itself, and makes it a loop over its activations."""

from __future__ import annotations

import builtins
import functools
import inspect
from dataclasses import replace
from typing import Any

import gast

from srcgrad.errors import UnsupportedError
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.recursive.blocks import as_loop
from srcgrad.frontend.recursive.calls_apart import Callee, NotApart, most_calls
from srcgrad.frontend.source import Source
from srcgrad.frontend.trees import parameters_of
from srcgrad.frontend.values import Closure, Record
from srcgrad.protocols import of_numba
from srcgrad.tracebacks import within

REPLACED = ("range", "enumerate", "zip", "sum", "any", "all")  # functions that loops stand for


def over_activations(
    it: Interpreter, found: Source, env: dict[str, Any], outer: Any, node: Node
) -> Source:
    """A recursive function as a loop; the program is refused if it cannot be one."""
    it.activations[found.file, found.tree.lineno, found.tree.col_offset] = None
    callee = _callee(it, found, env, outer, node)
    try:
        tree = None if callee is None else as_loop(found.tree, callee)
    except NotApart as e:
        place = found.location(e.node)
        raise UnsupportedError(
            f"there is {e}", place, "give the call a statement of its own"
        ) from e
    if tree is None or it.inside[tree]:
        raise UnsupportedError(
            f"{found.title}() calls itself through another function, or in two ways",
            found.location(found.tree), "one function that calls itself by its name",
        )  # fmt: skip
    return replace(found, tree=tree)


def _callee(
    it: Interpreter, found: Source, env: dict[str, Any], outer: Any, node: Node
) -> Callee | None:
    """How a function calls itself; None if that is not found, or is not one way alone."""
    own = frozenset(n for n in REPLACED if _is_builtin(found, outer, n))
    ways = set()
    for n in gast.walk(found.tree):
        match getattr(n, "func", None):
            case gast.Name(id=text) if text not in env:
                if _is_itself(it, found, outer, text, node):
                    ways.add(Callee(text, None, own))
            case gast.Attribute(value=gast.Name(id=owner), attr=text):
                if _is_own_method(found, env, owner, text):
                    ways.add(Callee(text, owner, own))
    return ways.pop() if len(ways) == 1 else None


def _is_itself(it: Interpreter, found: Source, outer: Any, text: str, node: Node) -> bool:
    frame = outer
    while frame is not None:
        if text in frame.env:
            value = frame.env[text]
            return isinstance(value, Closure) and value.node is found.tree
        frame = frame.outer
    if outer is not None or not _reads(found.function, text):
        return False
    _, value = it.captures.lookup(it, found.function, text, node)
    if isinstance(value, functools._lru_cache_wrapper) and most_calls(found.tree) == 1:
        value = value.__wrapped__  # what is computed once is computed once here too
    value = of_numba(value) or within(value)
    return value is found.function


def _reads(function: Any, text: str) -> bool:
    """Whether a name is one of the module's or of the function around."""
    return text in function.__globals__ or text in function.__code__.co_freevars


def _is_own_method(found: Source, env: dict[str, Any], owner: str, text: str) -> bool:
    first = next(iter(parameters_of(found.tree)), None)
    if owner != first or owner not in env:
        return False
    value = env[owner]
    cls = value.cls if isinstance(value, Record) else type(value)
    return inspect.getattr_static(cls, text, None) is found.function


def _is_builtin(found: Source, outer: Any, text: str) -> bool:
    """Whether a name of Python's own functions has its meaning in a function."""
    frame = outer
    while frame is not None:
        if text in frame.local or text in frame.env:
            return False
        frame = frame.outer
    if text in parameters_of(found.tree) or text in found.function.__code__.co_varnames:
        return False
    return not _reads(found.function, text) and hasattr(builtins, text)
