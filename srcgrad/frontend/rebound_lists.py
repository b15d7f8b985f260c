"""Names of lists that paths bind to new lists: the list that was there gets the items of those.

`rows = [r for r in rows if test(r)]` in a loop makes a list in each trip, and paths that meet leave
two lists. Where nothing else leads to either, that is the same as `rows[:] = [...]`.
"""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.heap import (
    State,
    are_apart,
    contents,
    iterators_wait,
    meeting_at,
    reachable_now,
    refill,
    require_apart,
)
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.requirements import is_captured
from srcgrad.frontend.values import Bound, GrownList, TrackedList


def rebinds(it: Interpreter, one: Any, other: Any) -> None:
    """Restarts where two lists meet in a place, of which one may get the items of the other."""
    if all(isinstance(v, list | GrownList) for v in (one, other)):
        require_apart(it, {meeting_at(it.b.loc)})


def take_items(it: Interpreter, before: State, node: Node, live: set[str] | None) -> None:
    """Gives the lists of a state the items of the new ones that are in their places now.

    `live` are the names that are read later, None if all may be.
    """
    if not are_apart(it):
        return
    dead = {} if live is None else {n: v for n, v in it.env.items() if _is_dead(n, live)}
    for n in dead:
        del it.env[n]
    while any([_take(it, *place, node) for place in _rebound(it, before)]):
        continue  # one that was taken may have been all that led to another one
    it.env.update({n: v for n, v in dead.items() if n not in it.env})


def _rebound(it: Interpreter, before: State) -> list[tuple[Any, Any, Any]]:
    """The places where a list was that may take the items of the one that is there now."""
    out = []
    for owner, held in ((id(it.env), before.env), *before.contents.items()):
        target = None if owner == id(it.env) else before.objects[owner]
        now = it.env if target is None else contents(target)
        if isinstance(target, GrownList) or (target is not None and list(now) != list(held)):
            continue
        out += [(target, k, v) for k, v in held.items() if _may_take(it, v, now.get(k))]
    return out


def _is_dead(name: str, live: set[str]) -> bool:
    return name not in live and not name.startswith("$")


def _may_take(it: Interpreter, old: Any, new: Any) -> bool:
    """Whether a list was made here and grows, and another one is in its place."""
    lists = all(isinstance(v, list | GrownList) for v in (old, new))
    if new is old or not lists or id(old) in it.frozen:
        return False
    if isinstance(old, GrownList):
        return old.settled is None and not is_captured(old.key)
    return isinstance(old, TrackedList) and not is_captured(old.key)


def _take(it: Interpreter, target: Any, key: Any, old: Any, node: Node) -> bool:
    """Gives a list the items of the one in its place if nothing else leads to either."""
    new = (it.env if target is None else contents(target))[key]
    _put(it, target, key, None)
    found = reachable_now(it)
    shared = any(id(v) in found or id(v) in it.captures.immutable for v in (old, new))
    shared = shared or iterators_wait(it)
    if shared or isinstance(old, TrackedList):
        _put(it, target, key, new)
        if not shared:
            it.grow_if_it_can(old, False)
        return False
    it.held.append([old, new])
    try:
        it.call(Bound(old, "clear"), [], {}, node)
        never = isinstance(new, GrownList) and new.key in it.grown and it.grown[new.key][0] is None
        if not never:  # nothing in the program gives it an item
            it.call(Bound(old, "extend"), [new], {}, node)
    finally:
        it.held.pop()
    _put(it, target, key, old)
    return True


def _put(it: Interpreter, target: Any, key: Any, value: Any) -> None:
    if target is None:
        it.env[key] = value
    else:
        refill(target, {**contents(target), key: value})
