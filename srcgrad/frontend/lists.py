"""Lists, dicts and their items: what changes them, and lists that grow in run-time loops.

A list of numbers whose length depends on the path becomes a tape and a cell with its length;
interpretation starts again with that known. For lists of arrays see `rows`.
"""

from __future__ import annotations

from typing import Any, NoReturn

import gast

from srcgrad.frontend.demands import MANY, Respecialise
from srcgrad.frontend.grown import items_of, length_of
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.rows import are_rows
from srcgrad.frontend.trees import EXTENDING, REPEATING, function_at
from srcgrad.frontend.values import (
    OWN,
    GrownList,
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
from srcgrad.ir.types import Scalar, join_scalars


class Lists(Interpreter):
    """Mixed into the interpreter."""

    def static_key(self, key: Any, node: Node) -> Any:
        """A key of a dict, which must be known and hashable."""
        what = "a key of a dict"
        key = self.known_text(key, node)
        if is_integer(key):
            return self.static_int(key, node, what) if isinstance(key, Var) else key
        if isinstance(key, Var):
            unhashable = TypeError if is_array(key) else None
            self.refuse(node, f"{what} must be known at compile time", "use an array", unhashable)
        try:
            hash(key)
        except TypeError:
            wrong = None if isinstance(key, OWN) else TypeError
            self.refuse(node, f"{describe(key)} cannot be a key of a dict", like=wrong)
        if isinstance(key, tuple):
            return tuple(self.static_key(k, node) for k in key)
        return key

    def reshaping(self, owner: Any, node: Node) -> None:
        """Called before the length or the keys of a container change."""
        self.changing(owner, node)
        self.shaped_at[id(owner)] = self.frame.source.location(node)

    # ---- items ----
    def set_item(self, x: Any, items: list[Any], value: Any, node: Node) -> None:
        """`x[items] = value` of a list or dict."""
        self.changing(x, node)
        if isinstance(x, dict):
            key = self.static_key(items[0] if len(items) == 1 else tuple(items), node)
            if key not in x:
                self.reshaping(x, node)
            x[key] = value
            return
        x[self.list_place(x, items, node)] = value

    def list_place(self, x: Any, items: list[Any], node: Node) -> int:
        """The place that an index of a list or tuple means."""
        if len(items) != 1 or not (
            is_integer(items[0]) or is_array(items[0]) or _is_bool(items[0])
        ):
            one = len(items) == 1
            what = describe(items[0]) if one else "a tuple"
            way_out = "it must be one integer" if one else "write x[i][j]"
            self.refuse(node, f"the index of {describe(x)} is {what}", way_out, like=TypeError)
        if isinstance(items[0], Var) and not self.captures.is_soon_static(self, items[0]):
            self._grow_if_it_can(x)
        k = self.static_int(items[0], node, "the index of a tuple or list")
        if not -len(x) <= k < len(x):
            if len(self.b.scopes) > self.heads[-1][0]:  # appended to in another trip or branch
                self._grow_if_it_can(x)
            self._out_of_range(x, k, node)
        return k % len(x)

    def _out_of_range(self, x: Any, k: int, node: Node) -> NoReturn:
        owner: Any = getattr(node, "value", None)
        if isinstance(owner, gast.Attribute) and owner.attr == "shape" and not x:
            name = owner.value.id if isinstance(owner.value, gast.Name) else "the array"
            self.refuse(
                node, f"tuple index out of range: '{name}' has no axes, its shape is ()",
                f"pass an array with an axis: np.atleast_1d({name})", IndexError,
            )  # fmt: skip
        kind = "list" if isinstance(x, list) else type(x).__name__
        many = "1 item" if len(x) == 1 else f"{len(x)} items"
        self.refuse(node, f"{kind} index out of range: {k}, of {many}", like=IndexError)

    def delete_item(self, target: Any) -> None:
        """`del x[k]`."""
        x = self.expression(target.value)
        items = self.index_items(target.slice)
        if not isinstance(x, list | dict):
            self.refuse(
                target,
                f"'del' of an item of {describe(x)} is not supported",
                "use np.delete",
                like=ValueError,
            )
        self.reshaping(x, target)
        if isinstance(x, list):
            del x[self.list_place(x, items, target)]
            return
        key = self.static_key(items[0] if len(items) == 1 else tuple(items), target)
        if key not in x:
            self.refuse(target, f"the dict has no key {written(key)}", like=KeyError)
        del x[key]

    # ---- lists that grow at run time ----
    def _grow_if_it_can(self, x: Any) -> None:
        """Start again with a list that grows, where its items are numbers or like arrays."""
        if not isinstance(x, TrackedList) or x.key is None or x.key in self.unrolled:
            return
        if all(is_scalar(v) for v in x) or are_rows(x):
            self.captures.demands.indexed.add(x.key)
            self.grow(x.key, x[-1] if x else None)

    def grow(self, key: Any, item: Any) -> NoReturn:
        """Interpret again, with the list that is made at this place growing at run time.

        `item` is one of its items, None if it has none yet.
        """
        if item is None:
            self.grown[key] = None, 0
        elif is_array(item):
            self.grown[key] = Scalar(item.type.dtype), item.type.ndim
        else:
            self.grown[key] = atom(item).type, 0
        raise Respecialise(f"the list of line {key[1]} grows at run time")

    def tracked_list(self, items: list[Any], node: Node) -> Any:
        key = (self.frame.source.file, node.lineno, node.col_offset)
        if key not in self.grown:
            return TrackedList(items, key)
        if key in self.captures.demands.indexed:
            self.looped.add(key)
        dtype, rank = self.grown[key]
        dtype = dtype or Scalar("f64")  # until the first item is appended
        tape = self.b("tape", 16, dtype=dtype.dtype, name="items")
        length = self.b("zeros", 1, dtype="i64", name="count")
        shape = self.b("zeros", rank, dtype="i64", name="shape") if rank else None
        out = GrownList(tape, length, dtype, key, shape)
        for item in items:
            self.append(out, item, node)
        return out

    def append(self, owner: Any, item: Any, node: Node) -> None:
        if isinstance(owner, list):
            self.reshaping(owner, node)
            owner.append(item)
        elif isinstance(owner, GrownList):
            self._append_grown(owner, item, node)
        else:
            self.refuse(node, f"{describe(owner)} has no append")

    def extend(self, owner: Any, items: Any, node: Node) -> None:
        items = self.collected(items)
        if self.is_long(items, node):
            self.loop_over(function_at(node, EXTENDING), [owner, items], node)
            return
        for item in self.static_items(items, node):
            self.append(owner, item, node)

    def repeated(self, items: Any, times: Any, node: Node) -> Any:
        """`items * times`: a loop where the number is known only at run time, or is large."""
        many = isinstance(times, Var) or (not isinstance(items, list)) or len(items) * times > MANY
        if many and self.may_be_loop(node):
            return self.loop_over(function_at(node, REPEATING), [items, times], node)
        times = self.static_int(times, node, "the number of repetitions")
        return self.tracked_list(list(items) * times, node)

    def pop_grown(self, v: GrownList, node: Node) -> Any:
        """The last item, taken off."""
        self.changing_grown(v, node)
        n = self.grown_length(v)
        self.fail_if(self.b("eq", n, 0), "IndexError", "pop from empty list")
        last = self.b("sub", n, 1)
        item = self.grown_load(v, last, node)
        self.set_length(v, last)
        return item

    def changing_grown(self, v: GrownList, node: Node) -> None:
        """Called before such a list is changed."""
        self.changing(v, node)
        if v.settled is not None:
            self.refuse(
                node, "which of several lists this changes is only known at run time",
                "make a copy before changing it: list(...)",
            )  # fmt: skip

    def fit_lists(self, one: Any, other: Any) -> None:
        """Start again with lists of numbers that may be joined, if these can be, or return."""
        for x, y in ((one, other), (other, one)):
            lists = isinstance(x, TrackedList) and isinstance(y, list | GrownList)
            if lists and all(map(is_scalar, x)):
                self._grow_if_it_can(x)
        if isinstance(one, GrownList) and isinstance(other, GrownList):
            joined = join_scalars(one.dtype, other.dtype)
            for x in (one, other):
                if x.key in self.grown and x.of_numbers and x.dtype != joined:
                    self._fitting_item(x, Var("item", joined))

    def set_length(self, v: GrownList, n: Any) -> None:
        self.b("store", v.length, 0, self.b.cast(n, Scalar("i64")))

    def _append_grown(self, owner: GrownList, item: Any, node: Node) -> None:
        unknown = owner.key in self.grown and self.grown[owner.key][0] is None
        if unknown and (is_scalar(item) or are_rows([item])):
            self.grow(owner.key, item)
        self.changing_grown(owner, node)
        if not owner.of_numbers:
            self.append_row(owner, item, node)
            return
        if not is_scalar(item):
            self.refuse(
                node, "a list that grows in a run-time loop must be a list of numbers",
                "allocate an array before the loop and store into it",
            )  # fmt: skip
        self._fitting_item(owner, item)
        b = self.b
        n = b("load", owner.length, 0)
        after = b("add", n, 1)
        b("reserve", owner.tape, after)
        b("store", owner.tape, n, b.cast(item, owner.dtype))
        self.set_length(owner, after)

    def _fitting_item(self, owner: GrownList, item: Any) -> None:
        """Start again with a wider type if an item does not have that of the list."""
        joined = join_scalars(owner.dtype, atom(item).type)
        if "bool" in (owner.dtype.dtype, joined.dtype) and owner.dtype != joined:
            self.refuse(
                None, "a list that grows at run time holds booleans and numbers", "use one kind"
            )
        if joined != owner.dtype:
            self.grown[owner.key] = joined, 0
            raise Respecialise("a list holds another type than assumed")

    def set_grown(self, x: GrownList, items: list[Any], value: Any, node: Node) -> None:
        self.changing_grown(x, node)
        if not is_scalar(value) or not x.of_numbers:
            self.refuse(
                node, f"{describe(value)} cannot be stored in a list that grows at run time"
            )
        self._fitting_item(x, value)
        self.b("store", x.tape, self.grown_place(x, items[0], node), self.b.cast(value, x.dtype))

    def grown_length(self, v: GrownList) -> Any:
        return length_of(self.b, v)

    def grown_place(self, v: GrownList, i: Any, node: Node) -> Any:
        if _is_bool(i):
            i = self.b.cast(i, Scalar("i64")) if isinstance(i, Var) else int(i)
        if not is_integer(i):
            self.refuse(
                node, "a list that grows at run time takes integer indices only", like=TypeError
            )
        return plain(self.b("index", i, self.grown_length(v), axis=0))

    def grown_item(self, v: GrownList, i: Any, node: Node) -> Any:
        if isinstance(i, Slice):
            return self.grown_slice(v, i, node)
        return self.grown_load(v, self.grown_place(v, i, node), node)

    def grown_slice(self, v: GrownList, part: Slice, node: Node) -> GrownList:
        """A new list of some of the items."""
        b, whole = self.b, items_of(self.b, v)
        whole_rows = [Slice(None, None, None)] * (whole.type.ndim - 1)
        taken = self.view(whole, [part, *whole_rows], node)
        count, *rest = taken.type.dims
        tape = b("tape", 16, dtype=v.dtype.dtype, name="items")
        b("reserve", tape, b("mul", count, self.size_of_row(rest)))
        b("assign", b("tape_view", tape, 0, count, *rest), taken)
        length = b("zeros", 1, dtype="i64", name="count")
        shape = None if v.shape is None else b("copy", v.shape)
        out = GrownList(tape, length, v.dtype, v.key, shape)
        self.set_length(out, count)
        return out

    def grown_load(self, v: GrownList, place: Any, node: Node) -> Any:
        """The item at a checked place, a Python number where the items are."""
        if not v.of_numbers:
            return self.row(v, place, node)
        memory = v.tape if v.settled is None else v.settled
        return self.b.retyped(self.b("load", memory, place), v.dtype)


def _is_bool(v: Any) -> bool:
    """Whether a value is a Python bool, which counts as an integer."""
    if isinstance(v, Var) and isinstance(v.type, Scalar):
        return v.type.dtype == "bool"
    return isinstance(v, bool)
