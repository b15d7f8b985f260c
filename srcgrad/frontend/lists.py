"""Lists, dicts and their items: changes of these, and lists that grow in run-time loops.

A list of numbers whose length depends on the path becomes a tape and a cell with its length;
interpretation starts again with that known. For lists of arrays see `ragged_lists`.
"""

from __future__ import annotations

from typing import Any, NoReturn

import gast

from srcgrad.frontend.comprehensions import is_long, loop_over, may_be_loop
from srcgrad.frontend.grown_lists import items_of, length_of
from srcgrad.frontend.heap import changing, note_change
from srcgrad.frontend.indexing import index_items, static_slice, view
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.ragged_lists import append_row, are_rows, row, size_of_row
from srcgrad.frontend.requirements import UNROLLED, RestartTracing
from srcgrad.frontend.special_methods import type_name
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
    plain,
    written,
)
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import INT, Scalar, join_scalars


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
        it.refuse(node, f"{describe(key)} has a __hash__ of its own", "use its parts as the key")
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
        key = it.static_key(items[0] if len(items) == 1 else tuple(items), node)
        if key not in x:
            reshaping(it, x, node)
        x[key] = value
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
    if len(items) != 1 or not (is_integer(items[0]) or is_array(items[0]) or _is_bool(items[0])):
        one = len(items) == 1
        what = describe(items[0]) if one else "a tuple"
        way_out = "it must be one integer" if one else "write x[i][j]"
        it.refuse(node, f"the index of {describe(x)} is {what}", way_out, like=TypeError)
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
    key = it.static_key(items[0] if len(items) == 1 else tuple(items), target)
    if key not in x:
        it.wrong(target, f"the dict has no key {written(key)}", KeyError)
    del x[key]


# ---- lists that grow at run time ----
def grow_in_flow(it: Interpreter, x: Any) -> None:
    """Lets a list grow where another trip or branch may have appended to it."""
    if it.is_in_flow:
        grow_if_it_can(it, x)


def grow_if_it_can(it: Interpreter, x: Any) -> None:
    """Restarts with a list that grows, if its items are numbers or arrays of one kind."""
    if not isinstance(x, TrackedList) or x.key is None or x.key in it.unrolled:
        return
    if all(is_scalar(v) for v in x) or are_rows(x):
        it.captures.required.indexed.add(x.key)
        it.grow(x.key, x[-1] if x else None)


def grow(it: Interpreter, key: Any, item: Any) -> NoReturn:
    """Restarts with the list that is made at this place growing at run time.

    `item` is one of its items, None if it has none yet.
    """
    if item is None:
        it.grown[key] = None, 0
    elif is_array(item):
        it.grown[key] = Scalar(item.type.dtype), item.type.ndim
    else:
        it.grown[key] = atom(item).type, 0
    raise RestartTracing(f"the list of line {key[1]} grows at run time")


def tracked_list(it: Interpreter, items: list[Any], node: Node) -> Any:
    key = (it.frame.source.file, node.lineno, node.col_offset)
    if key not in it.grown:
        return TrackedList(items, key)
    if key in it.captures.required.indexed:
        it.looped.add(key)
    dtype, rank = it.grown[key]
    dtype = dtype or INT  # until the first item is appended: integers have all operations of floats
    tape = it.b.tape(16, dtype=dtype.dtype, name="items")
    length = it.b.zeros(1, dtype="i64", name="count")
    shape = it.b.zeros(rank, dtype="i64", name="shape") if rank else None
    out = GrownList(tape, length, dtype, key, shape)
    for item in items:
        append(it, out, item, node)
    return out


def append(it: Interpreter, owner: Any, item: Any, node: Node) -> None:
    if isinstance(owner, list):
        reshaping(it, owner, node)
        owner.append(item)
    elif isinstance(owner, GrownList):
        _append_grown(it, owner, item, node)
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
    if not is_integer(times) and not _is_bool(times):
        kind = type_name(times)
        said = f"can't multiply sequence by non-int of type '{kind}'"
        it.refuse(node, said, like=TypeError)
    reshaping(it, owner, node)
    owner[:] = list(owner) * it.static_int(times, node, "the number of repetitions")


def pop_grown(it: Interpreter, v: GrownList, node: Node) -> Any:
    """Removes and returns the last item."""
    changing_grown(it, v, node)
    n = it.grown_length(v)
    it.fail_if(it.b.eq(n, 0), "IndexError", "pop from empty list")
    last = it.b.sub(n, 1)
    item = it.grown_load(v, last, node)
    it.set_length(v, last)
    return item


