"""Run-time loops: the places that they carry are found by trial.

The body is interpreted with the kinds assumed so far; those that it leaves are joined with these
until nothing changes. A place (a name, an item of a list, an attribute) is carried if it changes
it. A `while` whose test binds names or changes anything is turned: the test runs once before the
loop and again at the end of the body.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

import gast

from srcgrad.frontend.branches import Cell, lasting
from srcgrad.frontend.carried import Trip, carry, held_at, name_of_test, narrowed, put, widen
from srcgrad.frontend.control_flow import exited, flag, leave_loop, negate
from srcgrad.frontend.flattening import Carrier
from srcgrad.frontend.for_loops import run_trip
from srcgrad.frontend.frame import RESULT, RETURNED, Diverged
from srcgrad.frontend.handlers.schedules import of_test
from srcgrad.frontend.heap import State, captured, freeze_shared, meeting_at, restore, snapshot
from srcgrad.frontend.interpreter import Interpreter
from srcgrad.frontend.iteration import ascending
from srcgrad.frontend.joins import fits
from srcgrad.frontend.learned import Learned, assume, note, of_loop, one_trial
from srcgrad.frontend.liveness import assigned
from srcgrad.frontend.rebound_lists import take_items
from srcgrad.frontend.requirements import LoopsToUnroll
from srcgrad.frontend.schedules import Schedule
from srcgrad.frontend.trees import exits
from srcgrad.frontend.values import Iterated, MaybeUnbound, Several, Unbound, is_number, plain
from srcgrad.ir.nodes import Def, For, Var, While, atom
from srcgrad.ir.types import INT
from srcgrad.ir.walk import walk
from srcgrad.records import record


@record()
class Attempt:
    """One interpretation of a loop's body."""

    index: Var
    head: dict[Cell, tuple[list[Var], Any]] = field(default_factory=dict)
    made: list[Any] = field(default_factory=list)  # containers of the head
    test: list = field(default_factory=list)
    cond: Any = True
    body: list = field(default_factory=list)
    yields: list = field(default_factory=list)
    left: list[Any] = field(default_factory=list)  # the containers that the body leaves in them
    ended: dict[Cell, Any] = field(default_factory=dict)  # what the body leaves in each place


def loop(it: Interpreter, node: gast.For | gast.While, iterated: Iterated | None) -> None:
    """A `for` over `iterated`, or a `while` (None)."""
    it.frame.depth += 1
    kinds = exits(node.body)
    for kind in kinds - {"return"}:
        it.env[flag(it, kind)] = False
    if "return" in kinds:
        it.env.setdefault(RETURNED, False)
    turned = isinstance(node, gast.While) and _binds(node.test)
    schedule = of_test(it, node) if isinstance(node, gast.While) else None
    if iterated is not None:
        schedule = iterated.schedule
    learned = of_loop(it, node)
    _settled(it, node, iterated, kinds, turned or learned.turned, schedule, learned)
    if _endless(node) and "break" not in kinds:
        if "return" not in kinds:
            it.fail("RuntimeError", "the end of an endless loop was reached")
        it.env[RETURNED] = True
    leave_loop(it, node, kinds)


def _settled(
    it: Interpreter, node: gast.For | gast.While, over: Iterated | None, kinds: set[str],
    turned: bool, schedule: Schedule | None, learned: Learned,
) -> None:  # fmt: skip
    """Emits the loop once a trial changes nothing."""
    entry = snapshot(it)
    if turned:
        it.env[name_of_test(it)] = _going_on(it, node, over, None, set())
    before = snapshot(it)
    trip = Trip(node, over, kinds, before, lasting(it, before), turned, schedule)
    if trip.counted and over is not None and (up := ascending(it, over)) is not None:
        trip.over, trip.down = up, True
    for n in _carried_names(it, node, kinds, turned):
        carry(it, trip, (id(it.env), n))
    assume(it, trip, learned)
    while True:
        try:
            with one_trial(it, learned):
                statement = _trial(it, trip)
        except LoopsToUnroll:
            restore(it, entry)
            raise
        if statement == "turn":
            restore(it, entry)
            return _settled(it, node, over, kinds, True, schedule, learned)
        if statement is not None:
            break
        restore(it, before)
    note(it, trip, learned)
    it.b.append(statement)
    it.env.pop(name_of_test(it), None)


def _carried_names(
    it: Interpreter, node: gast.For | gast.While, kinds: set[str], turned: bool
) -> list[str]:
    head = it.frame.live.live_at_head(node)
    bound = assigned([node.target] if isinstance(node, gast.For) else [])
    inside = assigned([*node.body, *([node.test] if isinstance(node, gast.While) else [])])
    live = (head | it.frame.live.live_after(node)) - it.frame.bound_outside
    names = [n for n in dict.fromkeys([*bound, *inside]) if n in live]
    if "break" in kinds:
        names.append(flag(it, "break"))
    if "return" in kinds:
        names += [RETURNED, RESULT]
    return [*names, name_of_test(it)] if turned else names


