"""iter() and next(): items that are taken from an iterator one at a time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.iteration import iterated
from srcgrad.frontend.special_methods import type_name
from srcgrad.frontend.trees import FIRST, NEXT, function_at
from srcgrad.frontend.values import Closure, Iterated, Range, plain
from srcgrad.ir.nodes import Var


@implements(iter)
def iter_(it: Interpreter, node: Node, x: Any) -> Any:
    made = replace(iterated(it, x, node, tested=True), once=True, spent=False)
    made.scope = it.b.scopes[-1]
    return made


@implements(next)
def next_(it: Interpreter, node: Node, items: Any, *default: Any) -> Any:
    """The first item; the others are followed if their number and kinds are known."""
    if not isinstance(items, Iterated) or not items.once:
        said = f"'{type_name(items)}' object is not an iterator"
        it.refuse(node, said, like=TypeError)
    if items.spent:
        it.refuse(
            node, "next() of an iterator that is run over elsewhere, or in a loop, is not followed",
            "count the items that were taken, and take x[k] of what it runs over",
        )  # fmt: skip
    here = items.scope is it.b.scopes[-1] and not items.lazy
    if here and items.static and items.length > 0:
        first, rest = items.item(0), items.item
        items.length, items.item = items.length - 1, lambda k: rest(k + 1)
        _forget_whole(items)
        return first
    indexed = not (items.static or items.sources or items.test)
    if here and indexed and items.length is not None and (default or not it.attempts):
        return _first_of_the_run(it, items, default, node)
    first = function_at(node, FIRST if default else NEXT)
    closure = Closure(first, it.env, [], [], it.frame, "next")
    return it.call(closure, [*default, items], {}, node)


def _first_of_the_run(
    it: Interpreter, items: Iterated, default: tuple[Any, ...], node: Node
) -> Any:
    """The first item of what runs over an array or a range, or the default: the others are left."""
    b, rest = it.b, items.item
    nothing = plain(b.eq(items.length, 0))
    left = plain(b.sub(items.length, 1))
    if default:
        first = it.branch(
            nothing, lambda: default[0], lambda: rest(0), node, live_rest=True, several=True
        )
        left = plain(b.maximum(left, 0))
    else:
        it.fail_if(nothing, "StopIteration", "")
        first = rest(0)
    items.length = b.dim(left) if isinstance(left, Var) else left
    items.item = lambda k: rest(plain(b.add(k, 1)))
    _forget_whole(items)
    return first


def _forget_whole(items: Iterated) -> None:
    """Leaves of an iterator only its items in turn: the same ones otherwise have the first, too."""
    items.range = items.backwards_of = None


def taken_together(it: Interpreter, xs: tuple[Any, ...], node: Node) -> list[Any]:
    """The iterables of which items are taken in turn; an iterator that is several of them hands
    its items to these places one after the other: `zip(*[iter(x)] * 3)`.
    """
    out = list(xs)
    for x in xs:
        places = [k for k, v in enumerate(xs) if v is x]
        if isinstance(x, Iterated) and x.once and not x.lazy and not x.spent and places[1:]:
            over = iterated(it, x, node)
            for j, k in enumerate(places):
                out[k] = _every(it, over, Range(j, over.length, len(places)), node)
    return out


def _every(it: Interpreter, over: Iterated, places: Range, node: Node) -> Iterated:
    """The items at these places."""
    at = iterated(it, places, node)
    return Iterated(
        at.length, lambda k: over.item(at.item(k)), over.static, sources=over.sources,
        grown=over.grown,
    )  # fmt: skip
