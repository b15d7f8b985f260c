"""Handles `checkpointed`: the loop over it, or with it as its test, is marked with its schedule."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast

from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.iteration import iterated
from srcgrad.frontend.schedules import Schedule, check_segments, checkpointed
from srcgrad.frontend.values import describe, is_integer, is_scalar
from srcgrad.ir.nodes import Var
from srcgrad.memory_limit import bytes_of
from srcgrad.tracebacks import within


@implements(checkpointed)
def _checkpointed(
    it: Interpreter, node: Node, over: Any, *, segments: Any = None, memory: Any = None
) -> Any:
    if getattr(node, "srcgrad_test", False):
        return over
    schedule = _schedule(it, node, segments, memory)
    if is_scalar(over):
        it.refuse(
            node, "flow.checkpointed is for what a `for` runs over, and for the whole test of a "
            "`while`", "write: while flow.checkpointed(...)",
        )  # fmt: skip
    return replace(iterated(it, over, node, tested=True), schedule=schedule, spent=False)


def of_test(it: Interpreter, node: gast.While) -> Schedule | None:
    """The schedule of a `while` whose whole test is a call of `checkpointed`."""
    call: Any = node.test
    if not isinstance(call, gast.Call) or not _is_checkpointed(it, call.func):
        return None
    call.srcgrad_test = True  # type: ignore[attr-defined]  (for the handler above)
    given = {k.arg: it.expression(k.value) for k in call.keywords}
    return _schedule(it, call, given.get("segments"), given.get("memory"))


def _is_checkpointed(it: Interpreter, f: Any) -> bool:
    named = isinstance(f, gast.Attribute) and f.attr == checkpointed.__name__
    if not named and not isinstance(f, gast.Name):
        return False
    return within(it.expression(f)) is within(checkpointed)


def _schedule(it: Interpreter, node: Node, segments: Any, memory: Any) -> Schedule:
    for name, v in (("segments", segments), ("memory", memory)):
        if isinstance(v, Var) and not is_integer(v):
            it.refuse(node, f"{name} is an integer, not {describe(v)}", like=TypeError)
    if segments is not None and memory is not None:
        it.refuse(node, "segments and memory are two schedules", "give one of them", ValueError)
    try:
        if memory is not None:
            return Schedule("memory", memory if isinstance(memory, Var) else bytes_of(memory))
        if segments is not None and not isinstance(segments, Var):
            check_segments(segments)
    except (ArgumentTypeError, ArgumentValueError) as e:
        it.refuse(node, e.reason, e.way_out, type(e).__mro__[2])
    return Schedule("segments", segments)
