"""`try`: which handler runs is decided before the statement that raises.

Statements run one by one. Of one that may raise what a handler catches, `foresight` computes
beforehand whether it does: the rest of the body is one side of a branch, the handler the
other, where nothing of the statement has happened. One that changes what an earlier statement of
the body made runs together with that. A certain exception goes to its handler when compiling.
Where Python raises and NumPy does not, `float_errors` checks while a handler catches it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, NoReturn

import gast

from srcgrad.errors import UnsupportedError
from srcgrad.frontend.casts import LIMITS
from srcgrad.frontend.caught import Texts, texts_of
from srcgrad.frontend.control_flow import exited, has_returned, negate, nothing
from srcgrad.frontend.frame import RETURNED, Diverged
from srcgrad.frontend.heap import State, captured, reachable, restore, snapshot
from srcgrad.frontend.interpreter import LIMIT, Interpreter
from srcgrad.frontend.kinds import Kind
from srcgrad.frontend.library_source import is_of_library
from srcgrad.frontend.liveness import assigned
from srcgrad.frontend.raising_conditions import (
    Shown,
    catches,
    first_shown,
    foreseen,
    raised_by,
    raising,
)
from srcgrad.frontend.trees import exits
from srcgrad.frontend.values import UNBOUND, Conflict, Record, plain
from srcgrad.ir.clone import copied
from srcgrad.ir.nodes import Def, Stmt
from srcgrad.ir.walk import walk
from srcgrad.primitives import memory
from srcgrad.primitives.raising import class_of
from srcgrad.records import record

DEEPEST = 7  # bodies around that of a `try`: each multiplies what is computed ahead
RECURSIONS = 3  # of them bodies of the same one
UNKNOWN_TEXT = "the text of what was caught is not known"
SIMPLE = (gast.Assign, gast.AnnAssign, gast.AugAssign, gast.Expr, gast.Return, gast.Raise)


@record(frozen=True, eq=False)
class Attempt:
    """A `try` whose body runs: its handlers, and the classes that each catches."""

    node: gast.Try
    classes: tuple[tuple[type[BaseException], ...], ...]

    def handler_of(self, cls: type[BaseException]) -> int:
        """The number of the handler that catches a class, from 1; 0 if none does."""
        found = (k for k, own in enumerate(self.classes, 1) if issubclass(cls, own))
        return next(found, 0)

    def code(self, d: Def) -> int:
        """The number of the handler that catches an operation's exception; 0 if none does."""
        cls = raised_by(d)
        if cls is None or cls is BaseException:  # any: a function of Python's is called
            return int(cls is not None)
        if d.op is memory.fail and (d.params["kind"] == LIMIT or d.params["message"] in LIMITS):
            return 0
        return self.handler_of(cls)

    def takes(self, e: Diverged | None) -> bool:
        """Whether a handler catches a certain exception: none catches a limit of srcgrad's."""
        if e is None or e.kind == LIMIT or e.message in LIMITS:
            return False
        return self.handler_of(class_of(e.kind)) > 0


def do_try(it: Interpreter, node: gast.Try) -> None:
    tensors = Kind.TENSOR in it.captures.kinds.values()
    ours = is_of_library(it.frame.source.function)
    if node.handlers and tensors and not ours:  # their errors are of other classes
        it.refuse(node, "'try' is not supported in a function of tensors", "test with an 'if'")
    again = sum(a.node is node for a in it.attempts) >= RECURSIONS
    if again or len(it.attempts) >= DEEPEST:
        others = f"{RECURSIONS} others of a recursion" if again else f"{DEEPEST} others"
        said = f"a 'try' inside of {others}, in functions that are called there as well"
        it.refuse(
            node, f"{said}, is not supported",
            "move what raises nothing out of a 'try'; write a recursion as a loop",
        )  # fmt: skip
    if exits(node.finalbody):
        said = "a 'finally' that leaves is not supported"
        it.refuse(node.finalbody[0], said, "leave after it", runs=True)
    attempt = Attempt(node, tuple([_classes(it, h) for h in node.handlers]))
    out, failed = _grouped(it, attempt)
    it.b.out.extend(out)
    if node.finalbody:
        _finally(it, node.finalbody, any(raised_by(d) for d in raising(out)))
    if failed is not None:
        raise failed


