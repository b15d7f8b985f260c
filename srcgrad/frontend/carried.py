"""Loop-carried places: those that the body changes, each with the kind of all its values."""

from __future__ import annotations

from dataclasses import field
from typing import Any, NoReturn

import gast

from srcgrad.errors import UnsupportedError
from srcgrad.frontend.branches import Cell, optional_keys, reshaped, take_keys
from srcgrad.frontend.chosen_objects import chosen_apart, chosen_objects
from srcgrad.frontend.conflicts import conflict
from srcgrad.frontend.dict_values import TrackedDict
from srcgrad.frontend.frame import RESULT, Poison
from srcgrad.frontend.heap import State, restore
from srcgrad.frontend.interpreter import Interpreter
from srcgrad.frontend.joined_dicts import join_places
from srcgrad.frontend.joins import are_tuples, join_specs, loose, several, spec_of
from srcgrad.frontend.liveness import assigned
from srcgrad.frontend.rebound_lists import rebinds
from srcgrad.frontend.requirements import UNROLLED, RestartTracing, is_captured
from srcgrad.frontend.schedules import Schedule
from srcgrad.frontend.specs import Spec, StaticSpec
from srcgrad.frontend.values import (
    UNBOUND,
    Conflict,
    Iterated,
    MaybeUnbound,
    Record,
    TrackedList,
)
from srcgrad.ir.nodes import Var
from srcgrad.records import record


@record()
class Trip:
    """The facts about a loop before its body is interpreted (once more)."""

    node: gast.For | gast.While
    over: Iterated | None
    kinds: set[str]  # of exits
    before: State
    known: set[int]  # containers that were there before
    turned: bool = False
    schedule: Schedule | None = None
    down: bool = False  # from the last index of `over` to the first
    specs: dict[Cell, Spec] = field(default_factory=dict)
    frozen: dict[int, Any] = field(default_factory=dict)  # at the head
    poisoned: bool = False  # whether names that refused statements would have bound are carried
    shared: set[int] = field(default_factory=set)  # of the head's own containers: frozen too

    @property
    def counted(self) -> bool:
        return self.over is not None and not (self.kinds & {"break", "return"})


def name_of_test(it: Interpreter) -> str:
    """The name that holds the value of the test of a turned loop."""
    return f"$test{it.frame.depth}"


def carry(it: Interpreter, trip: Trip, cell: Cell) -> None:
    first = held_at(it, trip.before, cell)
    dynamic = cell[1] == name_of_test(it)
    trip.specs[cell] = spec_of(first, dynamic, trip.known, it.captures.classes)


def held_at(it: Interpreter, state: State, cell: Cell) -> Any:
    """The value of a place in a state."""
    owner, key = cell
    held = state.env if owner == id(it.env) else state.contents[owner]
    return held.get(key, UNBOUND)


def put(it: Interpreter, trip: Trip, cell: Cell, value: Any) -> None:
    owner, key = cell
    if owner == id(it.env):
        it.env[key] = value
        return
    target = trip.before.objects[owner]
    (target.fields if isinstance(target, Record) else target)[key] = value


def widen(it: Interpreter, trip: Trip, head: State, end: State) -> bool:
    """Joins the values that the body left with the assumed ones; whether anything changed."""
    changed = _discover(it, trip, head, end)
    for cell in list(trip.specs):
        joined = _joined_cell(it, trip, cell, held_at(it, end, cell))
        if joined is not None and joined != trip.specs[cell]:
            trip.specs[cell] = joined
            changed = True
    if changed or trip.poisoned:
        return changed
    if not any(isinstance(held_at(it, end, c), Poison) for c in trip.specs):
        return changed
    trip.poisoned = True
    return widen(it, trip, head, end)


def _discover(it: Interpreter, trip: Trip, head: State, end: State) -> bool:
    """Carries the places that the body changed without binding a name."""
    mine, found = id(it.env), []
    restarts: list[RestartTracing] = []  # one for all lists that grow in a trip
    bound = set(assigned([trip.node])) - it.frame.bound_outside
    pairs = [(mine, head.env, end.env)]
    pairs += [(k, head.contents[k], end.contents[k]) for k in head.contents]
    for owner, a, c in pairs:
        v = None if owner in it.scopes else trip.before.objects.get(owner)
        fits = list(a) == list(c) or isinstance(v, Record)
        if v is not None and not fits and not _has_keys_of_some_trips(it, v, a, c):
            try:
                _reshaped(it, trip, v, a, c)
            except RestartTracing as e:
                restarts.append(e)
            except UnsupportedError:
                if not restarts:
                    raise
        for key in dict.fromkeys([*a, *c]):
            x, y = a.get(key, UNBOUND), c.get(key, UNBOUND)
            if x is y or (owner, key) in trip.specs or narrowed(x, y):
                continue
            if owner == mine and (key in bound or key.startswith("$")):
                continue
            found.append((owner, key))
    if restarts:
        raise restarts[0]
    if found:
        restore(it, trip.before)
        for cell in found:
            carry(it, trip, cell)
        restore(it, end)
    return bool(found)


