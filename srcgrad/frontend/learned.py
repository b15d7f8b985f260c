"""The kinds of carried places that the trials of the loop around have found for a loop.

A loop inside another is interpreted anew in each trial of that one. It begins with the kinds that
it settled on there, so the trials of a nest add up and do not multiply. Kinds only widen from one
trial to the next: it settles on the same ones as from the start.
"""

from __future__ import annotations

import types
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field, replace
from typing import Any

import numpy as np

from srcgrad.frontend.carried import Trip, carry
from srcgrad.frontend.frame import RESULT
from srcgrad.frontend.heap import contents, is_mutable
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.joins import join_specs, several
from srcgrad.frontend.specs import (
    VALUES,
    ArraySpec,
    MaybeSpec,
    PartsSpec,
    SeveralSpec,
    Spec,
    StaticSpec,
)
from srcgrad.frontend.values import MADE, UNBOUND, Record, Unbound
from srcgrad.ir.nodes import Var
from srcgrad.records import record

Place = tuple[tuple[Any, ...], Any]  # the names that lead to a container, and a key in it
DEEPEST = 3  # containers within one another that names lead to
LASTING = (*VALUES, Unbound, type, np.ufunc, types.FunctionType, types.BuiltinFunctionType)


@record()
class Learned:
    """The kinds at the head of a loop as its first trial assumed them, and those it settled on."""

    turned: bool = False
    first: dict[Place, Spec] = field(default_factory=dict)
    settled: dict[Place, Spec] = field(default_factory=dict)  # where they differ
    inside: dict[Any, Learned] = field(default_factory=dict)  # of the loops in its body
    met: Counter[Any] = field(default_factory=Counter)  # how often a trial has come to each


def of_loop(it: Interpreter, node: Node) -> Learned:
    """The record of a loop, which earlier trials of the loop around share."""
    if not it.nest:
        return Learned()
    around, place = it.nest[-1], it.place(node)
    around.met[place] += 1
    return around.inside.setdefault((place, around.met[place]), Learned())


@contextmanager
def one_trial(it: Interpreter, learned: Learned) -> Iterator[None]:
    """Within it the body of the loop is interpreted once."""
    learned.met.clear()
    it.nest.append(learned)
    it.begun.append(next(MADE))
    try:
        yield
    finally:
        it.begun.pop()
        it.nest.pop()


def assume(it: Interpreter, trip: Trip, learned: Learned) -> None:
    """Widens the kinds at the head to those that a trial of the loop around came to."""
    named = _containers(it)
    owners = {names: owner for owner, names in named.items()}
    wider = all(_is_wider(trip, owners, place, spec) for place, spec in learned.first.items())
    if not learned.settled or not wider:
        learned.first = _first(trip, named)
        learned.settled.clear()
        return
    for place, spec in learned.settled.items():
        cell = _cell(trip, owners, place)
        if cell is None:
            continue
        if cell not in trip.specs:
            carry(it, trip, cell)
        now = trip.specs[cell]
        same = _without_lengths(now) == learned.first.get(place)
        joined = spec if same else join_specs(now, spec) or several(now, spec)
        trip.specs[cell] = now if joined is None else joined


def note(it: Interpreter, trip: Trip, learned: Learned) -> None:
    """Notes the kinds on which a loop has settled, where they tell the next trial something."""
    learned.turned = trip.turned
    if trip.poisoned or not it.nest:
        return
    named = _containers(it)
    for (owner, key), spec in trip.specs.items():
        place = (named.get(owner, ()), key)
        kind = _without_lengths(spec)
        changed = kind is not None and kind != learned.first.get(place)
        if owner in named and changed and _lasts(spec):
            learned.settled[place] = spec


def _first(trip: Trip, named: dict[int, tuple]) -> dict[Place, Spec]:
    cells = [(o, key, spec) for (o, key), spec in trip.specs.items() if o in named]
    pairs = [((named[o], key), _without_lengths(spec)) for o, key, spec in cells]
    return {place: spec for place, spec in pairs if spec is not None}


def _is_wider(trip: Trip, owners: dict[tuple, int], place: Place, old: Spec) -> bool:
    """Whether a place has the kind of an earlier trial now, or one that includes it."""
    cell = _cell(trip, owners, place)
    if cell is None or cell not in trip.specs:
        return False
    now = _without_lengths(trip.specs[cell])
    if place[1] == RESULT and isinstance(old, StaticSpec) and old.value is UNBOUND:
        return True  # a path that has not returned has no result
    return now is not None and join_specs(old, now) == now


def _cell(trip: Trip, owners: dict[tuple, int], place: Place) -> Any:
    """The place now; None if it is not there, or was made after the loop began."""
    names, key = place
    owner = owners.get(names)
    return (owner, key) if not names or owner in trip.before.objects else None


def _containers(it: Interpreter) -> dict[int, tuple]:
    """The containers that names of the running function lead to, and the names themselves."""
    found: dict[int, tuple] = {id(it.env): ()}
    todo: list[tuple[Any, tuple]] = [(v, (name,)) for name, v in it.env.items()]
    for v, names in todo:  # which grows meanwhile
        if not is_mutable(v) or id(v) in found:
            continue
        found[id(v)] = names
        if len(names) < DEEPEST:
            todo += [(part, (*names, key)) for key, part in contents(v).items()]
    return found


def _lasts(spec: Spec) -> bool:
    """Whether a kind names nothing that one trial makes."""
    dims = spec.dims if isinstance(spec, ArraySpec) else ()
    return not any(isinstance(d, Var) for d in dims) and all(map(_lasts, _parts(spec)))


def _parts(spec: Spec) -> tuple[Spec, ...]:
    match spec:
        case PartsSpec():
            return spec.parts
        case MaybeSpec():
            return (spec.inner,)
        case SeveralSpec():
            return spec.one, spec.other
    return ()


def _without_lengths(spec: Spec) -> Spec | None:
    """A kind with all lengths of the run alike; None if it is that of one object."""
    match spec:
        case StaticSpec(value):
            return spec if isinstance(value, LASTING) else None
        case ArraySpec():
            return replace(spec, dims=tuple(-1 if isinstance(d, Var) else d for d in spec.dims))
        case MaybeSpec() | SeveralSpec():
            made = {n: _without_lengths(v) for n, v in vars(spec).items() if n != "absent"}
            return None if None in made.values() else replace(spec, **made)
        case PartsSpec():
            parts = [_without_lengths(p) for p in spec.parts]
            apart = issubclass(spec.kind[0], list | tuple | dict | Record) and spec.same is None
            return replace(spec, parts=tuple(parts)) if apart and None not in parts else None
    return spec
