"""Dicts and sets that are made in compiled code, by the place where they are made.

One whose keys or members are known stays one. Where the run decides a key, interpretation starts
again with an instance of a class of formulas in its place, which holds lists that grow.
"""

from __future__ import annotations

import collections
from typing import Any

import gast

from srcgrad import tree
from srcgrad.errors import UnsupportedError, located
from srcgrad.frontend.control_flow import either, negate
from srcgrad.frontend.dict_values import TrackedDict, TrackedSet, make_anew
from srcgrad.frontend.formulas.dicts_of_the_run import (
    COUNTER,
    CountTable,
    DefaultTable,
    OrderedTable,
    Table,
)
from srcgrad.frontend.formulas.groups import DefaultGroups, Groups, OrderedGroups
from srcgrad.frontend.formulas.members import FrozenMembers, Members
from srcgrad.frontend.formulas.registry import INSTANCES, class_represented
from srcgrad.frontend.heap import changing
from srcgrad.frontend.instances_as_keys import equal_key
from srcgrad.frontend.interpreter import LIMIT, Interpreter, Node
from srcgrad.frontend.items_of_the_run import chosen
from srcgrad.frontend.special_methods import asked
from srcgrad.frontend.texts import literal
from srcgrad.frontend.values import (
    MaybeUnbound,
    Record,
    View,
    describe,
    is_integer,
    is_number,
    is_scalar,
    plain,
    written,
)
from srcgrad.ir.nodes import Var

TABLES = {
    collections.defaultdict: DefaultTable, collections.Counter: CountTable,
    collections.OrderedDict: OrderedTable,
}  # fmt: skip
GROUPS = {collections.defaultdict: DefaultGroups, collections.OrderedDict: OrderedGroups}
OTHER_KEY = "a key that only the run tells changes the keys of a dict that is not made here"
KEPT = "a result is kept in a captured dict by a float: found again, it is a constant"
MOST = 64  # known keys that one of the run is compared with


# ---- making ----
def tracked_dict(it: Interpreter, node: Node, cls: type = dict, factory: Any = None) -> Any:
    """An empty dict, of known keys or of those that the run decides."""
    key = it.place(node)
    if key not in it.captures.required.at_run_time:
        return TrackedDict((), key, cls, factory, key in it.captures.required.unordered)
    known = it.tracked_list([], node, "keys")
    if factory is list or (*key, "values") in it.captures.required.of_lists:
        lists = {n: it.tracked_list([], node, n) for n in ("held", "numbers", "all")}
        return Record(GROUPS.get(cls, Groups), {"known": known, **lists, "count": 0})
    fields = {"known": known, "held": it.tracked_list([], node, "values")}
    if cls is collections.defaultdict:
        fields["factory"] = factory
    return Record(TABLES.get(cls, Table), fields)


def merged_dicts(it: Interpreter, name: str, a: Any, c: Any, node: Node) -> Any:
    """`a | c` of dicts, of the class of that on the left unless it is a plain one, as in Python.

    NotImplemented for other values and operators, and for Counters, whose `|` is another one.
    """
    if name != "or":
        return NotImplemented
    classes = [_class_of_dict(v) for v in (a, c)]
    if None in classes or collections.Counter in classes:
        return NotImplemented
    like = a if classes[0] is not dict else c
    factory = (
        like.fields.get("factory") if isinstance(like, Record) else getattr(like, "factory", None)
    )
    out = tracked_dict(it, node, classes[0] if like is a else classes[1], factory)
    for items in (a, c):
        it.call(it.attribute(out, "update", node), [items], {}, node)
    return out


def _class_of_dict(v: Any) -> Any:
    """The class in Python of a dict of known keys or of the run; None of other values."""
    if isinstance(v, dict):
        return getattr(v, "cls", dict)
    cls = class_represented(v.cls) if isinstance(v, Record) and v.cls in INSTANCES else None
    return cls if cls is not None and issubclass(cls, dict) else None


def tracked_set(it: Interpreter, items: Any, node: Node, cls: type[FrozenMembers] = Members) -> Any:
    """A set of known members, or of those that the run decides."""
    key = it.place(node)
    known = isinstance(items, list) and all(map(is_constant, items))
    if known and key not in it.captures.required.at_run_time:
        return TrackedSet(items, key, class_represented(cls))
    made = Record(Members, {"items": it.tracked_list([], node, "members")})
    it.call(Members.update, [made, items], {}, node)
    return Record(cls, made.fields)


def set_of_operator(it: Interpreter, left: Any, made: set, node: Node) -> Any:
    """The result of an operator on known sets, of the class of the left one: made here."""
    frozen = isinstance(left, frozenset) or getattr(left, "cls", set) is frozenset
    return tracked_set(it, sorted(made, key=repr), node, FrozenMembers if frozen else Members)


def is_constant(v: Any) -> bool:
    """Whether a value is known completely when compiling."""
    if isinstance(v, tuple):
        return all(map(is_constant, v))
    return is_number(v) or v is None or isinstance(v, str | type)


# ---- keys ----
def is_of_the_run(key: Any) -> bool:
    """Whether a key is a number that only the run tells, or a tuple with one in it."""
    if isinstance(key, tuple):
        return any(map(is_of_the_run, key))
    return isinstance(key, Var) and is_scalar(key)


def _has_float(key: Any) -> bool:
    """Whether a number of the run in a key is no integer."""
    return any(is_of_the_run(k) and not is_integer(k) for k in tree.leaves(key))


def known_key(it: Interpreter, owner: Any, key: Any, node: Node) -> Any:
    """The key of a dict if it is known, or can be made so; the key itself if the run decides it."""
    try:
        return equal_key(it, owner, it.static_key(key, node), node)
    except UnsupportedError:
        if not is_of_the_run(key):
            raise
        return key