def _has_keys_of_some_trips(it: Interpreter, owner: Any, head: dict, end: dict) -> bool:
    """Whether a trip adds keys to a dict or takes some out; those of the head come first."""
    keys = optional_keys(it, owner, head, end) if isinstance(owner, TrackedDict) else []
    if not keys or keys[: len(head)] != list(head):
        return False
    take_keys(end, keys)
    return True


def _joined_cell(it: Interpreter, trip: Trip, cell: Cell, v: Any) -> Spec | None:
    """The spec of a place after one more trip; None if the value tells nothing."""
    old, key = trip.specs[cell], cell[1]
    static = old.value if isinstance(old, StaticSpec) else None
    if isinstance(static, Conflict) or (v is UNBOUND and (static is UNBOUND or key == RESULT)):
        return None
    if isinstance(v, Poison) and not trip.poisoned:
        return None if v.seen is None else join_specs(old, v.seen) or several(old, v.seen)
    if isinstance(v, Conflict):
        _refuse_conflict(it, trip, cell, v)
    if key == RESULT and static is UNBOUND:
        return loose(spec_of(v, True, trip.known, it.captures.classes))
    new = spec_of(v, False, trip.known, it.captures.classes)
    joined = chosen_apart(it, (v,), (old, new), trip.known) or join_places(old, new)
    if joined is not None:
        return joined
    before = held_at(it, trip.before, cell)
    it.fit_lists(before, v)
    if (both := several(old, new) or chosen_objects(old, new, trip.known)) is not None:
        return both
    rebinds(it, before, v)
    if are_tuples(old) and are_tuples(new):
        _unroll(it, trip)
    _refuse_conflict(it, trip, cell, conflict(before, v))


def _unroll(it: Interpreter, trip: Trip) -> None:
    """Restarts with the loop unrolled if it has few trips, which are or can be made known.

    The length of a tuple is known when compiling: one that grows has another in each trip.
    """
    length = None if trip.over is None else trip.over.length
    now = it.captures.known_now(it, length)
    if now is None and isinstance(length, Var) and it.captures.is_soon_static(it, length):
        now = 0  # an integer argument
    if now is None or now > UNROLLED:
        return
    it.unrolled.add((it.frame.source.file, trip.node.lineno))
    it.static_int(length, trip.node, "the number of trips of a loop in which a tuple grows")
    raise RestartTracing("loops in which tuples grow are unrolled")


def _reshaped(it: Interpreter, trip: Trip, owner: Any, one: dict, two: dict) -> NoReturn:
    """Handles a container with other places after a trip: it grows, or the trips are unrolled."""
    try:
        reshaped(it, owner, one, two)
    except UnsupportedError:
        unroll_if_refused(it, trip)
        raise
    except RestartTracing:
        length = None if trip.over is None or it.attempts else trip.over.length
        captured = isinstance(owner, TrackedList) and is_captured(owner.key)
        if captured and isinstance(length, int) and length <= UNROLLED:
            it.captures.required.instead[owner.key] = (it.frame.source.file, trip.node.lineno)
        raise


def unroll_if_refused(it: Interpreter, trip: Trip) -> None:
    """Lets a loop of a few trips be unrolled if the program is refused (see `trace`)."""
    over = trip.over
    if over is None or it.attempts:
        return
    length: Any = over.length
    if isinstance(length, Var) and it.captures.is_of_sizes(it, length):
        length = it.static_int(length, trip.node, "the number of trips")
    if isinstance(length, int) and length <= UNROLLED:
        it.looped.add((it.frame.source.file, trip.node.lineno))


def _refuse_conflict(it: Interpreter, trip: Trip, cell: Cell, c: Conflict) -> NoReturn:
    unroll_if_refused(it, trip)
    raise _error_of(it, cell, c)


def _error_of(it: Interpreter, cell: Cell, c: Conflict) -> UnsupportedError:
    key = cell[1]
    if key == RESULT:
        return UnsupportedError(
            f"the returns of {it.frame.source.title}() do not fit together: {c.reason}",
            _returns_of(it, cell[0])[-1], "return one kind of value on every path",
        )  # fmt: skip
    what = str(key).lstrip("$") if cell[0] in it.scopes else f"the item or attribute {key!r}"
    return UnsupportedError(
        f"{what} changes kind in a loop: {c.reason}", it.b.loc,
        "give it one kind (dtype, rank, structure) before the loop, or use another name",
    )  # fmt: skip


def _returns_of(it: Interpreter, scope: int) -> list[Any]:
    """The places where the function with these names returns."""
    return next(f.returns for f in it.frames if id(f.env) == scope)


def narrowed(old: Any, new: Any) -> bool:
    """Whether a name only lost its doubt: it was read, hence bound."""
    return isinstance(old, MaybeUnbound) and new is old.value
