"""Narrows values of several kinds to one: where a test decides it, by statements, by operations.

A statement that reads a few names of several kinds is interpreted once for each kind, in the
branches of an `If` on the flag that tells them apart; in all other places an operation is. Hence no
operation ever sees such a value.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import gast

from srcgrad.errors import SrcgradError, UnsupportedError, located
from srcgrad.frontend.dict_values import TrackedDict
from srcgrad.frontend.frame import Diverged, Poisoned
from srcgrad.frontend.heap import ALONE, State, refill
from srcgrad.frontend.interpreter import LIMIT, ONE_KIND, Interpreter, Node
from srcgrad.frontend.outcomes import outcome
from srcgrad.frontend.texts import literal
from srcgrad.frontend.values import (
    UNBOUND,
    MaybeNone,
    MaybeUnbound,
    Record,
    Several,
    Slice,
    View,
)
from srcgrad.ir.nodes import Atom, Var
from srcgrad.primitives.raising import name_of
from srcgrad.tree import children, rebuilt

TOLD_APART = 10  # conditions that tell the kinds of the values of one operation: 2**10 copies
TOGETHER = 3  # names of several kinds for which a statement is interpreted again and again
VIEWS = ("keys", "values", "items")  # methods whose results show later changes of a dict
Bindings = dict[tuple[int, Any], tuple[Any, Any]]  # old and new values by place
UNDECIDED = (MaybeNone, MaybeUnbound, Several, Slice, tuple)  # what flags may tell apart
Told = Callable[[Atom], bool | None]  # the truth of a flag, None if it is unknown


# ---- branches ----
def narrowed(it: Interpreter, test: Var, holds: bool, state: State) -> Bindings:
    """Binds the places of a state that a test decides if it `holds`; their old and new values."""
    key, given = outcome(it, test, holds)

    def told(flag: Atom) -> bool | None:
        found, same = outcome(it, flag)
        return None if found != key else same == given

    out: Bindings = {}
    for owner, held in ((id(it.env), state.env), *state.contents.items()):
        v = state.objects.get(owner)
        decided = _decided_key if isinstance(v, TrackedDict) else _decided
        open_ = [(k, x) for k, x in held.items() if type(x) not in ALONE]
        now = {k: decided(x, told) for k, x in open_ if isinstance(x, UNDECIDED)}
        changed = {k: x for k, x in now.items() if x is not held[k]}
        out.update({(owner, k): (held[k], x) for k, x in changed.items()})
        if not changed:
            continue
        if owner == id(it.env):
            it.env.update(changed)
        else:
            refill(v, {k: x for k, x in (held | changed).items() if x is not UNBOUND})
    return out


def widened_back(it: Interpreter, before: State, states: list[Any], bound: list[Bindings]) -> None:
    """Restores the values in places that no branch changed."""
    for owner, key in bound[0] if bound else ():
        pairs = [
            (s.env if owner == id(it.env) else s.contents[owner], b[owner, key])
            for s, b in zip(states, bound, strict=True)
            if s is not None
        ]
        if all(held.get(key, UNBOUND) is now for held, (_, now) in pairs):
            for held, (old, now) in pairs:
                held[key] = old
                if now is UNBOUND:
                    _reorder(held, before.contents[owner])


def _reorder(held: dict, before: dict) -> None:
    """Restores the order of the keys that a dict had before; new ones follow."""
    ordered = {k: held[k] for k in before if k in held} | held
    held.clear()
    held.update(ordered)


def _decided_key(v: Any, told: Told) -> Any:
    """The value under a key of a dict, narrowed by the known flags; UNBOUND if it is absent."""
    if isinstance(v, MaybeUnbound) and (holds := told(v.flag)) is not None:
        return v.value if holds else UNBOUND
    return _decided(v, told)


def _decided(v: Any, told: Told) -> Any:
    """A value narrowed by the known flags: of one kind where they decide which."""
    match v:
        case MaybeNone() if (holds := told(v.flag)) is not None:
            return v.value if holds else None
        case Several() if (holds := told(v.flag)) is not None:
            return _decided(v.one if holds else v.other, told)
        case Several():
            other = _decided(v.other, told)
            return v if other is v.other else Several(v.flag, v.one, other)
        case Slice():
            parts = [_decided(p, told) for p in vars(v).values()]
            return v if all(map(_same, parts, vars(v).values())) else Slice(*parts)
        case tuple():
            held = children(v) or []
            parts = [_decided(p, told) for p in held]
            return v if all(map(_same, parts, held)) else rebuilt(v, parts)
    return v


def _same(a: Any, b: Any) -> bool:
    return a is b


# ---- operations ----
def by_kind(run: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates an operation on values: it is done for each kind of those that have several.

    That happens in the branches of an `If`, whose results join. A slice has several kinds if one of
    its bounds may be None.
    """

    @functools.wraps(run)
    def each(it: Interpreter, *args: Any) -> Any:
        for v in args:
            flag = _tells(v, args)
            if flag is not None:
                return in_kinds(it, flag, list(args), lambda held: each(it, *held))
        return run(it, *args)

    return each


