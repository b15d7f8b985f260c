"""Regular expressions over texts that are known: `re` is called when compiling."""

from __future__ import annotations

import re
import types
from collections.abc import Iterator
from typing import Any

from srcgrad.frontend.handlers.registry import method
from srcgrad.frontend.interpreter import Interpreter, Node

EXPRESSIONS = (re.Pattern, re.Match)
FUNCTIONS = (
    re.compile, re.escape, re.findall, re.finditer, re.fullmatch, re.match, re.search, re.split,
    re.sub, re.subn,
)  # fmt: skip


def is_of_expressions(f: Any) -> bool:
    """Whether this is a function of `re`, or a method of a pattern or of a match."""
    of_module = isinstance(f, types.FunctionType) and f in FUNCTIONS
    return of_module or type(getattr(f, "__self__", None)) in EXPRESSIONS


def found_in_text(it: Interpreter, made: Any, node: Node) -> Any:
    """A result of `re` as a value of the program."""
    if isinstance(made, Iterator):
        return it.call(iter, [it.tracked_list([*made], node)], {}, node)
    return it.tracked_list(made, node) if isinstance(made, list) else made


@method("Match", "__getitem__")
def group(it: Interpreter, node: Node, owner: Any, *items: Any) -> Any:
    """A group of a match; of an instance of another class by this name its own item."""
    if type(owner) is re.Match:
        return it.call(owner.group, [*items], {}, node)
    return it.call(type(owner).__getitem__, [owner, *items], {}, node)