def item(it: Interpreter, x: dict, key: Any, node: Node, *default: Any) -> Any:
    """`x[key]`, or `x.get(key, default)`."""
    key = known_key(it, x, key, node)
    if is_of_the_run(key):
        return _item_of_the_run(it, x, key, node, *default)
    if key in x:
        return x[key]
    return default[0] if default else missing(it, x, key, node)


def _item_of_the_run(it: Interpreter, x: dict, key: Any, node: Node, *default: Any) -> Any:
    factory = isinstance(x, TrackedDict) and x.factory is not None and not default
    if factory or len(x) > MOST or not x:
        make_anew(it, x)
    keys = [k for k in x if _comparable(k, key)]
    hits = [it.truth(it.compare(gast.Eq(), key, k, node), node) for k in keys]

    def nothing() -> Any:
        if default:
            return default[0]
        if isinstance(x, TrackedDict) and x.cls is collections.Counter:
            return 0
        it.fail("KeyError", "a key that is not in the dict")

    return chosen(it, hits, [x[k] for k in keys], nothing, node)


def _comparable(known: Any, key: Any) -> bool:
    """Whether a known key may be equal to one of the run."""
    if isinstance(key, tuple):
        return isinstance(known, tuple) and len(known) == len(key)
    return is_number(known)


def _keys_of(x: dict) -> str:
    """The advice that names the keys of a dict, if they are few."""
    return f"its keys are {', '.join(map(written, x))}" if 0 < len(x) <= 8 else ""


def missing(it: Interpreter, x: dict, key: Any, node: Node) -> Any:
    """The value of a known key that a dict does not have."""
    tracked = isinstance(x, TrackedDict)
    cls = x.cls if tracked else type(x)
    factory = x.factory if tracked else getattr(x, "default_factory", None)
    if cls is collections.Counter:
        return 0
    if cls is not collections.defaultdict or factory is None:
        it.wrong(node, f"the dict has no key {written(key)}", KeyError, _keys_of(x))
    value = it.call(factory, [], {}, node)
    put(it, x, key, value, node)
    return value


def contains(it: Interpreter, x: Any, key: Any, node: Node) -> Any:
    """`key in x`, of a dict or set."""
    key = known_key(it, x, key, node)
    if not is_of_the_run(key):
        return key in x
    if len(x) > MOST:
        make_anew(it, x)
    found: Any = False
    for k in x:
        if _comparable(k, key):
            found = either(it, found, it.truth(it.compare(gast.Eq(), key, k, node), node))
    return plain(found)


def refuse_counters(it: Interpreter, node: Node, *values: Any) -> None:
    """Refuses operators of Counters: they leave out counts by their values."""
    if any(isinstance(v, TrackedDict) and v.cls is collections.Counter for v in values):
        it.refuse(node, COUNTER, "use update() and subtract(), or compare the counts")


# ---- changes ----
def put(it: Interpreter, x: dict, key: Any, value: Any, node: Node) -> None:
    """`x[key] = value`."""
    changing(it, x, node)
    assert not isinstance(value, MaybeUnbound), "a key of another dict that a path may lack"
    key = known_key(it, x, key, node)
    if is_of_the_run(key):
        if id(x) in it.captures.outer and _has_float(key):  # its derivative would be zero
            it.refuse(node, KEPT, "compute it anew, and keep results outside")
        make_anew(it, x)
        _put_of_the_run(it, x, key, value, [k for k in x if _comparable(k, key)], node)
        return
    if key not in x:
        it.shaped_at[id(x)] = it.frame.source.location(node)
    x[key] = value


def store(it: Interpreter, x: Any, key: Any, value: Any, node: Node) -> None:
    """`x[key] = value`, of a dict of known keys or of those of the run."""
    if isinstance(x, dict):
        put(it, x, key, value, node)
    else:
        asked(it, x, "__setitem__", [key, value], node)


def _put_of_the_run(
    it: Interpreter, x: dict, key: Any, value: Any, keys: list[Any], node: Node
) -> None:
    """Stores to the one of the known keys that a key of the run is equal to."""
    if not keys:
        it.fail(LIMIT, literal(located(OTHER_KEY, None, "copy it first: dict(...)")))
    first, *rest = keys
    hit = it.truth(it.compare(gast.Eq(), key, first, node), node)
    it.branch(
        hit, lambda: x.__setitem__(first, value),
        lambda: _put_of_the_run(it, x, key, value, rest, node), node, live_rest=True,
    )  # fmt: skip


def take_out(it: Interpreter, x: dict, key: Any, node: Node) -> Any:
    """Removes a key that the dict has, and returns its value."""
    changing(it, x, node)
    key = known_key(it, x, key, node)
    if is_of_the_run(key):
        make_anew(it, x)
        it.refuse(node, OTHER_KEY, "copy it first: dict(...)")
    if key not in x:
        it.wrong(node, f"the dict has no key {written(key)}", KeyError, _keys_of(x))
    it.shaped_at[id(x)] = it.frame.source.location(node)
    held = x.pop(key)
    if not isinstance(held, MaybeUnbound):
        return held
    it.fail_if(negate(it, held.flag), "KeyError", literal(repr(key)))
    return held.value


def as_set(it: Interpreter, v: Any, node: Node) -> Any:
    """The keys of a dict as a set, for operators; other values unchanged."""
    if not isinstance(v, View):
        return v
    if v.name != "keys":
        it.refuse(node, f"operators on {describe(v)} are not supported", "use its keys")
    return set(v.owner)