def _grouped(it: Interpreter, attempt: Attempt) -> tuple[list[Stmt], Diverged | None]:
    """Emits a body, with as few of its first statements in one group as possible.

    Returns it with what it raises whenever it runs, past all of its handlers.
    """
    body, start, depth, loc = attempt.node.body, snapshot(it), it.frame.depth, it.b.loc
    problems, incomplete = len(it.problems), it.frame.incomplete
    for together in range(1, len(body) + 1):
        groups = [body[:together], *([s] for s in body[together:])]
        try:
            with it.b.block() as out:
                try:
                    _run(it, attempt, groups)
                except Diverged as e:
                    it.frame.depth, it.b.loc = depth, loc
                    return out, e
            return out, None
        except Shown as e:
            if e.statement is body[0] or together == len(body):
                raise UnsupportedError(e.reason, e.location, e.way_out) from None
            restore(it, start)
            it.frame.depth, it.b.loc, it.frame.incomplete = depth, loc, incomplete
            del it.problems[problems:]
    return [], None  # a body has statements


def _run(it: Interpreter, attempt: Attempt, groups: Sequence[list[Any]]) -> None:
    """Interprets the groups of a body's statements, then the else clause."""
    if not groups:
        it.block(attempt.node.orelse)
        return
    first, *rest = groups
    before = snapshot(it)
    tried = _tried(it, attempt, first, before)
    if not any(catches(s, attempt.code) for s in tried.out):
        it.b.out.extend(tried.out)
        if tried.failed is not None:
            raise tried.failed
        _go_on(it, attempt, first, rest)
        return
    try:
        _refuse_half_done(it, attempt, first, before, tried)
        found = [d for d in raising(tried.out) if attempt.code(d)]
        texts = texts_of(it, attempt.node.handlers, found, attempt.code)
        code = foreseen(it.b, tried.out, texts.code, partial(texts.stores, it.b))
    except Shown as e:
        e.statement = e.statement or first[-1]
        raise

    def passed() -> None:
        it.b.out.extend(tried.out)
        if tried.failed is not None:
            raise tried.failed
        restore(it, tried.state)
        _go_on(it, attempt, first, rest)

    def failed() -> None:
        restore(it, before)
        _handle(it, attempt, first, tried, texts, code)

    if attempt.takes(tried.failed):
        failed()
    else:
        restore(it, before)  # what the statements have made belongs to one path
        passes = plain(it.b.eq(code, 0))
        it.branch(passes, passed, failed, attempt.node, live_rest=True)


def _go_on(it: Interpreter, attempt: Attempt, first: list[Any], rest: Sequence[list[Any]]) -> None:
    """Interprets what follows a group, unless the group left the body."""
    kinds = exits(first)
    gone = exited(it, kinds) if kinds else False
    if gone is True:
        return
    left = (lambda: has_returned(it)) if kinds == {"return"} else nothing
    go_on = partial(_run, it, attempt, rest)
    it.branch(negate(it, gone), go_on, left, attempt.node, live_rest=True)


# ---- one group ----
@record()
class Tried:
    """The statements that an interpretation emitted, and the state that it left."""

    out: list[Stmt]
    state: State
    failed: Diverged | None  # they raise whenever they run, in the end
    changes: list[tuple[Any, Stmt | None]]  # a container, and the last statement before its change


def _tried(it: Interpreter, attempt: Attempt, stmts: list[Any], before: State) -> Tried:
    failed, depth, loc, outer = None, it.frame.depth, it.b.loc, it.changes
    it.attempts.append(attempt)
    it.changes = []
    try:
        with it.b.block() as out:
            try:
                it.block(stmts)
            except Diverged as e:
                failed, it.frame.depth, it.b.loc = e, depth, loc
        return Tried(out, captured(it, before.objects), failed, it.changes)
    finally:
        it.attempts.pop()
        it.changes = [*outer, *it.changes]


def _refuse_half_done(
    it: Interpreter, attempt: Attempt, stmts: list[Any], before: State, tried: Tried
) -> None:
    """Refuses statements that raise after they have changed a container: the change would show."""
    order = {id(d): k for k, d in enumerate(walk(tried.out))}
    last = max(order[id(d)] for d in raising(tried.out) if attempt.code(d))
    known = {*before.objects, id(it.env)}
    changed = [order.get(id(d), -1) for c, d in tried.changes if id(c) in known]
    if any(k < last for k in changed):
        raise Shown(it.frame.source.location(stmts[-1]))


