"""Displays: tuples, lists, sets and dicts as they are written, with starred items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from srcgrad.frontend.comprehensions import is_long, list_of
from srcgrad.frontend.formulas.long_tuples import LongTuple
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.iteration import own_iterator
from srcgrad.frontend.narrowing import by_kind, of_one_kind
from srcgrad.frontend.tracked_dicts import store, tracked_dict
from srcgrad.frontend.values import GrownList, Record, Several


def elements(
    it: Interpreter, nodes: list[Any], whole: Callable[[Any], bool] = lambda v: False
) -> list[Any]:
    """The values of a display or a call; a starred one that is taken `whole` is one of them."""
    out: list[Any] = []
    for n in nodes:
        if isinstance(n, gast.Starred):
            items = it.operand(n.value)
            out += [items] if whole(items) else of_one_kind(it, _items(it, items, n), n.value)
        else:
            out.append(it.operand(n))
    return out


@by_kind
def _items(it: Interpreter, v: Any, node: Node) -> Any:
    """The items after a star: of several kinds as many, or these have several kinds too."""
    return tuple(it.static_items(v, node))


def of_tuple(it: Interpreter, node: gast.Tuple) -> Any:
    if not any(isinstance(n, gast.Starred) for n in node.elts):
        return tuple([it.operand(n) for n in node.elts])
    known, of_the_run = lambda: elements(it, node.elts), lambda: of_list(it, node)
    return tuple_of(it, node, known, of_the_run)


def tuple_of(
    it: Interpreter, node: Node, known: Callable[[], list[Any]], of_the_run: Callable[[], Any]
) -> Any:
    """A tuple of known items; where all was refused for these, one of a list of the run."""
    place, required = it.place(node), it.captures.required
    if place not in required.long_tuples:
        required.tuples.add(place)
        items = tuple(known())
        required.tuples.discard(place)
        return items
    held = of_the_run()
    return Record(LongTuple, {"items": held}) if isinstance(held, GrownList) else tuple(held)


def of_list(it: Interpreter, node: gast.List | gast.Tuple) -> Any:
    out, last = None, list[Any]()  # before a list of run-time length and its items, and after it
    for n in node.elts:
        if not isinstance(n, gast.Starred):
            last.append(it.operand(n))
        elif not isinstance(items := _starred(it, n), GrownList):
            last += it.static_items(items, n)
        else:  # now: what comes after it may change it
            out = _extended(it, out, last, node)
            it.call(it.attribute(out, "extend", node), [items], {}, node)
            last = []
    return _extended(it, out, last, node)


def _starred(it: Interpreter, node: gast.Starred) -> Any:
    """The items after a star: a list of the run if their number is only known as it runs."""
    items = it.operand(node.value)
    if isinstance(items, Several):
        return of_one_kind(it, _items(it, items, node), node.value)
    v = it.collected(own_iterator(it, items, node))
    return list_of(it, v, node) if not isinstance(v, GrownList) and is_long(it, v, node) else v


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
