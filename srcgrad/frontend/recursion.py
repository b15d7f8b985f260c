"""Decides what becomes of recursive calls: they are inlined, or are a loop (`recursive`).

Calls are inlined while their depth is known at compile time, or is decided by an integer argument,
which is specialized on. A recursion of which run-time values decide the depth is a loop over a
stack. Where that is refused, `DEEP` nested calls are inlined, and one more is an error of the run.
"""

from __future__ import annotations

import itertools
from typing import Any, NoReturn

from srcgrad.errors import UnsupportedError
from srcgrad.frontend.frame import Frame
from srcgrad.frontend.interpreter import LIMIT, Interpreter, Node
from srcgrad.frontend.recursive.calls_apart import most_calls
from srcgrad.frontend.requirements import RestartTracing
from srcgrad.frontend.source import Source
from srcgrad.frontend.trees import parameters_of
from srcgrad.frontend.values import is_array
from srcgrad.ir.nodes import Var
from srcgrad.tree import nodes, paths

NEAR = 3  # nested calls with arguments of the same kinds beyond which a loop takes over
DEEP = 12  # nested calls beyond which the depth of a recursion is specialized on
DEEPEST = 60  # nested calls at which a recursion is refused
MOST_ENDS = 8  # calls beyond the limit, on different paths of a program
TOO_DEEP = "maximum recursion depth exceeded"  # Python's own text


def limit_recursion(it: Interpreter, found: Source, given: dict[str, Any], node: Node) -> bool:
    """Whether a call is to be a loop: it is nested, and run-time values decide how deep.

    Else specializes on the integers that control a recursion, once it is `DEEP` calls deep: those
    that a call changes and that depend on arguments and lengths alone. At `DEEPEST` all integers
    are, or the recursion is refused.
    """
    if not it.inside[found.tree]:
        return False
    own = [f for f in it.frames if f.source.tree is found.tree]
    plain = [f for f in own if f.outer is None]
    counts = bool(found.function.__code__.co_freevars)  # its captures may count the calls
    last_two = plain[-2:] if len(plain) > 1 and not counts else []
    if last_two and all(_alike(given[k], f.arguments[k]) for f in last_two for k in given):
        if len(own) >= NEAR and _branches(it, own) and may_be_loop(it, found):
            return _becomes_loop(it, found, near=True)
        _end(it, found, plain, node)
    if it.is_in_flow and len(plain) >= DEEP and _endless(it, given, plain[-NEAR:]):
        it.fail("RecursionError", TOO_DEEP)
    again = [f for f in it.frames if it.inside[f.source.tree] > 1]
    last = len(again) >= DEEPEST and _branches(it, again) >= DEEPEST // 2
    if len(own) < DEEP and not last:
        return False
    deepest = (again if last else own)[-1]
    before = next(
        f for f in reversed(again) if f.source.tree is deepest.source.tree and f is not deepest
    )
    integers = [
        v
        for name in parameters_of(deepest.source.tree)
        if isinstance(v := deepest.env.get(name), Var)
        and not is_array(v)
        and v.type.dtype[0] in "iu"
        and (last or v is not before.env.get(name))
    ]
    known = [v for v in integers if it.captures.is_of_arguments(it, v)]
    linear = bool(known) and most_calls(found.tree) == 1
    if not linear and _branches(it, own) >= DEEP // 2 and may_be_loop(it, found):
        return _becomes_loop(it, found)
    for value in integers if last else known:
        it.captures.require_static(it, value, node, "the depth of a recursion")
    if last and it.inside[found.tree] > 1:  # this very call is one too many
        refuse_recursion(it, found, it.frame.source.location(node))
    if last:
        refuse_recursion(it, deepest.source, deepest.called_at)
    return False


def _endless(it: Interpreter, given: dict[str, Any], own: list[Frame]) -> bool:
    """Whether nothing can end the calls: no branch lies between them, and what is known stays."""
    return all(
        f.open_blocks == len(it.b.scopes)
        and all(_alike(given[k], f.arguments[k], numbers=True) for k in given)
        for f in own
    )


def place_of(found: Source) -> tuple:
    return found.file, found.tree.lineno, found.tree.col_offset


def may_be_loop(it: Interpreter, found: Source) -> bool:
    """Whether a function may become a loop: it calls itself, and that has not been refused yet."""
    tried = place_of(found) in it.captures.required.inlined
    return not tried and found.place is None and most_calls(found.tree) > 0


def _becomes_loop(it: Interpreter, found: Source, near: bool = False) -> bool:
    """The first call becomes a loop; one `near` the first itself, if it is the only one."""
    if near and most_calls(found.tree) == 1:
        return True
    it.captures.required.activations.add(place_of(found))
    raise RestartTracing(f"{found.title}() is a loop over its activations")


def is_loop(it: Interpreter, found: Source) -> bool:
    """Whether calls of a function are known to be loops."""
    return place_of(found) in it.captures.required.activations


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


def _alike(a: Any, b: Any, numbers: bool = False) -> bool:
    """Whether two arguments are the same in all that is known of them at compile time.

    Without `numbers` no integer is like another: it may be specialized on, even one that no call
    changes. In a list or a dict only run-time values can be: a call may have changed the others.
    """
    if type(a) is not type(b) or any(not isinstance(n, list | tuple | dict) for n in nodes(a)):
        return False  # an instance: its attributes may have changed
    kept = any(isinstance(n, list | dict) for n in nodes(a))
    ours, theirs = list(paths(a)), list(paths(b))
    return [p for p, _ in ours] == [p for p, _ in theirs] and all(
        _alike_leaves(x, y, kept, numbers) for (_, x), (_, y) in zip(ours, theirs, strict=True)
    )


def _alike_leaves(a: Any, b: Any, kept: bool, numbers: bool) -> bool:
    if isinstance(a, Var):
        alike = isinstance(b, Var) and a.type == b.type
        return alike and (numbers or a.type.dtype[0] not in "iu")
    if kept or type(a) is not type(b):
        return False
    return a is b if callable(a) else isinstance(a, str | int | float | None) and a == b


def refuse_recursion(it: Interpreter, found: Source, place: Any) -> NoReturn:
    said = f"the depth of the recursion of {found.title}() depends on run-time values"
    way_out = "write it as a loop; an integer argument or a length may say the depth"
    tried = it.captures.required.inlined.get(place_of(found))
    if tried is not None:
        said, way_out = f"{said}, and it cannot be a loop: {tried.reason}", tried.way_out or way_out
        place = tried.location or place
    error = UnsupportedError(said, place, way_out)
    error.runs = True
    raise error
