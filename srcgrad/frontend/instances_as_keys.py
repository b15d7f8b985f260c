"""Captured instances as keys of dicts and members of sets: found by their `__eq__`, as in Python.

Their comparisons are read like others, so what they read is guarded. A program is for one answer.
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from srcgrad.frontend.derived import made_by_statement
from srcgrad.frontend.guards import DICTS, KEYS, OUTSIDE, Equal, Guard, Path, Reason, Step
from srcgrad.frontend.guards import ITEMS as MEMBERS
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.special_methods import class_of_instance, method_of, special
from srcgrad.frontend.values import Record, describe
from srcgrad.frontend.watches import watch_method
from srcgrad.ir.nodes import Const, Var
from srcgrad.records import record

_PLAIN = frozenset((str, int, float, bool, bytes, type(None), type))


WAY_OUT = "use its parts as the key"


# ---- guards ----
@record()
class SameKeys(Equal):
    """Tests that a dict has the same objects as keys, which are equal to one another as before."""

    def passes(self, now: Any) -> bool:
        return len(now) == len(self.value) and all(
            [a is c or (type(a) is type(c) and is_plain(a) and repr(a) == repr(c))
             for a, c in zip(now, self.value, strict=True)]
        )  # fmt: skip

    def why(self, name: str, now: Any) -> Reason:
        return f"the captured '{name}' had other keys, or keys equal to others", OUTSIDE


def _parts(key: Any) -> list[Any]:
    """The parts of a key that is a tuple, each tuple as its length and its items."""
    if not isinstance(key, tuple):
        return [key]
    return [len(key), *[v for part in key for v in _parts(part)]]


def _facts(v: Any) -> list[Any]:
    """The facts that must stay of a part of a key: itself, its class, and by what it is found."""
    cls = type(v)
    if is_plain(v) or not made_by_statement(cls):
        return [v]
    own = cls.__hash__ not in (None, object.__hash__)
    return [v, cls, cls.__eq__, cls.__hash__, hash(v) if own else 0]


def _in_order(v: Any) -> list[Any]:
    return list(v) if isinstance(v, DICTS) else sorted(v, key=lambda k: (repr(k), id(k)))


_FACTS = Step(
    ("facts",), lambda v: [f for key in _in_order(v) for part in _parts(key) for f in _facts(part)]
)


def watch_keys(captures: Any, path: Path, value: Any, name: str) -> None:
    """Guards the keys of a captured dict, the members of a set, or a length."""
    if isinstance(value, list | tuple):
        captures.watch(path.then(KEYS), name)
    elif all([is_plain(k) for k in value]):
        captures.watch(path.then(KEYS if isinstance(value, DICTS) else MEMBERS), name)
    else:
        held = path.then(_FACTS)
        captures.guards[held.key] = Guard(held, SameKeys(held.fetch()), name)


def is_plain(key: Any) -> bool:
    """Whether a key is made of what has a text that tells it apart, and is compared in C."""
    if type(key) in (tuple, frozenset):
        return all(map(is_plain, key))
    return type(key) in _PLAIN or isinstance(key, np.generic)


# ---- what an instance is equal to ----
def equal_key(it: Interpreter, owner: Any, key: Any, node: Node) -> Any:
    """The key of a dict or set that an instance is equal to; the key itself if there is none."""
    if not (_is_watched(it, key) or any(map(_is_own, owner))):
        return key
    for k in owner:
        if k is key:
            return k
    for k in owner:
        same = it.truth(it.compare(gast.Eq(), k, key, node), node)
        if it.static_int(same, node, "which key of a dict an instance is equal to"):
            return k
    return key


def _is_watched(it: Interpreter, key: Any) -> bool:
    """Whether a method of a class of the user's compares a key, or a part of it, under guards."""
    found = [v for v in _parts(key) if _is_instance(v)]
    for v in found:
        watch_method(it.captures, v, "__hash__")
    return any([method_of(it, v, "__eq__") is not None for v in found])


def _is_own(key: Any) -> bool:
    return any(_is_instance(v) and special(v, "__eq__") is not None for v in _parts(key))


def _is_instance(v: Any) -> bool:
    return isinstance(v, Record) or not (
        isinstance(v, Var | Const | type) or is_plain(v) or not made_by_statement(type(v))
    )


def refuse_other_hash(it: Interpreter, v: Any, node: Node) -> None:
    """Refuses an instance with an `__eq__` and the `__hash__` of `object`: no other is found."""
    if _is_instance(v) and _is_watched(it, v) and class_of_instance(v).__hash__ is object.__hash__:
        it.refuse(node, f"{describe(v)} has an __eq__, and the __hash__ of object", WAY_OUT)
