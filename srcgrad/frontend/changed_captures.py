"""Captured lists, dicts and dataclasses that a function changes.

They are taken before anything else runs, each object once, and are changed like those among the
arguments. What they hold at the end are results, which a plain call writes into the same objects.
"""

from __future__ import annotations

from copy import copy
from typing import Any

from srcgrad.errors import Location, SrcgradError, UnsupportedError
from srcgrad.frontend.captured_tables import lists_of, place_of_list_in
from srcgrad.frontend.captures import Captures
from srcgrad.frontend.formulas.longer_lists import LongerList
from srcgrad.frontend.guards import UNREADABLE, Path, attribute, item
from srcgrad.frontend.heap import contents
from srcgrad.frontend.interpreter import Interpreter
from srcgrad.frontend.list_tails import Tail
from srcgrad.frontend.outer import Outer
from srcgrad.frontend.requirements import is_captured, key_of_captured
from srcgrad.frontend.returned import Slot
from srcgrad.frontend.values import GrownList, MaybeNone, MaybeUnbound, Record
from srcgrad.records import record


@record(frozen=True)
class Held(Slot):
    """A slot in a template of writes: the object at a captured place, as the call finds it."""

    path: Path

    def find(self, arguments: dict[str, Any]) -> Any:
        return self.path.fetch()

    def is_part_of(self, key: Any) -> bool:
        whole = key_of_captured(self.path.key)
        return is_captured(key) and whole[: len(key)] == key


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

    `added` ones come after the items of a list, of which none is another one. What cannot come out
    is `refused` where a plain call would put it in.
    """

    at: Held
    name: str
    places: dict[Any, PlaceWrite]
    whole: bool
    added: bool = False
    refused: SrcgradError | None = None


@record(frozen=True)
class ListsWrite:
    """The final contents of a captured container, as templates of lists.

    Those are its items, the items that are `added`, or its keys and their values. If they `stay`,
    objects that are no numbers are those that the container has in the same places.
    """

    at: Held
    name: str
    lists: tuple[Any, ...]
    added: bool
    stay: bool
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


def partial_lists(captures: Captures) -> set[tuple[Any, ...]]:
    """The places of the captured lists of which only new items are known."""
    found = captures.outer.values()
    return {o.path.key for o in found if isinstance(o.made, Tail) or id(o.made) in captures.tails}


def slots_of_captured(it: Interpreter) -> dict[int, Slot]:
    """The slots of all captured containers, by the ids of their stand-ins."""
    return {k: Held(outer.path) for k, outer in it.captures.outer.items()}


def changed_containers(it: Interpreter) -> list[ContainerWrite | ListsWrite]:
    """The captured containers that hold something else at the end, not yet as templates."""
    found = [o for o in it.captures.outer.values() if id(o.value) in it.captures.changed]
    return [w for o in found if (w := _write(o, it.captures.rewritten)) is not None]


def _write(outer: Outer, rewritten: dict[Any, Location]) -> ContainerWrite | ListsWrite | None:
    if outer.lists:
        return _write_of_lists(outer, rewritten)
    now, first = contents(outer.made), outer.first
    if (items := _of_run(outer.made)) is not None:
        added = items is not outer.made
        made = items if added else copy(items)  # it is no slot of itself
        return _lists_write(outer, (made,), rewritten, added)
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


def _write_of_lists(outer: Outer, rewritten: dict[Any, Location]) -> ListsWrite | None:
    """The write of a container that is a program over lists, by what these hold."""
    made, changed = [], False
    for n, (v, first) in enumerate(zip(lists_of(outer.made), outer.lists, strict=True)):
        now, at = contents(v), place_of_list_in(outer, n)
        kept = {id(x): Held(at.then(item(k))) for k, x in first.items()}
        made.append(v if isinstance(v, GrownList) else [kept.get(id(x), x) for x in now.values()])
        same = [*now] == [*first] and all(x is first[k] for k, x in now.items())
        changed = changed or isinstance(v, GrownList) or not same
    return _lists_write(outer, tuple(made), rewritten) if changed else None


def _lists_write(
    outer: Outer, lists: tuple[Any, ...], rewritten: dict[Any, Location], added: bool = False
) -> ListsWrite:
    objects = [v for v in lists if isinstance(v, GrownList) and not v.of_numbers]
    moved = [] if added else [at for v in objects if (at := rewritten.get(v.key)) is not None]
    refused = None
    if moved:
        reason = f"items of '{outer.name}', which are no numbers, are moved or replaced"
        refused = UnsupportedError(reason, moved[0], "only append to it in loops of the run")
    return ListsWrite(Held(outer.path), outer.name, lists, added, bool(objects), refused)


def _of_run(made: Any) -> GrownList | None:
    """The list in memory of the items of a captured list, or of those that are added."""
    if isinstance(made, Record) and made.cls is LongerList:
        made = made.fields["new"]
    return made if isinstance(made, GrownList) else None


def _place(outer: Outer, k: Any) -> Path:
    return outer.path.then(attribute(k) if isinstance(outer.made, Record) else item(k))


def _place_write(v: Any, kept: dict[int, Held]) -> PlaceWrite:
    if isinstance(v, MaybeUnbound):
        return PlaceWrite(MaybeNone((v.value,), v.flag), some=True)
    return PlaceWrite(kept.get(id(v), v))
