"""Loops of which one copy of the body is emitted per trip."""

from __future__ import annotations

from collections.abc import Callable

import gast

from srcgrad.frontend.control_flow import exited, flag, negate
from srcgrad.frontend.interpreter import Interpreter
from srcgrad.frontend.trees import exits

FEW = 8  # trips of a loop that is unrolled if its body is refused


def unrolled(
    it: Interpreter,
    node: gast.For | gast.While,
    more: Callable[[int], bool],
    trip: Callable[[int], None],
) -> None:
    """Emits the trips for as long as there are more; exits guard later statements."""
    it.frame.depth += 1
    kinds = exits(node.body)
    for kind in kinds - {"return"}:
        it.env[flag(it, kind)] = False

    def run(k: int) -> None:
        """Runs the trips from the k-th on, as long as no exit depends on run-time values."""
        while more(k):
            it.env[flag(it, "continue")] = False
            trip(k)
            k += 1
            left = exited(it, kinds - {"continue"})
            if left is True:
                return
            if left is not False:
                it.branch(negate(it, left), lambda k=k: run(k), lambda: None, node, live_rest=True)
                return
        if node.orelse:
            it.block(node.orelse)

    run(0)
    it.env.pop(flag(it, "break"), None)
    it.env.pop(flag(it, "continue"), None)
    it.frame.depth -= 1
