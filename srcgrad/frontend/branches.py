"""Joins the states that two paths leave: names and the places of containers, one by one.

Never interprets anything: the paths already have been.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NoReturn

import gast

from srcgrad.errors import UnsupportedError
from srcgrad.frontend.chosen_objects import chosen_apart, chosen_objects
from srcgrad.frontend.conflicts import conflict
from srcgrad.frontend.dict_values import TrackedDict, make_anew, make_groups, make_unordered
from srcgrad.frontend.flattening import Carrier
from srcgrad.frontend.frame import RESULT
from srcgrad.frontend.heap import (
    State,
    are_apart,
    captured,
    freeze_shared,
    is_mutable,
    restore,
)
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.joined_dicts import OPTIONAL, join_places, merged
from srcgrad.frontend.joins import loose, several, spec_of
from srcgrad.frontend.list_tails import Tail
from srcgrad.frontend.outcomes import note_same
from srcgrad.frontend.rebound_lists import rebinds, take_items
from srcgrad.frontend.specs import Spec
from srcgrad.frontend.tables import may_grow, mixes
from srcgrad.frontend.values import (
    UNBOUND,
    Conflict,
    GrownList,
    MaybeUnbound,
    Record,
    TrackedList,
    describe,
    is_number,
)
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import If, Var

Cell = tuple[int, Any]  # a place: the id of a container or of a frame's names, and a key


def join(
    it: Interpreter, test: Var, before: State, states: list[State], blocks: list[list],
    node: Node | None, live_rest: bool,
) -> None:  # fmt: skip
    """Joins two states into the present one, and emits the `If`."""
    live = None if live_rest or not isinstance(node, gast.If) else it.frame.live.live_after(node)
    if node is not None and are_apart(it):
        for k, state in enumerate(states):
            restore(it, state)
            with _reopened(it.b, blocks[k]):
                take_items(it, before, node, live)
            states[k] = captured(it, state.objects)
    changed = _differences(it, test, states, live)
    specs = _specs(it, test, states, changed)
    carriers = [Carrier(it), Carrier(it)]
    yields: tuple[list, list] = ([], [])
    for k, state in enumerate(states):
        restore(it, state)
        with _reopened(it.b, blocks[k]):
            for cell, spec in specs.items():
                if not isinstance(spec, Conflict):
                    yields[k].extend(carriers[k].flatten(spec, changed[cell][k]))
    joined, results, made = _joined_state(it, test, states, specs)
    note_same(it, test, zip(results, *yields, strict=True))
    restore(it, joined)
    freeze_shared(
        it,
        [
            (m, [s for s in sources if s is not None])
            for m, *sources in zip(made, *(c.seen for c in carriers), strict=True)
        ],
    )
    it.b.append(
        If(test, tuple(blocks[0]), tuple(blocks[1]), tuple(yields[0]), tuple(yields[1]),
           tuple(results), it.b.loc)
    )  # fmt: skip


def _differences(
    it: Interpreter, test: Var, states: list[State], live: set[str] | None
) -> dict[Cell, tuple]:
    """The places where two states differ, and both values."""
    one, two = states
    mine = id(it.env)
    changed: dict[Cell, tuple] = {}
    pairs = [(mine, one.env, two.env)]
    pairs += [(k, one.contents[k], two.contents[k]) for k in one.objects]
    for owner, a, c in pairs:
        v = None if owner in it.scopes else one.objects.get(owner)
        if v is not None and not isinstance(v, Record) and list(a) != list(c):
            if keys := optional_keys(it, v, a, c):
                for held in (a, c):
                    take_keys(held, keys)
            else:
                it.decide(Conflict("", test=test), node=None)
                reshaped(it, v, a, c)
        for key in dict.fromkeys([*a, *c]):
            x, y = a.get(key, UNBOUND), c.get(key, UNBOUND)
            if x is y:
                continue
            flag = owner in it.scopes and key.startswith("$")
            if owner == mine and live is not None and key not in live and not flag:
                continue
            if flag and key not in (RESULT, "$value"):
                x, y = (False if v is UNBOUND else v for v in (x, y))
            changed[owner, key] = x, y
    return changed


def lasting(it: Interpreter, state: State) -> set[int]:
    """The containers that keep their identity in all that starts from this state."""
    return {*state.objects, *it.captures.immutable}


def _specs(
    it: Interpreter, test: Var, states: list[State], changed: dict[Cell, tuple]
) -> dict[Cell, Any]:
    """The spec of each place that differs; a Conflict where there is none."""
    sides: list[dict] = []
    known: set[int] = set()
    for k, state in enumerate(states):
        restore(it, state)
        known = lasting(it, state)
        sides.append({c: _side(it, c, v, k, known) for c, v in changed.items()})
    out: dict[Cell, Any] = {}
    for cell, (x, y) in changed.items():
        one, two = sides[0][cell], sides[1][cell]
        spec = chosen_apart(it, (x, y), (one, two), known) or _joined_spec(cell, (x, y), one, two)
        if spec is None:
            it.fit_lists(x, y)
            if one is not None and two is not None:
                spec = several(one, two) or chosen_objects(one, two, known)
        if spec is None:
            rebinds(it, x, y)
        if spec is None and cell[0] not in it.scopes:
            it.decide(Conflict("", test=test), node=None)
            refuse_slot(it, states[0].objects[cell[0]], cell[1], conflict(x, y).reason)
        if spec is None:
            earlier = [v for v in (x, y) if isinstance(v, Conflict)]
            spec = earlier[0] if earlier else replace(conflict(x, y), test=test)
        out[cell] = spec
    return out


def _joined_state(
    it: Interpreter, test: Var, states: list[State], specs: dict[Cell, Any]
) -> tuple[State, list[Var], list[Any]]:
    """The state after a branch, its results, and the containers that were rebuilt."""
    one, two = states
    carrier, results = Carrier(it), []
    env = {k: v for k, v in one.env.items() if v is two.env.get(k, UNBOUND)}
    held = {k: dict(v) for k, v in one.contents.items()}
    for (owner, key), spec in specs.items():
        value: Any = spec
        if not isinstance(spec, Conflict):
            new, value = carrier.fresh(spec, str(key).lstrip("$"))
            results += new
            if isinstance(value, MaybeUnbound):
                value.test = test
        (env if owner == id(it.env) else held[owner])[key] = value
    frozen = {**one.frozen, **two.frozen}
    return State(env, one.objects, held, frozen), results, carrier.made


# ---- keys that some paths set ----
def optional_keys(it: Interpreter, owner: Any, one: dict, two: dict) -> list[Any]:
    """All keys of a dict whose keys, or their order, differ between two paths.

    [] if they are no texts or too many. What is put at the end of a captured list has places; []
    if a container that a path lacks is among them: that would have to be one object on all paths.
    """
    apart = [held[k] for held, other in ((one, two), (two, one)) for k in held if k not in other]
    if isinstance(owner, Tail) and not any(map(is_mutable, apart)):
        return list(max(one, two, key=len))
    if not isinstance(owner, TrackedDict):
        return []
    held = [*one.values(), *two.values()]
    lacking = {k for d in (one, two) for k, v in d.items() if isinstance(v, MaybeUnbound)}
    if not all(isinstance(k, str) for k in (*one, *two)):
        return []
    lacking |= set(one) ^ set(two)
    if len(lacking) > OPTIONAL or any(isinstance(v, Conflict) for v in held):
        return []
    if owner.unordered:
        return [*one, *(k for k in two if k not in one)]
    keys = merged(list(one), list(two))
    if not keys:
        make_unordered(it, owner)
    return keys


def take_keys(held: dict, keys: list[str]) -> None:
    """Gives a dict these keys, in this order, without a value where it had none."""
    now = {k: held.get(k, UNBOUND) for k in keys}
    held.clear()
    held.update(now)


# ---- what does not fit ----
def reshaped(it: Interpreter, owner: Any, one: dict, two: dict) -> NoReturn:
    """Handles a container with different places on two paths: a list may grow at run time."""
    if isinstance(owner, TrackedList) and owner.key is not None:
        held = [*one.values(), *two.values()]
        items = [v.value if isinstance(v, MaybeUnbound) else v for v in held]
        if items and (may_grow(items, texts=True) or mixes(it, owner.key, items)):
            it.grow(owner.key, items[-1])
        if items and all(isinstance(v, list | GrownList) for v in items):
            make_groups(it, owner.key)
    if isinstance(owner, TrackedDict) and all(map(_is_key_of_the_run, (*one, *two))):
        make_anew(it, owner)
    where = it.shaped_at.get(id(owner), it.b.loc)
    if isinstance(owner, Tail) or (isinstance(owner, TrackedList) and owner.key is None):
        raise UnsupportedError(
            "the length of a list that is not made here depends on the path", where,
            "append to a list that is made here, and return np.array(...) of it",
        )  # fmt: skip
    if isinstance(owner, list):
        raise UnsupportedError(
            "a list that grows in a run-time loop or branch must be a list of numbers, of arrays "
            "of one rank and dtype, or of tuples, lists, dicts or objects of these, all alike",
            where, "append items of one kind, or store into an array that is made before",
        )  # fmt: skip
    other = [k for k in dict.fromkeys([*one, *two]) if (k in one) != (k in two)]
    what = "attribute" if isinstance(owner, Record) else "key"
    reason = f"the order of the keys of {describe(owner)} depends on the path"
    if other:
        reason = f"{describe(owner)} has the {what} {other[0]!r} on one path only"
    raise UnsupportedError(reason, where, "set it before the loop or branch")


def _is_key_of_the_run(key: Any) -> bool:
    """Whether the run could decide a key like this one: a number, or a tuple of numbers."""
    return is_number(key) or (isinstance(key, tuple) and all(map(is_number, key)))


def refuse_slot(it: Interpreter, owner: Any, key: Any, reason: str) -> NoReturn:
    what = f"the attribute '{key}'" if isinstance(owner, Record) else f"the item {key!r}"
    raise UnsupportedError(
        f"{what} of {describe(owner)} changes kind: {reason}", it.b.loc,
        "give it one kind of value",
    )  # fmt: skip


def _side(it: Interpreter, cell: Cell, values: tuple, k: int, known: Any) -> Spec | None:
    """The spec of the value that one path left in a place."""
    if any(isinstance(v, Conflict) for v in values):
        return None
    v = values[k]
    if cell[1] == RESULT and v is not UNBOUND and any(w is UNBOUND for w in values):
        # one side has not returned yet: its value is never read
        return loose(spec_of(v, True, known, it.captures.classes))
    return spec_of(v, False, known, it.captures.classes)


def _joined_spec(cell: Cell, values: tuple, one: Spec | None, two: Spec | None) -> Spec | None:
    if one is None or two is None:
        return None
    if cell[1] == RESULT and any(v is UNBOUND for v in values):
        return two if values[0] is UNBOUND else one
    return join_places(one, two)


class _reopened:
    """Appends to a block that was closed, within the `with` block."""

    def __init__(self, builder: Builder, out: list):
        self.b, self.out = builder, out

    def __enter__(self) -> None:
        self.outer, self.b.out = self.b.out, self.out
        self.b.scopes.append({})

    def __exit__(self, *exc: object) -> None:
        self.b.out = self.outer
        self.b.scopes.pop()
