"""Draws by Python's generators. Imported when one is first met."""

from __future__ import annotations

from random import Random
from typing import Any

from srcgrad.frontend.handlers.draws import captured_generator, drawn, made, reseed
from srcgrad.frontend.handlers.registry import OF_OWNER, implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import Record


def _of_captured(owner: Any) -> Any:
    """The handler of a method of a generator that is captured."""

    def draw(it: Interpreter, node: Node) -> Any:
        return uniform(it, node, captured_generator(it, node, owner))

    return draw


@implements(Random)
def generator(it: Interpreter, node: Node, x: Any = None) -> Record:
    return made(it, node, Random, "Random", x)


@implements(Random.seed)
def _seed(it: Interpreter, node: Node, self: Record, a: Any = None) -> None:
    reseed(it, node, self, a)


@implements(Random.random)
def uniform(it: Interpreter, node: Node, self: Record) -> Any:
    """A number in [0, 1)."""
    return drawn(it, self, ("one by one", "random"), None)


OF_OWNER["Random.random"] = _of_captured
