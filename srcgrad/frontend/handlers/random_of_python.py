"""Draws by Python's generators. Imported when one is first met."""

from __future__ import annotations

from random import Random
from typing import Any

from srcgrad.frontend.guards import Path
from srcgrad.frontend.handlers.draws import drawn
from srcgrad.frontend.handlers.registry import OF_OWNER, implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import Record


def _of_captured(owner: Any) -> Any:
    """The handler of a method of a generator that is captured."""

    def draw(it: Interpreter, node: Node) -> Any:
        it.captures.inlined.append(owner)  # keeps it alive, and so its id
        return uniform(it, node, it.captures.take(it, Path("self", owner), "self", node))

    return draw


@implements(Random.random)
def uniform(it: Interpreter, node: Node, self: Record) -> Any:
    """A number in [0, 1)."""
    return drawn(it, self, ("one by one", "random"), None)


OF_OWNER["Random.random"] = _of_captured
