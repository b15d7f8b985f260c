"""`for` loops: those that run, and those that are unrolled.

Items are built when they are reached, so that a loop sees what its body changes.
"""

from __future__ import annotations

from typing import Any

import gast

from srcgrad.errors import UnsupportedError
from srcgrad.frontend.constant_tables import runs
from srcgrad.frontend.control_flow import exited, negate
from srcgrad.frontend.generators import Generated, for_each
from srcgrad.frontend.heap import names_iterator
from srcgrad.frontend.interpreter import Interpreter
from srcgrad.frontend.iteration import (
    UNROLLED,
    check_places,
    fail_unless,
    iterated,
    own_iterator,
)
from srcgrad.frontend.list_places import each_item
from srcgrad.frontend.narrowing import by_kind
from srcgrad.frontend.requirements import LoopsToUnroll
from srcgrad.frontend.trees import exits
from srcgrad.frontend.unrolled_loops import FEW, unrolled
from srcgrad.frontend.values import Iterated, is_number
from srcgrad.ir.nodes import Var


def for_loop(it: Interpreter, node: gast.For) -> None:
    _for_each(it, node, it.operand(node.iter))


@by_kind
def _for_each(it: Interpreter, node: gast.For, items: Any) -> None:
    items = own_iterator(it, items, node.iter)
    if isinstance(items, Generated):
        with each_item(it, node.target):
            for_each(it, node, items)
        return
    over = iterated(it, items, node.iter, tested=True, scheduled=True)
    key = (it.frame.source.file, node.lineno)
    static = over.static or (key in it.unrolled and is_number(over.length))
    if static and over.schedule is not None:
        it.refuse(
            node.iter, "flow.checkpointed is for loops that run: this one is unrolled",
            "run over a range, or leave it out",
        )  # fmt: skip
    if over.sources and not static:
        runs(it, {key})
    it.held.append(over)
    try:
        if static:
            _unrolled(it, node, over)
        else:
            _run(it, node, over, key)
    finally:
        it.held.pop()


def _run(it: Interpreter, node: gast.For, over: Iterated, key: tuple[Any, ...]) -> None:
    """Emits a loop; unrolls it if its body has to know the number of the trip.

    One of few trips is also unrolled if something in it is refused, when tracing begins again.
    """
    first, loc, around = it.mark(), it.b.loc, len(it.captures.loops)
    few = is_number(over.length) and over.length <= FEW and not it.attempts
    try:
        it.loop(node, over)
        if few and len(it.problems) > first.problems:
            it.looped.add(key)
    except UnsupportedError:
        it.looped |= {key} if few else set()
        raise
    except LoopsToUnroll as e:
        inside = list(it.captures.loops.items())[around:]
        own = {index for index, loop in inside if loop[:2] == key}
        if own.isdisjoint(e.indices) or not is_number(over.length) or names_iterator(it):
            raise
        it.forget(first)
        it.b.loc = loc
        _unrolled(it, node, over)


def run_trip(it: Interpreter, node: gast.For, over: Iterated, k: Any) -> None:
    """Binds the target to the k-th item and runs the body; neither if the item is left out."""
    if isinstance(k, Var):
        it.captures.loops[k] = (it.frame.source.file, node.lineno, over.length)

    def run() -> None:
        first = len(it.changes)
        _bind_item(it, node, over, k)
        it.block(node.body)
        _check_lengths(it, node, over, first)

    if over.test is None:
        run()
    else:
        it.branch(it.truth(over.test(k), node.iter), run, lambda: None, node)


def _check_lengths(it: Interpreter, node: gast.For, over: Iterated, first: int) -> None:
    """Checks that lists which grow have their lengths when a trip that changes them is over.

    `first` is the number of changes before the trip.
    """
    changed = [owner for owner, _ in it.changes[first:]]
    for source, n, _ in over.grown:
        stays = negate(it, exited(it, exits(node.body) - {"continue"}))
        if not any(source is owner for owner in changed) or stays is False:
            continue
        same = it.branch(
            stays, lambda s=source, n=n: it.b.eq(it.grown_length(s), n), lambda: True, node,
            live_rest=True,
        )  # fmt: skip
        it.locate(node.iter)
        fail_unless(it, same)


def _bind_item(it: Interpreter, node: gast.For, over: Iterated, index: Any) -> None:
    if not isinstance(index, Var):
        it.assign(node.target, over.item(index))
        return
    r = over.range
    if r is not None and not isinstance(r.step, Var) and r.step == 1:
        value: Any = index
    else:
        value = over.item(index)
    if isinstance(node.target, gast.Name) and value is index:
        index.name = node.target.id
    it.assign(node.target, value)


def _unrolled(it: Interpreter, node: gast.For, over: Iterated) -> None:
    """Emits one copy of the body per item."""
    trips = max(int(over.length), 0)
    if trips > UNROLLED:
        it.refuse(node, f"a loop of {trips} trips must be unrolled here", "run over an array")

    def more(k: int) -> bool:
        check_places(it, node, over)
        return k < trips

    with each_item(it, node.target):
        unrolled(it, node, more, lambda k: run_trip(it, node, over, k))