# ---- one trial ----
def _trial(it: Interpreter, trip: Trip) -> Any:
    """The loop as one statement, None if it must be tried again, "turn" to turn it."""
    b, loc, depth, first = it.b, it.b.loc, it.frame.depth, it.mark()
    carrier, a = Carrier(it), Attempt(Var("i", INT))
    a.head = {c: carrier.fresh(s, str(c[1]).lstrip("$")) for c, s in trip.specs.items()}
    a.made = carrier.made
    it.carried[a.index] = {v for vs, _ in a.head.values() for v in vs}
    _enter(it, trip, a)
    listed = it.captures.listed()
    head = captured(it, trip.before.objects)
    if not trip.counted:
        with b.block() as a.test:
            a.cond = _tested(it, trip, a.index)
        if not trip.turned and _test_changes(it, trip, head, a.test):
            return "turn"
    with b.block() as a.body:
        try:
            _body(it, trip, a.index)
            _take_items(it, trip, head)
            end = captured(it, trip.before.objects)
        except Diverged:
            it.frame.depth = depth
            restore(it, head)
            end = head
        b.loc = loc
        again = widen(it, trip, head, end)
        if not again:
            _yield(it, trip, a, end)
            # one of before the loop is in as many places as there are trips
            it.captures.twice |= (it.captures.listed() - listed) & trip.before.objects.keys()
        elif not trip.poisoned and len(it.problems) > first.problems:
            it.forget(first)  # not all kinds were known yet
    return None if again else _finished(it, trip, a)


def _take_items(it: Interpreter, trip: Trip, head: State) -> None:
    """Gives lists of the head the items of the lists that the trip put in their places."""
    live = it.frame.live
    names = live.live_at_head(trip.node) | live.live_after(trip.node) | it.frame.bound_outside
    loc, it.b.loc = it.b.loc, it.frame.source.location(trip.node)
    take_items(it, head, trip.node, names)
    it.b.loc = loc


def _enter(it: Interpreter, trip: Trip, a: Attempt) -> None:
    """The state at the head of the loop."""
    for cell, (_, value) in a.head.items():
        put(it, trip, cell, value)
    it.frozen.update(trip.frozen)
    it.frozen.update({id(a.made[k]): a.made[k] for k in trip.shared})
    for made in a.made:
        it.merged.setdefault(id(made), (made, [], meeting_at(it.b.loc)))


def _body(it: Interpreter, trip: Trip, index: Var) -> None:
    it.env[flag(it, "continue")] = False
    if trip.schedule is not None:
        amount = trip.schedule.amount
        it.b.scheduled(*([] if amount is None else [amount]), by=trip.schedule.by)
    if isinstance(trip.node, gast.For) and trip.over is not None:
        run_trip(it, trip.node, trip.over, index)
    else:
        it.block(trip.node.body)
    if trip.turned:
        it.env[name_of_test(it)] = _going_on(it, trip.node, None, None, trip.kinds)


def _yield(it: Interpreter, trip: Trip, a: Attempt, end: State) -> None:
    carrier = Carrier(it)
    for c, s in trip.specs.items():
        a.ended[c] = held_at(it, end, c)
        a.yields += carrier.flatten(s, a.ended[c])
    if not trip.counted and trip.over is not None:
        a.yields.append(it.b.add(a.index, 1))
    a.left = carrier.seen


def _finished(it: Interpreter, trip: Trip, a: Attempt) -> Any:
    """The statement of a settled loop; the state becomes that after it."""
    ended = dict(it.frozen)
    restore(it, trip.before)
    initial, after = Carrier(it), Carrier(it)
    inits = [
        x for c, s in trip.specs.items() for x in initial.flatten(s, held_at(it, trip.before, c))
    ]
    sources = list(zip(initial.seen, a.left, strict=True))
    if _head_shared(it, trip, a, sources, ended):
        return None
    out = {c: after.fresh(s, str(c[1]).lstrip("$")) for c, s in trip.specs.items()}
    node = trip.node
    for n in assigned([*node.body, *([node.target] if isinstance(node, gast.For) else [])]):
        if n not in it.frame.bound_outside:
            it.env.pop(n, None)
    runs = _runs(it, trip)
    for c, (_, value) in out.items():
        put(it, trip, c, _left_by(it, value, trip.specs[c], a.ended[c]) if runs else value)
    it.frozen.update(ended)
    freeze_shared(it, _merges(after.made, sources))
    return _statement(it, trip, a, inits, [v for vs, _ in out.values() for v in vs])


def _runs(it: Interpreter, trip: Trip) -> bool:
    """Whether a loop certainly has a trip."""
    if not trip.counted or trip.over is None:
        return False
    start, stop = map(plain, _bounds(it, trip.over))
    return is_number(start) and is_number(stop) and start < stop


