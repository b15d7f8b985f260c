"""Displays: tuples, lists, sets and dicts as they are written, with starred items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.tracked_dicts import store, tracked_dict
from srcgrad.frontend.values import GrownList


def elements(
    it: Interpreter, nodes: list[Any], whole: Callable[[Any], bool] = lambda v: False
) -> list[Any]:
    """The values of a display or a call; a starred one that is taken `whole` is one of them."""
    out: list[Any] = []
    for n in nodes:
        if isinstance(n, gast.Starred):
            items = it.expression(n.value)
            out += [items] if whole(items) else it.static_items(items, n)
        else:
            out.append(it.operand(n))
    return out


def of_tuple(it: Interpreter, node: gast.Tuple) -> Any:
    return tuple(elements(it, node.elts))


def of_list(it: Interpreter, node: gast.List) -> Any:
    out, last = None, list[Any]()  # before a list of run-time length and its items, and after it
    for n in node.elts:
        if not isinstance(n, gast.Starred):
            last.append(it.operand(n))
        elif not isinstance(items := it.expression(n.value), GrownList):
            last += it.static_items(items, n)
        else:  # now: what comes after it may change it
            out = _extended(it, out, last, node)
            it.call(it.attribute(out, "extend", node), [items], {}, node)
            last = []
    return _extended(it, out, last, node)


def _extended(it: Interpreter, out: Any, items: list[Any], node: Node) -> Any:
    """A list with more items; a new one of these alone for None."""
    if out is None:
        return it.tracked_list(items, node)
    if items:
        it.call(it.attribute(out, "extend", node), [items], {}, node)
    return out


def of_set(it: Interpreter, node: gast.Set) -> Any:
    return it.call(set, [tuple(elements(it, node.elts))], {}, node)


def of_dict(it: Interpreter, node: gast.Dict) -> Any:
    out = tracked_dict(it, node)
    for k, v in zip(node.keys, node.values, strict=True):
        if k is None:
            it.call(it.attribute(out, "update", node), [it.expression(v)], {}, node)
            continue
        key = it.expression(k)
        store(it, out, key, it.operand(v), k)
    return out
