"""Operations on lists that grow at run time: of numbers, of arrays, and of structures of them."""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.dict_values import make_groups
from srcgrad.frontend.grown_lists import (
    GrownTable,
    Kinds,
    Known,
    Mixed,
    Ragged,
    items_of,
    length_of,
    with_columns,
)
from srcgrad.frontend.heap import changing, keep_apart
from srcgrad.frontend.indexing import view
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.lists_of_rows import append_row, row, set_row, size_of_row
from srcgrad.frontend.mixed_lists import (
    append_mixed,
    mix,
    mixed_item,
    new_mixed,
    require_kinds,
    set_mixed,
)
from srcgrad.frontend.ragged_lists import append_array, array_at, moving, new_ragged, set_array
from srcgrad.frontend.requirements import RestartTracing
from srcgrad.frontend.tables import (
    NUMBER,
    append_item,
    columns_in,
    is_apart,
    is_other,
    is_tabular,
    item_of,
    may_mix,
    mixes,
)
from srcgrad.frontend.values import (
    GrownList,
    Slice,
    describe,
    is_integer,
    is_scalar,
    is_unit,
    plain,
)
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import INT, Scalar, join_scalars


def new_list(it: Interpreter, key: Any) -> GrownList:
    """An empty list of what is known to be appended to it."""
    kind, rank = it.grown[key]
    if isinstance(kind, Kinds):
        return new_mixed(it, key, kind)
    if key in it.captures.required.ragged and rank:
        return new_ragged(it, key, kind, rank)
    if kind is not None and not isinstance(kind, Scalar):
        count = columns_in(kind)
        if count == 0:  # all items are the same: one that tells how many there are
            it.grown.setdefault((*key, 0), (NUMBER, 0))
        columns = tuple(new_list(it, (*key, k)) for k in range(max(count, 1)))
        return GrownTable(None, None, INT, key, template=kind, columns=columns)
    dtype = kind or INT  # until the first item is appended: integers have all operations of floats
    tape = it.b.tape(16, dtype=dtype.dtype, name="items")
    length = it.b.zeros(1, dtype="i64", name="count")
    shape = it.b.zeros(rank, dtype="i64", name="shape") if rank else None
    return GrownList(tape, length, dtype, key, shape)


def pop_grown(it: Interpreter, v: GrownList, node: Node) -> Any:
    """Removes and returns the last item."""
    changing_grown(it, v, node)
    n = it.grown_length(v)
    it.fail_if(it.b.eq(n, 0), "IndexError", "pop from empty list")
    last = it.b.sub(n, 1)
    item = it.grown_load(v, last, node)
    it.set_length(v, last)
    return item


def changing_grown(it: Interpreter, v: GrownList, node: Node, added: bool = False) -> None:
    """Notes, before it happens, a change of such a list; `added`: it only gets longer."""
    changing(it, v, node)
    if not added:
        moving(it, v)
        it.captures.rewritten[v.key] = it.frame.source.location(node)
    if v.settled is not None:
        keep_apart(it, v)
        it.refuse(
            node, "which of several lists this changes is only known at run time",
            "make a copy before changing it: list(...)",
        )  # fmt: skip


def set_length(it: Interpreter, v: GrownList, n: Any) -> None:
    for column in columns_of(v):
        it.b.store(column.length, 0, it.b.cast(n, Scalar("i64")))


def columns_of(v: GrownList) -> list[GrownList]:
    """The lists of numbers and arrays that hold the parts of the items."""
    return [c for part in v.columns for c in columns_of(part)] if isinstance(v, GrownTable) else [v]


def append_grown(it: Interpreter, owner: GrownList, item: Any, node: Node) -> None:
    unknown = owner.key in it.grown and it.grown[owner.key][0] is None
    fits = may_mix(item) or is_tabular([item], texts=True)
    if fits and unknown and item is None:
        require_kinds(it, owner.key, Kinds((Known(None),)))
    if fits and unknown:
        it.grow(owner.key, item)
    if fits and owner.key in it.captures.required.guessed and is_other(owner, item):
        it.captures.required.guessed.discard(owner.key)
        it.grow(owner.key, item)
    if isinstance(item, list | GrownList) and not is_tabular([item], texts=True):
        make_groups(it, owner.key)
    if isinstance(owner, Mixed):
        changing_grown(it, owner, node, True)
        append_mixed(it, owner, item, node)
        return
    other = fits and is_other(owner, item) and mixes(it, owner.key, [item])
    if other or is_apart(it, owner, item):
        mix(it, owner)
    changing_grown(it, owner, node, True)
    if isinstance(owner, Ragged):
        append_array(it, owner, item, node)
        return
    if isinstance(owner, GrownTable):
        for column, leaf in append_item(it, owner, item, node):
            append_grown(it, column, leaf, node)
        return
    if not owner.of_numbers:
        append_row(it, owner, item, node)
        return
    if not is_scalar(item):
        it.refuse(
            node, "a list that grows in a run-time loop must be a list of numbers",
            "allocate an array before the loop and store into it",
        )  # fmt: skip
    fitting_item(it, owner, item)
    b = it.b
    n = b.load(owner.length, 0)
    after = b.add(n, 1)
    b.reserve(owner.tape, after)
    b.store(owner.tape, n, b.cast(item, owner.dtype))
    it.set_length(owner, after)


