"""Lists, dicts and their items: changes of these, and lists that grow in run-time loops.

A list of numbers whose length depends on the path becomes a tape and a cell with its length;
interpretation starts again with that known. For lists of arrays see `lists_of_rows`.
"""

from __future__ import annotations

from typing import Any, NoReturn

import gast

from srcgrad import tree
from srcgrad.frontend.changed_lists import delete
from srcgrad.frontend.comprehensions import is_long, loop_over, may_be_loop
from srcgrad.frontend.growing import append_grown, columns_of, fitting_item, is_bool, new_list
from srcgrad.frontend.heap import changing, note_change
from srcgrad.frontend.indexing import index_items, static_slice
from srcgrad.frontend.instances_as_keys import WAY_OUT, refuse_other_hash
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.list_places import begin, key_of_list
from srcgrad.frontend.list_tails import Tail
from srcgrad.frontend.requirements import UNROLLED, Key, RestartTracing, place_of_list
from srcgrad.frontend.special_methods import asked, type_name
from srcgrad.frontend.tables import is_tabular, kinds_of_list, may_grow, mixes
from srcgrad.frontend.tracked_dicts import put, take_out
from srcgrad.frontend.trees import EXTENDING, REPEATING, function_at
from srcgrad.frontend.values import (
    OWN,
    GrownList,
    Iterated,
    Record,
    Slice,
    TrackedList,
    describe,
    is_array,
    is_integer,
    is_scalar,
)
from srcgrad.ir.nodes import Var
from srcgrad.ir.types import join_scalars


def static_key(it: Interpreter, key: Any, node: Node) -> Any:
    """A key of a dict, which must be known and hashable."""
    what = "a key of a dict"
    key = it.known_text(key, node)
    if is_integer(key):
        return it.static_int(key, node, what) if isinstance(key, Var) else key
    if isinstance(key, Var):
        unhashable = TypeError if is_array(key) else None
        it.refuse(node, f"{what} must be known at compile time", "use an array", unhashable)
    hashed = key.cls.__hash__ if isinstance(key, Record) else object.__hash__
    if hashed not in (None, object.__hash__):
        it.refuse(node, f"{describe(key)} has a __hash__ of its own", WAY_OUT)
    refuse_other_hash(it, key, node)
    try:
        hash(key if hashed else [])
    except TypeError:
        wrong = None if isinstance(key, OWN) else TypeError
        it.refuse(node, f"{describe(key)} cannot be a key of a dict", like=wrong)
    if isinstance(key, tuple):
        return tuple(it.static_key(k, node) for k in key)
    return key


def reshaping(it: Interpreter, owner: Any, node: Node) -> None:
    """Notes, before it happens, a change of the length or the keys of a container."""
    changing(it, owner, node)
    it.shaped_at[id(owner)] = it.frame.source.location(node)


# ---- items ----
def set_item(it: Interpreter, x: Any, items: list[Any], value: Any, node: Node) -> None:
    """`x[items] = value` of a list or dict."""
    changing(it, x, node)
    if isinstance(x, dict):
        put(it, x, items[0] if len(items) == 1 else tuple(items), value, node)
        return
    if len(items) == 1 and isinstance(items[0], Slice | slice):
        _set_slice(it, x, items[0], value, node)
        return
    x[it.list_place(x, items, node)] = value


def _set_slice(it: Interpreter, x: list, item: Any, values: Any, node: Node) -> None:
    """`x[i:j:k] = values`."""
    part = static_slice(it, item, node)
    new = it.static_items(values, node)
    if len(new) != len(x[part]):
        reshaping(it, x, node)
    try:
        x[part] = new
    except ValueError as e:
        it.fails(e, node)


def list_place(it: Interpreter, x: Any, items: list[Any], node: Node) -> int:
    """The position that an index of a list or tuple refers to."""
    if len(items) != 1 or not (is_integer(items[0]) or is_array(items[0]) or is_bool(items[0])):
        one = len(items) == 1
        what = describe(items[0]) if one else "a tuple"
        way_out = "it must be one integer" if one else "write x[i][j]"
        it.refuse(node, f"the index of {describe(x)} is {what}", way_out, like=TypeError)
    if isinstance(x, Tail):
        return items[0] if type(items[0]) is int and items[0] < 0 else x.whole()
    if isinstance(items[0], Var) and not it.captures.is_soon_static(it, items[0]):
        grow_if_it_can(it, x)
    k = it.static_int(items[0], node, "the index of a tuple or list")
    if not -len(x) <= k < len(x):
        grow_in_flow(it, x)
        _out_of_range(it, x, k, node)
    return k % len(x)


def _out_of_range(it: Interpreter, x: Any, k: int, node: Node) -> NoReturn:
    owner: Any = getattr(node, "value", None)
    if isinstance(owner, gast.Attribute) and owner.attr == "shape" and not x:
        name = owner.value.id if isinstance(owner.value, gast.Name) else "the array"
        it.wrong(
            node, f"tuple index out of range: '{name}' has no axes, its shape is ()", IndexError,
            f"pass an array with an axis: np.atleast_1d({name})",
        )  # fmt: skip
    kind = "list" if isinstance(x, list) else type(x).__name__
    many = "1 item" if len(x) == 1 else f"{len(x)} items"
    it.wrong(node, f"{kind} index out of range: {k}, of {many}", IndexError)


