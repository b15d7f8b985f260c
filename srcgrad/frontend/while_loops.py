"""`while` loops: those that run, and those of a few trips whose tests are known."""

from __future__ import annotations

import gast

from srcgrad.errors import UnsupportedError
from srcgrad.frontend.heap import State, restore, snapshot
from srcgrad.frontend.interpreter import Interpreter
from srcgrad.frontend.unrolled_loops import FEW, unrolled
from srcgrad.ir.nodes import Var


def while_loop(it: Interpreter, node: gast.While) -> None:
    """Emits a loop; one is unrolled if something in it is refused, when tracing begins again."""
    key = (it.frame.source.file, node.lineno)
    if key in it.unrolled:
        unrolled(it, node, lambda k: _goes_on(it, node, k), lambda k: it.block(node.body))
        return
    first, entry = it.mark(), snapshot(it)
    try:
        it.loop(node, None)
    except UnsupportedError:
        _unroll_if_known(it, node, entry)
        raise
    if len(it.problems) > first.problems:
        after, now = it.mark(), snapshot(it)
        _unroll_if_known(it, node, entry)
        restore(it, now)
        it.forget(after)


def _unroll_if_known(it: Interpreter, node: gast.While, entry: State) -> None:
    """Lets a loop be unrolled if the program is refused and the first test of the loop is known."""
    if it.attempts:
        return
    restore(it, entry)
    try:
        with it.b.block():
            goes_on = it.condition(node.test)
    except UnsupportedError:
        return
    if not isinstance(goes_on, Var) or it.captures.is_of_sizes(it, goes_on):
        it.looped.add((it.frame.source.file, node.lineno))


def _goes_on(it: Interpreter, node: gast.While, k: int) -> bool:
    """Whether there is a k-th trip, which has to be known."""
    goes_on = it.static_int(it.condition(node.test), node.test, "the test of this loop")
    if goes_on and k == FEW:
        it.refuse(node.test, f"the test of this loop holds more than {FEW} times")
    return bool(goes_on)
