"""Templates of what a function returns, whose numbers and arrays are results of the program."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import field
from typing import Any

from srcgrad import tree
from srcgrad.errors import Location, ReturnTypeError, UnsupportedError, located
from srcgrad.frontend import instances, source
from srcgrad.frontend.derived_instances import base_name
from srcgrad.frontend.formulas.clocks import OUTSIDE, Reading
from srcgrad.frontend.formulas.dict_classes import ITEMS
from srcgrad.frontend.formulas.list_classes import HELD
from srcgrad.frontend.formulas.registry import INSTANCES, MADE_INSIDE
from srcgrad.frontend.grown_lists import GrownTable
from srcgrad.frontend.heap import is_mutable
from srcgrad.frontend.interpreter import LIMIT, Interpreter
from srcgrad.frontend.library_source import CLASSES
from srcgrad.frontend.masked_constant import Masked
from srcgrad.frontend.numba_objects import is_jitclass
from srcgrad.frontend.returned_containers import ContainerOfRun, why_inside, with_containers
from srcgrad.frontend.returned_lists import OF_THE_RUN, list_of_run
from srcgrad.frontend.tables import Coded
from srcgrad.frontend.texts import literal
from srcgrad.frontend.values import (
    Conflict,
    GrownList,
    MaybeNone,
    MaybeUnbound,
    Record,
    Several,
    describe,
    is_array,
    is_number,
    is_value,
)
from srcgrad.ir.nodes import Atom, Var, atom
from srcgrad.ir.types import is_complex
from srcgrad.records import record
from srcgrad.tree import Leaf

ONE_KIND = "return one kind of value on every path"


@record(frozen=True)
class Choice:
    """One of two templates: the first where a flag among the results holds."""

    flag: Any
    one: Any
    other: Any
    said: str  # where only one of them can be returned
    loc: Location | None


def _choice_like(like: Choice, parts: Sequence[Any]) -> Choice:
    """A choice between other templates; a flag that has no tangent stays as it is."""
    flag, one, other = parts
    return Choice(like.flag if flag is None else flag, one, other, like.said, like.loc)


tree.add_kind(Choice, tree.Kind(
    lambda v: [v.flag, v.one, v.other],
    _choice_like,
    lambda v: ["flag", "one", "other"],
    outside=lambda like, parts: parts[1] if parts[0] else parts[2],
))  # fmt: skip


class Slot(ABC):
    """A place in a template of writes: an object of the caller's."""

    @abstractmethod
    def find(self, arguments: dict[str, Any]) -> Any: ...

    def is_part_of(self, key: Any) -> bool:
        """Whether the object lies in the captured list of a key, as the call finds it."""
        return False


tree.add_leaves(Slot)


@record(frozen=True)
class Shared:
    """A container that is made for what is written: one object for all templates of its number."""

    number: int
    value: Any


tree.add_kind(Shared, tree.Kind(
    lambda v: [v.value], lambda like, parts: Shared(like.number, parts[0]), lambda v: ["value"],
    outside=lambda like, parts: parts[0],
))  # fmt: skip


@record(frozen=True)
class OfClasses:
    """A number that may be of another class than here: one in its place that is equal stays."""

    value: Any


tree.add_kind(OfClasses, tree.Kind(
    lambda v: [v.value], lambda like, parts: OfClasses(parts[0]), lambda v: ["value"]
))  # fmt: skip


