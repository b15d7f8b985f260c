"""Values that are None on some paths, where a value is needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import MaybeNone


def present(it: Interpreter, v: Any, said: Callable[[], str]) -> Any:
    """The value itself; TypeError at run time where it is None."""
    if not isinstance(v, MaybeNone):
        return v
    it.fail_if(it.b.logical_not(v.flag), "TypeError", said())
    return v.value


def given(it: Interpreter, v: Any, node: Node) -> Any:
    """An argument of a library function, for which None may mean a default: refused as it runs."""
    return _given(it, v, node, "an argument", "the call")


def as_index(it: Interpreter, v: Any, node: Node) -> Any:
    """An index, for which None means a new axis: refused as it runs."""
    return _given(it, v, node, "an index", "it is used")


def _given(it: Interpreter, v: Any, node: Node, what: str, use: str) -> Any:
    if not isinstance(v, MaybeNone):
        return v
    it.refuse_where(
        it.b.logical_not(v.flag), node, f"{what} is None on some paths",
        f"test 'is None' before {use}",
    )  # fmt: skip
    return v.value
