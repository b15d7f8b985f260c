"""Bounds the depth of recursive calls by specializing on the integers that control it.

Calls are inlined, so the depth of a recursion must be known at compile time. Where run-time floats
alone decide it, `DEEP` nested calls are inlined, and one more is an error of the run.
"""

from __future__ import annotations

import itertools
from typing import Any, NoReturn

from srcgrad.errors import UnsupportedError
from srcgrad.frontend.frame import Frame
from srcgrad.frontend.interpreter import LIMIT, Interpreter, Node
from srcgrad.frontend.source import Source
from srcgrad.frontend.trees import parameters_of
from srcgrad.frontend.values import is_array
from srcgrad.ir.nodes import Var
from srcgrad.tree import nodes, paths

DEEP = 12  # nested calls beyond which the depth of a recursion is specialized on
DEEPEST = 60  # nested calls at which a recursion is refused
MOST_ENDS = 8  # calls beyond the limit, on different paths of a program


def limit_recursion(it: Interpreter, found: Source, given: dict[str, Any], node: Node) -> None:
    """Specializes on the integers that control a recursion, once it is `DEEP` calls deep.

    From `DEEP` calls on, these are the integers that a call changes and that depend on
    arguments and lengths alone. At `DEEPEST` all integers are, or the recursion is refused.
    """
    if not it.inside[found.tree]:
        return
    own = [f for f in it.frames if f.source.tree is found.tree]
    plain = [f for f in own if f.outer is None]
    counts = bool(found.function.__code__.co_freevars)  # its captures may count the calls
    last_two = plain[-2:] if len(plain) > 1 and not counts else []
    if last_two and all(_alike(given[k], f.arguments[k]) for f in last_two for k in given):
        _end(it, found, plain, node)
    again = [f for f in it.frames if it.inside[f.source.tree] > 1]
    last = len(again) >= DEEPEST and _branches(it, again) >= DEEPEST // 2
    if len(own) < DEEP and not last:
        return
    deepest = (again if last else own)[-1]
    before = next(
        f for f in reversed(again) if f.source.tree is deepest.source.tree and f is not deepest
    )
    for name in parameters_of(deepest.source.tree):
        value = deepest.env.get(name)
        if not isinstance(value, Var) or is_array(value) or value.type.dtype[0] not in "iu":
            continue
        changed = value is not before.env.get(name) and it.captures.is_of_arguments(it, value)
        if last or changed:
            it.captures.require_static(it, value, node, "the depth of a recursion")
    if last and it.inside[found.tree] > 1:  # this very call is one too many
        refuse_recursion(it, found, it.frame.source.location(node))
    if last:
        refuse_recursion(it, deepest.source, deepest.called_at)


def _branches(it: Interpreter, calls: list[Frame]) -> int:
    """The number of calls that are inside more branches and loops than the call before."""
    depths = [*(f.open_blocks for f in calls), len(it.b.scopes)]
    return sum(a < b for a, b in itertools.pairwise(depths))


def _end(it: Interpreter, found: Source, own: list[Frame], node: Node) -> None:
    """Bounds calls inside branches that nothing known tells apart: the last one fails."""
    behind_a_branch = len(it.b.scopes) > own[-1].open_blocks
    if behind_a_branch and len(own) < DEEP:
        return
    it.ends[found.tree] += 1
    if behind_a_branch and it.ends[found.tree] <= MOST_ENDS:
        it.fail(LIMIT, f"{found.title}() calls itself more than {DEEP} times "
                "within one another, where run-time values decide how often")  # fmt: skip
    refuse_recursion(it, found, it.frame.source.location(node))


def _alike(a: Any, b: Any) -> bool:
    """Whether two arguments are the same in all that is known of them at compile time.

    In a list or a dict only run-time values can be: a call may have changed the others.
    """
    if type(a) is not type(b) or any(not isinstance(n, list | tuple | dict) for n in nodes(a)):
        return False  # an instance: its attributes may have changed
    kept = any(isinstance(n, list | dict) for n in nodes(a))
    ours, theirs = list(paths(a)), list(paths(b))
    return [p for p, _ in ours] == [p for p, _ in theirs] and all(
        _alike_leaves(x, y, kept) for (_, x), (_, y) in zip(ours, theirs, strict=True)
    )


def _alike_leaves(a: Any, b: Any, kept: bool) -> bool:
    if isinstance(a, Var):  # an integer may be specialized on, even one that no call changes
        return isinstance(b, Var) and a.type == b.type and a.type.dtype[0] not in "iu"
    if kept or type(a) is not type(b):
        return False
    return a is b if callable(a) else isinstance(a, str | int | float | None) and a == b


def refuse_recursion(it: Interpreter, found: Source, place: Any) -> NoReturn:
    error = UnsupportedError(
        f"the depth of the recursion of {found.title}() depends on run-time values", place,
        "write it as a loop or, where it calls itself once, as an 'if'; an integer argument or "
        "a length may say the depth",
    )  # fmt: skip
    error.runs = True
    raise error
