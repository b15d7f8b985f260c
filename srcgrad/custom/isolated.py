"""Tracing apart from the call: shares nothing with it, and changes nothing of its."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from srcgrad.frontend.heap import is_changed, reachable, restore, snapshot
from srcgrad.frontend.interpreter import Interpreter, Node


@contextmanager
def apart(it: Interpreter, name: str, node: Node) -> Iterator[None]:
    """Shares nothing with what was computed before, so that reads from outside are seen.

    Refuses what changes containers or names outside: the rule is followed apart from the call.
    """
    scopes, before = it.b.scopes, snapshot(it)
    it.b.scopes = [{} for _ in scopes]
    try:
        yield
    finally:
        it.b.scopes = scopes
    if is_changed(it, before):
        restore(it, before)
        it.refuse(
            node, f"{name}() has a derivative of its own and changes a container or a name "
            "outside", "return what changes",
        )  # fmt: skip


@contextmanager
def unchanging(it: Interpreter, values: Any) -> Iterator[None]:
    """Forbids changes to the containers among some values inside the block."""
    new = {k: v for k, v in reachable(list(values), ()).items() if k not in it.captures.immutable}
    it.captures.immutable.update(new)
    try:
        yield
    finally:
        for k in new:
            del it.captures.immutable[k]
