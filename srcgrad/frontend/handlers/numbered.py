"""Generators of random numbers that come in and go out: a `Record` with the array of the number."""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import Record
from srcgrad.tree import random_generators

HANDLE = "handle"


@implements(random_generators.generator_of)
def generator_of(it: Interpreter, node: Node, cls: type, parts: Any) -> Record:
    return Record(cls, {HANDLE: parts[0]})


@implements(random_generators.handles)
def handles(it: Interpreter, node: Node, generator: Record) -> Any:
    return (generator.fields[HANDLE],), generator.cls