def delete_item(it: Interpreter, target: Any) -> None:
    """`del x[k]`."""
    x = it.expression(target.value)
    items = index_items(it, target.slice)
    if isinstance(x, GrownList) and len(items) == 1:
        delete(it, x, items[0], target)
        return
    if asked(it, x, "__delitem__", [items[0] if len(items) == 1 else tuple(items)], target) is None:
        return
    if not isinstance(x, list | dict):
        it.refuse(
            target,
            f"'del' of an item of {describe(x)} is not supported",
            "use np.delete",
            like=ValueError,
        )
    reshaping(it, x, target)
    if isinstance(x, list) and len(items) == 1 and isinstance(items[0], Slice | slice):
        del x[static_slice(it, items[0], target)]
        return
    if isinstance(x, list):
        del x[it.list_place(x, items, target)]
        return
    take_out(it, x, items[0] if len(items) == 1 else tuple(items), target)


# ---- lists that grow at run time ----
def grow_in_flow(it: Interpreter, x: Any) -> None:
    """Lets a list grow where another trip or branch may have appended to it."""
    if it.is_in_flow:
        grow_if_it_can(it, x, indexed=False)


def grow_if_it_can(it: Interpreter, x: Any, indexed: bool = True) -> None:
    """Restarts with a list that grows, if its items are of one kind.

    One of structures that is only `indexed` does not, if all in it is known when compiling.
    """
    if not isinstance(x, TrackedList) or x.key is None:
        return
    place = place_of_list(x.key)
    if place in it.unrolled:
        return
    leaves = [v for item in x for v in tree.leaves(item)]
    if indexed and is_tabular(x) and not any(isinstance(v, Var) for v in leaves):
        return
    if may_grow(x, not indexed) or (not indexed and mixes(it, x.key, x)):
        it.captures.required.indexed.add(place)
        it.grow(x.key, x[-1] if x else None)


def grow(it: Interpreter, key: Any, item: Any) -> NoReturn:
    """Restarts with the list that is made at this place growing at run time.

    `item` is one of its items, None if it has none yet.
    """
    if any(kind is None for other, (kind, _) in it.grown.items() if other != key):
        it.captures.required.guessed.add(key)
    if item is None:
        it.grown[key] = None, 0
    else:
        it.grown.update(kinds_of_list(key, item))
    raise RestartTracing(f"the list of line {place_of_list(key)[1]} grows at run time")


def tracked_list(it: Interpreter, items: list[Any], node: Node, *part: str) -> Any:
    """A list that is made at a place; `part` tells it from others that are made there."""
    return list_of_key(it, items, key_of_list(it, node, *part), node)


def list_of_key(it: Interpreter, items: list[Any], key: Key, node: Any) -> Any:
    """A list of a key: of known items, or one that grows at run time."""
    if key not in it.grown:
        return TrackedList(items, key)
    if (place := place_of_list(key)) in it.captures.required.indexed:
        it.looped.add(place)
    out = new_list(it, key)
    out.begun = False
    columns = [out, *columns_of(out)]
    for c in columns:
        c.written = None
    for item in items:
        append(it, out, item, node)
    for c in columns:
        c.written = len(items)
    return out


def append(it: Interpreter, owner: Any, item: Any, node: Node) -> None:
    if isinstance(owner, list):
        reshaping(it, owner, node)
        owner.append(item)
    elif isinstance(owner, GrownList):
        begin(it, owner, item)
        append_grown(it, owner, item, node)
    else:
        it.refuse(node, f"{describe(owner)} has no append")


def extend(it: Interpreter, owner: Any, items: Any, node: Node) -> None:
    if isinstance(items, Iterated):  # items before one that raises are in the list by then
        note_change(it, owner)
    items = it.collected(items)
    if is_long(it, items, node):
        loop_over(it, function_at(node, EXTENDING), [owner, items], node)
        return
    for item in it.static_items(items, node):
        append(it, owner, item, node)


def repeated(it: Interpreter, items: Any, times: Any, node: Node) -> Any:
    """`items * times`: a loop where the number is known only at run time, or is large."""
    many = isinstance(times, Var) or (not isinstance(items, list)) or len(items) * times > UNROLLED
    if many and may_be_loop(it, node):
        return loop_over(it, function_at(node, REPEATING), [items, times], node)
    times = it.static_int(times, node, "the number of repetitions")
    return it.tracked_list(list(items) * times, node)


def multiply(it: Interpreter, owner: list, times: Any, node: Node) -> None:
    """`owner *= times`."""
    if not is_integer(times) and not is_bool(times):
        kind = type_name(times)
        said = f"can't multiply sequence by non-int of type '{kind}'"
        it.refuse(node, said, like=TypeError)
    reshaping(it, owner, node)
    owner[:] = list(owner) * it.static_int(times, node, "the number of repetitions")


def fit_lists(it: Interpreter, one: Any, other: Any) -> None:
    """Restarts with lists of numbers that can be joined; returns if these cannot be."""
    for x, y in ((one, other), (other, one)):
        lists = isinstance(x, TrackedList) and isinstance(y, list | GrownList)
        if lists and all(map(is_scalar, x)):
            grow_if_it_can(it, x)
    if isinstance(one, GrownList) and isinstance(other, GrownList):
        joined = join_scalars(one.dtype, other.dtype)
        for x in (one, other):
            if x.key in it.grown and x.of_numbers and x.dtype != joined:
                fitting_item(it, x, Var("item", joined))