def _left_by(it: Interpreter, value: Any, spec: Any, last: Any) -> Any:
    """The value after a loop that has a trip: of the kind that each trip leaves."""
    if isinstance(value, MaybeUnbound) and not isinstance(last, MaybeUnbound | Unbound):
        return value.value
    while isinstance(value, Several) and not isinstance(last, Several):
        if fits(last, spec.one, it.captures.classes):
            return value.one
        value, spec = value.other, spec.other
    return value


def _statement(it: Interpreter, trip: Trip, a: Attempt, inits: list, results: list) -> Any:
    loc = it.b.loc
    params = [v for vs, _ in a.head.values() for v in vs]
    if trip.counted:
        assert trip.over is not None
        start, stop = _bounds(it, trip.over)
        promised = trip.over.range is not None and trip.over.range.promised
        return For(a.index, start, stop, tuple(params), tuple(inits), tuple(a.body),
                   tuple(a.yields), tuple(results), trip.down, loc, promised=promised)  # fmt: skip
    limit = None
    if trip.over is not None:
        start, stop = _bounds(it, trip.over)
        limit = it.b.maximum(it.b.sub(stop, start), 0)
        params.append(a.index)
        inits.append(start)
        results.append(Var("i", INT))
    return While(tuple(a.test), atom(a.cond), tuple(params), tuple(inits), tuple(a.body),
                 tuple(a.yields), tuple(results), limit, loc)  # fmt: skip


# ---- the test of a while ----
def _tested(it: Interpreter, trip: Trip, index: Var) -> Any:
    """The condition evaluated before each trip."""
    if trip.turned:
        return it.env[name_of_test(it)]
    try:
        return _going_on(it, trip.node, trip.over, index, trip.kinds)
    except Diverged:  # the test raises before there is a trip
        return False


def _test_changes(it: Interpreter, trip: Trip, head: State, test: list) -> bool:
    """Whether evaluating the test of a while changed anything."""
    if trip.over is not None:
        return False
    made = [s for s in walk(tuple(test)) if isinstance(s, Def)]
    if any(s.op.draws or (s.op.effect and not s.op.raises) for s in made):
        return True
    now = captured(it, trip.before.objects)
    pairs = [(head.env, now.env)]
    pairs += [(head.contents[k], now.contents[k]) for k in head.contents]
    return any(
        a.keys() != c.keys() or any(v is not c[k] and not narrowed(v, c[k]) for k, v in a.items())
        for a, c in pairs
    )


def _going_on(
    it: Interpreter, node: gast.For | gast.While, over: Iterated | None, index: Var | None,
    kinds: set[str],
) -> Any:  # fmt: skip
    """Whether there is another trip: not left, and the test."""
    left = exited(it, kinds - {"continue"})
    if left is True:
        return False
    stay = negate(it, left)

    def test() -> Any:
        if over is not None:
            return it.b.lt(index, _bounds(it, over)[1])
        assert isinstance(node, gast.While)
        return it.condition(node.test)

    if stay is True:
        return test()
    return it.branch(stay, test, lambda: False, node, live_rest=True)


def _bounds(it: Interpreter, over: Iterated) -> tuple[Any, Any]:
    if over.range is not None and it.b.is_const(over.range.step, 1):
        return atom(over.range.start), atom(over.range.stop)
    return atom(0), atom(over.length)


def _head_shared(
    it: Interpreter, trip: Trip, a: Attempt, sources: list[tuple], ended: dict
) -> bool:
    """Freezes objects that the head's containers share with others; whether any is newly frozen."""
    for c, (_, value) in a.head.items():
        put(it, trip, c, value)
    if any(id(s) in ended for _, s in sources):
        it.frozen.update(ended)
    freeze_shared(it, _merges(a.made, sources))
    shared = {k for k, m in enumerate(a.made) if id(m) in it.frozen}
    # objects that the body made are made anew in the next attempt: only older ones stay frozen
    listed = {k: v for k, v in ended.items() if k in it.listed}
    frozen = {k: v for k, v in {**it.frozen, **listed}.items() if k in trip.before.objects}
    restore(it, trip.before)
    if shared <= trip.shared and frozen.keys() <= trip.frozen.keys():
        return False
    trip.shared |= shared
    trip.frozen.update(frozen)
    return True


def _merges(made: list[Any], sources: list[tuple]) -> list[tuple[Any, list[Any]]]:
    return [
        (m, [s for s in given if s is not None]) for m, given in zip(made, sources, strict=True)
    ]


def _endless(node: Any) -> bool:
    """`while True`: only an exit or an exception leaves it."""
    return (
        isinstance(node, gast.While)
        and isinstance(node.test, gast.Constant)
        and bool(node.test.value)
    )


def _binds(test: Any) -> bool:
    return any(isinstance(n, gast.NamedExpr) for n in gast.walk(test))