def in_kinds(it: Interpreter, flag: Var, held: list[Any], run: Callable[[list[Any]], Any]) -> Any:
    """The result of `run` for values, and all that is reached from them, as a flag decides them."""
    if len({outcome(it, told)[0] for told in _flags_inside(held, True)}) > TOLD_APART:
        it.refuse(
            None, f"more than {TOLD_APART} values of several kinds meet in one operation, each "
            "with a condition of its own", "give them one kind where they are made",
        )  # fmt: skip
    it.held.append(held)
    try:
        return _each_kind(it, flag, lambda: run([*held]), None)
    finally:
        it.held.pop()


def _each_kind(it: Interpreter, flag: Var, run: Callable[[], Any], node: Node | None) -> Any:
    """The result of `run` in the branches of a flag; where one kind is refused, that path fails."""
    refused: list[SrcgradError] = []
    go = lambda: _unless_refused(it, run, refused)
    try:
        return it.branch(flag, go, go, node, live_rest=True, several=True)
    except Diverged:
        if refused:
            raise refused[0] from None
        raise


def _unless_refused(it: Interpreter, run: Callable[[], Any], refused: list[SrcgradError]) -> Any:
    """The result of `run`; if it is refused, this path raises what it says as it runs."""
    first, loc = it.mark(), it.b.loc
    try:
        made = run()
        problem = it.problems[first.problems :]
    except (SrcgradError, Poisoned) as e:
        problem = [*it.problems[first.problems :], e]
    if not problem:
        return made
    e = problem[0]
    if it.attempts or not isinstance(e, UnsupportedError):
        raise e
    it.forget(first)
    refused.append(e)
    it.b.loc = e.location or loc
    if e.like is not None:
        it.fail(name_of(e.like), literal(e.reason))
    it.fail(LIMIT, literal(located(e.reason, None, e.way_out)))


def _tells(v: Any, beside: Sequence[Any] = ()) -> Var | None:
    """The flag that tells the kinds of a value apart; None if it has one.

    Of a dict whether it has a key, of those that are texts `beside` it if there are such.
    """
    if isinstance(v, Several):
        return v.flag
    if isinstance(v, View):
        return _tells(v.owner)
    if isinstance(v, TrackedDict):
        if any(isinstance(a, gast.Call) and _name_called(a) in VIEWS for a in beside):
            return None
        texts = [k for a in beside if (k := _text(a)) is not None]
        held = [v.get(k) for k in texts] if texts else v.values()
        return next((p.flag for p in held if isinstance(p, MaybeUnbound)), None)
    if isinstance(v, Slice):
        parts = vars(v).values()
        return next((p.flag for p in parts if isinstance(p, Several | MaybeNone)), None)
    return None


def _name_called(call: gast.Call) -> str:
    return call.func.attr if isinstance(call.func, gast.Attribute) else ""


def _text(v: Any) -> str | None:
    """A string in the source, or the one that is the first argument of a call."""
    if isinstance(v, gast.Call) and v.args and isinstance(v.args[0], gast.Constant):
        v = v.args[0].value
    return v if isinstance(v, str) else None


def flag_inside(arguments: list[Any], deep: bool) -> Var | None:
    """The flag of the first value of several kinds among arguments, or `deep` in containers."""
    return next(_flags_inside(arguments, deep), None)


def _flags_inside(arguments: list[Any], deep: bool) -> Iterator[Var]:
    todo = deque(p for a in arguments for p in children(a) or ())
    while todo:
        v = todo.popleft()
        if (flag := _tells(v)) is not None:
            yield flag
        if deep and not isinstance(v, Record):
            todo.extend(children(v) or ())


# ---- statements ----
def of_several_kinds(it: Interpreter, node: Node) -> Several | None:
    """The first of the values of several kinds that a statement reads by their names."""
    found = [v for n in _names_read(node) if isinstance(v := it.env.get(n), Several)]
    return found[0] if 0 < len(found) <= TOGETHER else None


def of_one_kind(it: Interpreter, value: Any, node: Node) -> Any:
    """A value, which is refused if it has several kinds."""
    if isinstance(value, Several):
        what = f"'{node.id}'" if isinstance(node, gast.Name) else "the value"
        it.refuse(node, f"{what} must have one kind here: {value.reason}", ONE_KIND)
    return value


def execute_each(it: Interpreter, node: Node, value: Several) -> None:
    """Executes a statement for either kind of a value that it reads."""
    _each_kind(it, value.flag, lambda: it.execute(node), node)


def _names_read(node: Node) -> tuple[str, ...]:
    """The names that a statement reads itself: not those that only statements inside it read."""
    known = vars(node).get("_names_read")
    if known is None:
        names = (n.id for part in _own_parts(node) for n in _expressions(part))
        known = vars(node)["_names_read"] = tuple(dict.fromkeys(names))
    return known


def _own_parts(node: Any) -> list[Any]:
    match node:
        case gast.If() | gast.While():
            return [node.test]
        case gast.For():
            return [node.iter]
        case gast.With():
            return [item.context_expr for item in node.items]
        case gast.Match():
            return [node.subject]
        case gast.Try() | gast.FunctionDef():
            return []
        case gast.AugAssign(target=gast.Name() as target):
            return [node.value, gast.Name(target.id, gast.Load(), None, None)]
    return [node]


def _expressions(part: Any) -> Iterator[Any]:
    """The names that are read, but for those that functions made here read later."""
    todo = [part]
    while todo:
        n = todo.pop(0)
        if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Load):
            yield n
        if not isinstance(n, gast.Lambda):
            todo += gast.iter_child_nodes(n)