def changing_grown(it: Interpreter, v: GrownList, node: Node) -> None:
    """Notes, before it happens, a change of such a list."""
    changing(it, v, node)
    if v.settled is not None:
        it.refuse(
            node, "which of several lists this changes is only known at run time",
            "make a copy before changing it: list(...)",
        )  # fmt: skip


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
                _fitting_item(it, x, Var("item", joined))


def set_length(it: Interpreter, v: GrownList, n: Any) -> None:
    it.b.store(v.length, 0, it.b.cast(n, Scalar("i64")))


def _append_grown(it: Interpreter, owner: GrownList, item: Any, node: Node) -> None:
    unknown = owner.key in it.grown and it.grown[owner.key][0] is None
    if unknown and (is_scalar(item) or are_rows([item])):
        it.grow(owner.key, item)
    changing_grown(it, owner, node)
    if not owner.of_numbers:
        append_row(it, owner, item, node)
        return
    if not is_scalar(item):
        it.refuse(
            node, "a list that grows in a run-time loop must be a list of numbers",
            "allocate an array before the loop and store into it",
        )  # fmt: skip
    _fitting_item(it, owner, item)
    b = it.b
    n = b.load(owner.length, 0)
    after = b.add(n, 1)
    b.reserve(owner.tape, after)
    b.store(owner.tape, n, b.cast(item, owner.dtype))
    it.set_length(owner, after)


def _fitting_item(it: Interpreter, owner: GrownList, item: Any) -> None:
    """Restarts with a wider type if an item does not have that of the list."""
    joined = join_scalars(owner.dtype, atom(item).type)
    kinds = (owner.dtype.dtype, atom(item).type.dtype)
    if "bool" in kinds and kinds[0] != kinds[1]:
        it.refuse(None, "a list that grows at run time holds booleans and numbers", "use one kind")
    if joined != owner.dtype:
        it.grown[owner.key] = joined, 0
        raise RestartTracing("a list holds another type than assumed")


def set_grown(it: Interpreter, x: GrownList, items: list[Any], value: Any, node: Node) -> None:
    changing_grown(it, x, node)
    if not is_scalar(value) or not x.of_numbers:
        it.refuse(node, f"{describe(value)} cannot be stored in a list that grows at run time")
    _fitting_item(it, x, value)
    it.b.store(x.tape, grown_place(it, x, items[0], node), it.b.cast(value, x.dtype))


def grown_length(it: Interpreter, v: GrownList) -> Any:
    return length_of(it.b, v)


def grown_place(it: Interpreter, v: GrownList, i: Any, node: Node) -> Any:
    if _is_bool(i):
        i = it.b.cast(i, Scalar("i64")) if isinstance(i, Var) else int(i)
    if not is_integer(i):
        it.refuse(node, "a list that grows at run time takes integer indices only", like=TypeError)
    return plain(it.b.index(i, it.grown_length(v), axis=0))


def grown_item(it: Interpreter, v: GrownList, i: Any, node: Node) -> Any:
    if isinstance(i, Slice):
        return it.grown_slice(v, i, node)
    return it.grown_load(v, grown_place(it, v, i, node), node)


def grown_slice(it: Interpreter, v: GrownList, part: Slice, node: Node) -> GrownList:
    """A new list of some of the items."""
    b, whole = it.b, items_of(it.b, v)
    whole_rows = [Slice(None, None, None)] * (whole.type.ndim - 1)
    taken = view(it, whole, [part, *whole_rows], node)
    count, *rest = taken.type.dims
    tape = b.tape(16, dtype=v.dtype.dtype, name="items")
    b.reserve(tape, b.mul(count, size_of_row(it, rest)))
    b.assign(b.tape_view(tape, 0, count, *rest), taken)
    length = b.zeros(1, dtype="i64", name="count")
    shape = None if v.shape is None else b.copy(v.shape)
    out = GrownList(tape, length, v.dtype, v.key, shape)
    it.set_length(out, count)
    return out


def grown_load(it: Interpreter, v: GrownList, place: Any, node: Node) -> Any:
    """The item at a checked place, a Python number where the items are."""
    if not v.of_numbers:
        return row(it, v, place, node)
    memory = v.tape if v.settled is None else v.settled
    item = it.b.retyped(it.b.load(memory, place), v.dtype)
    if not v.dtype.weak:  # some of the items may be Python's own
        it.captures.classes.either.add(item)
    return item


def _is_bool(v: Any) -> bool:
    """Whether a value is a bool; Python's is an integer."""
    if isinstance(v, Var) and isinstance(v.type, Scalar):
        return v.type.dtype == "bool"
    return isinstance(v, bool)
