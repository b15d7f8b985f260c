"""Generators: the body of the loop over one is interpreted at each `yield`, in its own frame.

So the two alternate as in Python, once, from the beginning on. Where all items are needed at once
they are collected in a list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import gast
import numpy as np

from srcgrad.frontend.control_flow import either, exited, flag, leave_loop, nothing
from srcgrad.frontend.frame import Frame
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.liveness import assigned
from srcgrad.frontend.special_methods import items_of_instance
from srcgrad.frontend.trees import EVERY, LISTING, SOME, exits, function_at
from srcgrad.frontend.values import Closure, Iterated, is_scalar, plain
from srcgrad.ir.nodes import Var, atom
from srcgrad.records import record

RUN_OVER_AGAIN = "an iterator is run over again: which items it has left is not followed"
LISTED = "make a list of it, and run over parts of that"

Stepping = Callable[[Any], Any]
Run = Callable[[Stepping, bool], None]


@record(eq=False)
class Generated(Iterated):
    """A generator. `run` calls a function with each item; told that it may stop the generator, it
    stops where the function is true.
    """

    run: Run = lambda step, stops: None
    tree: Any = None  # of a generator function
    manages: bool = False  # `contextlib.contextmanager` made a context manager of it
    counted: Iterated | None = None  # the same items by their numbers


def of_yield(it: Interpreter, node: gast.Yield) -> Any:
    """Hands an item to what runs over the generator; whether that is to stop, None for no more."""
    value = None if node.value is None else it.expression(node.value)
    resume = it.frame.resumes
    if resume is None:
        it.refuse(
            node, "'yield' is not supported in what is compiled itself, or in a lambda",
            "return a list or an array",
        )  # fmt: skip
    return resume(value)


@contextmanager
def resumed(it: Interpreter, frame: Frame) -> Iterator[None]:
    """Interprets in a frame that waits, within the `with` block."""
    loc, depth = it.b.loc, frame.depth
    it.frames.append(frame)
    try:
        yield
    finally:
        it.frames.pop()
        frame.depth, it.b.loc = depth, loc


def spend(it: Interpreter, over: Generated, node: Node, manages: bool = False) -> None:
    """Notes that a generator is run over: where it was made, and once."""
    if over.manages != manages:
        what = "a context manager" if over.manages else "a generator"
        it.refuse(node, f"{what} is used as the other", like=TypeError)
    if over.spent:
        it.refuse(node, RUN_OVER_AGAIN, LISTED)
    if over.scope is not it.b.scopes[-1]:
        it.refuse(
            node, "a generator that was made outside of this loop or branch is run over in it",
            "make it here, or make a list of it",
        )  # fmt: skip
    over.spent = True


def for_each(it: Interpreter, node: gast.For, over: Generated) -> None:
    """A `for` over a generator."""
    spend(it, over, node.iter)
    frame, kinds = it.frame, exits(node.body)
    frame.depth += 1
    leaves = kinds - {"continue"}
    begin = {flag(it, kind): False for kind in kinds}
    it.env.update(begin)

    def step(item: Any) -> Any:
        with resumed(it, frame):
            it.env.update(begin)
            it.assign(node.target, item)
            it.block(node.body)
            _forget(it, node)
            return exited(it, leaves)

    over.run(step, bool(leaves))
    leave_loop(it, node, kinds)


def _forget(it: Interpreter, node: gast.For) -> None:
    """Unbinds the names that the next trip binds before it reads them."""
    live = it.frame.live.live_at_head(node) | it.frame.live.live_after(node)
    for name in {*assigned([node.target, *node.body])} - live - it.frame.bound_outside:
        it.env.pop(name, None)


def _within(it: Interpreter, frame: Frame, step: Stepping) -> Stepping:
    """The same function, interpreted in a frame."""

    def run(item: Any) -> Any:
        with resumed(it, frame):
            return step(item)

    return run


# ---- making ----
def as_generator(it: Interpreter, v: Any, node: Node) -> Any:
    """A lazy iterator as a generator, which a name may hold; other values as they are."""
    if not isinstance(v, Iterated) or not v.lazy or isinstance(v, Generated):
        return v
    if v.generator is None:
        it.refuse(node, "a generator expression that binds names is kept in a name", "make a list")
    made = v.generator()
    if v.length is not None and v.test is None:
        made.counted = v
    return made


def in_turn(it: Interpreter, v: Any, node: Node) -> Any:
    """The items by their numbers where they have some, else as a generator if they are lazy.

    Those of an instance are the iterator's that its `__iter__` gives.
    """
    own = items_of_instance(it, v, node)
    v = v if own is NotImplemented else own
    if isinstance(v, Generated) and v.counted is not None:
        spend(it, v, node)
        return v.counted
    if not isinstance(v, Iterated) or v.generator is None or v.spent:
        return v
    return v.generator() if v.length is None or v.test is not None else v


def generated(it: Interpreter, node: Node, run: Run, over: Generated | None = None) -> Generated:
    """A generator that `run` runs; it may run over another one, `over`."""
    made = Generated(None, lambda k: None, once=True, lazy=True, run=run, scope=it.b.scopes[-1])
    if over is not None:
        spend(it, over, node)

    def follow(text: str) -> Any:
        listing = Closure(function_at(node, text), it.env, [], [], it.frame, "list")
        return it.call(listing, [made], {}, node)

    made.build, made.until = lambda: follow(LISTING), lambda stop: follow(SOME if stop else EVERY)
    return made


def enumerated(it: Interpreter, node: Node, over: Generated, start: Any) -> Generated:
    """Pairs of a number and an item."""
    place = [start]

    def run(step: Stepping, stops: bool) -> None:
        def numbered(item: Any) -> Any:
            k = place[0]
            place[0] = plain(it.b.add(k, 1))
            return step((k, item))

        with _held(it, place):
            over.run(numbered, stops)

    return generated(it, node, run, over)


def zipped(it: Interpreter, node: Node, parts: list[Iterated], lengths: list[Any]) -> Generated:
    """Tuples with an item of each; one part is a generator, the others have lengths."""
    place, frame = [0], it.frame
    k, over = next((k, p) for k, p in enumerate(parts) if isinstance(p, Generated))

    def ended(some: list[Any]) -> Any:
        gone: Any = False
        for n in some:
            one = plain(it.b.ge(place[0], n))
            gone = one if gone is False else either(it, gone, one)
        return gone

    def run(step: Stepping, stops: bool) -> None:
        def joined(item: Any) -> Any:
            gone = ended(lengths[k + 1 :])
            return it.branch(gone, lambda: True, lambda: go_on(item), None, live_rest=True)

        def go_on(item: Any) -> Any:
            i = place[0]
            place[0] = plain(it.b.add(i, 1))
            left = step(tuple(item if p is over else _item(it, node, p, i) for p in parts))
            return it.branch(left, lambda: True, lambda: ended(lengths[:k]), None, live_rest=True)

        with _held(it, place):
            first = ended(lengths[:k])
            begin = lambda: over.run(_within(it, frame, joined), True)
            it.branch(first, nothing, begin, None, live_rest=True)

    return generated(it, node, run, over)


def _item(it: Interpreter, node: Node, part: Iterated, k: Any) -> Any:
    """The k-th item, also of a list of numbers of one kind."""
    if not (part.static and isinstance(k, Var)):
        return part.item(k)
    items = [part.item(i) for i in range(int(part.length))]
    kinds = {atom(v).type for v in items if is_scalar(v)}
    if len(kinds) > 1 or not all(map(is_scalar, items)):
        it.refuse(
            node, "a generator is run over together with items of several kinds",
            "zip an array, or a list of numbers of one kind",
        )  # fmt: skip
    if not items:
        return None
    kind = kinds.pop()
    return it.b.retyped(it.b.load(it.call_numpy(np.array, [items], {}, node), k), kind)


def mapped(it: Interpreter, node: Node, over: Generated, f: Callable[[Any], Any]) -> Generated:
    """f of each item."""
    frame = it.frame

    def run(step: Stepping, stops: bool) -> None:
        over.run(_within(it, frame, lambda item: step(f(item))), stops)

    return generated(it, node, run, over)


def selected(it: Interpreter, node: Node, over: Generated, test: Callable[[Any], Any]) -> Generated:
    """The items that pass a test."""
    frame = it.frame

    def run(step: Stepping, stops: bool) -> None:
        def tested(item: Any) -> Any:
            taken = lambda: step(item)
            return it.branch(test(item), taken, lambda: False, node, live_rest=True)

        over.run(_within(it, frame, tested), stops)

    return generated(it, node, run, over)


@contextmanager
def _held(it: Interpreter, container: list[Any]) -> Iterator[None]:
    """Lets loops and branches carry what a container of ours holds."""
    it.held.append(container)
    try:
        yield
    finally:
        it.held.pop()