@record()
class Written:
    """The containers among what is written: the caller's by their ids, and those that are made."""

    slots: Mapping[int, Slot]
    numbers: dict[int, int] = field(default_factory=dict)
    held: list[Any] = field(default_factory=list)  # so that ids stay theirs
    # the containers that lists of the run hold by their leaves, by the key of the list and by id
    listed: dict[Any, Mapping[int, Any]] = field(default_factory=dict)
    twice: Set[int] = frozenset()  # of these, those that one list has in several places
    merged: Mapping[int, tuple[Any, list[Any], Any]] = field(default_factory=dict)

    def is_apart(self) -> bool:
        """Whether a container would be another one elsewhere.

        A list of the run holds the parts of one, and one of several is made anew.
        """
        ids = [k for inside in self.listed.values() for k in inside]
        if not self.twice.isdisjoint(ids):
            return True
        made = {number: k for k, number in self.numbers.items() if k in self.merged}
        ids += [o for k in made.values() for o in self._origins(k)]
        return len({*ids}) < len(ids) or any(k in self.slots or k in self.numbers for k in ids)

    def list(self, key: Any, items_of: Mapping[Any, Mapping[int, Any]]) -> None:
        """Notes what a list of the run holds, its parts too, beside the items that stay in it."""
        own = key or (None,)
        inside = [held for k, held in items_of.items() if k and k[: len(own)] == own]
        self.listed[key] = {
            i: x for held in inside for i, x in held.items()
            if i not in self.slots or not self.slots[i].is_part_of(key)
        }  # fmt: skip

    def _origins(self, k: int) -> set[int]:
        """The containers of which one is that of an id."""
        found: set[int] = set()
        todo = [k]
        while todo:
            new = {id(v) for v in self.merged.get(todo.pop(), (None, [], None))[1]} - found
            found |= new
            todo += new
        return found

    def number(self, v: Any) -> int:
        self.held.append(v)
        return self.numbers.setdefault(id(v), len(self.numbers))

    def has_seen(self, result: Any) -> bool:
        """Whether a container in a result is in another place as well."""
        held = [n for n in _all_inside(result) if is_mutable(n)]
        ids = [id(n) for n in held]
        lists = any(isinstance(n, GrownTable) or id(n) in self.merged for n in held)
        seen = any(k in self.slots or k in self.numbers for k in ids)
        return seen or lists or len({*ids}) < len(ids)

    def note(self, old: Any, new: Any) -> None:
        """Notes that a container is made in another form."""
        if is_mutable(old):
            self.numbers[id(new)] = self.number(old)
            self.held.append(new)

    def with_slots(self, v: Any) -> Any:
        """The value with slots for the containers in it that are the caller's."""
        if id(v) in self.slots:
            return self.slots[id(v)]
        registered = isinstance(v, Record) and tree.registered_as(v.cls) is not None
        parts = None if registered or not self.slots else tree.children(v)
        if parts is None:
            return v
        new = [self.with_slots(p) for p in parts]
        if all(p is q for p, q in zip(new, parts, strict=True)):
            return v
        out = tree.rebuilt(v, new)
        self.note(v, out)
        return out

    def template(self, like: Any, parts: Sequence[Any]) -> Any:
        made = _untracked(like, parts)
        one = is_mutable(like) or isinstance(like, ContainerOfRun)
        return Shared(self.number(like), made) if one else made


def _all_inside(v: Any) -> Iterator[Any]:
    """The structures and leaves of a value, those of all its kinds."""
    yield from tree.nodes(v)
    for leaf in tree.leaves(v):
        yield leaf
        match leaf:
            case MaybeNone() | MaybeUnbound():
                yield from _all_inside(leaf.value)
            case Several():
                yield from _all_inside(leaf.one)
                yield from _all_inside(leaf.other)