def fitting_item(it: Interpreter, owner: GrownList, item: Any) -> None:
    """Restarts with a wider type if an item does not have that of the list."""
    joined = join_scalars(owner.dtype, atom(item).type)
    kinds = (owner.dtype.dtype, atom(item).type.dtype)
    if "bool" in kinds and kinds[0] != kinds[1]:
        it.refuse(None, "a list that grows at run time holds booleans and numbers", "use one kind")
    if kinds[0][0] != kinds[1][0]:
        it.captures.joined.add(owner.key)
    if joined != owner.dtype:
        it.grown[owner.key] = joined, 0
        raise RestartTracing("a list holds another type than assumed")
    whole, as_arrays = join_scalars(owner.dtype, Scalar(kinds[1])), it.captures.required.as_arrays
    if owner.dtype.weak or whole == owner.dtype:
        return
    known, first = as_arrays.get(owner.key, (whole, True))
    now = join_scalars(known, whole), first and owner.written is None
    if as_arrays.get(owner.key) != now:
        as_arrays[owner.key] = now
        raise RestartTracing("a list holds numbers of Python's and of NumPy's")


def set_grown(it: Interpreter, x: GrownList, items: list[Any], value: Any, node: Node) -> None:
    if isinstance(x, Mixed):
        changing_grown(it, x, node)
        set_mixed(it, x, items, value, node)
        return
    if is_apart(it, x, value) or (is_other(x, value) and mixes(it, x.key, [value])):
        mix(it, x)
    changing_grown(it, x, node)
    if isinstance(x, Ragged):
        set_array(it, x, items, value, node)
        return
    if isinstance(x, GrownTable):
        for column, leaf in append_item(it, x, value, node):
            set_grown(it, column, items, leaf, node)
        return
    if not x.of_numbers:
        set_row(it, x, grown_place(it, x, items[0], node), value, node)
        return
    if not is_scalar(value):
        it.refuse(node, f"{describe(value)} cannot be stored in a list that grows at run time")
    fitting_item(it, x, value)
    it.b.store(x.tape, grown_place(it, x, items[0], node), it.b.cast(value, x.dtype))


def grown_length(it: Interpreter, v: GrownList) -> Any:
    return length_of(it.b, v)


def grown_place(it: Interpreter, v: GrownList, i: Any, node: Node) -> Any:
    if is_bool(i):
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
    if isinstance(v, GrownTable):
        columns = tuple(it.grown_slice(c, part, node) for c in v.columns)
        return with_columns(v, columns)
    whole = items_of(it.b, v)
    whole_rows = [Slice(None, None, None)] * (whole.type.ndim - 1)
    made = relisted(it, v, view(it, whole, [part, *whole_rows], node))
    _, first = it.captures.required.as_arrays.get(v.key, (None, False))
    low, written = part.lower, v.written or 0
    beyond = is_integer(low) and not isinstance(low, Var) and low >= written > 0
    made.numpys = v.numpys or (first and beyond and is_unit(part.step))
    return made


def relisted(it: Interpreter, v: GrownList, taken: Var) -> GrownList:
    """A new list like `v`, of the items of an array."""
    b = it.b
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
    if isinstance(v, Mixed):
        return mixed_item(it, v, place, node)
    if isinstance(v, Ragged):
        return array_at(it, v, place, node)
    if isinstance(v, GrownTable):
        return item_of(it, v, [it.grown_load(c, place, node) for c in v.columns])
    if not v.of_numbers:
        return row(it, v, place, node)
    memory = v.tape if v.settled is None else v.settled
    item = it.b.retyped(it.b.load(memory, place), v.dtype)
    if not v.dtype.weak:  # some of the items may be Python's own
        it.captures.classes.either.add(item)
    return item


def is_bool(v: Any) -> bool:
    """Whether a value is a bool; Python's is an integer."""
    if isinstance(v, Var) and isinstance(v.type, Scalar):
        return v.type.dtype == "bool"
    return isinstance(v, bool)
