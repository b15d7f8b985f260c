"""Control flow: sequences, branches and exits in structured form.

`break`, `continue` and early `return` become flags that guard what follows. A path that always
fails leaves nothing: the other one is what follows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from srcgrad.errors import BoundsError, DivisionError, ShapeError, SrcgradError
from srcgrad.frontend.branches import join
from srcgrad.frontend.frame import RESULT, RETURNED, Diverged, Passed
from srcgrad.frontend.heap import State, captured, restore, snapshot
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.maybe_none import narrowed, widened_back
from srcgrad.frontend.texts import literal
from srcgrad.frontend.trees import handler_bodies
from srcgrad.frontend.values import POISON, Conflict, plain
from srcgrad.ir.nodes import If, Var
from srcgrad.ir.types import BOOL, Scalar
from srcgrad.primitives.raising import name_of

CERTAIN = (ShapeError, BoundsError, DivisionError)  # Python raises these for certain


def exits(stmts: list[Any], in_loop: bool = False) -> set[str]:
    """The kinds of exit statements may take out of the present block."""
    out: set[str] = set()
    for s in stmts:
        match s:
            case gast.Return():
                out.add("return")
            case gast.Break() if not in_loop:
                out.add("break")
            case gast.Continue() if not in_loop:
                out.add("continue")
            case gast.For() | gast.While():
                out |= exits(s.body, True) | exits(s.orelse, in_loop)
            case gast.If():
                out |= exits(s.body, in_loop) | exits(s.orelse, in_loop)
            case gast.With():
                out |= exits(s.body, in_loop)
            case gast.Try():
                parts = [s.body, s.orelse, s.finalbody, *handler_bodies(s)]
                out |= {kind for part in parts for kind in exits(part, in_loop)}
            case gast.Match():
                out |= {kind for c in s.cases for kind in exits(c.body, in_loop)}
    return out


def always_exits(stmts: list[Any]) -> bool:
    """Whether control never falls out of the end of a block."""
    if not stmts:
        return False
    match stmts[-1]:
        case gast.Return() | gast.Break() | gast.Continue() | gast.Raise():
            return True
        case gast.If(body=body, orelse=orelse):
            return always_exits(body) and always_exits(orelse)
        case gast.Try(body=body, orelse=orelse):
            ends = always_exits(body) or always_exits(orelse)
            return ends and all(map(always_exits, handler_bodies(stmts[-1])))
    return False


# ---- sequences and exits ----
def block(it: Interpreter, stmts: list[Any]) -> None:
    depth = it.frame.depth
    for k, s in enumerate(stmts):
        try:
            if _left(it, s, stmts[k + 1 :]):
                return
        except (SrcgradError, Passed) as e:
            if isinstance(e, CERTAIN) and it.catches(type(e)):
                it.fail(name_of(type(e).__mro__[2]), literal(e.reason))
            it.pass_over(s, e, depth)
            if isinstance(s, gast.Raise):
                raise Diverged("", "", it.b.loc) from None
            if always_exits([s]):
                it.env.update({RETURNED: True, RESULT: POISON})
                return


def _left(it: Interpreter, s: Any, rest: list[Any]) -> bool:
    """Execute a statement; whether nothing is left to do: it exited, or did the rest too."""
    if isinstance(s, gast.If) and rest and _split(it, s, rest):
        return True
    it.execute(s)
    kinds = exits([s])
    if not (kinds and rest):
        return False
    gone = exited(it, kinds)
    if gone is not True and gone is not False:
        left = (lambda: has_returned(it)) if kinds == {"return"} else nothing
        it.branch(negate(it, gone), lambda: it.block(rest), left, s, live_rest=True)
    return gone is not False


def has_returned(it: Interpreter) -> None:
    """On the path that skips the rest the function has returned: so both paths have."""
    it.env[RETURNED] = True


def _split(it: Interpreter, s: Any, rest: list[Any]) -> bool:
    """`if c: ...return` followed by a rest: the rest is the other branch."""
    if not exits([s]) or not (always_exits(s.body) or always_exits(s.orelse)):
        return False
    one, other = list(s.body), list(s.orelse)
    if not always_exits(one):
        one += rest
    if not always_exits(other):
        other += rest
    it.locate(s)
    test = it.condition(s.test)
    it.branch(test, lambda: it.block(one), lambda: it.block(other), s, live_rest=True)
    return True


def flag(it: Interpreter, kind: str) -> str:
    return RETURNED if kind == "return" else f"${kind}{it.frame.depth}"


def exited(it: Interpreter, kinds: set[str]) -> Any:
    gone: Any = False
    for kind in sorted(kinds):
        value = it.env.get(flag(it, kind), False)
        if gone is True or value is True:
            return True
        gone = value if gone is False else gone if value is False else either(it, gone, value)
    return gone


def negate(it: Interpreter, c: Any) -> Any:
    return (not c) if not isinstance(c, Var) else plain(it.b("logical_not", c, weak=True))


def python_bool(it: Interpreter, v: Any) -> Any:
    """A truth as Python's own bool, which counts as an integer."""
    return plain(it.b.retyped(v, BOOL))


def numpy_bool(it: Interpreter, v: Any) -> Any:
    return plain(it.b.retyped(v, Scalar("bool")))


def either(it: Interpreter, a: Any, c: Any) -> Any:
    return plain(it.b("logical_or", a, c, weak=True))


def both(it: Interpreter, a: Any, c: Any) -> Any:
    return plain(it.b("logical_and", a, c, weak=True))


# ---- branches ----
def branch(
    it: Interpreter, test: Any, then: Callable[[], Any], orelse: Callable[[], Any],
    node: Node | None, live_rest: bool = False,
) -> Any:  # fmt: skip
    """Run one of two continuations, or both into an `If`; their values join."""
    if not isinstance(test, Var):
        return then() if test else orelse()
    before, depth, loc = snapshot(it), it.frame.depth, it.b.loc
    states: list[State | None] = []
    blocks: list[list] = []
    failed: Diverged | None = None
    bound = []
    for run in (then, orelse):
        restore(it, before)
        bound.append(narrowed(it, test, run is then))
        with it.b.block() as out:
            try:
                it.env["$value"] = run()
                states.append(captured(it, before.objects))
            except Diverged as e:
                failed = failed or e
                states.append(None)
        it.frame.depth, it.b.loc = depth, loc
        blocks.append(out)
    widened_back(states, bound)
    left = [s for s in states if s is not None]
    if len(left) == 2:
        join(it, test, left, blocks, node, live_rest)
    else:
        _splice(it, test, states, blocks)
        if not left:
            assert failed is not None
            raise failed
    value = it.env.pop("$value")
    if isinstance(value, Conflict):
        it.refuse(node, f"the value depends on the path: {value.reason}", value.way_out)
    return value


def _splice(it: Interpreter, test: Var, states: list[State | None], blocks: list[list]) -> None:
    """Where a path fails, the other one is simply what follows."""
    dead = [tuple(out) if s is None else () for s, out in zip(states, blocks, strict=True)]
    then, orelse = dead
    it.b.append(If(test, then, orelse, (), (), (), it.b.loc))
    for state, out in zip(states, blocks, strict=True):
        if state is not None:
            it.b.out.extend(out)
            restore(it, state)


def nothing() -> None:
    return None