def taken_apart(
    it: Interpreter, v: Any, atoms: list[Atom], found: source.Source, choices: bool = False,
    written: Written | None = None,
) -> Any:  # fmt: skip
    """The template of a result; its numbers and arrays go to `atoms`.

    Without `choices` it has one kind: where it has another one, it is refused as it runs; and no
    list whose length only the run tells. What is `written` outside has the caller's containers.
    """
    at = it.returned_at or found.location(found.tree)

    def checked(v: Any) -> Any:
        for each in tree.nodes(v):
            if isinstance(each, Record) and issubclass(each.cls, Reading):
                reason = f"{found.title}() returns what depends on {describe(each)}"
                raise UnsupportedError(reason, at, OUTSIDE)
            if isinstance(each, Record) and each.cls in {*CLASSES, *INSTANCES, *MADE_INSIDE}:
                why, parts = "which is made inside only", "coefficients: p.coeffs"
                if each.cls in INSTANCES:
                    why, parts = why_inside(each)
                parts = MADE_INSIDE.get(each.cls, parts)
                raise ReturnTypeError(
                    f"{found.title}() returns {describe(each)}, {why}", at, f"return its {parts}"
                )
            if isinstance(each, Record) and (ITEMS in each.fields or HELD in each.fields):
                name = base_name(each.cls)
                raise ReturnTypeError(
                    f"{found.title}() returns {describe(each)}, which derives from {name}",
                    at, f"return a plain {name}: {name}(...)",
                )  # fmt: skip
            if isinstance(each, Record) and is_jitclass(each.cls):
                raise ReturnTypeError(
                    f"{found.title}() returns an instance of a jitclass of Numba's",
                    at, "return its fields",
                )  # fmt: skip
            if isinstance(each, Record) and issubclass(each.cls, BaseException):
                leaf(each)
        return v

    def part(v: Any) -> Any:
        v = v if written is None else written.with_slots(v)
        v = v if choices else _arrays_of(v)
        with instances.standing(it, found):
            v = with_containers(v, written and written.note) if choices else v
            v = instances.opened(it, checked(v), found.tree)
        return tree.mapped(v, leaf, _untracked if written is None else written.template)

    def item(v: Any) -> Any:
        """The template of an item of a list, whose numbers and arrays have places already."""
        held = lambda x: x if isinstance(x, Leaf | Coded) else leaf(x)
        v = v if written is None else written.with_slots(v)
        return tree.mapped(checked(v), held, _untracked)

    def choice(flag: Any, one: Any, other: Any, said: str, at: Location | None) -> Any:
        return Choice(part(flag), part(one), part(other), said, at)

    def leaf(v: Any) -> Any:
        if written is not None and is_array(v):  # one array stays one by several names
            known = next((k for k, a in enumerate(atoms) if a is v), None)
            if known is not None:
                return Leaf(known)
        if is_value(v) and (isinstance(v, Var) or is_number(v)):
            atoms.append(atom(v))
            return Leaf(len(atoms) - 1)
        if isinstance(v, GrownList):
            if choices:
                if written is not None:
                    written.list(v.key, it.captures.items_of)
                found_list = list_of_run(it, v, atoms, at, item)
                return Shared(written.number(v), found_list) if written else found_list
            raise UnsupportedError(
                f"{OF_THE_RUN} cannot be returned by what is differentiated or batched inside",
                found.location(found.tree), "return np.array(...) of it",
            )  # fmt: skip
        if isinstance(v, MaybeNone):
            said = f"{found.title}() returns None here, which has no derivative"
            text = literal(located(said, None, "return a number there, or raise"))
            if choices:
                return choice(v.flag, v.value, None, text, found.location(found.tree))
            with instances.standing(it, found):
                it.fail_if(it.b.logical_not(v.flag), LIMIT, text)
            return part(v.value)
        if isinstance(v, Several):
            said = f"the returns of {found.title}() do not fit together: {v.reason}"
            way_out = ONE_KIND
            if isinstance(v.one, Masked) or isinstance(v.other, Masked):
                said = f"{found.title}() returns np.ma.masked here, which has no derivative"
                way_out = "return a number there, or raise"
            if choices:
                text = literal(located(said, None, way_out))
                return choice(v.flag, v.one, v.other, text, at)
            return part(_array_of(it, v, found, at, said))
        if isinstance(v, Masked):
            return v.outside()
        if v is None or isinstance(v, str | bool | type | Slot):
            return v
        raise ReturnTypeError(
            f"{found.title}() returns {_described(v)}, which is not a number, an array "
            "or a container of them", at,
        )  # fmt: skip

    return part(v)


def _is_real(v: Any) -> bool:
    """Whether a result is a real number or an array of them."""
    is_number_or_array = is_value(v) and (isinstance(v, Var) or is_number(v))
    return is_number_or_array and not is_complex(atom(v).type.dtype)


def _array_of(it: Interpreter, v: Several, found: source.Source, at: Location, said: str) -> Any:
    """The array, or the real one, of two kinds of a result; fails at run time on the other path."""
    kinds = [_is_real(p) for p in (v.one, v.other)]
    if sum(kinds) != 1:
        kinds = [is_array(p) and p.type.ndim > 0 for p in (v.one, v.other)]
    if sum(kinds) != 1 or isinstance(v.other, Several):
        raise UnsupportedError(said, at, ONE_KIND)
    wrong = it.b.logical_not(v.flag) if kinds[0] else v.flag
    with instances.standing(it, found):
        it.b.loc = at
        it.fail_if(wrong, LIMIT, literal(located(said, None, ONE_KIND)))
    return v.one if kinds[0] else v.other


def _arrays_of(v: Any) -> Any:
    """A structure with the arrays of instances that are one."""
    if isinstance(v, Record) and tree.VALUE in v.fields:
        return v.fields[tree.VALUE]
    parts = tree.children(v)
    new = [_arrays_of(p) for p in parts or ()]
    same = all(p is q for p, q in zip(new, parts or (), strict=True))
    return v if same else tree.rebuilt(v, new)


def _untracked(like: Any, parts: Sequence[Any]) -> Any:
    """A structure like another one, whose lists are plain ones."""
    return list(parts) if isinstance(like, list) else tree.rebuilt(like, parts)


def _described(v: Any) -> str:
    if isinstance(v, Conflict | MaybeUnbound):
        return "a value of several kinds"
    return describe(v)
