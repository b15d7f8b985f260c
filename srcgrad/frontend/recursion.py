"""Bounds the depth of recursive calls by specializing on the integers that control it.

Calls are inlined, so the depth of a recursion must be known at compile time. Where run-time floats
alone decide it, `DEEP` nested calls are inlined, and one more is an error of the run.
"""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any, NoReturn

from srcgrad.errors import UnsupportedError
from srcgrad.frontend.frame import Frame
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.source import Source
from srcgrad.frontend.trees import parameters_of
from srcgrad.frontend.values import is_array
from srcgrad.ir.nodes import Var

DEEP = 12  # nested calls from which on the depth of a recursion is specialized on
DEEPEST = 60  # nested calls at which a recursion is refused
MOST_ENDS = 8  # calls that are one too many, on different paths of a program


def limit_recursion(it: Interpreter, found: Source, node: Node) -> None:
    """Specialize on the integers that control a recursion, once it is `DEEP` calls deep.

    From `DEEP` calls on, these are the integers that a call changes and that depend on
    arguments and lengths alone. At `DEEPEST` all integers are, or the recursion is refused.
    """
    last = len(it.frames) >= DEEPEST
    calls = [f for f in it.frames if last or f.source.tree is found.tree]
    if len(calls) < DEEP:
        return
    count = Counter(id(f.source.tree) for f in calls)
    again = [f for f in reversed(calls) if count[id(f.source.tree)] > 1] or calls[-1:]
    deepest = again[0]
    before = next((f for f in again[1:] if f.source.tree is deepest.source.tree), deepest)
    for name in parameters_of(deepest.source.tree):
        value = deepest.env.get(name)
        if not isinstance(value, Var) or is_array(value) or value.type.dtype[0] not in "iu":
            continue
        changed = value is not before.env.get(name) and it.captures.is_of_arguments(it, value)
        if last or changed:
            it.captures.demand_static(it, value, node, "the depth of a recursion")
    if not last and all(itertools.starmap(_alike, itertools.pairwise(calls))):
        it.ends += 1
        if it.ends <= MOST_ENDS and len(it.b.scopes) > calls[0].scopes:  # behind a branch
            it.fail("NotImplementedError", f"{found.title}() calls itself more than {DEEP} times "
                    "within one another, where run-time values decide how often")  # fmt: skip
        refuse_recursion(it, found, it.frame.source.location(node))
    if last and count[id(found.tree)] > 1:  # this very call is one too many
        refuse_recursion(it, found, it.frame.source.location(node))
    if last:
        refuse_recursion(it, deepest.source, deepest.called_at)


def _alike(outer: Frame, inner: Frame) -> bool:
    """Whether nothing that is known at compile time differs between two calls of a function."""
    names = parameters_of(inner.source.tree)
    pairs = [(outer.env.get(n), inner.env.get(n)) for n in names]
    return all(v is w or (isinstance(v, Var) and isinstance(w, Var)) for v, w in pairs)


def refuse_recursion(it: Interpreter, found: Source, place: Any) -> NoReturn:
    raise UnsupportedError(
        f"the depth of the recursion of {found.title}() depends on run-time values", place,
        "write it as a loop or, where it calls itself once, as an 'if'; an integer argument or "
        "a length may say the depth",
    )  # fmt: skip
