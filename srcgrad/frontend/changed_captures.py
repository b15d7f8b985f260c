"""Captured lists, dicts and dataclasses that a function changes.

They are taken before anything else runs, each object once, and are changed like those among the
arguments. What they hold at the end are results, which a plain call writes into the same objects.
"""

from __future__ import annotations

from typing import Any

from srcgrad.errors import SrcgradError
from srcgrad.frontend.captured_items import Outer
from srcgrad.frontend.guards import UNREADABLE, Path, attribute, item
from srcgrad.frontend.heap import contents
from srcgrad.frontend.interpreter import Interpreter
from srcgrad.frontend.list_tails import Tail
from srcgrad.frontend.returned import Slot
from srcgrad.frontend.values import MaybeNone, MaybeUnbound, Record
from srcgrad.records import record


@record(frozen=True)
class Held(Slot):
    """A slot in a template of writes: the object at a captured place, as the call finds it."""

    path: Path

    def find(self, arguments: dict[str, Any]) -> Any:
        return self.path.fetch()


@record(frozen=True)
class PlaceWrite:
    """The final value of a place, as a template.

    Of a place that only `some` paths fill it is a tuple of the value; None on the other paths.
    """

    value: Any
    some: bool = False


@record(frozen=True)
class ContainerWrite:
    """The final contents of a captured container; `whole` if it loses places.

    `added` ones come after the items of a list, of which none is another one.

    What cannot come out is `refused` where a plain call would put it in.
    """

    at: Held
    name: str
    places: dict[Any, PlaceWrite]
    whole: bool
    added: bool = False
    refused: SrcgradError | None = None


def take_changed(it: Interpreter) -> None:
    """Reads the captured containers that are changed, before anything else runs."""
    captures, there = it.captures, []
    for path, name in captures.required.changed.values():
        try:
            value = path.fetch()
        except UNREADABLE:  # it was at this place in another call
            continue
        captures.changed[id(value)] = value
        there.append((path, name))
    for path, name in there:
        it.held.append(captures.take(it, path, name, None))


def slots_of_captured(it: Interpreter) -> dict[int, Slot]:
    """The slots of all captured containers, by the ids of their stand-ins."""
    return {k: Held(outer.path) for k, outer in it.captures.outer.items()}


def changed_containers(it: Interpreter) -> list[ContainerWrite]:
    """The captured containers that hold something else at the end, not yet as templates."""
    found = [o for o in it.captures.outer.values() if id(o.value) in it.captures.changed]
    return [w for o in found if (w := _write(o)) is not None]


def _write(outer: Outer) -> ContainerWrite | None:
    now, first = contents(outer.made), outer.first
    if isinstance(outer.made, Tail):
        after = {len(outer.value) + k: _place_write(v, {}) for k, v in now.items()}
        return ContainerWrite(Held(outer.path), outer.name, after, False, True) if now else None
    whole = [*now][: len(first)] != [*first]
    kept = {id(v): Held(_place(outer, k)) for k, v in first.items()}
    places = {
        k: _place_write(v, kept) for k, v in now.items()
        if whole or k not in first or v is not first[k]
    }  # fmt: skip
    if not places and not whole:
        return None
    return ContainerWrite(Held(outer.path), outer.name, places, whole)


def _place(outer: Outer, k: Any) -> Path:
    return outer.path.then(attribute(k) if isinstance(outer.made, Record) else item(k))


def _place_write(v: Any, kept: dict[int, Held]) -> PlaceWrite:
    if isinstance(v, MaybeUnbound):
        return PlaceWrite(MaybeNone((v.value,), v.flag), some=True)
    return PlaceWrite(kept.get(id(v), v))
