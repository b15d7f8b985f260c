"""Instances of registered classes in compiled code, which follows `flatten` and `unflatten`.

An instance that comes in is the result of `unflatten` of its parts; one that goes out is taken
apart by `flatten`. One that belongs to the caller may not be changed:
`flatten` may leave attributes out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from srcgrad.frontend.dict_values import refuse_whole
from srcgrad.frontend.frame import Frame
from srcgrad.frontend.heap import reachable
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.kinds import type_of_value
from srcgrad.frontend.liveness import liveness
from srcgrad.frontend.source import Source
from srcgrad.frontend.structured import fields_of, inside, is_structured
from srcgrad.frontend.values import Abstract, Record, describe, is_value
from srcgrad.ir.nodes import Var
from srcgrad.tree import (
    Opened,
    Registered,
    children,
    is_hashable,
    leaves,
    mapped,
    nodes,
    rebuilt,
    registered_as,
    verified,
)
from srcgrad.tree.registered import LEAVES


@contextmanager
def standing(it: Interpreter, found: Source) -> Iterator[None]:
    """Interprets at the head of a function, outside of its body, within the `with` block."""
    it.frames.append(Frame(found, {}, liveness(found.tree)))
    it.b.loc = found.location(found.tree)
    try:
        yield
    finally:
        it.frames.pop()
        it.b.loc = None


def refuse_leaves(r: Registered, parts: Any, is_taken: Any) -> None:
    """Refuses a child with a leaf that is not a number, an array or None."""
    for k, part in enumerate(parts):
        for leaf in leaves(part):
            if leaf is not None and not is_taken(leaf):
                reason = f"child {k} of {r.name} is {describe(leaf)}"
                raise r.error(reason if leaf is part else f"{reason} in it", r.flatten, LEAVES)


def is_taken_outside(leaf: Any) -> bool:
    """Whether a leaf of the caller's may be an input."""
    return type_of_value(leaf) is not None or hasattr(type(leaf), "srcgrad_value")


def given(value: Any) -> Opened:
    """The parts of an instance of the caller's, tried and checked."""
    r = registered_as(type(value))
    assert r is not None, value
    refuse_leaves(r, children(value), is_taken_outside)
    return verified(r, value)


def made(it: Interpreter, opened: Opened, node: Node, changeable: bool = False) -> Any:
    """The stand-in of an instance: the result of `unflatten` of its parts."""
    r = opened.registered
    out = it.call(r.unflatten, [opened.static, opened.children], {}, node)
    if not isinstance(out, Record) or out.cls is not r.cls:
        raise r.failed(f"returns {describe(out)} in compiled code")
    out.lacks = opened.lacks
    r.watch(n for n, v in out.fields.items() if not any(isinstance(p, Var) for p in leaves(v)))
    if not changeable:
        held = reachable([out], it.captures.immutable)
        it.captures.immutable.update(held)
        it.captures.in_instances.update(held)
    return out


def opened(it: Interpreter, v: Any, node: Node) -> Any:
    """The value with the parts of each instance of a registered class that it holds."""
    r = registered_as(v.cls) if isinstance(v, Record) else None
    if r is not None:
        return _opened(it, r, v, node)
    if is_structured(v):
        return fields_of(v, lambda p: opened(it, p, node))
    parts = children(v)
    if parts is None:
        return v
    refuse_whole(it, v, node)
    new = [opened(it, p, node) for p in parts]
    return v if all(p is q for p, q in zip(new, parts, strict=True)) else rebuilt(v, new)


def _opened(it: Interpreter, r: Registered, v: Record, node: Node) -> Opened:
    at = it.returned_at
    parts, static = r.pair(it.call(r.flatten, [v], {}, node), " in compiled code")
    it.returned_at = at
    for held in (*nodes(static), *leaves(static)):
        if isinstance(held, Abstract) or (
            isinstance(held, Var) and held.type.dtype[0] not in "biu"
        ):
            reason = f"flatten of {r.name} returns {describe(held)} in the static part"
            raise r.error(f"{reason}, which compiled code computes", r.flatten, "make it a child")
    what = f"the static part of {r.name}"
    static = mapped(static, lambda s: it.static_int(s, node, what) if isinstance(s, Var) else s)
    if not is_hashable(static):
        raise r.unhashable(describe(static))
    parts = [opened(it, p, node) for p in parts]
    refuse_leaves(r, parts, is_value)
    return Opened(r, static, tuple(parts), v.lacks)


def entered(it: Interpreter, v: Any, node: Node, at: Callable[[Any], Any] | None = None) -> Any:
    """A structure with parts of instances in compiled code's form; `at(leaf)` for each leaf."""

    def inner(like: Any, parts: Any) -> Any:
        new = inside(like, parts)
        return made(it, new, node, changeable=True) if isinstance(new, Opened) else new

    return mapped(v, at or (lambda leaf: leaf), inner)


def refuse_instances(it: Interpreter, values: Any, node: Node, what: str) -> None:
    """Refuses instances of registered classes whose attributes would be treated as children."""
    for v in nodes(values):
        if is_structured(v):
            it.refuse(node, f"{what}, which is {describe(v)}, is not supported", "pass its fields")
        r = registered_as(v.cls if isinstance(v, Record) else type(v))
        if r is not None:
            it.refuse(
                node, f"{what}, which is of the registered class {r.name}, is not supported",
                "pass its children, and make it inside",
            )  # fmt: skip
