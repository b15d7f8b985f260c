"""Calls of functions whose results are cached: computed again, if that is all that they do."""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.heap import reachable, reachable_now
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.raising_conditions import first_shown


def cached_call(
    it: Interpreter, f: Any, args: list[Any], kwargs: dict[str, Any], node: Node
) -> Any:
    """The result of `f`, which the caller may not change."""
    changes, blocks = len(it.changes), [*(head for _, head in it.heads), it.b.out]
    before = [len(block) for block in blocks]
    kept = it.call(f, args, kwargs, node)
    made = [s for block, n in zip(blocks, before, strict=True) for s in block[n:]]
    if _is_seen(it, it.changes[changes:]) or first_shown(made) is not None:
        it.refuse(
            node, "a function whose results are cached changes something beside, or prints: "
            "Python runs it once for the same arguments",
            "leave out the cache, or do that where the function is called",
        )  # fmt: skip
    it.captures.immutable.update(reachable([kept], it.captures.immutable))
    return kept


def _is_seen(it: Interpreter, changes: list[Any]) -> bool:
    """Whether one of the containers and names that were changed is there after the call."""
    there = reachable_now(it) if changes else {}
    return any(id(owner) in there for owner, _ in changes)
