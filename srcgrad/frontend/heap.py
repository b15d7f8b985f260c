"""The state that a path may change besides its own names: lists, dicts, records, other frames.

A container keeps its identity while paths are interpreted, so that aliases stay aliases; a `State`
holds the contents. Where two paths leave different objects in one place, the object there
afterwards is *frozen* if another name may reach either: reading it is right, changing it is
refused. Never emits anything.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from srcgrad import tree
from srcgrad.errors import Location
from srcgrad.frontend.frame import frames_of
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.list_tails import Tail
from srcgrad.frontend.requirements import RestartTracing
from srcgrad.frontend.values import (
    Bound,
    Closure,
    GrownList,
    Iterated,
    MaybeNone,
    MaybeUnbound,
    Partial,
    Record,
    Several,
    Super,
    View,
)
from srcgrad.ir.nodes import Const, Var
from srcgrad.protocols import TRANSFORM, class_states, held
from srcgrad.records import record

# most of what names hold: nothing is inside
ALONE = frozenset({Var, Const, bool, int, float, complex, str, bytes, type(None), types.ModuleType})


@record()
class State:
    """The names of the running frame, the contents of objects, and which objects are frozen."""

    env: dict[str, Any]
    objects: dict[int, Any]  # by id, in the order of discovery
    contents: dict[int, dict]
    frozen: dict[int, Any]


MUTABLE = (list, dict, Record, GrownList)


def is_mutable(v: Any) -> bool:
    return isinstance(v, MUTABLE)


def contents(v: Any) -> dict:
    """The places of a container and their values; a list that grows has them in memory."""
    if isinstance(v, GrownList):
        return {}
    if isinstance(v, Tail):
        return dict(enumerate(v.added))
    if isinstance(v, list):
        return dict(enumerate(v))
    return dict(v.fields if isinstance(v, Record) else v)


def refill(v: Any, held: dict) -> None:
    """Replaces the contents of a container."""
    if isinstance(v, GrownList):
        return
    if isinstance(v, Tail):
        v.refill(held.values())
        return
    if isinstance(v, list):
        v[:] = held.values()
        return
    target = v.fields if isinstance(v, Record) else v
    target.clear()
    target.update(held)


Inside = Callable[[Any], Sequence[Any]]
# classes of values that hold others, and what is inside one
HOLDERS: tuple[tuple[type[Any], Inside], ...] = (
    (Closure, lambda v: [*v.defaults, *v.kw_defaults, *frames_of(v.frame)]),
    (Bound, lambda v: [v.owner]),
    (MaybeUnbound, lambda v: [v.value]),
    (MaybeNone, lambda v: [v.value]),
    (Several, lambda v: [v.one, v.other]),
    (Iterated, lambda v: [*v.sources, *(source for source, *_ in v.grown)]),
    (View, lambda v: [v.owner]),
    (Super, lambda v: [v.owner]),
    (functools.partial, lambda v: [v.func, *v.args, *v.keywords.values()]),
    (Partial, lambda v: [v.func, *v.args, *v.keywords.values()]),
    (types.MethodType, lambda v: [v.__self__]),
    (Tail, lambda v: v.added),
)


@functools.lru_cache(maxsize=1024)
def _inside(cls: type[Any]) -> Inside:
    """The way to the values inside one of a class: it is taken for each value at each branch."""
    for holder, inside in HOLDERS:
        if issubclass(cls, holder):
            return inside
    if class_states(cls, TRANSFORM):
        return lambda v: [held(v, "function")]
    return lambda v: tree.children(v) or ()


def reachable(roots: list[Any], skipped: Any) -> dict[int, Any]:
    """The mutable containers that can be reached, by id; not through those that are skipped."""
    return {id(v): v for v in _reached(roots, skipped) if is_mutable(v)}


def _reached(roots: list[Any], skipped: Any) -> Iterator[Any]:
    """All values that can be reached, but those in which nothing can be."""
    seen: set[int] = set()
    todo = list(reversed(roots))
    while todo:
        v = todo.pop()
        if type(v) in ALONE or id(v) in seen or id(v) in skipped:
            continue
        seen.add(id(v))
        yield v
        todo += reversed(_inside(type(v))(v))


def iterators_wait(it: Interpreter) -> bool:
    """Whether an iterator can be reached that has items left: what it reads is not known."""
    found = _reached(_roots(it), it.captures.immutable)
    return any(isinstance(v, Iterated) and v.once and not v.spent for v in found)


def names_iterator(it: Interpreter) -> bool:
    """Whether a name leads to an iterator: no state that is put back holds how far it has run."""
    found = _reached([env for f in it.frames for env in frames_of(f)], it.captures.immutable)
    return any(isinstance(v, Iterated) and v.once for v in found)


def _roots(it: Interpreter) -> list[Any]:
    return [*it.held, *(env for f in it.frames for env in frames_of(f))]


def reachable_now(it: Interpreter) -> dict[int, Any]:
    """The mutable containers that a name leads to."""
    return reachable(_roots(it), it.captures.immutable)


def snapshot(it: Interpreter) -> State:
    """The present state of everything reachable."""
    objects = reachable_now(it)
    objects.pop(id(it.env), None)
    return captured(it, objects)


def captured(it: Interpreter, objects: dict[int, Any]) -> State:
    """The present state of the given objects."""
    held = {k: contents(v) for k, v in objects.items()}
    return State(dict(it.env), objects, held, dict(it.frozen))


def restore(it: Interpreter, state: State) -> None:
    it.env.clear()
    it.env.update(state.env)
    for k, v in state.objects.items():
        refill(v, state.contents[k])
    it.frozen = dict(state.frozen)


def is_changed(it: Interpreter, before: State) -> bool:
    """Whether names or containers hold anything else than in a state before."""
    pairs = [(before.env, it.env)]
    pairs += [(before.contents[k], contents(v)) for k, v in before.objects.items()]
    return any(_differs(old, new) for old, new in pairs)


def _differs(old: dict, new: dict) -> bool:
    def same(a: Any, b: Any) -> bool:
        return a is b or (isinstance(a, MaybeUnbound) and a.value is b)

    return list(old) != list(new) or not all(same(old[k], new[k]) for k in old)


def freeze_shared(it: Interpreter, merges: list[tuple[Any, list[Any]]]) -> None:
    """Freezes each merged object, and its sources, if another name reaches these."""
    found = reachable_now(it)
    users: dict[int, set[int]] = {}
    for made, sources in merges:
        for s in sources:
            users.setdefault(id(s), set()).add(id(made))
    for made, sources in merges:
        others = [s for s in sources if s is not made]
        it.merged[id(made)] = made, others, meeting_at(it.b.loc)
        known = (found, it.frozen, it.captures.immutable)
        if any(len(users[id(s)]) > 1 or any(id(s) in k for k in known) for s in others):
            it.frozen.update({id(v): v for v in (made, *others)})


def meeting_at(loc: Location | None) -> tuple[Any, ...] | None:
    """The place where paths meet, as a key."""
    return None if loc is None else (loc.file, loc.line, loc.column)


def are_apart(it: Interpreter) -> bool:
    """Whether containers that paths leave here are not joined."""
    return meeting_at(it.b.loc) in it.captures.required.objects_apart


def keep_apart(it: Interpreter, owner: Any) -> None:
    """Restarts with the containers apart that were joined to this one, or it with others to one."""
    require_apart(it, {
        place
        for made, others, place in it.merged.values()
        if place is not None and any(v is owner for v in (made, *others))
    })  # fmt: skip


def require_apart(it: Interpreter, places: set[Any]) -> None:
    """Restarts with the containers apart that meet at some places."""
    apart = it.captures.required.objects_apart
    if not places <= apart:
        apart |= places
        raise RestartTracing("containers that are chosen are changed")


def note_change(it: Interpreter, owner: Any) -> None:
    """Notes where a container, or the names of another frame, are changed."""
    it.changes.append((owner, it.b.out[-1] if it.b.out else None))


def latest_change(it: Interpreter) -> Any:
    """Tells whether a container was changed since: another object then."""
    return it.changes[-1] if it.changes else None


def changing(it: Interpreter, owner: Any, node: Node) -> None:
    """Notes a change of a container beforehand; refuses one that may concern another container."""
    note_change(it, owner)
    if id(owner) in it.captures.in_instances:
        it.refuse(
            node, "an instance of a registered class that is given or captured cannot be "
            "changed in compiled code, nor can the containers in it",
            "make another one and return it; its arrays can be stored to",
        )  # fmt: skip
    if id(owner) in it.captures.immutable:
        if change_outer(it, owner):
            return
        it.refuse(
            node, "a container that the function captures cannot be changed in compiled code",
            "pass it as an argument and return what changes", runs=True,
        )  # fmt: skip
    if id(owner) in it.frozen:
        keep_apart(it, owner)
        it.refuse(
            node, "which of several containers this changes is only known at run time",
            "make a copy before changing it, or change it where it is chosen",
        )  # fmt: skip


def change_outer(it: Interpreter, owner: Any) -> bool:
    """Requires a captured container as one that is changed; False if it is none.

    Tracing goes on with it as it is, to find the others, and starts again then.
    """
    captures, known = it.captures, it.captures.required.changed
    outer = captures.outer.get(id(owner)) or captures.inner.get(id(owner))
    if outer is None or (outer.path.key in known and captures.required_before is None):
        return False
    if outer.path.key[-1] == "__dict__":  # its items are read as attributes, too
        return False
    captures.find_changed(it)
    known[outer.path.key] = outer.path, outer.name
    return True