def _differ(one: dict, other: dict) -> bool:
    return list(one) != list(other) or any(v is not other[k] for k, v in one.items())


def _unsettled(stmts: list[Any]) -> list[str]:
    """Names that statements may have bound when one of them raises."""
    *earlier, last = stmts
    if isinstance(last, SIMPLE) and _binds_last(last):
        value = getattr(last, "value", None)
        return assigned([*earlier, *([] if value is None else [value])])
    return assigned(stmts)


def _binds_last(stmt: Any) -> bool:
    """Whether a simple statement binds its names when all else is done."""
    targets = getattr(stmt, "targets", [None])
    names = [t.elts if isinstance(t, gast.Tuple | gast.List) else [] for t in targets]
    flat = all(isinstance(e, gast.Name | gast.Starred) for several in names for e in several)
    return len(targets) == 1 and flat


# ---- handlers ----
def _classes(it: Interpreter, handler: Any) -> tuple[type[BaseException], ...]:
    found = BaseException if handler.type is None else it.expression(handler.type)
    classes = found if isinstance(found, tuple) else (found,)
    for c in classes:
        if not (isinstance(c, type) and issubclass(c, BaseException)):
            it.refuse(handler.type, "only classes of exceptions can be caught", like=TypeError)
    return classes


def _handle(
    it: Interpreter, attempt: Attempt, stmts: list[Any], tried: Tried, texts: Texts, code: Any
) -> None:
    """Runs the handler of what is raised; with several, which one is known only at run time."""
    numbers = sorted({texts.code(d) for d in raising(tried.out)} - {0})

    def choose(k: int) -> None:
        def run() -> None:
            _handler(it, attempt, stmts, tried, *texts.caught(it, numbers[k]))

        if k == len(numbers) - 1:
            run()
            return
        hit = plain(it.b.eq(code, numbers[k]))
        it.branch(hit, run, lambda: choose(k + 1), attempt.node, live_rest=True)

    choose(0)


def _handler(
    it: Interpreter, attempt: Attempt, stmts: list[Any], tried: Tried, handler: Any,
    caught: Record | None,
) -> None:  # fmt: skip
    env, names = dict(it.env), _unsettled(stmts)
    unsettled = Conflict(
        "the statement that raised may have bound it",
        "bind another name there, and this one to it in a statement of its own",
    )
    it.env.update(dict.fromkeys(names, unsettled))
    name = None if handler.name is None else handler.name.id
    if name is not None:
        unknown = Conflict(UNKNOWN_TEXT, "raise another one", on_one_path=True)
        it.env[name] = unknown if caught is None else caught
    it.handled_now.append(partial(_raise_again, it, attempt, tried))
    try:
        it.block(handler.body)
    finally:
        it.handled_now.pop()
    if name is not None:
        it.env[name] = UNBOUND
    if it.env.get(RETURNED) is True:  # none of this function's names are read any more
        for n in names:
            it.env[n] = env.get(n, UNBOUND)


def _raise_again(it: Interpreter, attempt: Attempt, tried: Tried) -> NoReturn:
    """Follows a bare `raise`: the statement runs, and raises what was caught."""
    stmts, _ = copied(tuple(tried.out), {})
    it.b.out.extend(stmts)
    if tried.failed is not None and attempt.takes(tried.failed):
        raise tried.failed
    it.fail("RuntimeError", "what was caught is not raised again")


def _finally(it: Interpreter, stmts: Sequence[Any], raises: bool) -> None:
    """Follows the last clause; it must not show: compiled code omits it where the body raises."""
    before = snapshot(it)
    with it.b.block() as out:
        it.block(list(stmts))
    it.b.out.extend(out)
    after = captured(it, before.objects)
    seen = _seen_later(it, before)
    changed = any(_differ(before.contents[k], after.contents[k]) for k in seen)
    if raises and (changed or first_shown(out) is not None):
        it.refuse(stmts[0], "a 'finally' that changes something beside names is not supported "
                  "if the body may raise", "change it before the try")  # fmt: skip


def _seen_later(it: Interpreter, state: State) -> Iterable[int]:
    """The containers of a state that something may read after an exception has left here."""
    if any(a.classes for a in it.attempts):
        return state.objects
    return reachable([*it.frames[0].arguments.values()], it.captures.immutable).keys() & {
        *state.objects
    }
