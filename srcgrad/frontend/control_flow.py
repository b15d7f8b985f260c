"""Control flow: sequences, branches and exits in structured form.

`break`, `continue` and early `return` become flags that guard later statements. A path that always
fails leaves nothing: the other one simply continues.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import gast

from srcgrad.errors import BoundsError, DivisionError, ShapeError, SrcgradError
from srcgrad.frontend.branches import join
from srcgrad.frontend.frame import POISON, RESULT, RETURNED, Diverged, Poisoned
from srcgrad.frontend.heap import State, captured, restore, snapshot
from srcgrad.frontend.interpreter import ONE_KIND, Interpreter, Node
from srcgrad.frontend.narrowing import narrowed, of_several_kinds, widened_back
from srcgrad.frontend.texts import literal
from srcgrad.frontend.trees import always_exits, exits
from srcgrad.frontend.values import Conflict, Several, plain
from srcgrad.ir.nodes import If, Var
from srcgrad.ir.types import BOOL, Scalar
from srcgrad.primitives.raising import name_of

CERTAIN = (ShapeError, BoundsError, DivisionError)  # Python raises these for certain


# ---- sequences and exits ----
def block(it: Interpreter, stmts: list[Any]) -> None:
    depth = it.frame.depth
    for k, s in enumerate(stmts):
        try:
            if _left(it, s, stmts, k + 1):
                return
        except (SrcgradError, Poisoned) as e:
            if isinstance(e, CERTAIN) and (it.catches(type(e)) or it.branches):
                raises(it, e)
            it.recover(s, e, depth)
            if isinstance(s, gast.Raise):
                raise Diverged("", "", it.b.loc) from None
            if always_exits([s]):
                it.env.update({RETURNED: True, RESULT: POISON})
                return


def raises(it: Interpreter, e: SrcgradError) -> NoReturn:
    """Lets this path raise what Python raises there for certain: the other paths are right."""
    it.b.loc = e.location or it.b.loc
    it.fail(name_of(type(e).__mro__[2]), literal(e.reason))


def _left(it: Interpreter, s: Any, stmts: list[Any], after: int) -> bool:
    """Execute a statement; whether nothing is left to do: it exited, or did the rest too."""
    kinds = exits([s])
    if not kinds or after == len(stmts):
        it.execute(s)
        return False
    rest = stmts[after:]
    if isinstance(s, gast.If) and of_several_kinds(it, s) is None and _split(it, s, rest):
        return True
    it.execute(s)
    gone = exited(it, kinds)
    if gone is not True and gone is not False:
        left = (lambda: has_returned(it)) if kinds == {"return"} else nothing
        it.branch(negate(it, gone), lambda: it.block(rest), left, s, live_rest=True)
    return gone is not False


def has_returned(it: Interpreter) -> None:
    """Notes that the path that skips the rest has returned: then both paths have."""
    it.env[RETURNED] = True


def _split(it: Interpreter, s: Any, rest: list[Any]) -> bool:
    """`if c: ...return` followed by a rest: the rest is the other branch."""
    if not (always_exits(s.body) or always_exits(s.orelse)):
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


def leave_loop(it: Interpreter, node: gast.For | gast.While, kinds: set[str]) -> None:
    """Forgets the flags of a loop that has ended, and interprets its `else`."""
    broken = it.env.pop(flag(it, "break"), False)
    it.env.pop(flag(it, "continue"), None)
    it.frame.depth -= 1
    if node.orelse:
        gone = broken
        if "return" in kinds:
            returned = it.env.get(RETURNED, False)
            gone = returned if gone is False else either(it, gone, returned)
        it.branch(negate(it, gone), lambda: it.block(node.orelse), nothing, node)


def negate(it: Interpreter, c: Any) -> Any:
    return (not c) if not isinstance(c, Var) else plain(it.b.logical_not(c, weak=True))


def python_bool(it: Interpreter, v: Any) -> Any:
    """A truth value as Python's own bool, which is an integer."""
    return plain(it.b.retyped(v, BOOL))


def numpy_bool(it: Interpreter, v: Any) -> Any:
    return plain(it.b.retyped(v, Scalar("bool")))


def either(it: Interpreter, a: Any, c: Any) -> Any:
    return plain(it.b.logical_or(a, c, weak=True))


def both(it: Interpreter, a: Any, c: Any) -> Any:
    return plain(it.b.logical_and(a, c, weak=True))


# ---- branches ----
def branch(
    it: Interpreter, test: Any, then: Callable[[], Any], orelse: Callable[[], Any],
    node: Node | None, live_rest: bool = False, several: bool = False,
) -> Any:  # fmt: skip
    """Runs one of two continuations, or both into an `If`; their values join.

    The value may have `several` kinds if the caller can take it.
    """
    if not isinstance(test, Var):
        return then() if test else orelse()
    before, depth, loc = snapshot(it), it.frame.depth, it.b.loc
    states: list[State | None] = []
    blocks: list[list] = []
    failed: Diverged | None = None
    bound = []
    for run, holds in ((then, True), (orelse, False)):
        restore(it, before)
        bound.append(narrowed(it, test, holds, before))
        with it.b.block() as out:
            it.branches += 1
            try:
                it.env["$value"] = run()
                states.append(captured(it, before.objects))
            except Diverged as e:
                failed = failed or e
                states.append(None)
            except CERTAIN as e:
                try:
                    raises(it, e)
                except Diverged as failure:
                    failed = failed or failure
                states.append(None)
            finally:
                it.branches -= 1
        it.frame.depth, it.b.loc = depth, loc
        blocks.append(out)
    widened_back(it, before, states, bound)
    left = [s for s in states if s is not None]
    if len(left) == 2:
        join(it, test, before, left, blocks, node, live_rest)
    else:
        _splice(it, test, states, blocks)
        if not left:
            assert failed is not None
            raise failed
    value = it.env.pop("$value")
    if isinstance(value, Conflict):
        it.decide(value, node)
    if isinstance(value, Conflict) or (isinstance(value, Several) and not several):
        it.refuse(node, f"the value depends on the path: {value.reason}", ONE_KIND)
    return value


def _splice(it: Interpreter, test: Var, states: list[State | None], blocks: list[list]) -> None:
    """Emits a branch of which a path fails: the statements of the other one follow it."""
    dead = [tuple(out) if s is None else () for s, out in zip(states, blocks, strict=True)]
    then, orelse = dead
    it.b.append(If(test, then, orelse, (), (), (), it.b.loc))
    for state, out in zip(states, blocks, strict=True):
        if state is not None:
            it.b.out.extend(out)
            restore(it, state)


def nothing() -> None:
    return None
